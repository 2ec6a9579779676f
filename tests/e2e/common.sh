# The start of all end-to-end scripts: a scratch folder to work in, and `run`, `says`, `prints` to judge one command.
set -euo pipefail
: "${FINGERPOST:?set it to the program to test}"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=$(basename "$0" .sh)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cases=0
# The default table of the user stays out of the tests.
unset FINGERPOST_TABLE
export XDG_CONFIG_HOME=$scratch/config

# FINGERPOST_TESTS=all asks for large samples and full products.
is_all() { [[ ${FINGERPOST_TESTS:-} == all ]]; }

die() {
    echo "$name: $*" >&2
    exit 1
}

# run STATUS ARGUMENT...: runs the program with its output in `out` and `err`, and requires this exit code. Input is the
# caller's.
run() {
    local wanted=$1 status=0
    shift
    "$FINGERPOST" "$@" >out 2>err || status=$?
    ((status == wanted)) || die "exit $status instead of $wanted from: $*: $(head -c 2000 err)"
    cases=$((cases + 1))
}

# prints TEXT: the output of the last run is exactly this, except for line ends at the end.
prints() {
    [[ $(<out) == "$1" ]] || die "printed '$(head -c 2000 out)' instead of '$1'"
}

# says TEXT: the errors of the last run are exactly this.
says() {
    [[ $(<err) == "$1" ]] || die "said '$(head -c 2000 err)' instead of '$1'"
}

# real_table FAMILY: a file of real routes, that of tests/data/real or, with FINGERPOST_TESTS=all, the whole table.
real_table() {
    local whole=${FINGERPOST_DATA:-$here/../../../shared/data}/fib/tier1-v$1.txt.xz
    if is_all && [[ -f $whole ]]; then
        echo "$whole"
    else
        [[ ${FINGERPOST_REQUIRE_DATA:-} != 1 ]] || ! is_all || die "$whole is not there"
        echo "$here/../data/real/ipv$1.txt.xz"
    fi
}

# A test says how much it has done and fails when that is too little.
finish() {
    ((cases >= $1)) || die "only $cases runs"
    echo "$name: $cases runs"
}
