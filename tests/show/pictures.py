"""What a test can see of a picture: where its words stand, and that nothing of a conversation turned into HTML."""

from itertools import combinations
from xml.etree import ElementTree

from learn_compact.show.scene import Scene, Words


def words_of(scene: Scene):
    return [mark for mark in scene.marks if isinstance(mark, Words)]


def overlapping(scene):
    """Pairs of texts that stand on each other."""
    boxes = [(mark.box, mark.text) for mark in words_of(scene)]
    return [(a, b) for (one, a), (two, b) in combinations(boxes, 2)
            if one[0] < two[2] - 1 and two[0] < one[2] - 1 and one[1] < two[3] and two[1] < one[3]]


def outside(scene):
    """Texts that the edge of the sheet cuts off."""
    return [mark.text for mark in words_of(scene)
            if mark.box[0] < 0 or mark.box[2] > scene.width or mark.y < 6 or mark.y > scene.height - 6]


def elements(svg):
    """The elements of an SVG, by name; fails where it is not well formed."""
    found = {}
    for element in ElementTree.fromstring(svg).iter():
        found.setdefault(element.tag.split("}")[1], []).append(element)
    return found
