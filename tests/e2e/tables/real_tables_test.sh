#!/usr/bin/env bash
# Looks addresses up in real tables: those of tests/data/real, and whole ones with FINGERPOST_TESTS=all.
. "$(dirname "$0")/../common.sh"

xz -dc "$(real_table 6)" | run 0 lookup --table - 2c0f:f000:a12::8
prints '2c0f:f000:a12::8  2c0f:f000:a00::/40  -'
run 0 lookup --table "$(real_table 4)" 78.40.13.8
prints '78.40.13.8  78.40.12.0/22  -'

# The first address of a prefix is answered by the longest route that starts there, which is the last of them in prefix
# order: all of both tables, one route at a time, judged without fingerpost.
for table in 6 4; do
    xz -dc "$(real_table $table)" >"$table"
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
assert len(rows) > 4_000, len(rows)
wrong = [(address, prefix) for address, prefix in rows if prefix != f"{address}/{longest[address]}"]
assert not wrong, wrong[:5]
END
done

data=${FINGERPOST_DATA:-}/fib
if is_all && [[ -d $data ]]; then
    run 0 lookup --table "$data/ipv6-2014-linx.txt.xz" --format csv 2a00:86c0:1009::1
    prints 'address,prefix,next_hop
2a00:86c0:1009::1,2a00:86c0:1009::/48,2001:7f8:4::1a0b:1'
    for table in "$data"/*.xz; do
        run 0 info --table "$table" --format json
    done
    run 0 lab check --table "$data/ipv6-2014-linx.txt.xz"
fi
for family in 4 6; do
    run 0 info --table "$(real_table $family)" --format json
done
run 0 lab check --table 6 --scheme default

finish 6
