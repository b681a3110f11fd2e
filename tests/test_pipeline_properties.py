"""Any steps, in any order, with any parameters, over any conversation: the rules of the design hold all the same."""

import copy
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from talk import all_blocks, sizes

from learn_compact.archive import Archive
from learn_compact.check.strategies import TOOLS, conversations
from learn_compact.errors import ArchiveError, LearnCompactError, SummaryError
from learn_compact.layers.age import Ages, micro_by_age
from learn_compact.layers.auto import auto_compact, compact_history, reactive_compact
from learn_compact.layers.budget import persisted_path, tool_result_budget
from learn_compact.layers.collapse import collapse_finished
from learn_compact.layers.full import full_compact
from learn_compact.layers.micro import micro_compact, micro_down_to
from learn_compact.layers.snip import snip_compact
from learn_compact.ledger import Ledger
from learn_compact.messages import newest_request, problems, tool_results, unseen_results
from learn_compact.pipeline import (
    Pipeline,
    Projection,
    Step,
    above_chars,
    above_messages,
    above_tokens,
    always,
    any_result_above,
)
from learn_compact.restore import Restoration, TaskState

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")
MANY = settings(max_examples=20_000 if os.environ.get("LEARN_COMPACT_SOAK") == "1" else 300)

CHARS, FEW = st.integers(0, 4_000), st.integers(0, 6)
PARAMETERS = {
    tool_result_budget: st.fixed_dictionaries({"max_chars": CHARS, "preview_chars": CHARS,
                                               "max_batch_chars": st.none() | CHARS}),
    snip_compact: st.fixed_dictionaries({"max_messages": FEW, "keep_first": FEW, "keep_last": FEW,
                                         "down_to": st.none() | st.integers(6, 12)}),
    micro_compact: st.fixed_dictionaries({"keep_recent": FEW, "min_chars": st.integers(0, 200),
                                          "leave_path": st.booleans(),
                                          "preserve": st.sets(st.sampled_from(TOOLS), max_size=2)}),
    micro_down_to: st.fixed_dictionaries({"keep_recent": FEW, "max_chars": CHARS}),
    micro_by_age: st.fixed_dictionaries({"keep_recent": FEW, "min_chars": st.integers(0, 200), "max_age": FEW}),
    collapse_finished: st.fixed_dictionaries({"span_messages": st.integers(1, 6), "keep_last": FEW}),
    auto_compact: st.just({}),
    compact_history: st.just({}),
    full_compact: st.fixed_dictionaries({"restores": st.booleans()}),
}
TRIGGERS = st.one_of(st.just(always), st.builds(above_chars, CHARS), st.builds(above_tokens, CHARS),
                     st.builds(above_messages, FEW))
OF_A_BUDGET = TRIGGERS | st.builds(any_result_above, CHARS)  # a placeholder for a picture is more text than before
STEPS = st.sampled_from(list(PARAMETERS)).flatmap(lambda layer: st.tuples(
    st.just(layer), PARAMETERS[layer], OF_A_BUDGET if layer is tool_result_budget else TRIGGERS, st.booleans()))
ASK_A_MODEL = (auto_compact, compact_history, reactive_compact, full_compact)
MAY_DO_WITHOUT = (micro_compact, micro_down_to, micro_by_age)  # an archive, unless they leave a path


def summarize(messages, focus=""):
    assert not problems(messages) or messages[0]["role"] == "assistant", "a summary of what the API would refuse"
    return "Half of it is done."


class AnyFile:
    """A workspace where every path is a file of a few lines."""

    def read(self, path):
        return f"The lines of {path}.\n" * 9


def pipeline_of(steps, archive, summarize=summarize, clock=lambda: 0):
    restoration = Restoration(AnyFile(), tasks=lambda: [TaskState("task_1", "count", "running")])

    def step(layer, parameters, when, saves):
        if layer is collapse_finished:
            return Projection("collapse", layer, when, **parameters)
        more = {"summarize": summarize} if layer in ASK_A_MODEL else {}
        if layer is full_compact:
            more["restoration"] = restoration if parameters["restores"] else None
        if layer is micro_by_age:
            more["age_of"] = ages = Ages(clock)
            when = ages.see
        kept = {name: value for name, value in parameters.items() if name != "restores"}
        return Step(layer.__name__, layer, when, **kept, **more,
                    archive=archive if saves or layer not in MAY_DO_WITHOUT or parameters.get("leave_path") else None)

    model = {"summarize": summarize, "archive": archive}
    return Pipeline([step(*drawn) for drawn in steps], overflow=(
        Step("reactive_compact", full_compact, **model, restoration=restoration, shrink_kept=True)
        if full_compact in [layer for layer, *_ in steps] else
        Step("reactive_compact", reactive_compact, **model, keep_messages=2)))


def assert_the_rules_hold(before, after, archive):
    assert not problems(after)
    assert after is before or all(new <= old for new, old in zip(sizes(after), sizes(before), strict=True))
    assert newest_request(after, archive) == newest_request(before, archive)
    there = {found.tool_use_id: found.block for found in tool_results(after)}
    for _, _, block in unseen_results(before):
        left, path = there[block["tool_use_id"]], persisted_path(there[block["tool_use_id"]], archive)
        assert left == block or archive.load_result(path) == archive.result(block["tool_use_id"])


@MANY
@given(conversations(max_turns=10), st.lists(STEPS, min_size=1, max_size=5), st.integers(0, 12))
def test_the_rules_hold_before_every_request_of_a_life(messages, steps, refused_at):
    as_it_was = copy.deepcopy(messages)
    with TemporaryDirectory() as folder:
        archive, context = Archive(Path(folder)), []
        pipeline, ledger = pipeline_of(steps, archive, clock=lambda: len(context)), Ledger(archive)
        for n, message in enumerate([*messages, None]):
            if message is None or message["role"] == "assistant":
                for prepare in (pipeline.prepare, pipeline.overflowed) if n == refused_at else (pipeline.prepare,):
                    after = prepare(context)
                    assert_the_rules_hold(context, after, archive)
                    ledger.extend(pipeline.last_run)
                    context = list(after)
                assert_the_rules_hold(context, pipeline.view(context), archive)
                again = pipeline.prepare(context)
                assert again == context, "a second pass with nothing new"
            if message is not None:
                archive.log(message)
                context.append(message)
        assert messages == as_it_was
        ledger.see(context)
        assert not ledger.lost()
        assert [ledger.restore(entry) for entry in ledger.entries] == all_blocks(messages)


@MANY
@given(conversations(max_turns=10, min_turns=4), st.lists(STEPS, min_size=1, max_size=5), st.integers(0, 4))
def test_whatever_fails_leaves_everything_as_it_was(messages, steps, works):
    """The disk, or whoever summarises, gives up after it has worked a few times."""
    as_it_was, left = copy.deepcopy(messages), [works]

    def use_up(error):
        left[0] -= 1
        if left[0] < 0:
            raise error

    def failing(messages, focus=""):
        use_up(SummaryError("No summary."))
        return "Half of it is done."

    with TemporaryDirectory() as folder:
        archive = Archive(Path(folder))
        write, archive._write = archive._write, lambda *arguments, **named: (
            use_up(ArchiveError("The disk is full.")), write(*arguments, **named))[1]
        try:
            after = pipeline_of(steps, archive, failing).prepare(messages)
        except LearnCompactError as error:
            after = error.reached
        assert messages == as_it_was
        left[0] = 1_000
        assert_the_rules_hold(messages, after, archive)
