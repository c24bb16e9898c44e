PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup demo test check definitions format bench spec clean

# Without bytecode every start of Python takes twice as long.
unexport PYTHONDONTWRITEBYTECODE
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: .venv/project.stamp  ## Create .venv with everything for development (PYTHON=python3.12 to choose)
	@:

demo: setup  ## Show a whole task, offline
	@$(BIN)/roo demo

test: setup  ## Run the tests (ARGS="-k name" to choose)
	@scripts/system-programs
	@scripts/node-peers
	@$(BIN)/pytest -q -n auto -rs --inline-snapshot=disable $(or $(ARGS),tests)

check: setup  ## Lint, format, types, imports
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { echo "not formatted: run 'make format'"; exit 1; }
	@$(BIN)/pyright
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python scripts/tool-definitions --check
	@$(BIN)/python scripts/model-facts --check

definitions: setup  ## Write what models are told of the built-in tools
	@$(BIN)/python scripts/tool-definitions

format: setup  ## Format, and fix what the linter can
	@$(BIN)/ruff check --fix-only --quiet
	@$(BIN)/ruff format --quiet

bench: setup .venv-bench/requirements.stamp  ## Measure against peers, which live in .venv-bench
	@$(BIN)/python -m benchmarks $(ARGS)

spec: setup  ## Count the requirements shown by a test (ARGS="--missing agent" lists the others)
	@$(BIN)/python scripts/spec $(ARGS)

clean:  ## Remove environments, caches and builds
	@rm -rf .venv .venv-bench benchmarks/.bench dist build .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/project.stamp: .venv/requirements.stamp pyproject.toml
	@$(BIN)/pip install -qq --no-deps --no-build-isolation --editable .
	@touch $@

.venv/requirements.stamp: requirements/dev.txt
.venv-bench/requirements.stamp: requirements/bench.txt
%/requirements.stamp:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.12")'
	@echo "Setting up $(@D)"
	@test -x $(@D)/bin/pip || $(PYTHON) -m venv $(@D)
	@$(@D)/bin/pip install -qq --require-hashes -r $<
	@touch $@
