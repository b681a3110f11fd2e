"""The project that the chapters' agents work on: the desk of a parcel service, always the same.

40 Python files, tests among them, tables, settings, logs and a few pages. `agents/` alone is more than a
small window holds; all of it together is more than the 50,000 estimated tokens at which s06 compacts.
"""

from pathlib import Path
from random import Random

from learn_compact.offline import grow

_MODULES = {  # path: about so many characters
    "agents/__init__.py": 200, "agents/auditor.py": 17_000, "agents/courier.py": 12_000,
    "agents/dispatcher.py": 26_000, "agents/inspector.py": 9_000, "agents/negotiator.py": 8_000,
    "agents/planner.py": 21_000, "agents/recycler.py": 3_000, "agents/router.py": 11_000, "agents/scribe.py": 6_000,
    "agents/watcher.py": 5_000,
    "agents/test_courier.py": 3_000, "agents/test_planner.py": 4_000, "agents/test_router.py": 3_500,
    "core/__init__.py": 200, "core/clock.py": 2_000, "core/config.py": 4_000, "core/errors.py": 1_500,
    "core/events.py": 11_000, "core/models.py": 14_000, "core/queue.py": 9_000, "core/registry.py": 8_000,
    "core/store.py": 27_000, "core/test_store.py": 5_000,
    "reports/charts.py": 12_000, "reports/daily.py": 8_000, "reports/export.py": 7_000, "reports/labels.py": 2_000,
    "reports/weekly.py": 10_000,
    "tests/conftest.py": 2_000, "tests/test_agents.py": 7_000, "tests/test_end_to_end.py": 9_000,
    "tests/test_reports.py": 5_000,
    "tools/editor.py": 10_000, "tools/finder.py": 3_000, "tools/patcher.py": 7_000, "tools/reader.py": 5_000,
    "tools/runner.py": 6_000, "tools/search.py": 9_000, "tools/test_editor.py": 4_000,
}
_PAGES = {"README.md": 1_500, "docs/glossary.md": 6_000, "docs/handover.md": 4_000, "docs/overview.md": 3_000}
_TABLES = {"data/parcels.csv": 700, "data/routes.csv": 200}
_SETTINGS = {"data/settings.json": 60, "data/stock.json": 250}
_LOGS = {"logs/desk.log": 450, "logs/night.log": 150}


def sample_project(folder):
    """Write the sample project into `folder`, which is made where it is missing; the folder as a `Path`.

    50 files of text, about 400,000 characters, the same on every machine. Files of these names are overwritten.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     len(list(sample_project(folder).rglob("*.py")))
    40
    """
    return write_files(sample_files(), folder)


def sample_files():
    """The sample project as `{path: text}`."""
    kinds = ((_MODULES, grow.module), (_PAGES, grow.page), (_TABLES, grow.table), (_SETTINGS, grow.settings),
             (_LOGS, grow.log))
    return {path: make(Random(path), path, size)  # a seed for each: one more file changes no other
            for sizes, make in kinds for path, size in sizes.items()}


def write_files(files, folder):
    """Write `{path: text}` into a folder; the folder as a `Path`."""
    folder = Path(folder)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8", newline="\n")
    return folder

