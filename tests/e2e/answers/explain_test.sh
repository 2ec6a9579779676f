#!/usr/bin/env bash
# The JSON of `explain` for every scheme: covers, the answer of `lookup`, and steps that add up.
. "$(dirname "$0")/../common.sh"

# JSON, for every scheme, of real lengths in both families, against `lookup`.
# Each address gives all nodes of all schemes: 50 MB of JSON for 3000 routes.
routes=100 count=4
is_all && routes=3000 count=40
"$FINGERPOST" generate --routes $routes --seed 5 --next-hops 9 >six
"$FINGERPOST" generate --shares tier1-v4 --routes $routes --seed 5 --next-hops 9 >four
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

finish 2
