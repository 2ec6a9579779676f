#!/usr/bin/env python3
"""Measures longest-prefix-match packages of Go, Rust and Python alternately with packed_leaves, each in a separate program.

    lab/competitors/run.py tier1-v6
    lab/competitors/run.py --competitors rust,pytricia tier1-v4:100000

Prints one JSON document, {"rows": [...]} or {"skipped": "why"}; progress goes to stderr. A competitor that cannot be built here has a
row with the reason. One with a wrong answer has a row without figures. The exit code is 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

from builds import BUILDS, ROOT, MissingError, build_c, build_go, build_rust, find_python
from programs import BASELINE, Competitor, FailedError, chosen
from turns import LEAST_TURNS, Pace, measure
from workload import Source, WorkloadError, write_workload

# Both divide the number of timed addresses, which programs look up between two readings of the clock.
CHUNK = 4096


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "table",
        help="a file that fingerpost reads; or NAME of one in $FINGERPOST_TABLES, else in ../shared/data/fib; or what is generated, "
        "NAME[:ROUTES[:MODEL[:SEED]]]",
    )
    parser.add_argument("--family", type=int, choices=(4, 6), default=0, help="only routes of this family")
    parser.add_argument(
        "--order",
        choices=("address", "random"),
        default="address",
        help="how routes are inserted (default: address)",
    )
    parser.add_argument(
        "--competitors", default="", metavar="NAME,...", help="names or languages (default: all)"
    )
    parser.add_argument("--turns", type=int, default=15, help="rounds of each (default: 15)")
    parser.add_argument("--round-ms", type=float, default=50, help="CPU time of a round (default: 50)")
    parser.add_argument(
        "--budget",
        type=float,
        default=120,
        metavar="SECONDS",
        help="when it has run out, each competitor takes 3 turns; builds do not count (default: 120)",
    )
    parser.add_argument(
        "--addresses", type=int, default=1 << 20, help="that rounds look up (default: 1048576)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the addresses (default: 1)")
    parser.add_argument(
        "--files", type=Path, metavar="FOLDER", help="keep the files for the competitors there"
    )
    parser.add_argument(
        "--fingerpost",
        type=Path,
        default=os.environ.get("FINGERPOST", ROOT / "build/bin/fingerpost"),
        metavar="PROGRAM",
        help="with libfingerpost.so in the folder above it (default: $FINGERPOST, else build/bin/fingerpost)",
    )
    parser.add_argument(
        "--python",
        default=os.environ.get("FINGERPOST_COMPETITORS_PYTHON", ""),
        metavar="PROGRAM",
        help="an interpreter with the packages (default: $FINGERPOST_COMPETITORS_PYTHON, else tools/python_env makes one)",
    )
    arguments = parser.parse_args()
    if arguments.addresses < CHUNK or arguments.addresses % CHUNK:
        parser.error(f"--addresses: a multiple of {CHUNK}, not {arguments.addresses}")
    if arguments.turns < LEAST_TURNS or arguments.round_ms <= 0:
        parser.error(f"--turns is at least {LEAST_TURNS}, and --round-ms above 0")
    try:
        arguments.competitors = chosen([name.strip() for name in arguments.competitors.split(",") if name.strip()])
    except ValueError as why:
        parser.error(str(why))
    return arguments


def measured(arguments: argparse.Namespace) -> dict[str, object]:
    # A failed build is not repeated for other competitors of the same language: it may have waited for a network.
    missing: dict[str, MissingError] = {}

    def build(competitor: Competitor) -> list[str]:
        if competitor.language in missing:
            raise missing[competitor.language]
        try:
            match competitor.language:
                case "C":
                    return build_c(arguments.fingerpost)
                case "Go":
                    return build_go()
                case "Rust":
                    return build_rust()
                case _:
                    return find_python(arguments.python)
        except MissingError as why:
            missing[competitor.language] = why
            raise

    if not os.access(arguments.fingerpost, os.X_OK):
        return {"skipped": f"{arguments.fingerpost} is not there: build the target `program`"}
    BUILDS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILDS, prefix="files-") as scratch:
        folder = arguments.files or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            # Build first, because builds may take minutes and do not count towards the budget.
            build(BASELINE)
            for competitor in arguments.competitors:
                try:
                    build(competitor)
                except MissingError:
                    pass
            deadline = time.monotonic() + arguments.budget
            source = Source(arguments.table, arguments.family, arguments.order)
            print("competitors: writing the files", file=sys.stderr, flush=True)
            workload = write_workload(arguments.fingerpost, source, folder, arguments.addresses, arguments.seed)
            cpu = max(os.sched_getaffinity(0))
            pace = Pace(arguments.turns, arguments.round_ms, cpu, deadline)
            return {"rows": measure(arguments.competitors, build, workload, pace)}
        except (MissingError, WorkloadError) as why:
            return {"skipped": str(why)}
        except FailedError as why:
            return {"failed": f"{BASELINE.name}: {why}"}


def main() -> int:
    document = measured(parse_arguments())
    print(json.dumps(document))
    return 1 if "failed" in document else 0


if __name__ == "__main__":
    sys.exit(main())
