"""The documented pipelines: reading their bodies is reading the lesson."""

import time

from learn_compact.errors import demand
from learn_compact.layers.age import MAX_AGE_SECONDS, Ages, micro_by_age
from learn_compact.layers.auto import (
    CONTEXT_CHAR_LIMIT,
    REACTIVE_KEEP_MESSAGES,
    auto_compact,
    compact_history,
    reactive_compact,
)
from learn_compact.layers.budget import MAX_RESULT_CHARS, tool_result_budget
from learn_compact.layers.collapse import collapse_finished
from learn_compact.layers.full import full_compact
from learn_compact.layers.micro import KEEP_RECENT, micro_compact, micro_down_to
from learn_compact.layers.snip import KEEP_FIRST, KEEP_LAST, MAX_MESSAGES, snip_compact
from learn_compact.pipeline.guards import Guard, Guarded
from learn_compact.pipeline.run import Pipeline
from learn_compact.pipeline.steps import Projection, Step
from learn_compact.pipeline.triggers import (
    above_chars,
    above_estimate,
    above_messages,
    above_tokens,
    always,
    any_result_above,
    auto_compact_threshold,
)
from learn_compact.tokens import RunningCount, json_size

THRESHOLD = 50_000  # s06, in estimated tokens
EFFECTIVE_WINDOW = 200_000
ANCIENT_MESSAGES = 400  # Claude Code's snip is for what is ancient: far more than the 50 of s08, and then to the half
COLLAPSE_SHARE = 0.8    # of the threshold of auto-compact: reading less may make it needless


def s06(summarize, archive, *, threshold=THRESHOLD):
    """The three layers of s06: placeholders before every request, a summary above the threshold or when asked for.

    >>> [step.name for step in s06(summarize=None, archive=None).steps]
    ['micro_compact', 'auto_compact']
    """
    return Pipeline([
        Step("micro_compact", micro_compact),
        Step("auto_compact", auto_compact, when=above_tokens(threshold), summarize=summarize, archive=archive),
    ])


def s08(summarize, archive, *, max_result_chars=MAX_RESULT_CHARS, max_batch_chars=None, max_messages=MAX_MESSAGES,
        keep_first=KEEP_FIRST, keep_last=KEEP_LAST, snip_to=None, keep_recent=KEEP_RECENT, micro_to=None,
        leave_path=False, char_limit=CONTEXT_CHAR_LIMIT, keep_messages=REACTIVE_KEEP_MESSAGES):
    """The pipeline of s08: what is cheap and certain first, a model's summary last, and an answer to a refusal.

    Four parameters are cures of later versions: `max_batch_chars=200_000` moves results to disk only where those of one
    message exceed it together; `snip_to=30` snips so deep that the next turns have peace; `micro_to=0.8` clears only
    above `char_limit`, and only down to that share of it; with `leave_path` what is cleared is saved, and says where.

    >>> [step.name for step in s08(summarize=None, archive=None).steps]
    ['tool_result_budget', 'snip_compact', 'micro_compact', 'compact_history']
    """
    _check_numbers(micro_to, max_result_chars=max_result_chars, max_batch_chars=max_batch_chars or 0,
                   max_messages=max_messages, keep_first=keep_first, keep_last=keep_last, snip_to=snip_to or 0,
                   keep_recent=keep_recent, char_limit=char_limit, keep_messages=keep_messages)
    model = {"summarize": summarize, "archive": archive}
    count = RunningCount(json_size)
    too_large = above_chars(char_limit, count)
    micro = {"layer": micro_compact} if micro_to is None else {
        "layer": micro_down_to, "when": too_large, "max_chars": int(micro_to * char_limit), "size": count.of}
    return Pipeline([
        Step("tool_result_budget", tool_result_budget, any_result_above(max_result_chars), archive=archive,
             max_chars=max_result_chars, max_batch_chars=max_batch_chars),
        Step("snip_compact", snip_compact, above_messages(max_messages), archive=archive,
             max_messages=max_messages, keep_first=keep_first, keep_last=keep_last, down_to=snip_to),
        Step("micro_compact", **micro, keep_recent=keep_recent, archive=archive if leave_path else None,
             leave_path=leave_path),
        Step("compact_history", compact_history, too_large, **model),
    ], overflow=Step("reactive_compact", reactive_compact, **model, keep_messages=keep_messages))


def _check_numbers(micro_to, **counts):
    for name, count in counts.items():
        demand(isinstance(count, int) and count >= 0, name, "a whole number, 0 or more", count)
    demand(micro_to is None or isinstance(micro_to, int | float) and 0 <= micro_to <= 1, "micro_to",
           "a share, 0 to 1", micro_to)


def claude_code(summarize, archive, *, effective_window=EFFECTIVE_WINDOW, restoration=None, clock=time.time,
                max_result_chars=MAX_RESULT_CHARS, max_messages=ANCIENT_MESSAGES, snip_to=ANCIENT_MESSAGES // 2,
                max_age=MAX_AGE_SECONDS, ages=None, collapse_share=COLLAPSE_SHARE, guard=None):
    """The five layers of Claude Code, light to heavy; each is there so that the next is needed less often.

    Large results go to disk, ancient messages are snipped, old results cleared by their age on `clock` (seconds; `ages`
    are those of a conversation that has begun), finished work is read collapsed, and above `effective_window - 13_000`
    estimated tokens all of it becomes a new chain, with what `restoration` brings back. One `guard` stands before the
    last and before the answer to a refusal of the API.
    `summarize` is best a `PrefixSummarizer`, which is shown what the model has read, or a `ModelSummarizer` with
    `nine_sections`, which is shown it without results that can be fetched again.

    >>> [step.name for step in claude_code(summarize=None, archive=None).steps]
    ['tool_result_budget', 'snip_compact', 'micro_by_age', 'collapse', 'auto_compact']
    """
    demand(isinstance(collapse_share, int | float) and collapse_share >= 0, "collapse_share", "a share, 0 or more",
           collapse_share)
    demand(snip_to <= max_messages, "snip_to", f"no more than max_messages, {max_messages}", snip_to)
    demand(ages is None or hasattr(ages, "see"), "ages", "an Ages(clock)", ages)
    threshold, ages, guard = auto_compact_threshold(effective_window), ages or Ages(clock), guard or Guard()
    collapse = Projection("collapse", collapse_finished, above_estimate(int(collapse_share * threshold)))
    as_sent = collapse.project if getattr(summarize, "shares_prefix", False) else None
    model = {"summarize": summarize, "archive": archive, "restoration": restoration, "shown": as_sent}
    return Pipeline([
        Step("tool_result_budget", tool_result_budget, any_result_above(max_result_chars), archive=archive,
             max_chars=max_result_chars),
        Step("snip_compact", snip_compact, above_messages(max_messages), archive=archive, max_messages=max_messages,
             keep_last=max_messages, down_to=snip_to),
        Step("micro_by_age", micro_by_age, ages.see, age_of=ages, max_age=max_age, archive=archive),
        collapse,
        Guarded("auto_compact", full_compact, above_estimate(threshold, collapse.project), guard, **model),
    ], overflow=Guarded("reactive_compact", full_compact, always, guard, **model, shrink_kept=True))
