"""What fills the window, before and after a layer, and beneath it what became of every block."""

from collections import Counter

from learn_compact.errors import MessageError
from learn_compact.show.bars import (
    BAR,
    bar_height,
    draw_axis,
    draw_bar,
    draw_limit,
    draw_total,
    total_width,
)
from learn_compact.show.blocks import GONE, KEPT, SHORTENED, checked, fates, flatten
from learn_compact.show.bundle import WIDTH, Bundle
from learn_compact.show.palette import ORDER, PALETTE
from learn_compact.show.scene import Scene, text_width
from learn_compact.show.strip import ROW, draw_block, draw_strip, rows, strip_height
from learn_compact.show.table import Table, short
from learn_compact.tokens import ContextParts, context_parts, count_block

MARGIN, TITLE = 14, 34


class ContextView(Bundle):
    """One context, or the same one before and after: stacked by part, and the conversation block by block.

    `before` and `after` are lists of messages, or `ContextParts` where only figures are known (then there is no strip
    of blocks). `system` and `tools` belong to the request; `fixed` is their size in tokens where only that is known.
    `window` and `threshold` (tokens) draw a line each; `measure(block)` counts one block. Raises MessageError for
    anything else.

    >>> print(ContextView([{"role": "user", "content": "Count."}], fixed=14_000).table)
    What fills the window (tokens)
    part              context
    system and tools   14,000
    user                   14
    total              14,014
    """

    def __init__(self, before, after=None, *, window=None, threshold=None, names=None,
                 title="What fills the window", system=None, tools=None, fixed=0, measure=count_block):
        contexts = [before] if after is None else [before, after]
        self.names = names or (("context",) if after is None else ("before", "after"))
        if len(self.names) != len(contexts):
            raise MessageError(f"ContextView(names=…) needs a name for each context ({len(contexts)}), not {names!r}.")
        lines = {"window": window, "threshold": threshold}
        self.lines = {name: _tokens(name, tokens) for name, tokens in lines.items() if tokens}
        around = {"fixed": _tokens("fixed", fixed), **context_parts(system, tools, [], measure).parts}
        found = [context if isinstance(context, ContextParts) else
                 flatten(checked(context, f"ContextView({name}=…)"), measure)
                 for context, name in zip(contexts, self.names, strict=True)]
        self.parts = [_parts(one, around) for one in found]
        self.blocks = found[0] if isinstance(found[0], list) else []
        self.fates = fates(before, after) if len(found) == 2 and all(isinstance(one, list) for one in found) else []
        super().__init__(self._scene(title), self._table(title), self._alt(title))

    @property
    def totals(self):
        """Tokens of each context."""
        return [sum(parts.values()) for parts in self.parts]

    def _scene(self, title):
        left = MARGIN + max(text_width(name, 12, True) for name in (*self.names, PALETTE["tools"].label)) + 8
        scale = self._scale(WIDTH - MARGIN - left)
        row = max(bar_height(parts, scale, WIDTH - MARGIN - left) for parts in self.parts) + 6
        top = TITLE + 16 * len(self.lines)
        bottom, strip = top + row * len(self.parts), rows(self.blocks)
        scene = Scene(WIDTH, bottom + 26 + (40 + strip_height(strip) if strip else 0) + (26 if self.fates else 0))
        scene.words(MARGIN, 18, title, size=15, bold=True)
        for i, (name, parts) in enumerate(zip(self.names, self.parts, strict=True)):
            scene.words(left - 8, top + i * row + BAR / 2, name, anchor="end", bold=True)
            draw_bar(scene, left, top + i * row, WIDTH - MARGIN, parts, scale)
        draw_axis(scene, left, WIDTH - MARGIN, bottom, scale)
        for i, (name, tokens) in enumerate(self.lines.items()):
            draw_limit(scene, left + tokens * scale, TITLE + 16 * i + 6, bottom, f"{name} {short(tokens)}",
                       dashed=name == "threshold")
        for i, (label, total) in enumerate(zip(self._total_labels(), self.totals, strict=True)):
            draw_total(scene, left + total * scale, top + i * row + BAR / 2, label)
        if strip:
            self._draw_blocks(scene, left, bottom + 26, strip)
        return scene

    def _scale(self, width):
        """Pixels per token, so that every bar fits with its total behind it, and every line."""
        return min([width / tokens for tokens in self.lines.values()] + [
            (width - total_width(label)) / max(1, total)
            for label, total in zip(self._total_labels(), self.totals, strict=True)])

    def _total_labels(self):
        first = self.totals[0]
        return [f"{first:,} tokens", *(f"{total:,} tokens ({_change(first, total)})" for total in self.totals[1:])]

    def _draw_blocks(self, scene, left, top, strip):
        scene.words(MARGIN, top + 14, f"{'What became of it' if self.fates else 'The conversation'}, block by block "
                    "(each as wide as its tokens, in order)", size=13, bold=True)
        scale = (WIDTH - MARGIN - left) / sum(block.tokens for block in self.blocks)
        draw_strip(scene, left, top + 34, scale, self.blocks, strip, self.fates)
        x, y = left, top + 34 + strip_height(strip)
        for fate, count in self._counts().items():
            draw_block(scene, x, y, 26, "tool_result", fate)
            label = f"{fate}: {count} block{'s' * (count != 1)}"
            scene.words(x + 32, y + ROW / 2, label)
            x += 32 + text_width(label) + 24

    def _counts(self):
        found = Counter(self.fates)
        return {fate: found[fate] for fate in (KEPT, SHORTENED, GONE) if found[fate]}

    def _table(self, title):
        used = [part for part in ORDER if any(parts.get(part) for parts in self.parts)]
        rows = [(PALETTE[part].label, *(parts.get(part, 0) for parts in self.parts)) for part in used]
        rows.append(("total", *self.totals))
        columns = ("part", *self.names)
        if len(self.parts) == 2:
            columns, rows = (*columns, "change"), [(*row, _signed(row[2] - row[1])) for row in rows]
        notes = [f"{name} {tokens:,} tokens" for name, tokens in self.lines.items()]
        notes += [f"{fate}: {count} blocks" for fate, count in self._counts().items()]
        return Table(columns, rows, f"{title} (tokens)", "; ".join(notes))

    def _alt(self, title):
        first = self.parts[0]
        largest = max(first, key=first.get)
        text = (f"{title}: {self.totals[0]:,} tokens {self.names[0]}, the largest part is "
                f"{PALETTE[largest].label} with {first[largest]:,}.")
        if len(self.parts) == 1:
            return text
        changes = {part: self.parts[1].get(part, 0) - first.get(part, 0) for part in ORDER}
        most = max(changes, key=lambda part: abs(changes[part]))
        return (f"{text} {self.totals[1]:,} tokens {self.names[1]} ({_change(*self.totals)}); most of the difference: "
                f"{PALETTE[most].label}, from {first.get(most, 0):,} to {self.parts[1].get(most, 0):,}.")


def _tokens(name, value):
    """A size that a reader gave, in whole tokens; or a MessageError that says what it should be."""
    if not isinstance(value, int | float) or value < 0:
        raise MessageError(f"ContextView({name}=…) is a number of tokens, 0 or more, not {value!r}.")
    return round(value)


def _parts(found, around):
    """Tokens by part: of figures as they are, of blocks summed up, with what stands `around` the messages."""
    inside = Counter(found.parts if isinstance(found, ContextParts) else {})
    for block in found if isinstance(found, list) else ():
        inside[block.part] += block.tokens
    return {part: around.get(part, 0) + inside[part] for part in ORDER}


def _change(before, after):
    if before == after:
        return "unchanged"
    return f"{(after - before) / max(1, before):+.0%}".replace("%", " %").replace("-", "−")


def _signed(number):
    return f"{number:+,}" if number else "0"
