"""The ledger: the fate of every block, found by comparison alone, and the way back to each original."""

import copy
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talk import all_blocks, assistant, calls, long_talk, results, round_trip, text, thought, user

from learn_compact.archive import Archive
from learn_compact.check.strategies import conversations
from learn_compact.errors import ArchiveError
from learn_compact.layers.auto import compact_history
from learn_compact.layers.budget import tool_result_budget
from learn_compact.layers.micro import micro_compact
from learn_compact.layers.snip import snip_compact
from learn_compact.ledger import ARCHIVED, DROPPED, FATES, KEPT, ON_DISK, SHORTENED, SUMMARISED, Ledger
from learn_compact.pipeline import Pipeline, Step, s08

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


def summarize(messages, focus=""):
    return "Half of the files are counted."


@pytest.fixture
def archive(tmp_path):
    return Archive(tmp_path / "root", clock=lambda: 7)


def one_step(layer, archive, messages, **parameters):
    """The ledger of one step over one conversation."""
    return Pipeline([Step(layer.__name__, layer, archive=archive, **parameters)]).run(messages).ledger


def fates(ledger):
    return [entry.fate for entry in ledger.entries]


# The fates


def test_nothing_done_is_everything_kept(archive):
    ledger = one_step(micro_compact, archive, long_talk(3))
    assert set(fates(ledger)) == {KEPT} and not ledger.made and not ledger.lost()
    assert sum(entry.tokens_saved for entry in ledger.entries) == 0


def test_a_placeholder_is_a_shortened_result_whose_original_is_where_it_was_saved(archive):
    messages = long_talk(4, content="y" * 200)
    ledger = one_step(micro_compact, archive, messages)
    entry = ledger["call_0"]
    assert (entry.fate, entry.step, entry.tool) == (SHORTENED, "micro_compact", "bash")
    assert entry.where == ".task_outputs/tool-results/0001_call_0.txt"
    assert entry.chars_saved == 200 - len("[Previous: used bash]")
    assert ledger.restore("call_0") == messages[2]["content"][0]


def test_a_large_result_is_moved_to_disk(archive):
    messages = [user("Look."), calls("a"), results(("a", "x" * 40_000), is_error=True), assistant("I looked.")]
    ledger = one_step(tool_result_budget, archive, messages)
    assert (ledger["a"].fate, ledger["a"].where) == (ON_DISK, ".task_outputs/tool-results/0001_a.txt")
    assert ledger.restore("a") == messages[2]["content"][0]


def test_what_a_snip_takes_is_archived_line_by_line(archive):
    messages = long_talk(40)
    ledger = one_step(snip_compact, archive, messages)
    assert [entry.fate for entry in ledger.entries if 3 <= entry.message < 33] == [ARCHIVED] * 45
    assert ledger.by_fate()[ARCHIVED][0] == 45 and len(ledger.made) == 1
    assert [ledger.restore(entry) for entry in ledger.entries] == all_blocks(messages)


def test_what_a_summary_stands_for_is_summarised_and_its_transcript_has_it(archive):
    messages = [*long_talk(9), calls("x"), results(("x", "1"))]
    ledger = one_step(compact_history, archive, messages, summarize=summarize)
    assert [(entry.message, entry.fate) for entry in ledger.entries if entry.fate == KEPT] == [(19, KEPT), (20, KEPT)]
    assert ledger[0, 0].fate == SUMMARISED and ledger[0, 0].where == ".transcripts/transcript_7.jsonl"
    assert ledger.restore((0, 0)) == {"type": "text", "text": "Count the functions."}


def test_stale_thinking_is_dropped_and_found_in_the_log_alone(archive):
    messages = [user("Look."), calls("a", before=[thought()]), results(("a", "x" * 40_000)),
                calls("b", before=[thought("Look again.")]), results(("b", "1")), assistant("I looked.")]
    ledger = one_step(tool_result_budget, archive, messages)
    assert [entry.fate for entry in ledger.entries if entry.kind == "thinking"] == [KEPT, DROPPED]
    assert [(entry.kind, entry.message) for entry in ledger.lost()] == [("thinking", 3)]
    with pytest.raises(ArchiveError, match="is lost: tool_result_budget took it away"):
        ledger.restore((3, 0))
    for message in messages:
        archive.log(message)
    assert not ledger.lost() and ledger.restore((3, 0)) == thought("Look again.")


def test_thinking_behind_a_snip_is_dropped_and_not_archived(archive):
    messages = [*long_talk(30), calls("a", before=[thought()]), results(("a", "1")), assistant("Done.")]
    ledger = one_step(snip_compact, archive, messages)
    [entry] = [entry for entry in ledger.entries if entry.kind == "thinking"]
    assert (entry.fate, entry.where) == (DROPPED, None) and ledger.lost() == [entry]
    with pytest.raises(ArchiveError):
        ledger.restore(entry)


def test_a_layer_that_the_ledger_has_never_heard_of_drops(archive):
    ledger = Pipeline([Step("window", lambda messages: messages[-2:])]).run(long_talk(3)).ledger
    assert fates(ledger).count(DROPPED) == len(ledger.entries) - 3
    assert {entry.step for entry in ledger.entries if entry.fate == DROPPED} == {"window"}
    assert len(ledger.lost()) == fates(ledger).count(DROPPED)


def test_a_result_that_met_three_fates_names_the_last_and_still_leads_to_the_first_original(archive):
    messages = [user("Look."), calls("a"), results(("a", "x" * 40_000)), *long_talk(30)[1:]]
    pipeline = Pipeline([Step("budget", tool_result_budget, archive=archive),
                         Step("micro", micro_compact),
                         Step("snip", snip_compact, archive=archive, keep_first=1)])
    for message in messages:
        archive.log(message)
    ledger = pipeline.run(messages).ledger
    assert (ledger["a"].fate, ledger["a"].step, ledger["a"].tokens_now) == (ARCHIVED, "snip", 0)
    assert ledger["a"].where == ".task_outputs/tool-results/0001_a.txt"
    assert ledger.restore("a") == messages[2]["content"][0]


def test_two_results_of_one_message_keep_the_step_that_each_of_them_met(archive):
    messages = [user("Look."), calls("a", "b"), results(("a", "x" * 40_000), ("b", "y" * 20_000)), assistant("Both.")]
    ledger = Pipeline([Step("large", tool_result_budget, archive=archive),
                       Step("medium", tool_result_budget, archive=archive, max_chars=10_000)]).run(messages).ledger
    assert [(ledger[one].fate, ledger[one].step) for one in "ab"] == [(ON_DISK, "large"), (ON_DISK, "medium")]


def test_a_result_cleared_and_saved_nowhere_is_lost_and_said_to_be(archive):
    ledger = Pipeline([Step("micro_compact", micro_compact)]).run(long_talk(4, content="y" * 200)).ledger
    assert [entry.tool_use_id for entry in ledger.lost()] == ["call_0"]
    with pytest.raises(ArchiveError, match="micro_compact took it away, and no file"):
        ledger.restore("call_0")


def test_the_step_that_lost_an_original_is_named_and_not_a_later_one(archive):
    pipeline = Pipeline([Step("micro", micro_compact),
                         Step("history", compact_history, archive=archive, summarize=summarize)])
    messages = [*long_talk(9, content="y" * 200), assistant("Done.")]
    ledger = pipeline.run(messages).ledger
    assert (ledger["call_0"].fate, ledger["call_0"].step) == (SUMMARISED, "history")
    with pytest.raises(ArchiveError, match="lost: micro took it away.*or let the layer save what it clears"):
        ledger.restore("call_0")
    assert not ledger["call_8"].lost_by and ledger.restore("call_8") == messages[18]["content"][0]


def test_no_layer_is_told_to_save_thinking_which_only_the_log_can_hold(archive):
    messages = [user("Look."), calls("a"), results(("a", "x" * 40_000)),
                calls("b", before=[thought("Look again.")]), results(("b", "1")), assistant("I looked.")]
    with pytest.raises(ArchiveError, match=r"as an agent does\.$"):
        one_step(tool_result_budget, archive, messages).restore((3, 0))


def test_another_block_under_the_same_id_never_passes_for_the_original(archive):
    ledger = Pipeline([Step("m", micro_compact)]).run(long_talk(4, content="y" * 200)).ledger
    archive.save_result("call_0", "not what it was")
    with pytest.raises(ArchiveError):
        Ledger.restore(ledger, replace(ledger["call_0"], where=None))


def test_a_key_that_no_block_has_is_a_key_error(archive):
    with pytest.raises(KeyError):
        one_step(micro_compact, archive, long_talk(1))["nobody"]


# Cheap and blind: by identity, without asking any layer


def test_a_run_that_changed_nothing_reads_nothing(archive):
    class Untouchable(dict):
        def get(self, *_):
            raise AssertionError("a message was read that is known already")

    messages, ledger = long_talk(30), Ledger(archive)
    ledger.see(messages)
    ledger._messages = [Untouchable(message) for message in messages]
    ledger.see(list(ledger._messages))


def test_only_what_is_between_the_shared_ends_is_measured(archive):
    measured = []
    ledger = Ledger(archive, measure=lambda block: measured.append(block) or 1)
    messages = long_talk(100)
    ledger.see(messages)
    measured.clear()
    ledger.see([*messages, *round_trip(101)])
    assert len(measured) == 3


# A whole life


def lived(messages, pipeline, archive, log=True):
    """The context and the ledger after a life: prepared before every answer, as an agent does."""
    context, ledger = [], Ledger(archive)
    for message in messages:
        if message["role"] == "assistant":
            context = pipeline.prepare(context)
            ledger.extend(pipeline.last_run)
        if log:
            archive.log(message)
        context.append(message)
    ledger.see(context)
    return context, ledger


def test_a_life_of_many_snips_and_summaries_comes_back_whole(archive):
    messages = [message for n in range(6) for message in [
        *long_talk(30, content=f"{n} " * (2_000 if n % 2 else 5), request=f"Task {n}."), assistant("Done.")]]
    for n, message in enumerate(messages):  # every id once
        for block in message["content"] if isinstance(message["content"], list) else ():
            for key in {"id", "tool_use_id"} & block.keys():
                block[key] += f"_{n // 62}"
    _, ledger = lived(messages, s08(summarize, archive, char_limit=15_000), archive)
    assert {ARCHIVED, SUMMARISED, KEPT} <= set(fates(ledger)) and not ledger.lost()
    assert [ledger.restore(entry) for entry in ledger.entries] == all_blocks(messages)


def test_runs_join_into_one_ledger_that_counts_messages_as_they_arrived(archive):
    messages = long_talk(60, content="y" * 200)
    context, ledger = lived(messages, s08(summarize, archive), archive)
    assert [entry.message for entry in ledger.entries] == [
        n for n, message in enumerate(messages) for _ in all_blocks([message])]
    assert len(context) < 60


@given(conversations(max_turns=14), st.integers(100, 3_000), st.integers(2, 12), st.booleans())
def test_the_books_balance_and_nothing_that_was_logged_is_lost(messages, char_limit, max_messages, log):
    as_it_was = copy.deepcopy(messages)
    with TemporaryDirectory() as folder:
        archive = Archive(Path(folder))
        pipeline = s08(summarize, archive, char_limit=char_limit, max_result_chars=1_000, max_messages=max_messages,
                       keep_first=1, keep_last=max_messages // 2, keep_recent=1)
        context, ledger = lived(messages, pipeline, archive, log)
        assert messages == as_it_was
        assert len(ledger.entries) == len(all_blocks(messages))
        now = all_blocks(context)
        assert sum(entry.tokens_now for entry in [*ledger.entries, *ledger.made]) == sum(map(ledger.measure, now))
        assert set(fates(ledger)) <= set(FATES)
        assert sum(number for number, _ in ledger.by_fate().values()) == len(ledger.entries)
        lost = ledger.lost()
        assert not (log and lost)
        for entry, block in zip(ledger.entries, all_blocks(messages), strict=True):
            if entry in lost:
                with pytest.raises(ArchiveError):
                    ledger.restore(entry)
            else:
                assert ledger.restore(entry) == block
            assert block in now or entry.fate != KEPT


def test_reactive_compact_has_its_place_in_the_ledger(archive):
    pipeline = s08(summarize, archive)
    messages = [*long_talk(9), calls("x"), results(("x", "z" * 29_000))]
    after = pipeline.overflowed(messages)
    ledger = pipeline.last_run.ledger
    assert len(after) < len(messages)
    assert ledger["x"].fate == ON_DISK and ledger["x"].step == "reactive_compact"
    assert [ledger.restore(entry) for entry in ledger.entries] == all_blocks(messages)


def test_a_marker_that_a_step_made_is_no_entry_and_stands_among_what_was_made(archive):
    ledger = one_step(snip_compact, archive, [*long_talk(40), user("Go on."), assistant("Yes.")])
    [marker] = ledger.made
    assert marker.message == -1 and marker not in ledger.entries and marker.kind == "text"
    assert text("Go on.") in [ledger.restore(entry) for entry in ledger.entries]
