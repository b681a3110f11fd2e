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

MAX_LINE_CHARS = 300     # of what was said, of an error, of a quotation
MAX_QUOTATIONS = 12      # lines of results about what is in focus

INTENT, CONCEPTS, FILES, ERRORS, SOLVING, REQUESTS, PENDING, WORK, NEXT = NINE_SECTIONS
_POINT_OF = {INTENT: 2, CONCEPTS: 1, FILES: 0, ERRORS: 0, SOLVING: 2, REQUESTS: 0, PENDING: 1, WORK: 1, NEXT: 1}
_ANALYSIS = ("<analysis>\nFirst what the user asked for, word for word; then what was noted, what failed and what is "
             "pending; then the rest, as far as there is room.\n</analysis>")


class Item(NamedTuple):
    """A line of a summary, its section, and its rank: what is low is dropped last."""

    rank: int
    section: str
    text: str


def summary(asked, max_tokens):
    """The summary that was asked for, in at most `max_tokens` tokens of the reference counter."""
    facts = read(asked.messages)
    found = list(dict.fromkeys(_items(facts, asked.focus)))
    render = _as_nine if asked.form == NINE else _as_three
    kept = _that_fit(sorted(found, key=lambda item: item.rank), max_tokens - _tokens(render([])))
    while kept and _tokens(render(kept)) > max_tokens:
        kept.pop()
    return render([item for item in found if item in kept])


def _items(facts, focus):
    """Everything worth a line, section by section in the order of the conversation."""
    about = _about(focus)
    for item in [*_requests(facts), *_work(facts), *_files(facts), *_told(facts), *_rest(facts)]:
        yield item._replace(rank=2) if item.rank > 2 and about(item.text) else item
    for quotation in [line for text in facts.results for line in text.split("\n") if about(line)][:MAX_QUOTATIONS]:
        yield Item(2, FILES, f"> {quotation.strip()[:MAX_LINE_CHARS]}")


def _requests(facts):
    texts = [request.text for request in facts.requests]
    for i, text in enumerate(texts):
        yield Item(0 if i == len(texts) - 1 else 1, REQUESTS, lines.item(lines.REQUEST, text))
    if texts:
        yield Item(9, INTENT, lines.item(lines.REQUEST, texts[-1]))
    for text in texts:
        for sentence in re.split(r"(?<=[.;!?])\s+|\n", text):
            if says(sentence, v.PROHIBITED):
                yield Item(5, INTENT, lines.item(lines.RULE, sentence.strip()))


def _work(facts):
    for file in facts.files.values():
        file.forget_sight()
    missing = pending(current_wish([request.text for request in facts.requests]), facts)
    if missing:
        yield Item(4, PENDING, lines.item(lines.PENDING, ", ".join(missing)))
        yield Item(4, NEXT, lines.item(lines.NEXT, missing[0]))
    if step := facts.step or (facts.answers or facts.said)[-1:]:
        yield Item(4, WORK, lines.item(lines.STEP, ", ".join(step)))


def _files(facts):
    for listing, paths in facts.listings.items():
        yield Item(6, FILES, f"- {lines.listing(listing, paths)}")
    for path, file in facts.files.items():
        for note in file.notes:
            yield Item(3, FILES, lines.item(path, note))
        if path in facts.changed and not file.remarks:
            yield Item(5, FILES, lines.item(path, facts.changed[path]))
        elif file.was_read and not file.notes:
            yield Item(8, FILES, lines.item(path, lines.NOT_NOTED))


def _told(facts):
    """What the lines of an earlier summary say: the work goes on, so its state counts only if nothing came after."""
    sections = {lines.RULE: INTENT, lines.DECISION: SOLVING, lines.ERROR: ERRORS, lines.SAID: SOLVING,
                lines.ANSWER: SOLVING}
    if not facts.step:
        sections |= {lines.PENDING: PENDING, lines.STEP: WORK, lines.NEXT: NEXT}
    for line in facts.labelled:
        if line.kind in sections:
            yield Item(9 if line.kind == lines.SAID else 5, sections[line.kind], lines.item(line.kind, line.value))


def _rest(facts):
    for failure in facts.failures:
        text = f"{failure.call}: {failure.text.strip().split(chr(10))[0][:MAX_LINE_CHARS]}"
        followed = f"; then: {failure.followed[:MAX_LINE_CHARS]}" if failure.followed else ""
        yield Item(7 if followed else 4, ERRORS, lines.item(lines.ERROR, text + followed))
    if facts.tools:
        yield Item(8, CONCEPTS, lines.item(lines.TOOLS, ", ".join(facts.tools)))
    for answer in facts.answers[::-1]:
        yield Item(5, SOLVING, lines.item(lines.ANSWER, answer[:MAX_LINE_CHARS]))
    for said in [*facts.told, *facts.said][::-1]:
        if not wording.is_progress(said):
            label, rank = (lines.DECISION, 5) if says(said, v.DECIDED) else (lines.SAID, 9)
            yield Item(rank, SOLVING, lines.item(label, said[:MAX_LINE_CHARS]))


def _about(focus):
    """A test whether a line is about the focus: whether it has one of its longer words, or a name in it."""
    words = [word for word in re.findall(r"[\w./-]+", focus.lower()) if len(word) > 4 or re.search(r"[./_\d]", word)]
    return lambda line: any(word in line.lower() for word in words)


def _that_fit(ranked, room):
    """The items that fit, the first that doesn't shortened in its middle if it is the user's, and nothing after it."""
    kept = []
    for item in ranked:
        room -= count_text(item.text) + 1
        if room < 0:
            break
        kept.append(item)
    return kept


def _as_nine(items):
    text = [_ANALYSIS, "", "<summary>"]
    for number, title in enumerate(NINE_SECTIONS, 1):
        text += [f"{number}. {title}:", *([item.text for item in items if item.section == title] or ["- none"]), ""]
    return "\n".join([*text[:-1], "</summary>"])


def _as_three(items):
    text, points = [], {item.text: _POINT_OF[item.section] for item in reversed(items)}  # a text stands once
    for number, title in enumerate(THREE_POINTS, 1):
        inside = [text for text in reversed(points) if points[text] == number - 1]
        text += [f"{number}) {title}", *(inside or [f"- {lines.NOTHING}"]), ""]
    return "\n".join(text[:-1])


def _tokens(text):
    return count_block({"type": "text", "text": text})
