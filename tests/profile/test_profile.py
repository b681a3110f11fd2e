"""A profile: what it says of small conversations that were made for it, and of the real ones."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from learn_compact import estimate_by_kind, load_outline, outline_names
from learn_compact.conversations import load, save
from learn_compact.data import Request
from learn_compact.errors import ConversationError, PolicyError
from learn_compact.profile import Price, cost, masked, profile, tables
from learn_compact.profile.findings import unused
from learn_compact.profile.html import figures
from learn_compact.profile.prices import price_of
from learn_compact.profile.sections import findings, policies, trust
from learn_compact.profile.text import text
from learn_compact.profile.unfinished import completed
from learn_compact.show.moments import moments
from learn_compact.tokens import estimate_block
from learn_compact.tokens.estimate import BLOCK_TOKENS

SHARED = sorted((Path(__file__).parents[3] / "shared" / "conversations").glob("*.jsonl"))
CODEMIE = load_outline("codemie-624a4a58")


@pytest.fixture(scope="module")
def codemie():
    return profile(CODEMIE)


def called(number, name, given, answer):
    """A call and its result."""
    return [{"role": "assistant", "content": [{"type": "tool_use", "id": number, "name": name, "input": given}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": number, "content": answer}]}]


def from_messages(folder, *messages):
    """A conversation with these messages, without usage."""
    save([{"role": "user", "content": "Look."}, *messages], folder / "messages.json")
    return load(folder / "messages.json")


# What filled it


def test_every_request_of_the_conversation_has_its_point(codemie):
    requests = [request for segment in CODEMIE.segments for request in segment.requests]
    assert [point.counted for point in codemie.points] == [request.context_tokens for request in requests]
    assert [point.request for point in codemie.points] == list(range(1, len(requests) + 1))


def test_a_point_is_what_the_log_shows_and_what_it_does_not(codemie):
    first = CODEMIE.segments[0]
    life, requests = first.conversation(), first.requests
    for point, request in zip(codemie.points, requests, strict=False):
        assert point.total - point.parts["unlogged"] == estimate_by_kind(life[:request.index])
    assert codemie.points[0].total == requests[0].context_tokens


def test_what_a_real_compaction_left_is_a_summary_and_nothing_else_is(codemie):
    behind = codemie.points[len(CODEMIE.segments[0].requests):]
    [left] = {point.parts["summary"] for point in behind}
    assert left == estimate_by_kind(CODEMIE.segments[1].conversation()[:1])
    assert not any(point.parts["summary"] for point in codemie.points[:-len(behind)])


def test_the_ten_largest_blocks_come_in_order_with_their_lines(tmp_path):
    answers = [message for n in range(12) for message in called(f"c{n}", "Bash", {}, "word " * (100 + n))]
    found = profile(from_messages(tmp_path, *answers)).large
    assert [(one.tool, one.part, one.message) for one in found] == [
        ("Bash", "tool_result", 2 + 2 * n) for n in range(11, 1, -1)]


def test_a_file_that_was_read_again_is_told_with_what_that_cost(tmp_path):
    reads = [*called("a", "Read", {"file_path": "a.py"}, "x = 1\n\n\n" * 310),
             *called("b", "Read", {"file_path": "a.py", "offset": 9}, "x = 1\n\n\n" * 31),
             *called("c", "Read", {"file_path": "a.py"}, "x = 1\n\n\n" * 310),
             *called("d", "Read", {"file_path": "b.py"}, "x"),
             *called("e", "Write", {"file_path": "b.py"}, "x")]
    [found] = profile(from_messages(tmp_path, *reads)).rereads
    assert (found.path, found.reads, found.same, found.after_compaction) == ("a.py", 3, 1, 0)
    assert found.tokens == 31 * 8 / 3.1 + 310 * 8 / 3.1 + 2 * BLOCK_TOKENS


def test_reads_behind_a_compaction_are_counted(codemie):
    assert codemie.rereads[0].after_compaction == 1


@pytest.mark.parametrize(("later", "is_used"), [
    ("The planner is done.", False),
    ("I change make_plan_now.", True),
    ("I change planner.py.", False),  # a name that the user had said before
], ids=["no word of it", "a word of it", "a word that was known"])
def test_a_result_is_used_where_a_new_word_of_it_comes_back(later, is_used):
    messages = [{"role": "user", "content": "Look at planner.py."},
                *called("a", "Read", {}, "planner.py: def make_plan_now(): ..."),
                {"role": "assistant", "content": later}]
    found = unused(messages)
    assert (found.results, found.judged) == (int(not is_used), 1)


def test_what_the_model_has_not_seen_is_not_judged():
    messages = [{"role": "user", "content": "Look."}, *called("a", "Read", {}, "something new")]
    assert unused(messages) == (0, 0, 0, 0)


@pytest.mark.parametrize("form", ["messages-api", "openai"])
def test_a_system_prompt_and_tools_that_the_file_holds_are_counted(tmp_path, form):
    tools = [{"name": "look", "description": "Shows a file. " * 40, "input_schema": {"type": "object"}}]
    request = {"system": "Be brief. " * 400, "tools": tools, "messages": [
        {"role": "user", "content": "Count."}, {"role": "assistant", "content": "Four."}]}
    if form == "openai":
        request["messages"].insert(0, {"role": "system", "content": request.pop("system")})
    (tmp_path / "request.json").write_text(json.dumps(request))
    conversation = load(tmp_path / "request.json")
    found = profile(conversation)
    [point], [moment] = found.points, moments(conversation, estimate_block)
    assert conversation.source == form and 1_000 < point.parts["system"] < 1_100 and point.parts["tools"] > 100
    assert +Counter(point.parts) == +Counter(moment.parts)
    assert {one.sent for one in found.replays} == {point.total}


# What it cost


USAGE = {"input_tokens": 100, "cache_creation_input_tokens": 1_000, "cache_read_input_tokens": 10_000,
         "output_tokens": 10}


def test_each_kind_of_token_has_its_price():
    assert cost(USAGE) == 100 + 1_250 + 1_000 + 50
    assert cost(USAGE, Price(cache_read=1)) == 100 + 1_250 + 10_000 + 50


def test_what_is_kept_for_an_hour_costs_more():
    assert cost({**USAGE, "cache_creation": {"ephemeral_1h_input_tokens": 400}}) == cost(USAGE) + 400 * 0.75


def test_a_model_has_the_prices_of_its_family_and_an_unknown_one_those_assumed():
    assert price_of("claude-3-haiku-20240307") != price_of("claude-opus-4-6") == price_of("another")
    assert price_of("claude-opus-5-5").cache_read == price_of("another").cache_read / 2


def test_the_bill_is_the_sum_of_the_requests(codemie):
    usages = [request.usage for segment in CODEMIE.segments for request in segment.requests]
    missing = codemie.unfinished.estimated - codemie.unfinished.logged
    assert codemie.cost == pytest.approx(sum(map(cost, usages)) + missing * Price().output)
    assert codemie.cost == pytest.approx(sum(codemie.prices.values()))
    assert codemie.usage["output_tokens"] == sum(usage["output_tokens"] for usage in usages)


ANSWER = "There are four functions in it. " * 20  # 640 characters


@pytest.mark.parametrize(("logged", "is_unfinished"), [(1, True), (79, True), (80, False), (200, False)])
def test_an_output_that_is_too_small_for_its_answer_is_estimated(logged, is_unfinished):
    life = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": ANSWER}]
    [request], found = completed([Request(1, 0.0, "", {"input_tokens": 9, "output_tokens": logged})], life)
    estimate = estimate_by_kind(life[1:])
    assert found == ((1, logged, estimate) if is_unfinished else (0, 0, 0))
    assert request.usage == {"input_tokens": 9, "output_tokens": estimate if is_unfinished else logged}


def test_answers_whose_output_the_log_cut_off_are_told_of_and_paid_for(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(timed_log(10, ANSWER), encoding="utf-8")
    found = profile(load(path))
    assert found.unfinished == (40, 40, 40 * estimate_by_kind([{"role": "assistant", "content": ANSWER}]))
    assert found.usage["output_tokens"] == 40 and found.prices["output_tokens"] == 5 * found.unfinished.estimated
    assert "40 answers have an output in the log that was counted before they ended" in text(found)
    assert f"output that the log leaves out, estimated  {found.unfinished.estimated - 40:>7,}" in text(found)


def test_a_price_in_dollars_is_told_where_it_is_given(codemie):
    assert f"${codemie.cost * 3 / 1e6:.2f}" in text(codemie, price=3) and "$" not in text(codemie)


# What another policy would have done


def test_without_a_policy_a_replay_is_what_the_points_say(codemie):
    nothing = codemie.replays[0]
    assert [(point.parts, point.compaction) for point in nothing.points] == [
        (point.parts, point.compaction) for point in codemie.points]
    assert (nothing.policy, nothing.changed, nothing.summaries) == ("none", 0, 0)
    assert nothing.sent == sum(point.total for point in codemie.points)


@pytest.mark.parametrize("name", outline_names())
def test_the_policies_of_the_course_send_less_and_claude_code_leaves_alone_what_fits(name):
    nothing, *others, claude_code = profile(load_outline(name)).replays
    assert [one.policy for one in others] == ["s06", "s08"] and claude_code.policy == "claude_code"
    for one in others:
        assert one.sent < nothing.sent and one.largest < nothing.largest and one.changed > 0
        assert len(one.points) == len(nothing.points)
    assert max(one.sent for one in others) < claude_code.sent <= nothing.sent and claude_code.summaries == 0


HOUR = {"cache_creation_input_tokens": 1, "cache_creation": {"ephemeral_1h_input_tokens": 1}}


@pytest.mark.parametrize(("pauses", "more"), [((200, 400), {}), ((3_500, 3_700), HOUR)], ids=["minutes", "an hour"])
def test_the_cache_goes_cold_after_five_minutes_or_an_hour(tmp_path, pauses, more):
    prices = []
    for pause in pauses:
        path = tmp_path / f"{pause}.jsonl"
        path.write_text(timed_log(pause, **more), encoding="utf-8")
        prices.append(profile(load(path), ()).replays[0].cost)
    assert prices[1] > 3 * prices[0]


@pytest.mark.skipif(not SHARED, reason="the real conversations (../shared/conversations) are not here")
def test_the_first_request_finds_what_the_api_found_in_the_cache():
    [path] = [path for path in SHARED if path.stem.startswith("spotter-acompact")]
    found = profile(load(path))
    assert all(one.cost == pytest.approx(found.cost, rel=0.01) for one in found.replays)


def test_a_policy_that_is_named_twice_is_replayed_once():
    assert [one.policy for one in profile(CODEMIE, ("s06", "s06")).replays] == ["none", "s06"]


def test_every_request_of_every_replay_is_told_as_progress(codemie):
    told = []
    profile(CODEMIE, ("s06",), lambda *how_far: told.append(how_far))
    whole = 2 * len(codemie.points)
    assert told == [(done, whole) for done in range(1, whole + 1)]


def timed_log(pause, answer="Four.", **more):
    """A log of forty answers, `pause` seconds apart; `more` stands in the usage of each."""
    lines, usage = [], {"input_tokens": 20_000, "output_tokens": 1, **more}
    for n in range(80):
        role, seconds = ("assistant", "user")[n % 2 == 0], pause * (n // 2)
        message = {"role": role, "content": f"words {n}"}
        if role == "assistant":
            message = {"role": role, "content": answer, "id": f"m{n}", "model": "model", "usage": usage}
        lines.append(json.dumps({
            "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "sessionId": "s", "type": role,
            "message": message, "timestamp": f"2026-01-06T{seconds // 3600:02}:{seconds // 60 % 60:02}:"
                                             f"{seconds % 60:02}.000Z"}))
    return "\n".join(lines)


def log_of(folder, tokens):
    """A log of one answer, for which the API counted so many tokens."""
    path = folder / "log.jsonl"
    path.write_text(timed_log(10, input_tokens=tokens), encoding="utf-8")
    return load(path)


@pytest.mark.parametrize(("tokens", "window"), [(200_000, 200_000), (200_001, 1_000_000), (2_000_000, 1_000_000)])
def test_picture_and_replay_take_the_same_window_and_the_table_says_which(tmp_path, tokens, window):
    found = profile(log_of(tmp_path, tokens))
    assert found.window == window and f"The window is taken to be {window:,} tokens" in text(found)
    assert f"The window is {window:,} tokens." in figures(found)[0].alt


def test_the_policy_of_claude_code_acts_by_the_window():
    by_window = {window: profile(load_outline("cctrace-phase0"), "claude_code", window=window).replays[1].sent
                 for window in (60_000, 200_000, 1_000_000)}
    assert by_window[60_000] < by_window[200_000] <= by_window[1_000_000]


def test_without_usage_the_window_is_that_of_the_estimate(tmp_path):
    large = from_messages(tmp_path, {"role": "assistant", "content": "word " * 200_000})
    assert profile(large, ()).window == 1_000_000


def test_what_is_no_conversation_is_refused_in_a_sentence():
    with pytest.raises(ConversationError, match=r"takes what `load\(path\)` .* not str"):
        profile("log.jsonl")


def test_an_unknown_policy_is_refused_by_name():
    with pytest.raises(PolicyError, match="no policy 's99'.* s06, s08"):
        profile(CODEMIE, policies=["s99"])


def test_what_chapter_10_says_of_the_policies_holds(codemie):
    nothing, _, s08, _ = codemie.replays
    assert 0.45 < s08.sent / nothing.sent < 0.55 and 0.85 < s08.cost / nothing.cost < 1
    nothing, _, s08, _ = profile(load_outline("spotter-ae4a77f8")).replays
    assert s08.sent < nothing.sent and s08.cost > 1.2 * nothing.cost


# All of it


def test_the_estimates_are_held_against_the_stretch_that_grew_most(codemie):
    assert codemie.held_on == 0
    errors = {one.name: one.growth for one in codemie.estimates}
    assert list(errors) == ["visible / 4", "len // 4", "by kind", "meter"]
    assert abs(errors["meter"]) < 0.01 < abs(errors["by kind"]) < abs(errors["visible / 4"])


def test_without_usage_a_request_stands_before_every_answer_and_nothing_is_billed(tmp_path):
    found = profile(from_messages(tmp_path, *called("a", "Read", {}, "x" * 310), *called("b", "Bash", {}, "y")))
    assert [point.messages for point in found.points] == [1, 3] and found.cost is None and not found.estimates
    assert "has no usage" in text(found) and "What the API reported" not in text(found)


def test_a_conversation_without_an_answer_has_a_profile_too(tmp_path):
    found = profile(from_messages(tmp_path))
    assert found.points == [] and "1 message, 0 requests" in text(found)


@pytest.mark.skipif(not SHARED, reason="the real conversations (../shared/conversations) are not here")
@pytest.mark.parametrize("path", SHARED, ids=lambda path: path.stem)
def test_a_real_conversation_has_a_profile_that_agrees_with_its_file(path):
    conversation = load(path)
    found = profile(conversation)
    assert [one._replace(at=None) for one in found.compactions] == [
        one._replace(at=None) for one in conversation.compactions]
    assert found.messages == sum(len(segment.conversation()) for segment in conversation.segments)
    assert [point.counted for point in found.points] == [one.context_tokens for one in conversation.requests]
    told = text(found)
    for section in (*findings(found), policies(found), *trust(found)):
        assert section.sentence in told
        if section.table:
            assert str(section.table) in told
            assert {len(row) for row in section.table.rows} == {len(section.table.columns)}


def test_the_policies_are_in_one_picture_where_one_changed_something(tmp_path, codemie):
    short = profile(from_messages(tmp_path, *called("a", "Read", {}, "x"), {"role": "assistant", "content": "Done."}))
    grown, lived = figures(codemie)
    assert codemie.name in grown.alt and all(name in lived.alt for name in ("no policy", "s06", "s08", "claude_code"))
    assert figures(short)[1] is None and "nothing is changed by s06, s08, claude_code" in text(short)


def test_every_term_is_explained_where_it_stands(codemie):
    told = text(codemie)
    for term in ("Prefix changed: ", "meter +", "visible / 4", "A stretch is ", "in units of one input token's price"):
        assert term in told
    assert all(one.name in tables.RULES for one in codemie.estimates)


def test_what_is_not_there_is_said(tmp_path):
    told = text(profile(from_messages(tmp_path, {"role": "assistant", "content": "Done."})))
    assert "Files read more than once: none." in told and "Compactions that really happened: none." in told
    assert "2 messages, 1 request\n" in told and "1 requests" not in told


def test_a_table_of_nothing_is_a_sentence(tmp_path):
    found = profile(from_messages(tmp_path))
    for table in (tables.window, tables.rereads, tables.compactions, tables.bill, tables.policies, tables.estimates):
        assert str(table(found)).endswith(".") and len(str(table(found)).splitlines()) == 1


def test_places_are_counted_from_one_and_long_paths_show_their_end(tmp_path):
    path = "/home/ada/" + "deep/" * 20 + "planner.py"
    reads = [message for n in "ab" for message in called(n, "Read", {"file_path": path}, "x" * 500)]
    found = profile(from_messages(tmp_path, *reads))
    assert {row[3] for row in tables.large(found).rows[:2]} == {"line 1"}  # a document is one line
    [row] = tables.rereads(found).rows
    assert row[0].endswith("/planner.py") and len(row[0]) == tables.MOST_CHARS
    assert tables.large(profile(CODEMIE)).rows[0][3] == "stretch 2, message 3"
    assert CODEMIE.segments[1].conversation()[2]["content"][0]["type"] == "tool_result"


# Masks


SECRETS = ("secret", "sk-ant", "ada", "Customer")


def private(folder):
    path = folder / "ada-secret.json"
    messages = [*called("a", "mcp__Customer__query", {"key": "sk-ant-1"}, "ada's secret words " * 50)]
    for n in range(2):
        messages += called(f"r{n}", "Read", {"file_path": "/home/ada/secret.key.py"}, "secret")
    save([{"role": "user", "content": "ada's secret"}, *messages], path)
    return load(path)


def test_a_mask_takes_away_names_paths_keys_and_words_and_leaves_the_figures(tmp_path):
    found = profile(private(tmp_path))
    assert all(secret in repr(vars(found)) for secret in SECRETS)
    hidden = masked(found)
    assert not any(secret in repr(vars(hidden)) for secret in SECRETS)
    assert [one.tokens for one in hidden.large] == [one.tokens for one in found.large]
    assert hidden.rereads[0].path == "file 1.py" and hidden.points == found.points


def test_problems_and_warnings_are_only_counted_behind_a_mask(codemie):
    told = replace(codemie, problems=["messages.3: secret"], warnings=["ada", "ada"], model="secret-model")
    hidden = masked(told)
    assert hidden.problems == ["1 problem, not told here"] and hidden.warnings == ["2 warnings, not told here"]
    assert hidden.model == "" and masked(codemie).model == codemie.model


@pytest.mark.parametrize(("model", "is_told"), [
    ("claude-sonnet-4-5-20250929", True), ("claude-3-5-haiku-latest", True), ("claude-opus-5-5", True),
    ("claude-sonnet-4-5-initech-prod", False), ("claude-initech", False), ("claude-opus-5-5-123456789012", False)])
def test_a_model_is_named_behind_a_mask_only_as_its_maker_names_it(codemie, model, is_told):
    assert masked(replace(codemie, model=model)).model == model * is_told
