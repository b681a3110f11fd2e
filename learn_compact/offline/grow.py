"""Plausible files out of a seed: Python that parses, tests, tables, settings, logs and pages of text.

Every maker takes a `random.Random`, the path that the file is for, and a size. A function or class is a template with
the words of a parcel desk in it. What it does makes sense line by line, and no further. The same seed gives the same
characters on every machine. Left out: imports between the modules.
"""

import json
from pathlib import PurePosixPath

NOUNS = ("address bag barge bay belt bicycle box bundle cart claim counter courier crate customs depot docket dock "
         "drawer driver envelope ferry form freight gate hub invoice key label lane ledger letter locker manifest note "
         "pallet parcel permit pier pouch quay rack ramp receipt rider route scale seal shelf shift sign "
         "slot stamp stop sack tag ticket tour tray truck van visit voucher weight yard").split()
FIELDS = ("age amount arrival batch charge colour cost delay depth distance due height hours length level mass number "
          "pages position price priority rank score size speed state turn value volume width year zone").split()
VERBS = ("accept assign balance book check claim clear close collect compare count deliver enter fetch find forward "
         "gather group hand index join lift list load mark match measure merge move note open order pack pair park "
         "pick place plan print queue rank record refuse register release repair route scan seal send share "
         "shift sign sort split stack stamp store track trim unload verify weigh").split()

_FUNCTIONS = (
    '''def {verb}_{things}({things}, limit={n}):
    """The {things} whose {field} stays within the limit, smallest first."""
    kept = []
    for {thing} in {things}:
        if {thing}["{field}"] > limit:
            continue
        kept.append({thing})
    return sorted(kept, key=lambda {thing}: {thing}["{field}"])
''',
    '''def {verb}_{thing}_by_{field}({things}):
    """Every {field} with its {things}, in the order in which they came in."""
    groups = {{}}
    for {thing} in {things}:
        groups.setdefault({thing}.get("{field}", {n}), []).append({thing})
    return groups
''',
    '''def {verb}_{thing}({thing}, {other}=None):
    """A copy of the {thing} with its {field} set; the {other} decides where it is given."""
    {field} = {thing}.get("{field}") or {n}
    if {other} is not None:
        # the {other} was counted at the gate, so it knows better
        {field} = max({field}, {other}.get("{field}", 0))
    return {{**{thing}, "{field}": {field}, "{verb}": True}}
''',
    '''def {verb}_{thing}_line(line, separator="{sep}"):
    """A {thing} out of one line of a file, or None where the line holds none."""
    cells = [cell.strip() for cell in line.split(separator)]
    if len(cells) < 3 or not cells[0]:
        return None
    name, {field}, {other} = cells[:3]
    if not {field}.isdigit():
        raise ValueError(f"no {field} in {{line!r}}")
    return {{"name": name, "{field}": int({field}), "{other}": {other}}}
''',
    '''def {verb}_{thing}_until({things}, is_done, attempts={small}):
    """Try each {thing} until it is done; what is left after the last attempt is given back."""
    left = list({things})
    for attempt in range(attempts):
        left = [{thing} for {thing} in left if not is_done({thing}, attempt)]
        if not left:
            break
    return left
''',
    '''def {verb}_{things}_report({things}, width={n}):
    """A table of the {things}: name, {field} and a bar that shows the {field}."""
    largest = max(({thing}["{field}"] for {thing} in {things}), default=1) or 1
    rows = []
    for {thing} in {things}:
        bar = "#" * round(width * {thing}["{field}"] / largest)
        rows.append(f"{{{thing}['name']:<20}} {{{thing}['{field}']:>8}} {{bar}}")
    return "\\n".join(rows)
''',
    '''def make_{thing}_{verb}({field}={n}):
    """A test for {things}, with its {field} fixed."""

    def {verb}({thing}):
        return {thing}["{field}"] >= {field}

    return {verb}
''',
    '''async def {verb}_next_{thing}(queue, {other}s):
    """Wait for the next {thing} and put it where its {field} belongs."""
    {thing} = await queue.get()
    place = {thing}["{field}"] % max(len({other}s), 1)
    {other}s[place].append({thing})
    return place
''',
)
_CLASS = '''class {Thing}{Verb}:
    """Keeps the {things} of one shift, and the {field} that they add up to."""

    def __init__(self, {field}={n}):
        self.{field} = {field}
        self.{things} = []

    def {verb}(self, {thing}):
        """Take one more {thing}, unless the {field} would be too much."""
        if self.total() + {thing}["{field}"] > self.{field}:
            return False
        self.{things}.append({thing})
        return True

    def total(self):
        """The {field} of all {things} so far."""
        return sum({thing}["{field}"] for {thing} in self.{things})
'''
_TESTS = (
    '''def test_{verb}_{thing}_keeps_the_{field}():
    {thing} = {{"name": "{other}", "{field}": {n}}}
    assert dict({thing}, {other}=True)["{field}"] == {n}
''',
    '''def test_{things}_to_{verb}_are_sorted_by_{field}():
    {things} = [{{"{field}": number}} for number in ({n}, {small}, 7)]
    assert [each["{field}"] for each in sorted({things}, key=lambda each: each["{field}"])] == sorted([{n}, {small}, 7])
''',
)
_SENTENCES = (
    "Every {thing} has a {field}, and the {other} is chosen by it.",
    "Ask the {other} before you {verb} a {thing}: the {field} may have changed.",
    "When the {field} is above {n}, {things} go to the {other} first.",
    "Nobody knows why a {thing} needs a {other}, but without it the {field} is wrong.",
    "We {verb} {things} twice a day, at {small} and at {hour} o'clock.",
)


def module(rng, path, chars):
    """A Python module of about `chars` characters; tests where its name says so."""
    title = f'"""{_name(path).capitalize()}, {PurePosixPath(path).parent} of the parcel desk."""\n'
    if "test" in PurePosixPath(path).name:
        return _filled([title], chars, lambda: _fill(rng, rng.choice(_TESTS)), "\n\n")
    limit = f"{_words(rng)['field'].upper()}_LIMIT = {rng.randrange(10, 900)}\n"
    parts = [f"{title}\n{limit}"]
    return _filled(parts, chars, lambda: _fill(rng, _CLASS if rng.random() < 0.15 else rng.choice(_FUNCTIONS)), "\n\n")


def page(rng, path, chars):
    """A page of Markdown of about `chars` characters."""
    def paragraph():
        return " ".join(_fill(rng, rng.choice(_SENTENCES)) for _ in range(rng.randrange(3, 7))) + "\n"

    return _filled([f"# {_name(path).capitalize()}\n"], chars, paragraph, "\n")


def table(rng, path, rows):
    """A CSV file: a line of names, then `rows` lines."""
    lines = [f"{rng.choice(NOUNS)}-{row:04},{rng.choice(FIELDS)},{rng.randrange(1, 999)}" for row in range(1, rows + 1)]
    return "\n".join(["name,field,value", *lines]) + "\n"


def settings(rng, path, entries):
    """A JSON file of `entries` entries."""
    values = {f"{rng.choice(NOUNS)}_{number}": {rng.choice(FIELDS): rng.randrange(1, 500)} for number in range(entries)}
    return json.dumps(values, indent=2) + "\n"


def log(rng, path, rows):
    """A log of `rows` lines; a few are errors."""
    lines = []
    for row in range(rows):
        level = "ERROR" if rng.random() < 0.04 else "INFO"
        words = _words(rng)
        lines.append(f"2031-04-{1 + row * 28 // rows:02} {rng.randrange(24):02}:{rng.randrange(60):02} {level} "
                     f"{words['verb']} {words['thing']} {rng.randrange(1000, 9999)}: {words['field']} {words['n']}")
    return "\n".join(lines) + "\n"


def _filled(parts, chars, make, between):
    """The parts and as many more as come nearest to the size; names that stand there already are made anew."""
    seen, size = set(), sum(map(len, parts))
    while size < chars:
        part = make()
        name = part.split("(")[0].split(":")[0]
        if name in seen:
            continue
        seen.add(name)
        parts.append(part)
        size += len(part) + len(between)
    return between.join(parts)


def _name(path):
    return PurePosixPath(path).stem.strip("_").replace("_", " ")


def _fill(rng, template):
    return template.format(**_words(rng))


def _words(rng):
    thing, other = rng.sample(NOUNS, 2)
    verb = rng.choice(VERBS)
    return {"thing": thing, "things": _plural(thing), "Thing": thing.title(), "other": other,
            "verb": verb, "Verb": verb.title(), "field": rng.choice(FIELDS), "n": rng.randrange(10, 900),
            "small": rng.randrange(2, 9), "hour": rng.randrange(9, 12), "sep": rng.choice(",;|")}


def _plural(noun):
    if noun.endswith(("s", "x", "ch")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"
