#!/usr/bin/env python3
"""Measures schemes of fingerpost with the tables that run.py loads into the kernel. The rows have the same fields; root is not needed.

For tries, rows contain the number of nodes and the depth, which is the number of levels below the root. Lookups are single calls.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from tables_and_traces import WARM, WARM_ADDRESSES, Row, Table, add_options, load_table, parse, with_shares
from workload import WorkloadError, run

ROUND_MS = "5"


def shape(program: Path, text: str, scheme: str) -> Row:
    """Returns the size of the built scheme in bytes, and its nodes and depth."""
    output = json.loads(run(program, "info", "--table", "-", "--scheme", scheme, "--format", "json", stdin=text))
    row: Row = {"bytes": output["memory"][scheme]}
    # Schemes whose nodes cannot be visited have no levels.
    if output.get("levels"):
        row["nodes"] = sum(level["nodes"] for level in output["levels"])
        row["depth"] = len(output["levels"]) - 1
    return row


def speeds(arguments: argparse.Namespace, text: str, workload: str) -> list[Row]:
    """Returns the time of a call for each scheme, or none where answers are wrong."""
    length = WARM_ADDRESSES if workload == WARM else arguments.addresses
    words = [
        "lab",
        "bench",
        "lookup",
        "--table",
        "-",
        "--next-hops",
        "file",
        "--workloads",
        "match",
        "--mode",
        "throughput",
        "--batch",
        "1",
    ]
    words += ["--scheme", arguments.schemes, "--baseline", arguments.schemes.split(",")[0], "--rounds", str(arguments.rounds)]
    words += ["--round-ms", ROUND_MS, "--addresses", str(length), "--seed", str(arguments.seed), "--format", "json"]
    # 1 means wrong answers. The result exists nonetheless, and lists them.
    output = json.loads(run(arguments.program, *words, stdin=text, codes=(0, 1)))
    rows = []
    for entry in output["results"]:
        row: Row = {
            "series": entry["scheme"],
            "workload": workload,
            "isa": entry["isa"],
            "checked": entry["checked"],
            "wrong": entry["wrong"],
        }
        if entry["wrong"] == 0:
            row |= {"rounds": entry["rounds"], "ns": 1000 / entry["mlps_median"], "build_ms": entry["build_ms_median"]}
            # The upper quartile of the rate is the lower one of the time.
            row |= {"ns_q1": 1000 / entry["mlps_q3"], "ns_q3": 1000 / entry["mlps_q1"]}
        rows.append(row)
    return rows


def measure(arguments: argparse.Namespace, table: Table) -> list[Row]:
    text = table.text()
    common = table.fields() | {"competitor": "fingerpost", "way": "table"}
    shapes = {scheme: shape(arguments.program, text, scheme) for scheme in arguments.schemes.split(",")}
    rows = [row for workload in arguments.workloads for row in speeds(arguments, text, workload)]
    return [with_shares(common | row | (shapes[row["series"]] if row["wrong"] == 0 else {})) for row in rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--schemes", default="fib6_radix,lpc_trie,packed_leaves", metavar="NAME,...")
    arguments = parse(parser)
    try:
        print(json.dumps({"rows": measure(arguments, load_table(arguments))}))
    except WorkloadError as why:
        raise SystemExit(str(why)) from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
