#!/usr/bin/env bash
# Races DPDK's tables through `lab bench lookup`, which checks their answers first; skipped with a message in a build
# without them.
set -euo pipefail
: "${FINGERPOST:?set it to the program to test}"
root=$(cd "$(dirname "$0")/../../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

die() {
    echo "competitors_test: $*" >&2
    exit 1
}

# Without the library, `make bench` prints how to install it before it builds anything, and `make help` mentions it too.
mkdir none
printf '#!/bin/sh\nexit 1\n' >none/pkg-config
printf '#!/bin/sh\ntouch "%s/built"\nexit 1\n' "$PWD" >none/cmake
chmod +x none/*
status=0
PATH=$PWD/none:$PATH FINGERPOST_SETUP=skip make -s -C "$root" bench BENCH_ARGS='--competitors dpdk' >out 2>err || status=$?
[[ $status == 2 && ! -e built && $(<err) == *'run `tools/setup bench` first'* ]] || die "make bench: $status, $(cat out err)"
make -s -C "$root" help >out
grep -q 'make bench .*tools/setup bench' out || die "make help: $(<out)"

little=(--rounds 3 --round-ms 0.2 --addresses 20000 --workloads match,uniform,boundaries --competitors dpdk)
little+=(--scheme default --batch 1,7,64,200)

cat >v4.txt <<'END'
0.0.0.0/0 9
10.0.0.0/8 1
10.1.0.0/16 2
10.1.1.0/24 3
10.1.1.77/32 4
192.0.2.128/25 5
END
cat >v6.txt <<'END'
2001:db8::/32 1
2001:db8:1::/48 2
2001:db8:1::1/128 3
2600::/12 4
END

# rows NAME ISA: prints the number of rows for this competitor and ISA in the last result, and how many of them are wrong.
rows() {
    python3 - "$1" "$2" <<'END'
import json, sys
rows = [r for r in json.load(open("result.json"))["results"] if (r["scheme"], r["isa"]) == (sys.argv[1], sys.argv[2])]
print(len(rows), sum(r["wrong"] != 0 for r in rows))
END
}

# right NAME ISA: checks that it was timed in every case and never wrong: 3 workloads, 4 batch sizes and latency.
right() {
    [[ $(rows "$1" "$2") == "15 0" ]] || die "$1 ($2) has rows and wrong ones: $(rows "$1" "$2"); $(<err)"
}

if ! "$FINGERPOST" lab bench lookup --table v4.txt "${little[@]}" --next-hops file --format json -o result.json >out 2>err; then
    [[ $(<err) == 'fingerpost: --competitors: this build has no dpdk; `tools/setup bench` installs its dependencies, `make bench` builds with it' ]] || die "$(<err)"
    echo "competitors_test: skipped, as this build has no competitors (tools/setup bench)"
    exit 0
fi
if grep -q "dpdk_fib_uni (scalar) was not built: not supported here" err; then
    echo "competitors_test: skipped, as DPDK does not start here"
    exit 0
fi

for one in macro inline uni; do
    right dpdk_fib_$one scalar
done
if grep -qw avx512dq /proc/cpuinfo; then
    right dpdk_fib avx512
fi

# Tables whose entries take 2 and 4 bytes, with a default route and without.
"$FINGERPOST" lab bench lookup --table v6.txt "${little[@]}" --next-hops file --format json -o result.json >out 2>err
right dpdk_fib6 scalar
right dpdk_lpm6 scalar
{
    echo "::/0 9"
    cat v6.txt
} >default.txt
"$FINGERPOST" lab bench lookup --table default.txt "${little[@]}" --next-hops file --format json -o result.json >out 2>err
right dpdk_fib6 scalar
right dpdk_lpm6 scalar
"$FINGERPOST" lab bench lookup --generate :40000 --family 6 "${little[@]}" --next-hops unique --format json -o result.json >out 2>err
right dpdk_fib6 scalar
right dpdk_lpm6 scalar
"$FINGERPOST" lab bench lookup --generate :40000 --family 4 "${little[@]}" --next-hops unique --format json -o result.json >out 2>err
right dpdk_fib_inline scalar
