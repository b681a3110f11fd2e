"""Exercise of chapter 5: snip_compact(messages, archive, max_messages, keep_first, keep_last), and no pair split."""

from learn_compact.check.exercise import PROBE, FunctionExercise
from learn_compact.check.lines import conversation_lines
from learn_compact.check.stand_ins import Shelf
from learn_compact.check.wrong import Wrong, compared, need_messages
from learn_compact.messages import blocks, problems, safe_cuts

# max_messages, keep_first, keep_last: 50, 3 and 47 in s08; smaller here, so that a conversation fits on the screen.
LIMITS = ((4, 1, 2), (5, 2, 3), (6, 2, 3), (3, 0, 2))


def _cases():
    from hypothesis import strategies as st  # late: hypothesis takes a moment to load

    from learn_compact.check.strategies import conversations

    # The last message is a request: where a request in the middle goes is not asked here.
    return [st.tuples(conversations(max_turns=8, kinds=kinds).map(_with_request), st.sampled_from(LIMITS))
            for kinds in ((), {"tools"})]


def _with_request(messages):
    return [*messages, {"role": "user", "content": "Go on."}]


def _show(case):
    messages, (most, first, last) = case
    return [*conversation_lines(messages), f"    max_messages {most}, keep_first {first}, keep_last {last}"]


def _judge(answer, case):
    messages, (most, first, last) = case
    archive = Shelf()
    after = answer(messages, archive, most, first, last)
    need_messages(after)
    if len(messages) <= most:
        if after != messages:
            raise Wrong("it snipped where nothing had to go", f"{len(messages)} messages are not more than {most}: "
                        "up to max_messages, everything stays as it is.", compared(after, messages))
        return
    start, end = _middle(messages, first, last)
    if after == messages and (end <= start or _is_no_gain(messages[start:end])):
        return
    path, saved = next(iter(archive.saved.items()), (".transcripts/transcript_1.jsonl", None))
    expected = messages
    if start < end:
        marker = {"role": "user", "content": f"[{end - start} messages archived at {path}]"}
        expected = [*messages[:start], marker, *messages[end:]]
    if _plain(after) == _plain(expected) and (saved == messages[start:end] or expected is messages):
        return
    cause, why = _cause(messages, after, expected, saved, first, last)
    if _plain(after) == _plain(expected):
        raise Wrong(cause, why, [("Archived", conversation_lines(saved or []))])
    raise Wrong(cause, why, compared(after, expected))


def _middle(messages, first, last):
    """Where the middle begins and ends: at the cuts nearest to what is asked, never taking more."""
    cuts = [0, *safe_cuts(messages), len(messages)]
    return min(cut for cut in cuts if cut >= first), max(cut for cut in cuts if cut <= len(messages) - last)


def _is_no_gain(middle):
    """Whether a marker would be as large as what it stands for: then it may as well stay."""
    return len(str(middle)) <= 100


def _plain(messages):
    return [(message.get("role"), blocks(message)) for message in messages]


def _cause(messages, after, expected, saved, first, last):
    """(cause, why) of the first thing that is wrong."""
    if after == messages:
        return "nothing was snipped", "Above max_messages, what lies between the first and the last is archived."
    if split := [found for found in problems(after) if found.kind in ("orphan", "unanswered")]:
        return ("a pair was split", f"The API would answer: {split[0]} A cut may stand only where no call waits for "
                "its result: safe_cuts(messages) gives every such place.")
    if after[:first] != messages[:first]:
        return ("messages at the beginning are gone", f"The first {first} stay: the beginning holds the task.")
    if after[len(after) - last:] != messages[len(messages) - last:]:
        return ("messages at the end are gone", f"The last {last} stay: the end holds the work in progress. Where a "
                "cut would part a pair, more is kept, not less.")
    marked = [message for message in after if message not in messages]
    if not marked:
        return ("nothing says where the middle is", "A user message, [N messages archived at PATH], takes its place.")
    if saved is None:
        return "the middle is gone for good", "archive.save_transcript(middle) writes it to disk and gives the path."
    if len(after) != len(expected):
        return ("more was kept than the pairs ask for" if len(after) > len(expected) else "more was cut than asked",
                "Cut at the safe cuts nearest to keep_first and keep_last, on the side that keeps more.")
    if saved != [message for message in messages if message not in after]:
        return "what was archived is not what was cut", "The file must hold the middle: all of it, and nothing else."
    return "the marker reads differently", "To the letter: [N messages archived at PATH], in a user message."


snip_compact = FunctionExercise(
    name="snip_compact",
    right="The middle is in the archive, both ends are there, and no pair was split.",
    hints=(
        "Up to max_messages nothing happens. Above: a head, messages[:start], a tail, messages[end:], and between them "
        "one user message that says how many went, and where to.",
        "start and end may not be just any number: a call and its result must stay on one side. Of "
        "[0, *safe_cuts(messages), len(messages)], which is the smallest that keeps the first keep_first, and which "
        "the largest that keeps the last keep_last?",
        "Where end <= start there is no middle: return messages. Else path = archive.save_transcript(messages[start:"
        "end]), and the marker's content is f\"[{end - start} messages archived at {path}]\".",
    ),
    solution="05_snip_compact.py",
    cases=_cases,
    judge=_judge,
    show=_show,
    probe=(list(PROBE), Shelf(), 3, 0, 1),
)
