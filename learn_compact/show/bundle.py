"""A picture in four forms at once: live widget, page, PNG, text table with the same numbers.

Whoever shows a notebook takes the richest form it knows. A running JupyterLab takes the widget. GitHub, nbviewer,
nbconvert and a notebook that nobody ran take the page, which needs neither kernel nor script: the picture with its
alternative text and its table. Makers of PDF take the PNG; a terminal and nbval take the table.
"""

import io
from base64 import b64encode
from html import escape

from matplotlib import style
from matplotlib.figure import Figure
from PIL import Image

from learn_compact.show.scene import DPI, Scene

WIDTH = 900  # pixels: what a notebook shows without scaling, on GitHub too
SHARPNESS = 1.5  # pixels of the stored PNG to a pixel of the picture


class Bundle:
    """A picture (`figure`: a `Scene` or a matplotlib Figure), its numbers (`table`) and a sentence or two (`alt`).

    The last line of a cell shows it. `widget` is what a running notebook shows; left out, it is the picture with its
    table folded away beneath it, as on the page.
    """

    def __init__(self, figure, table, alt, widget=None):
        if not isinstance(figure, Scene | Figure):
            raise TypeError(f"Bundle(figure, …) takes a Scene or a matplotlib Figure, not {type(figure).__name__}.")
        if not (alt and isinstance(alt, str)):
            raise ValueError("Bundle(…, alt) needs a sentence that says what the picture shows: "
                             "who can't see it reads this instead.")
        self.figure, self.table, self.alt, self._widget = figure, table, alt, widget

    @property
    def widget(self):
        """The live view, made when it is first asked for."""
        if self._widget is None:
            from ipywidgets import HTML  # late: a picture that is only stored needs no widget

            self._widget = HTML(self.html())
        return self._widget

    def png(self):
        """The picture as PNG bytes: the same picture gives the same bytes, whatever the reader set in matplotlib."""
        drawn, file = io.BytesIO(), io.BytesIO()
        with style.context("default", after_reset=True):
            figure = self.figure.figure() if isinstance(self.figure, Scene) else self.figure
            figure.savefig(drawn, dpi=SHARPNESS * DPI)
        # The 256 colours that fit best: no eye sees the difference, and a notebook stores a third of the bytes.
        Image.open(drawn).convert("RGB").quantize().save(file, "png", optimize=True)
        return file.getvalue()

    def picture_html(self):
        """The picture alone, as HTML with its alternative text."""
        return self.figure.svg(self.alt) if isinstance(self.figure, Scene) else self._image_html(self._png_text())

    def html(self):
        """The picture and, folded away beneath it, its numbers."""
        return self._page(self.picture_html())

    def _repr_mimebundle_(self, include=None, exclude=None):
        png = self._png_text()
        forms = {**self.widget._repr_mimebundle_(), "text/html": self._page(self._image_html(png)), "image/png": png,
                 "text/plain": str(self.table)}
        return forms, {"image/png": {"alt": self.alt, "width": WIDTH}}

    def _page(self, picture):
        return (f'<figure style="margin:0;overflow-x:auto">{picture}<figcaption><details>'
                f"<summary>The numbers as a table</summary>{table_html(self.table)}</details></figcaption></figure>")

    def _image_html(self, png):
        # GitHub drops the style and keeps the width; it has a rule of its own against pictures wider than the page.
        return (f'<img alt="{escape(self.alt)}" width="{WIDTH}" style="max-width:100%;height:auto" '
                f'src="data:image/png;base64,{png}">')

    def _png_text(self):
        return b64encode(self.png()).decode()


def table_html(table):
    """A table as HTML: a `Table` makes its own, everything else is shown as text."""
    return table.html() if hasattr(table, "html") else f"<pre>{escape(str(table))}</pre>"
