"""`python -m learn_compact chat`: the agent at a prompt, and a window that can be watched as it fills.

Whatever goes wrong in a turn (the API, the disk, Ctrl-C) is told in a sentence, and the conversation goes on. What
comes from a model, a tool or an error is data: it can't steer the terminal. Left out: streaming, chats kept for later.
"""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from learn_compact.agent import MAX_TOKENS, S06_TOOLS, S08_TOOLS, Agent, Workspace, copy_workspace
from learn_compact.archive import Archive
from learn_compact.chat.terminal import lines, say
from learn_compact.errors import LearnCompactError, WorkspaceError
from learn_compact.layers.auto import CONTEXT_CHAR_LIMIT
from learn_compact.offline.api import WINDOW
from learn_compact.offline.clients import connect, is_offline, model_for
from learn_compact.offline.project import sample_project
from learn_compact.pipeline import (
    AUTOCOMPACT_BUFFER_TOKENS,
    THRESHOLD,
    auto_compact_threshold,
    claude_code,
    s06,
    s08,
)
from learn_compact.restore import MAX_TOKENS_IN_ALL, Restoration
from learn_compact.summaries import ModelSummarizer, PrefixSummarizer
from learn_compact.tokens import context_parts, estimate_by_kind, estimate_chars, estimate_tokens

HELLO = """Workspace: {folder} ({terms}).
/help lists the commands. A beginning: Read every Python file in the agents/ directory one by one"""
COPIED = "a copy, which stays there with its transcripts"
ASKS_FIRST = "commands and changes to files ask first"
INTERRUPTED = "Interrupted. Nothing that was said is lost: say how to go on."

QUIT = ("q", "exit")  # and /quit. s06 ends at an empty line too; here a slip of the finger ends nothing
BAR_COLUMNS = 40
_OF_WINDOW = f"the window less {MAX_TOKENS + AUTOCOMPACT_BUFFER_TOKENS}"


class Policy(NamedTuple):
    """A policy to chat with, and the tools of its agent.

    It summarises where `measure(messages)`, in `unit`, is above `threshold`, which it calls `parameter`; None is what
    Claude Code makes of the window. `summarizer(client, request)` asks for the summaries.
    """

    pipeline: Callable
    tools: tuple
    parameter: str
    threshold: int | None
    measure: Callable
    unit: str
    summarizer: Callable


def _in_three_points(client, request):
    return ModelSummarizer(client, model_for(client))


def _claude(summarize, archive, threshold):
    """Claude Code's policy; what is restored takes a quarter of the room at most."""
    files = Restoration(Workspace(archive.root), max_tokens=min(MAX_TOKENS_IN_ALL, threshold // 4))
    return claude_code(summarize, archive, effective_window=threshold + AUTOCOMPACT_BUFFER_TOKENS, restoration=files)


POLICIES = {
    "s06": Policy(s06, S06_TOOLS, "threshold", THRESHOLD, estimate_tokens, "estimated tokens", _in_three_points),
    "s08": Policy(s08, S08_TOOLS, "char_limit", CONTEXT_CHAR_LIMIT, estimate_chars, "characters", _in_three_points),
    "claude": Policy(_claude, S08_TOOLS, "threshold", None, estimate_by_kind, "tokens, estimated by kind",
                     PrefixSummarizer),
}


class Chat:
    """A conversation with an agent: `run(lines)` answers line by line, until one of them ends it.

    `policy` is a row of POLICIES, with the threshold that holds here; `window` is in tokens. The docstring of a command
    is what `/help` says about it.
    """

    def __init__(self, agent, policy, window=WINDOW):
        self.agent, self.policy, self.window = agent, policy, window

    def run(self, lines):
        """Answer the lines in order; what fails is told, and the next one is read."""
        for line in lines:
            try:
                self.answer(line)
            except EOFError:
                return
            except KeyboardInterrupt:
                say(f"\n{INTERRUPTED}")
            except LearnCompactError as error:
                say(error)

    def answer(self, line):
        """Do what one line says: a command, or else a request to the agent. EOFError is the end of the chat."""
        name, _, rest = ("/quit" if line in QUIT else line).partition(" ")
        if not name.startswith("/") or "/" in name[1:]:  # a path is no command
            say(f"{self.agent.ask(line)}\n")
        elif name in COMMANDS:
            COMMANDS[name](self, rest)
        else:
            say(f"There is no command {name}. There are: {', '.join(COMMANDS)}.")

    def compact(self, focus):
        """[focus]: summarise the conversation now, with every detail about the focus."""
        before = self._parts().total
        self.agent.compact(focus)
        if (after := self._parts().total) != before:  # else the agent has said why
            say(f"The context had {before:,} tokens, and has {after:,}.")

    def context(self, _):
        """What fills the window, and how far it is to the threshold."""
        found, size, policy = self._parts(), self.policy.measure(self.agent.messages), self.policy
        say(f"window       {bar(found.total, self.window)}  {found.total:,} of {self.window:,} tokens\n"
            f"threshold    {bar(size, policy.threshold)}  {size:,} of {policy.threshold:,} {policy.unit}\n\n"
            f"Shares of the whole (messages: {len(self.agent.messages)}):")
        for part, tokens in found.parts.items():
            if tokens:
                say(f"{part:13}{bar(tokens, found.total)}  {tokens:,} tokens")
        say(f"Of these, {found.fixed:,} tokens are fixed (system, tools): no compaction makes them fewer.")
        if counted := self.agent.points and self.agent.points[-1].counted:
            say(f"The API itself counted {counted:,} tokens in the last request.")

    def help(self, _):
        """These lines. All else is a request to the agent, which Ctrl-C interrupts."""
        for name, command in COMMANDS.items():
            say(f"{name:10}{command.__doc__}")

    def quit(self, _):
        """End the chat; q, exit, Ctrl-D, and Ctrl-C twice do so too."""
        raise EOFError

    def _parts(self):
        definitions = [tool.definition for tool in self.agent.tools.values()]
        return context_parts(self.agent.system, definitions, self.agent.messages)


COMMANDS = {"/compact": Chat.compact, "/context": Chat.context, "/help": Chat.help, "/quit": Chat.quit}


def bar(part, whole):
    """A part of a whole as a bar, with its share in percent; whatever is there at all shows.

    >>> bar(656, 9_120)
    '[###.....................................]   7 %'
    """
    filled = min(BAR_COLUMNS, -(-BAR_COLUMNS * part // whole))
    return f"[{'#' * filled}{'.' * (BAR_COLUMNS - filled)}] {100 * part / whole:3.0f} %"


def main(arguments=None):
    """`python -m learn_compact chat`: until somebody ends it."""
    chosen = _parser().parse_args(arguments)
    client = connect(chosen.window, live=chosen.live)
    policy = POLICIES[chosen.policy]
    threshold = chosen.threshold or policy.threshold or auto_compact_threshold(chosen.window - MAX_TOKENS)
    is_live = not is_offline(client)
    folder = _workspace(chosen.workspace, is_live)
    summarize = policy.summarizer(client, lambda: agent.request)
    pipeline = policy.pipeline(summarize, Archive(folder), **{policy.parameter: threshold})
    agent = Agent(client, model_for(client), folder, pipeline, tools=policy.tools, cache=summarize.shares_prefix)
    say(HELLO.format(folder=folder, terms=ASKS_FIRST if is_live else COPIED))
    Chat(agent, policy._replace(threshold=threshold), chosen.window).run(lines(f"{chosen.policy} >> "))


def _workspace(chosen, is_live):
    """The folder to work in: a live agent, which asks first, works in the chosen one itself, any other in a copy."""
    if chosen is not None:
        return Workspace(chosen).root if is_live else copy_workspace(chosen)
    try:
        return sample_project(Path(tempfile.mkdtemp(prefix="learn-compact-")) / "sample_project")
    except OSError as error:
        raise WorkspaceError(f"The sample project can't be written: {error}. --workspace names a folder.") from error


def _parser():
    parser = argparse.ArgumentParser("python -m learn_compact chat", description=(
        "An agent at a prompt, with the commands /compact, /context, /help and /quit: offline by default, live where "
        "a key is set (ANTHROPIC_API_KEY, in the environment or in .env; MODEL_ID names the model)."))
    parser.add_argument("--policy", choices=POLICIES, default="s06", help="how it makes room (default: %(default)s)")
    parser.add_argument("--workspace", metavar="DIR", help="the folder to work in, offline a copy of it "
                        "(default: a fresh sample project)")
    parser.add_argument("--window", type=_count, default=WINDOW, metavar="N", help="context window in tokens; a live "
                        "model has its own, and /context believes this one (default: %(default)s)")
    parser.add_argument("--threshold", type=_count, metavar="N", help="size above which it summarises: "
                        + ", ".join(f"{name} in {row.unit} ({row.threshold or _OF_WINDOW})"
                                    for name, row in POLICIES.items()))
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--live", action="store_true", default=None, help="insist on a key")
    where.add_argument("--offline", action="store_false", dest="live", default=None, help="use no key")
    return parser


def _count(text):
    if not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number, 1 or more")
    return int(text)
