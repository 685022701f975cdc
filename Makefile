# Needs python3 >= 3.11 with venv and pip, and make; everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
# As pip does: trust what the machine trusts.
export UV_SYSTEM_CERTS ?= 1

.PHONY: setup demo ui test check format docs lock wheel clean

setup: .venv/ready

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	touch $@

demo: setup ## index the sample and answer two questions: no key, no network
	$(BIN)/graphrag-assets index
	$(BIN)/graphrag-assets ask "What are the main conflicts in this collection, and how did each end?"
	$(BIN)/graphrag-assets ask "What penalty did Viktor Hale get?"

ui: setup ## the Dagster UI on http://127.0.0.1:3000
	$(BIN)/graphrag-assets ui

test: setup
	$(BIN)/python -m pytest -n 2 --dist loadfile --cov --cov-report=term

check: setup ## what CI runs: format, lint, types, floors, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) test

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: setup ## the generated pages
	$(BIN)/graphrag-assets tables --markdown > docs/TABLES.md
	$(BIN)/graphrag-assets settings --markdown > docs/SETTINGS.md
	$(BIN)/python -m typer graphrag_assets.cli utils docs --name graphrag-assets --output docs/CLI.md

lock: setup ## pin what pyproject.toml asks for
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url --output-file requirements.lock

clean:
	rm -rf data/index data/dagster data/graphrag.duckdb

wheel: setup
	$(BIN)/uv build --wheel --python $(BIN)/python --out-dir dist
