#!/usr/bin/env bash
# Compares every scheme and instruction set with the oracle on real routes, and on a full-size table with FINGERPOST_TESTS=all.
data=$(cd "$(dirname "$0")/../../data/real" && pwd)
. "$(dirname "$0")/../common.sh"

# checks TABLE FAMILY: all answers are right, and each scheme that serves the family was asked.
checks() {
    run 0 lab check --table "$1"
    [[ $(tail -n 1 out) =~ ^all\ [0-9]+\ answers\ correct$ ]] || die "$1: $(tail -n 1 out)"
    awk '$4 == "correct" && $1 != "all" && $3 > 0 { print $1 }' out | sort -u >asked
    "$FINGERPOST" schemes --variants | awk -v serves="^    .*$2" '/^[a-z]/ { name = $1 } /^    IPv[46]/ && $0 ~ serves { print name }' | sort >served
    (($(wc -l <served) > 30)) || die "only $(wc -l <served) schemes serve $2"
    diff served asked || die "$1: the schemes above were not asked"
}

for family in 4 6; do
    checks "$data/ipv$family.txt.xz" IPv$family
done
if [[ ${FINGERPOST_TESTS:-} == all ]]; then
    run 0 lab generate --shares rrc00-25 --model clustered --seed 1 --output full.txt
    checks full.txt IPv6
fi

finish 2
