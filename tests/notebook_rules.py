"""What a stored chapter must be: the rules of the course's style that a program can check.

A rule is a function from a chapter to the sentences that say what is wrong with it. Each is registered with a chapter
that breaks it, so that `test_notebooks_hygiene.py` can see the rule fail before it trusts it.
"""

import json
import re
import statistics
from dataclasses import dataclass
from pathlib import Path

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
IGNORING = {"nbval-ignore-output", "nbval-skip"}  # nbval reads them as tags and, in capitals, as comments
KEPT_METADATA = {"tags", "jupyter"}
RULES = {}  # name of the rule -> (the rule, cells that break it)


@dataclass(frozen=True)
class Chapter:
    """A stored notebook, as its file has it."""

    name: str
    notebook: dict
    text: str = ""

    @classmethod
    def read(cls, path: Path):
        text = path.read_text(encoding="utf-8")
        return cls(path.name, json.loads(text), text)

    @property
    def cells(self):
        return [cell | {"source": "".join(cell["source"])} for cell in self.notebook["cells"]]

    @property
    def code(self):
        return [cell for cell in self.cells if cell["cell_type"] == "code"]

    @property
    def prose(self):
        return [cell for cell in self.cells if cell["cell_type"] == "markdown"]

    @property
    def outputs(self):
        return [output for cell in self.code for output in cell["outputs"]]

    @property
    def printed(self):
        """Every text that a reader or nbval sees under a cell."""
        for output in self.outputs:
            yield "".join(output.get("text", ""))
            yield "\n".join(output.get("traceback", []))
            yield from ("".join(value) for kind, value in output.get("data", {}).items() if kind.startswith("text/"))


def markdown(source):
    return {"cell_type": "markdown", "id": "m", "metadata": {}, "source": source}


def code(source, *outputs, count=1, tags=()):
    metadata = {"tags": list(tags)} if tags else {}
    return {"cell_type": "code", "id": "c", "metadata": metadata, "execution_count": count, "source": source,
            "outputs": list(outputs)}


def shows(data, metadata=None):
    return {"output_type": "display_data", "data": data, "metadata": metadata or {}}


def prints(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


ERROR = {"output_type": "error", "ename": "KeyError", "evalue": "'a'", "traceback": ["KeyError: 'a'"]}


def rule(*broken):
    """Register a rule with chapters, each a list of cells, that break it."""
    def register(function):
        RULES[function.__name__] = function, broken
        return function
    return register


def tags(cell):
    return set(cell["metadata"].get("tags", []))


@rule([code("a", count=1), code("b", count=3)], [code("a", count=None)], [code("", count=1)])
def comes_from_one_clean_run(chapter):
    counts = [cell["execution_count"] for cell in chapter.code]
    if counts != list(range(1, len(counts) + 1)):
        yield f"the execution counts are {counts}, not 1 to {len(counts)}"
    if any(not cell["source"].strip() for cell in chapter.code):
        yield "a code cell is empty"


@rule([code("a") | {"metadata": {"execution": {"iopub.status.busy": "2026-11-30T20:41:00"}}}], [markdown("a")] * 2)
def is_as_make_notebooks_stores_it(chapter):
    """Sorted keys, an indent of 1, a newline at the end; no run times and no versions in the metadata; its own ids."""
    ids = [cell.get("id") for cell in chapter.cells]
    if len(set(ids)) < len(ids) or None in ids:
        yield "cells without an id of their own"
    for cell in chapter.cells:
        if extra := cell["metadata"].keys() - KEPT_METADATA:
            yield f"cell {cell['id']} has the metadata {sorted(extra)}"
    metadata = chapter.notebook.get("metadata", {})
    if metadata.keys() != {"kernelspec", "language_info"} or "version" in metadata["language_info"]:
        yield f"the metadata are not those of `make notebooks`: {metadata}"
    elif metadata["kernelspec"]["name"] != "python3":
        yield f"the kernel is {metadata['kernelspec']['name']}, not python3"
    if chapter.text != json.dumps(chapter.notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n":
        yield "the file is formatted otherwise than `make notebooks` does"


@rule([code("a", shows({WIDGET_VIEW: {"model_id": "1"}, "text/plain": "a"}))])
def holds_no_widget(chapter):
    if any(WIDGET_VIEW in output.get("data", {}) for output in chapter.outputs):
        yield "a widget's view is stored (its id is random, and without its model it shows an error)"


@rule([code("a", prints("a warning", name="stderr"))])
def prints_nothing_to_stderr(chapter):
    for output in chapter.outputs:
        if output.get("name") == "stderr":
            yield f"stderr: {''.join(output['text'])[:80]}"


@rule([code("a", ERROR)], [code("a", tags=["raises-exception"])])
def fails_where_it_says_so_and_nowhere_else(chapter):
    """nbval accepts a cell tagged raises-exception that raises nothing: the stored error is what it compares."""
    for cell in chapter.code:
        raised = any(output["output_type"] == "error" for output in cell["outputs"])
        if raised != ("raises-exception" in tags(cell)):
            yield f"raised: {raised}, tags: {sorted(tags(cell))}: {cell['source'][:60]}"


FORBIDDEN = {
    r";\s*$": "a trailing ; (nbval does not honour it)",
    r"\bOutput\(|\binteract(ive)?(_output)?\(|^\s*with out:": "Output or interact (nbval cannot run them honestly)",
    r"^\s*[%!]\s*(pip|conda|uv)\b": "an installation",
    r"\bsys\.path\b": "sys.path (the package is installed)",
    r"(?<![\w.])input\(": "input() (nobody answers in CI)",
}


@rule(*([code(line)] for line in ("a;", "a\nb ; \nc", "w = Output()", "interact(f)", "interactive_output(f, {})",
                                  "%pip install a", "!pip install a", "sys.path.append('..')", "x = input('?')")))
def uses_nothing_that_cannot_be_run_anywhere(chapter):
    for cell in chapter.code:
        for pattern, name in FORBIDDEN.items():
            if re.search(pattern, cell["source"], re.MULTILINE):
                yield f"{name}: {cell['source'][:60]}"


MACHINE_PATH = re.compile(r"(?<![\w.~])(/(home|root|Users|tmp|private|work|var/folders)/\w|[A-Z]:\\\w)")


@rule([code("open('/home/ada/a.txt')")], [code("a", prints("in /tmp/x1"))], [markdown("see /work/one")],
      [code("a", shows({"text/plain": r"C:\Users"}))], [code("a", ERROR | {"traceback": ["File /home/ada/a.py"]})])
def names_no_folder_of_a_machine(chapter):
    for text in [*(cell["source"] for cell in chapter.cells), *chapter.printed]:
        if found := MACHINE_PATH.search(text):
            yield f"a machine's path: {text[max(0, found.start() - 20):found.end() + 20]!r}"


@rule([code("a", shows({"text/plain": "<Agent at 0x7f3a5c0b1d90>"}))])
def prints_no_address_of_an_object(chapter):
    for text in chapter.printed:
        if found := re.search(r"\b0x[0-9a-f]{6,}", text):
            yield f"an object's address: {found.group()}"


@rule([code("a", tags=["nbval-skip"])], [code("# NBVAL_IGNORE_OUTPUT\n# the clock\na"), *[code("a")] * 9],
      [code("a", tags=["nbval-ignore-output"]), *[code("a")] * 40])
def is_compared_by_nbval(chapter):
    """At least 95 % of the code cells; one that is not says why, in a comment."""
    def ignored(cell):
        comments = {line.strip("# ").lower().replace("_", "-") for line in cell["source"].splitlines()}
        return IGNORING & (tags(cell) | comments)

    left_out = [cell for cell in chapter.code if ignored(cell)]
    if len(left_out) > 0.05 * len(chapter.code):
        yield f"{len(left_out)} of {len(chapter.code)} code cells are not compared"
    for cell in left_out:
        if not re.search(r"^\s*#(?!\s*NBVAL_)\s*\w+", cell["source"], re.MULTILINE):
            yield f"not compared, and no comment says why: {cell['source'][:60]}"


def lines(cell):
    return sum(bool(line.strip()) for line in cell["source"].splitlines())


@rule([code("a\n" * 6)] * 3, [code("a"), code("a\n" * 26)])
def keeps_its_code_cells_short(chapter):
    """A median of at most 5 lines, none above 25; blank lines don't count."""
    sizes = [lines(cell) for cell in chapter.code] or [0]
    if statistics.median(sizes) > 5:
        yield f"the median code cell has {statistics.median(sizes)} lines, more than 5"
    if max(sizes) > 25:
        yield f"the longest code cell has {max(sizes)} lines, more than 25"


@rule([markdown("a")] * 24, [markdown("a")] * 46)
def is_as_long_as_a_sitting(chapter):
    if not 25 <= len(chapter.cells) <= 45:
        yield f"{len(chapter.cells)} cells, not 25 to 45"


@rule([markdown("a " * 699)], [markdown("a " * 1501)])
def says_it_in_700_to_1500_words(chapter):
    words = sum(len(re.findall(r"\w[\w'’.,-]*", cell["source"])) for cell in chapter.prose)
    if not 700 <= words <= 1_500:
        yield f"{words} words, not 700 to 1,500"


OPENING = {r"^# \S": "a title", r"\b\d+ minutes\b": "the minutes it takes", r"\bno key\b": "that it needs no key"}


@rule([code("a")], [markdown("20 minutes, needs no key")], [markdown("# A\nneeds no key")],
      [markdown("# A\n20 minutes")], [markdown("# A\n20 minutes, needs no key\n" + "- b\n" * 5)])
def opens_with_what_the_reader_gets(chapter):
    first = chapter.cells[0]
    for pattern, name in OPENING.items():
        if first["cell_type"] != "markdown" or not re.search(pattern, first["source"], re.MULTILINE | re.IGNORECASE):
            yield f"the first cell does not say {name}"
    if (things := len(re.findall(r"^\s*([-*]|\d+\.) ", first["source"], re.MULTILINE))) > 4:
        yield f"the first cell promises {things} things, more than 4"


@rule([markdown("Exercise"), code("def mine(): pass")])
def has_its_exercise_checked(chapter):
    """Chapter 0 is there to be looked at; from chapter 1 on the reader writes something."""
    if not chapter.name.startswith("00_") and not any(re.search(r"\bcheck\.\w+\(", c["source"]) for c in chapter.code):
        yield "no cell calls check.…(…)"


@rule([markdown("a"), code("a")])
def closes_in_words(chapter):
    if chapter.cells[-1]["cell_type"] != "markdown":
        yield "the last cell is not text"


PNG = {"image/png": "iVBORw0KGgo="}
ALT = {"image/png": {"alt": "Tokens per request"}}
NO_TWIN = re.compile(r"<|(VBox|HBox|Box|Image|HTML|Tab|Accordion|\w*Slider)\(")


@rule([code("a", shows(PNG | {"text/plain": "1 2"}))], [code("a", shows(PNG, ALT))],
      [code("a", shows(PNG | {"text/plain": "<Figure size 640x480 with 1 Axes>"}, ALT))],
      [code("a", shows({"text/plain": "VBox(children=(…))"}))])
def gives_every_picture_its_words(chapter):
    """An alternative text and a text twin: what GitHub, a screen reader and nbval read in place of pixels."""
    for output in chapter.outputs:
        shown = output.get("data", {})
        twin = "".join(shown.get("text/plain", ""))
        if "image/png" in shown and not output["metadata"].get("image/png", {}).get("alt", "").strip():
            yield "a picture without alternative text"
        if "image/png" in shown and not twin.strip():
            yield "a picture without its numbers as text"
        if NO_TWIN.match(twin):
            yield f"a text that only names an object: {twin[:60]}"
