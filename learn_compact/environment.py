"""Whether this machine has what the course needs, and what to type where it hasn't.

The needs are read from the package's own metadata, so they stand in one place: `pyproject.toml`.
"""

import sys
from importlib import metadata

PYTHON = (3, 12)
FIX = 'python -m pip install -e ".[course]" -c constraints.txt'


def check_environment(extras=("course",)):
    """Print one line that says all is there, or one line for each thing that is missing and the command that mends it.

    Checks the Python version and every package that `learn-compact` and these extras ask for, with its range.
    """
    found = missing(extras)
    for sentence in found:
        print(sentence)
    print(f"Type this in the project's folder, then restart the kernel:\n  {FIX}" if found
          else "Everything the course needs is here.")


def missing(extras=("course",), version_of=metadata.version, python=sys.version_info):
    """What is missing or out of range, one sentence each; [] where all is there."""
    found = []
    if python < PYTHON:
        found.append(f"Python {python[0]}.{python[1]} runs this kernel, and the course needs {PYTHON[0]}.{PYTHON[1]} "
                     "or newer: install one, then `make lab` makes the rest.")
    try:
        requirements = _requirements(extras)
    except metadata.PackageNotFoundError:
        return [*found, "learn-compact itself is not installed in the Python of this kernel."]
    except ModuleNotFoundError:
        return [*found, "packaging is missing."]
    for requirement in requirements:
        try:
            version = version_of(requirement.name)
        except metadata.PackageNotFoundError:
            found.append(f"{requirement.name} is missing.")
            continue
        if not requirement.specifier.contains(version, prereleases=True):
            found.append(f"{requirement.name} {version} is here, and the course needs {requirement.specifier}.")
    return found


def _requirements(extras):
    from packaging.requirements import Requirement  # late, because it may be what is missing

    wanted = map(Requirement, metadata.requires("learn-compact") or ())
    return [r for r in wanted if r.marker is None or any(r.marker.evaluate({"extra": extra}) for extra in extras)]
