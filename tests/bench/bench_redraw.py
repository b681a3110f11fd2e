"""What a slider costs: one redraw on the largest outline, from the moved slider to the HTML that the browser gets."""

from figures import Figure, seconds
from ipywidgets import IntSlider

from learn_compact.data import load_outline
from learn_compact.layers.micro import micro_compact
from learn_compact.show import ContextView, explorer
from learn_compact.show.explore import Walk

LIMIT = 0.15  # seconds; above, a reader sees the picture lag behind the slider


def figures():
    outline = load_outline("spotter-ae4a77f8")
    walk = Walk(outline)
    slider = IntSlider(value=1, min=1, max=len(walk.moments))
    explorer({"request": slider}, lambda values: walk.at(values["request"]), "")
    redraw = slowest(slider, (60, 138, 139, 217))
    yield Figure("a redraw of explore, the slowest of four requests", redraw, LIMIT, "s")
    yield Figure("a redraw / painting the same picture with matplotlib", redraw / seconds(walk.at(138).png), 0.25)

    messages = outline.segments[0].conversation()
    keep = IntSlider(value=3, min=0, max=100)
    explorer({"keep": keep}, lambda values: ContextView(messages, micro_compact(messages, keep_recent=values["keep"])),
             "")
    yield Figure("a redraw of micro_compact's explorer, layer included", slowest(keep, (0, 10, 100)), LIMIT, "s")


def slowest(slider, values):
    """The time of the slowest move to one of these values, each from another one."""
    def move(value):
        slider.value = slider.min + 1
        return seconds(lambda: setattr(slider, "value", value), repeat=1)

    return max(min(move(value) for _ in range(7)) for value in values)
