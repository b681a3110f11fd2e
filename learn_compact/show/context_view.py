"""What fills the window, before and after a layer, and beneath it what became of every block."""

from collections import Counter

from learn_compact.errors import MessageError
from learn_compact.lab.given import must_be, whole_tokens
from learn_compact.show.bars import BAR, bar_height, draw_axis, draw_bar, draw_limit, draw_total, total_width
from learn_compact.show.blocks import GONE, KEPT, SHORTENED, context, fates
from learn_compact.show.bundle import WIDTH, Bundle
from learn_compact.show.palette import ORDER, PALETTE
from learn_compact.show.scene import Scene, text_width
from learn_compact.show.strip import ROW, draw_block, draw_strip, rows, strip_height
from learn_compact.show.table import Table, short
from learn_compact.tokens import context_parts, count_block

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
        names = names or (("context",) if after is None else ("before", "after"))
        given = [before] if after is None else [before, after]
        must_be(isinstance(title, str), "ContextView(title=…)", "a text", title)
        must_be(isinstance(names, list | tuple) and all(isinstance(name, str) for name in names),
                "ContextView(names=…)", "a list of texts", names)
        must_be(tools is None or isinstance(tools, list | tuple), "ContextView(tools=…)", "a list of tools", tools)
        must_be(callable(measure), "ContextView(measure=…)", "a function from a block to tokens", measure)
        if len(names) != len(given):
            raise MessageError(f"ContextView(names=…) needs a name for each context ({len(given)}), not {names!r}.")
        fixed = whole_tokens("ContextView(fixed=…)", fixed)
        around = {"fixed": fixed, **context_parts(system, tools, [], measure).parts}
        self.contexts = [context(name, one, around, measure) for name, one in zip(names, given, strict=True)]
        self.blocks = self.contexts[0].blocks
        self.fates = fates(before, after) if len(given) == 2 and all(one.blocks for one in self.contexts) else []
        lines = {"window": window, "threshold": threshold}
        self.lines = {name: whole_tokens(f"ContextView({name}=…)", tokens) for name, tokens in lines.items() if tokens}
        super().__init__(self._scene(title), self._table(title), self._alt(title))

    def _scene(self, title):
        left = MARGIN + 8 + max(text_width(name, bold=True)
                                for name in (PALETTE["tools"].label, *(one.name for one in self.contexts)))
        right, strip = WIDTH - MARGIN, rows(self.blocks)
        scale = self._scale(right - left)
        row = max(bar_height(one.parts, scale, right - left) for one in self.contexts) + 6
        top = TITLE + 16 * len(self.lines)
        bottom = top + row * len(self.contexts)
        scene = Scene(WIDTH, bottom + 26 + (40 + strip_height(strip) if strip else 0) + (26 if self.fates else 0))
        scene.words(MARGIN, 18, title, size=15, bold=True)
        for i, one in enumerate(self.contexts):
            scene.words(left - 8, top + i * row + BAR / 2, one.name, anchor="end", bold=True)
            draw_bar(scene, left, top + i * row, right, one.parts, scale)
        draw_axis(scene, left, right, bottom, scale)
        for i, (name, tokens) in enumerate(self.lines.items()):
            draw_limit(scene, left + tokens * scale, TITLE + 16 * i + 6, bottom, f"{name} {short(tokens)}",
                       dashed=name == "threshold")
        for i, (label, one) in enumerate(zip(self._totals(), self.contexts, strict=True)):
            draw_total(scene, left + one.total * scale, top + i * row + BAR / 2, label)
        if strip:
            self._draw_blocks(scene, left, bottom + 26, strip)
        return scene

    def _scale(self, width):
        """Pixels per token, so that every bar fits with its total behind it, and every line."""
        return min([width / tokens for tokens in self.lines.values()] + [
            (width - total_width(label)) / max(1, one.total)
            for label, one in zip(self._totals(), self.contexts, strict=True)])

    def _totals(self):
        """What each bar comes to, in words."""
        first, *others = (one.total for one in self.contexts)
        return [f"{first:,} tokens", *(f"{total:,} tokens ({_change(first, total)})" for total in others)]

    def _draw_blocks(self, scene, left, top, strip):
        scene.words(MARGIN, top + 14, f"{'What became of it' if self.fates else 'The conversation'}, block by block "
                    "(each as wide as its tokens, in order)", size=13, bold=True)
        scale = (WIDTH - MARGIN - left) / sum(block.tokens for block in self.blocks)
        draw_strip(scene, left, top + 34, scale, self.blocks, strip, self.fates)
        x, y = left, top + 34 + strip_height(strip)
        for fate, count in self._counts().items():
            draw_block(scene, x, y, 26, "tool_result", fate)
            label = f"{fate}: {_blocks(count)}"
            scene.words(x + 32, y + ROW / 2, label)
            x += 32 + text_width(label) + 24

    def _counts(self):
        found = Counter(self.fates)
        return {fate: found[fate] for fate in (KEPT, SHORTENED, GONE) if found[fate]}

    def _table(self, title):
        used = [part for part in ORDER if any(one.parts[part] for one in self.contexts)]
        cells = [(PALETTE[part].label, *(one.parts[part] for one in self.contexts)) for part in used]
        cells.append(("total", *(one.total for one in self.contexts)))
        columns = ("part", *(one.name for one in self.contexts))
        if len(self.contexts) == 2:
            columns, cells = (*columns, "change"), [(*row, _signed(row[2] - row[1])) for row in cells]
        notes = [f"{name} {tokens:,} tokens" for name, tokens in self.lines.items()]
        notes += [f"{fate}: {_blocks(count)}" for fate, count in self._counts().items()]
        return Table(columns, cells, f"{title} (tokens)", "; ".join(notes))

    def _alt(self, title):
        before, *others = self.contexts
        largest = max(ORDER, key=before.parts.get)
        text = (f"{title}: {before.total:,} tokens {before.name}, the largest part is {PALETTE[largest].label} with "
                f"{before.parts[largest]:,}.")
        for after in others:
            most = max(ORDER, key=lambda part: abs(after.parts[part] - before.parts[part]))
            text += (f" {after.total:,} tokens {after.name} ({_change(before.total, after.total)}); most of the "
                     f"difference: {PALETTE[most].label}, from {before.parts[most]:,} to {after.parts[most]:,}.")
        return text


def _change(before, after):
    if before == after:
        return "unchanged"
    return f"{(after - before) / max(1, before):+.0%}".replace("%", " %").replace("-", "−")


def _signed(number):
    return f"{number:+,}" if number else "0"


def _blocks(count):
    return f"{count} block" if count == 1 else f"{count} blocks"
