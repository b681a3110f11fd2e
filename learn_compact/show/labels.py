"""Labels that never stand on each other: one-dimensional placement, and round numbers for an axis."""

from matplotlib.ticker import MaxNLocator


def spread(centres, sizes, low, high, gap=6):
    """Where labels of these `sizes` can stand without touching, as near to their `centres` as that allows.

    Labels that would touch stand together, with the middle of their wishes as their place; all keep their order, and
    stay between `low` and `high` where they fit there at all.

    >>> spread([50, 52, 150], [20, 20, 20], 0, 200)
    [38.0, 64.0, 150.0]
    """
    groups = []  # lists of (wished start, size)
    for centre, size in zip(centres, sizes, strict=True):
        groups.append([(centre - size / 2, size)])
        while len(groups) > 1 and _end(groups[-2], low, high, gap) + gap > _start(groups[-1], low, high, gap):
            last = groups.pop()
            groups[-1] += last
    places = []
    for group in groups:
        x = _start(group, low, high, gap)
        for _, size in group:
            places.append(x + size / 2)
            x += size + gap
    return places


def ticks(high, most=6):
    """Round numbers from 0 to at most `high`: about `most` of them.

    >>> ticks(205_000, 5)
    [0, 50000, 100000, 150000, 200000]
    """
    steps = MaxNLocator(nbins=most, steps=[1, 2, 5, 10], integer=True).tick_values(0, high)
    return [int(tick) for tick in steps if 0 <= tick <= high]


def _start(group, low, high, gap):
    """Where a group begins: on average as its members wish, inside the bounds."""
    offset, wishes = 0, 0
    for wish, size in group:
        wishes += wish - offset
        offset += size + gap
    return max(low, min(wishes / len(group), high - _width(group, gap)))


def _end(group, low, high, gap):
    return _start(group, low, high, gap) + _width(group, gap)


def _width(group, gap):
    return sum(size for _, size in group) + gap * (len(group) - 1)
