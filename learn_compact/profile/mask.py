"""Masking: what a profile says about somebody, taken out before it is shared. The figures stay."""

import re
from dataclasses import replace
from pathlib import PurePath

# The tools of Claude Code and of this course; any other name may tell where it comes from.
PUBLIC_TOOLS = {"", "Agent", "AskUserQuestion", "Bash", "BashOutput", "Edit", "ExitPlanMode", "Glob", "Grep",
                "KillShell", "LS", "MultiEdit", "NotebookEdit", "NotebookRead", "Read", "Skill", "SlashCommand", "Task",
                "TodoRead", "TodoWrite", "WebFetch", "WebSearch", "Write", "bash", "compact", "edit_file", "glob",
                "load_file", "read_file", "write_file"}


class Masks:
    """Names that stand for others, always the same for the same one: `tool 1`, `file 2.py`."""

    def __init__(self, kind):
        self._kind, self._names = kind, {}

    def of(self, name, ending=""):
        number = self._names.setdefault(name, len(self._names) + 1)
        return f"{self._kind} {number}{ending}"


def masked(profile):
    """The profile without names, paths, keys and words: its figures, the kinds of blocks and public tools' names.

    >>> from learn_compact import load_outline
    >>> from learn_compact.profile import profile
    >>> masked(profile(load_outline("sniffly-d3ad4cdc"))).name
    'conversation'
    """
    tools, files = Masks("tool"), Masks("file")
    return replace(
        profile, name="conversation", model=profile.model if _is_public(profile.model) else "",
        large=[one._replace(begins="", tool=one.tool if one.tool in PUBLIC_TOOLS else tools.of(one.tool))
               for one in profile.large],
        rereads=[one._replace(path=files.of(one.path, _ending(one.path))) for one in profile.rereads],
        problems=_counted(profile.problems, "problem"), warnings=_counted(profile.warnings, "warning"))


def _is_public(model):
    """Whether a model has one of its maker's names: a family, its numbers and a date, with no word behind them."""
    return bool(re.fullmatch(r"claude(-\d{1,2}){0,2}-(opus|sonnet|haiku|fable|mythos)(-\d{1,2}){0,2}(-\d{8}|-latest)?",
                             model))


def _ending(path):
    """The ending of a file's name where it says no more than the kind of file."""
    ending = PurePath(path.replace("\\", "/")).suffix
    return ending if re.fullmatch(r"\.(py|js|ts|tsx|jsx|md|json|toml|yaml|yml|html|css|go|rs|java|c|h|cpp|sh|txt)",
                                  ending) else ""


def _counted(sentences, kind):
    """How many sentences there were, in place of them: they may name files."""
    return [f"{len(sentences)} {kind}{'s' * (len(sentences) > 1)}, not told here"] if sentences else []
