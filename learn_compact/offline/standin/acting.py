"""The next step: from a wish and what the context says to what is said and called for."""

from typing import NamedTuple

from learn_compact.offline.standin import wording
from learn_compact.offline.standin.calls import Compact, as_tool_use
from learn_compact.offline.standin.wishes import Compress, Recall, Rule, Unclear
from learn_compact.offline.standin.working import BATCH, work


class Step(NamedTuple):
    """What the stand-in says, and what it calls for."""

    text: str
    calls: list = []


def next_step(wish, facts, offered, batch=BATCH):
    """The step that the wish needs now. `offered` are the names of the tools; at most `batch` files at once."""
    match wish:
        case None if not facts.requests:
            return Step(wording.NO_REQUEST)
        case None:
            return Step(wording.WHAT_IT_CAN)
        case Unclear(question):
            return Step(question)
        case Rule(patterns):
            return Step(wording.rule(patterns))
        case Recall("requests"):
            return Step(wording.recalled("earlier requests", facts.requests[:-1]))
        case Recall():
            read = [path for path, file in facts.files.items() if file.was_read]
            return Step(wording.recalled("files that I read", read))
        case Compress(focus):
            return _compress(focus, facts, offered)
    return Step(*work(wish, facts, offered, batch))


def _compress(focus, facts, offered):
    if facts.compacted:
        return Step(wording.compacted(facts.transcript))
    if facts.compact_asked:
        return Step(wording.COMPACT_IS_ASKED)
    call = Compact(focus)
    return Step(wording.compressing(focus), [call]) if as_tool_use(call, offered) else Step(wording.lacks("compress"))
