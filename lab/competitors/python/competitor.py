"""Measures lookups of Python packages, in the same way as all competitors (../README.md).

    competitor.py pytricia|py-radix|maxminddb FAMILY ROUTES TRACE EXPECTED TIMED

Builds the table, compares every answer, prints a JSON line of facts, and then answers each line of stdin, `single MS`, with
the speed of one round of that many milliseconds, {"mlps": SPEED}.
"""

from __future__ import annotations

import array
import collections
import gc
import importlib.metadata
import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench/python"))
sys.dont_write_bytecode = True

NO_ROUTE = 0xFFFFFFFF
# Addresses between two readings of the clock.
CHUNK = 1024
SOCKET_FAMILY = {4: socket.AF_INET, 6: socket.AF_INET6}


class Route(NamedTuple):
    """A prefix of 4 or 16 bytes in network order."""

    address: bytes
    length: int
    id: int


class Table(NamedTuple):
    """A built table: functions that create an address for it, look it up (timed), and turn the answer into an id."""

    call: str
    prepare: Callable[[bytes], object]
    get: Callable[[Any], Any]
    id_of: Callable[[Any], int]
    # A file that the package maps instead of allocating memory.
    path: Path | None = None


def packed(address: bytes) -> bytes:
    return address


def build_pytricia(family: int, routes: list[Route], _: Path) -> Table:
    import pytricia

    tree = pytricia.PyTricia(32 if family == 4 else 128, SOCKET_FAMILY[family])
    for route in routes:
        tree.insert(route.address, route.length, route.id)
    tree.freeze()
    return Table(
        "PyTricia.get(bytes)", packed, tree.get, lambda answer: NO_ROUTE if answer is None else answer
    )


def build_radix(family: int, routes: list[Route], _: Path) -> Table:
    import radix

    tree = radix.Radix()
    for route in routes:
        tree.add(packed=route.address, masklen=route.length).data["id"] = route.id
    search = tree.search_best
    return Table(
        "Radix.search_best(packed=)",
        packed,
        lambda address: search(packed=address),
        lambda node: NO_ROUTE if node is None else node.data["id"],
    )


def open_maxminddb(family: int, routes: list[Route], path: Path) -> Table:
    import maxminddb

    reader = maxminddb.open_database(str(path), maxminddb.MODE_MMAP_EXT)
    af = SOCKET_FAMILY[family]
    return Table(
        "Reader.get(text)",
        lambda address: socket.inet_ntop(af, address),
        reader.get,
        lambda answer: NO_ROUTE if answer is None else answer,
        path,
    )


BUILDERS = {"pytricia": build_pytricia, "py-radix": build_radix, "maxminddb": open_maxminddb}


def read_routes(family: int, path: Path) -> list[Route]:
    af, routes = SOCKET_FAMILY[family], []
    for line in path.read_text(encoding="ascii").splitlines():
        prefix, number = line.split()
        address, length = prefix.split("/")
        routes.append(Route(socket.inet_pton(af, address), int(length), int(number)))
    return routes


def write_database(family: int, routes: list[Route], path: Path) -> None:
    """Writes the routes as a MaxMind DB, once for all runs: the package only reads them."""
    from mmdb import write_mmdb

    if not path.exists():
        scratch = path.with_suffix(".unfinished")
        write_mmdb(
            scratch, family, ((int.from_bytes(route.address, "big"), route.length, route.id) for route in routes)
        )
        scratch.rename(path)


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def count_wrong(table: Table, addresses: Iterable[object], expected: array.array[int]) -> int:
    get, id_of = table.get, table.id_of
    return sum(id_of(get(address)) != answer for address, answer in zip(addresses, expected, strict=True))


def run_for(target: float, table: Table, addresses: list[object], at: int) -> tuple[float, int]:
    """Returns millions of lookups per second of CPU time, and where the next round continues."""
    done = 0
    begun = time.thread_time()
    while True:
        # Calls the function and drops the answers without a line of Python for each call; py-radix needs one, to name its argument.
        collections.deque(map(table.get, addresses[at : at + CHUNK]), maxlen=0)
        at = at + CHUNK if at + 2 * CHUNK <= len(addresses) else 0
        done += CHUNK
        elapsed = time.thread_time() - begun
        if elapsed >= target:
            return done / elapsed / 1e6, at


def main() -> None:
    if len(sys.argv) != 7 or sys.argv[1] not in BUILDERS:
        sys.exit("usage: competitor.py pytricia|py-radix|maxminddb FAMILY ROUTES TRACE EXPECTED TIMED")
    name, family, timed = sys.argv[1], int(sys.argv[2]), int(sys.argv[6])
    routes_path = Path(sys.argv[3])
    routes = read_routes(family, routes_path)
    database = routes_path.with_suffix(".mmdb")
    if name == "maxminddb":
        write_database(family, routes, database)
    width = 4 if family == 4 else 16
    trace = Path(sys.argv[4]).read_bytes()
    expected = array.array("I", Path(sys.argv[5]).read_bytes())
    if len(trace) != width * len(expected) or not CHUNK <= timed <= len(expected):
        sys.exit(f"{sys.argv[5]}: its answers or the timed addresses do not fit the trace")

    before = resident_bytes()
    begun = time.perf_counter()
    table = BUILDERS[name](family, routes, database)
    build_ms = 1e3 * (time.perf_counter() - begun)
    grown = resident_bytes() - before
    addresses = [table.prepare(trace[at : at + width]) for at in range(0, len(trace), width)]
    facts: dict[str, object] = {"version": importlib.metadata.version(name), "call": table.call, "language": "Python"}
    if table.path:
        # Nothing to build: the package has no writer.
        facts |= {"bytes": table.path.stat().st_size, "bytes_kind": "mapped file"}
    else:
        facts |= {"bytes": grown, "bytes_kind": "growth of the resident set", "build_ms": round(build_ms, 3)}
    facts |= {"checked": len(expected), "wrong": count_wrong(table, addresses, expected)}
    print(json.dumps(facts), flush=True)

    gc.disable()
    del addresses[timed:]
    at = 0
    for line in sys.stdin:
        call, ms = line.split()
        if call != "single":
            sys.exit(f"not understood: {line}")
        _, at = run_for(float(ms) / 8e3, table, addresses, at)
        mlps, at = run_for(float(ms) / 1e3, table, addresses, at)
        print(json.dumps({"mlps": mlps}), flush=True)


if __name__ == "__main__":
    main()
