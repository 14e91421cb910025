# Everything that is made here goes into .venv and .cache; `make clean` removes both.

SHELL := /usr/bin/env bash
.DEFAULT_GOAL := help

BIN := .venv/bin
SOURCES := server sandbox tests scripts
SEED ?= 1

export RUFF_CACHE_DIR := $(CURDIR)/.cache/ruff
export MYPY_CACHE_DIR := $(CURDIR)/.cache/mypy
export HYPOTHESIS_STORAGE_DIRECTORY := $(CURDIR)/.cache/hypothesis
PYTEST := $(BIN)/pytest -q -o cache_dir=.cache/pytest

.PHONY: help demo test check soak bench bench-repair wheel vsix shots clean

help: ## Print this list.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | while IFS='|' read -r name text; do \
		printf '%-20s %s\n' "$$name" "$$text"; done

demo: ## Set up what is missing and watch it work (ARGS="…" goes to `untilgreen demo`).
	@scripts/setup demo
	@$(BIN)/untilgreen demo $(ARGS)

test: ## Everything: `check`, then all tests with a real Docker engine and bubblewrap (PYTEST_ARGS="…").
	@scripts/setup test
	@$(MAKE) --no-print-directory check
	@scripts/with-engine $(PYTEST) $(or $(PYTEST_ARGS),-n 3 --dist loadfile --no-loadscope-reorder)

check: ## Lint, formatting, types and the rules of the architecture: fast, no engine.
	@scripts/setup check
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/mypy scripts/*.py
	PATH="$(CURDIR)/.cache/vscode/node/bin:$$PATH" editors/vscode/node_modules/.bin/tsc --noEmit -p editors/vscode
	$(PYTEST) tests/test_architecture.py

soak: ## The tests for a long time and with random input (SEED=n, default 1).
	@scripts/setup test
	UNTILGREEN_SOAK=1 UNTILGREEN_SEED=$(SEED) scripts/with-engine $(PYTEST) --hypothesis-seed=$(SEED) $(PYTEST_ARGS)

bench: ## Measure how fast it is and write docs/benchmarks.md (ONLY=tiny,sync repeats some; ROUNDS=n, default 20).
	@scripts/setup test
	@scripts/with-engine env PYTHONPATH=tests $(BIN)/python -m bench --only "$(ONLY)" --rounds $(or $(ROUNDS),20)

bench-repair: ## Measure repair without a model and write docs/repair.md (SEED=n, ONLY=own|injected|packages, LIMIT=n, JOBS=n).
	@scripts/setup repair
	@PYTHONPATH=tests $(BIN)/python -m repair --seed $(SEED) --only "$(ONLY)" --limit $(or $(LIMIT),0) --jobs $(or $(JOBS),1)

wheel: ## Make dist/untilgreen-*.whl, to install with `uv tool install`, `pipx install` or pip.
	@scripts/setup demo
	@rm -f dist/untilgreen-*.whl
	@$(BIN)/pip wheel --disable-pip-version-check --quiet --no-deps --wheel-dir dist .
	@ls dist/untilgreen-*.whl

vsix: ## Make editors/vscode/untilgreen-*.vsix, the VS Code extension with its server.
	@scripts/setup check
	@scripts/vsix

shots: ## Take the pictures of docs/images from the real editors again.
	@scripts/setup test
	@UNTILGREEN_SHOTS=$(CURDIR)/docs/images $(PYTEST) tests/neovim/test_screen.py tests/vscode -k "0.12 or screen or saving"

clean: ## Stop the engine that was started here, if any, and remove all that was made.
	@scripts/clean
