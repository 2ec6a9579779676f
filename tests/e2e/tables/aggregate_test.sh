#!/usr/bin/env bash
# The output of `aggregate` is a table that answers as the table it was made of, no larger, and its own aggregate.
. "$(dirname "$0")/../common.sh"

# By hand: halves merge, a route that repeats its cover goes, an address without a route keeps none, and no next hop
# counts as one too.
cat >small <<'END'
10.0.0.0/9 a
10.128.0.0/9 a
10.5.0.0/16 a
10.6.0.0/16 b
192.0.2.0/24
192.0.2.128/25
192.0.3.0/24
2001:db8::/33 x
2001:db8:8000::/33 y
2001:db8:8000::/35 x
END
run 0 aggregate -t small
prints '10.0.0.0/8 a
10.6.0.0/16 b
192.0.2.0/23
2001:db8::/32 x
2001:db8:8000::/33 y
2001:db8:8000::/35 x'
says 'fingerpost: IPv4: 7 routes before, 3 after, 57.1 % fewer
fingerpost: IPv6: 3 routes before, 3 after, 0.0 % fewer'
# The order of lines numbers next hops, and must not change the output.
tac small | run 0 aggregate -t - --output again
prints ''
"$FINGERPOST" aggregate -t small 2>/dev/null | cmp -s - again || die "another order gives $(<again)"

run 0 aggregate -t /dev/null
prints ''
says 'fingerpost: IPv6: 0 routes before, 0 after, 0.0 % fewer'
run 0 aggregate -t small --family 6
[[ $(wc -l <out) == 3 ]] || die "one family: $(<out)"
run 1 aggregate -t small --output /dev/full
says 'fingerpost: /dev/full: No space left on device'
run 1 aggregate -t missing
run 2 aggregate
says 'fingerpost: aggregate: no table; use -t FILE, or set FINGERPOST_TABLE (see `fingerpost help tables`)'

# same NAME TABLE: the aggregate answers as the table at every boundary of either, and is its own aggregate.
same() {
    run 0 aggregate -t "$2" --output smaller
    local before after
    before=$(wc -l <"$2") after=$(wc -l <smaller)
    ((after <= before)) || die "$1: $after routes of $before"
    sed -E 's/.*: ([0-9]+) routes before, ([0-9]+) after.*/\1 \2/' err >told
    [[ $(awk '{ b += $1; a += $2 } END { print b, a }' told) == "$before $after" ]] || die "$1 is said to be: $(<err)"
    run 0 aggregate -t smaller --output twice
    cmp -s smaller twice || die "$1: the aggregate of the aggregate is another"
    python3 - "$2" smaller <<'END'
import ipaddress, sys
edges = set()
for path in sys.argv[1:]:
    for line in open(path):
        net = ipaddress.ip_network(line.split()[0])
        first, last = int(net[0]), int(net[-1])
        edges |= {(net.version, at) for at in (first - 1, first, last, last + 1) if 0 <= at < 1 << net.max_prefixlen}
with open("edges", "w") as out:
    for version, at in sorted(edges):
        print((ipaddress.IPv4Address if version == 4 else ipaddress.IPv6Address)(at), file=out)
END
    for table in "$2" smaller; do
        run 0 lookup -t "$table" --format csv <edges
        awk -F, '{ print $1, ($2 == "" ? "no route" : $3) }' out >"answers of $table"
    done
    (($(wc -l <edges) > before)) || die "$1: asked at $(wc -l <edges) addresses only"
    cmp -s "answers of $2" 'answers of smaller' || die "$1: other answers: $(diff 'answers of smaller' "answers of $2" | head -n 4)"
}
routes=2000
is_all && routes=20000
"$FINGERPOST" generate --routes $routes --seed 4 --next-hops 3 >six
"$FINGERPOST" generate --shares tier1-v4 --routes $routes --seed 4 --next-hops 3 >four
cat four six >both
same 'a table of both families' both
awk '{ print $1 }' six >plain
same 'a table without next hops' plain
xz -dc "$(real_table 6)" | tr -d '\r' | awk '{ print $1, int(NR / 3) % 40 }' >real
same 'real routes' real

# A table with the same answers in more routes has the same aggregate.
python3 - <<'END'
import ipaddress
routes = [line.split() for line in open("both")]
taken = {prefix for prefix, _ in routes}
with open("longer", "w") as out:
    for prefix, hop in routes:
        print(prefix, hop, file=out)
        net = ipaddress.ip_network(prefix)
        half = str(next(net.subnets())) if net.prefixlen < net.max_prefixlen else prefix
        if half not in taken:
            print(half, hop, file=out)
END
(($(wc -l <longer) > $(wc -l <both) + routes / 20)) || die 'no longer table'
"$FINGERPOST" aggregate -t longer 2>/dev/null >one
"$FINGERPOST" aggregate -t both 2>/dev/null >other
cmp -s one other || die 'equal answers give two aggregates'
cases=$((cases + 1))

finish 15
