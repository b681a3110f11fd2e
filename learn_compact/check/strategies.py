"""Hypothesis strategies for conversations: valid ones of every shape, and ones in which one rule of the API is broken.

A conversation is drawn as a list of *turns* (a request, an answer, a batch of tool calls) and then written out as
messages. Ids and the order of results follow from the turns, so that whatever hypothesis takes away while it shrinks,
what is left is still valid. What counts as valid is `learn_compact.messages.problems`; this file never asks it, and a
test holds the two against each other. Not drawn: documents, search results, blocks of the server-side compaction.
"""

import functools
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from hypothesis import strategies as st

Block = dict[str, Any]
Message = dict[str, Any]

# What a conversation may hold beside requests and answers in plain text. "odd" are texts and ids that nobody expects.
KINDS = frozenset({"blocks", "tools", "errors", "images", "thinking", "server_tools", "odd"})

# Simplest first, in all of these: hypothesis shrinks towards the beginning.
TOOLS = ("bash", "read_file", "write_file", "edit_file", "glob")
PLAIN = ("Yes.", *(("Line after line. " * 6)[:size] for size in (100, 101)))  # around the 100 characters of s06
_PIECES = ("x", "Read the file. ", "压缩上下文。", "🙂👩‍💻", "iVBORw0KGgo", "def f(x):\n    return x\n")
PHRASES = tuple((piece * size)[:max(size, len(piece))] for size in (1, 3, 100, 101, 2_500) for piece in _PIECES)
ARGUMENTS = ({}, {"command": "ls"}, {"path": "a.py"}, {"path": "a.py", "text": "x" * 500, "lines": [1, None, True]})
ID_STYLES = (
    lambda n: f"call_{n}",
    lambda n: f"toolu_01{n:022d}",
    lambda n: "".join(c.upper() if n >> k & 1 else c for k, c in enumerate("abcdefghij")),  # differ only in case
    lambda n: "../" * n + "x",
    lambda n: "调用" * n,
    lambda n: f"{n}-" * 120,
)
ORDERS = (  # of the calls of one batch, given in the order of its results
    lambda calls: calls,
    lambda calls: calls[::-1],
    lambda calls: calls[1:] + calls[:1],
)


class Request(NamedTuple):
    """The user speaks."""
    content: str | list[Block]


class Answer(NamedTuple):
    """The assistant speaks, and calls nothing that the user would have to answer."""
    lead: list[Block]            # thinking; in an assistant message of its own where `apart`
    apart: bool
    searches: list[Any]          # what a server tool found, query by query
    content: str | list[Block]


class Batch(NamedTuple):
    """Calls in one assistant message, and the user message with their results."""
    lead: list[Block]
    apart: bool
    says: list[Block]            # the assistant's text before its calls
    calls: list[tuple[str, dict, Block]]  # tool, input, and the tool_result without its id; in the results' order
    order: Any                   # one of ORDERS: the calls' own order
    then: list[Block]            # what the user adds behind the results, in the same message


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def texts(odd: bool = True) -> st.SearchStrategy[str]:
    """Text that isn't blank: short or thousands of characters; prose, Chinese, emoji, base64, code, anything."""
    if not odd:
        return st.sampled_from(PLAIN)
    return st.sampled_from(PHRASES) | st.text(min_size=1, max_size=20).filter(str.strip)


def images() -> st.SearchStrategy[Block]:
    """An image block: base64 of 12 or 12,000 characters, or an address."""
    sources = [{"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" * size} for size in (1, 1_000)]
    sources.append({"type": "url", "url": "https://example.org/plan.png"})
    return st.sampled_from([{"type": "image", "source": source} for source in sources])


def _parts(kinds: frozenset[str]) -> st.SearchStrategy[Block]:
    """What a list of content may hold, in a request and in a result."""
    words = texts("odd" in kinds).map(text_block)
    return words | images() if "images" in kinds else words


def _contents(parts: st.SearchStrategy[Block], kinds: frozenset[str]) -> st.SearchStrategy[str | list[Block]]:
    words = texts("odd" in kinds)
    return words | st.lists(parts, min_size=1, max_size=3) if "blocks" in kinds else words


def _calls(kinds: frozenset[str]) -> st.SearchStrategy[tuple[str, dict, Block]]:
    """A call: tool, input, and the tool_result without its id. Results may be empty, but for those of an error."""
    if "odd" not in kinds:  # one choice for each call: quick to draw and quick to shrink
        return st.sampled_from([(tool, {}, result) for result in _plain_results(kinds) for tool in TOOLS])
    filled = _contents(_parts(kinds), kinds).map(lambda content: {"type": "tool_result", "content": content})
    empty: list[Block] = [{"type": "tool_result", "content": ""}]
    if "blocks" in kinds:
        empty += [{"type": "tool_result", "content": []}, {"type": "tool_result"}]
    results = filled | st.sampled_from(empty)
    if "errors" in kinds:
        results |= filled.map(lambda block: {**block, "is_error": True})
    return st.tuples(st.sampled_from(TOOLS), st.sampled_from(ARGUMENTS), results)


def _plain_results(kinds: frozenset[str]) -> list[Block]:
    contents: list[Any] = list(PLAIN)
    if "blocks" in kinds:
        contents += [[text_block(text)] for text in PLAIN] + [[text_block("Yes."), text_block(PLAIN[-1])]]
    results = [{"type": "tool_result", "content": content} for content in contents]
    errors = [{**result, "is_error": True} for result in results] if "errors" in kinds else []
    empty = [{"type": "tool_result", "content": ""}, {"type": "tool_result"}]
    return results + errors + empty[:1 + ("blocks" in kinds)]


@functools.cache
def _turns(kinds: frozenset[str]) -> dict[str, st.SearchStrategy[Any]]:
    """One strategy for each kind of turn."""
    thinking = st.sampled_from([
        [],
        [{"type": "thinking", "thinking": "Look first.", "signature": "EqQBCgIYAhIM"}],
        [{"type": "redacted_thinking", "data": "EvwBCoYB"}],
        [{"type": "thinking", "thinking": "", "signature": "ErUB"}, {"type": "redacted_thinking", "data": "EmwK"}],
    ])
    page = {"type": "web_search_result", "url": "https://example.org", "title": "Context", "encrypted_content": "Eo8"}
    found = st.sampled_from([[page], [], {"type": "web_search_tool_result_error", "error_code": "unavailable"}])
    nothing = st.just([])
    words = texts("odd" in kinds).map(text_block)
    said = st.lists(words, max_size=1)
    lead, apart = (thinking, st.booleans()) if "thinking" in kinds else (nothing, st.just(False))
    searches = st.lists(found, max_size=2) if "server_tools" in kinds else nothing
    turns = {"request": st.builds(Request, _contents(_parts(kinds), kinds)),
             "answer": st.builds(Answer, lead, apart, searches, _contents(words, kinds))}
    if "tools" in kinds:
        turns["batch"] = st.builds(Batch, lead, apart, said, st.lists(_calls(kinds), min_size=1, max_size=4),
                                   st.sampled_from(ORDERS), said if "blocks" in kinds else nothing)
    return turns


def write_out(turns: Iterable[Request | Answer | Batch], name_id=ID_STYLES[0]) -> list[Message]:
    """The turns as messages, with a new id for every call; no two places share an object."""
    ids = map(name_id, range(1, 1_000))
    messages = [{"role": role, "content": content} for turn in turns for role, content in _written(turn, ids)]
    return json.loads(json.dumps(messages))


def _written(turn, ids):
    """(role, content) of the one to three messages of a turn."""
    if isinstance(turn, Request):
        yield "user", turn.content
        return
    lead = turn.lead
    if lead and turn.apart:
        yield "assistant", lead
        lead = []
    if isinstance(turn, Batch):
        named = [(next(ids), *call) for call in turn.calls]
        yield "assistant", lead + turn.says + [{"type": "tool_use", "id": id_, "name": name, "input": arguments}
                                               for id_, name, arguments, _ in turn.order(named)]
        yield "user", [{"tool_use_id": id_, **result} for id_, *_, result in named] + turn.then
        return
    body = turn.content
    if lead or turn.searches:
        searched = [block for id_, found in ((next(ids), found) for found in turn.searches) for block in (
            {"type": "server_tool_use", "id": id_, "name": "web_search", "input": {"query": "context window"}},
            {"type": "web_search_tool_result", "tool_use_id": id_, "content": found})]
        body = lead + searched + ([text_block(body)] if isinstance(body, str) else body)
    yield "assistant", body


@st.composite
def conversations(draw, min_turns: int = 1, max_turns: int = 8, kinds: Iterable[str] = KINDS,
                  some_batch: bool = False) -> list[Message]:
    """A valid conversation of `min_turns` to `max_turns` turns; the first is a request, the last may be anything.

    `kinds` says which of `KINDS` may occur; with an empty one everything is plain text in strings. With `some_batch`
    there is at least one batch of tool calls (one more turn where none was drawn).
    """
    if unknown := set(kinds) - KINDS:
        raise ValueError(f"kinds holds {sorted(unknown)}; possible are {sorted(KINDS)}")
    turn = _turns(frozenset(kinds))
    turns = [draw(turn["request"])]
    turns += draw(st.lists(st.one_of(*turn.values()), min_size=min_turns - 1, max_size=max_turns - 1))
    if some_batch and not any(isinstance(one, Batch) for one in turns):
        turns.append(draw(turn["batch"]))
    return write_out(turns, draw(st.sampled_from(ID_STYLES if "odd" in kinds else ID_STYLES[:1])))
