"""What a request leaves out: the rules in it ("skip files named test_*"), and the request without them.

A rule is found by its verb and reaches as far as the words go on that rules are made of; so `skip files named test_*,
and report the total` ends before "report". A rule may also end in its verb: `files named test_* don't count`.
"""

import re

from learn_compact.offline.standin.quotes import HIDDEN, NAME, shown
from learn_compact.offline.standin.vocabulary import phrases

_VERBS = "count, read, open, touch, include, edit, change, modify, consider, look at, look into, go into, bother with"
_SKIP = phrases("""skip, skipping, ignore, ignoring, leave out, leaving out, leave, leaving, keep out, exclude,
    excluding, except, excepting, except for, apart from, aside from, other than, save for, with the exception of,
    but not, but no, without, omit, omitting, pass over, passing over, disregard, disregarding, avoid, avoiding,
    bypass, minus, steer clear of, stay clear of, stay away from, keep away from, keep off, hands off, not counting,
    not including, not touching, not reading, not opening, not, no, """
    + ", ".join(f"do not {verb}" for verb in _VERBS.split(", ")))
_NOT = re.compile(r"\b(?:don['’]t|never|must not(?! be)|should not(?! be)|may not(?! be))(?: ever)?\b", re.I)
_SKIPPED = phrases(", ".join(["do not count, stay as they are, stay untouched, excluded, left out, not included"] + [
    f"{is_} {skipped}"
    for is_ in ("are", "is", "must be", "should be", "can be", "are to be", "is to be", "must not be", "should not be",
                "are not to be", "is not to be")
    for skipped in ("skipped", "ignored", "left out", "left alone", "excluded", "off limits", "out of bounds")
    + ("counted", "touched", "opened", "read", "changed", "edited") * ("not" in is_)]))
_ENDS = re.compile(r"\s*(?:[.,;:!?)]|and\b|\Z)", re.I)
_BEFORE = re.compile(r",|\b(?:if|but|where|when|while|and)\b", re.I)
_RULE_WORDS = frozenset("""a all alone an and any anything are as at be begin beginning begins but by called contain
    containing directories directory each either else end ending ends every everything file
    files folder folders for form from generated has have having if in including inside is it
    its like look looking looks match matches matching module modules name named names of on
    ones or other out pattern patterns prefix prefixed python script scripts source sources
    start starting starts suffix test tests that the their them themselves these they those to
    touching opening reading counting changing under unit whatever whatsoever which whose with
    within ,""".split())
_LEADS_TO_NAME = frozenset("named called with in under inside within prefix suffix matching like containing".split())
_SHAPES = {"start": "{}*", "begin": "{}*", "prefix": "{}*", "end": "*{}", "suffix": "*{}", "contain": "*{}*",
           "under": "{}/*", "inside": "{}/*", "within": "{}/*", "named": "{}", "called": "{}", "match": "{}"}


def take_rules(text, quoted):
    """The patterns that a text leaves out, and the text without these rules.

    >>> take_rules("Count lines, but skip files starting with test_, and report the total.", ())
    (('test_*',), 'Count lines, but  report the total.')
    """
    text, patterns, kept = _NOT.sub("do not", text), [], []
    for sentence in re.split(r"(?<=[.;!?])(?=\s)|\n", text):
        match = _SKIPPED.search(sentence)
        match = match if match and _ENDS.match(sentence, match.end()) else None
        if match:
            start = max([before.end() for before in _BEFORE.finditer(sentence, 0, match.start())], default=0)
            if found := _patterns(_words(sentence[start:match.start()]), quoted):
                patterns += found
                sentence = sentence[:start] + sentence[match.end():]
        kept.append(sentence)
    text, start = "".join(kept), 0
    while match := _SKIP.search(text, start):
        words, end = _reach(text, match.end())
        found = _patterns(words, quoted)
        patterns += found
        text, start = (text[:match.start()] + text[end:], match.start()) if found else (text, match.end())
    return tuple(dict.fromkeys(patterns)), text


def _reach(text, start):
    """The words of a rule whose verb ends at `start`, and where they end."""
    words, end = [], start
    for match in re.compile(r"\s*(,|[^\s,;]+)").finditer(text, start):
        word = match[1].strip("().:!?") or match[1]
        known = (word.lower() in _RULE_WORDS or NAME.fullmatch(word) or HIDDEN.fullmatch(word)
                 or _last_but_articles(words) in _LEADS_TO_NAME)
        if match.start() != end or not known:
            break
        words, end = [*words, word], match.end()
        if match[1][-1] in ".:!?":
            break
    return words, end


def _last_but_articles(words):
    return next((word.lower() for word in reversed(words) if word.lower() not in ("the", "a", "an")), "")


def _words(text):
    return [word for token in text.replace(",", " , ").split() if (word := token.strip("().:!?;"))]


def _patterns(words, quoted):
    """The patterns that the words of a rule name; each noun or verb before a name gives it its shape."""
    found, shape, leads = [], "{}", False
    for word in words:
        low = word.lower()
        stem = next((stem for stem in _SHAPES if low.startswith(stem)), None)
        if stem:
            shape, leads = _SHAPES[stem], True
        elif low == "in" and shape == "{}":
            shape, leads = "{}/*", True
        elif NAME.fullmatch(word) or HIDDEN.fullmatch(word) or (leads and low not in _RULE_WORDS):
            found.append(_pattern(shown(word, quoted), shape))
        elif low not in ("the", "a", "an", "in", "with", "or", "and", ","):
            leads = False
    if not found and any(word.lower() in ("test", "tests") for word in words):
        found.append("test_*")
    return found


def _pattern(name, shape):
    if re.search(r"[*?\[]", name) or name.endswith("/"):
        return f"{name}*" if name.endswith("/") else name
    if shape == "{}" and name.endswith("_"):
        return f"{name}*"
    return shape.format(name)
