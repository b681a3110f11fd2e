"""Reading a conversation, whatever program wrote it."""

from learn_compact.conversations import claude_code
from learn_compact.conversations.reading import checked_path


def load(path, progress=None):
    """The conversation in a file, as a `Conversation`.

    `progress(read, size)` is told how many bytes of the file have been read.
    """
    path, size = checked_path(path)
    return claude_code.read(path, size, progress)
