"""Reading the answer to the nine-section prompt: sections as values, the analysis thrown away.

The answer may quote anything: tags, headings, instructions. Nothing in it is obeyed, and each character is looked at a
bounded number of times. Left out: whether it is true (`checking`).
"""

import re
from dataclasses import dataclass

from learn_compact.errors import SummaryError
from learn_compact.summaries.prompts import NINE_SECTIONS

OPTIONAL = NINE_SECTIONS[-1:]

_TAG = re.compile(r"<(/?)(analysis|summary)[ \t]{0,9}>", re.IGNORECASE)
_NUMBER = re.compile(r"([1-9])[.)\N{IDEOGRAPHIC COMMA}\N{FULLWIDTH FULL STOP}][ \t]{0,9}")
_TITLES = {title.lower(): title for title in NINE_SECTIONS}
_BY_LENGTH = sorted(_TITLES, key=len, reverse=True)
_FENCE = re.compile(r"[ \t]{0,9}(`{3,}|~{3,})|.*: (<{3,})\Z")


@dataclass(frozen=True)
class Summary:
    """A summary by sections: `sections` maps titles of NINE_SECTIONS to text; `str(summary)` is what a context gets.

    `missing` are the titles that aren't there, in order. The rendering never holds an analysis.

    >>> print(Summary({"Pending tasks": "- the report"}))
    7. Pending tasks:
    - the report
    """

    sections: dict

    @property
    def missing(self):
        return tuple(title for title in NINE_SECTIONS if title not in self.sections)

    def __getitem__(self, title):
        return self.sections[title]

    def __str__(self):
        return "\n\n".join(f"{n}. {title}:\n{self.sections[title]}"
                           for n, title in enumerate(NINE_SECTIONS, 1) if title in self.sections)


def parse_summary(text):
    """The `Summary` in a model's answer.

    Code fences around it, stray tags, sections in another order, a missing `</summary>` and an analysis that never
    ends are survived; of several summaries the last complete one counts; sections without the known titles are taken
    by their numbers, where all nine stand in order. One section is enough here: `missing` names the others, and whoever
    needs them refuses (`ModelSummarizer` does). What `str(summary)` wrote is read back. Raises SummaryError where there
    is no `<summary>`, none of the nine sections in it, or no text at all.

    >>> parse_summary("<analysis>Hm.</analysis><summary>\\n8. Current work: the parser</summary>")["Current work"]
    'the parser'
    """
    if not isinstance(text, str):
        raise SummaryError(f"No summary: an answer is text, and this is {type(text).__name__}. Give what "
                           "`read_summary` makes of a response.")
    bodies = _bodies(text)
    if not bodies:
        if text and text == str(rendered := parse_rendered(text)):
            return rendered
        raise SummaryError("No summary: the answer has no <summary>. The conversation stays as it was.")
    found = [Summary(_sections(body)) for body in bodies]
    whole = Summary(_sections("\n".join(bodies))) if len(bodies) > 1 else found[0]
    summary = next((one for one in reversed(found) if not one.missing), whole)
    if not summary.sections:
        raise SummaryError("No summary: what stands in <summary> has none of the nine sections. The conversation stays "
                           "as it was.")
    return summary


def parse_rendered(text):
    """The `Summary` in a text that `str(summary)` wrote; one without sections where the text is another."""
    return Summary(_sections(text))


def _bodies(text):
    """What stands in each `<summary>`: from its tag to the last `</summary>` before the next, or to the end."""
    tags = list(_TAG.finditer(text))
    start = _behind_analysis(tags)
    own = [tag for tag in tags if tag[2].lower() == "summary" and tag.start() >= start]
    bodies, begin, end = [], None, None
    for tag in own:
        if tag[1]:
            end = tag.start()  # a later one counts: the earlier was quoted
            continue
        if begin is not None:
            bodies.append(text[begin:tag.start() if end is None else end])
        begin, end = tag.end(), None
    return bodies if begin is None else [*bodies, text[begin:end]]


def _behind_analysis(tags):
    """Where an analysis in front of the summary ends: what it says about tags is not the summary."""
    kinds = [(tag[1] + tag[2].lower(), tag) for tag in tags]
    if not kinds or kinds[0][0] != "analysis":
        return 0
    return next((tag.end() for kind, tag in kinds if kind == "/analysis"), kinds[0][1].end())


def _sections(body):
    lines, found = body.split("\n"), {}
    for title, inside in _split(lines, _titled):
        found.setdefault(title, []).extend(inside)
    return {title: "\n".join(inside).strip("\n").rstrip() or "none"
            for title, inside in (found or _in_order(_split(lines, _numbered))).items()}


def _split(lines, heading):
    """[heading, the lines under it] for each of them; `heading(line)` gives it and the rest of its line, or None."""
    found, closing, end = [], _closings(lines), -1
    for i, line in enumerate(lines):
        if i > end and (known := heading(line)):
            found.append((known[0], []))
            line = known[1]
        elif i > end and i in closing:
            end = closing[i]  # what is fenced is quoted: no heading of ours
        if found:
            found[-1][1].append(line)
    return found


def _closings(lines):
    """Where each fence that is closed again ends: {line of the opening: line of the closing}."""
    ends, last = {}, {}
    for i in range(len(lines) - 1, -1, -1):
        if match := _FENCE.match(lines[i]):
            fence = match[1] or match[2].replace("<", ">")
            if fence in last:
                ends[i] = last[fence]
        last[lines[i].strip()] = i
    return ends


def _titled(line):
    """A line with one of the nine titles: numbered, in bold, with #, or alone."""
    if not line:
        return None
    bare, dressed = _undressed(line)
    title = next((one for one in _BY_LENGTH if bare[:len(one)].lower() == one), None)
    if title is None:
        return None
    rest = bare[len(title):].lstrip("*_ \t")
    if rest and not (dressed and rest.startswith((":", "-", "\N{EN DASH}", "\N{EM DASH}", "("))) and rest != ":":
        return None
    return _TITLES[title], rest.lstrip(":").lstrip("* \t")


def _numbered(line):
    """A line that can head a section by its number: not indented, and in bold, with #, or ending in a colon."""
    match = _NUMBER.match(line.lstrip("#* ") if line.startswith(("#", "**")) else line)
    if not match or not (line.startswith(("#", "**")) or line.rstrip().endswith((":", "\N{FULLWIDTH COLON}"))):
        return None
    return int(match[1]), ""


def _in_order(numbered):
    """The sections by their numbers; {} where these are not 1 to 9, each once: one of them may be of a list inside."""
    if [number for number, _ in numbered] != list(range(1, len(NINE_SECTIONS) + 1)):
        return {}
    return dict(zip(NINE_SECTIONS, (inside for _, inside in numbered), strict=True))


def _undressed(line):
    """A line without number, # and bold in front; and whether it had any of them."""
    bare = line.strip()
    if bare.startswith("#") or bare.startswith("**"):
        bare = bare.lstrip("#* \t")
    match = _NUMBER.match(bare)
    bare = bare[match.end():] if match else bare
    bare = bare.lstrip("*_ \t")
    return bare, bare != line.strip()
