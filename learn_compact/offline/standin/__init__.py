"""A stand-in for a model: a small rule-based program whose only memory is the request in front of it.

`answer(request)` takes the body of `POST /v1/messages` and gives the content of the answer. The way of a request:

    reading        messages → facts: what the context says, and nothing else
    understanding  the words of the user → a wish
    acting         a wish and the facts → notes, calls, or the answer        (working, jobs, editing: work on files)
    summarising    a conversation → a summary that `reading` understands     (asked, salvage: where the conversation is)

The same request always gets the same answer. What this shows about real models, and what not, is on the page
`learn_compact/offline/README.md`.
"""

from hashlib import blake2b

from learn_compact.messages import blocks
from learn_compact.offline.standin.acting import next_step
from learn_compact.offline.standin.asked import summary_asked
from learn_compact.offline.standin.calls import as_tool_use
from learn_compact.offline.standin.reading import read
from learn_compact.offline.standin.summarising import summary
from learn_compact.offline.standin.understanding import current_wish, understand
from learn_compact.offline.standin.working import BATCH

__all__ = ["answer"]


def answer(request):
    """The content blocks that answer a request: texts, and calls of the tools that it offers.

    >>> answer({"max_tokens": 100, "messages": [{"role": "user", "content": "What did I ask you?"}]})
    [{'type': 'text', 'text': 'My context shows no earlier requests.'}]
    """
    messages, choice = request["messages"], request.get("tool_choice") or {}
    if asked := summary_asked(messages):
        return [_text(summary(asked, request.get("max_tokens") or 2_000))]
    offered = {} if choice.get("type") == "none" else {tool.get("name"): tool for tool in request.get("tools") or ()}
    facts = read(messages)
    wish = _wish(facts)
    alone = getattr(wish, "one_by_one", False) or choice.get("disable_parallel_tool_use")
    step = next_step(wish, facts, offered, batch=1 if alone else BATCH)
    calls = [as_tool_use(call, offered) for call in step.calls][:1 if alone else None]
    if choice.get("type") in ("any", "tool") and not any(name == choice.get("name", name) for name, _ in calls):
        calls = [_forced(offered[choice.get("name") or next(iter(offered))])]
    return [_text(step.text), *_as_blocks(calls, messages)]


def _wish(facts):
    """What the user wants: by their requests, or where these are gone, by what a summary in other words says."""
    if facts.requests:
        return current_wish(facts.requests)
    return next(filter(None, map(understand, facts.told)), None)


def _text(text):
    return {"type": "text", "text": text}


def _as_blocks(calls, messages):
    """The calls as blocks, with ids that depend on nothing but the messages and are new among them."""
    used = [block["id"] for message in messages for block in blocks(message)
            if block.get("type") == "tool_use" and isinstance(block.get("id"), str)]
    seed = repr((len(messages), used, messages[-1])).encode("utf-8", "surrogatepass")
    digest = blake2b(seed, digest_size=9).hexdigest()
    return [{"type": "tool_use", "id": f"toolu_{digest}{i:02}", "name": name, "input": arguments}
            for i, (name, arguments) in enumerate(calls)]


def _forced(tool):
    """A call that the request insists on: of a tool that the task doesn't need, with as little as its schema allows."""
    schema = tool.get("input_schema") or {}
    empty = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}
    return tool["name"], {name: empty.get((schema.get("properties") or {}).get(name, {}).get("type"), "")
                          for name in schema.get("required") or ()}
