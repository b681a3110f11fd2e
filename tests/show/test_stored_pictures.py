"""Chapters that nobody runs: on GitHub, in nbviewer, as a page. Each picture there has its sentence and its numbers."""

from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter

CHAPTERS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("template", ["lab", "classic", "basic"])
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_page_made_of_a_chapter_has_each_picture_with_its_sentence_and_its_table(path, template):
    notebook = nbformat.read(path, as_version=4)
    pictures = [output for cell in notebook.cells for output in cell.get("outputs", [])
                if "image/png" in output.get("data", {})]
    page, _ = HTMLExporter(template_name=template).from_notebook_node(notebook)
    shown = BeautifulSoup(page, "html.parser").select("figure:has(> img)")
    assert [figure.img["alt"] for figure in shown] == [output.metadata["image/png"]["alt"] for output in pictures]
    for figure, output in zip(shown, pictures, strict=True):
        assert set(output.data["text/plain"].split()) <= set(figure.get_text(" ").split())
        assert figure.img["src"] == f"data:image/png;base64,{output.data['image/png'].strip()}"
