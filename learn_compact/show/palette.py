"""One colour per part of the context, the same in every chapter; safe for colour-blind readers (Okabe and Ito).

Colour never speaks alone: every picture also names the parts, keeps their order, or gives each a row of its own.
"""

from typing import NamedTuple

from learn_compact.tokens import PARTS


class Look(NamedTuple):
    """How a part of the context is shown: its name in words and its colour."""

    label: str
    colour: str


# Beside the parts: "unlogged" is what a log doesn't show of a request, "fixed" system prompt and tools in one.
PALETTE = {
    "unlogged": Look("not in the log", "#999999"),
    "fixed": Look("system and tools", "#999999"),
    "system": Look("system prompt", "#8A8A8A"),
    "tools": Look("tool definitions", "#B3B3B3"),
    "user": Look("user", "#0072B2"),
    "assistant": Look("assistant", "#56B4E9"),
    "thinking": Look("thinking", "#CC79A7"),
    "tool_use": Look("tool calls", "#F0E442"),
    "tool_result": Look("tool results", "#D55E00"),
    "image": Look("images", "#E69F00"),
    "summary": Look("summary", "#009E73"),
    "attachment": Look("attachments", "#661100"),
    "other": Look("other", "#D9D9D9"),
}
ORDER = ("unlogged", "fixed", *PARTS)

INK, FAINT, PAPER = "#1A1A1A", "#595959", "#FFFFFF"


def ink_on(colour):
    """Black or white, whichever is easier to read on `colour` (contrast as WCAG 2 computes it).

    >>> ink_on("#F0E442"), ink_on("#0072B2")
    ('#1A1A1A', '#FFFFFF')
    """
    bright = luminance(colour)
    return INK if (bright + 0.05) / (luminance(INK) + 0.05) >= 1.05 / (bright + 0.05) else PAPER


def luminance(colour):
    """Relative luminance of a colour `#RRGGBB`, 0 (black) to 1 (white).

    >>> round(luminance("#FFFFFF"), 3)
    1.0
    """
    channels = (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def paler(colour, strength=0.3):
    """`colour` on white paper, with only `strength` of it left: for blocks that are no longer there as they were.

    >>> paler("#000000", 0.5)
    '#808080'
    """
    channels = (round(255 + (int(colour[i:i + 2], 16) - 255) * strength) for i in (1, 3, 5))
    return "#" + "".join(f"{c:02X}" for c in channels)
