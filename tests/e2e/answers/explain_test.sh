#!/usr/bin/env bash
# The output of `explain` for an address: its covers, the answer of `lookup`, and steps that add up, for every scheme.
. "$(dirname "$0")/../common.sh"

cat >both <<'END'
0.0.0.0/0 upstream
10.0.0.0/8 192.0.2.1
10.1.0.0/16,peer-7
10.1.2.0/24
2001:db8::/32 core
END

# The whole of a small explanation. Nothing in it is drawn at random.
run 0 explain -t both --scheme planb 10.1.3.4
prints '10.1.3.4 is in 3 prefixes; the longest wins.

  prefix       next hop
  0.0.0.0/0    upstream
  10.0.0.0/8   192.0.2.1
  10.1.0.0/16  peer-7     <- the longest match

All addresses from 10.1.3.0 to 10.1.255.255 have this answer.

planb: predecessor search over elementary intervals in a linearized B+-tree, batched

step  part     node     stands for  level  offset  bits  value     bytes  line  what the scheme finds
   1  keys     leaf     0.0.0.0/0       0       0  0-31  10.1.3.4     64     1  above 4 of 16 keys, next 10.1.255.255  -> 4
   2  answers  answers  0.0.0.0/0       1       8  -     -             2     2  entry 4                                => next hop peer-7

2 steps, 2 cache lines of 64 bytes, 66 bytes read: next hop peer-7.'

# One cover, none, a route without a next hop, a mapped address, the last address of a family.
says_first() {
    run 0 explain -t both "${@:2}"
    [[ $(head -n 1 out) == "$1" ]] || die "explain ${*:2} begins with '$(head -n 1 out)'"
}
says_first '2001:db8::1 is in one prefix.' 2001:db8::1
# What a socket has, as in lookup.
says_first '10.1.3.4:443, looked up as 10.1.3.4, is in 3 prefixes; the longest wins.' 10.1.3.4:443
says_first '[2001:db8::1]:53, looked up as 2001:db8::1, is in one prefix.' '[2001:db8::1]:53'
says_first '2001:db8::1%eth0, looked up as 2001:db8::1, is in one prefix.' 2001:db8::1%eth0
run 3 explain -t both 10.1.3.4:443:1
says_first '::1 is in no prefix of the table, so it has no route.' ::1
[[ $(sed -n 2p out) == 'All addresses from :: to 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff have this answer.' ]] ||
    die "the gap around ::1: $(<out)"
[[ $(tail -n 1 out) == *': no route.' ]] || die "explain ::1: $(<out)"
says_first '::ffff:10.1.2.3, looked up as 10.1.2.3, is in 4 prefixes; the longest wins.' ::ffff:10.1.2.3
grep -q '^  10.1.2.0/24  -          <- the longest match$' out || die "a route without a next hop: $(<out)"
says_first '255.255.255.255 is in one prefix.' 255.255.255.255
says_first '10.1.2.3 is in no prefix of the table, so it has no route.' --family 6 10.1.2.3
says_first '2001:DB8:0::1, looked up as 2001:db8::1, is in one prefix.' 2001:DB8:0::1
run 0 explain -t /dev/null ::1
[[ $(tail -n 1 out) == *': no route.' ]] || die "explain of an empty table: $(<out)"
printf '10.0.0.1 a\n10.0.0.3 b\n10.0.0.2 c\n' | run 0 explain -t - 10.0.0.2
grep -q '^No address beside it has the same answer.$' out || die "one address: $(<out)"

# Several schemes are compared; they stand in the order in which they were named, each once.
run 0 explain -t both --scheme poptrie,planb,poptrie 10.1.2.3
[[ $(grep -oE '^(poptrie|planb):' out | tr -d '\n') == poptrie:planb: ]] || die "two schemes: $(<out)"
[[ $(tail -n 3 out | sed 's/  */ /g') =~ ^'scheme steps cache lines bytes read bytes of memory'$'\n'poptrie\ [0-9].*$'\n'planb\ [0-9] ]] ||
    die "the comparison: $(<out)"

# Errors are printed, the rest is explained.
run 3 explain -t both 10.1.2.3 10.1.2 nonsense
says "fingerpost: argument 2: '10.1.2': the text ends too early
fingerpost: argument 3: 'nonsense': unexpected 'n' at column 1"
grep -q '^10.1.2.3 is in 4' out || die "beside wrong ones: $(<out)"
run 2 explain -t both --scheme dir_24_8 2001:db8::1
[[ $(<err) == 'fingerpost: --scheme: dir_24_8 does not serve IPv6 (see '* ]] || die "said '$(<err)'"
prints ''

# Colour is for terminals. No name can bring its own colour in.
on_terminal() {
    python3 - "$FINGERPOST" "$@" <<'END'
import os, pty, sys
pty.spawn(sys.argv[1:], lambda fd: os.read(fd, 65536))
END
}
TERM=xterm on_terminal explain -t both 10.1.3.4 </dev/null >colored
grep -q $'\x1b\\[1;32m  10.1.0.0/16' colored || die "no colour on a terminal: $(cat -v colored)"
NO_COLOR=1 TERM=xterm on_terminal explain -t both 10.1.3.4 </dev/null >colored
# Progress wipes its line there.
! grep -qE $'\x1b\\[[0-9;]*m' colored || die "colour in spite of NO_COLOR: $(cat -v colored)"
cases=$((cases + 2))
run 0 explain -t both 10.1.3.4
! grep -q $'\x1b' out || die 'colour in a file'
printf '10.0.0.0/8 \xc2\x9b31m\n' >loud
run 0 explain -t loud 10.1.1.1
! grep -q $'\xc2\x9b' out || die 'a next hop controls the terminal'

# Words that are not UTF-8 still give valid JSON.
printf '10.0.0.0/8 \xff"q\n' >odd
run 0 explain -t odd --format json 10.1.1.1
python3 -c 'import json; assert json.load(open("out"))["next_hop"] == "\ufffd\"q"' || die "an odd name: $(<out)"

# Prefixes inside a /64: keys of 128 bits are compared, of which a step shows 64.
printf '2001:db8::/48 b\n2001:db8::1/128 c\n2001:db8::2/128 d\n' >deep
run 0 explain -t deep --scheme planb 2001:db8::2
grep -q '  shares 64 bits with the key 2001:db8:0:0 ' out || die "keys of 128 bits: $(<out)"
! grep -q '  equals the key' out || die "keys of 128 bits: $(<out)"

# JSON, for every scheme, of real lengths in both families, against `lookup`.
# Each address gives all nodes of all schemes: 50 MB of JSON for 3000 routes.
routes=100 count=4
is_all && routes=3000 count=40
"$FINGERPOST" lab generate --routes $routes --seed 5 --next-hops 9 >six
"$FINGERPOST" lab generate --shares tier1-v4 --routes $routes --seed 5 --next-hops 9 >four
cat four six >mixed
awk -F/ -v step=$((2 * routes / count)) 'NR % step == 1 { print $1 }' mixed >some
printf '%s\n' :: ::1 0.0.0.0 255.255.255.255 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff >>some
"$FINGERPOST" lookup -t mixed --format ndjson <some >answers
for family in 4 6; do
    ((family == 4)) && grep -v : some >asked || grep : some >asked
    mapfile -t addresses <asked
    run 0 explain -t mixed --scheme all --format json "${addresses[@]}"
    "$FINGERPOST" schemes --format json >schemes.json
    python3 - $family $count <<'END_OF_PYTHON' || die "the JSON of family $family is wrong"
import ipaddress, json, sys
family, count = map(int, sys.argv[1:])
names = [s["name"] for s in json.load(open("schemes.json")) if family in s["families"]]
answers = {a["address"]: a for a in map(json.loads, open("answers"))}
table = [(ipaddress.ip_network(words[0]), words[1]) for words in map(str.split, open("mixed"))]
table = [route for route in table if route[0].version == family]
told = json.load(open("out"))
assert len(told) >= count // 3, len(told)
steps = hits = parts = named = 0
for one in told:
    address = ipaddress.ip_address(one["asked"])
    assert one["family"] == family and ipaddress.ip_address(one["address"]) == address
    right = answers[one["asked"]]
    assert (one["prefix"], one["next_hop"]) == (right["prefix"], right["next_hop"]), (one, right)
    covers = sorted((net.prefixlen, str(net), hop) for net, hop in table if address in net)
    assert [(c["prefix"], str(c["next_hop"])) for c in one["covers"]] == [c[1:] for c in covers], (one, covers)
    hits += bool(covers)
    first, last = (ipaddress.ip_address(one["interval"][end]) for end in ("first", "last"))
    assert first <= address <= last
    assert {s["scheme"] for s in one["schemes"]} == set(names) and len(one["schemes"]) == len(names)
    for scheme in one["schemes"]:
        if scheme["steps"] is None:
            continue
        seen = set()
        nodes = {node["node"]: node for node in scheme["structure"]["listed"]}
        assert scheme["structure"]["nodes"] >= len(nodes) > 0, scheme["structure"]["nodes"]
        for step in scheme["steps"]:
            assert step["bytes"] > 0 and step["part"], step
            assert step["first_bit"] + step["bits"] <= (32 if family == 4 else 128), step
            assert (step["level"] is None) == (step["kind"] is None), step
            lines = step["cache_lines"]
            assert (step["bytes"] + 63) // 64 <= len(lines) <= (step["bytes"] + 126) // 64, step
            new = sorted(set(lines) - seen)
            assert new == list(range(len(seen) + 1, len(seen) + 1 + len(new))), (seen, step)
            seen |= set(lines)
            if step["bits"] in (32, 128) and step["first_bit"] == 0 and step["bits"] == address.max_prefixlen:
                assert ipaddress.ip_address(step["value"]) == address, step
            if step["compared"] == "keys" and not step["key"].startswith("0x") and step["bits"] <= 64:
                assert step["key"] == step["value"], step
                parts += 1
            if step["node"] is not None:
                node = nodes[step["node"]]
                assert node["part"] == step["part"] and node["offset"] <= step["offset"] < node["offset"] + node["bytes"], (node, step)
                assert (step["kind"], step["level"], step["prefix"]) == (node["kind"], node["level"], node["prefix"]), (node, step)
                named += 1
            steps += 1
        for before, behind in zip(scheme["steps"], scheme["steps"][1:]):
            assert before["found"] is None or before["found"] * behind["bytes"] == behind["offset"], (before, behind)
        assert scheme["steps"][-1]["found"] is None, scheme
        assert scheme["cache_lines"] == len(seen), scheme
        assert scheme["bytes_read"] == sum(step["bytes"] for step in scheme["steps"]), scheme
        assert scheme["steps"] and scheme["memory_bytes"] > 0, scheme
assert steps >= 30 * count and hits >= count // 2 and parts >= 2 * count and named >= steps / 2, (steps, hits, parts, named)
END_OF_PYTHON
done
run 0 explain -t both --format json 10.1.2.3
python3 -c 'import json; assert json.load(open("out"))["covers"][3] == {"prefix": "10.1.2.0/24", "next_hop": None, "values": {"next_hop": None}}' ||
    die "one object for one address: $(<out)"
# Keys of a search tree stand in the address's own form, and lead where the answer lies.
"$FINGERPOST" lab generate --routes 3000 --seed 5 >wide
run 0 explain -t wide --scheme planb --format json 2001:db8::1
python3 - <<'END_OF_PYTHON' || die "the keys of a tree: $(<out)"
import json
compares = [step for step in json.load(open("out"))["schemes"][0]["steps"] if step["compared"] == "keys"]
assert len(compares) >= 3
number = lambda text: int("".join(group.zfill(4) for group in text.split(":")), 16)
for step in compares:
    keys = [number(key) for key in step["values"]]
    assert keys == sorted(keys) and number(step["key"]) == 0x20010db800000000, step
    if step["kind"] == "node":
        assert step["slot"] == sum(key < number(step["key"]) for key in keys), step
END_OF_PYTHON

# In a narrow terminal what a step finds stands below it, in a line of its own.
COLUMNS=60 run 0 explain -t wide --scheme poptrie 2001:db8::1
steps=$(sed -n 's/^\([0-9]*\) steps\?, .*/\1/p' out)
((steps > 0)) && [[ $(grep -c '^ *[0-9]*  \(direct\|nodes\|leaves\)  ' out) == "$steps" ]] || die "narrow: $(<out)"
[[ $(grep -c '^      [^ ].*  [-=]> ' out) == "$steps" ]] || die "narrow: $(<out)"

finish 21
