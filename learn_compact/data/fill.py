"""From figures to messages: an outline's blocks, filled with text, inputs, results, signatures and pictures.

Everything is drawn from the name of the outline and the place of the block, so a conversation is the same on every
machine. Left out: the text itself (`filler`) and the inputs of tools (`inputs`).
"""

from base64 import b64encode
from hashlib import shake_256
from zlib import crc32

from learn_compact.data.filler import fill, fill_numbered
from learn_compact.data.inputs import tool_input

# What closes a call that never came back; Claude Code writes an error result in its own words.
INTERRUPTED = "The call was interrupted before it gave a result."
# The boundary that opens the chain after a compaction (Claude Code's five layers).
BOUNDARY = "[Conversation compacted: {trigger}, {tokens} tokens before]\n\n"
# A signature encodes its thinking and this many bytes more, as those of the public conversations do.
SIGNATURE_BYTES = 170
# What people and models say in one to four characters.
_SHORT = ("", "y", "ok", "yes", "next")

# One white pixel: pictures cost by what they show, so the `chars` of an image are not honoured.
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg=="

_TERMINAL = ("log", "tests", "listing", "json", "paths")
_RESULT_STYLES = {"Bash": _TERMINAL, "TaskOutput": _TERMINAL, "Grep": ("hits",), "Glob": ("paths",),
                  "TodoWrite": ("label",), "Skill": ("label",), "AskUserQuestion": ("request",), "Task": ("prose",),
                  "ExitPlanMode": ("prose",), "WebSearch": ("prose",), "WebFetch": ("prose",)}


def fill_conversation(name, number, messages, paths):
    """The messages of segment `number` of an outline, filled in; `paths` are those of its files."""
    asked, filled = {}, []
    for i, message in enumerate(messages):
        content = [_filled(block, message, f"{name}/{number}/{i}/{j}", name, paths, asked)
                   for j, block in enumerate(message.blocks)]
        asked |= {block["id"]: block for block in content if block["type"] == "tool_use"}
        is_plain = message.role == "user" and [block["type"] for block in content] == ["text"]
        filled.append({"role": message.role, "content": content[0]["text"] if is_plain else content})
    return filled


def _filled(block, message, seed, name, paths, asked):
    match block.kind:
        case "text":
            return {"type": "text", "text": _text(block.chars, message, seed)}
        case "thinking":
            return {"type": "thinking", "thinking": fill("prose", block.chars, seed),
                    "signature": b64encode(shake_256(seed.encode()).digest(block.chars + SIGNATURE_BYTES)).decode()}
        case "tool_use":
            return {"type": "tool_use", "id": _id(name, block.call), "name": block.tool,
                    "input": tool_input(block.tool, block.chars, seed, paths.get(block.file))}
        case "tool_result":
            call = asked[_id(name, block.call)]
            content = INTERRUPTED if block.interrupted else _result(block, call, seed)
            if block.images:
                texts = [{"type": "text", "text": content}] if content else []
                content = texts + [_image() for _ in range(block.images)]
            error = {"is_error": True} if block.error else {}
            return {"type": "tool_result", "tool_use_id": call["id"], "content": content, **error}
        case "image":
            return _image()


def _text(chars, message, seed):
    if message.compaction:
        header = BOUNDARY.format(trigger=message.compaction, tokens=message.pre_tokens)
        return (header + fill("prose", chars, seed))[:chars]
    return _SHORT[chars] if chars < len(_SHORT) else fill("request" if message.role == "user" else "prose", chars, seed)


def _result(block, call, seed):
    """What a tool gave back: the same text for the same file read whole, lines that begin where the call asked."""
    tool, asked = call["name"], call["input"]
    path = asked.get("file_path") or asked.get("notebook_path")
    if block.error:
        return fill("error", block.chars, seed)
    if tool == "Read" and path:
        return fill_numbered("code", block.chars, path if len(asked) == 1 else seed, asked.get("offset", 1))
    if path:
        head = f"{path} is written. Its lines:\n"
        return (head + fill_numbered("code", block.chars, seed))[:block.chars]
    styles = _RESULT_STYLES.get(tool, ("json",))
    return fill(styles[crc32(seed.encode()) % len(styles)], block.chars, seed)


def _image():
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _PIXEL}}


def _id(name, call):
    """An id as long as the API's, told apart by outline and call."""
    return f"toolu_{crc32(name.encode()):08x}{call:016d}"
