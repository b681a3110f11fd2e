from learn_compact import NINE_SECTIONS, check
from learn_compact.errors import SummaryError


def my_parse_summary(text):
    _, tag, body = text.rpartition("<summary>")
    if not tag:
        raise SummaryError("No summary: the answer has no <summary>.")
    sections = {}
    for line in body.partition("</summary>")[0].split("\n"):
        title = line.partition(". ")[2].rstrip(":")
        if title in NINE_SECTIONS:
            sections[title] = []
        elif sections:
            sections[list(sections)[-1]].append(line)
    return {title: "\n".join(lines).strip() for title, lines in sections.items()}


check.parse_summary(my_parse_summary)
