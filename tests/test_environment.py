"""The check that chapter 0 begins with: it says what is missing and what to type."""

import sys
from importlib import metadata

from learn_compact.environment import FIX, check_environment, missing


def test_on_this_machine_everything_is_here(capsys):
    check_environment()
    assert capsys.readouterr().out == "Everything the course needs is here.\n"


def test_a_missing_package_an_old_one_and_an_old_python_are_named():
    def version_of(name):
        if name == "matplotlib":
            raise metadata.PackageNotFoundError(name)
        return "0.1" if name == "anthropic" else metadata.version(name)

    python, *packages = missing(version_of=version_of, python=(3, 11, 9))
    assert python.startswith("Python 3.11 runs this kernel, and the course needs 3.12 or newer")
    assert sorted(packages) == ["anthropic 0.1 is here, and the course needs <3,>=2.14.", "matplotlib is missing."]


def test_the_command_that_mends_it_is_printed(monkeypatch, capsys):
    monkeypatch.setattr(metadata, "requires", lambda name: ["nothing-by-this-name>=1"])
    check_environment()
    assert capsys.readouterr().out.splitlines() == [
        "nothing-by-this-name is missing.",
        "Type this in the project's folder, then restart the kernel:", f"  {FIX}"]


def test_a_package_that_was_only_unpacked_and_never_installed_is_told_so(monkeypatch):
    def requires(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)
    assert missing() == ["learn-compact itself is not installed in the Python of this kernel."]


def test_even_what_reads_the_needs_may_be_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "packaging.requirements", None)
    assert missing() == ["packaging is missing."]
