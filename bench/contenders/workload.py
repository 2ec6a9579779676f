"""Writes the three files that every contender reads: routes, addresses, and the answers that are right.

routes.txt     `PREFIX ID` lines by address or in random order; the ids number the routes from 0, so that an answer names its
               route
trace.bin      addresses in network order, 4 or 16 bytes each: first those that are timed (workload match: a random route, then
               random host bits), then the first and last addresses of routes and their neighbours, which are only checked
expected.bin   the id of each address, as an unsigned number of 32 bits in the byte order of this machine; 2^32 - 1: no route
"""

from __future__ import annotations

import array
import os
import random
import re
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_ROUTE = 0xFFFFFFFF
# Routes of which the boundaries are checked.
MOST_BOUNDARIES = 1 << 14
# Not the scheme that is measured, and as simple as can be.
REFERENCE_SCHEME = "binary_trie"


class WorkloadError(Exception):
    """No files can be written for this table."""


@dataclass(frozen=True)
class Source:
    """A table: a file, or NAME, a recorded table where its file is here, or NAME[:ROUTES[:MODEL[:SEED]]], a generated one."""

    table: str
    # 0: the one that the table has, IPv4 where it has both.
    family: int = 0
    # "address", or "random": tables that were built by that have neighbouring routes far apart in memory.
    order: str = "address"


@dataclass(frozen=True)
class Workload:
    """The files, and what they hold."""

    folder: Path
    table: str
    family: int
    order: str
    routes: int
    timed: int
    addresses: int

    @property
    def arguments(self) -> list[str]:
        """What a contender takes behind its name."""
        names = ("routes.txt", "trace.bin", "expected.bin")
        return [str(self.family), *(str(self.folder / name) for name in names), str(self.timed)]


@dataclass(frozen=True)
class Prefix:
    first: int
    length: int
    text: str


def write_workload(program: Path, source: Source, folder: Path, timed: int, seed: int) -> Workload:
    """Writes the files into a folder. Raises WorkloadError."""
    table, prefixes = read_prefixes(program, source, folder)
    if not prefixes:
        raise WorkloadError(f"{table} has no route of this family")
    family = 6 if ":" in prefixes[0].text else 4
    addresses = trace_of(prefixes, family, timed, seed)
    if source.order == "random":
        random.Random(seed).shuffle(prefixes)
    routes = folder / "routes.txt"
    routes.write_text("".join(f"{one.text} {i}\n" for i, one in enumerate(prefixes)), encoding="ascii")
    (folder / "trace.bin").write_bytes(b"".join(addresses))
    with (folder / "expected.bin").open("wb") as to:
        right_answers(program, routes, family, addresses).tofile(to)
    return Workload(folder, table, family, source.order, len(prefixes), timed, len(addresses))


def run(program: Path, *arguments: str, given: str | None = None) -> str:
    """Returns what the program prints. Raises WorkloadError with its message."""
    done = subprocess.run([program, *arguments], input=given, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise WorkloadError(done.stderr.strip() or f"{program} {arguments[0]} failed with {done.returncode}")
    return done.stdout


def read_prefixes(program: Path, source: Source, folder: Path) -> tuple[str, list[Prefix]]:
    """Returns the name of the table and its prefixes by address, each once."""
    name, path = find_table(program, source.table, folder)
    of_family = ["--family", str(source.family)] if source.family else []
    rows = run(program, "convert", "--format", "csv", *of_family, str(path)).splitlines()[1:]
    texts = {row.split(",", 1)[0] for row in rows}
    if not source.family:
        texts = {text for text in texts if ":" not in text} or texts
    return name, sorted(map(parse_prefix, texts), key=lambda one: (one.first, one.length))


def find_table(program: Path, table: str, folder: Path) -> tuple[str, Path]:
    """Returns the name and the file of a table; recorded ones are in $FINGERPOST_TABLES, else in the folder next to the source."""
    if Path(table).is_file():
        return Path(table).name.split(".txt")[0], Path(table)
    tables = Path(os.environ.get("FINGERPOST_TABLES") or ROOT / "../shared/data/fib")
    recorded = sorted(tables.glob(f"{table}.txt*")) if re.fullmatch(r"[\w.-]+", table) else []
    if recorded:
        return table, recorded[0]
    made = folder / "table.txt"
    try:
        run(program, "generate", *generator_options(table), "--output", str(made))
    except WorkloadError as why:
        raise WorkloadError(
            f"{table} is no file, no table in {tables}, and none that can be generated: {why}"
        ) from why
    return f"generated {table}", made


def generator_options(text: str) -> list[str]:
    names = ("--shares", "--routes", "--model", "--seed")
    return [word for pair in zip(names, text.split(":"), strict=False) for word in pair]


def parse_prefix(text: str) -> Prefix:
    address, length = text.split("/")
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    return Prefix(int.from_bytes(socket.inet_pton(family, address), "big"), int(length), text)


def trace_of(prefixes: list[Prefix], family: int, timed: int, seed: int) -> list[bytes]:
    bits = 32 if family == 4 else 128
    draw = random.Random(seed)
    numbers = []
    for one in draw.choices(prefixes, k=timed):
        numbers.append(one.first | draw.getrandbits(bits - one.length))
    for one in draw.sample(prefixes, min(MOST_BOUNDARIES, len(prefixes))):
        last = one.first | (1 << (bits - one.length)) - 1
        numbers += [one.first, one.first - 1, last, last + 1]
    return [(number % (1 << bits)).to_bytes(bits // 8, "big") for number in numbers]


def right_answers(program: Path, routes: Path, family: int, addresses: list[bytes]) -> array.array[int]:
    """Asks `fingerpost lookup`, which writes nothing for an address without a route."""
    kind = socket.AF_INET6 if family == 6 else socket.AF_INET
    asked = "\n".join(socket.inet_ntop(kind, address) for address in addresses)
    options = ("--table", str(routes), "--format", "csv", "--scheme", REFERENCE_SCHEME)
    rows = run(program, "lookup", *options, given=asked).splitlines()[1:]
    answers = array.array("I", (int(row.rsplit(",", 1)[1] or NO_ROUTE) for row in rows))
    if len(answers) != len(addresses):
        raise WorkloadError(f"{len(addresses)} addresses, but {len(answers)} answers")
    return answers
