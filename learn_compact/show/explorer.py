"""The frame of every explorer: controls on top, a picture that follows them, and its numbers as a table.

Redraws set the `.value` of HTML widgets, so a notebook with an explorer can be tested and stored like any other.
"""

from html import escape

from learn_compact.errors import LearnCompactError
from learn_compact.lab.given import must_be
from learn_compact.show.bundle import Bundle, table_html

# Widgets take the browser's ring away from sliders and boxes: who drives them by keys must see where they are.
STYLE = ("<style>.learn-compact.jupyter-widgets :focus-visible "
         "{outline: 3px solid var(--jp-ui-font-color0, #1A1A1A) !important}</style>")


def explorer(controls, draw, description):
    """An explorer as a `Bundle`: its picture and table are those of the state in which the controls are handed in.

    `controls` are widgets by name; each slider gets a box beside it, for its number or its choice. `draw(values)` takes
    their values by name and gives a `Bundle`; a LearnCompactError that it raises is shown in place of the picture.
    `description` says in a sentence what can be tried.
    """
    from ipywidgets import HTML, Checkbox, Layout, VBox  # late: `learn_compact.show` alone needs no widget

    must_be(isinstance(controls, dict) and all(hasattr(control, "observe") for control in controls.values()),
            "explorer(controls, …)", "widgets by name: {\"keep\": IntSlider(3)}", controls)
    must_be(callable(draw), "explorer(…, draw, …)", "a function from the controls' values to a Bundle", draw)
    first = draw(_values(controls))
    must_be(isinstance(first, Bundle), "What draw(values) gives", "a Bundle", first)
    picture, words, numbers = HTML(layout=Layout(overflow="auto")), HTML(), HTML(layout=Layout(display="none"))
    wants_numbers = Checkbox(description="show the numbers as a table", indent=False)

    def show(bundle):
        picture.value = bundle.picture_html()
        words.value = f'<p role="status" style="margin:0">{escape(bundle.alt)}</p>'
        numbers.value = table_html(bundle.table)

    def redraw(_):
        try:
            show(draw(_values(controls)))
        except LearnCompactError as error:
            picture.value, words.value, numbers.value = "", f'<p role="alert"><b>{escape(str(error))}</b></p>', ""

    for control in controls.values():
        control.observe(redraw, "value")
    wants_numbers.observe(lambda change: setattr(numbers.layout, "display", "" if change.new else "none"), "value")
    show(first)
    frame = VBox([HTML(f"<p style='margin:0'>{escape(str(description))}</p>{STYLE}"), *map(_row, controls.values()),
                  picture, words, wants_numbers, numbers], layout=Layout(padding="0 0 0 4px"))  # room for the ring
    frame.add_class("learn-compact")
    return Bundle(first.figure, first.table, first.alt, frame)


def _row(control):
    """A control as one row: a slider with a box before it, everything else as it is.

    The name belongs to the box: a screen reader finds it there, for a slider's name is nowhere that it looks. What a
    slider writes beside itself is left out: it can be typed over, and then says what isn't so.
    """
    import ipywidgets as widgets

    control.style.description_width = "initial"
    boxes = {widgets.IntSlider: widgets.BoundedIntText, widgets.FloatSlider: widgets.BoundedFloatText,
             widgets.SelectionSlider: widgets.Dropdown}
    kind = next((box for slider, box in boxes.items() if isinstance(control, slider)), None)
    if kind is None:
        return control
    values = ("options",) if kind is widgets.Dropdown else ("min", "max", "step")
    box = kind(**{name: getattr(control, name) for name in values}, value=control.value,
               description=control.description, style={"description_width": "initial"}, layout={"width": "auto"})
    control.description, control.readout = "", False
    control.layout.width, control.layout.margin = "32em", "0 0 0 1em"
    widgets.link((control, "value"), (box, "value"))
    return widgets.HBox([box, control])


def _values(controls):
    return {name: control.value for name, control in controls.items()}
