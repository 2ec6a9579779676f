#!/usr/bin/env python3
"""Tests lab/results/bench_promise with made-up results and a stub program."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from scripts import run_tool

ENVIRONMENT = {
    "date": "2026-01-02T03:04:05Z",
    "commit": "0123456789abcdef",
    "cpu": "A processor",
    "cpu_id": "AMD family 25 model 17",
    "tuning": "gathers=0",
    "cores": 2,
    "caches": ["L2 Unified 1024K"],
    "isas": ["scalar", "avx512"],
    "compiler": "g++",
    "rounds": 15,
    "round_ms": 5,
    "statistic": "median",
    "load": "0.1 0.2 0.3",
}
# Writes the result that $RESULT names to the file after --output, appends its arguments to $LOG, ends with $STATUS.
PROGRAM = """#!/usr/bin/env bash
printf '%s\\n' "$*" >>"$LOG"
while [[ $1 != --output ]]; do shift; done
cp "$RESULT" "$2"
exit "$STATUS"
"""


def row(scheme: str, mlps: float, batch: int = 64, workload: str = "match", mode: str = "throughput", family: int = 6) -> dict:
    return {
        "scheme": scheme,
        "family": family,
        "table": "some",
        "routes": 1000,
        "next_hops": "unmerged",
        "workload": workload,
        "fits_l1": workload == "hot",
        "mode": mode,
        "batch": batch,
        "mlps": mlps,
        "mlps_rounds": [mlps] if mlps else [],
    }


class BenchPromise(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.log = self.root / "log"
        self.log.touch()
        (self.root / "tables").mkdir()

    def result(self, rows: list[dict]) -> Path:
        path = self.root / "result.json"
        path.write_text(json.dumps({"environment": ENVIRONMENT, "results": rows, "default_scheme": "usual", "best_other": []}))
        return path

    def run_tool(
        self, *arguments: str, status: int = 0, program_status: int = 0, tables: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        program = self.root / "program"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        environment = {**os.environ, "FINGERPOST": str(program), "LOG": str(self.log), "STATUS": str(program_status)}
        environment["RESULT"] = str(self.root / "result.json")
        environment["FINGERPOST_TABLES"] = tables if tables is not None else str(self.root / "tables")
        done = run_tool("lab/results/bench_promise", *arguments, env=environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def cells(self, printed: str, over: str, calls: str) -> str:
        """Returns the text after the name of a line, and its calls."""
        for line in printed.splitlines():
            if line.startswith(over) and line[len(over) :].strip().startswith(calls + " "):
                return line[len(over) :].strip()[len(calls) :].strip()
        self.fail(f"no line of {over} and {calls} in {printed}")

    def test_ratios_targets_and_marks(self) -> None:
        rows = [row("usual", 150), row("usual", 160, batch=256), row("planb", 90, batch=256), row("planb", 100)]
        rows += [row("usual:wide", 900), row("third", 120), row("third", 0, batch=256)]
        rows += [row("usual", 10, 1), row("planb", 10, 1), row("usual", 40, 1, mode="latency"), row("third", 40, 1, mode="latency")]
        rows += [row("usual", 30, 8, "hot"), row("planb", 30, 8, "hot")]
        printed = self.run_tool(str(self.result(rows))).stdout
        self.assertIn("A processor, AMD family 25 model 17, 2 cores, L2 Unified 1024K; tuning gathers=0", printed)
        self.assertIn("IPv6 table some, 1,000 routes, next hops unmerged", printed)
        self.assertEqual(self.cells(printed, "planb", "64, 256").split()[:2], ["1.60", "(1.6)"])
        self.assertEqual(self.cells(printed, "planb", "1").split()[:2], ["1.00", "(1.3)!"])
        self.assertEqual(self.cells(printed, "planb", "8").split()[-2:], ["1.00", "(1.1)!"])
        self.assertEqual(self.cells(printed, "best other", "64, 256").split()[:3], ["1.33", "(1)", "third"])
        self.assertEqual(self.cells(printed, "best other", "latency").split()[:3], ["1.00", "(1)", "third"])
        self.assertEqual(self.cells(printed, "planb", "latency").split()[0], "-")
        self.assertIn("hot (L1)", printed)
        self.assertIn("2 of 5 targets missed", printed)

    def test_ipv4_is_compared_with_direct_tables(self) -> None:
        rows = [row("usual", 90, family=4), row("dir_24_8", 100, family=4), row("planb", 10, family=4)]
        printed = self.run_tool(str(self.result(rows))).stdout
        self.assertEqual(self.cells(printed, "dir_24_8", "64, 256").split()[:2], ["0.90", "(1)!"])
        self.assertEqual(self.cells(printed, "best other", "64, 256").split()[:2], ["0.90", "dir_24_8"])
        self.assertNotIn("\nplanb", printed)

    def test_every_table_is_measured_from_its_file_or_generated(self) -> None:
        self.result([row("usual", 1), row("planb", 1)])
        (self.root / "tables/tier1-v6.txt.xz").touch()
        done = self.run_tool("--", "--rounds", "2")
        calls = self.log.read_text().splitlines()
        sources = [call.split()[3:5] for call in calls]
        self.assertEqual(sources[0], ["--table", str(self.root / "tables/tier1-v6.txt.xz")])
        self.assertEqual(sources[1:], [["--generate", name] for name in ("rrc00-25", "rrc00-25:1000000", "tier1-v4")])
        self.assertIn("ipv6-2021-as293 is left out", done.stderr)
        for call in calls:
            self.assertIn("--workloads match,zipf,uniform,miss,short,hot --batch 1,8,64,256", call)
            self.assertTrue(call.endswith("--round-ms 5 --rounds 2"), call)
            self.assertNotIn("--rounds 15", call)
        self.assertEqual(done.stdout.count("IPv6 table some"), 4)
        self.assertEqual(done.stdout.count("A processor"), 1)

    def test_results_are_kept(self) -> None:
        self.result([row("usual", 1), row("planb", 1)])
        self.run_tool("--only", "rrc00-25,tier1-v4", "--keep", str(self.root / "kept"))
        self.assertEqual(sorted(path.name for path in (self.root / "kept").iterdir()), ["rrc00-25.json", "tier1-v4.json"])

    def test_wrong_answers_and_failures(self) -> None:
        self.result([row("usual", 1), row("planb", 1)])
        self.run_tool("--only", "tier1-v4", program_status=1, status=1)
        self.run_tool("--only", "tier1-v4", program_status=2, status=2)
        self.assertIn("'nosuch' is not one of tier1-v6", self.run_tool("--only", "nosuch", status=2).stderr)
        self.assertIn("nosuch is not a folder", self.run_tool(tables=str(self.root / "nosuch"), status=2).stderr)
        other = self.root / "other.json"
        other.write_text('{"environment": {}}')
        self.assertIn("is not a result of lab bench lookup", self.run_tool(str(other), status=2).stderr)
        self.assertIn("judged as they are", self.run_tool(str(other), "--", "--rounds", "2", status=2).stderr)


if __name__ == "__main__":
    unittest.main()
