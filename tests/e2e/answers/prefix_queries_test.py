#!/usr/bin/env python3
"""Compares `lookup --match` with a slow model: random tables of both families, queried with addresses and prefixes."""

import csv
import io
import ipaddress
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from scripts import ALL

PROGRAM = os.environ["FINGERPOST"]
KINDS = ("longest", "exact", "covering", "covered")
TABLES, ROUTES, QUERIES = (6, 400, 500) if ALL else (2, 200, 250)


def network(rng: random.Random, bits: int):
    """Prefixes with few different leading bits, so that routes nest."""
    length = rng.choice([0, 1, *range(2, 12), bits // 2, bits - 1, bits])
    shape = rng.choice([0, 0xA << (bits - 4), rng.getrandbits(bits)])
    value = (shape ^ (rng.getrandbits(4) << rng.randrange(bits - 3))) >> (bits - length) << (bits - length)
    make = ipaddress.IPv4Network if bits == 32 else ipaddress.IPv6Network
    return make((value, length))


def answers(table: dict, query, kind: str) -> list[str]:
    same = [n for n in table if n.version == query.version]
    covering = sorted((n for n in same if query.subnet_of(n)), key=lambda n: n.prefixlen)
    if kind == "longest":
        found = covering[-1:]
    elif kind == "exact":
        found = [query] if query in table else []
    elif kind == "covering":
        found = covering
    else:
        found = sorted(n for n in same if n.subnet_of(query))
    return [f"{n},{table[n]}" for n in found] or [","]


def plain(prefix: str) -> str:
    """Python writes ::1.192.0.0 as ::1c0:0."""
    return prefix and str(ipaddress.ip_network(prefix))


def main() -> int:
    rng = random.Random(7)
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(TABLES):
            table = {network(rng, bits): f"hop{i}" for i in range(ROUTES) for bits in (32, 128)}
            path = Path(folder) / "table"
            path.write_text("".join(f"{n} {hop}\n" for n, hop in table.items()))
            queries = [network(rng, rng.choice([32, 128])) for _ in range(QUERIES)]
            queries += rng.sample(sorted(table, key=str), 50)
            # Most prefixes of a single address are queried as that address.
            texts = [
                str(q.network_address) if q.prefixlen == q.max_prefixlen and rng.random() < 0.7 else str(q)
                for q in queries
            ]
            for kind in KINDS:
                run = subprocess.run(
                    [PROGRAM, "lookup", "-t", path, "--match", kind, "--format", "csv"],
                    input="\n".join(texts), capture_output=True, text=True, check=False,
                )
                rows = list(csv.reader(io.StringIO(run.stdout)))[1:]
                got = [f"{asked},{plain(prefix)},{hop}" for asked, prefix, hop in rows]
                wanted = [f"{text},{line}" for text, q in zip(texts, queries) for line in answers(table, q, kind)]
                if run.returncode != 0 or run.stderr or got != wanted:
                    differ = next((pair for pair in zip(got, wanted) if pair[0] != pair[1]), (len(got), len(wanted)))
                    print(f"{kind}: exit {run.returncode}, {run.stderr!r}, first difference {differ}")
                    return 1
                compared += len(wanted)
    print(f"{compared} rows compared")
    return 0 if compared > TABLES * QUERIES * len(KINDS) else 1


if __name__ == "__main__":
    sys.exit(main())
