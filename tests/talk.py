"""Short ways to write a conversation down, and to look at what a layer made of it."""

from learn_compact.messages import blocks
from learn_compact.tokens import estimate_chars, estimate_tokens, visible_chars


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def calls(*ids, name="bash", before=()):
    return {"role": "assistant", "content": [
        *before, *({"type": "tool_use", "id": one, "name": name, "input": {"command": "ls"}} for one in ids)]}


def results(*pairs, then=(), **fields):
    """The answers to calls, each as (id, content), and what the user adds behind them."""
    return {"role": "user", "content": [
        *({"type": "tool_result", "tool_use_id": one, "content": content, **fields} for one, content in pairs), *then]}


def text(words):
    return {"type": "text", "text": words}


def thought(words="Look first."):
    return {"type": "thinking", "thinking": words, "signature": "EqQB"}


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" * 1_000}}


def round_trip(n, content="done", says="Next."):
    """A call and its answer: two messages."""
    return [calls(f"call_{n}", before=[text(says)]), results((f"call_{n}", content))]


def long_talk(rounds, content="done", request="Count the functions."):
    """A request and then `rounds` calls with their answers: 1 + 2 * rounds messages."""
    return [user(request), *(message for n in range(rounds) for message in round_trip(n, content))]


def all_blocks(messages):
    return [block for message in messages for block in blocks(message)]


def sizes(messages):
    """The sizes in which no layer may make a conversation larger."""
    return estimate_chars(messages), estimate_tokens(messages)


def said(messages):
    """Every text that stands in the messages, in one."""
    return "\n".join(str(block) for block in all_blocks(messages)), visible_chars(messages)
