#!/usr/bin/env bash
# The output of `aggregate` is a table that answers as the table it was made of, no larger, and its own aggregate; also
# without values, and without the addresses of other tables.
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

# Networks only: values do not keep neighbours apart.
run 0 aggregate --networks-only -t small
prints '10.0.0.0/8
192.0.2.0/23
2001:db8::/32'
says 'fingerpost: IPv4: 7 routes before, 2 after, 71.4 % fewer
fingerpost: IPv6: 3 routes before, 1 after, 66.7 % fewer'
printf 'network,asn,name\n10.0.0.0/9,1,a\n10.128.0.0/9,2,b\n2001:db8::/32,1,\n' >as.csv
run 0 aggregate --networks-only as.csv
prints '10.0.0.0/8
2001:db8::/32'
run 0 aggregate --networks-only --format ndjson as.csv
prints '{"prefix":"10.0.0.0/8"}
{"prefix":"2001:db8::/32"}'
run 0 aggregate --networks-only --format csv as.csv
prints 'prefix
10.0.0.0/8
2001:db8::/32'
mv out networks.csv
run 0 aggregate networks.csv
prints '10.0.0.0/8
2001:db8::/32'

# Without the addresses of a file, of networks, of several of them.
echo 0.0.0.0/0 >everything
run 0 aggregate -t everything --except 10.0.0.0/8
prints '0.0.0.0/5
8.0.0.0/7
11.0.0.0/8
12.0.0.0/6
16.0.0.0/4
32.0.0.0/3
64.0.0.0/2
128.0.0.0/1'
says 'fingerpost: IPv4: 1 route before, 8 after'
run 0 aggregate -t small --except '10.5.0.0/16, 192.0.0.0/16,2001:db8:8000::/34'
prints '10.0.0.0/14 a
10.4.0.0/16 a
10.6.0.0/15 a
10.6.0.0/16 b
10.8.0.0/13 a
10.16.0.0/12 a
10.32.0.0/11 a
10.64.0.0/10 a
10.128.0.0/9 a
2001:db8::/33 x
2001:db8:c000::/34 y'
printf '2001:db8:8000::/33\n' >six-only
run 0 aggregate -t small --except six-only --except 10.0.0.0/7 --except <(gzip -c everything)
prints '2001:db8::/33 x'
says 'fingerpost: IPv4: 7 routes before, 0 after, 100.0 % fewer
fingerpost: IPv6: 3 routes before, 1 after, 66.7 % fewer'
run 0 aggregate --networks-only --except as.csv - <small
prints 192.0.2.0/23
run 0 aggregate -t small --except - <small
prints ''
run 2 aggregate - --except - <small
says 'fingerpost: aggregate: only one of the tables can come from stdin'
run 1 aggregate small --except no-such-file
says 'fingerpost: no-such-file: No such file or directory'
run 2 aggregate small --except 10.0.0.0/33
says "fingerpost: '10.0.0.0/33' is neither a file nor a list of networks: prefix length 33 is longer than 32"

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
"$FINGERPOST" lab generate --routes $routes --seed 4 --next-hops 3 >six
"$FINGERPOST" lab generate --shares tier1-v4 --routes $routes --seed 4 --next-hops 3 >four
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

# The shortest list of what one list of networks has and another has not, as Python makes it.
awk '{ print $1 }' both >kept
awk 'NR % 7 == 0 { print $1 }' longer >gone
python3 - <<'END'
import ipaddress
def networks(path):
    nets = [ipaddress.ip_network(line.strip()) for line in open(path)]
    return [list(ipaddress.collapse_addresses([net for net in nets if net.version == v])) for v in (4, 6)]
with open("wanted", "w") as out:
    for kept, gone in zip(networks("kept"), networks("gone")):
        left = []
        for net in kept:
            parts = [net]
            for other in gone:
                if net.overlaps(other):
                    parts = [p for part in parts for p in (
                        [part] if not part.overlaps(other) else
                        [] if part.subnet_of(other) else part.address_exclude(other))]
            left += parts
        for net in ipaddress.collapse_addresses(left):
            print(net, file=out)
END
run 0 aggregate --networks-only -t kept --except gone
(($(wc -l <wanted) > 1000)) || die "only $(wc -l <wanted) networks are left"
cmp -s out wanted || die "other networks are left: $(diff wanted out | head -n 4)"

finish 27
