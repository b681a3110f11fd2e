"""Writing files so that a crash at any moment leaves each of them whole, or not there.

Every function is on disk when it returns, and raises OSError where the disk refuses.
"""

import errno
import os
from contextlib import suppress
from secrets import token_hex


def write_new(folder, names, payload, replace=False):
    """Write bytes under the first of `names` that is free in `folder`, readable by its owner alone; the name.

    The file gets its name in one step, when all of it is on disk. With `replace` the first name is taken in any case.
    """
    partial = f"{folder}/.partial-{token_hex(8)}"
    try:
        with open(partial, "xb", opener=_for_the_owner) as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        name = _replaced(partial, folder, names) if replace else _linked(partial, folder, names)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(partial)
    sync_folder(folder)
    return name


def write_over(path, payload):
    """Write bytes to a file in place of what it holds, readable by its owner alone; a link leads to what it names.

    What is there and no ordinary file (a folder, a device, a pipe) is refused, and stays.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "it is no ordinary file")
    folder, name = os.path.split(os.path.realpath(path))
    write_new(folder, [name], payload, replace=True)


def append(path, end, payload):
    """Append bytes, in one write, to a file that is good up to `end`; what a failed write left there goes first."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))  # Windows would change newlines
    try:
        os.ftruncate(descriptor, end)
        written = os.write(descriptor, payload)
        if written < len(payload):
            raise OSError(f"only {written} of {len(payload)} bytes fit")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(root, folder):
    """Make `folder` (a relative path) under `root`, open to its owner alone; refuse one that a link leads elsewhere."""
    made = str(root)
    if not os.path.isdir(made):
        os.makedirs(made, exist_ok=True)
    for part in folder.split("/"):
        above, made = made, f"{made}/{part}"
        if os.path.islink(made):
            raise OSError(f"{folder} is a symbolic link that leads elsewhere")
        if not os.path.isdir(made):
            os.mkdir(made, mode=0o700)
            sync_folder(above)
    return made


def sync_folder(folder):
    """Bring a folder's list of names to disk, where the system can (Windows can't)."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _for_the_owner(path, flags):
    return os.open(path, flags, mode=0o600)


def _linked(partial, folder, names):
    for name in names:
        try:
            os.link(partial, f"{folder}/{name}")  # fails where the name is taken, by this process or by another
            return name
        except FileExistsError:
            continue
    raise FileExistsError(f"every name for a new file in {os.path.basename(folder)} is taken")


def _replaced(partial, folder, names):
    name = next(iter(names))
    os.replace(partial, f"{folder}/{name}")
    return name
