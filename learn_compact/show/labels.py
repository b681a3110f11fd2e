"""Labels that never stand on each other: one-dimensional placement, and round numbers for an axis."""

from matplotlib.ticker import MaxNLocator


def spread(centres, sizes, low, high, gap=6):
    """Where labels of these `sizes` can stand without touching, each as near to its centre as its neighbours let it.

    Labels keep their order and stay between `low` and `high` where they fit there at all.

    >>> spread([10, 12, 100], [20, 20, 20], 0, 200)
    [10, 36, 100]
    """
    places, edge = [], low
    for centre, size in zip(centres, sizes, strict=True):
        places.append(max(centre, edge + size / 2))
        edge = places[-1] + size / 2 + gap
    edge = high
    for i in reversed(range(len(places))):
        places[i] = min(places[i], edge - sizes[i] / 2)
        edge = places[i] - sizes[i] / 2 - gap
    return places


def ticks(high, most=6):
    """Round numbers from 0 to at most `high`: about `most` of them.

    >>> ticks(205_000, 5)
    [0, 50000, 100000, 150000, 200000]
    """
    steps = MaxNLocator(nbins=most, steps=[1, 2, 5, 10], integer=True).tick_values(0, high)
    return [int(tick) for tick in steps if 0 <= tick <= high]
