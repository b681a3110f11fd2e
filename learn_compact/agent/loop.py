"""The loop: prepare, ask the model, run what it calls for, and again until it is done.

Whatever happens (an error of the API, Ctrl-C in the middle of a batch, a full disk), the history stays valid: every
call has its result, nothing empty is in it, and `ask` can be called again. Left out: streaming, prompt caching.
"""

from itertools import count

from learn_compact.agent.approval import approval_for
from learn_compact.agent.events import Event, print_event
from learn_compact.agent.points import Point, RunningParts
from learn_compact.agent.tools import COMPACT, S06_TOOLS
from learn_compact.agent.workspace import Workspace
from learn_compact.archive import Archive
from learn_compact.errors import ArchiveError, ContextWindowError, MessageError, PolicyError, SummaryError
from learn_compact.ledger import Ledger
from learn_compact.messages import blocks, marker_path, to_message
from learn_compact.tokens import context_tokens

MAX_TOKENS = 8_000  # s06, of one answer
MAX_REACTIVE_RETRIES = 1  # s08

SYSTEM = ("You are a coding agent. Your tools work in the workspace, and paths start there. Do what the user asks, and "
          "nothing else. Placeholders such as [Previous: used bash] stand for results that were taken out of the "
          "conversation; call the tool again where you need one.")

_STOPPED = {
    "max_tokens": "the answer was cut off at max_tokens",
    "model_context_window_exceeded": "the answer was cut off where the context window ended",
    "refusal": "the model refused to answer",
    None: "the model gave no reason",
}
NOTHING_WON = "a summary would not be smaller than what it stands for"
CUT_OFF = "the answer was cut off before it was complete, so none of its calls was run"
INTERRUPTED = "the work was interrupted"


class Agent:
    """An agent: `ask(text)` works until the model is done and gives back what it said last.

    `client` is an `anthropic.Anthropic`; `policy` anything with `prepare(messages)` and `overflowed(messages)`, such as
    `s06(...)`, and where it has a `view(messages)`, that is sent; `workspace` a folder or a `Workspace`; `system` a
    text, or a callable that gives it before each request. Every message goes into the log of `archive` as it arrives
    (by default the policy's, else one in the workspace). `approve(tool, arguments) -> bool` is asked before a tool that
    changes something runs: by default offline never, live at the terminal. `max_turns` bounds the requests of one
    `ask`. `messages` is the history, one list that is changed in place; `points` the context before each request;
    `ledger` what became of every block; `stop_reason` the API's for the newest answer.
    """

    def __init__(self, client, model, workspace, policy, *, system=SYSTEM, tools=S06_TOOLS, archive=None,
                 on_event=print_event, approve=None, max_tokens=MAX_TOKENS, max_turns=None):
        self.client, self.model, self.policy = client, model, policy
        self._system = system if callable(system) else lambda: system
        self.workspace = workspace if isinstance(workspace, Workspace) else Workspace(workspace)
        self.archive = archive or getattr(policy, "archive", None) or Archive(self.workspace.root)
        self.tools = {tool.name: tool for tool in tools}
        self.on_event, self.approve = on_event, approve or approval_for(client)
        self.max_tokens, self.max_turns = max_tokens, max_turns
        self.messages, self.points, self.stop_reason = [], [], None
        self._definitions = [tool.definition for tool in tools]
        self._counted_system, self._same = self.system, 0
        self._parts = RunningParts(self._counted_system, self._definitions)
        self._unlogged, self._compaction = [], None
        self._ledger = Ledger(self.archive)

    @property
    def system(self):
        """The system prompt of a request that is made now."""
        return self._system()

    @property
    def ledger(self):
        """What became of every block since the agent began, as a `Ledger`."""
        self._ledger.see(self.messages)
        return self._ledger

    def ask(self, text):
        """Work on what the user says, and give back the model's last words ("" where it had none).

        Raises what the API raises, ContextWindowError where a request stays too long after a compaction, SummaryError
        where that compaction failed, ArchiveError where the log can't be written.
        """
        if not text.strip():
            raise MessageError("There is nothing to ask: the text is blank.")
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
            self._tell("stopped", _STOPPED.get(self.stop_reason, f"stop reason {self.stop_reason}"))
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
        from anthropic import APIStatusError  # late, because it takes a second or two

        for retries_left in range(MAX_REACTIVE_RETRIES, -1, -1):
            system, sent = self.system, getattr(self.policy, "view", _as_it_is)(self.messages)
            point = Point(len(self.points) + 1, len(sent), self._counted(system, sent), self._compaction)
            self._same, self._compaction = len(self.messages), None
            self.points.append(point)
            try:
                response = self.client.messages.create(model=self.model, system=system, messages=sent,
                                                       tools=self._definitions, max_tokens=self.max_tokens)
            except APIStatusError as error:
                if not _is_too_long(error):
                    raise
                refusal, response = error, None
            else:
                point.counted = context_tokens(response.usage)
                if response.stop_reason != "model_context_window_exceeded":
                    return response
            if retries_left and self._take(self._smaller(), "overflow"):
                continue
            if response is not None:
                return response
            raise ContextWindowError("The request doesn't fit into the model's context window: "
                                     f"{api_sentence(refusal)}. The policy made it no smaller. Ask for less at once, "
                                     "or choose a larger window.") from refusal

    def _counted(self, system, sent):
        """The parts of a request; what is as it was in the last one is not counted again."""
        if system != self._counted_system:
            self._counted_system, self._parts = system, RunningParts(system, self._definitions)
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
                results.append(self._result(call) if self.stop_reason == "tool_use" else _closed(call, CUT_OFF))
        finally:
            if self.messages[-1] is message:
                results += [_closed(call, INTERRUPTED) for call in calls[len(results):]]
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
        return _result_block(call, text, failed)

    def _take(self, messages, kind):
        """Put what a policy made into the list, in place, and tell of a new transcript; whether anything is new."""
        if messages is self.messages:
            return False
        if run := getattr(self.policy, "last_run", None):
            self._ledger.extend(run)
        path = _transcript(messages) if messages and messages[0] is not self.messages[0] else None
        self.messages[:] = messages
        self._same = 0
        if path:
            self._compaction = kind
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


def _as_it_is(messages):
    return messages


def _result_block(call, text, failed):
    return {"type": "tool_result", "tool_use_id": call["id"], "content": text} | ({"is_error": True} if failed else {})


def _closed(call, why):
    return _result_block(call, f"No result: {why}.", failed=True)


def _transcript(messages):
    """The path in the header of the first message, where a compaction wrote it."""
    return next((marker_path(block.get("text")) for block in blocks(messages[0])), None)


def _is_too_long(error):
    return error.status_code == 413 or (error.status_code == 400 and "prompt is too long" in api_sentence(error))


def api_sentence(error):
    """The API's own sentence in an error of the SDK."""
    body = error.body if isinstance(error.body, dict) else {}
    return str((body.get("error") or {}).get("message") or error.message)
