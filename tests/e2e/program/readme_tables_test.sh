#!/usr/bin/env bash
# The generated tables in README and docs match the code, and the script that checks them does detect differences.
set -euo pipefail
: "${FINGERPOST:?set it to the program to test}"
export FINGERPOST
root=$(cd "$(dirname "$0")/../../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

die() {
    echo "readme_tables_test: $*" >&2
    exit 1
}

"$root/tools/readme_tables" --check || die 'run make generate'

# Works on a copy of the documents. A rewritten copy has no differences; a change anywhere inside a block is one.
copy=$scratch/tree
mkdir -p "$copy/bench" "$copy/io"
cp -r "$root/README.md" "$root/docs" "$root/layers.txt" "$root/cli" "$copy" # layers.txt counts the folders of cli
cp -r "$root/bench/report" "$copy/bench"
cp -r "$root/io/format" "$copy/io"
"$root/tools/readme_tables" "$copy" >/dev/null 2>&1 || die 'cannot rewrite a copy'
"$root/tools/readme_tables" --check "$copy" >/dev/null || die 'a copy just rewritten differs'

spoil() {
    local file=$copy/$1 status=0
    cp "$file" "$scratch/kept"
    sed -i "$2" "$file"
    ! cmp -s "$scratch/kept" "$file" || die "$1: '$2' changes nothing"
    "$root/tools/readme_tables" --check "$copy" >/dev/null 2>"$scratch/err" || status=$?
    ((status == 1)) || die "$1: exit $status instead of 1 after '$2'"
    grep -qF "$1: $3: differs" "$scratch/err" || die "$1: said $(<"$scratch/err")"
    cp "$scratch/kept" "$file"
}
spoil docs/schemes/README.md 's/^| \[`patricia`\].*/| patricia |/' schemes
spoil docs/inside/architecture.md 's/^capi   uses .*/capi   uses nothing/' layers
spoil docs/use/table_formats.md 's/^| .tsv. .*/| tsv |/' formats
spoil docs/README.md '/decisions\/0002-/d' decisions

# A block that selects rows shows only these, below the table's header.
mkdir -p "$copy/lab/results"
cp "$root/lab/results/tier1-v6.json" "$copy/lab/results"
printf '%s\n' '<!-- result: tier1-v6, rows /planb|dpdk_fib6/, written -->' '<!-- end of result: tier1-v6 -->' >"$copy/docs/rows.md"
"$root/tools/readme_tables" "$copy" >/dev/null 2>&1 || die 'cannot write chosen rows'
grep -q '^| scheme |' "$copy/docs/rows.md" && [[ $(grep -cE '^\| (\*\*planb|dpdk_fib6)' "$copy/docs/rows.md") == 3 &&
    $(grep -c '^| ' "$copy/docs/rows.md") == 4 ]] || die "chosen rows: $(<"$copy/docs/rows.md")"
rm "$copy/docs/rows.md"

echo 'readme_tables_test: 4 differences found'
