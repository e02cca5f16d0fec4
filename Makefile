# Everything sets itself up: the first target that needs it makes .venv, builds the engine and installs the package.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(wildcard engine/*/*.?pp engine/*/*/*.?pp)
ENGINE := $(SOURCES) CMakeLists.txt
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.DEFAULT_GOAL := help
.PHONY: help build demo test test-all lint format stubs docs bench fuzz sanitize sanitize-threads wheel wheel-test cross sdist clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# For tests of training; an index may have a smaller build without CUDA.
TORCH := torch==2.13.0
SUPPORTED := import sys; sys.exit(sys.version_info < (3, 11))

# A virtual environment of a Python that is too old is made anew, whoever left it.
$(VENV)/.tools: pyproject.toml
	@$(BIN)/python -c "$(SUPPORTED)" 2>/dev/null || $(PYTHON) -c "$(SUPPORTED)" 2>/dev/null || { \
	    echo "panparser needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)." \
	        "Name another one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@$(BIN)/python -c "$(SUPPORTED)" 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@echo "installing the tools of the build into $(VENV)"
	@$(PIP) install "pip>=23.1" "scikit-build-core>=0.11" "nanobind>=2.9" "cmake>=3.20" ninja
	@touch $@

$(VENV)/.built: $(VENV)/.tools $(ENGINE)
	@echo "compiling the engine: a minute or two the first time"
	$(PIP) install --no-build-isolation -C cmake.define.PANPARSER_WERROR=ON -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.built
	$(PIP) install --no-build-isolation -C cmake.define.PANPARSER_WERROR=ON -e ".[dev]" "$(TORCH)"
	@touch $@

build: $(VENV)/.built  ## build the engine and install the package into .venv (seconds when little changed)

# What the README shows after it needs the extra `analysis`.
$(VENV)/.analysis: $(VENV)/.built
	$(PIP) install --no-build-isolation -C cmake.define.PANPARSER_WERROR=ON -e ".[analysis]"
	@touch $@

demo: $(VENV)/.analysis  ## English text to trees, a small parser trained, a derivation drawn, a transition system proven
	$(BIN)/panparser parse --output-format tree \
	    --text "They ate the pizza with anchovies. Parsers read text, and nobody has to tag it first."
	$(BIN)/python examples/first_parser.py
	$(BIN)/python examples/derivation.py
	$(BIN)/panparser check arc-hybrid --max-words 5

test: $(VENV)/.dev  ## run the tests but the minutes-long exhaustive checks (COVERAGE=1: 90 % of the lines must be reached)
	$(BIN)/pytest -q -n 2 --dist worksteal -m "not slow" $(if $(COVERAGE),--cov --cov-report=term)

test-all: $(VENV)/.dev  ## run all tests, the slow ones too, with more random examples
	HYPOTHESIS_PROFILE=thorough $(BIN)/pytest -q -n 2 --dist worksteal

lint: $(VENV)/.dev  ## formatters, linters, types, wordings, stubs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror $(SOURCES) fuzz/*.cpp examples/*.cpp
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_includes.py
	$(BIN)/python tools/check_voice.py
	$(BIN)/python -m nanobind.stubgen -q -m panparser._engine -o build/_engine.pyi
	diff -u src/panparser/_engine.pyi build/_engine.pyi

format: $(VENV)/.dev  ## format everything
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only .
	$(BIN)/clang-format -i $(SOURCES) fuzz/*.cpp examples/*.cpp

stubs: $(VENV)/.dev  ## write src/panparser/_engine.pyi from the built engine
	$(BIN)/python -m nanobind.stubgen -q -m panparser._engine -o src/panparser/_engine.pyi

docs: build  ## the documentation as a site: build/site/index.html
	$(PIP) install --no-build-isolation -C cmake.define.PANPARSER_WERROR=ON -e ".[docs]"
	$(BIN)/python tools/render_docs.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

bench: build  ## measure the engine and the treebank layer; results go to benchmarks/results/
	$(PIP) install --no-build-isolation -C cmake.define.PANPARSER_WERROR=ON -e ".[bench]"
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/batch.py
	$(BIN)/python benchmarks/treebank.py $(TREEBANK)

FUZZ_COUNT ?= 100000
FUZZ_SECONDS ?= 60
CLANG := $(shell for c in clang++ clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14; do command -v $$c; done | head -1)
fuzz: $(VENV)/.dev  ## feed every reader damaged inputs (READER=recipes: one of them), and the native one of CoNLL-U for a minute (with clang)
	$(BIN)/python -m fuzz $(READER) --count $(FUZZ_COUNT)
ifneq ($(CLANG),)
	$(BIN)/python -m fuzz conllu conllx --count 100 --write build/fuzz/corpus
	$(CLANG) -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Iengine fuzz/conllu.cpp $(wildcard engine/treebank/*.cpp) -o build/fuzz/native
	cd build/fuzz && ./native corpus -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -print_final_stats=1
endif

# A virtual environment of its own, since the editable one would import the ordinary engine.
sanitize: $(VENV)/.tools  ## the test suite under the address and undefined-behaviour sanitizers
	test -x build/sanitize/venv/bin/python || $(PYTHON) -m venv build/sanitize/venv
	build/sanitize/venv/bin/python -m pip --disable-pip-version-check -q install \
	    -C build-dir=build/sanitize/cmake -C cmake.define.PANPARSER_SANITIZE=address,undefined ".[dev]"
	LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libstdc++.so)" \
	    ASAN_OPTIONS=detect_leaks=0 \
	    build/sanitize/venv/bin/python -m pytest -q -n 2 -m "not slow and not memory" -p no:cacheprovider --ignore tests/fuzz

sanitize-threads: $(VENV)/.tools  ## training, parsing and reading by several threads, under the thread sanitizer
	test -x build/sanitize-threads/venv/bin/python || $(PYTHON) -m venv build/sanitize-threads/venv
	build/sanitize-threads/venv/bin/python -m pip --disable-pip-version-check -q install -C install.strip=false \
	    -C build-dir=build/sanitize-threads/cmake -C cmake.build-type=RelWithDebInfo -C cmake.define.PANPARSER_SANITIZE=thread .
	LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libtsan.so) $$($${CXX:-c++} -print-file-name=libstdc++.so)" \
	    TSAN_OPTIONS=exitcode=66 build/sanitize-threads/venv/bin/python tools/busy_threads.py

wheel: $(VENV)/.tools  ## dist/*.whl
	$(PIP) wheel --no-deps -w dist .

wheel-test: $(VENV)/.tools  ## a wheel for every supported Python that is found, tried without a compiler
	$(BIN)/python tools/try_wheels.py

cross: $(VENV)/.tools  ## compile the engine for Windows, macOS and Linux with Clang (that of ziglang)
	$(PIP) install ziglang
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tools/cross_compile.py

sdist: $(VENV)/.tools  ## dist/*.tar.gz
	$(PIP) install build
	$(BIN)/python -m build --sdist -o dist .

clean:  ## remove everything that was built
	rm -rf build dist $(VENV)
