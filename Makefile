# `make demo` and `make test` do all set-up themselves; nothing but Python 3.11+ and make is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?=

.DEFAULT_GOAL := check
.PHONY: check demo ask-real agents team test plugin package browser screenshots lint types docs docs-check bench bench-scale clean

check: lint types docs-check test

$(VENV)/.made: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: Notewell needs Python 3.11 or newer"; echo "hint: run make with PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all]' --group dev
	@touch $@

$(VENV)/.bench: $(VENV)/.made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	@touch $@

# Playwright takes 165 MB: only a machine with Chromium gets it.
$(VENV)/.browser: $(VENV)/.made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group browser
	@touch $@

browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update && apt-get install --yes chromium || { echo "error: Chromium is not installed"; echo "hint: install your system's package chromium, or set CHROMIUM"; exit 1; }; }
	@$(MAKE) --no-print-directory $(VENV)/.browser

screenshots: browser
	$(BIN)/python docs/screenshots.py

demo: $(VENV)/.made
	@$(BIN)/python examples/demo.py

# A real small model answers questions on the sample vault; the first time, it is installed into .ask-real (0.8 GB).
ask-real: $(VENV)/.made
	@command -v npm >/dev/null || { echo "error: make ask-real needs Node 18 or newer"; echo "hint: install it, or ask a model of your own: NOTEWELL_LLM_URL=http://127.0.0.1:8080 notewell ask …"; exit 1; }
	@$(BIN)/python examples/small-model/ask.py .ask-real

# Real agents are connected, search with a scripted model on this machine, and are disconnected; .agents takes 1.1 GB.
# Only two packages need their own scripts, which put their program into place.
agents: $(VENV)/.made
	@command -v npm >/dev/null || { echo "error: make agents needs Node 20 or newer, and npm"; echo "hint: install them, then run make agents again"; exit 1; }
	npm install --silent --no-fund --no-audit --ignore-scripts --prefix .agents @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai
	npm rebuild --silent --prefix .agents @anthropic-ai/claude-code opencode-ai
	$(BIN)/python deploy/check_agents.py .agents

# PostgreSQL and `notewell serve` in containers, for the notes in VAULT.
team:
	@VAULT="$(VAULT)" $(PYTHON) deploy/up.py

# The plugin for Obsidian is built and tested where Node 20 and npm are; elsewhere its tests say that they are skipped.
PLUGIN := plugins/obsidian
NODE := $(shell command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null && echo yes)
PACKAGES := $(if $(NODE),$(PLUGIN)/node_modules/.made)

$(PLUGIN)/node_modules/.made: $(PLUGIN)/package.json $(PLUGIN)/package-lock.json
	cd $(PLUGIN) && npm ci --ignore-scripts --silent || { echo "error: npm cannot install what tests the plugin for Obsidian"; echo "hint: run npm ci in $(PLUGIN) to see why; without npm on the PATH, make skips the plugin"; exit 1; }
	@touch $@

# Build main.js from its source; `make test` fails if it is another.
plugin: $(PACKAGES)
	@test -n "$(NODE)" || { echo "error: the plugin needs Node 20 or newer, and npm"; echo "hint: install them, then run make plugin again"; exit 1; }
	cd $(PLUGIN) && npm run --silent build

# Wheel and sdist in dist, checked; the wheel is built from the sdist, and installed into a clean environment.
package: $(VENV)/.made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group package
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/python deploy/check_package.py

# One worker more than there are cores: some tests wait for processes.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')

# Byte code is kept, whatever the shell says: without it, each worker compiles for 5 s, and each command that it runs.
test: $(VENV)/.made $(if $(shell command -v chromium),$(VENV)/.browser) $(PACKAGES)
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

lint: $(VENV)/.made $(PACKAGES)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(if $(NODE),cd $(PLUGIN) && npm run --silent lint,@echo "skipped: the plugin for Obsidian is linted where Node 20 and npm are")

types: $(VENV)/.made $(PACKAGES)
	$(BIN)/mypy
	$(if $(NODE),cd $(PLUGIN) && npm run --silent types,@echo "skipped: the types of the plugin for Obsidian are checked where Node 20 and npm are")

docs: $(VENV)/.made
	$(BIN)/cog -r docs/reference/*.md docs/decisions/README.md
	$(BIN)/python docs/console.py

docs-check: $(VENV)/.made
	$(BIN)/cog --check docs/reference/*.md docs/decisions/README.md
	$(BIN)/python docs/console.py --check

bench: $(VENV)/.bench
	@test -n "$(DATA)" || { echo "error: make bench needs the folder with the test data"; echo "hint: make bench DATA=path/to/data"; exit 1; }
	$(BIN)/python -m bench --data $(DATA)

bench-scale: $(VENV)/.bench
	@test -n "$(DATA)" || { echo "error: make bench-scale needs the folder with the test data"; echo "hint: make bench-scale DATA=path/to/data"; exit 1; }
	$(BIN)/python -m bench --data $(DATA) --only scale --work $(or $(WORK),.bench)

clean:
	rm -rf $(VENV) $(PLUGIN)/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis
