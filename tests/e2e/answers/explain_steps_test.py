#!/usr/bin/env python3
"""The JSON of `explain` for every scheme, of real lengths in both families: covers, the answer of `lookup`, and steps that add up."""

import ipaddress
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from scripts import ALL

# Each address gives all nodes of all schemes: 50 MB of JSON for 3000 routes.
ROUTES, COUNT = (3000, 40) if ALL else (100, 4)


def run(*words: str, stdin: str = "") -> str:
    done = subprocess.run([os.environ["FINGERPOST"], *words], input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words[:6], done.stderr)
    return done.stdout


def check_steps(scheme: dict, address: "ipaddress.IPv4Address | ipaddress.IPv6Address") -> tuple[int, int, int]:
    """Returns how many steps there are, how many compare parts of keys, and how many name a node."""
    seen: set[int] = set()
    parts = named = 0
    nodes = {node["node"]: node for node in scheme["structure"]["listed"]}
    assert scheme["structure"]["nodes"] >= len(nodes) > 0, scheme["structure"]["nodes"]
    for step in scheme["steps"]:
        assert step["bytes"] > 0 and step["part"], step
        assert step["first_bit"] + step["bits"] <= address.max_prefixlen, step
        assert (step["level"] is None) == (step["kind"] is None), step
        lines = step["cache_lines"]
        assert (step["bytes"] + 63) // 64 <= len(lines) <= (step["bytes"] + 126) // 64, step
        new = sorted(set(lines) - seen)
        assert new == list(range(len(seen) + 1, len(seen) + 1 + len(new))), (seen, step)
        seen |= set(lines)
        if step["bits"] == address.max_prefixlen and step["first_bit"] == 0:
            assert ipaddress.ip_address(step["value"]) == address, step
        if step["compared"] == "keys" and not step["key"].startswith("0x") and step["bits"] <= 64:
            assert step["key"] == step["value"], step
            parts += 1
        if step["node"] is not None:
            node = nodes[step["node"]]
            assert node["part"] == step["part"] and node["offset"] <= step["offset"] < node["offset"] + node["bytes"], (node, step)
            assert (step["kind"], step["level"], step["prefix"]) == (node["kind"], node["level"], node["prefix"]), (node, step)
            named += 1
    for before, after in zip(scheme["steps"], scheme["steps"][1:]):
        assert before["found"] is None or before["found"] * after["bytes"] == after["offset"], (before, after)
    assert scheme["steps"][-1]["found"] is None and scheme["memory_bytes"] > 0, scheme
    assert scheme["cache_lines"] == len(seen), scheme
    assert scheme["bytes_read"] == sum(step["bytes"] for step in scheme["steps"]), scheme
    return len(scheme["steps"]), parts, named


def check_family(family: int, text: str, asked: list[str], names: set[str]) -> None:
    table = [(ipaddress.ip_network(words[0]), words[1]) for words in map(str.split, text.splitlines())]
    table = [route for route in table if route[0].version == family]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/mixed"
        Path(path).write_text(text)
        answers = [json.loads(line) for line in run("lookup", "-t", path, "--format", "ndjson", stdin="\n".join(asked)).splitlines()]
        explained = json.loads(run("explain", "-t", path, "--scheme", "all", "--format", "json", *asked))
    hits = 0
    sums = [0, 0, 0]
    for one, right in zip(explained, answers, strict=True):
        address = ipaddress.ip_address(one["asked"])
        assert one["family"] == family and ipaddress.ip_address(one["address"]) == address
        assert (one["prefix"], one["next_hop"]) == (right["prefix"], right["next_hop"]), (one, right)
        covers = sorted((net.prefixlen, str(net), hop) for net, hop in table if address in net)
        assert [(c["prefix"], str(c["next_hop"])) for c in one["covers"]] == [c[1:] for c in covers], (one, covers)
        hits += bool(covers)
        first, last = (ipaddress.ip_address(one["interval"][end]) for end in ("first", "last"))
        assert first <= address <= last
        assert {s["scheme"] for s in one["schemes"]} == names and len(one["schemes"]) == len(names)
        for scheme in one["schemes"]:
            if scheme["steps"] is not None:
                sums = [a + b for a, b in zip(sums, check_steps(scheme, address))]
    steps, parts, named = sums
    assert steps >= 30 * COUNT and hits >= COUNT // 2 and parts >= 2 * COUNT and named >= steps / 2, (steps, hits, parts, named)


def main() -> None:
    options = ("--routes", str(ROUTES), "--seed", "5", "--next-hops", "9")
    text = run("generate", "--shares", "tier1-v4", *options) + run("generate", *options)
    some = [line.split("/")[0] for line in text.splitlines()[:: 2 * ROUTES // COUNT]]
    some += ["::", "::1", "0.0.0.0", "255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]
    schemes = json.loads(run("schemes", "--format", "json"))
    for family in (4, 6):
        check_family(family, text, [a for a in some if (":" in a) == (family == 6)], {s["name"] for s in schemes if family in s["families"]})


if __name__ == "__main__":
    main()
