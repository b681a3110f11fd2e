"""Tasks that run beside the conversation: a command is started, work goes on, and its result is asked for later.

Their state lives here and not in the messages, so a compaction can't summarise it away: `states` is what a
`Restoration` attaches. Left out: tasks that outlive the process.
"""

from concurrent.futures import ThreadPoolExecutor, wait

from learn_compact.agent.command import run_command
from learn_compact.agent.tools import Tool
from learn_compact.errors import WorkspaceError
from learn_compact.restore import TaskState

RUNNING, DONE, FAILED = "running", "done", "failed"


class BackgroundTasks:
    """Commands in the background. `tools` are `start_task` and `check_task`; `states()` gives a `TaskState` for each.

    A task's id is the only way to its result, and whoever asks for it waits `patience` seconds at most. `close()` waits
    for all of them.
    """

    def __init__(self, max_workers=4, patience=0):
        self.patience = patience
        self._pool = ThreadPoolExecutor(max_workers)
        self._tasks = {}  # id: (what it is about, future of (output, exit code))
        self.tools = (
            Tool("start_task", "Run a shell command in the background; gives the id of the task.",
                 {"command": {"type": "string"}, "about": {"type": "string", "description": "What it is for"}},
                 self._start, asks=True),
            Tool("check_task", "How a background task stands, and its output once it has ended.",
                 {"task_id": {"type": "string"}}, self._check),
        )

    def states(self):
        return [TaskState(task_id, about, _state(future)) for task_id, (about, future) in self._tasks.items()]

    def close(self):
        self._pool.shutdown()

    def _start(self, workspace, command, about):
        task_id = f"task_{len(self._tasks) + 1}"
        self._tasks[task_id] = about, self._pool.submit(run_command, workspace.root, command)
        return f"Started {task_id}.", False

    def _check(self, workspace, task_id):
        if task_id not in self._tasks:
            raise WorkspaceError(f"There is no task {task_id}. There are: {', '.join(self._tasks) or 'none'}.")
        future = self._tasks[task_id][1]
        wait([future], self.patience)
        state = _state(future)
        if state == RUNNING:
            return f"{task_id} is still running.", False
        return (str(future.exception()), True) if future.exception() else (future.result()[0], state == FAILED)


def _state(future):
    if not future.done():
        return RUNNING
    return FAILED if future.exception() or future.result()[1] else DONE
