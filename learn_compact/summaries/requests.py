"""What the user said, carried from summary to summary: copied by a program, never put in other words by a model.

A summary of a summary of a summary erodes. So the section with the user's messages is not left to the model: whatever
it wrote there, the messages themselves take its place, and those that an earlier summary carried come first.
"""

import re

from learn_compact.messages import blocks, carried_request, newest_request
from learn_compact.summaries.parse import Summary, parse_rendered
from learn_compact.summaries.prompts import NINE_SECTIONS

MAX_REQUEST_CHARS = 8_000   # of one message of the user
MAX_REQUESTS_CHARS = 40_000  # of all of them

REQUESTS = NINE_SECTIONS[5]
_REQUEST, _RULE = "User request", "Rule"
_ITEM = re.compile(rf"- ({_REQUEST}|{_RULE}): (.*)")
_FENCE = re.compile(r"<{3,}\Z")
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+|\n")
_PROHIBITED = re.compile(
    r"\b(?:never|do not|don['\u2019]t|must not|mustn['\u2019]t|may not|skip|leave out|leaving out|except|excluding"
    r"|without|avoid|ignore|disregard|pass over|steer clear|apart from|no longer|only|hands off|stay away|cannot"
    r"|can['\u2019]t|under no circumstances|refrain|off[- ]limits|forbidden|prohibited|not allowed|untouched|nothing"
    r"|no (?:new|more|other|further|changes?|edits?|commits?)|leave(?: \S+){1,4} (?:alone|as (?:it is|they are)))\b",
    re.IGNORECASE)


def prohibitions(text):
    """The sentences of a text that forbid something or leave something out.

    >>> prohibitions("Count the functions. Skip files named test_*.")
    ['Skip files named test_*.']
    """
    sentences = (sentence.strip() for sentence in _SENTENCE_END.split(text))
    return [sentence for sentence in sentences if _PROHIBITED.search(sentence)]


def all_requests(messages, archive=None):
    """Everything the user has said, word for word and in order; first what an earlier summary of ours carries.

    A result of a tool is no request, whatever stands in it. What was said twice counts where it was said last.

    >>> all_requests([{"role": "user", "content": "Count the functions."}, {"role": "assistant", "content": "4"}])
    ['Count the functions.']
    """
    found = {}
    for message in messages:
        if message.get("role") != "user":
            continue
        told = [] if carried_request(message, archive) is None else _told(message)
        for request in (*told, newest_request([message], archive)):
            if request:
                found.pop(request, None)
                found[request] = None
    return list(found)


def with_requests(summary, messages, archive=None):
    """The summary with what the user said in `messages` as its sixth section, word for word.

    A message of more than MAX_REQUEST_CHARS characters loses its middle, and where all together have more than
    MAX_REQUESTS_CHARS the oldest but the first are left out; either is said, and the prohibitions in them stay.

    >>> said = [{"role": "user", "content": "Count the functions."}]
    >>> with_requests(Summary({"All user messages": "The user wants a number."}), said)["All user messages"]
    '- User request: Count the functions.'
    """
    requests = all_requests(messages, archive)
    rules = _rules_told(messages, archive)
    if not requests:
        return summary
    shown = {request: _shortened(request) for request in requests}
    room = MAX_REQUESTS_CHARS - len(shown[requests[0]])
    kept = 0
    while kept < len(requests) - 1 and (room := room - len(shown[requests[-1 - kept]])) >= 0:
        kept += 1
    chosen = [requests[0], *requests[len(requests) - kept:]] if kept else requests[:1]
    whole = {request for request in chosen if shown[request] == request}
    cut = [request for request in requests if request not in whole]
    rules += [rule for request in cut for rule in prohibitions(request) if len(rule) <= MAX_REQUEST_CHARS]
    lines = [_item(_RULE, rule) for rule in dict.fromkeys(rules)]
    lines += [_item(_REQUEST, shown[request]) for request in chosen]
    if len(chosen) < len(requests):
        lines.insert(len(lines) - kept, f"[{len(requests) - len(chosen)} earlier messages are left out here]")
    return Summary({title: "\n".join(lines) if title == REQUESTS else summary.sections[title]
                    for title in NINE_SECTIONS if title in summary.sections or title == REQUESTS})


def _told(message):
    return [value for name, value in _items(message) if name == _REQUEST]


def _rules_told(messages, archive):
    """The prohibitions that an earlier summary carries apart from the messages they stood in."""
    return [value for message in messages if carried_request(message, archive) is not None
            for name, value in _items(message) if name == _RULE]


def _items(message):
    """(name, value) of every item in the section of a summary that holds the user's messages."""
    texts = [block["text"] for block in blocks(message) if block.get("type") == "text"]
    lines = parse_rendered(texts[0]).sections.get(REQUESTS, "").split("\n") if texts else []
    found, i = [], 0
    while i < len(lines):
        match, i = _ITEM.fullmatch(lines[i]), i + 1
        if not match:
            continue
        name, value = match.groups()
        if _FENCE.match(value) and value.replace("<", ">") in lines[i:]:
            end = lines.index(value.replace("<", ">"), i)
            value, i = "\n".join(lines[i:end]), end + 1
        found.append((name, value))
    return found


def _item(name, value):
    """A line with a name; a value that one line can't hold stands between `<<<` and `>>>`."""
    if "\n" not in value and not _FENCE.match(value):
        return f"- {name}: {value}"
    fence = "<<<"
    while fence.replace("<", ">") in value.split("\n"):
        fence += "<"
    return f"- {name}: {fence}\n{value}\n{fence.replace('<', '>')}"


def _shortened(text):
    if len(text) <= MAX_REQUEST_CHARS:
        return text
    half = MAX_REQUEST_CHARS // 2
    return f"{text[:half]}[{len(text) - 2 * half} characters left out here]{text[-half:]}"
