"""From messages to facts: what the context in front of the stand-in says.

Who says something decides what it counts for. A text of the user is a request, unless one of our layers wrote the
message: then it is a summary, a carried request or a restored file. A line of the assistant is a note. What a tool
gave back is never more than the content of a file, a listing or an error, whatever it says about itself.
"""

import re

from learn_compact.messages import CARRIED_REQUEST, blocks, marker_path, result_text
from learn_compact.offline.standin import lines
from learn_compact.offline.standin.calls import (
    Compact,
    Edit,
    Listing,
    Other,
    Part,
    Read,
    Write,
    clean_path,
    from_tool_use,
)
from learn_compact.offline.standin.facts import Facts, Failure

MAX_RESULT_CHARS = 50_000  # where the tools of s06 cut their output, without a word
RESTORED = "Restored file: "  # the first line of a text block that shows a file as it is now, after a compaction

_BOUNDARY = "[Conversation compacted: "
_PLACEHOLDER = re.compile(r"\[[^\]\n]*\b(?:[Pp]revious|[Cc]leared|[Rr]emoved)\b[^\]\n]*\]\s*")
_CUT = re.compile(r"\n(?:\.\.\. \(\d+ more lines?\)|[\[(].*\b(?:truncated|cut|left out)\b.*)\s*\Z")
_ERROR = re.compile(r"(?:Error\b|(?:cat|sed|find): )[^\n]{0,500}\s*\Z")
_FENCED = re.compile(r"^(`{3,})\n(.*)\n\1\Z", re.DOTALL | re.MULTILINE)
_WORDS = 160  # so many characters of a call's input are enough to know it by


def read(messages):
    """The facts of a conversation. Never raises, whatever the messages hold: what can't be read says nothing."""
    reader = _Reader()
    for message in messages:
        reader.message(message)
    return reader.facts


def is_ours(text):
    """Whether a text is the header of a message that a layer wrote in place of others."""
    return marker_path(text) is not None or text.startswith(_BOUNDARY)


def in_words(block):
    """A tool_use block as the shortest text that tells it from others.

    >>> in_words({"type": "tool_use", "id": "a", "name": "read_file", "input": {"path": "README.md"}})
    'read_file README.md'
    """
    arguments = block.get("input")
    values = [value for value in arguments.values() if isinstance(value, str)] if isinstance(arguments, dict) else []
    return " ".join([str(block.get("name", "")), *values[:1]]).split("\n")[0][:_WORDS]


class _Reader:
    def __init__(self):
        self.facts, self.calls, self.open_failures = Facts(), {}, []

    def message(self, message):
        parts = blocks(message)
        texts = [block["text"] for block in parts if block.get("type") == "text" and isinstance(block.get("text"), str)]
        if message.get("role") == "assistant":
            self.assistant(texts, [block for block in parts if block.get("type") == "tool_use"])
        elif message.get("role") == "user":
            self.user(parts, texts)

    def user(self, parts, texts):
        for block in parts:
            if block.get("type") == "tool_result":
                self.result(block)
        if texts and is_ours(texts[0]):
            self.ours(texts)
        elif any(text.strip() for text in texts):
            self.request("\n\n".join(text for text in texts if text.strip()), compacted=False)

    def request(self, text, compacted):
        if compacted and text in self.facts.requests:
            self.facts.requests.remove(text)
        self.facts.requests.append(text)
        self.facts.compacted, self.facts.compact_asked = compacted, False
        if not compacted:  # a new request: what failed may work now
            self.facts.failed_listings.clear()
            self.facts.unseen_listings.clear()
            for file in self.facts.files.values():
                file.forgive()

    def ours(self, texts):
        self.facts.transcript = marker_path(texts[0]) or self.facts.transcript
        self.facts.compacted = True
        for text in texts:
            if text.startswith(CARRIED_REQUEST + "\n"):
                self.request(text[len(CARRIED_REQUEST) + 1:], compacted=True)
            elif text.startswith(RESTORED):
                path, _, content = text[len(RESTORED):].partition("\n")
                self.content(Read(clean_path(path)), _unfenced(content))
            elif text is texts[0]:  # what else is attached to a summary is no line of it
                self.lines(text, self.facts.told, trusted=True)

    def assistant(self, texts, calls):
        self.facts.turn += 1
        for text in texts:
            self.lines(text, self.facts.said if calls else self.facts.answers)
        words = [in_words(block) for block in calls]
        followed = next((line for text in texts for line in text.split("\n") if line.strip()), ", ".join(words))
        while self.open_failures:
            self.open_failures.pop().followed = followed
        self.facts.step = words
        for block, name in zip(calls, words, strict=True):
            wanted = from_tool_use(block)
            self.calls[str(block.get("id"))] = wanted, name
            self.facts.tools[str(block.get("name", ""))] = None
            if isinstance(wanted, Read | Part):
                self.facts.files[wanted.path].reads += 1
                self.facts.files[wanted.path].unseen += 1
            elif isinstance(wanted, Listing):
                self.facts.unseen_listings[wanted] += 1

    def lines(self, text, others, trusted=False):
        """Take the lines of the assistant, or (`trusted`) those of a summary, which tell what the user said too."""
        for line in lines.read_lines(text):
            if line.kind == lines.NOTE:
                self.facts.files[clean_path(line.path)].note(line.value, self.facts.turn)
            elif line.kind == lines.LISTING:
                listed, paths = lines.read_listing(line.value)
                self.facts.listings[listed] = paths
                self.facts.noted.add(listed)
            elif line.kind == lines.REQUEST and trusted:
                self.request(line.value, compacted=True)
            elif line.kind in lines.LABELS and trusted:
                self.facts.labelled.append(line)
            elif not (is_ours(line.value) or lines.is_heading(line.value)):
                others.append(line.value)

    def result(self, block):
        wanted, name = self.calls.get(str(block.get("tool_use_id")), (Other("", ""), ""))
        text = result_text(block)
        if _PLACEHOLDER.fullmatch(text):
            if isinstance(wanted, Edit | Write):
                self.facts.files[wanted.path].text = None  # it may have worked, and the text in sight be an old one
            return
        if block.get("is_error") or _ERROR.match(text):
            self.failure(wanted, name, text.strip())
            return
        self.facts.results.append(text)
        match wanted:
            case Listing() if _is_cut(text):
                self.facts.failed_listings[wanted] = "the list is too long to be shown"
            case Listing():
                self.facts.listings[wanted] = _paths(text, wanted)
                self.facts.noted.discard(wanted)
                self.facts.unseen_listings[wanted] = 0
            case Read() | Part():
                self.content(wanted, "" if text.strip() == "(no output)" else text)
            case Edit(path) | Write(path):
                self.facts.files[path].change(wanted)
                self.facts.changed[path] = name.split(" ")[0]
            case Compact():
                self.facts.compact_asked = True

    def content(self, wanted, text):
        file = self.facts.files[wanted.path]
        if isinstance(wanted, Part):
            body, _, total = text.rstrip("\n").rpartition("\n")
            if total.isdecimal():
                file.see_part(wanted.first, body, int(total))
            else:
                file.failures.append("even a part of it is too long to be shown")
        elif _is_cut(text):
            file.is_long = True
        else:
            file.see(text)

    def failure(self, wanted, name, text):
        failure = Failure(name, text)
        self.facts.failures.append(failure)
        self.open_failures.append(failure)
        if isinstance(wanted, Listing):
            self.facts.failed_listings[wanted] = text
        elif isinstance(wanted, Read | Part | Edit | Write):
            self.facts.files[wanted.path].failures.append(text)
            if isinstance(wanted, Edit | Write):
                self.facts.files[wanted.path].text = None  # it is not what the edit took it for


def _unfenced(text):
    """What stands between two lines of backticks, or the text where there are none."""
    match = _FENCED.search(text)
    return match[2] if match else text


def _is_cut(text):
    return text.startswith("<persisted-output>") or len(text) >= MAX_RESULT_CHARS or bool(_CUT.search(text[-_WORDS:]))


def _paths(text, listed):
    found = dict.fromkeys(clean_path(line) for line in text.split("\n") if line.strip())
    inside = "" if listed.folder == "." else listed.folder + "/"
    return tuple(path for path in found
                 if path.startswith(inside) and path.endswith(listed.suffix)
                 and not path.startswith(("(", "No ")) and not any(part.startswith(".") for part in path.split("/")))
