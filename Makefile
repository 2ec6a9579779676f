# Short names of all daily tasks. Each calls a tool that also works by itself.

SHELL := /bin/bash
JOBS ?= $(shell nproc)
WERROR ?= OFF
FUZZ_SECONDS ?= 3600
FUZZ_SMOKE_SECONDS ?= 10
MODEL_SECONDS ?= 1200
SOAK_SECONDS ?= 1200
CLUSTER_ROWS ?= 2000000
CTEST := ctest -j$(JOBS) --output-on-failure --no-tests=error
# The router's build gets the library's objects from ccache, if it is installed, although they were compiled in another
# folder.
export CCACHE_NOHASHDIR := 1
# Every step runs cmake in the same folder, so the steps keep their order under make -j.
.NOTPARALLEL:

ALL_SOURCES = git ls-files -co --exclude-standard '*.cpp' '*.hpp' '*.h' '*.c'

.PHONY: help
help: ## show this list
	@awk -F ':[^#]*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup-build setup-test setup-ci
setup-build:
	@tools/setup build
setup-test:
	@tools/setup test
setup-ci:
	@tools/setup ci

.PHONY: build
build: setup-build ## build the program, build/bin/fingerpost
	@cmake --preset release -DFINGERPOST_WERROR=$(WERROR) --log-level=NOTICE >/dev/null
	@cmake --build build -j $(JOBS) --target program

.PHONY: demo
demo: build ## look addresses up in a full-size table, see why they are answered so and how fast
	@tools/demo
	@touch build/demo-passed
# Runs the demo for `make test`, unless it has passed with the current program.
.PHONY: demo-once
demo-once: build
	@if [[ build/demo-passed -nt build/bin/fingerpost && build/demo-passed -nt tools/demo ]]; then echo "the demo has passed with this program"; else $(MAKE) --no-print-directory demo; fi

.PHONY: all
all: setup-test build ## build everything, tests included
	@tools/python_env
	@tools/python_env report
	@cmake --preset release -DFINGERPOST_WERROR=$(WERROR) --log-level=NOTICE >/dev/null
	@cmake --build build -j $(JOBS)

.PHONY: test test-all
test: setup-test demo-once all ## the demo, then every test once with the smallest meaningful size
	@$(CTEST) --test-dir build || { tools/failed_tests build; exit 1; }
test-all: ## every test with all samples and with real tables
	@FINGERPOST_TESTS=all $(MAKE) --no-print-directory test

# Tests report outdated files of these kinds.
.PHONY: generate
generate: build ## regenerate the files in the tree that are made from code, help and results: manual pages, tables, pictures, docs/gallery
	@tools/house_picture
	@tools/readme_tables
	@lab/results/evaluation_pages
	@lab/results/speed_picture
	@tools/man_pages build/bin/fingerpost
	@tools/c_abi || [ $$? = 77 ]
	@lab/gallery/draw build/bin/fingerpost

.PHONY: docs
docs: build ## the pages, the help of commands and the references of C, C++ and Python as one site, build/docs/index.html
	@tools/setup docs
	@tools/python_env docs
	@tools/docs_site
	@tools/check_site

# The tools of CUDA come from PyPI into build/python-gpu. No GPU is needed.
.PHONY: gpu
gpu: setup-build ## build lookups on a GPU, build/libfingerpost_cuda.so, and check the kernels' code
	@tools/setup gpu
	@tools/python_env gpu
	@cmake --preset release -DFINGERPOST_WERROR=$(WERROR) --log-level=NOTICE >/dev/null
	@cmake --build build -j $(JOBS) --target fingerpost_cuda
	@tools/check_ptx build/gpu/*.ptx
.PHONY: test-gpu
test-gpu: setup-test gpu ## the tests of tests/gpu on a GPU; without one they are skipped, and `make test` runs the kernels on the CPU
	@cmake --build build -j $(JOBS) --target test_gpu_device
	@FINGERPOST_DATA=$(CURDIR)/../shared/data build/test_gpu_device --gtest_brief=1

# The router is a separate project with its own build folder. Its programs are written next to build/bin/fingerpost.
.PHONY: router router-demo router-soak test-router test-router-asan test-router-feeds
router: setup-build ## build the DPDK router, build/bin/fingerpost-router
	@tools/setup router
	@cmake -S router --preset router -DFINGERPOST_WERROR=$(WERROR) --log-level=NOTICE >/dev/null
	@cmake --build build-router -j $(JOBS) --target fingerpost_router
router-demo: router build ## three hosts in network namespaces, FRR's routes, traffic, counters (root)
	@tools/router_demo
router-soak: test-router-programs ## packets, changes and restarts for SOAK_SECONDS (20 minutes), from each source of routes (root)
	@FINGERPOST_SOAK_SECONDS=$(SOAK_SECONDS) ctest -j3 --test-dir build-router -R '^router/soak_' --no-tests=error -V

.PHONY: test-router-programs
test-router-programs: setup-test build router
	@cmake --build build-router -j $(JOBS)
test-router: test-router-programs ## the tests of the router, most of them as root
	@$(CTEST) --test-dir build-router || { tools/failed_tests build-router; exit 1; }
test-router-asan: setup-ci ## tests of the router with the address and undefined behaviour sanitizers
	@tools/setup router
	@cmake -S router --preset router-asan --log-level=NOTICE >/dev/null
	@cmake --build build-router-asan -j $(JOBS)
	@$(CTEST) --test-dir build-router-asan
test-router-feeds: test-router-programs ## FRR and BIRD feed the router whole tables and 50,000 changes each (root): an hour
	@FINGERPOST_FEED_ROUTES=all FINGERPOST_FEED_FLAPS=50000 $(CTEST) --test-dir build-router -L router-feeds -V

.PHONY: test-exhaustive
test-exhaustive: all ## all tables of a tiny universe at every offset: long
	@FINGERPOST_EXHAUSTIVE=full $(CTEST) --test-dir build -L exhaustive

.PHONY: test-full
test-full: all ## every test of every scheme in full, with four times the usual samples: hours
	@FINGERPOST_TESTS=all FINGERPOST_EXHAUSTIVE=full FINGERPOST_EFFORT=4 $(CTEST) --test-dir build

# Uses its own build folder, so that other tests stay as they are in `build`.
ONE_TARGETS = test_unit test_property test_exhaustive test_concurrency test_faults test_schemes
.PHONY: one
one: ## build and test a single scheme: make one SCHEME=poptrie
	@[[ -n "$(SCHEME)" && -d fingerpost/schemes/$(SCHEME) ]] || { echo 'make one: name a scheme by its folder in fingerpost/schemes: make one SCHEME=poptrie' >&2; exit 2; }
	@tools/setup test
	@cmake --preset release -B build-one -DFINGERPOST_WERROR=$(WERROR) -DFINGERPOST_SCHEMES=$(SCHEME) -DFINGERPOST_TEST_SCHEMES=$(SCHEME) -DFINGERPOST_PYTHON=OFF --log-level=NOTICE >/dev/null
	@cmake --build build-one -j $(JOBS) --target $(ONE_TARGETS)
	@$(CTEST) --test-dir build-one -R '/$(SCHEME)$$'

.PHONY: test-model
test-model: setup-test ## the live table against a model for MODEL_SECONDS (20 minutes), in random runs
	@cmake --preset release --log-level=NOTICE >/dev/null
	@cmake --build build -j $(JOBS) --target test_model
	@FINGERPOST_MODEL_SECONDS=$(MODEL_SECONDS) $(CTEST) --test-dir build -L model -V

.PHONY: test-serve-load
test-serve-load: setup-test build ## 100,000 requests to fingerpost serve by wrk, during 50 reloads
	@FINGERPOST=build/bin/fingerpost FINGERPOST_SERVE_REQUESTS=100000 FINGERPOST_SERVE_RELOADS=50 tests/e2e/serve/serve_load_test.py

# The rule for the other builds: make test-PRESET, restricted by LABEL="unit|property", TARGETS="program test_unit"
# and SCHEMES=planb,patricia (the suites over the schemes; default: all).
.PHONY: test-asan test-tsan test-clang test-aarch64
test-asan: ## tests with the address and undefined behaviour sanitizers
test-tsan: ## tests with the thread sanitizer
test-clang: ## tests built by clang 16, warnings as errors
test-aarch64: ## tests built for 64-bit Arm, run under qemu
test-asan test-tsan test-clang test-aarch64: test-%: setup-ci
	@cmake --preset $* -DFINGERPOST_TEST_SCHEMES=$(SCHEMES) --log-level=NOTICE >/dev/null
	@cmake --build build-$* -j $(JOBS) $(if $(TARGETS),--target $(TARGETS))
	@$(CTEST) --test-dir build-$* $(if $(LABEL),-L "^($(LABEL))$$")

# The interpreter has no sanitizer, so the sanitizer's library is loaded first. The interpreter also keeps objects
# until it ends, which are not leaks.
.PHONY: test-python-asan
test-python-asan: setup-ci build ## the Python tests with the address and undefined behaviour sanitizers in the module: minutes
	@tools/python_env
	@cmake --preset asan -DFINGERPOST_PYTHON=ON --log-level=NOTICE >/dev/null
	@cmake --build build-asan -j $(JOBS) --target fingerpost_python
	@LD_PRELOAD="$$(clang++-16 -print-file-name=libclang_rt.asan-$$(uname -m).so) $$(g++ -print-file-name=libstdc++.so.6)" \
	    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 FINGERPOST=$(CURDIR)/build/bin/fingerpost \
	    PYTHONPATH=$(CURDIR)/build-asan/python_package build/python/bin/python -m pytest -q -p no:cacheprovider tests/python

.PHONY: fuzzers fuzz fuzz-smoke
fuzzers: setup-ci
	@cmake --preset asan --log-level=NOTICE >/dev/null
	@cmake --build build-asan -j $(JOBS) --target fuzzers
	@if pkg-config --exists libdpdk libmnl; then \
	    cmake -S router --preset router-asan --log-level=NOTICE >/dev/null && cmake --build build-router-asan -j $(JOBS) --target fuzzers; \
	    else echo 'make fuzzers: none of the router, as libdpdk or libmnl is missing (tools/setup router)' >&2; fi
fuzz: fuzzers ## run each fuzzer for FUZZ_SECONDS (an hour), keeping new inputs
	@tools/fuzz $(FUZZ_SECONDS)
fuzz-smoke: fuzzers ## run each fuzzer for FUZZ_SMOKE_SECONDS (10) over its seeds, the same inputs each time
	@tools/fuzz $(FUZZ_SMOKE_SECONDS) 1

# Printed before the build, which takes minutes.
.PHONY: bench bench-wants
bench-wants:
	@if [[ $$BENCH_ARGS == *dpdk* ]] && ! pkg-config --exists libdpdk 2>/dev/null; then \
	    echo 'make bench: --competitors dpdk needs libdpdk, which is not installed: run `tools/setup bench` first' >&2; \
	    exit 2; \
	fi
bench-wants: export BENCH_ARGS := $(BENCH_ARGS)
bench: bench-wants setup-build ## measure every scheme on an embedded table; BENCH_ARGS="--competitors dpdk" adds DPDK's, which `tools/setup bench` installs
	@cmake --preset bench --log-level=NOTICE >/dev/null
	@cmake --build build-bench -j $(JOBS) --target program
	@build-bench/bin/fingerpost lab bench lookup $(BENCH_ARGS)

.PHONY: bench-promise
bench-promise: build ## the default scheme next to PlanB, dir_24_8 and the best other, with the targets; BENCH_ARGS="--only TABLE,... -- --rounds N"
	@lab/results/bench_promise $(BENCH_ARGS)

.PHONY: bench-results
bench-results: build ## every scheme on tier1-v6 and tier1-v4, for the tables of docs/results.md: half an hour on a quiet machine
	@lab/results/bench_results

.PHONY: bench-python
bench-python: setup-test build ## the Python package next to data frame libraries, SQL and other packages for addresses; BENCH_ARGS="--rows N --json FILE"
	@tools/python_env
	@tools/python_env competitors
	@cmake --preset release --log-level=NOTICE >/dev/null
	@cmake --build build -j $(JOBS) --target fingerpost_python
	@PYTHONPATH=build/python_package build/python-competitors/bin/python bench/python/bench.py $(BENCH_ARGS)

.PHONY: test-cluster
test-cluster: setup-test build ## Spark and Ray on this machine with 2,000,000 rows (CLUSTER_ROWS), and 1 worker against 2: installs 2 GB, minutes
	@command -v java >/dev/null || { echo 'make test-cluster: Spark needs Java: install openjdk-17-jre-headless' >&2; exit 2; }
	@tools/python_env
	@tools/python_env cluster
	@cmake --preset release -DFINGERPOST_WERROR=$(WERROR) --log-level=NOTICE >/dev/null
	@cmake --build build -j $(JOBS) --target fingerpost_python
	@PYTHONPATH=$(CURDIR)/build/python_package FINGERPOST_CLUSTER_ROWS=$(CLUSTER_ROWS) build/python-cluster/bin/python -m pytest \
	    -v -s tests/python/cluster/test_spark.py tests/python/cluster/test_spark_columns.py tests/python/cluster/test_spark_connect.py \
	    tests/python/cluster/test_ray.py tests/python/cluster/test_cluster_guide.py tests/python/cluster/test_cluster_engines.py \
	    tests/python/package/test_examples.py
	@PYTHONPATH=$(CURDIR)/build/python_package build/python-cluster/bin/python bench/python/cluster_speed.py

# Only the tests that get columns of other libraries depend on their versions. `make test-cluster` tests the newest pyspark and Ray.
.PHONY: test-python-lowest test-python-newest
test-python-lowest: ## the Python tests with the lowest versions of numpy, pyarrow, Polars, pandas, DuckDB and Spark that are declared
test-python-newest: ## the Python tests with their newest versions, which `tools/python_env newest --lock` looks up
test-python-lowest test-python-newest: test-python-%: setup-test build
	@tools/python_env
	@tools/python_env $*
	@cmake --preset release -DFINGERPOST_WERROR=$(WERROR) --log-level=NOTICE >/dev/null
	@cmake --build build -j $(JOBS) --target fingerpost_python
	@PYTHONPATH=$(CURDIR)/build/python_package FINGERPOST=$(CURDIR)/build/bin/fingerpost PYTHONDONTWRITEBYTECODE=1 \
	    build/python-$*/bin/python -m pytest -q -rsf tests/python/frames tests/python/vectors/test_vectors_{arrow,dictionaries,from_arrow,numpy,objects}.py \
	    tests/python/enrich/test_enrich_files.py tests/python/cluster/test_spark_columns.py --ignore tests/python/frames/test_frames_guide.py

.PHONY: duckdb-extension test-duckdb
duckdb-extension: setup-build ## the loadable extension for DuckDB, build/fingerpost.duckdb_extension; cargo fetches DuckDB's headers
	@tools/duckdb_headers
	@cmake --preset release -DFINGERPOST_WERROR=$(WERROR) --log-level=NOTICE >/dev/null
	@cmake --build build -j $(JOBS) --target fingerpost_duckdb
# Prints a reason and goes on with the other version, if pip cannot fetch one.
test-duckdb: setup-test duckdb-extension ## the extension and the Python functions in the last DuckDB 1, and in the newest
	@tools/python_env
	@cmake --preset release -DFINGERPOST_WERROR=$(WERROR) --log-level=NOTICE >/dev/null
	@cmake --build build -j $(JOBS) --target fingerpost_python
	@for version in duckdb1 newest; do \
	    tools/python_env $$version || { echo "make test-duckdb: skipped $$version, which pip could not fetch"; continue; }; \
	    PYTHONPATH=$(CURDIR)/build/python_package PYTHONDONTWRITEBYTECODE=1 build/python-$$version/bin/python -m pytest -q -rs \
	        tests/python/sql tests/python/frames/test_duckdb.py || exit 1; \
	done

.PHONY: wheels
wheels: ## source archive and wheels of the Python package in build/wheels, tested by each of PYTHONS="python3.12 ...": minutes
	@tools/setup wheels
	@tools/python_env wheels
	@tools/wheels $(PYTHONS)

.PHONY: release test-release
release: ## the files of a release in dist/: archive, Debian packages, wheels, extension, recipes, bill of materials; PARTS="source debian"; half an hour
	@tools/setup release
	@tools/python_env wheels
	@tools/dist $(PARTS)
test-release: ## the Debian packages of dist/ are installed on a bare Debian 12, and built again with the same bytes; the container (root)
	@tools/setup release
	@tools/fresh_machine_test --packages
	@tests/e2e/packages/container.sh || [ $$? = 77 ]
	@tools/reproducible

.PHONY: test-conan
test-conan: ## Conan compiles the library by packaging/conan, and a program that uses the package runs: minutes
	@conan create packaging/conan --build=missing -s compiler.cppstd=20

.PHONY: test-competitors
test-competitors: setup-test build ## packages of Go, Rust and Python (lab/competitors) are fetched, built and checked against the default scheme: a minute
	@tools/python_env competitors
	@FINGERPOST=$(CURDIR)/build/bin/fingerpost FINGERPOST_COMPETITORS=all python3 tests/evaluation/competitors_test.py

.PHONY: mutants
mutants: setup-test ## plant faults one at a time and list those that no test finds; MUTANT_ARGS="--count 200 --seed 7": hours
	@tools/mutants $(MUTANT_ARGS)

.PHONY: test-large
test-large: setup-build ## gigabytes of MRT and NDJSON with a damaged middle, in bounded memory: minutes
	@cmake --preset release --log-level=NOTICE >/dev/null
	@cmake --build build -j $(JOBS) --target program
	@FINGERPOST=build/bin/fingerpost tests/e2e/tables/large_input.py

.PHONY: bench-enrich
bench-enrich: setup-build ## rows per second of `fingerpost enrich`, next to a Python program with pytricia; BENCH_ARGS="--table FILE --rows N"
	@cmake --preset release --log-level=NOTICE >/dev/null
	@cmake --build build -j $(JOBS) --target program
	@FINGERPOST=build/bin/fingerpost tests/e2e/answers/enrich_speed.py $(BENCH_ARGS)

.PHONY: bench-router
bench-router: setup-build ## packets per second through the router, next to DPDK's table; BENCH_ARGS="--table FILE --scheme all"
	@tools/setup router
	@cmake -S router --preset router --log-level=NOTICE >/dev/null
	@cmake --build build-router -j $(JOBS) --target fingerpost_router_bench
	@build/bin/fingerpost-router-bench $(BENCH_ARGS)

# A wrong answer ends the run with 1, but the report on everything else is still written.
.PHONY: evaluate
evaluate: export PYTHONPATH := $(CURDIR)/lab
evaluate: build ## run the papers' experiments and render build/evaluation/report.html, half an hour; FULL=1 (a night), OUT=FOLDER, ONLY=experiment,...
	@if pkg-config --exists libdpdk 2>/dev/null; then \
	    cmake -B build -DFINGERPOST_DPDK=ON --log-level=NOTICE >/dev/null && cmake --build build -j $(JOBS) --target program && \
	    { { cmake -S router --preset router --log-level=NOTICE >/dev/null && cmake --build build-router -j $(JOBS) --target fingerpost_router_bench; } || echo 'make evaluate: no benchmark of the router, so forwarding is skipped' >&2; }; fi
	@python3 -m evaluation run --out $(or $(OUT),build/evaluation) $(if $(FULL),--full) $(if $(ONLY),--only $(ONLY)); ended=$$?; \
	    if ((ended > 1)); then exit $$ended; fi; \
	    tools/python_env report && build/bin/fingerpost lab report $(or $(OUT),build/evaluation) && exit $$ended

# The checks that every commit must pass; see .ci/run.
.PHONY: ci
ci: ## all checks of the project's CI; tests of real tables are skipped without ../shared
	@.ci/run

.PHONY: format check
format: setup-ci ## format all C++ with clang-format 16
	@$(ALL_SOURCES) | xargs -r clang-format-16 -i
check: setup-ci all ## all checkers, and the format of all C++
	@tools/check_layers
	@tools/check_comments
	@tools/check_words
	@tools/check_limits
	@tools/budget
	@tools/check_kernels build
	@tools/check_python
	@$(ALL_SOURCES) | xargs -r clang-format-16 --dry-run -Werror

.PHONY: clean
clean: ## remove all build folders
	@rm -rf build build-costs build-one build-asan build-tsan build-clang build-aarch64 build-router build-router-asan build-router-clang
