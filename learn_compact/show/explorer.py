"""The frame of every explorer: controls on top, a picture that follows them, and its numbers as a table.

Redraws set the `.value` of HTML widgets, so a notebook with an explorer can be tested and stored like any other.
"""

from html import escape

from learn_compact.errors import LearnCompactError
from learn_compact.lab.given import must_be
from learn_compact.show.bundle import Bundle, table_html

# Widgets take the browser's ring away from sliders and boxes: who drives them by keys must see where they are. A
# label would cut a piece of it off.
STYLE = ("<style>.learn-compact.jupyter-widgets :focus-visible "
         "{outline: 3px solid var(--jp-ui-font-color0, #1A1A1A) !important} "
         ".learn-compact .widget-label-basic {overflow: visible}</style>")


def explorer(controls, draw, description):
    """An explorer as a `Bundle`: its picture and table are those of the state in which the controls are handed in.

    `controls` are widgets by name; each slider gets a number box beside it, or its choice in words. `draw(values)`
    takes their values by name and gives a `Bundle`; a LearnCompactError that it raises is shown in place of the
    picture. `description` says in a sentence what can be tried.
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
    """A control as one row: a slider with a number box before it or its choice behind it, everything else as it is.

    The name belongs to the box: a screen reader finds it there, for a slider's name is nowhere that it looks. What a
    slider writes beside itself is left out: it can be typed over, and then a choice in words says what isn't so.
    """
    import ipywidgets as widgets

    control.style.description_width = "initial"
    if isinstance(control, widgets.SelectionSlider):
        control.readout, choice = False, widgets.Label()
        names = [option[0] if isinstance(option, tuple) else str(option) for option in control.options]
        widgets.dlink((control, "index"), (choice, "value"), names.__getitem__)
        return widgets.HBox([control, choice])
    if not isinstance(control, widgets.IntSlider | widgets.FloatSlider):
        return control
    kind = widgets.BoundedIntText if isinstance(control, widgets.IntSlider) else widgets.BoundedFloatText
    box = kind(value=control.value, min=control.min, max=control.max, step=control.step,
               description=control.description, style={"description_width": "initial"}, layout={"width": "auto"})
    control.description, control.readout = "", False
    control.layout.width, control.layout.margin = "32em", "0 0 0 1em"
    widgets.link((control, "value"), (box, "value"))
    return widgets.HBox([box, control])


def _values(controls):
    return {name: control.value for name, control in controls.items()}
