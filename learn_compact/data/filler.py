"""Text that stands in for the words of a real conversation: of the same kind and length, always the same, made up.

A small grammar per style: a symbol has options, an option is text with more symbols in braces. What the styles weigh is
measured: `CHARS_PER_TOKEN` comes from the usage figures of the real conversations, and the options are chosen so that
the reference counter gives each style about that. Left out: sense. Sentences are grammatical, and no more.
"""

import json
import re
from functools import cache
from random import Random

# Characters per token that the usage figures imply: least absolute deviations over all steps of the shipped files
# (tests/data/test_filler.py derives them again). Prose is text and thinking together.
CHARS_PER_TOKEN = {"prose": 3.72, "tool_use": 3.18, "tool_result": 2.80}

_GRAMMAR = {
    # words
    "d": "0123456789",
    "nonzero": "123456789",
    "x": "0123456789abcdef",
    "hex": ["{x}{x}{x}{x}{x}{x}{x}"],
    "n": ["{nonzero}", "{nonzero}{d}", "{nonzero}{d}{d}"],
    "sixty": ["{tens}{d}"],
    "tens": "012345",
    "time": ["1{d}:{sixty}:{sixty}"],
    "noun": "account batch branch buffer cache channel chunk column config cursor digest draft entry event field "
            "filter frame graph header index job key label layer ledger limit line lock message node offset order "
            "packet page parser path plan queue range record report request response result route row rule schema "
            "score segment session shard signal snapshot source stage state store stream table task template thread "
            "token trace user value window worker".split(),
    "verb": "add apply build check clean close collect compare convert copy count drop fetch fill find flush format "
            "group join load mark match merge move open pack parse print read reduce remove render replace reset "
            "resolve save scan select send show skip sort split start stop store test trim update write".split(),
    "adjective": "broken clean closed common current damaged first full hidden last late local long main missing "
                 "nested new plain recent second shared short simple small stale whole".split(),
    "package": "api billing client core jobs models parsing reports server storage sync web".split(),
    "name": ["{verb}_{noun}", "{noun}_{noun}", "{adjective}_{noun}", "{noun}"],
    "file": ["src/{package}/{noun}.py", "src/{package}/{noun}_{noun}.py", "tests/test_{noun}.py"],
    # prose
    "sentence": [
        "The {adjective} {noun} is read before the {noun} is written, so no {adjective} {noun} reaches the {noun}.",
        "We {verb} every {noun} once and keep the {adjective} ones until the {noun} is closed.",
        "That explains why the {noun} stays {adjective} when two requests arrive at the same time.",
        "It would be simpler to {verb} the {noun} first and to {verb} the {noun} only where it is still needed.",
        "Nothing else in `{file}` depends on the {noun}, which means that this change is safe.",
        "I will {verb} the {noun} now, run the tests again, and then look at the remaining {noun}.",
        "The test expects a {adjective} {noun}, but `{name}()` returns the {adjective} one instead.",
        "There are two ways to do this: {verb} the {noun} in place, or {verb} it and return a new {noun}.",
        "Before that, somebody has to decide whether a {adjective} {noun} counts as an error.",
        "This also removes the {adjective} {noun} that nobody has used since the last release.",
        "With `{name}={n}` it takes {n} ms for {n} {noun}s, which is {n} % less than before.",
        "`{name}` in `{file}:{n}` calls `{name}` twice, once for the {noun} and once for the {adjective} {noun}.",
        "After the {noun} has been sent, {verb} it; until then the {noun} must stay as it was.",
        "The {noun} has {n} rows now, and the {adjective} one among them is the {noun} that we were asked about.",
    ],
    "prose": ["{sentence} {sentence} {sentence}\n\n",
              "- **{noun}**: {sentence}\n- `{name}` (`{file}:{n}`): {sentence}\n\n",
              "{sentence} {sentence}\n\n```python\n{code}```\n\n"],
    "request": ["Please {verb} the {adjective} {noun} in {file} and tell me what you changed. ",
                "Now {verb} the {noun}, but leave the {adjective} {noun} alone. ",
                "Why does the {noun} stay {adjective} after we {verb} it? ",
                "Add a test for the {adjective} {noun}, then {verb} the {noun}. "],
    "label": ["{verb} the {adjective} {noun} and the {noun} "],
    # what tools are given
    "shell": [
        "cd /repo && python -m pytest tests/test_{noun}.py -q 2>&1 | tail -{n}\n",
        "git diff --stat HEAD~{nonzero} -- {file} && git log --oneline -{n}\n",
        "grep -rn \"{name}\" src/{package} --include='*.py' | head -{n}\n",
        "python - <<'EOF'\nfrom {package}.{noun} import {name}\nprint({name}(\"{noun}\", {n}))\nEOF\n",
        "for f in $(ls src/{package}/*.py); do wc -l \"$f\"; done | sort -rn\n",
        "curl -s http://localhost:80{d}{d}/{package}/{noun}?limit={n} | python -m json.tool\n",
    ],
    "pattern": ["def {name}|", "{name}|", "class {noun}|"],
    "glob": ["src/**/{noun}_*.py,", "tests/**/test_{noun}*.py,"],
    "folder": ["{package}/{noun}_{noun}/", "src/{package}/"],
    "url": ["https://docs.example.org/{package}/{noun}/{noun}_{noun}.html?section={n}&"],
    # what tools are given and give back
    "code": [
        "def {name}({noun}, {noun}=None):\n    \"\"\"{sentence}\"\"\"\n"
        "    {noun} = {name}({noun}[\"{noun}\"], {noun}={n})\n    if not {noun}:\n"
        "        raise ValueError(f\"no {noun} for {{{noun}!r}}\")\n    return {noun}\n\n\n",
        "class {noun}_{noun}:\n    def __init__(self, {noun}, {noun}):\n        self.{noun} = {noun}\n"
        "        self.{name} = {{}}\n\n    def {name}(self):\n        return self.{noun}.{verb}({n})\n\n\n",
        "    # {sentence}\n    for {noun} in {name}({noun}):\n"
        "        if {noun}.{noun} > {n} and {noun}[\"{name}\"] != \"{adjective}\":\n"
        "            {noun}.append(({noun}, {n}))\n        else:\n            continue\n\n",
        "{name} = {{\"{noun}\": {n}, \"{name}\": \"{adjective}\", \"{noun}\": [{n}, {n}]}}\n",
        "    assert {name}({noun}=\"{adjective}\", {noun}={n}) == [{n}, {n}, None]\n",
        "from {package}.{noun} import {name}, {name}\n",
        "    self.{noun}[{n}:{n}] = {name}(\"{hex}\", {noun}={n}.{d}{d})\n",
    ],
    "draft": ["{code}", "{code}    # {sentence}\n"],
    # what tools give back
    "hits": ["{file}:{n}:    {noun} = {name}({noun}[\"{noun}\"])\n", "{file}:{n}:def {name}({noun}, {noun}=None):\n"],
    "paths": ["/repo/{file}\n"],
    "log": ["{time} INFO {package}.{noun}: {verb} the {adjective} {noun} {hex} in {n} ms\n",
            "{time} INFO {package}.{noun}: {noun} {n} of {n} is {adjective}\n",
            "{time} WARNING {package}.{noun}: the {noun} of {hex} is {adjective}, trying once more\n"],
    "tests": ["tests/test_{noun}.py::test_{name}_{name} PASSED [{nonzero}{d}%]\n",
              "tests/test_{noun}.py::test_{name} FAILED [{nonzero}{d}%]\n"],
    "listing": ["-rw-r--r-- 1 dev dev {n}{d} Mar {nonzero} {time} {noun}_{noun}.py\n"],
    "json": ["{{\"id\": \"{hex}\", \"{noun}\": \"{adjective}\", \"{name}\": {n}, \"{noun}\": null}}\n"],
    "error": ["Error: the {adjective} {noun} in {file}, line {n}, was not found\n"],
}
_SLOT = re.compile(r"{(\w+)}")


def fill(style, chars, seed):
    """Text of a style, exactly `chars` characters long; the same for the same `seed` (a str) on every machine.

    >>> fill("label", 20, "any")
    'collect the short re'
    """
    draw, parts, missing = Random(seed).random, [], chars
    while missing > 0:
        grown = _grow(style, draw)
        parts.append(grown if parts else grown.lstrip())  # a cut must never leave blank text
        missing -= len(parts[-1])
    return "".join(parts)[:chars]


def fill_numbered(style, chars, seed, first=1):
    """Text of a style with numbered lines, as agents are shown a file, exactly `chars` characters long.

    >>> fill_numbered("hits", 45, "any", first=7).split("\\t")
    ['7', 'src/sync/result.py:226:    task = branch_gr']
    """
    lines = fill(style, chars, seed).split("\n")
    return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, first))[:chars]


def fill_json(style, chars, seed):
    """Text of a style that takes exactly `chars` characters inside a JSON string, without its quotes.

    >>> len(json.dumps(fill_json("code", 200, "any")))
    202
    """
    cut = json.dumps(fill(style, chars, seed), ensure_ascii=False)[1:-1][:chars]
    if (len(cut) - len(cut.rstrip("\\"))) % 2:  # the cut went through an escape
        cut = cut[:-1] + "."
    return json.loads(f'"{cut}"')


def _grow(symbol, draw):
    # Only `random()` is promised to give the same numbers in every version of Python.
    options = _options(symbol)
    option = options[int(draw() * len(options))]
    return option if isinstance(option, str) else "".join(
        _grow(part, draw) if k % 2 else part for k, part in enumerate(option))


@cache
def _options(symbol):
    """The options of a symbol: plain text as it is, others split into text, symbol, text, symbol, … text."""
    split = [_SLOT.split(option.replace("{{", "\0").replace("}}", "\1")) for option in _GRAMMAR[symbol]]
    split = [[part.replace("\0", "{").replace("\1", "}") for part in parts] for parts in split]
    return [parts[0] if len(parts) == 1 else parts for parts in split]
