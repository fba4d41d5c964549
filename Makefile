# `make run` is the front door: it sets everything up once, then measures.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
TORCH ?=
RUN ?= last
# The GPU tests run in the environment if there is one, else in the Python that you name.
GPU_PYTHON := $(if $(filter-out undefined default file,$(origin PYTHON)),$(PYTHON),$(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON)))
# Plugins are named, so that those of the Python that the environment leans on stay out.
PYTEST = PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(BIN)/python -m pytest -p pytest_timeout \
	-p pytest_randomly -p _hypothesis_pytestplugin
SETUP = @$(PYTHON) tools/setup.py --torch "$(TORCH)"

.DEFAULT_GOAL := help
.PHONY: help setup run test gpu bench report format clean

help:  ## list these targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18
	@echo "  Variables: ARGS (options for the command), PYTHON, TORCH (a wheel or requirement), RUN"

setup:  ## make the environment, with the tools of the gate
	$(SETUP) --dev

run:  ## set up if need be, measure, write a report (ARGS="matmul --quick")
	$(SETUP)
	@$(BIN)/breakeven run $(ARGS)

# import-linter's cache keeps an import as it was read before the module it names was there.
test:  ## the gate: format, lint, types, imports, tests
	$(SETUP) --dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict src
	$(BIN)/lint-imports --no-cache
	$(PYTEST) $(ARGS)

gpu:  ## the tests that need a CUDA device (PYTHON=python3 uses that Python as it is)
	PYTHONPATH=src:tests:tools$${PYTHONPATH:+:$$PYTHONPATH} $(GPU_PYTHON) -m pytest --import-mode=importlib -m gpu $(ARGS)

bench:  ## our own truthfulness and overhead, measured (ARGS="--group clocks", "--list")
	$(SETUP) --dev
	$(BIN)/python benchmarks/all.py $(ARGS)

report:  ## make a stored run's report again (RUN=last)
	$(SETUP)
	@$(BIN)/breakeven report $(RUN) $(ARGS)

format:  ## put the sources into shape
	$(SETUP) --dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## remove the environment and the tools' caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis dist build
