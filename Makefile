# make report    builds the 70B scenario into output/ and prints the paths
# make test      runs all tests
# Both install what is missing: system libraries (Debian, Ubuntu) and a virtual environment in .venv.

PYTHON ?= python3
BIN := .venv/bin
SCENARIO ?= scenarios/finetune-70b.yaml

.PHONY: report test lint bench docs clean

report: .venv/.installed
	@$(BIN)/reportgen build $(SCENARIO) --output output

test: .venv/.installed-test
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: .venv/.installed-test
	$(BIN)/ruff check .

bench: .venv/.installed-test
	@$(BIN)/python -m pip install --quiet llm-analysis
	$(BIN)/python -m benchmarks

.venv/.installed: pyproject.toml .ci/system-packages
	@.ci/system-packages
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/.installed-test: pyproject.toml .ci/system-packages
	@.ci/system-packages test
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ .venv/.installed

docs: .venv/.installed
	$(BIN)/python -m docs.make_formulas

clean:
	rm -rf .venv output/*
