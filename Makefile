# Every target prepares what it needs by itself; the details are in
# .ci/bootstrap.py. Variables:
#   FILE=points.json      what `make run` opens
#   ARGS="-k boundary"    further arguments for pytest or the benchmark
#   PYTHON=/path/python3  the Python to use, instead of python3 or the newest that suits
#   PYTHONS="/a/python3 ..."  what `make dist` and `make versions` try, instead of all on PATH

FILE ?=
ARGS ?=
PYTHON ?= python3
PYTHONS ?=

BIN := $(if $(filter Windows_NT,$(OS)),.venv/Scripts,.venv/bin)

define prepare
@command -v $(firstword $(PYTHON)) >/dev/null || \
	{ echo "No Python found under the name $(firstword $(PYTHON)): install Python 3.11 or newer."; exit 1; }
@$(PYTHON) .ci/bootstrap.py
endef

.DEFAULT_GOAL := help
.PHONY: help run test slow soak check lint types docs bench dist bundle versions release clean
.PHONY: ready-run ready-tools ready-test ready-dist ready-docs

help:  ## Show this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

ready-run:
	$(prepare) run

ready-tools:
	$(prepare) test

# Else the first test that runs would wait for the compiler, and several processes would compile the same.
ready-test: ready-tools
	@$(BIN)/python -m solver.warmup

ready-dist:
	$(prepare) dist

ready-docs:
	$(prepare) docs
	@$(BIN)/python -m solver.warmup

# Without a screen there is nothing to open a window on, so a picture is drawn
# instead. macOS and Windows have a screen without these two variables.
run: ready-run  ## Start the program (FILE=...); without a screen, draw playground.png
	@if [ "$(OS)" != Windows_NT ] && [ "$$(uname)" != Darwin ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		$(BIN)/python -m solver.warmup && \
		QT_QPA_PLATFORM=offscreen $(BIN)/classifier-playground render $(if $(FILE),"$(FILE)") --out playground.png; \
	else \
		$(BIN)/classifier-playground $(if $(FILE),"$(FILE)"); \
	fi

# Bytecode is kept even where the environment forbids it: otherwise each worker would compile
# all tests anew (16 s), and each program that a test starts all of `app` (1 s).
PYTEST = PYTHONDONTWRITEBYTECODE= QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -n logical --maxprocesses 4 --dist worksteal

test: ready-test  ## Run the tests but for the slow ones (ARGS=...)
	$(PYTEST) -m "not soak and not slow" $(ARGS)

slow: ready-test  ## Run the slow tests: second processes, windows in many sizes, long searches (ARGS=...)
	$(PYTEST) -m "slow and not soak" $(ARGS)

soak: ready-test  ## Run the long tests, those that draw examples with new ones, and all builds (ARGS=...)
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -m "soak or hypothesis" --hypothesis-profile=new $(ARGS)
	$(if $(ARGS),,$(PYTEST) -p tests.fast_clock -m "not soak and not slow")
	$(if $(ARGS),,$(foreach seed,1 2 3,ORDER_SEED=$(seed) $(PYTEST) -m "not soak and not slow" tests/app/views &&) true)
	$(if $(ARGS),,$(BIN)/python -m tests.mutation)
	$(if $(ARGS),,$(MAKE) dist bundle)

check: lint types test slow  ## Run lint, types and all tests but soak

# All of them run, so that one look shows everything; then it fails with the names of those that failed.
lint: ready-tools  ## Check the code style, who imports whom, the spelling, the words, the size and the workflows
	@failed=; check() { echo "$$*"; "$$@" || failed="$$failed $$(basename "$$1") $$2,"; }; \
	check $(BIN)/ruff check; \
	check $(BIN)/ruff format --check; \
	check $(BIN)/lint-imports --no-logo; \
	check $(BIN)/python .ci/words.py; \
	check $(BIN)/python .ci/budget.py; \
	check $(BIN)/codespell app solver tests docs assets .ci .github *.md; \
	check $(BIN)/zizmor --offline --quiet .github; \
	if [ -n "$$failed" ]; then echo "make lint: these failed:$${failed%,}"; exit 1; fi

types: ready-tools  ## Check the types
	$(BIN)/python -m mypy app solver .ci/*.py

docs: ready-docs  ## Build the pages of docs into docs/_build, with their pictures
	@[ -d docs/_build ] || echo "The first time all pictures are drawn and all examples run, in one to nine minutes; they are kept, and after that it takes seconds."
	$(BIN)/python docs/make_pictures.py
	QT_QPA_PLATFORM=offscreen MPLBACKEND=agg $(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build

bench: ready-test  ## Measure speed and agreement with scikit-learn (ARGS=...)
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m tests.bench $(ARGS)

dist: ready-dist  ## Build wheel and sdist, and try them in clean environments (PYTHONS=...)
	$(BIN)/python .ci/dist.py $(PYTHONS)

bundle: ready-dist  ## Build a folder with the program and all it needs, and try it
	$(BIN)/python .ci/bundle.py

versions: ready-dist  ## Try the lowest and the newest versions of what is needed (PYTHONS=..., ARGS=...)
	$(BIN)/python .ci/versions.py $(foreach python,$(PYTHONS),--python $(python)) $(ARGS)

release: ready-dist  ## Check version, changelog and tree, build and try all, and tell what to do next
	$(BIN)/python .ci/release.py before
	$(MAKE) check dist bundle
	$(BIN)/python .ci/release.py after

clean:  ## Remove everything made here, .venv included
	rm -rf .venv build dist docs/_build docs/_gallery docs/_pictures *.egg-info .hypothesis .ruff_cache .mypy_cache .pytest_cache .import_linter_cache playground.png
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
