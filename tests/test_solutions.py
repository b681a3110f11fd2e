"""Every exercise has a solution that stands where the reader's answer will, and the chapter's own checks accept it."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
CHAPTERS = sorted(NOTEBOOKS.glob("*.ipynb"))
CHECK = re.compile(r"\bcheck\.(?!hint\b)\w+\(")


def exercise(cell):
    """The exercise whose answer the reader writes into this cell: the NAME of its tag `exercise:NAME`, else None."""
    names = [tag.removeprefix("exercise:") for tag in cell.metadata.get("tags", []) if tag.startswith("exercise:")]
    return names[0] if names else None


def verdicts(notebook):
    """What each checking cell prints, by its source."""
    checks = [cell for cell in notebook.cells if cell.cell_type == "code" and CHECK.search(cell.source)]
    return {cell.source: "".join(output.get("text", "") for output in cell.outputs) for cell in checks}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_says_that_its_stubs_are_not_filled_in_and_runs_on(path):
    said = verdicts(nbformat.read(path, as_version=4))
    assert said and all("is not filled in yet" in verdict for verdict in said.values())


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_accepts_the_solutions_in_the_place_of_its_stubs(path):
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if name := exercise(cell):
            cell.source = (NOTEBOOKS / "solutions" / f"{path.stem[:2]}_{name}.py").read_text()
    NotebookClient(notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(NOTEBOOKS)}},
                   extra_arguments=["--IPKernelApp.log_level=ERROR"]).execute()
    said = verdicts(notebook)
    assert said and not {source: verdict for source, verdict in said.items() if not verdict.startswith("Right.")}
