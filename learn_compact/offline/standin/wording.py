"""What the stand-in says beside its notes: a sentence each, so that a reader can tell what it knew."""

from learn_compact.offline.standin.lines import quantity
from learn_compact.offline.standin.wishes import AddLine

WHAT_IT_CAN = (
    "I am the stand-in model of the offline course: I can read files, count functions, classes or lines in them, add a "
    "line to the top of every file, replace a word, compress the conversation, and say what I was asked and what I "
    "read; for anything else connect a real model (set ANTHROPIC_API_KEY, and unset LEARN_COMPACT_OFFLINE)."
)
NO_REQUEST = "My context doesn't say any more what I was asked to do. Please ask me again."
WHICH_LINE = "Which line should I add? Put it in quotation marks."
WHICH_FILES = "In which files? Name a folder or a kind of file."
COMPACT_IS_ASKED = "I have asked for the conversation to be compressed."
ALL_THE_SAME = "I have read these files over and over, and my context shows no sign of a compaction. I stop here."
NEVER_SEEN = "the result was gone every time before I saw it"
TOO_LONG = "it is too long to be shown at once, and I have no bash to show it in parts"

def lacks(what):
    """The answer where no tool is offered."""
    return f"I was not offered a tool to {what} with, so I can't do this."


def rule(patterns):
    """The answer to a rule without a task."""
    return f"I will leave out {enumerated(patterns)}."


def compressing(focus):
    """What is said with a call of compact."""
    return f"I compress the conversation{f' and preserve {focus}' if focus else ''}."


def compacted(transcript):
    """The answer once a compaction has happened."""
    where = f" The older messages are in {transcript}." if transcript else ""
    return f"The conversation has been compressed: my context begins with a summary.{where}"


def recalled(what, things):
    """What the context holds, or that it holds nothing."""
    if not things:
        return f"My context shows no {what}."
    quoted = [f"> {line}" for thing in things for line in thing.split("\n")]
    return "\n".join([f"My context shows these {what}:", *quoted])


def listing(wanted):
    """What is said with the first call."""
    return f"I list the {_kind(wanted[0].suffix)} {enumerated([_place(listed.folder) for listed in wanted])} first."


def doing(is_change, paths):
    """What is said with the calls for some files."""
    return f"{'Changing' if is_change else 'Reading'} {enumerated(paths)}."


def is_progress(line):
    """Whether a line only says what the calls beside it say, or what was said before."""
    return line.startswith(("Reading ", "Changing ", "I list the ", "My context shows "))


def no_folder(wanted, error):
    """The answer where a listing failed."""
    return f"I can't list the files {_place(wanted.folder)}: {error}"


def no_files(files):
    """The answer where a listing is empty."""
    return f"There are no {_kind(files.suffix)} {_places(files)}."


def read(number, files):
    """The answer to a wish to read."""
    return f"I have read {quantity(number, 'files')} {_places(files)}."


def total(sums, number, files):
    """The answer to an audit."""
    found = " and ".join(quantity(amount, measure) for measure, amount in sums.items())
    return f"Total: {found}{'' if 'files' in sums else f' in {quantity(number, 'files')}'} {_places(files)}."


def changed(wish, number):
    """The answer to a wish to change files."""
    what = f"begins with {wish.line}" if isinstance(wish, AddLine) else f'has "{wish.new}" in place of "{wish.old}"'
    return f"Done: each of {quantity(number, 'files')} {_places(wish.files)} {what} now."


def left_out(paths):
    """What rules kept out of an answer, as lines."""
    return [f"Left out, as asked: {', '.join(paths)}."] if paths else []


def enumerated(things):
    """Things in a sentence.

    >>> enumerated(["a.py", "b.py", "c.py"])
    'a.py, b.py and c.py'
    """
    *most, last = things
    return f"{', '.join(most)} and {last}" if most else last


def _kind(suffix):
    return {".py": "Python files", "": "files"}.get(suffix, f"{suffix} files")


def _place(folder):
    return "here" if folder == "." else f"under {folder}"


def _places(files):
    return f"({', '.join(files.paths)})" if files.paths else enumerated([_place(folder) for folder in files.folders])
