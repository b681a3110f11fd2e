"""Exercise of chapter 3: auto_compact(messages, summarize, archive), with a summary that may fail."""

from learn_compact.check.exercise import PROBE, FunctionExercise
from learn_compact.check.lines import conversation_lines
from learn_compact.check.stand_ins import SUMMARY, Shelf, Summarizer
from learn_compact.check.wrong import Wrong, compared, need_messages
from learn_compact.layers.auto import HEADER
from learn_compact.layers.thinking import newest_answer
from learn_compact.messages import CARRIED_REQUEST, blocks, newest_request, problems, unseen_results


def _cases():
    from hypothesis import strategies as st  # late: hypothesis takes a moment to load

    from learn_compact.check.strategies import conversations

    talks = conversations(max_turns=5, kinds={"tools", "blocks"})
    return [st.tuples(talks, st.just("works")), st.tuples(talks, st.sampled_from(Summarizer.MOODS))]


def _show(case):
    messages, mood = case
    return [*conversation_lines(messages), f"    and the summary {mood}"]


def _judge(answer, case):
    messages, mood = case
    summarize, archive = Summarizer(mood), Shelf()
    try:
        after = answer(messages, summarize, archive)
    except Wrong as wrong:
        if mood != "works" and isinstance(wrong.error, Exception):
            return  # it raised: the caller's messages are as they were
        raise
    need_messages(after)
    if after == messages and (mood != "works" or _is_no_gain(messages)):
        return
    if mood != "works":
        raise Wrong(f"the history was replaced, although the summary {mood}",
                    "Without a summary there is nothing to put in its place. Let the error pass, raise one where the "
                    "summary says nothing, or return the messages as they are.", compared(after, messages))
    expected = _expected(messages, next(iter(archive.saved), Shelf().save_transcript([])))
    cause, why = _cause(messages, after, summarize, archive, expected)
    if cause:
        raise Wrong(cause, why, compared(after, expected))


def _expected(messages, path):
    kept = messages[newest_answer(messages):] if unseen_results(messages) else []
    text = [{"type": "text", "text": HEADER.format(path=path) + SUMMARY}]
    if not newest_request(kept):
        text.append({"type": "text", "text": f"{CARRIED_REQUEST}\n{newest_request(messages)}"})
    return [{"role": "user", "content": text}, *kept]


def _is_no_gain(messages):
    """Whether compacting would make it larger: then a layer may well give back what it was given."""
    return len(str(_expected(messages, ""))) >= len(str(messages))


def _cause(messages, after, summarize, archive, expected):
    """(cause, why) of the first thing that is wrong with a compacted conversation; ("", "") where nothing is."""
    if after == messages:
        return "nothing was compacted", "When to compact is the caller's business; called, the layer does its work."
    if not summarize.calls:
        return "no summary was asked for", "summarize(messages) asks the model, and gives its text."
    if messages not in archive.saved.values():
        return ("the transcript is not the conversation" if archive.saved else "no transcript was saved",
                "archive.save_transcript(messages) writes every message to disk and gives the path. What leaves the "
                "context must be there to be read again.")
    head, kept, request = after[0] if after else {}, after[1:], newest_request(messages)
    said = [str(block.get("text", "")) for block in blocks(head)] or [""]
    if head.get("role") != "user" or not said[0].startswith(blocks(expected[0])[0]["text"]):
        return ("the first message reads differently", "To the letter: the header with the path, a blank line, and the "
                "summary, in a user message.")
    still_there = [block for message in kept for block in blocks(message)]
    if any(found.block not in still_there for found in unseen_results(messages)):
        return ("results are gone that the model has not seen",
                "It asked for them in its last message. That message and the results behind it stay as they are.")
    if found := problems(after):
        return "a pair was split", f"The API would answer: {found[0]}"
    if newest_request(after) != request:
        buried = request in "\n".join(said) and not newest_request(kept)
        return ("the request is there, but not in a block of its own" if buried else "the user's request is lost",
                "The model goes on with the words of the user, not with what a summary makes of them. The second block "
                f"of the first message holds them, under \"{CARRIED_REQUEST}\".")
    if len(kept) > len(expected) - 1 or kept != messages[len(messages) - len(kept):]:
        return ("more stays than must", "Only results that the model has not seen stay, with the message that called "
                "for them. All else is in the summary and in the transcript.")
    return "", ""


auto_compact = FunctionExercise(
    name="auto_compact",
    right="Transcript, summary, request and unseen results are where they belong, and a failure costs nothing.",
    hints=(
        "First to disk, then to the model: path = archive.save_transcript(messages), summary = summarize(messages). "
        "What should happen where the summary is empty, or where summarize raises?",
        "One user message with two text blocks takes the place of all: the header with the path, a blank line and the "
        "summary; and behind it, in a block of its own, \"Current user request:\", a new line and the request "
        "(newest_request(messages) finds it).",
        "unseen_results(messages) are the results after the last assistant message. Where there are any, keep that "
        "message and everything behind it: only what stands before goes. Where a request stands among what you keep, "
        "it needs no second block.",
    ),
    solution="03_auto_compact.py",
    cases=_cases,
    judge=_judge,
    show=_show,
    probe=(list(PROBE), Summarizer(), Shelf()),
)
