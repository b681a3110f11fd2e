"""From the words of a user to a wish: a small grammar of verbs and nouns, each with the words that mean the same.

Each function below tries one kind of wish; the first that finds all it needs wins. What asks for anything beyond (a
second verb such as "delete", a condition such as "functions that call open") is not understood at all, because half
of a task is worse than none.
"""

import re
from dataclasses import replace
from functools import lru_cache

from learn_compact.offline.standin import vocabulary as v
from learn_compact.offline.standin.leaving_out import take_rules
from learn_compact.offline.standin.quotes import hide_quotes, shown
from learn_compact.offline.standin.vocabulary import says
from learn_compact.offline.standin.which_files import files_meant, names_files
from learn_compact.offline.standin.wishes import (
    AddLine,
    Audit,
    Compress,
    GoOn,
    KeepReading,
    ReadFiles,
    Recall,
    Replace,
    Rule,
    Unclear,
)
from learn_compact.offline.standin.wording import WHICH_FILES, WHICH_LINE

MAX_REQUEST_CHARS = 4_000  # nobody asks for one of these few things at greater length

_AFTER_COLON = re.compile(r":\s*(\S[^\n]*?)\s*\Z")
_WORD = r"(?:⟦\d+⟧|[\w-]+(?:\.[\w-]+)*)"
_FILLER = r"""(?:(?:the|every|each|all|any|whole|words?|names?|identifier|term|string|occurrences?|mentions?|instances?|
                    function|class|method|variable|of)\s+)*"""
_SWAP = re.compile(rf"""\b(?P<verb>replac|renam|chang|swap|turn|substitut)\w*\s+(?P<filler>{_FILLER})(?P<old>{_WORD})
                        (?:\s+(?:everywhere|throughout|wherever\s+it\s+\w+),?)?\s+
                        (?:with|by|to|into|for)\s+{_FILLER}(?P<new>{_WORD})""", re.I | re.X)
_BECOMES = re.compile(r"""(?P<old>⟦\d+⟧)[^.;!?⟦]*?\b(?P<verb>becomes?|be\ called|be\ written\ as|reads?)\s+(?P<filler>)
                          (?P<new>⟦\d+⟧)""", re.I | re.X)
_SURVIVES = re.compile(r"\s*\b(?:survives?|stays? in|stays?|remains?|(?:is|are) (?:kept|preserved))\W*\Z", re.I)


@lru_cache(maxsize=1024)  # by text: saves time in a long conversation, and changes no answer
def understand(text):
    """The wish in a user's words, or None where they ask for anything else.

    >>> understand("How many classes are there in the modules below core?").measures
    ('classes',)
    """
    if len(text) > MAX_REQUEST_CHARS:
        return None
    plain, quoted = hide_quotes(text)
    if wish := _keep_reading(plain) or _compress(plain, quoted) or _recall(plain):
        return wish
    if wish := _add_line(plain, quoted):
        return wish
    skip, plain = take_rules(plain, quoted)
    files = files_meant(plain, quoted, skip)
    return _replace(plain, quoted, files) or _audit(plain, files) or _read(plain, files) or _other(plain, skip)


def current_wish(requests):
    """The wish that holds after all requests (texts, oldest first); None where there is none.

    The newest request counts. Where it only adds a rule or says "go on", the one before it does, with every rule.
    """
    wishes = [understand(text) for text in requests]
    rules = tuple(pattern for wish in wishes if isinstance(wish, Rule) for pattern in wish.skip)
    while wishes and isinstance(wishes[-1], Rule | GoOn):
        last = wishes.pop()
        if not wishes:
            return last if isinstance(last, Rule) else None
    wish = wishes[-1] if wishes else None
    if rules and hasattr(wish, "files"):
        wish = replace(wish, files=replace(wish.files, skip=(*wish.files.skip, *rules)))
    return wish


def _keep_reading(text):
    return KeepReading() if says(text, v.READ, v.UNTIL, v.COMPACTION) else None


def _compress(text, quoted):
    asked = says(text, v.COMPACT) or says(text, v.COMPRESS, v.CONVERSATION)
    if not asked or says(text, v.EXPLAIN):
        return None
    match = v.FOCUS.search(text)
    rest = _SURVIVES.sub("", text[match.end():]).strip(" \n.:!,;") if match else ""
    return Compress(re.sub(r"⟦\d+⟧", lambda hidden: shown(hidden[0], quoted), rest))


def _recall(text):
    if says(text, v.QUESTION, v.FILES, v.YOU_READ) or says(text, v.WHAT_YOU_READ):
        return Recall("files")
    return Recall("requests") if says(text, v.QUESTION, v.MINE, v.ASKED) and not says(text, v.FILES) else None


def _add_line(text, quoted):
    colon = None if quoted else _AFTER_COLON.search(text)
    skip, text = take_rules(text[:colon.start()] if colon else text, quoted)
    is_line = quoted or says(text, v.A_LINE)
    is_put_on_top = is_line and says(text, v.TOP) and (says(text, v.ADD) or says(text, v.ENSURE))
    is_added = is_put_on_top or says(text, v.ADD, v.A_LINE)
    if not is_added or any(says(text, words) for words in (v.NOT_TOP, v.COUNT)) or _goes_beyond(text):
        return None
    files = files_meant(text, quoted, skip)
    if not names_files(text, files):
        return Unclear(WHICH_FILES)
    line = quoted[0] if quoted else colon[1] if colon else None
    return AddLine(files, line) if line else Unclear(WHICH_LINE)


def _replace(text, quoted, files):
    match = _SWAP.search(text) or _BECOMES.search(text)
    if not match or _goes_beyond(text, but=("rename",)):
        return None
    old, new = match["old"], match["new"]
    if match["verb"].lower() == "substitut" and re.search(r"\sfor\s", match[0]):
        old, new = new, old
    is_quoted = old.startswith("⟦") and new.startswith("⟦")
    if old in files.paths or not (is_quoted or says(match["filler"], v.A_WORD) or says(text, v.EVERYWHERE)):
        return None
    if not names_files(text, files):
        return Unclear(WHICH_FILES)
    return Replace(files, shown(old, quoted), shown(new, quoted))


def _audit(text, files):
    if not says(text, v.COUNT) or says(text, v.CONDITION) or _goes_beyond(text) or not names_files(text, files):
        return None
    places = {name: match.start() for name, words in v.MEASURES.items() if (match := words.search(text))}
    measures = tuple(sorted(places, key=places.get)) or (("files",) if says(text, v.FILES) else ())
    if {"functions", "classes"} & set(measures) and not files.suffix:
        files = replace(files, suffix=".py")
    return Audit(files, measures, says(text, v.ONE_BY_ONE), says(text, v.PER_FILE)) if measures else None


def _read(text, files):
    if says(text, v.COUNT) or _goes_beyond(text) or not names_files(text, files):
        return None
    return ReadFiles(files, says(text, v.ONE_BY_ONE)) if any(map(v.READ.match, _clauses(text))) else None


def _other(text, skip):
    if skip and not _goes_beyond(text):
        return Rule(skip)
    return GoOn() if len(text.split()) <= 12 and v.GO_ON.match(text.strip()) else None


def _goes_beyond(text, but=()):
    """Whether a clause asks for something that is none of the stand-in's tasks."""
    verbs = [clause.split()[0].lower() for clause in _clauses(text)]
    return any(verb in v.FOREIGN and verb not in but for verb in verbs) or says(text, v.ELSEWHERE)


def _clauses(text):
    """The clauses of a text without the polite words that they begin with, so that a command's verb comes first."""
    for clause in re.split(r"[.;:!?,\n](?=\s|\Z)|\b(?:and|then|to)\b", text):
        words = re.findall(r"[^\s]+", clause)
        while words and words[0].lower() in v.POLITE:
            del words[0]
        if words:
            yield " ".join(words)
