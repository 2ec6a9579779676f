"""Options, tables and traces for the kernel and for the schemes compared with it, prepared from the data of ../workload.py."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

from workload import ROOT, Prefix, WorkloadError, drawn, packed, read_routes, right_answers

LEAST_ADDRESSES = 64
WARM_ADDRESSES = 5000
# Names of the kinds of traffic in the results.
MATCH, WARM = "match", "warm"
SCENARIOS = {
    (6, "clustered"): "IPv6 full view",
    (6, "contiguous"): "contiguous /48",
    (6, "sparse"): "scattered /48",
    (6, "hosts"): "hosts in a /108",
    (4, "clustered"): "IPv4 full view",
}

Row = dict[str, Any]


@dataclass
class Table:
    """Routes in the order of their addresses."""

    name: str
    scenario: str
    family: int
    next_hops: str  # `unique`, or their number
    prefixes: list[Prefix]
    numbers: list[int]  # the next hops

    def text(self) -> str:
        """Returns the table in a format that fingerpost reads."""
        return "".join(f"{prefix.text} {number}\n" for prefix, number in zip(self.prefixes, self.numbers, strict=True))

    def fields(self) -> Row:
        """Returns the fields that identify the table of a result."""
        row: Row = {"table": self.name, "scenario": self.scenario, "family": self.family, "routes": len(self.prefixes)}
        return row | {"next_hops": self.next_hops, "mode": "throughput", "batch": 1}


@dataclass
class Trace:
    """Addresses in the form of kernel_lookup: a power of two of them, each with the expected answer."""

    workload: str
    addresses: Path
    expected: Path


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options for the table to measure and for the duration."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--table", type=Path, metavar="FILE", help="any table of one family that fingerpost reads")
    source.add_argument("--generate", metavar="SHARES:ROUTES[:MODEL[:SEED]]", help="a table of `fingerpost lab generate`")
    parser.add_argument("--family", type=int, choices=(4, 6), help="only routes of this family")
    parser.add_argument(
        "--next-hops",
        choices=("unique", "table"),
        default="unique",
        help="unique: each route has a next hop of its own, so that an answer names its route; table: those of the table (default: unique)",
    )
    parser.add_argument(
        "--workloads", default=f"{MATCH},{WARM}", help="match: addresses under all routes; warm: 5,000 addresses (default: both)"
    )
    parser.add_argument("--addresses", type=int, default=1 << 17, help="how many of match")
    parser.add_argument("--rounds", type=int, default=11, help="how often all are looked up")
    parser.add_argument("--seed", type=int, default=1, help="of the addresses")
    parser.add_argument("--program", type=Path, default=os.environ.get("FINGERPOST") or ROOT / "build/bin/fingerpost")


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Returns the arguments. Exits when one of them is wrong."""
    arguments = parser.parse_args()
    arguments.workloads = arguments.workloads.split(",")
    for workload in arguments.workloads:
        if workload not in (MATCH, WARM):
            parser.error(f"--workloads: {workload!r} is neither {MATCH} nor {WARM}")
    if arguments.addresses < 1 or arguments.rounds < 1:
        parser.error("--addresses and --rounds are at least 1")
    if shutil.which(arguments.program) is None:
        parser.error(f"there is no program {arguments.program}: build it, or name it with --program or $FINGERPOST")
    if arguments.table and not arguments.table.is_file():
        parser.error(f"there is no table {arguments.table}")
    return arguments


def load_table(arguments: argparse.Namespace) -> Table:
    """Reads or generates the table, and numbers its routes if next hops must be unique. Raises WorkloadError."""
    unique = arguments.next_hops == "unique"
    if arguments.table:
        words = ["convert", "--format", "text", str(arguments.table)]
        words += ["--family", str(arguments.family)] if arguments.family else []
        name, model = arguments.table.name, "clustered"
    else:
        shares, routes, model, seed = (arguments.generate.split(":") + [""] * 3)[:4]
        words = ["lab", "generate", "--shares", shares]
        for option, value in (("--routes", routes), ("--model", model), ("--seed", seed), ("--family", arguments.family)):
            words += [option, str(value)] if value else []
        name, model = f"generated {arguments.generate}", model or "clustered"
    routes = read_routes(arguments.program, *words)
    if not routes:
        raise WorkloadError(f"{name} has no routes")
    try:
        numbers = list(range(len(routes))) if unique else [int(hop) for _, hop in routes]
    except ValueError:
        raise WorkloadError(f"{name}: with --next-hops table each route needs a number as its next hop") from None
    prefixes = [prefix for prefix, _ in routes]
    family = prefixes[0].family
    if any(entry.family != family for entry in prefixes):
        raise WorkloadError(f"{name} has routes of both families: choose one with --family")
    return Table(
        name=name,
        scenario=SCENARIOS.get((family, model), model),
        family=family,
        next_hops="unique" if unique else str(len(set(numbers))),
        prefixes=prefixes,
        numbers=numbers,
    )


def make_trace(arguments: argparse.Namespace, table: Table, path: Path, workload: str, folder: Path) -> Trace:
    """Draws addresses below all routes or, for warm traffic, 5,000 below the middle half of them.

    Raises WorkloadError.
    """
    draw = random.Random(arguments.seed)
    if workload == WARM:
        quarter = len(table.prefixes) // 4
        numbers = drawn(table.prefixes[quarter : len(table.prefixes) - quarter], WARM_ADDRESSES, draw)
    else:
        numbers = drawn(table.prefixes, arguments.addresses, draw)
    size = LEAST_ADDRESSES
    while size < len(numbers):
        size *= 2
    addresses = packed(numbers, table.family)
    addresses = [addresses[at % len(addresses)] for at in range(size)]
    result = Trace(workload, folder / f"{workload}.trace", folder / f"{workload}.expected")
    result.addresses.write_bytes(b"".join(address.ljust(16, b"\0") for address in addresses))
    result.expected.write_bytes(right_answers(arguments.program, path, addresses))
    return result


def with_shares(row: Row) -> Row:
    """Adds the fields that follow from the number of routes."""
    for name in ("bytes", "nodes"):
        if name in row:
            row[f"{name}_per_route"] = row[name] / row["routes"]
    return row
