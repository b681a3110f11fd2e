"""A notebook in JupyterLab, as a reader has it: first only looked at, then run, then driven from the keyboard.

One test, because starting JupyterLab and a browser takes longer than everything that is asked of them.
"""

import nbformat
from jupyter import browser_path, open_notebook, run_all, write_notebook

from learn_compact.data import load_outline
from learn_compact.show import explore
from learn_compact.tokens import estimate_block

CELL = """from learn_compact import explore, load_outline
from learn_compact.tokens import estimate_block
explore(load_outline("sniffly-d3ad4cdc"), 5, measure=estimate_block)"""
SAYS = ".jp-OutputArea-output [role=status]"


def store_picture(path):
    """Give the notebook the output that `make notebooks` stores: all but the widget."""
    forms, about = explore(load_outline("sniffly-d3ad4cdc"), 5, measure=estimate_block)._repr_mimebundle_()
    stored = {kind: form for kind, form in forms.items() if "widget" not in kind}
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].outputs = [nbformat.v4.new_output("display_data", data=stored, metadata=about)]
    nbformat.write(notebook, path)
    return about["image/png"]["alt"]


def press(page, key, until):
    """Press a key and wait until the explorer's sentence names the request that it should lead to."""
    page.keyboard.press(key)
    page.wait_for_function("([where, text]) => document.querySelector(where)?.textContent.includes(text)",
                           arg=[SAYS, f"Before request {until} of 62"])


def has_a_ring(page):
    """Whether what has the focus shows it."""
    return page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_reader_without_a_mouse_can_look_at_and_drive_an_explorer(tmp_path):
    browser_path()
    folder, own = tmp_path / "notebooks", tmp_path / "own"
    folder.mkdir()
    write_notebook(folder / "one.ipynb", CELL)
    alt = store_picture(folder / "one.ipynb")
    with open_notebook(folder, "one.ipynb", own) as page:
        stored = page.wait_for_selector(".jp-OutputArea-output img")
        assert stored.get_attribute("alt") == alt and stored.bounding_box()["width"] > 600
        page.locator(".jp-OutputArea-output summary").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".jp-OutputArea-output table >> visible=true")

        run_all(page)
        live = page.wait_for_selector(".jp-OutputArea-output svg[role=img]")
        assert live.get_attribute("aria-label") == alt
        assert page.locator(".jp-OutputArea-output").locator("img, svg[role=img]").count() == 1  # shown once
        page.focus(".noUi-handle")
        for key, until in [("ArrowRight", 6), ("ArrowLeft", 5), ("End", 62), ("Home", 1)]:
            press(page, key, until)
        page.get_by_label("request", exact=True).focus()  # the number box before the slider
        assert has_a_ring(page)
        press(page, "ArrowUp", 2)
        page.keyboard.press("Control+A")
        page.keyboard.type("40")
        press(page, "Tab", 40)
        assert page.evaluate("document.activeElement.getAttribute('role')") == "slider"
        assert page.locator(".noUi-handle").get_attribute("aria-valuenow") == "40.0"
        assert has_a_ring(page)

        page.get_by_label("show the numbers as a table").focus()
        page.keyboard.press("Space")
        page.wait_for_selector(".jp-OutputArea-output table >> visible=true")
        assert has_a_ring(page)

        page.set_viewport_size({"width": 420, "height": 800})  # a telephone, or a window at 400 %
        page.keyboard.press("Control+B")  # folds the side bar away
        page.wait_for_function("document.querySelector('.jp-OutputArea-output svg').closest('.widget-html').clientWidth"
                               " > 200")
        assert page.evaluate("""() => {
            const picture = document.querySelector('.jp-OutputArea-output svg');
            const frame = picture.closest('.widget-html');
            return picture.clientWidth >= 450 && frame.scrollWidth > frame.clientWidth
                && getComputedStyle(frame).overflowX === 'auto';
        }""")
        assert not page.errors
