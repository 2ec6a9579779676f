#!/usr/bin/env python3
"""Numbers, booleans, texts and missing values have the same JSON form in `lookup`, `enrich`, `convert` and over HTTP."""

import json
import os
import random
import subprocess
from pathlib import Path

from serving import SEED, Server, equal, run_cases, want

CELLS = {
    "asn": ["0", "64500", "-1", "9223372036854775807", ""],
    "id": ["18446744073709551615", "1", ""],
    "score": ["0.5", "-0.5", "1e3", "47.0", "7", ""],
    "on": ["true", "false", ""],
    "zip": ["007", "12", "", '""'],
    "name": ["x", '"A, Inc."', '"say ""hi"""', "Zürich", "null", ""],
    "none": [""],
}


def run(*words: str, stdin: str = "") -> str:
    done = subprocess.run([os.environ["FINGERPOST"], *words], input=stdin.encode(), capture_output=True, check=True)
    return done.stdout.decode()


def table_in(folder: Path, dice: random.Random) -> tuple[Path, list[str]]:
    """Writes rows with cells that determine the type of each column, then any cells. Returns an address in each network and one outside."""
    rows = [[cells[0] for cells in CELLS.values()]]
    rows += [[dice.choice(cells) for cells in CELLS.values()] for _ in range(60)]
    table = folder / "table.csv"
    networks = [f"10.{i}.0.0/16" if i % 2 else f"2001:db8:{i:x}::/48" for i in range(len(rows))]
    lines = [",".join([network, *row]) for network, row in zip(networks, rows, strict=True)]
    table.write_text("\n".join([",".join(["network", *CELLS]), *lines, ""]), encoding="utf-8")
    return table, [network.split("/")[0] for network in networks] + ["192.0.2.1"]


def values_of(line: str) -> str:
    """Returns the part of the line after the address, byte for byte."""
    return line[line.index('"prefix":') :]


def all_write_the_same(folder: Path) -> None:
    table, addresses = table_in(folder, random.Random(SEED))
    image = folder / "table.image"
    run("image", "save", "-t", str(table), str(image))
    wanted: list[str] = []
    for source in (table, image):
        asked = run("lookup", "-t", str(source), "--format", "ndjson", *addresses).splitlines()
        wanted = wanted or asked
        equal(asked, wanted, f"lookup of {source.name}")
        rows = "".join(f'{{"address":"{address}"}}\n' for address in addresses)
        enriched = run("enrich", "-t", str(source), "--format", "ndjson", "--field", "address", stdin=rows)
        equal([values_of(line) for line in enriched.splitlines()], [values_of(line) for line in wanted], "enrich")
        with Server(source) as server:
            body = server.ask("GET", "/lookup?" + "&".join(f"address={address}" for address in addresses))[2].decode()
            equal(body.strip(), "[" + ",\n".join(wanted) + "]", "HTTP")
            for address, line in zip(addresses[:-1], wanted, strict=False):
                covers = server.ask("GET", f"/covers/{address}")[2].decode()
                want(values_of(line)[:-1] in covers, f"covers: {line} is not in {covers}")
        written = {values_of(line) for line in run("convert", "--format", "ndjson", str(source)).splitlines()}
        equal(written, {values_of(line) for line in wanted[:-1]}, "convert")
    first = json.loads(wanted[0])
    equal([type(first[name]) for name in CELLS], [int, int, float, bool, str, str, type(None)], "types")
    equal([json.loads(wanted[-1])[name] for name in CELLS], [None] * len(CELLS), "no match")


if __name__ == "__main__":
    run_cases(all_write_the_same)
