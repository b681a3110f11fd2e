"""One line of Claude Code's log: where it stands in the threads, and what it sent to the API or got from it.

Everything in a line may be missing or damaged; what can't be used counts as not there.
"""

import sys
from datetime import UTC, datetime

from learn_compact.conversations.thread import BEFORE, Kept, Record
from learn_compact.tokens import context_tokens

LATEST = 10**11  # seconds; a time behind it is no time

# Lines that tell what was sent in place of what the log keeps, by type or, for a remark of the program's, by subtype.
_MADE_SMALLER = {
    "microcompact_boundary": "Old results cleared in the context and kept in the log, so what follows was smaller",
    "snip_boundary": "Messages snipped from the context and kept in the log, so what follows was smaller",
    "content-replacement": "Large results replaced in the context and kept in the log, so what was sent was smaller",
    "marble-origami-commit": "Finished work collapsed in the context and kept in the log, so what follows was smaller",
    "fork-context-ref": "Of a sub-agent that began with the context of another log, so what was sent was larger",
}


def is_message(value):
    """Whether a line holds a message of the API."""
    return isinstance(value, dict) and value.get("type") in ("user", "assistant") \
        and isinstance(value.get("message"), dict)


def is_log_line(value):
    """Whether a line is one that only Claude Code writes, a message or a remark beside them."""
    return is_message(value) or isinstance(value, dict) and isinstance(value.get("type"), str) \
        and not {"sessionId", "session_id", "uuid", "leafUuid", "messageId"}.isdisjoint(value)


def said(value):
    """(role, content) of what a line sent to the API or got from it; ("", "") where it did neither.

    A command's output and a prompt that was typed while the model worked have lines of their own kinds. An error that
    Claude Code shows in the model's place was never sent.
    """
    if is_message(value):
        return ("", "") if value.get("isApiErrorMessage") else (value["type"], value["message"].get("content"))
    kind, attached = value.get("type"), value.get("attachment")
    if kind == "system" and value.get("subtype") == "local_command" and isinstance(value.get("content"), str):
        return "user", value["content"]
    if kind == "attachment" and isinstance(attached, dict) and attached.get("type") == "queued_command":
        return "user", attached.get("prompt")
    return "", ""


def record_of(line, notes):
    """The `Record` of a `Line`; None where it has no place in a thread."""
    value = line.value
    if isinstance(value, dict) and (told := _MADE_SMALLER.get(_kind(value))):
        notes.at(told, line.number)
    if not isinstance(value, dict) or not (is_message(value) or isinstance(value.get("uuid"), str)):
        return None
    role, content = said(value)
    if value.get("type") == "attachment" and not role:
        notes.at("A reminder whose words the log lacks, left out", line.number)
    compaction, pre_tokens, kept = _compaction(value)
    return Record(line.number, line.offset, len(line.raw), uuid_of(value, line.number), _parent(value), role,
                  _seconds(value), _answer(value), _spent(value), _results(content) if role == "user" else (),
                  bool(value.get("isSidechain") or value.get("parent_tool_use_id")),
                  compaction, pre_tokens, kept, bool(value.get("isCompactSummary")))


def uuid_of(value, number):
    """What other lines call a line: its uuid, else its number."""
    return _interned(value.get("uuid")) or str(number)


def usage_of(message):
    """What the API reported for a message, under its own names; None where it reported no figures."""
    found = message.get("usage")
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    if not isinstance(found, dict) or not all(_is_count(found.get(name) or 0) for name in names):
        return None
    usage = {name: found.get(name) or 0 for name in names}
    written = found.get("cache_creation")  # how long what was written stays, which has different prices
    if isinstance(written, dict) and written and all(map(_is_count, written.values())):
        usage["cache_creation"] = written
    return usage


def _kind(value):
    kind = value.get("subtype" if value.get("type") == "system" else "type")
    return kind if isinstance(kind, str) else None


def _interned(found):
    return sys.intern(found) if isinstance(found, str) else None  # once in memory, however many lines name it


def _parent(value):
    """The uuid of the line before this one, across a compaction too; None where this one is the first of a thread."""
    if "parentUuid" not in value:
        return BEFORE
    return _interned(value["parentUuid"]) or _interned(value.get("logicalParentUuid"))


def _answer(value):
    found = value["message"].get("id") if is_message(value) and value["type"] == "assistant" else None
    return found if isinstance(found, str) else ""


def _spent(value):
    usage = usage_of(value["message"]) if is_message(value) and value["type"] == "assistant" else None
    return context_tokens(usage) + usage["output_tokens"] if usage else 0


def _results(content):
    return tuple(block["tool_use_id"] for block in content if isinstance(block, dict)
                 and block.get("type") == "tool_result" and isinstance(block.get("tool_use_id"), str)) \
        if isinstance(content, list) else ()


def _compaction(value):
    """(trigger, tokens before, lines kept) of a compaction that this line tells of, None for each it doesn't tell."""
    if value.get("subtype") != "compact_boundary":
        return ("unknown" if value.get("isCompactSummary") else None), None, None
    told = _dict(value.get("compactMetadata"))
    trigger, tokens = told.get("trigger"), told.get("preTokens")
    return trigger if trigger in ("auto", "manual") else "unknown", tokens if _is_count(tokens) else None, _kept(told)


def _kept(told):
    """What a compaction left as it was, as newer versions list it or as older ones name its ends; None for nothing."""
    listed, ends = _dict(told.get("preservedMessages")), _dict(told.get("preservedSegment"))
    uuids = listed.get("uuids") if listed else [ends.get("headUuid"), ends.get("tailUuid")]
    anchor = (listed or ends).get("anchorUuid")
    if not uuids or not isinstance(uuids, list) or not all(isinstance(uuid, str) for uuid in [*uuids, anchor]):
        return None
    return Kept(tuple(uuids), anchor, is_span=not listed)


def _seconds(value):
    try:
        time = datetime.fromisoformat(value["timestamp"])
        seconds = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return seconds if 0 <= seconds < LATEST else None


def _dict(value):
    return value if isinstance(value, dict) else {}


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
