"""Summaries by extraction: what a conversation says, sorted by what must not be lost, as far as there is room.

Nothing is put in other words: every line is a label and a piece of the conversation as it stands, so nothing can be
invented. The lines are those of `lines`, which the stand-in reads again. Only notes tell what was in a file: what was
seen and never noted goes. Left out: any understanding of what was said beyond that.
"""

import re
from typing import NamedTuple

from learn_compact.offline.standin import lines, wording
from learn_compact.offline.standin import vocabulary as v
from learn_compact.offline.standin.asked import NINE
from learn_compact.offline.standin.lines import NINE_SECTIONS, THREE_POINTS
from learn_compact.offline.standin.reading import read
from learn_compact.offline.standin.understanding import current_wish
from learn_compact.offline.standin.vocabulary import says
from learn_compact.offline.standin.working import pending
from learn_compact.tokens import count_block, count_text

MAX_LINE_CHARS = 300  # of what was said, of an error, of a quotation
MAX_QUOTATIONS = 12   # lines of results about what is in focus
MIN_LINE_TOKENS = 5   # less has no line, label and all
MAX_CHARS_A_TOKEN = 8  # no text of a user has more, so what is longer need not be counted

INTENT, CONCEPTS, FILES, ERRORS, SOLVING, REQUESTS, PENDING, WORK, NEXT = NINE_SECTIONS
_POINT_OF = {INTENT: 2, CONCEPTS: 1, FILES: 0, ERRORS: 0, SOLVING: 2, REQUESTS: 0, PENDING: 1, WORK: 1, NEXT: 1}
# How much a line matters: the first is dropped last.
NEWEST, ASKED, IN_FOCUS, NOTED, STATE, DECIDED, LISTED, MENDED, TOUCHED, SAID = range(10)

_ANALYSIS = ("<analysis>\nFirst what the user asked for, word for word; then what was noted, what failed and what is "
             "pending; then the rest, as far as there is room.\n</analysis>")


class Item(NamedTuple):
    """A line of a summary, the section it belongs to, and how much it matters."""

    rank: int
    section: str
    text: str


def summary(asked, max_tokens):
    """The summary that was asked for, in at most `max_tokens` tokens of the reference counter."""
    found = list(dict.fromkeys(_items(read(asked.messages), asked.focus)))
    render = _as_nine if asked.form == NINE else _as_three
    kept = _that_fit(found, max_tokens - _tokens(render([])))
    while kept and _tokens(render(list(kept.values()))) > max_tokens:
        kept.popitem()
    return render([kept[i] for i in sorted(kept)])


def _items(facts, focus):
    """Everything worth a line, each section in the order of the conversation."""
    about = _about(focus)
    for item in (*_requests(facts), *_files(facts), *_state(facts), *_told(facts), *_said(facts)):
        yield item._replace(rank=IN_FOCUS) if item.rank > IN_FOCUS and about(item.text) else item
    for line in [line for text in facts.results for line in text.split("\n") if about(line)][:MAX_QUOTATIONS]:
        yield Item(IN_FOCUS, FILES, f"> {line.strip()[:MAX_LINE_CHARS]}")


def _requests(facts):
    for request in facts.requests:
        rank = NEWEST if request is facts.requests[-1] else ASKED
        yield Item(rank, REQUESTS, lines.item(lines.REQUEST, request))
        for sentence in re.split(r"(?<=[.;!?])\s+|\n", request):
            if says(sentence, v.PROHIBITED):
                yield Item(DECIDED, INTENT, lines.item(lines.RULE, sentence.strip()))
    for request in facts.requests[-1:]:
        yield Item(SAID, INTENT, lines.item(lines.REQUEST, request))


def _files(facts):
    for listing, paths in facts.listings.items():
        yield Item(LISTED, FILES, f"- {lines.listing(listing, paths)}")
    for path, file in facts.files.items():
        for note in file.notes:
            yield Item(NOTED, FILES, lines.item(path, note))
        if path in facts.changed and not file.remarks:
            yield Item(DECIDED, FILES, lines.item(path, facts.changed[path]))
        elif file.was_read and not file.notes:
            yield Item(TOUCHED, FILES, lines.item(path, lines.NOT_NOTED))


def _state(facts):
    for file in facts.files.values():
        file.forget_sight()  # what is only in sight will be gone
    missing = pending(current_wish(facts.requests), facts)
    if missing:
        yield Item(STATE, PENDING, lines.item(lines.PENDING, ", ".join(missing)))
        yield Item(STATE, NEXT, lines.item(lines.NEXT, missing[0]))
    if step := facts.step or [said[:MAX_LINE_CHARS] for said in (facts.answers or facts.said)[-1:]]:
        yield Item(STATE, WORK, lines.item(lines.STEP, ", ".join(step)))
    for failure in facts.failures:
        text = f"{failure.call}: {failure.text[:MAX_LINE_CHARS]}".split("\n")[0]
        followed = f"; then: {failure.followed[:MAX_LINE_CHARS]}" if failure.followed else ""
        yield Item(MENDED if followed else STATE, ERRORS, lines.item(lines.ERROR, text + followed))


def _told(facts):
    """What an earlier summary says; where its work stood then counts only if nothing was done since."""
    sections = {lines.RULE: INTENT, lines.DECISION: SOLVING, lines.ERROR: ERRORS, lines.ANSWER: SOLVING,
                lines.SAID: SOLVING}
    if not facts.step:
        sections |= {lines.PENDING: PENDING, lines.STEP: WORK, lines.NEXT: NEXT}
    for line in facts.labelled:
        if line.kind in sections:
            rank = SAID if line.kind == lines.SAID else DECIDED
            yield Item(rank, sections[line.kind], lines.item(line.kind, line.value))


def _said(facts):
    for said in (*facts.told, *facts.said):
        if not wording.is_progress(said):
            rank, label = (DECIDED, lines.DECISION) if says(said, v.DECIDED) else (SAID, lines.SAID)
            yield Item(rank, SOLVING, lines.item(label, said[:MAX_LINE_CHARS]))
    for answer in facts.answers:
        if not wording.is_progress(answer):
            yield Item(DECIDED, SOLVING, lines.item(lines.ANSWER, answer[:MAX_LINE_CHARS]))
    if facts.tools:
        yield Item(TOUCHED, CONCEPTS, lines.item(lines.TOOLS, ", ".join(facts.tools)))


def _about(focus):
    """A test whether a line is about the focus: whether one of its longer words or names stands in it."""
    words = [word for word in re.findall(r"[\w./-]+", focus.lower()) if len(word) > 4 or re.search(r"[./_\d]", word)]
    return lambda line: any(word in line.lower() for word in words)


def _that_fit(items, room):
    """The items for which there is room, by their places, in the order in which they matter; of what was only said,
    the newest first. What the user asked is shortened rather than left out."""
    kept = {}
    for i, item in sorted(enumerate(items), key=lambda pair: (pair[1].rank, -pair[0] * (pair[1].rank == SAID))):
        if room < MIN_LINE_TOKENS:
            break
        if item.rank <= ASKED:
            item = item._replace(text=_shortened(item.text, room))
        size = count_text(item.text) + 1
        if size <= room:
            kept[i], room = item, room - size
    return kept


def _shortened(text, max_tokens):
    """The text, or where it is too long its beginning and its end."""
    length = min(len(text), max_tokens * MAX_CHARS_A_TOKEN)
    short = text if length == len(text) else f"{text[:length // 2]}[…]{text[-length // 2:]}"
    while count_text(short) >= max_tokens and length > 2 * len("[…]"):
        length = length * 3 // 4
        short = f"{text[:length // 2]}[…]{text[-length // 2:]}"
    return short


def _as_nine(items):
    text = [_ANALYSIS, "", "<summary>"]
    for number, title in enumerate(NINE_SECTIONS, 1):
        inside = [item.text for item in items if item.section == title]
        text += [f"{number}. {title}:", *(inside or [f"- {lines.NOTHING}"]), ""]
    return "\n".join([*text[:-1], "</summary>"])


def _as_three(items):
    text, points = [], {item.text: _POINT_OF[item.section] for item in reversed(items)}  # each text stands once
    for number, title in enumerate(THREE_POINTS):
        inside = [line for line in reversed(points) if points[line] == number]
        text += [f"{number + 1}) {title}", *(inside or [f"- {lines.NOTHING}"]), ""]
    return "\n".join(text[:-1])


def _tokens(text):
    return count_block({"type": "text", "text": text})
