"""A summary held against the conversation, without a model: what it lost, and what it made up.

It compares words, paths and numbers, so it finds what is missing and not what is said wrongly.
"""

import json
import re
from dataclasses import dataclass

from learn_compact.messages import blocks, result_text, tool_results
from learn_compact.summaries.requests import all_requests, prohibitions

WRITING_TOOLS = frozenset({"write_file", "edit_file", "Write", "Edit", "MultiEdit", "NotebookEdit"})
KINDS = ("request", "prohibition", "file written", "open error")

_WORD = re.compile(r"[\w./,-]+")
_FILE_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,7}")
_ABBREVIATION = re.compile(r"\w\.\w")  # i.e. the stop behind it is gone
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_MIN_ERROR_CHARS, _MAX_ERROR_CHARS = 6, 100
_MAX_STEPS = 12  # of a path, from its end: what is deeper is known by these


@dataclass(frozen=True)
class SummaryCheck:
    """What a check found: `missing` and `invented` are tuples of (kind, text), `kept` counts what is there.

    `score` is from 0 to 1: what is kept, as a share of that and everything missing or invented.
    """

    kept: int
    missing: tuple
    invented: tuple

    @property
    def score(self):
        faults = len(self.missing) + len(self.invented)
        return self.kept / (self.kept + faults) if faults else 1.0

    def __str__(self):
        lines = [f"{self.score:.0%}: {self.kept} kept, {len(self.missing)} missing, {len(self.invented)} invented"]
        lines += [f"missing {kind}: {text}" for kind, text in self.missing]
        return "\n".join(lines + [f"invented {kind}: {text}" for kind, text in self.invented])


def check_summary(summary, messages, archive=None):
    """The summary (a `Summary` or text) against the conversation it stands for, as `SummaryCheck`.

    It must hold, word for word but for white space and case: every message of the user, each sentence in one that
    forbids something, the path of every file that was written, and a line of every error that nothing has cured yet
    (the same call did not work later). Paths, and numbers of two digits or more, that occur nowhere in the conversation
    are invented. One pass over the conversation.

    >>> said = [{"role": "user", "content": "Count the functions. Skip tests."}]
    >>> print(check_summary("The user wants 17 functions counted.", said))
    0%: 0 kept, 2 missing, 1 invented
    missing request: Count the functions. Skip tests.
    missing prohibition: Skip tests.
    invented number: 17
    """
    text = str(summary)
    plain, (paths, numbers) = _plain(text), _names_and_numbers(text)
    names = {path.rpartition("/")[2] for path in paths}
    requests = all_requests(messages, archive)
    held = [("request", request, _plain(request) in plain) for request in requests]
    held += [("prohibition", rule, _plain(rule) in plain)
             for rule in dict.fromkeys(rule for request in requests for rule in prohibitions(request))]
    held += [("file written", path, path in text or path.rpartition("/")[2] in names)
             for path in _files_written(messages)]
    held += [("open error", lines[0], any(_plain(line) in plain for line in lines)) for lines in _open_errors(messages)]
    return SummaryCheck(sum(there for *_, there in held),
                        tuple((kind, what) for kind, what, there in held if not there),
                        tuple(_invented(paths, numbers, messages)))


def _plain(text):
    return " ".join(text.split()).casefold()


def _calls(messages):
    """(tool, path or None, input, result) of every call that was answered, in order."""
    answers = {found.tool_use_id: found.block for found in tool_results(messages)}
    for message in messages:
        for block in blocks(message):
            if block.get("type") == "tool_use" and block.get("id") in answers:
                arguments = block.get("input") if isinstance(block.get("input"), dict) else {}
                path = next((arguments[name] for name in ("path", "file_path", "notebook_path")
                             if isinstance(arguments.get(name), str)), None)
                yield block.get("name"), path, arguments, answers[block["id"]]


def _files_written(messages):
    return list(dict.fromkeys(path for name, path, _, result in _calls(messages)
                              if path and name in WRITING_TOOLS and not result.get("is_error")))


def _open_errors(messages):
    """The lines of each error that no later call of the same tool for the same thing has cured."""
    still = {}
    for name, path, arguments, result in _calls(messages):
        key = name, path or json.dumps(arguments, sort_keys=True, default=str)
        still.pop(key, None)
        if result.get("is_error"):
            lines = [line.strip()[:_MAX_ERROR_CHARS] for line in result_text(result).split("\n")]
            still[key] = [line for line in lines if len(line) >= _MIN_ERROR_CHARS]
    return [lines for lines in still.values() if lines]


def _names_and_numbers(*texts):
    """The paths (words with a file's ending, or with / at an end) and the numbers of texts, each once, in order."""
    paths, numbers = {}, {}
    for word in dict.fromkeys(word for text in texts for word in _WORD.findall(text)):
        word = word.strip(",").rstrip(".-,").removeprefix("./")
        if _NUMBER.fullmatch(word):
            numbers[word.replace(",", "")] = None
        elif word.strip("/") and (_is_file_name(word) or "/" in (word[0], word[-1])):
            paths[word] = None
    return paths, numbers


def _is_file_name(word):
    folder, _, name = word.rpartition("/")
    return _FILE_NAME.fullmatch(name) and (folder or not _ABBREVIATION.fullmatch(name))


def _invented(paths, numbers, messages):
    there, known_numbers = _names_and_numbers(*_texts(messages))
    known_paths = set()
    for path in there:
        steps = path.strip("/").split("/")[-_MAX_STEPS:]
        known_paths.update("/".join(steps[i:j]) for i in range(len(steps)) for j in range(i + 1, len(steps) + 1))
    yield from (("path", path) for path in paths if path.strip("/") not in known_paths)
    yield from (("number", number) for number in numbers if len(number) > 1 and number not in known_numbers)


def _texts(messages):
    """Every text of the conversation, inputs of calls among them."""
    for message in messages:
        for block in blocks(message):
            yield str(block.get("text") or "")
            yield result_text(block)
            yield from _strings(block.get("input"))


def _strings(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif value is not None:
        yield str(value)
