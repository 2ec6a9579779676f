#!/usr/bin/env python3
"""Tests `tools/gpu_machine run` with stubs of the programs of a bundle."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLES = ("tier1-v6", "ipv6-2021-as293", "tier1-v4", "bview")
# Fails for the words in $FAILING; writes a result to the file after -o.
BENCH = """#!/usr/bin/env bash
[[ -z $FAILING || $* != *$FAILING* ]] || exit 1
if [[ $* == *--check ]]; then echo "a GPU: 0 wrong of 12"; exit; fi
while [[ $1 != -o ]]; do shift; done
echo '{"commit": "unknown"}' >"$2"
"""
TESTS = """#!/usr/bin/env bash
[[ $FAILING != tests ]]
"""


class GpuMachine(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bundle, self.out = Path(folder.name) / "bundle", Path(folder.name) / "out"
        (self.bundle / "bin").mkdir(parents=True)
        self.tool = Path(shutil.copy(ROOT / "tools/gpu_machine", self.bundle))
        (self.bundle / "commit").write_text("0123\n", encoding="utf-8")
        for name, text in (("fingerpost-gpu-bench", BENCH), ("test_gpu", TESTS)):
            (self.bundle / "bin" / name).write_text(text, encoding="utf-8")
            (self.bundle / "bin" / name).chmod(0o755)

    def run_tool(self, failing: str = "", *words: str) -> "subprocess.CompletedProcess[str]":
        environment = {"PATH": os.environ["PATH"], "FAILING": failing}
        return subprocess.run([str(self.tool), *(words or ("run", str(self.out)))], env=environment, capture_output=True, text=True, check=False)

    def summary(self) -> list[str]:
        return (self.out / "summary.txt").read_text(encoding="utf-8").splitlines()

    def test_each_step_is_reported(self) -> None:
        done = self.run_tool()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = self.summary()
        self.assertEqual(lines[0], "commit 0123")
        for step in ("tests", *(f"edges-{table}" for table in TABLES), "bench-tier1-v6", "bench-tier1-v4"):
            self.assertTrue(any(line.startswith(f"{step}: ok, ") for line in lines), step)
        self.assertEqual(lines.count("a GPU: 0 wrong of 12"), len(TABLES) + 1, "of each table and of the device")
        self.assertEqual((self.out / "gpu-tier1-v4.json").read_text(encoding="utf-8"), '{"commit": "0123"}\n')

    def test_a_step_that_fails_does_not_end_the_others(self) -> None:
        for failing, step in (("tests", "tests"), ("tier1-v6.txt.xz --check", "edges-tier1-v6"), ("--rounds", "bench-tier1-v4")):
            done = self.run_tool(failing)
            self.assertEqual(done.returncode, 1, failing)
            self.assertTrue(any(line.startswith(f"{step}: FAILED with 1, ") for line in self.summary()), step)
            self.assertTrue(any(line.startswith("bench-tier1-v4: ") for line in self.summary()))

    def test_without_a_gpu_nothing_else_runs(self) -> None:
        self.assertEqual(self.run_tool("rrc00-25:1000 ").returncode, 1)
        self.assertTrue(self.summary()[1].startswith("device: FAILED with 1, "))
        self.assertFalse(any(line.startswith("tests: ") for line in self.summary()))

    def test_usage(self) -> None:
        for words in (("nothing",), ("run",), ("bundle",)):
            done = self.run_tool("", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("FOLDER/gpu_machine run OUT", done.stderr)


if __name__ == "__main__":
    unittest.main()
