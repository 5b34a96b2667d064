# Everything here sets itself up on a machine with Python (3.11 or later), pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
USER_EXTRAS := cli,report
TEST_EXTRAS := cli,frames,refit,plot,duckdb
# In CI nothing may be skipped, so everything a user can want is installed, and what the pages need at once.
ifeq ($(CI),true)
TEST_EXTRAS := all
WITH_DOCS := --requirement requirements-docs.txt --no-compile
endif
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

FUZZ_TIMES ?= 25

.PHONY: demo test peers fuzz mutants mutants-few simulate lint format bench bench-scale paper docs clean

demo: $(VENV)/.demo
	$(BIN)/steadyrank demo

test: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal

# Beside the peers of the field, which want packages of their own: the same figures, computed by them.
peers: .venv-peers/.ready
	cd peers && ../.venv-peers/bin/python -m pytest -c pytest.ini --rootdir .

.venv-peers/.ready: peers/requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip --disable-pip-version-check --quiet install --editable . \
		--requirement peers/requirements.txt
	touch $@

# The generated cases of the tests, many times over: bounded by their number, seeded, the same in each run.
fuzz: $(VENV)/.dev-$(TEST_EXTRAS)
	STEADYRANK_FUZZ=$(FUZZ_TIMES) $(BIN)/python -m pytest -n 2 --dist worksteal \
		tests/adversary tests/contracts tests/reading tests/theorems tests/properties tests/oracles \
		tests/operators

# Plausible mistakes, each made in a copy of the package: the contracts must notice them.
mutants: $(VENV)/.dev-$(TEST_EXTRAS)
	$(BIN)/python scripts/mutants.py

mutants-few: $(VENV)/.dev-$(TEST_EXTRAS)
	$(BIN)/python scripts/mutants.py --few 3

# How often confidence holds, over many data sets drawn from known populations: seeded, in a few minutes.
simulate: $(VENV)/.dev-$(TEST_EXTRAS)
	PYTHONPATH=tests $(BIN)/python tests/simulations/coverage.py 500

lint: $(VENV)/.dev-$(TEST_EXTRAS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python scripts/count_code.py
	$(BIN)/python scripts/docs_words.py

format: $(VENV)/.dev-$(TEST_EXTRAS)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python scripts/docs_wrap.py

# `make bench SECTIONS="cli operators"`; with BASE=COMMIT as ratios of times, this tree's / the commit's.
bench: $(VENV)/.dev-$(TEST_EXTRAS)
	$(BIN)/python benchmarks/$(if $(BASE),against.py $(BASE),run.py) $(SECTIONS)

bench-scale: $(VENV)/.dev-all
	$(BIN)/python benchmarks/run.py scale

paper: $(VENV)/.dev-$(TEST_EXTRAS)
	$(BIN)/python -m paper.document
	$(BIN)/python -m paper baselines --page docs/research/baselines.md --figures docs/figures

docs: $(VENV)/.docs
	$(BIN)/mkdocs build --strict

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(PIP) install --editable ".[$(USER_EXTRAS)]"
	@touch $@

$(VENV)/.dev-%: pyproject.toml requirements-dev.txt requirements-docs.txt | $(BIN)/python
	$(PIP) install --editable ".[$*]" --requirement requirements-dev.txt $(WITH_DOCS)
	@touch $@ $(VENV)/.demo $(if $(WITH_DOCS),$(VENV)/.docs)

$(VENV)/.docs: pyproject.toml requirements-dev.txt requirements-docs.txt | $(BIN)/python
	$(PIP) install --editable ".[$(TEST_EXTRAS)]" --requirement requirements-docs.txt
	@touch $@

clean:
	rm -rf $(VENV) .venv-peers .pytest_cache .mypy_cache .ruff_cache .hypothesis site dist build
