#!/bin/sh
# Makes the virtual environment that `make` works in, and installs the package with one of its extras.
#
#     sh tools/make_venv.sh FOLDER EXTRA [CONSTRAINTS]
#
# The Python is $PYTHON or the first that is good enough; uv does the work where it is installed, pip otherwise.
set -eu
venv=$1 extra=$2 constraints=${3:-}

# A name on the PATH proves nothing (pyenv's shims answer for versions that are not there): each candidate is run.
good() {
    "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))' </dev/null >/dev/null 2>&1
}

find_python() {
    for python in ${PYTHON:-python3.12 python3.13 python3.14 python3 python "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python}; do
        if good "$python"; then
            echo "$python"
            return
        fi
    done
}

if command -v uv >/dev/null 2>&1; then uv=yes; else uv=; fi

if ! good "$venv/bin/python"; then
    python=$(find_python)
    if [ -n "$uv" ]; then
        uv venv --quiet --clear --seed --python "${python:-3.12}" "$venv"
    elif [ -n "$python" ]; then
        "$python" -m venv --clear "$venv"
    else
        echo "Learn Compact needs Python 3.12 or newer with its venv module and found none${PYTHON:+ in PYTHON=$PYTHON}: install it from https://www.python.org/downloads/ (on Debian and Ubuntu: apt install python3 python3-venv), or install uv, which brings its own, and run make again." >&2
        exit 1
    fi
fi

echo "Installing Learn Compact into $venv (a minute or two, once)"
if [ -n "$uv" ]; then
    uv pip install --quiet --python "$venv/bin/python" ${constraints:+-c "$constraints"} -e ".[$extra]"
else
    "$venv/bin/python" -m pip install -qq --disable-pip-version-check ${constraints:+-c "$constraints"} -e ".[$extra]"
fi
