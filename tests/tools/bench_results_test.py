#!/usr/bin/env python3
"""Tests lab/results/bench_results with a stub program, in a temporary folder."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Appends its arguments to $LOG, writes a result to the file after --output, ends with $STATUS.
PROGRAM = """#!/usr/bin/env bash
printf '%s\\n' "$*" >>"$LOG"
while [[ $1 != --output ]]; do shift; done
echo new >"$2"
exit "$STATUS"
"""


class BenchResults(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.results = self.root / "lab/results"
        self.log = self.root / "log"
        for made in ("tools", "lab/results", "tables"):
            (self.root / made).mkdir(parents=True)
        self.tool = Path(shutil.copy(ROOT / "lab/results/bench_results", self.root / "lab/results"))
        self.script("program", PROGRAM)
        self.script("tools/readme_tables", '#!/bin/sh\necho tables >>"$LOG"\n')
        self.script("lab/results/speed_picture", '#!/bin/sh\necho picture >>"$LOG"\n')
        for table in ("tier1-v4", "tier1-v6"):
            (self.root / f"tables/{table}.txt.xz").touch()

    def script(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")
        (self.root / name).chmod(0o755)

    def run_tool(self, *names: str, status: int = 0) -> "subprocess.CompletedProcess[str]":
        places = {"FINGERPOST": str(self.root / "program"), "FINGERPOST_TABLES": str(self.root / "tables")}
        given = os.environ | places | {"LOG": str(self.log), "STATUS": str(status)}
        return subprocess.run([str(self.tool), *names], env=given, capture_output=True, text=True, check=False)

    def logged(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []

    def test_all_are_measured_and_tables_and_picture_written(self) -> None:
        self.assertEqual(self.run_tool().returncode, 0)
        made = sorted(path.name for path in self.results.glob("*.json"))
        both = [f"schemes-tier1-v{family}{hops}.json" for family in (4, 6) for hops in ("", "-clustered")]
        self.assertEqual(made, sorted(both))
        lines = self.logged()
        self.assertEqual(lines[-2:], ["tables", "picture"])
        self.assertEqual(sum("tier1-v4.txt.xz --next-hops clustered:32 " in line for line in lines), 1)
        self.assertEqual(sum("tier1-v6.txt.xz --next-hops unmerged " in line for line in lines), 1)

    def test_one_is_measured_by_its_name(self) -> None:
        self.assertEqual(self.run_tool("schemes-tier1-v4").returncode, 0)
        self.assertEqual([path.name for path in self.results.glob("*.json")], ["schemes-tier1-v4.json"])

    def test_a_run_that_fails_leaves_the_file_as_it_was(self) -> None:
        old = self.results / "schemes-tier1-v4.json"
        old.write_text("old\n", encoding="utf-8")
        self.assertEqual(self.run_tool("schemes-tier1-v4", status=1).returncode, 1)
        self.assertEqual(old.read_text(encoding="utf-8"), "old\n")
        self.assertNotIn("tables", self.logged())

    def test_unknown_names_and_missing_tables_are_told_before_anything_is_measured(self) -> None:
        unknown = self.run_tool("schemes-tier1-v4", "nothing")
        self.assertEqual((unknown.returncode, "'nothing' is none of" in unknown.stderr), (2, True))
        (self.root / "tables/tier1-v6.txt.xz").unlink()
        missing = self.run_tool()
        self.assertEqual((missing.returncode, "tier1-v6.txt.xz is not there" in missing.stderr), (2, True))
        self.assertEqual(self.logged(), [])


if __name__ == "__main__":
    unittest.main()
