"""The loop: prepare, ask the model, run what it calls for, and again until it is done.

Whatever happens (an error of the API, Ctrl-C in the middle of a batch, a full disk), the history stays valid: every
call has its result, nothing empty is in it, and `ask` can be called again. Left out: streaming.
"""

from itertools import count

from learn_compact.agent.approval import approval_for
from learn_compact.agent.events import Event, print_event, why_stopped
from learn_compact.agent.points import Point, RunningParts
from learn_compact.agent.refusals import is_too_long, refused, too_long
from learn_compact.agent.tools import COMPACT, CUT_OFF, INTERRUPTED, S06_TOOLS, not_run, result_block
from learn_compact.agent.workspace import Workspace
from learn_compact.archive import Archive
from learn_compact.errors import ArchiveError, MessageError, PolicyError, SummaryError, demand
from learn_compact.ledger import Ledger
from learn_compact.messages import blocks, marker_path, to_message
from learn_compact.tokens import context_tokens

MAX_TOKENS = 8_000  # s06, of one answer
MAX_REACTIVE_RETRIES = 1  # s08

SYSTEM = ("You are a coding agent. Your tools work in the workspace, and paths start there. Do what the user asks, and "
          "nothing else. Placeholders such as [Previous: used bash] stand for results that were taken out of the "
          "conversation; call the tool again where you need one.")

NOTHING_WON = "a summary would not be smaller than what it stands for"


class Agent:
    """An agent: `ask(text)` works until the model is done and gives back what it said last.

    `client` is an `anthropic.Anthropic`; `policy` anything with `prepare(messages)` and `overflowed(messages)`, such as
    `s06(...)`, and where it has a `view(messages)`, that is sent; `workspace` a folder or a `Workspace`; `system` a
    text, or a callable that gives it before each request. Every message goes into the log of `archive` as it arrives
    (by default the policy's, else one in the workspace). `approve(tool, arguments) -> bool` is asked before a tool that
    changes something runs: by default offline never, live at the terminal. `max_turns` bounds the requests of one
    `ask`; with `cache` each marks its end for the prompt cache. `messages` is the history, one list that is changed in
    place; `points` the context before each request; `ledger` what became of every block; `stop_reason` the API's for
    the newest answer.
    """

    def __init__(self, client, model, workspace, policy, *, system=SYSTEM, tools=S06_TOOLS, archive=None,
                 on_event=print_event, approve=None, max_tokens=MAX_TOKENS, max_turns=None, cache=False):
        demand(hasattr(client, "messages"), "client", "an anthropic.Anthropic, such as connect() gives", client)
        demand(hasattr(policy, "prepare") and hasattr(policy, "overflowed"), "policy",
               "a policy, such as s06(summarize, archive) gives", policy)
        self.client, self.model, self.policy = client, model, policy
        self._system = system if callable(system) else lambda: system
        self.workspace = workspace if isinstance(workspace, Workspace) else Workspace(workspace)
        self.archive = archive or getattr(policy, "archive", None) or Archive(self.workspace.root)
        self.tools = {tool.name: tool for tool in tools}
        self.on_event, self.approve = on_event, approve or approval_for(client)
        self.max_tokens, self.max_turns, self.cache = max_tokens, max_turns, cache
        self.messages, self.points, self.stop_reason = [], [], None
        self._fixed, self._same = self._now(), 0
        self._parts = RunningParts(*self._fixed)
        self._unlogged, self._compaction = [], ()  # what the next point says of a compaction right before it
        self._ledger = Ledger(self.archive)

    @property
    def system(self):
        """The system prompt of a request that is made now."""
        return self._system()

    @property
    def request(self):
        """What a request that is made now says besides its messages. A summary that is asked for with the same shares
        what is cached of the conversation (`PrefixSummarizer`)."""
        marked = {"cache_control": {"type": "ephemeral"}} if self.cache else {}
        system, tools = self._now()
        return {"model": self.model, "system": system, "tools": tools, "max_tokens": self.max_tokens, **marked}

    @property
    def ledger(self):
        """What became of every block since the agent began, as a `Ledger`."""
        self._ledger.see(self.messages)
        return self._ledger

    def ask(self, text):
        """Work on what the user says, and give back the model's last words ("" where it had none).

        Raises RequestError where the API gave no answer, ContextWindowError where a request stays too long after a
        compaction, SummaryError where that compaction failed, ArchiveError where the log can't be written.
        """
        if not isinstance(text, str) or not text.strip():
            raise MessageError(f"There is nothing to ask: {text!r} is blank, or no text.")
        self._same = 0  # whoever holds the list may have changed it meanwhile
        self._add({"role": "user", "content": text})
        for _ in count() if self.max_turns is None else range(self.max_turns):
            answer = self._turn()
            if answer is not None:
                return answer
        self._tell("stopped", f"{self.max_turns} requests were made, as many as max_turns allows")
        return ""

    def compact(self, focus=""):
        """Put a summary in the place of the conversation now, with what `focus` names kept in every detail."""
        self._tell("manual_compact")
        try:
            after = (self.policy.compact(self.messages, focus) if hasattr(self.policy, "compact")
                     else self.policy.overflowed(self.messages))
        except (SummaryError, ArchiveError, PolicyError) as error:
            self._tell("failed", str(error))
            return
        if not self._take(after, "manual"):
            self._tell("unchanged", NOTHING_WON)

    def _turn(self):
        """One request and what it leads to; the answer where the turn ends with it, else None."""
        self._prepare()
        response = self._request()
        self.stop_reason = response.stop_reason
        message = to_message(response)
        message["content"] = [block for block in blocks(message)  # the API refuses blank text when it is sent back
                              if block.get("type") != "text" or block["text"].strip()]
        text = "\n\n".join(block["text"] for block in message["content"] if block["type"] == "text")
        calls = [block for block in message["content"] if block["type"] == "tool_use"]
        results = []
        if calls:
            results = self._answer(message, calls)
        elif message["content"]:
            self._add(message)
        if self.stop_reason == "pause_turn":
            return None
        if self.stop_reason == "tool_use" and calls:
            requested = [call for call, result in zip(calls, results, strict=True)
                         if call["name"] == COMPACT and not result.get("is_error")]
            if not requested:
                return None
            self.compact(requested[-1]["input"].get("focus", ""))
        elif self.stop_reason not in ("end_turn", "stop_sequence"):
            self._tell("stopped", why_stopped(self.stop_reason))
        elif not message["content"]:
            self._tell("stopped", "the model said nothing")
        return text

    def _prepare(self):
        try:
            self._take(self.policy.prepare(self.messages), "auto")
        except (SummaryError, ArchiveError) as error:  # what the cheaper steps won is kept, and the work goes on
            self._take(self.messages if error.reached is None else error.reached, "auto")
            self._tell("auto_compact")
            self._tell("failed", str(error))
            return
        reports = getattr(getattr(self.policy, "last_run", None), "reports", ())
        if any(report.calls and report.after is report.before for report in reports):
            self._tell("unchanged", NOTHING_WON)

    def _request(self):
        """The model's response; a request that is too long is compacted and sent once more."""
        from anthropic import APIError  # late, because it takes a second or two

        for retries_left in range(MAX_REACTIVE_RETRIES, -1, -1):
            request, sent = self.request, self._view()
            counted = self._counted((request["system"], request["tools"]), sent)
            point = Point(len(self.points) + 1, len(sent), counted, *self._compaction)
            self._same, self._compaction = len(self.messages), ()
            self.points.append(point)
            try:
                response = self.client.messages.create(messages=sent, **request)
            except APIError as error:
                if not is_too_long(error):
                    raise refused(error) from None  # the SDK's own traces say nothing that the sentence doesn't
                refusal, response = error, None
            else:
                point.counted = context_tokens(response.usage)
                if response.stop_reason != "model_context_window_exceeded":
                    return response
            if retries_left and self._take(self._smaller(), "overflow"):
                continue
            if response is not None:
                return response
            raise too_long(refusal) from None

    def _view(self):
        """What the model reads of the messages."""
        return self.policy.view(self.messages) if hasattr(self.policy, "view") else self.messages

    def _now(self):
        """System prompt and tools as they are now: either may have changed since the last request."""
        return self.system, [tool.definition for tool in self.tools.values()]

    def _counted(self, fixed, sent):
        """The parts of a request; what is as it was in the last one is not counted again."""
        if fixed != self._fixed:
            self._fixed, self._parts = fixed, RunningParts(*fixed)
        return self._parts.of(sent, self._same if sent is self.messages else 0)

    def _smaller(self):
        """What the policy makes of messages that the API refused; the messages themselves where it has no way."""
        try:
            return self.policy.overflowed(self.messages)
        except PolicyError:
            return self.messages

    def _answer(self, message, calls):
        """Add the answer and one user message with a result for each of its calls, in order, whatever happens."""
        results = []
        try:
            self._add(message)
            for call in calls:
                results.append(self._result(call) if self.stop_reason == "tool_use" else not_run(call, CUT_OFF))
        finally:
            if self.messages[-1] is message:
                results += [not_run(call, INTERRUPTED) for call in calls[len(results):]]
                self._add({"role": "user", "content": results})
        return results

    def _result(self, call):
        tool = self.tools.get(call["name"])
        if tool is None:
            text, failed = f"There is no tool {call['name']}. There are: {', '.join(self.tools)}.", True
        elif tool.asks and not self.approve(tool.name, call["input"]):
            text, failed = f"{tool.name} was not allowed, so it was not run (`approve` decides).", True
        else:
            text, failed = tool.call(self.workspace, call["input"])
        self._tell("tool", text, tool=call["name"])
        return result_block(call, text, failed)

    def _take(self, messages, kind):
        """Put what a policy made into the list, in place, and tell of a new transcript; whether anything is new."""
        if messages is self.messages:
            return False
        if run := getattr(self.policy, "last_run", None):
            self._ledger.extend(run)
        first = blocks(messages[0])[:1] if messages and messages[0] is not self.messages[0] else []
        path = next((marker_path(block.get("text")) for block in first), None)  # where a compaction wrote its header
        if path:
            self._compaction = kind, sum(self._counted(self._fixed, self._view()).values())
        self.messages[:] = messages
        self._same = 0
        if path:
            if kind != "manual":
                self._tell("auto_compact")
            self._tell("transcript", path)
        return True

    def _add(self, message):
        """Add a message to the history and to the log; what the log could not take before goes first."""
        self.messages.append(message)
        self._unlogged.append(message)
        while self._unlogged:
            self.archive.log(self._unlogged[0])
            del self._unlogged[0]

    def _tell(self, kind, text="", tool=""):
        self.on_event(Event(kind, text, tool))
