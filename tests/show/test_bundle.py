"""One picture in four forms, and the sheet that it is painted from."""

import io
import subprocess
import sys
from base64 import b64decode

import matplotlib
import pytest
from matplotlib.figure import Figure
from pictures import elements
from PIL import Image, ImageChops

from learn_compact.show import Bundle, Table
from learn_compact.show.palette import ORDER, PALETTE, ink_on, luminance
from learn_compact.show.scene import Scene
from learn_compact.tokens import PARTS

TABLE = Table(("part", "tokens"), [("user", 12)])
HOSTILE = "<script>alert('$x^2$ & \"y\"')</script>"


def sheet():
    scene = Scene(200, 80)
    scene.box(10, 10, 90, 40, "#D55E00", "#FFFFFF", HOSTILE)
    scene.stripes(100, 10, 50, 40, "#000000")
    scene.line((0, 60), (200, 60), dashed=True)
    scene.words(55, 30, HOSTILE, anchor="middle")
    return scene


def test_a_bundle_gives_widget_page_picture_and_table_at_once():
    forms, about = Bundle(sheet(), TABLE, "A box.")._repr_mimebundle_()
    assert set(forms) == {"application/vnd.jupyter.widget-view+json", "text/html", "image/png", "text/plain"}
    assert forms["text/plain"] == "part  tokens\nuser      12"
    assert b64decode(forms["image/png"]).startswith(b"\x89PNG")
    assert about["image/png"]["alt"] == "A box."


def test_the_page_needs_neither_script_nor_style_nor_another_file():
    page = Bundle(sheet(), TABLE, 'A "box".')._repr_mimebundle_()[0]["text/html"]
    assert '<img alt="A &quot;box&quot;." width="900"' in page and 'src="data:image/png;base64,iVBOR' in page
    assert "<script" not in page and "</svg>" not in page and page.count("<table>") == 1


def test_few_colours_are_enough_for_the_eye():
    """No pixel moves far, and hardly one at all."""
    scene = Scene(600, 120)
    for i, look in enumerate(PALETTE.values()):
        scene.box(10 + 45 * i, 10, 45, 60, look.colour, "#FFFFFF")
        scene.words(32 + 45 * i, 40, look.label, size=9, anchor="middle", colour=ink_on(look.colour))
    drawn = io.BytesIO()
    scene.figure().savefig(drawn, dpi=150)
    full = Image.open(drawn).convert("RGB")
    stored = Image.open(io.BytesIO(Bundle(scene, TABLE, "x").png())).convert("RGB")
    off = ImageChops.difference(full, stored).convert("L")
    assert off.getextrema()[1] < 32 and sum(off.histogram()[4:]) < 0.01 * off.width * off.height
    for look in PALETTE.values():
        assert stored.getpixel((1, 1)) == (255, 255, 255) and look.colour in {
            "#{:02X}{:02X}{:02X}".format(*colour) for _, colour in stored.getcolors(256)}


def test_the_live_picture_holds_sentence_and_table_for_a_screen_reader():
    html = Bundle(sheet(), TABLE, 'A "box".').html()
    assert 'role="img" aria-label="A &quot;box&quot;."' in html and '<th scope="col"' in html


def test_the_same_picture_gives_the_same_bytes_whatever_is_set_in_matplotlib():
    first = Bundle(sheet(), TABLE, "A box.").png()
    with matplotlib.rc_context({"font.size": 30, "savefig.bbox": "tight", "lines.linewidth": 9, "text.usetex": False,
                                "savefig.facecolor": "red", "font.family": "serif"}):
        assert Bundle(sheet(), TABLE, "A box.").png() == first


def test_a_matplotlib_figure_can_be_bundled_too():
    figure = Figure(figsize=(2, 1))
    figure.subplots().plot([1, 2])
    html = Bundle(figure, "one two", 'a "line"').html()
    assert '<img alt="a &quot;line&quot;"' in html and "<pre>one two</pre>" in html


@pytest.mark.parametrize(("figure", "alt", "error"), [("a string", "x", TypeError), (Scene(1, 1), "", ValueError)])
def test_a_bundle_without_a_picture_or_without_words_is_refused(figure, alt, error):
    with pytest.raises(error, match="Bundle"):
        Bundle(figure, TABLE, alt)


def test_drawing_leaves_no_figure_behind_in_pyplot():
    program = ("from learn_compact.show import ContextView; import sys\n"
               "ContextView([{'role': 'user', 'content': 'Hello'}]).png()\n"
               "sys.exit('matplotlib.pyplot' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_both_painters_paint_every_mark():
    scene = sheet()
    found, figure = elements(scene.svg("x")), scene.figure()
    axes = figure.axes[0]
    painted = sum(len(collection.get_paths()) for collection in axes.collections)
    assert len(found["path"]) == painted == len(scene.marks) - 1
    assert [text.get_text() for text in axes.texts] == [text.text for text in found["text"]] == [HOSTILE]
    assert found["title"][0].text == HOSTILE


def test_stripes_stay_inside_their_rectangle():
    scene = Scene(100, 100)
    scene.stripes(13, 20, 7, 16, "#000000")
    assert scene.marks
    assert all(13 <= x <= 20 and 20 <= y <= 36 for mark in scene.marks for x, y in mark.points)


def test_words_in_a_table_are_escaped():
    html = Table((HOSTILE, "n"), [(HOSTILE, 1)], HOSTILE, HOSTILE).html()
    assert "<script>" not in html and html.count("&lt;script&gt;") == 4


def test_every_part_of_a_context_has_a_name_and_a_colour_of_its_own():
    assert ORDER == ("unlogged", "fixed", *PARTS) and set(ORDER) == set(PALETTE)
    shown = [PALETTE[part] for part in PARTS]
    assert len({look.label for look in shown}) == len({look.colour for look in shown}) == len(PARTS)


def test_a_name_can_be_read_on_its_colour():
    for look in PALETTE.values():
        bright, dark = sorted((luminance(look.colour), luminance(ink_on(look.colour))), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, look
