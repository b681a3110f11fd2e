"""Exercise of chapter 4: compact_batch(content, run_tool), the batch rule of the compact tool.

`content` is what the assistant said, a list of blocks; `run_tool(name, input)` gives a tool's output as text or raises.
The answer is (message, compact): the user message with all results, and whether to compact when it has been appended.
"""

from learn_compact.agent.tools import COMPACT_RESULT
from learn_compact.check.exercise import FunctionExercise
from learn_compact.check.lines import conversation_lines, shown
from learn_compact.check.wrong import Wrong, compared, values
from learn_compact.messages import blocks, result_text

COMPACT = "compact"
RAN_COMPACT = ("compact was run like any other tool",
               f"run_tool knows no such tool. Its result is \"{COMPACT_RESULT}\".")


class Tools:
    """Tools whose outcome is fixed: `ran` is the list of steps that were run, in order; a call's input is its step."""

    def __init__(self, fails=()):
        self.fails, self.ran = set(fails), []

    def __call__(self, name, arguments):
        self.ran.append(arguments.get("step"))  # None for compact
        if name == COMPACT:
            raise KeyError(COMPACT)
        if arguments["step"] in self.fails:
            raise RuntimeError(f"Step {arguments['step']} failed.")
        return f"Step {arguments['step']} is done."


def _call(step, name):
    return {"type": "tool_use", "id": f"call_{step}", "name": name, "input": {} if name == COMPACT else {"step": step}}


def _cases():
    from hypothesis import strategies as st  # late: hypothesis takes a moment to load

    says = st.sampled_from([[], [{"type": "text", "text": "I will."}]])
    working, failing = [("bash", False), (COMPACT, False), ("write_file", False)], [("bash", True)]
    return [st.tuples(says, st.lists(st.sampled_from(calls), min_size=1, max_size=5))
            for calls in (working, working + failing)]


def _content(case):
    says, calls = case
    return says + [_call(step, name) for step, (name, _) in enumerate(calls, start=1)]


def _show(case):
    failing = [f"    and step {step} fails" for step, (_, fails) in enumerate(case[1], start=1) if fails]
    return conversation_lines([{"role": "assistant", "content": _content(case)}]) + failing


def _judge(answer, case):
    content = _content(case)
    tools = Tools(step for step, (_, fails) in enumerate(case[1], start=1) if fails)
    try:
        given = answer(content, tools)
    except Wrong as wrong:
        if None in tools.ran:
            raise Wrong(*RAN_COMPACT) from None
        if isinstance(wrong.error, RuntimeError):
            raise Wrong("one tool that fails takes the whole batch with it",
                        "Its error is a result too: the text of the exception as content, and is_error true. The "
                        "model reads it, and the other calls have their results.") from None
        raise
    if not isinstance(given, tuple | list) or len(given) != 2 or not isinstance(given[0], dict):
        raise Wrong("it gives back something else", "Two things: the user message with the results, and whether to "
                    "compact then. return message, compact", values(given))
    (message, compact), expected = given, _expected(content, Tools(tools.fails))
    found = _cause(content, tools, message, expected)
    if found:
        raise Wrong(*found, compared([message], [expected]))
    if bool(compact) != any(block.get("name") == COMPACT for block in content):
        raise Wrong("it wants to compact, and nobody asked" if compact else
                    "compact was called, and nothing will come of it",
                    "The second thing you return tells the loop whether to compact, after it has appended the results.",
                    [("Yours", [f"    compact is {shown(compact)}"])])


def _expected(content, tools):
    results = []
    for call in content:
        if call["type"] == "tool_use":
            result = {"type": "tool_result", "tool_use_id": call["id"]}
            try:
                result["content"] = COMPACT_RESULT if call["name"] == COMPACT else tools(call["name"], call["input"])
            except RuntimeError as error:
                result |= {"content": str(error), "is_error": True}
            results.append(result)
    return {"role": "user", "content": results}


def _cause(content, tools, message, expected):
    """(cause, why) of the first thing that is wrong; None where nothing is."""
    if None in tools.ran:
        return RAN_COMPACT
    calls = [block for block in content if block["type"] == "tool_use"]
    wanted = [call["input"]["step"] for call in calls if call["name"] != COMPACT]
    if len(tools.ran) != len(set(tools.ran)):
        return "a tool was run twice", "What a tool does to the disk, it would do a second time."
    if missing := sorted(set(wanted) - set(tools.ran)):
        if any(call["name"] == COMPACT for call in calls[:missing[0] - 1]):
            return ("the calls behind compact were not run",
                    "The model asked for the whole batch. Note that compact was called, and go on to the end.")
        return "a call was not run", "Every tool_use of the batch is run, in order."
    if tools.ran != wanted:
        return "the tools were run in another order", "A later call may stand on what an earlier one did."
    if message.get("role") != "user":
        return "the results are not a user message", "To the API, results are what the user answers."
    results = [block for block in blocks(message) if block.get("type") == "tool_result"]
    ids, right = ([block.get("tool_use_id") for block in side] for side in (results, expected["content"]))
    if missing := [call for call in calls if call["id"] not in ids]:
        return ("the call of compact has no result" if missing[0]["name"] == COMPACT else "a call has no result",
                "Each call of the batch needs its result in the next message, else the API refuses all that follow.")
    if ids != right:
        return "the results are not one for each call, in their order", "One walk over the calls gives them in order."
    return _content_cause(results, expected["content"])


def _content_cause(results, expected):
    for yours, right in zip(results, expected, strict=True):
        if right.get("is_error"):
            if not yours.get("is_error"):
                return "an error looks like any other result", "is_error true tells the model that nothing was done."
            if right["content"] not in result_text(yours):
                return "what went wrong is not said", "The text of the exception is what the model can act on."
        elif yours.get("is_error"):
            return "a result is marked as an error, and is none", "is_error belongs to results of tools that failed."
        elif yours.get("content") != right["content"]:
            return ("a result reads differently",
                    f"The content is what the tool gave; for compact, to the letter, \"{COMPACT_RESULT}\".")
    return None


compact_batch = FunctionExercise(
    name="compact_batch",
    right="Every call has its result, in order, and compaction waits until they are appended.",
    hints=(
        "One walk over the blocks of type tool_use, to the end. compact only leaves a note that it was called; "
        "everything else runs.",
        "Each call adds {\"type\": \"tool_result\", \"tool_use_id\": its id, \"content\": …} to one list. For compact "
        f"the content is \"{COMPACT_RESULT}\".",
        "A tool may raise: catch it around run_tool, and make it a result with the text of the exception and "
        "\"is_error\": True. At the end: return {\"role\": \"user\", \"content\": results}, compact",
    ),
    solution="04_compact_batch.py",
    cases=_cases,
    judge=_judge,
    show=_show,
    probe=([_call(1, "bash"), _call(2, COMPACT)], Tools()),
)
