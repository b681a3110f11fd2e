"""What the stand-in understands, in how many words, and what it declines."""

import pytest

from learn_compact.offline.standin.understanding import current_wish, understand
from learn_compact.offline.standin.wishes import (
    AddLine,
    Audit,
    Compress,
    Files,
    GoOn,
    KeepReading,
    ReadFiles,
    Recall,
    Replace,
    Rule,
    Unclear,
)


def py(*folders, skip=(), paths=(), suffix=".py"):
    return Files(folders or (".",), suffix, skip, paths)


FUNCTIONS, CLASSES, LINES = ("functions",), ("classes",), ("lines",)

UNDERSTOOD = {
    # the three experiments of s06, as they stand and in other words
    "Read every Python file in the agents/ directory one by one": ReadFiles(py("agents"), one_by_one=True),
    "Open each module in core/ one at a time": ReadFiles(py("core"), one_by_one=True),
    "Please go through the markdown files below docs": ReadFiles(py("docs", suffix=".md")),
    "Read agents/planner.py and agents/desk.py": ReadFiles(Files(paths=("agents/planner.py", "agents/desk.py"))),
    "Keep reading files until compression triggers automatically": KeepReading(),
    "Carry on opening files till the history has been compacted.": KeepReading(),
    "Read one file after another until the conversation gets summarized": KeepReading(),
    "Use the compact tool to manually compress the conversation": Compress(),
    "Please compress our conversation and focus on the failing files": Compress("the failing files"),
    "Compact the conversation now; make sure the total survives.": Compress("the total"),
    "Condense this chat, but don't lose \"plan B\"": Compress("plan B"),
    # audits
    "Count the functions in every Python file under agents/, skip files named test_*, and report the total":
        Audit(py("agents", skip=("test_*",)), FUNCTIONS),
    "How many lines do the markdown files under docs have in all?": Audit(py("docs", suffix=".md"), LINES),
    "Go through all modules below core and tell me the number of classes. Leave tests out.":
        Audit(py("core", skip=("test_*",)), CLASSES),
    "Leaving out anything named test_*, how many functions are there under agents?":
        Audit(py("agents", skip=("test_*",)), FUNCTIONS),
    "Please tally the function definitions of the package tools, file by file; names ending in _old don't count.":
        Audit(py("tools", skip=("*_old",)), FUNCTIONS, per_file=True),
    "Work out the grand total of defs in everything Python beneath tools, but ignore whatever is called conftest.py "
    "or begins with bench_": Audit(py("tools", skip=("conftest.py", "bench_*")), FUNCTIONS),
    "I'd like to know the total number of lines in all CSV files inside the data folder.":
        Audit(py("data", suffix=".csv"), LINES),
    "Look through the logs in data and count their lines, but not debug.log":
        Audit(py("data", suffix=".log", skip=("debug.log",)), LINES),
    "Do not include anything under legacy/. Count classes in all Python files.":
        Audit(py(skip=("legacy/*",)), CLASSES),
    "Count lines and functions in core and tools/, one by one":
        Audit(py("core", "tools"), ("lines", "functions"), one_by_one=True),
    "How many functions are in agents/planner.py?": Audit(py(paths=("agents/planner.py",)), FUNCTIONS),
    "How many Python files are there under agents?": Audit(py("agents"), ("files",)),
    "Count the classes under “agents”; files starting with draft_ are to be skipped.":
        Audit(py("agents", skip=("draft_*",)), CLASSES),
    "Count the functions in agents/ (not the test_* files) and tell me the total.":
        Audit(py("agents", skip=("test_*",)), FUNCTIONS),
    "Audit the agents folder: number of functions per file and in total, no tests.":
        Audit(py("agents", skip=("test_*",)), FUNCTIONS, per_file=True),
    "Find out how many classes there are in the core package, ignoring __init__.py":
        Audit(py("core", skip=("__init__.py",)), CLASSES),
    "Count the functions in all .py files under agents/ whose names do not start with test_":
        Audit(py("agents", skip=("test_*",)), FUNCTIONS),
    "Tally up functions across the whole repository, tests excluded": Audit(py(skip=("test_*",)), FUNCTIONS),
    "Sum up the lines of code in agents, core and tools.": Audit(py("agents", "core", "tools", suffix=""), LINES),
    # edits
    'Add the line "# SPDX-License-Identifier: MIT" to the top of every Python file under core once':
        AddLine(py("core"), "# SPDX-License-Identifier: MIT"),
    'Every Python file below agents should begin with the line "# Reviewed". Don\'t touch files starting with test_.':
        AddLine(py("agents", skip=("test_*",)), "# Reviewed"),
    "Put this line at the very top of every Python file under core: # Copyright WITHOUT ANY WARRANTY":
        AddLine(py("core"), "# Copyright WITHOUT ANY WARRANTY"),
    'Prepend "# draft" to each markdown file in docs/': AddLine(py("docs", suffix=".md"), "# draft"),
    'Please add a licence line "# MIT" to every Python file in agents once': AddLine(py("agents"), "# MIT"),
    "Replace parcel with bundle everywhere, but no test_ files":
        Replace(py(skip=("test_*",), suffix=""), "parcel", "bundle"),
    'Replace the word "ledger" with "journal" everywhere under docs':
        Replace(py("docs", suffix=""), "ledger", "journal"),
    "Rename the identifier queue to backlog in every .py file inside core": Replace(py("core"), "queue", "backlog"),
    "Swap 'cargo' for 'freight' in all files under docs": Replace(py("docs", suffix=""), "cargo", "freight"),
    'Substitute "freight" for "cargo" throughout core/': Replace(py("core", suffix=""), "cargo", "freight"),
    'Wherever "cargo" stands in the markdown files under docs, it should become "freight"':
        Replace(py("docs", suffix=".md"), "cargo", "freight"),
    # questions about the conversation, and what changes another wish
    "what did I ask you?": Recall("requests"),
    "What was my first request?": Recall("requests"),
    "Remind me what I asked": Recall("requests"),
    "Which files did you read?": Recall("files"),
    "List the files you have read": Recall("files"),
    "From now on never open files named *_old.py.": Rule(("*_old.py",)),
    "Also skip the tests, please": Rule(("test_*",)),
    "continue": GoOn(),
    "Go on with the audit, please": GoOn(),
}

DECLINED = [
    "Hello there", "Thanks!", "", "What is the capital of France?", "Read my mind", "Run the tests",
    "Fix the bug in agents/planner.py", "Delete every file under logs", "Explain what agents/planner.py does",
    "Translate README.md into French", "Write a poem about agents/", "Summarize this conversation",
    "Count the words in README.md", "Count the blank lines in core/", "Find the longest function under agents",
    "How many functions call open under agents?", "Which of the files under agents has the most functions?",
    "Count the functions under agents and delete the longest", "Count the classes in core and write them to a file",
    "Replace the parser with a better one", "Rename parser.py to reader.py", "Change the colour to red in all files",
    "What does the compact tool do?", "Read agents/planner.py and explain it", "word " * 2_000,
]


@pytest.mark.parametrize("text", UNDERSTOOD)
def test_a_wish_is_understood_in_many_words(text):
    assert understand(text) == UNDERSTOOD[text]


@pytest.mark.parametrize("text", DECLINED)
def test_what_goes_beyond_is_not_understood_by_half(text):
    assert understand(text) is None


@pytest.mark.parametrize("text", ["Add a licence header to the top of every file", 'Put "# x" on top',
                                  'Replace "a" with "b"'])
def test_a_task_that_lacks_something_is_asked_about(text):
    assert isinstance(understand(text), Unclear)


AUDIT = "Count the functions under agents."


@pytest.mark.parametrize(("requests", "skip"), [
    ([AUDIT], ()),
    ([AUDIT, "Go on"], ()),
    ([AUDIT, "Also skip the tests, please"], ("test_*",)),
    (["Never open files named draft_*.", AUDIT, "Leave out conftest.py too.", "continue"], ("draft_*", "conftest.py")),
    (["Count the lines in core, skip the tests", AUDIT], ()),
], ids=str)
def test_rules_hold_for_the_newest_task_and_those_inside_an_older_task_do_not(requests, skip):
    assert current_wish(requests) == Audit(py("agents", skip=skip), FUNCTIONS)


def test_without_a_task_there_is_no_wish():
    assert current_wish([]) is None
    assert current_wish(["Go on"]) is None
    assert current_wish(["Skip the tests"]) == Rule(("test_*",))


@pytest.mark.parametrize(("pattern", "path", "allowed"), [
    ("test_*", "agents/test_planner.py", False), ("test_*", "agents/contest.py", True),
    ("*_old", "core/store_old.py", False), ("conftest.py", "tests/conftest.py", False),
    ("legacy/*", "legacy/a.py", False), ("legacy/*", "core/legacy/a.py", False), ("legacy/*", "legacy.py", True),
])
def test_a_rule_looks_at_the_name_or_with_a_slash_at_the_path(pattern, path, allowed):
    assert Files(skip=(pattern,)).allows(path) is allowed
