"""A picture in three forms at once: live widget, PNG with alternative text, text table with the same numbers.

Jupyter shows the richest form that it can: JupyterLab the widget, GitHub and a notebook that nobody ran the PNG, a
terminal, nbval and a screen reader the table.
"""

import io
from base64 import b64encode
from html import escape

from matplotlib import style
from matplotlib.figure import Figure

from learn_compact.show.scene import DPI, Scene

WIDTH = 900  # pixels: what a notebook shows without scaling, on GitHub too
SHARPNESS = 1.5  # pixels of the stored PNG to a pixel of the picture


class Bundle:
    """A picture (`figure`: a `Scene` or a matplotlib Figure), its numbers (`table`) and a sentence or two (`alt`).

    The last line of a cell shows it. `widget` is what a running notebook shows; left out, it is the picture with its
    table folded away beneath it.
    """

    def __init__(self, figure, table, alt, widget=None):
        if not isinstance(figure, Scene | Figure):
            raise TypeError(f"Bundle(figure, …) takes a Scene or a matplotlib Figure, not {type(figure).__name__}.")
        if not alt:
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
        file = io.BytesIO()
        with style.context("default", after_reset=True):
            figure = self.figure.figure() if isinstance(self.figure, Scene) else self.figure
            figure.savefig(file, format="png", dpi=SHARPNESS * DPI, metadata={"Software": None})
        return file.getvalue()

    def picture_html(self):
        """The picture alone, as HTML with its alternative text."""
        if isinstance(self.figure, Scene):
            return self.figure.svg(self.alt)
        return (f'<img alt="{escape(self.alt)}" style="width:100%;max-width:{WIDTH}px" '
                f'src="data:image/png;base64,{b64encode(self.png()).decode()}">')

    def html(self):
        """The picture and, folded away beneath it, its numbers."""
        return (f'<figure style="margin:0">{self.picture_html()}<figcaption><details>'
                f"<summary>The numbers as a table</summary>{table_html(self.table)}</details></figcaption></figure>")

    def _repr_mimebundle_(self, include=None, exclude=None):
        view = self.widget._repr_mimebundle_()
        forms = {**view, "image/png": b64encode(self.png()).decode(), "text/plain": str(self.table)}
        return forms, {"image/png": {"alt": self.alt, "width": WIDTH}}


def table_html(table):
    """A table as HTML: a `Table` makes its own, everything else is shown as text."""
    return table.html() if hasattr(table, "html") else f"<pre>{escape(str(table))}</pre>"
