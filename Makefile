# Everything from a fresh machine: Python 3.11 or newer, a C++20 compiler, and nothing else.
#   make demo      train, show, predict and score on a real table
#   make test      the tests, in minutes       make thorough  what they leave out: long tables, more random examples
#   make exhaustive  every learner under Ctrl-C, and the memory that it takes
#   make lint      style, types, layers        make sanitize  the core under address and undefined-behaviour checks
#   make sanitize-threads  the threaded engines under the thread sanitizer
#   make core-tests  the core without Python   make arm64     the same on arm64, cross-compiled and emulated
#   make processors  a part of the tests as other processors, another libm, the oldest packages and other Pythons see them
#   make docs      the site, in build/site     make bench     speed beside other tools
#   make bench-defaults  losses of default settings on real tables, beside other tools
#   make wheel     a wheel in dist/, tried in an empty environment without a compiler
#   make audit     what is shipped, looked through: stray files, keys, the module's table of addresses; known faults
#   make fuzz      200,000 hostile model files, in half an hour: each is refused, or loads and answers everything
#   make mutations  10,000 changed exports of each format: the proofs must catch 99.9 % of those that change anything
#   make clean     forget what was built (the .venv stays)

# Many processes start here; each would compile every module anew where Python was told to keep no bytecode.
export PYTHONDONTWRITEBYTECODE :=

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := build/stamps
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet
BUILD_TOOLS := "scikit-build-core>=0.11" "nanobind>=3" "cmake>=3.25" ninja

# The package is installed as a link to src/, so only what is compiled has to be built anew.
COMPILED := pyproject.toml CMakeLists.txt $(wildcard cmake/*.cmake) $(shell find core -type f -name '*.[ch]pp')

BUILT = $(shell ls -td build/cp*-* | head -1)
CCACHE := $(shell command -v ccache)

# Each of two workers has a core of its own, so BLAS gets no further threads.
TWO_WORKERS := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q

SANITIZED_TESTS ?= tests/compat tests/golden tests/inspection tests/learners tests/oracle tests/properties tests/unit
SANITIZED := build/sanitize/site

.PHONY: demo test thorough exhaustive processors lint sanitize sanitize-threads audit core-tests arm64 docs wheel bench bench-defaults fuzz mutations clean
.DELETE_ON_ERROR:

demo: $(STAMPS)/installed
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/credit.sh build/demo

test: $(STAMPS)/test
	$(TWO_WORKERS)
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
	  echo "The tests with PostgreSQL did not run: no server was found. Install one (Debian: apt install postgresql) to run them."
	@for engine in distributed pyspark; do \
	  $(BIN)/python -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$$engine') is None)" || \
	  echo "The tests with $$engine did not run: it is not installed. Run make $(STAMPS)/engines to run them."; done
	@for tool in node java soffice clang; do command -v $$tool >/dev/null || \
	  echo "Some exports were written and not proven: no $$tool here. Install it to prove them (.ci/run names the packages)."; done
	@Rscript -e 'library(rpart)' >/dev/null 2>&1 || \
	  echo "The tests with R did not run: no Rscript with rpart was found. Install them (Debian: apt install r-base-core r-recommended) to run them."
	@command -v chromium chromium-browser google-chrome >/dev/null || \
	  echo "The browser tests did not run: no Chromium was found. Install one (Debian: apt install chromium) to run them."

thorough: $(STAMPS)/test
	TREEWRIGHT_THOROUGH=1 $(TWO_WORKERS) -m "thorough or hypothesis or random_examples"

# Every learner is stopped in the middle of a long fit, and its memory is measured: a quarter of an hour on a quiet machine.
exhaustive: $(STAMPS)/test
	TREEWRIGHT_THOROUGH=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -m exhaustive

# Other Pythons are built too: with ccache only what depends on Python.
processors: $(STAMPS)/processors
	CMAKE_CXX_COMPILER_LAUNCHER=$(CCACHE) $(BIN)/python tests/processors.py $(PARTS)

lint: $(STAMPS)/lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	find core tests/core -name '*.[ch]pp' -print0 | xargs -0 -r $(BIN)/clang-format --dry-run -Werror
	@echo "Functions longer than 40 lines or with more than 6 parameters (a list to shorten, not an error):"
	@$(BIN)/lizard --length 40 --arguments 6 --CCN 15 --warnings_only core src || true

# The core without Python, where every leak is one of ours, then a part of the tests with Python, which keeps much until
# its end. Python must have the address sanitizer loaded before a module that was built with it, and -S keeps the link to
# src/ (and so the usual core) out of the way. How soon Ctrl-C is heard, and what loading takes, says nothing there: all is
# several times slower and larger, and a page with many forests takes more than the usual five minutes. A browser would
# get the sanitizer loaded too, and does not start with it. What a sanitizer reports goes to the terminal
# (--capture=sys): it ends the process, and with it what pytest has caught.
sanitize: $(STAMPS)/test
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DTREEWRIGHT_SANITIZE=address,undefined \
	  -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	$(BIN)/cmake --build build/sanitize
	ASAN_OPTIONS=detect_leaks=1 $(BIN)/cmake --build build/sanitize --target run_core_tests
	rm -rf $(SANITIZED) && mkdir -p $(SANITIZED)
	cp -r src/treewright $(SANITIZED)/treewright && rm -f $(SANITIZED)/treewright/*.so
	$(BIN)/cmake --install build/sanitize --prefix $(SANITIZED)
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 OPENBLAS_NUM_THREADS=1 \
	PYTHONPATH="$(CURDIR)/$(SANITIZED):$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
	$(BIN)/python -S -m pytest -q --capture=sys --timeout 1500 -p no:cacheprovider $(SANITIZED_TESTS) \
	  --ignore tests/learners/test_interrupts_of_every_learner.py \
	  -k "not stops_at_once and not the_page_answers and not time_and_memory_to_load"

# Every threaded engine with one, two and three threads, and explanations and answers by them. Not with Python: its own
# threads and those of BLAS are not compiled for it, and what it would tell of them is no fault of ours.
sanitize-threads: $(STAMPS)/venv
	$(BIN)/cmake -S . -B build/sanitize_threads -G Ninja -DTREEWRIGHT_SANITIZE=thread -DTREEWRIGHT_PYTHON=OFF
	$(BIN)/cmake --build build/sanitize_threads --target run_core_tests

# Nothing is compiled twice: the objects are those of the module.
core-tests: $(STAMPS)/installed
	$(BIN)/cmake --build $(BUILT) --target run_core_tests

# Models grown there must have the same bytes as here.
arm64: core-tests
	@for tool in aarch64-linux-gnu-g++ qemu-aarch64; do command -v $$tool > /dev/null || \
	  { echo "$$tool is not installed; arm64 needs it here. Debian: apt install g++-aarch64-linux-gnu qemu-user"; exit 1; }; done
	$(BIN)/cmake -S . -B build/arm64 -G Ninja --toolchain cmake/aarch64.cmake -DTREEWRIGHT_PYTHON=OFF \
	  -DTREEWRIGHT_OPTIMIZE=-O1 $(if $(CCACHE),-DCMAKE_CXX_COMPILER_LAUNCHER=$(CCACHE))
	$(BIN)/cmake --build build/arm64 --target run_core_tests
	diff $(BUILT)/models.txt build/arm64/models.txt

# A link that leads nowhere is an error. The site opens from its folder: build/site/index.html.
docs: $(STAMPS)/test $(STAMPS)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	$(BIN)/python -m pytest -q tests/browser/built_site.py docs/site
	@echo "build/site/index.html"

# With Python 3.12 or newer one wheel for all of them: make wheel PYTHON=python3.12.
wheel:
	rm -rf dist
	CMAKE_CXX_COMPILER_LAUNCHER=$(CCACHE) PIP_DISABLE_PIP_VERSION_CHECK=1 $(PYTHON) -m pip wheel --quiet --no-deps \
	  --config-settings=build-dir=build/wheel_{wheel_tag} --wheel-dir dist .
	$(PYTHON) tests/wheel_smoke.py dist/*.whl
	@ls dist

# What is shipped and what it is made of. pip-audit has to ask a database of known faults: without a network it says
# that nothing could be looked up, which is no finding (docs/notes/building.md).
audit: $(STAMPS)/lint wheel
	CMAKE_CXX_COMPILER_LAUNCHER=$(CCACHE) $(PIP) build pip-audit
	$(BIN)/python -m build --sdist --outdir dist . > /dev/null
	$(BIN)/python tests/package_audit.py dist/*.whl dist/*.tar.gz
	-$(BIN)/pip-audit --skip-editable --progress-spinner off

bench: $(STAMPS)/bench $(STAMPS)/engines
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.grid
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.clusters
	$(BIN)/python -m benchmarks.reference_folds

# Losses of default settings on real tables (docs/defaults.md); what benchmarks/cache holds is not measured again.
bench-defaults: $(STAMPS)/bench
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.default_settings run treewright "treewright forest" \
	  "treewright extra trees" LightGBM XGBoost HistGradientBoosting YDF "scikit-learn forest" "scikit-learn extra trees" CatBoost check
	$(BIN)/python -m benchmarks.default_summary

# Other files: make fuzz SEED=2. What goes wrong is counted by kind, and kept in build/fuzz.
N ?= 200000
SEED ?= 1
fuzz: $(STAMPS)/test
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python -m fuzz $(N) --seed $(SEED) --keep build/fuzz

# Fewer, or of some formats: make mutations EACH=1000 FORMATS="onnx pmml".
EACH ?= 10000
FORMATS ?=
mutations: $(STAMPS)/test
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python -m export.mutation_runs $(FORMATS) --each $(EACH)

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks examples -name __pycache__ -prune -exec rm -rf {} +

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) $(BUILD_TOOLS)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/installed: $(STAMPS)/venv $(COMPILED)
	$(PIP) --no-build-isolation --editable .
	@touch $@

$(STAMPS)/processors: $(STAMPS)/test
	$(PIP) uv
	@touch $@

# Spark and a table of the benchmarks come as source, which is built with what is there.
$(STAMPS)/source_tools: $(STAMPS)/venv
	$(PIP) setuptools wheel
	@touch $@

$(STAMPS)/bench $(STAMPS)/engines: $(STAMPS)/source_tools
$(STAMPS)/test $(STAMPS)/engines $(STAMPS)/lint $(STAMPS)/docs $(STAMPS)/bench: $(STAMPS)/%: $(STAMPS)/installed
	$(PIP) --no-build-isolation --editable ".[$*]"
	@touch $@
