"""Exercise of chapter 2: micro_compact. Held against `learn_compact.micro_compact`, with every `keep_recent`.

A case is a conversation and a `keep_recent`, None where the answer is called without one.
"""

from inspect import signature

from learn_compact.check.exercise import PROBE, FunctionExercise
from learn_compact.check.lines import conversation_lines
from learn_compact.check.wrong import Wrong, compared, need_messages
from learn_compact.layers.micro import KEEP_RECENT, MIN_CHARS, is_placeholder
from learn_compact.layers.micro import micro_compact as reference
from learn_compact.messages import blocks, result_text, tool_names, tool_results, unseen_results


def _cases():
    from hypothesis import strategies as st  # late: hypothesis takes a moment to load

    from learn_compact.check.strategies import conversations

    plain, hard = (conversations(max_turns=6, kinds=kinds, some_batch=True)
                   for kinds in ({"tools"}, {"tools", "blocks", "errors"}))
    return [st.tuples(plain, st.none()), st.tuples(hard, st.none()), st.tuples(plain, st.integers(0, 5))]


def _show(case):
    messages, keep_recent = case
    return conversation_lines(messages) + ([] if keep_recent is None else [f"    and keep_recent is {keep_recent}"])


def _judge(answer, case):
    messages, keep_recent = case
    chosen = {} if keep_recent is None else {"keep_recent": keep_recent}
    if chosen and not _takes_keep_recent(answer.function):
        return
    after, expected = answer(messages, **chosen), reference(messages, **chosen)
    if after == expected:
        return
    need_messages(after)
    if chosen and after == answer.glimpse(messages):
        raise Wrong("keep_recent makes no difference here",
                    f"With keep_recent={keep_recent}, yours gives what it gives without.", compared(after, expected))
    keep = chosen.get("keep_recent", KEEP_RECENT)
    cause, why = _structure(messages, after) or _first_difference(answer, messages, after, expected, keep)
    raise Wrong(cause, why, compared(after, expected))


def _takes_keep_recent(function):
    try:
        signature(function).bind([], keep_recent=KEEP_RECENT)
    except (TypeError, ValueError):  # the second where Python knows no signature
        return False
    return True


def _right(function):
    also = "" if _takes_keep_recent(function) else f" It takes no keep_recent, so {KEEP_RECENT} was tried alone."
    return f"Right. Old, long, seen results became placeholders, and nothing else was touched.{also}"


def _structure(messages, after):
    """What is wrong beside the results: messages, blocks or results that are gone, or that changed."""
    ids = [found.tool_use_id for found in tool_results(messages)]
    if [found.tool_use_id for found in tool_results(after)] != ids:
        return ("a result is gone, and its call stands alone",
                "The API refuses a call without a result right after it. Clear what a result says; its block stays.")
    if len(after) != len(messages) or _beside_results(after) != _beside_results(messages):
        return ("something changed that isn't a tool result",
                "Requests, answers and calls stay as they are, and so does the order of everything.")
    return None


def _beside_results(messages):
    return [(message.get("role"), [block for block in blocks(message) if block.get("type") != "tool_result"])
            for message in messages]


def _first_difference(answer, messages, after, expected, keep):
    """The cause behind the first result that is not what it should be."""
    names = tool_names(messages)
    results = tool_results(messages)
    newest = [found.tool_use_id for found in results[max(0, len(results) - keep):]]
    unseen = [found.tool_use_id for found in unseen_results(messages)]
    for given, yours, right in zip(*map(tool_results, (messages, after, expected)), strict=True):
        if yours.block == right.block:
            continue
        name, content = names[given.tool_use_id], yours.block.get("content")
        if given.block == right.block:
            return _cleared_too_much(given.block, content, name, given.tool_use_id in unseen,
                                     given.tool_use_id in newest and keep)
        if yours.block == given.block:
            return _left_standing(answer, messages, given.tool_use_id, keep)
        return _placed_wrong(given.block, yours.block, content, name)
    return ("a message has another form", "Messages without an old result stay exactly as they were.")


def _cleared_too_much(block, content, name, unseen, newest):
    if not is_placeholder(content):
        return ("a result that stays was changed",
                "A result that isn't cleared stays as it was: the content may be text, a list of blocks, or missing.")
    if unseen:
        return ("a result was cleared that the model has not seen yet",
                "What stands after the last assistant message is news: the model has just asked for it.")
    if name == "read_file":
        return ("a result of read_file was cleared",
                "A file is reference material: cleared, it would only be read again.")
    if newest:
        return (f"one of the newest {newest} results was cleared",
                f"The newest {newest} results stay, whatever messages they stand in: results[:-{newest}] are the old "
                "ones.")
    return ("a short result was cleared", f"It has {len(result_text(block))} characters; only results of more than "
            f"{MIN_CHARS} go. A short one has nothing to give.")


def _left_standing(answer, messages, id_, keep):
    """Why an old result was left: one thing about the results is changed, to see whether it is cleared then."""
    if not keep:
        return ("an old result was left, and keep_recent is 0", "results[:-0] is empty, for -0 is 0. "
                "results[:max(0, len(results) - keep_recent)] are the old ones for every keep_recent.")
    if _cleared_with(answer, messages, id_, lambda block: {**block, "content": result_text(block)}):
        return ("an old result was left because its content is a list",
                "A result's content may be a list of blocks; what counts is the length of its text.")
    if _cleared_with(answer, messages, id_, lambda block: {key: block[key] for key in block if key != "is_error"}):
        return ("an old error was left", "An error may be as long as any result. Its text goes, and is_error stays.")
    if _cleared_with(answer, messages, id_, lambda block: {**block, "content": result_text(block) * 2}):
        return (f"an old result of {MIN_CHARS + 1} characters was left", f"More than {MIN_CHARS}: {MIN_CHARS + 1} go.")
    return ("an old result was left",
            f"Count results, not messages: all but the newest {keep} are old, also in a parallel batch, where "
            "one message holds several.")


def _cleared_with(answer, messages, id_, change):
    changed = [message if isinstance(message["content"], str) else {**message, "content": [
        change(block) if block["type"] == "tool_result" else block for block in message["content"]]}
        for message in messages]
    return any(found.tool_use_id == id_ and is_placeholder(found.block.get("content"))
               for found in tool_results(answer.glimpse(changed) or []))


def _placed_wrong(block, yours, content, name):
    if block.get("is_error") and not yours.get("is_error"):
        return ("an error is no longer marked as one",
                "Copy the block and change its content alone: is_error tells the model that this way was tried.")
    if is_placeholder(content):
        return ("the placeholder names another tool", f"It was {name}: the name stands in the assistant's tool_use "
                "block whose id is the result's tool_use_id.")
    return ("the placeholder reads differently", f"To the letter: [Previous: used {name}], as a string.")


micro_compact = FunctionExercise(
    name="micro_compact",
    right=_right,
    hints=(
        "Two walks. The first collects every tool_result in order, with the index of its message and of its block. "
        "Which of them are old, when the newest three stay?",
        "A placeholder needs a name: walk over the assistant's messages and keep {id: name} of their tool_use blocks. "
        "Then leave out read_file, results of 100 characters or less, and results after the last assistant message. "
        "Content may be text, a list of blocks, or missing.",
        'Never write into the block you were given: {**block, "content": placeholder} is a new one. Put it into a new '
        "list of blocks, in a new message, in a new list of messages.",
    ),
    solution="02_micro_compact.py",
    cases=_cases,
    judge=_judge,
    show=_show,
    probe=(list(PROBE),),
)
