#!/usr/bin/env bash
# Looks known addresses up in real tables; skipped with a message where there are none, which CI counts as a failure.
. "$(dirname "$0")/../common.sh"

data=${FINGERPOST_DATA:-}/fib
if [[ ! -d $data ]]; then
    [[ ${FINGERPOST_REQUIRE_DATA:-} != 1 ]] || die "no real tables in $data"
    echo "$name: skipped, as there are no real tables in $data"
    exit 77
fi

xz -dc "$data/tier1-v6.txt.xz" | run 0 lookup --table - 2001:4860:4860::8888
prints '2001:4860:4860::8888  2001:4860::/32  -'
xz -dc "$data/tier1-v4.txt.xz" | run 0 lookup --table - 8.8.8.8
prints '8.8.8.8  8.8.8.0/24  -'
run 0 lookup --table "$data/ipv6-2014-linx.txt.xz" --format csv 2a00:86c0:1009::1
prints 'address,prefix,next_hop
2a00:86c0:1009::1,2a00:86c0:1009::/48,2001:7f8:4::1a0b:1'

# The first address of a prefix is answered by the longest route that starts there, which is the last of them in prefix
# order: all of both tables, one route at a time, judged without fingerpost.
for table in tier1-v6 tier1-v4; do
    xz -dc "$data/$table.txt.xz" >"$table"
    cut -d/ -f1 "$table" >addresses
    run 0 lookup --table "$table" --format csv <addresses
    tail -n +2 out | cut -d, -f1,2 >answers
    python3 - "$table" answers <<'END' || die "$table is answered wrongly"
import sys
longest = {}
for line in open(sys.argv[1]):
    base, length = line.split()[0].split("/")
    longest[base] = max(longest.get(base, 0), int(length))
rows = [line.rstrip("\n").split(",") for line in open(sys.argv[2])]
assert len(rows) > 100_000, len(rows)
wrong = [(address, prefix) for address, prefix in rows if prefix != f"{address}/{longest[address]}"]
assert not wrong, wrong[:5]
END
done

for table in "$data"/*.xz; do
    run 0 info --table "$table" --format json
done
run 0 check --table "$data/ipv6-2014-linx.txt.xz"

finish 10
