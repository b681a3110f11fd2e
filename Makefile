# Learn Compact. `make` alone says what there is to make.

PINS ?= constraints.txt
VENV := $(if $(PINS),.venv,.venv-newest)
PY := $(VENV)/bin/python
NOTEBOOKS := notebooks
PYTEST := $(PY) -m pytest -q -rfEs -n auto --dist loadfile
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)
NBVAL := --nbval --nbval-current-env --nbval-cell-timeout=60 --nbval-sanitize-with=tests/nbval_sanitize.cfg

help: ## say what there is to make
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-13s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "PYTHON=...    the Python to make the environment with (else: the first of 3.12 or newer)"
	@echo "PINS=         take the newest releases in place of the versions in constraints.txt"
	@echo "LAB=...       options for JupyterLab, such as LAB=--no-browser"

lab: $(VENV)/installed-course ## open the course in JupyterLab
	$(PY) -m jupyterlab --LabApp.default_url=/lab/tree/$(NOTEBOOKS)/00_start_here.ipynb $(AS_ROOT) $(LAB)

test: $(VENV)/installed-test ## run everything: style, tests, doctests, notebooks
	$(PY) -m ruff check .
	$(PY) -c "import matplotlib.font_manager"
	$(PYTEST)
	$(PYTEST) $(NBVAL) $(NOTEBOOKS)/*.ipynb

notebooks: $(VENV)/installed-test ## run every notebook afresh, in order, and store its outputs
	$(PY) -c "import matplotlib.font_manager"
	$(PY) tools/store_notebooks.py $(NOTEBOOKS)/*.ipynb

soak: $(VENV)/installed-test ## look for counterexamples for a long time, each run with new ones
	LEARN_COMPACT_SOAK=1 $(PYTEST) tests

bench: $(VENV)/installed-test ## measure speed, as ratios
	$(PY) tests/bench/run.py

constraints: ## pin the newest releases: constraints.txt and Binder's environment (then: make notebooks)
	sh tools/make_venv.sh .venv-constraints test
	.venv-constraints/bin/python tools/pin_versions.py
	rm -rf .venv-constraints

clean: ## remove the environments and what tests leave behind
	rm -rf .venv .venv-newest .venv-constraints .pytest_cache .ruff_cache .hypothesis $(NOTEBOOKS)/.hypothesis

.PHONY: help lab test notebooks soak bench constraints clean

# Installed again only when what is to be installed has changed.
$(VENV)/installed-%: pyproject.toml $(PINS) tools/make_venv.sh
	@PYTHON="$(PYTHON)" sh tools/make_venv.sh $(VENV) $* $(PINS)
	@mkdir -p $(VENV)/own && touch $@

# What is run here must not depend on who runs it: no key, no settings of the user's, and the fonts read beforehand
# (matplotlib says on stderr that it reads them, once: under the first notebook, if nobody else came first).
test notebooks soak bench: export LEARN_COMPACT_OFFLINE = 1
test notebooks soak bench: export IPYTHONDIR = $(CURDIR)/$(VENV)/own/ipython
test notebooks soak bench: export JUPYTER_CONFIG_DIR = $(CURDIR)/$(VENV)/own/config
test notebooks soak bench: export JUPYTER_DATA_DIR = $(CURDIR)/$(VENV)/own/share
test notebooks soak bench: export JUPYTER_RUNTIME_DIR = $(CURDIR)/$(VENV)/own/runtime
test notebooks soak bench: export MPLCONFIGDIR = $(CURDIR)/$(VENV)/own/matplotlib
unexport MPLBACKEND PYTHONSTARTUP
