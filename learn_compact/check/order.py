"""Exercise of chapter 5: the four steps of s08 in their order, each wrong order with what it costs."""

import json
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from learn_compact.archive import Archive
from learn_compact.check.exercise import Exercise
from learn_compact.check.stand_ins import Summarizer
from learn_compact.layers.auto import CONTEXT_CHAR_LIMIT, compact_history
from learn_compact.layers.budget import MAX_RESULT_CHARS, tool_result_budget
from learn_compact.layers.micro import micro_compact
from learn_compact.layers.snip import snip_compact
from learn_compact.messages import result_text, tool_results
from learn_compact.tokens import estimate_chars

ORDER = ("tool_result_budget", "snip_compact", "micro_compact", "compact_history")

CALLS, UNSAVED, PLACEHOLDERS = FIGURES = (
    "calls of a model", "large results that no step saved", "placeholders in the archive")

GENTLE_FIRST = "What loses nothing comes first, and what costs a call comes last, if at all."
NEARLY = ("By every figure it is as good as the order of s08, which begins with tool_result_budget: that leaves a path "
          "and a preview of every large result, where snip_compact takes whole messages out of sight.")

# (comes first, comes later): the figure that gets worse the other way round, and why.
REASONS = {
    ("tool_result_budget", "micro_compact"): (UNSAVED, "The budget moves a large result to disk. A placeholder moves "
        "nothing: what micro_compact has cleared, the budget can't save any more."),
    ("snip_compact", "micro_compact"): (PLACEHOLDERS, "What snip_compact archives should be what was said. After "
        "micro_compact, placeholders are all that is left to archive."),
    ("micro_compact", "compact_history"): (CALLS, "A summary costs a call and loses details. The cheap and certain "
        "steps come first: here they make enough room, and no summary is due."),
    ("snip_compact", "compact_history"): (CALLS, "A summary costs a call and loses details. The archive costs nothing "
        "and loses nothing, so it comes first."),
    ("tool_result_budget", "compact_history"): (CALLS, "A summary costs a call and loses details. The budget costs "
        "nothing and loses nothing, so it comes first."),
}


def _long_work():
    """A conversation of 64 messages: 31 calls with results of 2,600 characters, one of them of 52,000."""
    messages = [{"role": "user", "content": "Which of the modules log too much?"}]
    for n in range(31):
        text = f"module {n:02d}: ok\n" * (4_000 if n == 12 else 200)
        messages += [{"role": "assistant", "content": [
            {"type": "tool_use", "id": f"call_{n}", "name": "bash", "input": {"command": f"run {n}"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"call_{n}", "content": text}]}]
    return [*messages, {"role": "assistant", "content": "Two of them do."}]


def outcome(order):
    """What the steps do to a long piece of work in this order, each only where it is due: figures by name."""
    messages, summarize = _long_work(), Summarizer()
    large = [text for found in tool_results(messages) if len(text := result_text(found.block)) > MAX_RESULT_CHARS]
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive(folder)
        steps = {
            "tool_result_budget": partial(tool_result_budget, archive=archive),
            "snip_compact": partial(snip_compact, archive=archive),
            "micro_compact": micro_compact,
            "compact_history": partial(compact_history, archive=archive, summarize=summarize),
        }
        for name in order:
            if name != "compact_history" or estimate_chars(messages) > CONTEXT_CHAR_LIMIT:
                messages = steps[name](messages)
        on_disk = [path.read_text(encoding="utf-8") for path in Path(folder).rglob("*") if path.is_file()]
    return dict(zip(FIGURES, (
        summarize.calls,
        sum(not any(_holds(file, text) for file in on_disk) for text in large),
        sum(file.count("[Previous: used ") for file in on_disk)), strict=True))


def _holds(file, text):
    """Whether a file holds a text, as it is or as JSON."""
    return text in file or json.dumps(text)[1:-1] in file


@dataclass(frozen=True, repr=False)
class OrderExercise(Exercise):
    """The answer is a list of four names, or of the layers themselves."""

    def verdict(self, answer):
        """Right, or a pair in the wrong order with what that costs."""
        if answer is None or answer is ...:
            return self.unfilled()
        if not isinstance(answer, list | tuple):
            return f"check.{self.name} wants a list of four steps, and this is of type {type(answer).__name__}."
        if not answer or ... in answer:
            return self.unfilled()
        order = [getattr(step, "__name__", step) for step in answer]
        if sorted(map(str, order)) != sorted(ORDER):
            return f"Not yet: the list should name each of these once: {', '.join(sorted(ORDER))}."
        yours, documented = outcome(order), outcome(ORDER)
        wrong = [(pair, why) for pair, (figure, why) in REASONS.items()
                 if order.index(pair[0]) > order.index(pair[1]) and yours[figure] > documented[figure]]
        if not wrong:
            return f"Right. {GENTLE_FIRST if tuple(order) == ORDER else NEARLY}"
        (first, later), why = wrong[0]
        rows = [f"    {name:<40}{yours[name]:>8,}{documented[name]:>8,}" for name in FIGURES]
        return "\n".join([f"Not yet: {later} comes before {first}.", "",
                          "A long piece of work, in your order and in that of s08:",
                          f"{'':44}{'yours':>8}{'s08':>8}", *rows, "", why])


order_steps = OrderExercise(
    name="order_steps",
    hints=(
        "Ask each step two questions. What does it cost? And what is gone behind it, that was there before?",
        "Two steps move something to disk, and what they move should be whole. One replaces results by placeholders. "
        "One asks a model, but only where there is still too much.",
        "A single large result is dealt with before whole messages are, whole messages before their old results, and "
        "the summary is last.",
    ),
    solution="05_order_steps.py",
)
