#!/usr/bin/env python3
"""Times map<int> and bart's Table alternately: `lab/competitors/maps/maps.py ROUTES...`, files of lines `PREFIX NUMBER`.

Prints a table in Markdown: nanoseconds for each route, lookup or query, bytes per route, and the ratio of bart's figure to ours.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILDS = ROOT / "build/competitors"
ROWS = {
    "fill": "fill, in one transaction",
    "insert": "fill, each prefix at once visible",
    "lookup": "lookup",
    "batch": "lookup in batches of 256",
    "covering": "covering prefixes of an address",
    "covered": "prefixes in a /16 (IPv6: /32)",
    "clone": "clone, per route",
    "bytes": "bytes per route",
}


def built() -> list[list[str]]:
    ours, bart = BUILDS / "maps/ours", BUILDS / "maps/bart"
    ours.parent.mkdir(parents=True, exist_ok=True)
    source = Path(__file__).with_name("maps.cpp")
    library = ROOT / "build/libfingerpost.a"
    subprocess.run(["g++", "-std=c++20", "-O2", f"-I{ROOT}", "-o", ours, source, library, "-pthread"], check=True)
    subprocess.run(["go", "build", "-C", ROOT / "lab/competitors/go", "-o", bart, "./maps"], check=True)
    return [[str(ours)], [str(bart)]]


def family_of(routes: Path) -> str:
    with open(routes, encoding="ascii") as lines:
        return "6" if ":" in lines.readline() else "4"


def best_of(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: min(run[name] for run in runs) for name in runs[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("routes", nargs="+", type=Path, help="files of lines PREFIX NUMBER, each of one family")
    parser.add_argument("--turns", type=int, default=3, help="runs of each program (3)")
    arguments = parser.parse_args()
    programs = built()
    for routes in arguments.routes:
        results: list[list[dict[str, float]]] = [[], []]
        for _ in range(arguments.turns):
            for program, runs in zip(programs, results, strict=True):
                done = subprocess.run([*program, family_of(routes), routes], check=True, capture_output=True, text=True)
                runs.append(json.loads(done.stdout))
                print(f"{routes.name}: {Path(program[0]).name}: {done.stderr.strip()}", file=sys.stderr)
        ours, bart = map(best_of, results)
        print(f"\n| {routes.stem} | map&lt;int&gt; | bart | times |\n| --- | ---: | ---: | ---: |")
        for name, words in ROWS.items():
            print(f"| {words} | {ours[name]:.1f} | {bart[name]:.1f} | {bart[name] / ours[name]:.2f} |")


if __name__ == "__main__":
    main()
