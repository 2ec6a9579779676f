"""Tables, addresses to look up, and the answers that fingerpost gives for them."""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import shutil
import signal
import socket
import subprocess
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
PR_SET_PDEATHSIG = 1
NO_ROUTE = 0xFFFFFFFF
LEAST_ADDRESSES = 64
WARM_ADDRESSES = 5000
# What each traffic is called in the results.
MATCH, WARM = "match", "warm"
SCENARIOS = {
    (6, "clustered"): "IPv6 full view",
    (6, "contiguous"): "contiguous /48",
    (6, "sparse"): "scattered /48",
    (6, "hosts"): "hosts in a /108",
    (4, "clustered"): "IPv4 full view",
}

libc = ctypes.CDLL(None, use_errno=True)
Row = dict[str, Any]


@dataclass
class Table:
    """Routes in the order of their addresses."""

    name: str
    scenario: str
    family: int
    next_hops: str  # unique, or how many
    prefixes: list[str]
    numbers: list[int]  # the next hops
    ranges: list[tuple[int, int]]  # the first address, and how many bits follow the prefix

    def text(self) -> str:
        """Returns the table in a form that fingerpost reads."""
        return "".join(f"{prefix} {number}\n" for prefix, number in zip(self.prefixes, self.numbers, strict=True))

    def fields(self) -> Row:
        """Returns what tells the table of a result."""
        told: Row = {"table": self.name, "scenario": self.scenario, "family": self.family, "routes": len(self.prefixes)}
        return told | {"next_hops": self.next_hops, "mode": "throughput", "batch": 1}


@dataclass
class Trace:
    """Addresses in the form of kernel_lookup: a power of two, each with what the answer must be."""

    workload: str
    addresses: Path
    expected: Path


def die_with_starter() -> None:
    """Has a started process killed when this one dies."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def run_program(program: str, *words: str | Path, given: str | None = None, codes: Sequence[int] = (0,)) -> str:
    """Returns what the program prints; ends this one when it fails."""
    command = [program, *words]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False, preexec_fn=die_with_starter)
    if done.returncode not in codes:
        raise SystemExit(f"`{' '.join(map(str, command))}` fails: {done.stderr.strip()}")
    return done.stdout


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say which table is measured, and how long."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--table", type=Path, metavar="FILE", help="any table of one family that fingerpost reads")
    source.add_argument("--generate", metavar="SHARES:ROUTES[:MODEL[:SEED]]", help="a table of `fingerpost generate`")
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
    parser.add_argument("--program", default=os.environ.get("FINGERPOST") or str(ROOT / "build/bin/fingerpost"))


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Returns the arguments; ends the program when one of them is wrong."""
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


def parsed(text: str) -> tuple[int, int]:
    address, length = text.split("/")
    packed = socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)
    return int.from_bytes(packed), len(packed) * 8 - int(length)


def load_table(arguments: argparse.Namespace) -> Table:
    """Reads or generates the table, and numbers its routes if next hops are to be unique."""
    unique = arguments.next_hops == "unique"
    if arguments.table:
        words = ["convert", "--format", "text", arguments.table]
        words += ["--family", str(arguments.family)] if arguments.family else []
        name, model = arguments.table.name, "clustered"
    else:
        shares, routes, model, seed = (arguments.generate.split(":") + [""] * 3)[:4]
        words = ["generate", "--shares", shares]
        for option, value in (("--routes", routes), ("--model", model), ("--seed", seed), ("--family", arguments.family)):
            words += [option, str(value)] if value else []
        name, model = f"generated {arguments.generate}", model or "clustered"
    rows = [(parsed(fields[0]), fields) for fields in map(str.split, run_program(arguments.program, *words).splitlines())]
    rows.sort()
    if not rows:
        raise SystemExit(f"{name} has no routes")
    try:
        numbers = list(range(len(rows))) if unique else [int(fields[1]) for _, fields in rows]
    except (IndexError, ValueError):
        raise SystemExit(f"{name}: with --next-hops table each route needs a number as its next hop") from None
    family = 6 if ":" in rows[0][1][0] else 4
    if len({":" in fields[0] for _, fields in rows}) > 1:
        raise SystemExit(f"{name} has routes of both families: choose one with --family")
    return Table(
        name=name,
        scenario=SCENARIOS.get((family, model), model),
        family=family,
        next_hops="unique" if unique else str(len(set(numbers))),
        prefixes=[fields[0] for _, fields in rows],
        numbers=numbers,
        ranges=[where for where, _ in rows],
    )


def drawn(ranges: Sequence[tuple[int, int]], count: int, seed: int) -> list[int]:
    """Draws addresses: a random route, then random bits below its prefix."""
    source = random.Random(seed)
    chosen = (ranges[int(source.random() * len(ranges))] for _ in range(count))
    return [first | source.getrandbits(bits) if bits else first for first, bits in chosen]


def make_trace(arguments: argparse.Namespace, table: Table, path: Path, workload: str, folder: Path) -> Trace:
    """Draws addresses under all routes or, for the warm traffic, 5,000 under the half of them in the middle."""
    if workload == WARM:
        quarter = len(table.ranges) // 4
        numbers = drawn(table.ranges[quarter : len(table.ranges) - quarter], WARM_ADDRESSES, arguments.seed)
    else:
        numbers = drawn(table.ranges, arguments.addresses, arguments.seed)
    size = LEAST_ADDRESSES
    while size < len(numbers):
        size *= 2
    packed = [number.to_bytes(16 if table.family == 6 else 4) for number in numbers]
    packed = [packed[at % len(packed)] for at in range(size)]
    family = socket.AF_INET6 if table.family == 6 else socket.AF_INET
    texts = "".join(f"{socket.inet_ntop(family, one)}\n" for one in packed)
    answers = run_program(arguments.program, "lookup", "--table", path, "--format", "csv", given=texts).splitlines()[1:]
    if len(answers) != size:
        raise SystemExit(f"fingerpost answers {len(answers)} of {size} addresses")
    ends = (line.rsplit(",", 1)[1] for line in answers)
    made = Trace(workload, folder / f"{workload}.trace", folder / f"{workload}.expected")
    made.addresses.write_bytes(b"".join(one.ljust(16, b"\0") for one in packed))
    made.expected.write_bytes(array("I", [int(end) if end else NO_ROUTE for end in ends]).tobytes())
    return made


def with_shares(row: Row) -> Row:
    """Adds what follows from the number of routes."""
    for name in ("bytes", "nodes"):
        if name in row:
            row[f"{name}_per_route"] = row[name] / row["routes"]
    return row
