"""The stand-in with a task that runs beside its work: what a compaction loses, when it loses where a task stands."""

import re

from learn_compact.messages import blocks, result_text, tool_results
from learn_compact.offline.standin import answer as standin_answer
from learn_compact.offline.standin.asked import summary_asked

_ID = re.compile(r"\btask_\d+\b")


def with_subtask(command, about):
    """A model for an `OfflineAPI`: it starts a command in the background, does what the stand-in does, and then asks
    what became of the command; `Subtask: OUTPUT` ends its answer.

    It needs the tools of `BackgroundTasks`. Like the stand-in it knows nothing but the request in front of it: where no
    id of a task stands there, it starts the task, whether that has been done before or not.
    """
    def model(request):
        messages = request["messages"]
        reply, known = standin_answer(request), _ID.findall(str(messages))
        if summary_asked(messages):
            return reply
        if not known:
            return [_call(messages, "start_task", command=command, about=about)]
        if any(block["type"] == "tool_use" for block in reply):
            return reply
        output = _output(messages)
        if output is None:
            return [*reply, _call(messages, "check_task", task_id=known[-1])]
        return [*reply, {"type": "text", "text": f"\nSubtask: {output}"}]

    return model


def _call(messages, tool, **arguments):
    return {"type": "tool_use", "id": f"subtask_{len(str(messages))}", "name": tool, "input": arguments}


def _output(messages):
    """What the newest check gave; None where there was none, or the task was still running."""
    checks = {block["id"] for message in messages for block in blocks(message) if block.get("name") == "check_task"}
    outputs = [result_text(found.block) for found in tool_results(messages) if found.tool_use_id in checks]
    return None if not outputs or "still running" in outputs[-1] else outputs[-1]
