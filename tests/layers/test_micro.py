"""micro_compact: which results go, what stands in their place, and what never changes."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn_compact.archive import Archive
from learn_compact.check.strategies import conversations
from learn_compact.errors import PolicyError
from learn_compact.layers.micro import is_placeholder, micro_compact, names_by_attribute
from learn_compact.layers.thinking import newest_answer
from learn_compact.messages import newest_request, problems, tool_names, tool_results, unseen_results
from learn_compact.tokens import estimate_chars, estimate_tokens


def step(id_, content, name="bash", **fields):
    """A call and its result."""
    return [{"role": "assistant", "content": [{"type": "tool_use", "id": id_, "name": name, "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id_, "content": content, **fields}]}]


def batch(*ids, content="x" * 500, name="bash"):
    """Calls in one message, and their results in one."""
    return [{"role": "assistant", "content": [{"type": "tool_use", "id": i, "name": name, "input": {}} for i in ids]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": i, "content": content} for i in ids]}]


REQUEST = [{"role": "user", "content": "Count the functions."}]
ANSWER = [{"role": "assistant", "content": "Four."}]
LONG = "x" * 101


def contents(messages):
    return {block["tool_use_id"]: block.get("content") for _, _, block in tool_results(messages)}


def test_the_newest_three_results_stay_and_older_ones_become_placeholders():
    messages = REQUEST + [message for n in range(5) for message in step(f"call_{n}", LONG)] + ANSWER
    cleared = "[Previous: used bash]"
    assert list(contents(micro_compact(messages)).values()) == [cleared, cleared, LONG, LONG, LONG]


@pytest.mark.parametrize("keep_recent", range(7))
def test_as_many_results_stay_as_keep_recent_says_wherever_they_stand(keep_recent):
    messages = REQUEST + batch("a", "b") + step("c", LONG) + batch("d", "e") + ANSWER
    kept = [id_ for id_, text in contents(micro_compact(messages, keep_recent=keep_recent)).items()
            if not is_placeholder(text)]
    assert kept == ["a", "b", "c", "d", "e"][max(0, 5 - keep_recent):]


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


@pytest.mark.parametrize(("content", "goes"), [
    ("x" * 100, False), ("x" * 101, True), ("", False), (None, False), ([], False),
    ([{"type": "text", "text": "x" * 100}], False), ([{"type": "text", "text": "x" * 101}], True),
    ([{"type": "text", "text": "x" * 60}, {"type": "text", "text": "x" * 60}], True),
    ([PICTURE], True), ([{"type": "text", "text": "short"}, PICTURE], True),
    ("[Previous: used a_tool_with_a_name_" + "x" * 100 + "]", False),
    ("压" * 100, False), ("压" * 101, True),
], ids=lambda value: repr(value)[:40])
def test_only_content_of_more_than_a_hundred_characters_goes(content, goes):
    messages = REQUEST + step("a", content) + ANSWER
    after = micro_compact(messages, keep_recent=0)
    assert contents(after)["a"] == ("[Previous: used bash]" if goes else content)
    assert (after is messages) == (not goes)


def test_a_result_without_content_is_left_alone():
    messages = REQUEST + step("a", "") + ANSWER
    del messages[2]["content"][0]["content"]
    assert micro_compact(messages, keep_recent=0) is messages


def test_results_of_read_file_stay_and_of_whatever_else_is_to_be_preserved():
    messages = REQUEST + step("a", LONG, "read_file") + step("b", LONG, "glob") + step("c", LONG, "bash") + ANSWER
    after = contents(micro_compact(messages, keep_recent=0))
    assert after == {"a": LONG, "b": "[Previous: used glob]", "c": "[Previous: used bash]"}
    after = contents(micro_compact(messages, keep_recent=0, preserve={"glob", "bash"}))
    assert after == {"a": "[Previous: used read_file]", "b": LONG, "c": LONG}


def test_with_read_file_preserved_for_ever_the_context_grows_all_the_same():
    def size(steps, **parameters):
        messages = REQUEST + [m for n in range(steps) for m in step(f"c{n}", "x" * 4_000, "read_file")] + ANSWER
        return estimate_tokens(micro_compact(messages, **parameters))
    assert size(40) > 3.9 * size(10)
    assert size(40, preserve=()) < 2 * size(10, preserve=())


def test_an_old_error_goes_like_any_long_result_and_is_still_an_error():
    messages = REQUEST + step("a", "Traceback: " + LONG, is_error=True) + ANSWER
    [found] = tool_results(micro_compact(messages, keep_recent=0))
    assert found.block == {"type": "tool_result", "tool_use_id": "a", "content": "[Previous: used bash]",
                           "is_error": True}


def test_fields_that_nobody_here_knows_stay():
    messages = REQUEST + step("a", LONG, cache_control={"type": "ephemeral"}) + ANSWER
    messages[2]["note"] = "kept"
    after = micro_compact(messages, keep_recent=0)[2]
    assert after["note"] == "kept" and after["content"][0]["cache_control"] == {"type": "ephemeral"}


def test_a_batch_of_four_that_the_model_has_not_seen_stays_whole():
    messages = REQUEST + batch("a", "b", "c", "d")
    assert micro_compact(messages) is messages
    seen = micro_compact(messages + ANSWER)
    assert [is_placeholder(text) for text in contents(seen).values()] == [True, False, False, False]


def test_the_documented_version_clears_the_first_of_four_before_the_model_saw_it():
    after = micro_compact(REQUEST + batch("a", "b", "c", "d"), protect_unseen=False)
    assert [is_placeholder(text) for text in contents(after).values()] == [True, False, False, False]


def test_where_names_are_looked_for_in_attributes_plain_dicts_have_none_and_nothing_is_preserved():
    messages = REQUEST + step("a", LONG, "read_file") + ANSWER
    after = micro_compact(messages, keep_recent=0, find_names=names_by_attribute)
    assert contents(after) == {"a": "[Previous: used unknown]"}


def test_objects_of_the_sdk_have_names_in_their_attributes():
    from anthropic.types import ToolUseBlock
    message = {"role": "assistant", "content": [ToolUseBlock(type="tool_use", id="a", name="bash", input={})]}
    assert names_by_attribute([message]) == {"a": "bash"}


def test_a_name_is_found_wherever_the_call_stands_in_a_damaged_history_too():
    call, result = step("a", LONG, "glob")
    assert contents(micro_compact([*REQUEST, call, *ANSWER, result, *ANSWER], keep_recent=0)) == {
        "a": "[Previous: used glob]"}


def test_a_result_whose_call_is_gone_is_of_an_unknown_tool():
    assert contents(micro_compact(step("a", LONG)[1:] + ANSWER, keep_recent=0)) == {"a": "[Previous: used unknown]"}


def test_with_an_archive_what_goes_can_be_fetched_again(tmp_path):
    archive = Archive(tmp_path)
    messages = REQUEST + step("a", [PICTURE]) + step("b", LONG) + step("c", "short") + ANSWER
    archive.log(messages[4])
    after = micro_compact(messages, keep_recent=0, archive=archive)
    assert archive.result("a") == [PICTURE] and archive.result("b") == LONG
    assert len(list(tmp_path.rglob("*_*.json")) + list(tmp_path.rglob("*_*.txt"))) == 1, "b was in the log already"
    assert micro_compact(after, keep_recent=0, archive=archive) is after


@pytest.mark.parametrize("parameters", [{"keep_recent": -1}, {"min_chars": -1}])
def test_a_negative_number_is_a_sentence(parameters):
    with pytest.raises(PolicyError, match="can be less than 0"):
        micro_compact(REQUEST, **parameters)


# Thinking


def thought(signature="s"):
    return {"type": "thinking", "thinking": "Look first.", "signature": signature}


def test_thinking_behind_a_cleared_result_goes_but_not_before_it_and_not_from_the_newest_answer():
    steps = [step(id_, LONG) for id_ in "abc"]
    for call, _ in steps:
        call["content"].insert(0, thought())
    messages = REQUEST + [message for pair in steps for message in pair] + [
        {"role": "assistant", "content": [thought(), {"type": "text", "text": "Four."}]}]
    kinds = [[block["type"] for block in message["content"]] for message in micro_compact(messages, keep_recent=1)[1:]]
    assert kinds == [["thinking", "tool_use"], ["tool_result"], ["tool_use"], ["tool_result"], ["tool_use"],
                     ["tool_result"], ["thinking", "text"]]


def test_a_message_of_nothing_but_stale_thinking_goes_too():
    messages = REQUEST + step("a", LONG) + [{"role": "assistant", "content": [thought()]}] + step("b", "ok") + ANSWER
    messages[4:4] = [{"role": "user", "content": "Go on."}]
    assert micro_compact(messages, keep_recent=0)[3] == {"role": "user", "content": "Go on."}


def test_the_newest_answer_may_be_spread_over_neighbouring_messages():
    messages = REQUEST + step("a", LONG) + [{"role": "assistant", "content": [thought()]}, *ANSWER]
    assert micro_compact(messages, keep_recent=0)[3:] == messages[3:]
    assert newest_answer(messages) == 3


# For every conversation


PARAMETERS = st.fixed_dictionaries({}, optional={
    "keep_recent": st.integers(0, 5), "min_chars": st.sampled_from([0, 1, 3, 100, 101, 3_000]),
    "preserve": st.sets(st.sampled_from(["read_file", "bash", "glob", "unknown"]))})


@given(conversations(), PARAMETERS)
def test_what_was_valid_stays_valid_and_nothing_grows(messages, parameters):
    after = micro_compact(messages, **parameters)
    assert problems(messages) == problems(after) == []
    assert estimate_tokens(after) <= estimate_tokens(messages)
    assert estimate_chars(after) <= estimate_chars(messages)


@given(conversations(), PARAMETERS)
def test_the_input_never_changes_and_what_is_left_alone_is_shared(messages, parameters):
    before, given_messages = copy.deepcopy(messages), list(messages)
    after = micro_compact(messages, **parameters)
    assert messages == before and all(new is old for new, old in zip(messages, given_messages, strict=True))
    known = {id(message) for message in messages}
    for message in after:
        if id(message) not in known:
            assert message not in messages, "an equal message was copied"
    assert after is messages or after != messages


@given(conversations(), PARAMETERS)
def test_a_second_pass_changes_nothing(messages, parameters):
    after = micro_compact(messages, **parameters)
    assert micro_compact(after, **parameters) is after


@given(conversations(), PARAMETERS)
def test_requests_and_unseen_results_survive_word_for_word(messages, parameters):
    after = micro_compact(messages, **parameters)
    assert newest_request(after) == newest_request(messages)
    assert [block for *_, block in unseen_results(after)] == [block for *_, block in unseen_results(messages)]
    requests = [message for message in messages if message["role"] == "user" and not tool_results([message])]
    assert [message for message in after if message in requests] == requests


@given(conversations(), PARAMETERS)
def test_exactly_the_old_long_unpreserved_and_seen_results_go(messages, parameters):
    """The rule as one reads it in s06, written without any care for speed."""
    keep, least = parameters.get("keep_recent", 3), parameters.get("min_chars", 100)
    preserve, names = parameters.get("preserve", {"read_file"}), tool_names(messages)
    found = [block for *_, block in tool_results(messages)]
    unseen = [block for *_, block in unseen_results(messages)]
    after = contents(micro_compact(messages, **parameters))
    for n, block in enumerate(found):
        content, name = block.get("content"), names[block["tool_use_id"]]
        text = content if isinstance(content, str) else "\n".join(p.get("text", "") for p in content or ())
        long = len(text) > least or any(part["type"] != "text" for part in content or () if isinstance(content, list))
        goes = (n < len(found) - keep and long and name not in preserve and block not in unseen
                and len(str(content)) > len(f"[Previous: used {name}]"))
        assert after[block["tool_use_id"]] == (f"[Previous: used {name}]" if goes else content)


@given(conversations())
def test_everything_but_results_and_stale_thinking_is_as_it_was(messages):
    def rest(messages):
        return [block for message in messages if isinstance(message["content"], list) for block in message["content"]
                if block["type"] not in ("tool_result", "thinking", "redacted_thinking")]
    assert rest(micro_compact(messages, keep_recent=0)) == rest(messages)
