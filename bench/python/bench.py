"""Measures lookups of the Python package and of other ways to look up the same addresses in the same tables.

Answers are compared before the measurement. The measurements take turns, so that a slow phase of the machine affects all
of them, and the best turn of each counts, in CPU time of all threads; only DuckDB on two threads is measured by the clock.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import gc
import importlib.metadata
import ipaddress
import json
import lzma
import os
import platform
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import maxminddb
import numpy
import polars as pl
import pyarrow as pa
import pytricia
import radix
from distinct_rows import DistinctRows
from measured import Measured, each, ratios
from mmdb import write_mmdb
from peers import Peers, with_maxminddb

import fingerpost

DATA = Path(__file__).parents[2] / ".." / "shared" / "data" / "fib"
Route = tuple[int, int, int]


class Family:
    """A table of one family in all libraries, and addresses to look up."""

    def __init__(self, version: int, routes: list[Route], rows: int, folder: Path) -> None:
        self.version = version
        self.routes = routes
        self.bits = 32 if version == 4 else 128
        make = ipaddress.IPv4Address if version == 4 else ipaddress.IPv6Address
        self.prefixes = [f"{make(address)}/{length}" for address, length, _ in routes]
        self.numbers = _addresses(routes, self.bits, rows)
        self.texts = [str(make(number)) for number in self.numbers]
        self.packed = b"".join(number.to_bytes(self.bits // 8, "big") for number in self.numbers)
        self.mmdb_path = folder / f"ipv{version}.mmdb"
        self.image_path = str(folder / f"ipv{version}.image")
        write_mmdb(self.mmdb_path, version, routes)
        self.fields_path = folder / f"fields{version}.mmdb"
        write_mmdb(self.fields_path, version, routes, "value")
        self.table = self.load_fingerpost()
        self.table.save(self.image_path)
        self.tricia = self.load_pytricia()
        self.radix = self.load_radix()
        self.mmdb = maxminddb.open_database(str(self.mmdb_path), maxminddb.MODE_MMAP_EXT)

    def pairs(self) -> Iterator[tuple[str, int]]:
        return zip(self.prefixes, (value for _, _, value in self.routes), strict=True)

    def load_fingerpost(self) -> fingerpost.Table[int]:
        return fingerpost.Table(self.pairs(), values=int)

    def load_pytricia(self) -> pytricia.PyTricia:
        table = pytricia.PyTricia(self.bits, socket.AF_INET if self.version == 4 else socket.AF_INET6)
        for prefix, value in self.pairs():
            table[prefix] = value
        table.freeze()
        return table

    def load_radix(self) -> radix.Radix:
        table = radix.Radix()
        for prefix, value in self.pairs():
            table.add(prefix).data["value"] = value
        return table

    def check(self, texts: list[str]) -> None:
        """Exits if the libraries do not agree."""
        ours = self.table.lookup_many(texts)
        others = {
            "Table.lookup": [self.table.lookup(text) for text in texts],
            "Arrow": self.table.lookup_many(pa.array(texts)).to_pylist(),
            "pytricia": [self.tricia.get(text) for text in texts],
            "py-radix": [node and node.data["value"] for node in map(self.radix.search_best, texts)],
            "maxminddb": [self.mmdb.get(text) for text in texts],
            "maxminddb-polars": with_maxminddb(pl.DataFrame({"text": texts}), self.fields_path)[
                "value"
            ].to_list(),
        }
        for name, theirs in others.items():
            for text, ours_value, other in zip(texts, ours, theirs, strict=True):
                if ours_value != other:
                    sys.exit(f"{text}: fingerpost answers {ours_value}, {name} {other}")


def _addresses(routes: list[Route], bits: int, count: int) -> list[int]:
    """Returns addresses, 90 % within random prefixes, the others anywhere in 2000::/3 or IPv4."""
    draw = random.Random(7)
    addresses = []
    for _ in range(count):
        address, length, _ = draw.choice(routes)
        if draw.random() < 0.9:
            addresses.append(address | draw.getrandbits(bits - length) if length < bits else address)
        else:
            addresses.append(draw.getrandbits(32) if bits == 32 else 1 << 125 | draw.getrandbits(125))
    return addresses


def read_routes(path: Path, version: int) -> list[Route]:
    """Reads prefixes, one per line. Without the file, prints a message and returns random prefixes."""
    make = ipaddress.IPv4Network if version == 4 else ipaddress.IPv6Network
    if not path.exists():
        print(f"{path} does not exist; using 100,000 random IPv{version} prefixes", file=sys.stderr)
        return _random_routes(version)
    lines = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    networks = {make(line.split()[0], strict=False) for line in lines.decode().splitlines() if line}
    return [
        (int(network.network_address), network.prefixlen, i) for i, network in enumerate(sorted(networks))
    ]


def _random_routes(version: int) -> list[Route]:
    draw = random.Random(version)
    routes_by_key: dict[tuple[int, int], int] = {}
    while len(routes_by_key) < 100_000:
        length = (
            draw.choice([16, 20, 22, 23, 24, 24, 24])
            if version == 4
            else draw.choice([29, 32, 36, 44, 48, 48, 48])
        )
        bits = 32 if version == 4 else 128
        top = draw.getrandbits(length) if version == 4 else 1 << (length - 3) | draw.getrandbits(length - 3)
        routes_by_key[top << (bits - length), length] = len(routes_by_key)
    return [(address, length, value) for (address, length), value in routes_by_key.items()]


def vectors(of: Family) -> list[Measured]:
    """Returns measurements of whole columns."""
    rows = len(of.texts)
    text = pa.array(of.texts)
    width = of.bits // 8
    arrow = pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), rows, [None, pa.py_buffer(of.packed)])
    columns = {
        f"numpy uint8 (n, {width})": numpy.frombuffer(of.packed, numpy.uint8).reshape(rows, width),
        f"Arrow fixed_size_binary[{width}]": arrow,
        "Arrow utf8": text,
        "Arrow utf8_view": text.cast(pa.string_view()),
        "list of str": of.texts,
    }
    if of.version == 4:
        columns["Arrow uint32"] = pa.array(numpy.array(of.numbers, numpy.uint32))
    else:
        halves = [(number >> 64, number & (1 << 64) - 1) for number in of.numbers]
        columns["numpy uint64 (n, 2)"] = numpy.array(halves, numpy.uint64)
    measured = [
        Measured(
            f"fingerpost, {what}",
            f"columns, IPv{of.version}",
            rows,
            functools.partial(of.table.lookup_many, column),
        )
        for what, column in columns.items()
    ]
    if of.version == 6:
        frame = pl.DataFrame({"text": of.texts})
        group = "text columns, IPv6"
        ours, theirs = fingerpost.polars.lookup("text", of.table), of.fields_path
        measured.append(Measured("fingerpost, Polars", group, rows, lambda: frame.select(ours)))
        measured.append(Measured("maxminddb-polars", group, rows, lambda: with_maxminddb(frame, theirs)))
    return measured


def singles(of: Family, texts: list[str]) -> list[Measured]:
    """Returns measurements of lookups of single texts."""
    ways: dict[str, Callable[[str], object]] = {
        "fingerpost, Table.lookup": of.table.lookup,
        "pytricia": of.tricia.get,
        "py-radix": of.radix.search_best,
        "maxminddb": of.mmdb.get,
    }
    return [
        Measured(way, f"single lookups of text, IPv{of.version}", len(texts), each(get, texts))
        for way, get in ways.items()
    ]


def loads(of: Family) -> list[Measured]:
    """Returns measurements of creating and opening tables."""
    ways: dict[str, Callable[[], object]] = {
        "fingerpost, Table of pairs": of.load_fingerpost,
        "fingerpost, open": lambda: fingerpost.open(of.image_path),
        "pytricia": of.load_pytricia,
        "py-radix": of.load_radix,
        "maxminddb open": lambda: maxminddb.open_database(str(of.mmdb_path), maxminddb.MODE_MMAP_EXT),
    }
    groups = {way: "opened files" if "open" in way else "tables of routes" for way in ways}
    return [
        Measured(way, f"{groups[way]}, IPv{of.version}", len(of.routes), work) for way, work in ways.items()
    ]


def show(measured: list[Measured], of_distinct: dict[str, float]) -> None:
    """Prints a table."""
    group = ""
    compared = ratios(measured)
    for entry in measured:
        if entry.group != group:
            group = entry.group
            print(f"\n{group:<52}{'best M/s':>12}{'median M/s':>14}{'ratio':>10}")
        ratio = compared.get((entry.group, entry.name))
        numbers = f"{entry.best / 1e6:>12.3f}{statistics.median(entry.rates) / 1e6:>14.3f}"
        print(f"{entry.name:<52}{numbers}" + ("" if ratio is None else f"{ratio:>10.2f}"))
    print(f"\n{'ratios of the best':<68}{'times':>10}")
    for name, times in of_distinct.items():
        print(f"{name:<68}{times:>10.2f}")


def environment(options: argparse.Namespace) -> dict[str, object]:
    """Returns what is needed to judge the figures: machine, versions, sizes."""
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout
    libraries = (
        "numpy",
        "pyarrow",
        "polars",
        "pandas",
        "duckdb",
        "maxminddb-polars",
        "maxminddb",
        "pytricia",
        "py-radix",
    )
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "cpu": cpu[1] if cpu else platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "libraries": {name: importlib.metadata.version(name) for name in libraries},
        "version": fingerpost.__version__,
        "commit": commit.strip(),
        "turns": options.turns,
        "rows": options.rows,
        "command_line": "make bench-python BENCH_ARGS=\"" + " ".join(sys.argv[1:]) + "\"",
    }


def document(
    options: argparse.Namespace,
    families: list[Family],
    measured: list[Measured],
    of_distinct: dict[str, float],
) -> dict[str, object]:
    """Returns the contents of a result file, which bench/report/markdown.py reads."""
    compared = ratios(measured)
    results = [
        {
            "group": entry.group,
            "name": entry.name,
            "best": entry.best,
            "median": statistics.median(entry.rates),
            "ratio": compared.get((entry.group, entry.name)),
            "rates": entry.rates,
        }
        for entry in measured
    ]
    return {
        "environment": environment(options),
        "routes": {f"IPv{family.version}": len(family.routes) for family in families},
        "results": results,
        "distinct_rows": of_distinct,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--ipv4", type=Path, default=DATA / "tier1-v4.txt.xz", help="file of prefixes, one per line"
    )
    parser.add_argument(
        "--ipv6", type=Path, default=DATA / "tier1-v6.txt.xz", help="file of prefixes, one per line"
    )
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows per column (default: 1000000)")
    parser.add_argument(
        "--singles", type=int, default=100_000, help="single lookups per turn (default: 100000)"
    )
    parser.add_argument(
        "--distinct", type=int, default=500_000, help="routes with distinct rows (default: 500000)"
    )
    parser.add_argument(
        "--turns", type=int, default=5, help="turns of each lookup (default: 5); loads have one"
    )
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        families = [
            Family(version, read_routes(path, version), options.rows, Path(folder))
            for version, path in ((4, options.ipv4), (6, options.ipv6))
        ]
        lookups = []
        loading = []
        for one_family in families:
            texts = one_family.texts[: options.singles]
            one_family.check(texts)
            lookups += vectors(one_family) + singles(one_family, texts)
            loading += loads(one_family)
        peers = Peers(families[0].table, families[0].routes, families[0].numbers, families[0].fields_path)
        peers.check()
        lookups += peers.measured()
        distinct = DistinctRows(options.distinct, options.singles, Path(folder))
        distinct.check()
        lookups += distinct.measured()
        gc.disable()
        draw = random.Random(1)
        for _ in range(options.turns):
            # Use another order in each turn, because the first measurement has cold caches.
            for entry in draw.sample(lookups, len(lookups)):
                entry.run()
        for entry in loading:
            entry.run()
    lookups.sort(key=lambda entry: entry.group)
    measured = lookups + loading
    show(measured, distinct.ratios())
    if options.json:
        result = document(options, families, measured, distinct.ratios())
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
