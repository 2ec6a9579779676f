#!/usr/bin/env python3
"""Measures `fingerpost enrich` on NDJSON log lines, and the same job in Python with pytricia. `make bench-enrich` runs it.

pytricia is installed from PyPI into a separate virtual environment. Both jobs add prefix, next hop and a second column (a table under
another name until tables have several columns) to each line. The first lines of both outputs are compared.
"""

import argparse
import ipaddress
import lzma
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

# The whole job as a user would write it: parse the line, look up its address, and write the line with more members.
PYTHON_JOB = """
import json, sys
import pytricia
table = pytricia.PyTricia(32)
for line in open(sys.argv[1]):
    prefix, hop = line.split()
    table[prefix] = (prefix, hop, hop)
out = sys.stdout
for line in sys.stdin:
    row = json.loads(line)
    row["a_prefix"], row["a_next_hop"], row["b_next_hop"] = table.get(row["client"]["ip"], (None, None, None))
    out.write(json.dumps(row, separators=(",", ":")) + "\\n")
"""


def read_prefixes(path: Path) -> list[str]:
    opened = lzma.open(path, "rt") if path.suffix == ".xz" else path.open(encoding="utf-8")
    with opened as lines:
        return [line.split()[0] for line in lines if line.strip() and line[0] != "#"]


def write_rows(path: Path, prefixes: list[str], rows: int) -> None:
    """Addresses are skewed as in real logs: a few of them are in most lines."""
    rng = random.Random(1)
    pool = []
    for prefix in rng.sample(prefixes, min(100_000, len(prefixes))):
        network = ipaddress.ip_network(prefix)
        pool.append(str(network[rng.randrange(network.num_addresses)]))
    with path.open("w", encoding="utf-8") as out:
        for i in range(rows):
            address = pool[min(int(rng.paretovariate(0.6)) - 1, len(pool) - 1)]
            out.write(
                f'{{"time":"2026-11-23T14:{i // 60 % 60:02}:{i % 60:02}.{i % 1000:03}Z","level":"info","client":{{"ip":"{address}",'
                f'"port":{rng.randrange(65536)}}},"method":"GET","path":"/api/v1/items/{rng.randrange(10**5)}","status":200,'
                f'"bytes":{rng.randrange(10**5)},"agent":"Mozilla/5.0 (X11; Linux x86_64)"}}\n'
            )


def timed(command: list[str | Path], stdin: Path, stdout: Path | None) -> float:
    with stdin.open("rb") as source, (stdout or Path(os.devnull)).open("wb") as sink:
        begun = time.monotonic()
        subprocess.run([str(word) for word in command], stdin=source, stdout=sink, check=True)
        return time.monotonic() - begun


def main() -> int:
    data = Path(os.environ.get("FINGERPOST_DATA", Path(__file__).parents[4] / "shared/data"))
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--table", type=Path, default=data / "fib/tier1-v4.txt.xz", help="IPv4 prefixes")
    options.add_argument("--rows", type=int, default=1_000_000, help="made; each is enriched --repeat times")
    options.add_argument("--repeat", type=int, default=10)
    options.add_argument("--keep", type=Path, help="folder for the environment with pytricia, kept for the next time")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        home = given.keep or scratch / "venv"
        if not (home / "bin/python").exists():
            venv.create(home, with_pip=True)
            subprocess.run([home / "bin/pip", "install", "-q", "pytricia"], check=True)
        prefixes = read_prefixes(given.table)
        table, rows, many, job = scratch / "table", scratch / "rows", scratch / "many", scratch / "job.py"
        table.write_text("".join(f"{prefix} {i % 50}\n" for i, prefix in enumerate(prefixes)), encoding="utf-8")
        job.write_text(PYTHON_JOB, encoding="utf-8")
        write_rows(rows, prefixes, given.rows)
        with many.open("wb") as out:
            for _ in range(given.repeat):
                out.write(rows.read_bytes())
        nothing = scratch / "nothing"
        nothing.touch()

        ours = [Path(os.environ["FINGERPOST"]).resolve(), "enrich", "-t", f"a={table}", "-t", f"b={table}", "--format", "ndjson"]
        ours += ["--field", "client.ip", "--columns", "prefix,next_hop"]
        alone = [ours[0], "enrich", "-t", table, "--format", "ndjson", "--field", "client.ip"]
        # The speed of rows excludes reading the table.
        load, load_alone = timed(ours, nothing, None), timed(alone, nothing, None)
        our_rate = given.rows * given.repeat / (timed(ours, many, None) - load)
        alone_rate = given.rows * given.repeat / (timed(alone, many, None) - load_alone)
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        theirs: list[str | Path] = [home / "bin/python", job, table]
        their_rate = given.rows / (timed(theirs, rows, scratch / "theirs") - timed(theirs, nothing, None))

        timed(ours, rows, scratch / "ours")
        with (scratch / "ours").open() as a, (scratch / "theirs").open() as b:
            for mine, other in zip(a, b, strict=True):
                if mine.replace(',"b_prefix":' + mine.split(',"b_prefix":')[1].split(",")[0], "") != other:
                    sys.exit(f"enrich_speed: the two differ:\n{mine}{other}")
        print(f"{len(prefixes)} prefixes, {given.rows * given.repeat} rows, {os.cpu_count()} cores")
        print(f"fingerpost enrich, prefix and next hop        {alone_rate:12,.0f} rows/s")
        print(f"fingerpost enrich, two tables, 2 columns each {our_rate:12,.0f} rows/s, {memory // 1024} MB at most")
        print(f"Python, json and pytricia, 3 columns          {their_rate:12,.0f} rows/s")
        print(f"ratio                                         {our_rate / their_rate:12.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
