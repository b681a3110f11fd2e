"""What a test can see of a picture: where its words stand, and that nothing of a conversation turned into HTML."""

from itertools import combinations
from xml.etree import ElementTree

from learn_compact.show.scene import Scene, Words, text_width


def words_of(scene: Scene):
    return [mark for mark in scene.marks if isinstance(mark, Words)]


def overlapping(scene):
    """Pairs of texts that stand on each other."""
    boxes = [(_box(mark), mark.text) for mark in words_of(scene)]
    return [(a, b) for (one, a), (two, b) in combinations(boxes, 2)
            if one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]]


def outside(scene):
    """Texts that the edge of the sheet cuts off."""
    return [mark.text for mark in words_of(scene)
            if _box(mark)[0] < 0 or _box(mark)[2] > scene.width or mark.y < 6 or mark.y > scene.height - 6]


def elements(svg):
    """The elements of an SVG, by name; fails where it is not well formed."""
    found = {}
    for element in ElementTree.fromstring(svg).iter():
        found.setdefault(element.tag.split("}")[1], []).append(element)
    return found


def _box(mark):
    width = text_width(mark.text, mark.size, mark.bold)
    left = mark.x - width * {"start": 0, "middle": 0.5, "end": 1}[mark.anchor]
    half = 0.4 * mark.size  # letters, without the air between lines
    return left + 0.5, mark.y - half, left + width - 0.5, mark.y + half
