#!/usr/bin/env python3
"""Reads Linux listings with several routing tables, and compares answers with those of the kernel.

The listings and the answers (`ip route get`) are in tests/data/shown; record_kernel there recorded them.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
SHOWN = Path(__file__).parents[2] / "data" / "shown"
Answer = tuple[str, str]  # gateway and device


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"kernel_tables_test: {words}")


def nexthops() -> dict[str, list[Answer]]:
    """Maps each next-hop object to its contents: `id 1 via 192.0.2.2 dev d0`, `id 4 group 1/2`."""
    found: dict[str, list[Answer]] = {}
    for line in (SHOWN / "kernel_nexthops.txt").read_text().splitlines():
        words = line.split()
        if words[2] == "group":
            found[words[1]] = [one for member in words[3].split("/") for one in found[member]]
        elif words[2] != "blackhole":
            device = words[words.index("dev") + 1]
            found[words[1]] = [(words[3] if words[2] == "via" else device, device)]
    return found


def lookups(listing: str, addresses: list[str], *options: str) -> tuple[dict[str, tuple[str, str]], str]:
    command = [PROGRAM, "lookup", "-t", str(SHOWN / listing), "--columns", "next_hop,dev", "--format", "ndjson", *options]
    done = subprocess.run([*command, "-"], input="\n".join(addresses), capture_output=True, text=True, check=False)
    want(done.returncode == 0, f"{listing}: exit {done.returncode}: {done.stderr}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["address"]: (row.get("next_hop") or "unreachable", row.get("dev") or "-") for row in rows}, done.stderr


def compare(listing: str, table: str, *options: str) -> int:
    lines = [line.split() for line in (SHOWN / "kernel_answers.txt").read_text().splitlines()]
    answers = {address: (gateway, device) for of, address, gateway, device in lines if of == table}
    objects = nexthops()
    got, said = lookups(listing, list(answers), *options)
    for address, right in answers.items():
        hops, devices = got[address]
        ways = [(one, devices.split(",")[i] if hops != devices else one) for i, one in enumerate(hops.split(","))]
        if match := re.fullmatch(r"nhid (\d+)", hops):
            ways = objects[match[1]]
        elif "-" in (devices, right[1]):
            ways = [(hops, "-")]
        want(right in ways, f"{listing}, table {table}: {address} is {hops} {devices}, not {right}")
    want(("left out" in said) and "of table local" in said, f"what was left out is not told: {said}")
    return len(answers)


def main() -> None:
    for listing in ("kernel_all.txt", "kernel_all.json"):
        for table, options in (("main", ()), ("main", ("--routing-table", "main")), ("100", ("--routing-table", "100"))):
            count = compare(listing, table, *options)
            want(count > 120, f"only {count} answers of table {table}")
        print(f"kernel_tables_test: {listing}: the kernel's answers")


if __name__ == "__main__":
    main()
