"""What each step of a pipeline saves: the context after every step, and what the step took away."""

from learn_compact.errors import PolicyError
from learn_compact.show.bars import draw_axis, total_width
from learn_compact.show.bundle import WIDTH, Bundle
from learn_compact.show.palette import FAINT, PALETTE, paler
from learn_compact.show.scene import Scene, text_width
from learn_compact.show.table import Table, short

MARGIN, TOP, ROW, BAR = 14, 40, 30, 22
LEFT_OVER = PALETTE["fixed"].colour


def waterfall(reports, title="What each step leaves"):
    """The tokens after each step of a run (`StepReport`s, in order), as a `Bundle`; what a step saved is hatched.

    Raises PolicyError where there is no step.
    """
    reports = list(reports)
    if not reports:
        raise PolicyError("waterfall(…) needs the reports of a run with at least one step: `run.reports`.")
    steps = [(report.name, report.tokens_after, report.tokens_before - report.tokens_after, report.chars_after,
              report.chars_before - report.chars_after, report.calls) for report in reports]
    before = ("before", reports[0].tokens_before, 0, reports[0].chars_before, 0, 0)
    columns = "step", "tokens", "tokens saved", "characters", "characters saved", "model calls"
    table = Table(columns, [before, *steps], title)
    return Bundle(_scene(reports, title), table, _sentence(reports, title))


def _scene(reports, title):
    rows = [("before", reports[0].tokens_before, 0, "")]
    rows += [(report.name, report.tokens_after, max(0, report.tokens_before - report.tokens_after),
              "" if report.ran else "did not run") for report in reports]
    left = MARGIN + max(text_width(name) for name, *_ in rows) + 8
    labels = [_label(tokens, saved, remark) for _, tokens, saved, remark in rows]
    scale = min((WIDTH - MARGIN - left - total_width(label)) / max(1, tokens + saved)
                for label, (_, tokens, saved, _) in zip(labels, rows, strict=True))
    scene = Scene(WIDTH, TOP + ROW * len(rows) + 24)
    scene.words(MARGIN, 18, title, size=15, bold=True)
    for i, (label, (name, tokens, saved, _)) in enumerate(zip(labels, rows, strict=True)):
        y, end = TOP + i * ROW, left + tokens * scale
        scene.words(left - 8, y + BAR / 2, name, anchor="end")
        scene.box(left, y, tokens * scale, BAR, LEFT_OVER, title=f"{name}: {tokens:,} tokens")
        scene.box(end, y, saved * scale, BAR, paler(LEFT_OVER), title=f"{name}: {saved:,} tokens saved")
        scene.stripes(end, y, saved * scale, BAR, FAINT)
        scene.words(end + saved * scale + 6, y + BAR / 2, label)
    draw_axis(scene, left, WIDTH - MARGIN, TOP + ROW * len(rows), scale)
    return scene


def _label(tokens, saved, remark):
    return ", ".join(filter(None, [short(tokens), f"−{short(saved)}" if saved > 0 else "", remark]))


def _sentence(reports, title):
    first, last = reports[0].tokens_before, reports[-1].tokens_after
    most = max(reports, key=lambda report: report.tokens_before - report.tokens_after)
    saved = most.tokens_before - most.tokens_after
    best = f"{most.name} saves most, {saved:,}" if saved > 0 else "no step saves anything"
    steps = "one step" if len(reports) == 1 else f"{len(reports)} steps"
    return f"{title}: {first:,} tokens before, {last:,} after {steps}; {best}."
