"""The prompt cache: what is read, what is written, and when it is forgotten; on a clock that the test turns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from offline_parts import BASH, MARK, api_and_client, hello

from learn_compact.check.strategies import conversations
from learn_compact.offline.cache import PromptCache, prefix_of
from learn_compact.tokens import count_tokens

LONG = "word " * 1_100
ONE_HOUR = {**MARK, "ttl": "1h"}


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def figures(clock):
    """Sends a request and gives (fresh, read, written) of its usage, in tokens."""
    _, client = api_and_client(clock=clock)

    def ask(*contents, **changes):
        messages = [{"role": "user", "content": content} for content in contents]
        usage = client.messages.create(**hello(messages=messages, **changes)).usage
        return usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens
    return ask


def text(words=LONG, mark=None):
    return [{"type": "text", "text": words, **({"cache_control": mark} if mark else {})}]


def size(*contents, **fields):
    return count_tokens([{"role": "user", "content": content} for content in contents], **fields)


def test_without_a_breakpoint_nothing_is_cached(figures):
    assert figures(LONG) == figures(LONG) == (size(LONG), 0, 0)


def test_a_prefix_is_written_once_and_then_read(figures):
    assert figures(text(mark=MARK), "Go on.") == (size("Go on."), 0, size(LONG))
    assert figures(text(mark=MARK), "Now this.") == (size("Now this."), size(LONG), 0)


def test_a_growing_conversation_pays_only_for_what_is_new(figures):
    figures(text(mark=MARK))
    assert figures(LONG, text("And?", MARK)) == (0, size(LONG), size("And?"))
    assert figures(LONG, "And?", text("And then?", MARK)) == (0, size(LONG, "And?"), size("And then?"))


def test_a_change_at_the_beginning_costs_the_whole_prefix(figures):
    figures(LONG, text("And?", MARK))
    changed = LONG.replace("word", "work", 1)
    assert figures(changed, text("And?", MARK)) == (0, 0, size(changed, "And?"))


def test_the_longest_of_the_entries_is_read(figures):
    figures(text(mark=MARK), text(mark=MARK))
    assert figures(text(mark=MARK), text(mark=MARK), "More") == (size("More"), size(LONG, LONG), 0)
    assert figures(text(mark=MARK), text("x", MARK)) == (0, size(LONG), size("x"))


def test_tools_come_first_then_the_system_prompt(figures):
    system, tools = text(mark=MARK), [BASH]
    fixed = size(system=text(), tools=tools)
    assert figures("Go.", system=system, tools=tools) == (size("Go."), 0, fixed)
    assert figures("Stop.", system=system, tools=tools) == (size("Stop."), fixed, 0)
    assert figures("Go.", system=system)[1] == 0, "without the tools it is another prefix"


def test_the_choice_of_a_tool_changes_only_what_the_messages_cost(figures):
    request = {"system": text(mark=MARK), "tools": [BASH]}
    figures(text(mark=MARK), **request)
    fixed = size(system=text(), tools=[BASH])
    assert figures(text(mark=MARK), **request, tool_choice={"type": "any"}) == (0, fixed, size(LONG))


@pytest.mark.parametrize(("tokens", "is_kept"), [(1_023, False), (1_024, True)])
def test_a_short_prefix_is_not_kept(figures, tokens, is_kept):
    words = "word " * (tokens - 12)
    words = words[: len(words) - 5 * (size(words) - tokens)]
    assert size(words) == tokens
    figures(text(words, MARK))
    assert figures(text(words, MARK)) == ((0, tokens, 0) if is_kept else (tokens, 0, 0))


def test_a_prefix_is_forgotten_after_five_minutes_without_use(figures, clock):
    figures(text(mark=MARK))
    for _ in range(3):
        clock.now += 299
        assert figures(text(mark=MARK)) == (0, size(LONG), 0), "every use starts the five minutes anew"
    clock.now += 300
    assert figures(text(mark=MARK)) == (0, 0, size(LONG))


def test_an_hour_can_be_asked_for(figures, clock):
    figures(text(mark=ONE_HOUR), text("x" + LONG, MARK))
    clock.now += 3_599
    assert figures(text(mark=ONE_HOUR), text("x" + LONG, MARK)) == (0, size(LONG), size("x" + LONG))
    clock.now += 3_600
    assert figures(text(mark=ONE_HOUR)) == (0, 0, size(LONG))


def test_an_entry_that_is_found_from_further_on_is_used_too(figures, clock):
    figures(text(mark=MARK))
    clock.now += 299
    figures(LONG, text("And?", MARK))
    clock.now += 299
    assert figures(text(mark=MARK)) == (0, size(LONG), 0)


def test_the_usage_says_what_was_written_for_how_long():
    _, client = api_and_client()
    messages = [{"role": "user", "content": text(mark=ONE_HOUR) + text(mark=MARK)}]
    written = client.messages.create(**hello(messages=messages)).usage.cache_creation
    assert (written.ephemeral_1h_input_tokens, written.ephemeral_5m_input_tokens) == (size(LONG), size(LONG))


@pytest.mark.parametrize(("added", "read"), [(19, True), (20, False)])
def test_a_breakpoint_looks_back_twenty_positions(figures, added, read):
    figures(text(mark=MARK))
    more = [block for _ in range(added - 1) for block in text("more")] + text("last", MARK)
    assert (figures(text() + more)[1] > 0) == read


def test_a_top_level_mark_stands_for_one_on_the_last_block(figures):
    assert figures(LONG, cache_control=MARK) == (0, 0, size(LONG))
    assert figures(text(mark=MARK)) == (0, size(LONG), 0)


def test_a_top_level_mark_leaves_the_last_blocks_own_mark_alone(figures, clock):
    figures(text(mark=ONE_HOUR), cache_control=MARK)
    clock.now += 3_599
    assert figures(text(mark=ONE_HOUR), cache_control=MARK) == (0, size(LONG), 0)


def test_who_said_it_is_a_part_of_the_prefix():
    _, client = api_and_client()
    reads = []
    for role in ("user", "assistant"):
        messages = [{"role": "user", "content": "Go."}, {"role": role, "content": LONG},
                    {"role": "user", "content": text("And?", MARK)}]
        reads += [client.messages.create(**hello(messages=messages)).usage.cache_read_input_tokens for _ in range(2)]
    assert reads == [0, size("Go.", LONG, "And?")] * 2


def test_a_mark_inside_a_result_counts_for_the_result():
    _, client = api_and_client()
    call = {"type": "tool_use", "id": "t", "name": "bash", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": text(mark=MARK)}
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": [call]},
                {"role": "user", "content": [result]}]
    first, again = (client.messages.create(**hello(messages=messages)).usage for _ in range(2))
    assert first.cache_creation_input_tokens == again.cache_read_input_tokens == count_tokens(messages)


def test_a_refused_request_leaves_nothing_behind():
    _, client = api_and_client(window=1_500)
    with pytest.raises(Exception, match="too long"):
        client.messages.create(**hello(messages=[{"role": "user", "content": text(mark=MARK) + text()}]))
    usage = client.messages.create(**hello(messages=[{"role": "user", "content": text(mark=MARK)}])).usage
    assert usage.cache_read_input_tokens == 0


def test_without_a_clock_time_stands_still():
    _, client = api_and_client()
    usages = [client.messages.create(**hello(messages=[{"role": "user", "content": text(mark=MARK)}])).usage
              for _ in range(2)]
    assert usages[1].cache_read_input_tokens == size(LONG)


@given(conversations(), st.data())
def test_fresh_read_and_written_add_up_to_the_context(messages, data):
    """Wherever the marks stand, and whatever was cached before."""
    cache, total = PromptCache(lambda: 0), count_tokens(messages, LONG, [BASH])
    for _ in range(3):
        prefix = prefix_of({"messages": messages, "system": LONG, "tools": [BASH]})
        marks = data.draw(st.sets(st.sampled_from(range(len(prefix))), max_size=4))
        found = cache.use([part._replace(ttl="5m" if i in marks else None) for i, part in enumerate(prefix)], None)
        assert found.fresh + found.read + sum(found.written.values()) == total
        assert min(found.fresh, found.read, *found.written.values(), 0) == 0


def test_where_a_mark_stands_is_no_part_of_what_is_read():
    marked, plain = ({"messages": [{"role": "user", "content": content}], "tools": [tool]}
                     for content, tool in ((text(mark=MARK), {**BASH, "cache_control": MARK}), (text(), BASH)))
    assert [part._replace(ttl=None) for part in prefix_of(marked)] == prefix_of(plain)
