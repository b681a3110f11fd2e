"""What no summary can carry: after a compaction it comes back through a channel of its own.

Files are read again (`files`), plan and asynchronous tasks are attached as they are (`state`), the memory file and the
system prompt are made anew at the next request (`memory`); `attachments` puts it together, at once and in parallel.
What is attached is material: fenced or quoted, whatever it says, and never a request.
"""

from learn_compact.restore.attachments import Restoration
from learn_compact.restore.files import (
    MAX_FILES,
    MAX_TOKENS_EACH,
    MAX_TOKENS_IN_ALL,
    recent_files,
    restored_files,
)
from learn_compact.restore.memory import MEMORY_FILE, MemoryFile, SystemPrompt
from learn_compact.restore.state import TaskState, newest_plan

__all__ = ["MAX_FILES", "MAX_TOKENS_EACH", "MAX_TOKENS_IN_ALL", "MEMORY_FILE", "MemoryFile", "Restoration",
           "SystemPrompt", "TaskState", "newest_plan", "recent_files", "restored_files"]
