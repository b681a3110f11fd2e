"""Everything that comes back after a compaction, made in parallel, in the order of what must not be missing."""

from concurrent.futures import ThreadPoolExecutor

from learn_compact.errors import demand
from learn_compact.layers.full import Attachment
from learn_compact.restore.files import (
    A_WORKSPACE,
    MAX_FILES,
    MAX_TOKENS_EACH,
    MAX_TOKENS_IN_ALL,
    fenced,
    path_of,
    recent_files,
    restored_files,
)
from learn_compact.restore.state import PLAN, TASKS, newest_plan, quoted


class Restoration:
    """What a full compaction brings back, and the hooks around it.

    `workspace.read(path)` reads files; `plan()` gives the plan as lines or text (by default the newest todo list of the
    messages), `tasks()` the asynchronous tasks as `TaskState`; `caches` are cleared (`clear()`), such as a
    `SystemPrompt` or a `MemoryFile`. A hook is a function: `before(messages, trigger)` may give text that the summary
    must keep to, `after(messages, trigger)` text that is attached. What raises among these stops nothing: its error is
    attached in its place.
    """

    def __init__(self, workspace=None, *, plan=None, tasks=None, caches=(), before=(), after=(), max_files=MAX_FILES,
                 max_tokens_each=MAX_TOKENS_EACH, max_tokens=MAX_TOKENS_IN_ALL):
        demand(workspace is None or hasattr(workspace, "read"), "workspace", A_WORKSPACE, workspace)
        for name, ask in (("plan", plan), ("tasks", tasks)):
            demand(ask is None or callable(ask), name, "a function, so that it is asked when the time comes", ask)
        for name, hooks in (("before", before), ("after", after)):
            demand(isinstance(hooks, list | tuple) and all(map(callable, hooks)), name, "a list of functions", hooks)
        demand(isinstance(caches, list | tuple) and all(hasattr(cache, "clear") for cache in caches), "caches",
               "a list of things with clear()", caches)
        for name, most in (("max_files", max_files), ("max_tokens_each", max_tokens_each), ("max_tokens", max_tokens)):
            demand(isinstance(most, int) and most >= 0, name, "a number, 0 or more", most)
        self.workspace, self.plan, self.tasks, self.caches = workspace, plan, tasks, tuple(caches)
        self.before, self.after = tuple(before), tuple(after)
        self.max_files, self.max_tokens_each, self.max_tokens = max_files, max_tokens_each, max_tokens
        self._failed = []  # what went wrong in the hooks before the newest compaction

    def focus(self, messages, trigger):
        """What the hooks before a compaction want the summary to keep, in one line; "" where they say nothing."""
        said, self._failed = _heard(self.before, messages, trigger)
        return " ".join(said)

    def attachments(self, messages, archive, trigger):
        """Every `Attachment`: plan, tasks, notes, files, the newest first, then what the hooks said.

        They are made at the same time.
        """
        jobs = (self._plan, self._tasks, self._files, self._hooks)
        with ThreadPoolExecutor(len(jobs)) as pool:
            made = list(pool.map(lambda job: job(messages, archive, trigger), jobs))
        return [attachment for one in made for attachment in one if attachment.text]

    def clear(self):
        """Clear what was remembered, so that the next request has it anew."""
        for cache in self.caches:
            cache.clear()

    def _plan(self, messages, archive, trigger):
        return [Attachment(quoted(PLAN, _asked(self.plan) if self.plan else newest_plan(messages, archive)))]

    def _tasks(self, messages, archive, trigger):
        return [Attachment(quoted(TASKS, _asked(self.tasks) if self.tasks else []))]

    def _files(self, messages, archive, trigger):
        if self.workspace is None:
            return []
        reads = recent_files(messages, archive, self.max_files)
        texts, notes = restored_files(reads, self.workspace, max_tokens_each=self.max_tokens_each,
                                      max_tokens=self.max_tokens)
        return [Attachment(quoted("Files that were read, and can't be shown now:", notes), name="notes on files"),
                *(Attachment(text, name=path_of(text)) for text in texts)]

    def _hooks(self, messages, archive, trigger):
        said, failed = _heard(self.after, messages, trigger)
        return [Attachment(f"A hook said:\n{fenced(text)}") for text in self._failed + said + failed]


def _asked(ask):
    """What `ask()` gives; where it raises, one line that says so: a compaction must not fail with it."""
    try:
        said = ask()
        return said if isinstance(said, str) else list(said)
    except Exception as error:  # somebody else's code
        return [f"unknown, because asking failed: {error}"]


def _heard(hooks, messages, trigger):
    """(what the hooks said, what went wrong in them), as texts."""
    said, failed = [], []
    for hook in hooks:
        try:
            said += filter(None, [hook(messages, trigger)])
        except Exception as error:  # somebody else's code: a compaction must not fail with it
            failed.append(f"{getattr(hook, '__name__', 'A hook')} failed: {error}")
    return list(map(str, said)), failed
