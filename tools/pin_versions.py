"""Write down the versions of the environment that runs this: `constraints.txt`, and Binder's `environment.yml` (twice).

`make constraints` calls it in a fresh environment with the newest releases. What Binder installs directly is what
pyproject.toml asks for in its core and in the extra `course`; everything below that is left to pip.
"""

import re
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).parent.parent

CONSTRAINTS = "# The versions that the stored outputs were made with, written by `make constraints`.\n"
ENVIRONMENT = """\
# What Binder builds, written by `make constraints`: binder/environment.yml is the same file.
# conda brings Python and pip alone; the versions below are those of constraints.txt.
name: learn-compact
channels:
  - conda-forge
dependencies:
  - python=3.12
  - pip
  - pip:
"""


def normal(name):
    """A package's name as the index compares it (PEP 503): `Jinja2` and `jinja2` are one."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    installed = {normal(d.name): d.version for d in distributions()}
    for left_out in (normal(project["name"]), "pip", "setuptools"):  # the course itself, and what comes with the venv
        installed.pop(left_out, None)
    pins = "".join(f"{name}=={version}\n" for name, version in sorted(installed.items()))
    (ROOT / "constraints.txt").write_text(CONSTRAINTS + pins)

    asked = project["dependencies"] + project["optional-dependencies"]["course"]
    names = sorted(normal(re.match(r"[\w.-]+", line).group()) for line in asked)
    environment = ENVIRONMENT + "".join(f"      - {name}=={installed[name]}\n" for name in names)
    for path in ("environment.yml", "binder/environment.yml"):
        (ROOT / path).write_text(environment)
    print(f"{len(installed)} versions in constraints.txt, {len(names)} of them asked for by name in environment.yml")


if __name__ == "__main__":
    sys.exit(main())
