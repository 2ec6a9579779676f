# The stages of .ci/run and .ci/full, which source this file.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true
export WERROR=ON
# The router's build takes the library's objects from the first build.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
# The project's CI has the real tables in ../shared, where a test without them fails. Elsewhere such tests are skipped.
without_data=
if [[ -d ../shared ]]; then
    export FINGERPOST_REQUIRE_DATA=1
else
    without_data="there is no ../shared, so the tests of real tables are skipped"
    echo "=== $without_data"
fi

stages=()
# stage NAME COMMAND...: runs a stage and prints its time. The run ends if it fails.
stage() {
    local name=$1 start=$SECONDS
    shift
    echo "=== $name"
    "$@" </dev/null || { echo "=== $name FAILED after $((SECONDS - start)) s" >&2; exit 1; }
    stages+=("$(printf '%5d s  %s' $((SECONDS - start)) "$name")")
}
# stage_if 'FOLDER...' NAME COMMAND...: runs the stage if one of these folders or files has changed. All depend on the
# build files.
stage_if() {
    local folders
    read -ra folders <<<"$1"
    shift
    local changed
    changed=$(tools/changed_files "${folders[@]}" cmake CMakeLists.txt CMakePresets.json Makefile .ci tools/setup)
    if [[ -n $changed ]]; then
        stage "$@"
    else
        stages+=("      -  $1: nothing has changed that it tests")
    fi
}
tell_times() {
    printf '%s\n' "=== all passed${without_data:+, but $without_data}" "${stages[@]}"
    printf '%5d s  in all\n' "$SECONDS"
}

data_is_there() {
    [[ -n $without_data || -d ../shared/data ]] || { echo "the real tables are missing: ../shared/data" >&2; return 1; }
}
# Installs what `make docs` installs, so that the test of the site runs with the others.
site_environment() { tools/setup docs && tools/python_env docs; }
# clang_warnings PART FOLDER...: clang 16 compiles a part of the sources one by one.
clang_warnings() {
    cmake --preset clang -DFINGERPOST_MERGE=OFF -DFINGERPOST_PYTHON=ON --log-level=NOTICE >/dev/null &&
        tools/check_warnings --part "$1" build-clang bench capi cli fingerpost gpu io lab python/core sql system terminal tests
}
router_clang_warnings() {
    cmake -S router --preset router-clang -DFINGERPOST_MERGE=OFF --log-level=NOTICE >/dev/null &&
        tools/check_warnings --part "$1" build-router-clang router
}
# The next four functions take scheme names, separated by commas; without any, they run all schemes.
sanitizer_tests() {
    make test-asan SCHEMES="$1" LABEL='unit|abi|model|system|gpu' TARGETS='test_unit test_model abi_programs test_system test_gpu fuzzers'
}
# The thread sanitizer does not support vector loads, so it checks the kernels without them.
tsan_tests() { FINGERPOST_ISA=scalar make test-tsan SCHEMES="$1" LABEL='concurrency|model' TARGETS='test_concurrency test_model'; }
aarch64_tests() { make test-aarch64 SCHEMES="$1" LABEL='unit|abi' TARGETS='test_unit abi_programs'; }
samples_of() { # the tests of these schemes with all their samples
    FINGERPOST_TESTS=all ctest -j"$(nproc)" --test-dir build --output-on-failure --no-tests=error -R "/(${1//,/|})\$"
}
# Runs over a million frames in the three modes.
router_sanitizer_tests() { FINGERPOST_RANDOM_FRAMES=350000 make test-router-asan; }

# Skipped where cargo cannot fetch the headers of DuckDB.
duckdb_extension() {
    local status=0
    tools/duckdb_headers || status=$?
    ((status != 77)) || { echo "skipped"; return 0; }
    ((status == 0)) && make test-duckdb
}

# Skipped where pip cannot fetch the tools of CUDA.
gpu_kernels() {
    tools/setup gpu
    tools/python_env gpu || { echo "skipped"; return 0; }
    make test-gpu
}

# qemu64 is an x86-64 without AVX, BMI or popcnt: a program that runs there runs everywhere.
plain_cpu() {
    local table=build/plain_cpu.txt program=(qemu-x86_64-static -cpu qemu64 build/bin/fingerpost)
    printf '%s\n' '2001:db8::/32 1' '2001:db8:1::/48 2' '2001:db8:1:2:3::/80 3' >"$table"
    "${program[@]}" schemes >/dev/null &&
        "${program[@]}" lookup --table "$table" --format csv 2001:db8:1::1 | grep -xF '2001:db8:1::1,2001:db8:1::/48,2' &&
        "${program[@]}" check --table "$table"
}
