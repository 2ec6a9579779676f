"""Tables, addresses to look up and right answers, in the three files that competitors read.

The kernel (kernel/) uses the same data in another format. The files for all others:

routes.txt     `PREFIX ID` lines by address or in random order; the ids number the routes from 0, so that an answer names its
               route
trace.bin      addresses in network order, 4 or 16 bytes each: first those that are timed (workload match: a random route, then
               random host bits), then the first and last addresses of routes and their neighbours, which are only checked
expected.bin   the id of each address, as an unsigned number of 32 bits in the byte order of this machine; 2^32 - 1: no route
"""

from __future__ import annotations

import array
import ctypes
import os
import random
import re
import signal
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_ROUTE = 0xFFFFFFFF
# Number of routes whose boundaries are checked.
MOST_BOUNDARIES = 1 << 14
# A scheme other than the measured one, and as simple as possible.
REFERENCE_SCHEME = "binary_trie"
PR_SET_PDEATHSIG = 1

libc = ctypes.CDLL(None, use_errno=True)


class WorkloadError(Exception):
    """The files cannot be written for this table."""


@dataclass(frozen=True)
class Source:
    """A table: a file, a recorded table NAME if its file is available, or otherwise a generated one, NAME[:ROUTES[:MODEL[:SEED]]]."""

    table: str
    # 0: the family of the table, IPv4 if it has both.
    family: int = 0
    # "address", or "random": then neighbouring routes are far apart in memory.
    order: str = "address"


@dataclass(frozen=True)
class Workload:
    """The files and their contents."""

    folder: Path
    table: str
    family: int
    order: str
    routes: int
    timed: int
    addresses: int

    @property
    def arguments(self) -> list[str]:
        """Arguments of a competitor after its name."""
        names = ("routes.txt", "trace.bin", "expected.bin")
        return [str(self.family), *(str(self.folder / name) for name in names), str(self.timed)]


@dataclass(frozen=True)
class Prefix:
    first: int
    length: int
    text: str

    @property
    def family(self) -> int:
        return 6 if ":" in self.text else 4

    @property
    def host_bits(self) -> int:
        return (128 if self.family == 6 else 32) - self.length


def write_workload(program: Path, source: Source, folder: Path, timed: int, seed: int) -> Workload:
    """Writes the files into a folder. Raises WorkloadError."""
    table, prefixes = read_prefixes(program, source, folder)
    if not prefixes:
        raise WorkloadError(f"{table} has no route of this family")
    family = prefixes[0].family
    addresses = trace_of(prefixes, timed, seed)
    if source.order == "random":
        random.Random(seed).shuffle(prefixes)
    routes = folder / "routes.txt"
    routes.write_text("".join(f"{prefix.text} {i}\n" for i, prefix in enumerate(prefixes)), encoding="ascii")
    (folder / "trace.bin").write_bytes(b"".join(addresses))
    (folder / "expected.bin").write_bytes(right_answers(program, routes, addresses))
    return Workload(folder, table, family, source.order, len(prefixes), timed, len(addresses))


def die_with_starter() -> None:
    """Makes the kernel kill a started process when this one dies."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def run(program: Path, *arguments: str, stdin: str | None = None, codes: Sequence[int] = (0,)) -> str:
    """Returns the output of the program. Raises WorkloadError with its message for any other exit code."""
    command = [str(program), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, preexec_fn=die_with_starter)
    if done.returncode not in codes:
        raise WorkloadError(f"`{' '.join(command)}` fails: {done.stderr.strip() or f'exit code {done.returncode}'}")
    return done.stdout


def read_prefixes(program: Path, source: Source, folder: Path) -> tuple[str, list[Prefix]]:
    """Returns the name of the table and its distinct prefixes by address."""
    name, path = find_table(program, source.table, folder)
    of_family = ["--family", str(source.family)] if source.family else []
    prefixes = [prefix for prefix, _ in read_routes(program, "convert", "--format", "text", *of_family, str(path))]
    if not source.family:
        prefixes = [entry for entry in prefixes if entry.family == 4] or prefixes
    return name, prefixes


def read_routes(program: Path, *arguments: str) -> list[tuple[Prefix, str]]:
    """Returns the routes that a command of the program prints, by address: each prefix once, with its next hop or ""."""
    rows = (line.split() for line in run(program, *arguments).splitlines())
    hops = {row[0]: row[1] if len(row) > 1 else "" for row in rows}
    prefixes = sorted(map(parse_prefix, hops), key=lambda entry: (entry.first, entry.length))
    return [(entry, hops[entry.text]) for entry in prefixes]


def find_table(program: Path, table: str, folder: Path) -> tuple[str, Path]:
    """Returns the name and the file of a table. Recorded ones are in $FINGERPOST_TABLES, otherwise in the folder next to the source."""
    if Path(table).is_file():
        return Path(table).name.split(".txt")[0], Path(table)
    tables = Path(os.environ.get("FINGERPOST_TABLES") or ROOT / "../shared/data/fib")
    recorded = sorted(tables.glob(f"{table}.txt*")) if re.fullmatch(r"[\w.-]+", table) else []
    if recorded:
        return table, recorded[0]
    result = folder / "table.txt"
    try:
        run(program, "lab", "generate", *generator_options(table), "--output", str(result))
    except WorkloadError as why:
        raise WorkloadError(
            f"{table} is not a file, not a table in {tables}, and cannot be generated: {why}"
        ) from why
    return f"generated {table}", result


def generator_options(text: str) -> list[str]:
    names = ("--shares", "--routes", "--model", "--seed")
    return [word for pair in zip(names, text.split(":"), strict=False) for word in pair]


def parse_prefix(text: str) -> Prefix:
    address, length = text.split("/")
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    return Prefix(int.from_bytes(socket.inet_pton(family, address), "big"), int(length), text)


def drawn(prefixes: Sequence[Prefix], count: int, draw: random.Random) -> list[int]:
    """Draws addresses of workload match: a random route, then random host bits."""
    return [prefix.first | draw.getrandbits(prefix.host_bits) for prefix in draw.choices(prefixes, k=count)]


def packed(numbers: Sequence[int], family: int) -> list[bytes]:
    """Returns addresses in network order."""
    return [number.to_bytes(16 if family == 6 else 4, "big") for number in numbers]


def trace_of(prefixes: list[Prefix], timed: int, seed: int) -> list[bytes]:
    draw = random.Random(seed)
    numbers = drawn(prefixes, timed, draw)
    for prefix in draw.sample(prefixes, min(MOST_BOUNDARIES, len(prefixes))):
        last = prefix.first | (1 << prefix.host_bits) - 1
        numbers += [prefix.first, prefix.first - 1, last, last + 1]
    family = prefixes[0].family
    every = 1 << (128 if family == 6 else 32)
    return packed([number % every for number in numbers], family)


def right_answers(program: Path, routes: Path, addresses: Sequence[bytes]) -> bytes:
    """Runs `fingerpost lookup`, which prints nothing for an address without a route. Returns the answers in the form of expected.bin."""
    kinds = {16: socket.AF_INET6, 4: socket.AF_INET}
    questions = "".join(f"{socket.inet_ntop(kinds[len(address)], address)}\n" for address in addresses)
    options = ("--table", str(routes), "--format", "csv", "--scheme", REFERENCE_SCHEME)
    rows = run(program, "lookup", *options, stdin=questions).splitlines()[1:]
    if len(rows) != len(addresses):
        raise WorkloadError(f"{len(addresses)} addresses, but {len(rows)} answers")
    return array.array("I", (int(row.rsplit(",", 1)[1] or NO_ROUTE) for row in rows)).tobytes()
