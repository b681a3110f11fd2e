"""Binder builds what we test: the same file twice, our ranges, our versions, and a recipe that repo2docker renders."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ASKED = {canonicalize_name(r.name): r for r in map(Requirement, [
    *PROJECT["dependencies"], *PROJECT["optional-dependencies"]["course"]])}


def environment():
    return yaml.safe_load((ROOT / "binder/environment.yml").read_text())


def from_pip():
    """What Binder takes from PyPI, name to requirement."""
    [lines] = [entry["pip"] for entry in environment()["dependencies"] if isinstance(entry, dict)]
    return {canonicalize_name(r.name): r for r in map(Requirement, lines)}


def pins():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_the_two_environment_files_are_equal_byte_for_byte():
    assert (ROOT / "environment.yml").read_bytes() == (ROOT / "binder/environment.yml").read_bytes()


def test_conda_brings_only_python_and_pip():
    from_conda = [entry for entry in environment()["dependencies"] if isinstance(entry, str)]
    assert [re.match(r"[\w-]+", entry).group() for entry in from_conda] == ["python", "pip"]
    assert from_conda[0].split("=")[1] == (ROOT / ".python-version").read_text().strip()


def test_pip_brings_what_the_course_asks_for_and_nothing_else():
    assert from_pip().keys() == ASKED.keys()


@pytest.mark.parametrize("name", ASKED)
def test_binder_has_the_version_that_the_outputs_were_made_with(name):
    [pin] = from_pip()[name].specifier
    assert (pin.operator, pin.version) == ("==", pins()[name])
    assert pin.version in ASKED[name].specifier


def recipe(folder):
    """The Dockerfile that repo2docker would build from a folder, and what it said meanwhile."""
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=120)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    """Our recipe, rendered without Docker where nothing but Binder's folder lies."""
    folder = tmp_path_factory.mktemp("binder")
    shutil.copytree(ROOT / "binder", folder / "binder")
    return recipe(folder)


def test_the_recipe_is_condas_with_our_environment(rendered):
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "binder/environment.yml"' in rendered.stdout


def test_the_recipe_has_a_python_that_the_package_runs_on(rendered):
    major, minor = map(int, re.search(r"python=(\d+)\.(\d+)", rendered.stderr).groups())
    assert f"{major}.{minor}" in Requirement(f"python{PROJECT['requires-python']}").specifier


def test_the_recipe_installs_the_package_afterwards(rendered):
    environment_at = rendered.stdout.index("binder/environment.yml")
    assert rendered.stdout.index("RUN ./binder/postBuild") > environment_at
    assert "pip install --no-deps -e ." in (ROOT / "binder/postBuild").read_text()


def test_a_missing_environment_would_have_been_noticed(tmp_path):
    """repo2docker does not complain: beside a folder `binder` it reads nothing else, and builds an image without us."""
    shutil.copytree(ROOT / "binder", tmp_path / "binder", ignore=shutil.ignore_patterns("environment.yml"))
    shutil.copy(ROOT / "environment.yml", tmp_path)
    assert "env update" not in recipe(tmp_path).stdout
