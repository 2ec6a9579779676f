#!/usr/bin/env python3
"""Measures DPDK's tables and packed_leaves with `fingerpost lab bench lookup`, and prints rows in the form of the other competitors.

    lab/competitors/dpdk.py tier1-v6

DPDK is a C library, so the benchmark calls it directly, in a build with -DFINGERPOST_DPDK=ON. Prints {"rows": [...]}, or {"skipped":
"why"} if the build lacks it. A ratio compares with single calls of packed_leaves in the same round.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True

from programs import BASELINE
from turns import Row, quartiles, quotients, round4
from workload import ROOT, WorkloadError, find_table

BATCH = 64


def rows_of(results: list[dict[str, Any]], table: str) -> list[Row]:
    rounds = {(entry["scheme"], entry["batch"]): entry["mlps_rounds"] for entry in results if not entry["wrong"]}
    isas: dict[str, set[str]] = {}
    for entry in results:
        isas.setdefault(entry["scheme"], set()).add(entry["isa"])
    rows = []
    for entry in results:
        # A library with several kernels has a row for each.
        series = f"{entry['scheme']} {entry['isa']}" if len(isas[entry["scheme"]]) > 1 else entry["scheme"]
        row = {"series": series, "language": "C++" if entry["scheme"] == BASELINE.name else "C", "table": table}
        row |= {
            name: entry[name] for name in ("family", "routes", "workload", "batch", "isa", "checked", "wrong")
        }
        rows.append(row)
        if entry["wrong"]:
            continue
        mine = entry["mlps_rounds"]
        row |= {"rounds": entry["rounds"], "bytes": entry["bytes"], "build_ms": round4(entry["build_ms_median"])}
        row |= quartiles("mlps", mine)
        for name, batch in (("ratio", 1), ("batch_ratio", BATCH)):
            if (BASELINE.name, batch) in rounds:
                row |= quartiles(name, quotients(mine, rounds[BASELINE.name, batch]))
    return rows


def measured(program: Path, table: str, rounds: int, round_ms: float, addresses: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        result = Path(scratch, "result.json")
        name, path = find_table(program, table, Path(scratch))
        options = {
            "--table": path, "--scheme": BASELINE.name, "--competitors": "dpdk", "--baseline": BASELINE.name,
            "--workloads": "match", "--next-hops": "unique", "--mode": "throughput", "--batch": f"1,{BATCH}",
            "--rounds": rounds, "--round-ms": round_ms, "--addresses": addresses, "--format": "json",
            "--output": result,
        }  # fmt: skip
        words = [str(word) for pair in options.items() for word in pair]
        done = subprocess.run(
            [program, "lab", "bench", "lookup", *words], capture_output=True, text=True, check=False
        )
        sys.stderr.write(done.stderr)
        if "this build has no dpdk" in done.stderr:
            return {"skipped": "this build has no DPDK: configure it with -DFINGERPOST_DPDK=ON"}
        # 1: some answers were wrong; the result has details.
        if done.returncode not in (0, 1) or not result.exists():
            lines = done.stderr.strip().splitlines()
            return {"failed": lines[-1] if lines else f"ended with {done.returncode}"}
        return {"rows": rows_of(json.loads(result.read_text(encoding="utf-8"))["results"], name)}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", help="as of run.py")
    parser.add_argument("--rounds", type=int, default=15, help="of each case (default: 15)")
    parser.add_argument("--round-ms", type=float, default=10, help="of a round (default: 10)")
    parser.add_argument("--addresses", type=int, default=1 << 20, help="of the trace (default: 1048576)")
    arguments = parser.parse_args()
    program = Path(os.environ.get("FINGERPOST") or ROOT / "build/bin/fingerpost")
    if not os.access(program, os.X_OK):
        document = {"skipped": f"{program} is not there: build the target `program`"}
    else:
        try:
            document = measured(program, arguments.table, arguments.rounds, arguments.round_ms, arguments.addresses)
        except WorkloadError as why:
            document = {"skipped": str(why)}
    print(json.dumps(document))
    return 1 if "failed" in document else 0


if __name__ == "__main__":
    sys.exit(main())
