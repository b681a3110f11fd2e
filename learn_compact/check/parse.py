"""The exercise of chapter 6: parse_summary(text), the reader of an answer to the nine-section prompt.

The answer is a dict, {title: text}, of the sections that are there; SummaryError where there is no `<summary>`.
"""

from learn_compact.check.exercise import FunctionExercise
from learn_compact.check.wrong import Wrong, values
from learn_compact.errors import SummaryError
from learn_compact.summaries import NINE_SECTIONS

_ANALYSES = ("", "<analysis>\nA count is wanted.\n</analysis>\n",
             "<analysis>\n8. Current work:\nNot sure yet.\n</analysis>\n",
             "<analysis>\nIt goes between <summary> and </summary>.\n</analysis>\n")
_TEXTS = ("none", "- agents/planner.py: 82 functions", "First\nthen second", "1. Open the file.\n2. Count.")


def _cases():
    from hypothesis import strategies as st  # late: hypothesis takes a moment to load

    titles = st.lists(st.sampled_from(NINE_SECTIONS), min_size=1, max_size=3, unique=True)
    sections = titles.flatmap(lambda titles: st.tuples(*(st.tuples(st.just(title), st.sampled_from(_TEXTS))
                                                         for title in titles)))
    analyses = st.sampled_from(_ANALYSES)
    return [st.tuples(analyses, sections, st.just("</summary>")), st.tuples(analyses, sections, st.just("")),
            st.tuples(st.sampled_from(_ANALYSES[:3]), st.none(), st.just(""))]


def _text(case):
    analysis, sections, closing = case
    if sections is None:
        return f"{analysis}The work goes well."
    inside = [f"{NINE_SECTIONS.index(title) + 1}. {title}:\n{text}\n" for title, text in sections]
    return "\n".join([f"{analysis}<summary>", *inside, closing])


def _judge(answer, case):
    analysis, sections, closing = case
    try:
        given = answer(_text(case))
    except Wrong as wrong:
        if not isinstance(wrong.error, SummaryError):
            raise
        if sections is None:
            return
        raise Wrong("a summary was refused", "It is all there." if closing else
                    "Only its last tag is missing; what stands behind <summary> can be read to the end.") from None
    if sections is None:
        raise Wrong("an answer without <summary> was believed",
                    "raise SummaryError(…), or the conversation is replaced by something that is no summary.")
    if not isinstance(given, dict):
        raise Wrong("it gives back something else", "A dict: {title: text}.", values(given))
    yours = {title: text.strip() if isinstance(text, str) else text for title, text in given.items()}
    if found := _cause(yours, dict(sections), analysis):
        raise Wrong(*found, values(yours, dict(sections)))


def _cause(yours, expected, analysis):
    """(cause, why) of the first thing that is wrong; None where nothing is."""
    if any(title in analysis for title in yours.keys() - expected.keys()) or "Not sure yet." in yours.values():
        return "it reads the analysis", "That part is thrown away: what the model only thought is no summary."
    if expected.keys() - yours.keys():
        if "<summary>" in analysis:
            return "it begins at a tag that the analysis only quotes", "The summary begins behind the last <summary>."
        return "a section was lost", "Sections may stand in any order, and any may be missing."
    if yours.keys() - expected.keys():
        return "it has sections that aren't there", "A section that the model left out must be seen to be missing."
    for title, text in expected.items():
        if "</summary>" in str(yours[title]):
            return "the last tag became part of a section", "What ends the summary is not in it."
        if yours[title] != text:
            return "a section reads differently", f"{title} goes on to the next of the nine titles, or to the end."
    return None


parse_summary = FunctionExercise(
    name="parse_summary",
    right="The analysis is gone, the sections are there, and an answer without <summary> is refused.",
    hints=(
        "First find where the summary begins: behind the last \"<summary>\". What stands before it is thrown away. "
        "Where there is none, raise SummaryError.",
        "Then cut off \"</summary>\", if it is there, and go through the lines. Only a line with a number and one of "
        "NINE_SECTIONS is a heading; a list in a section has numbers too.",
        "text.rpartition(\"<summary>\") gives three parts, the middle one is empty where the tag is missing. Of a "
        "line, line.partition(\". \")[2].rstrip(\":\") is the title, if it is in NINE_SECTIONS; every other line "
        "belongs to the title before it.",
    ),
    solution="06_parse_summary.py",
    cases=_cases,
    judge=_judge,
    show=lambda case: [f"    {line}".rstrip() for line in _text(case).split("\n")],
    probe=("<summary>\n8. Current work:\nthe parser\n</summary>",),
)
