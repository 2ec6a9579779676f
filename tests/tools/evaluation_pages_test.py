#!/usr/bin/env python3
"""docs/choosing.md is current. lab/results/evaluation_pages reports a stale page and refuses malformed results."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "lab"), str(ROOT / "tests/support")]
from evaluation.results import read
from scripts import run_tool

PAGE, RESULTS = "docs/choosing.md", "docs/evaluation/results.json"


class EvaluationPages(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "docs/evaluation").mkdir(parents=True)
        shutil.copy(ROOT / PAGE, self.root / PAGE)

    def run_tool(self, *words: "str | Path") -> "subprocess.CompletedProcess[str]":
        return run_tool("lab/results/evaluation_pages", *words)

    def put_results(self) -> None:
        shutil.copy(ROOT / "tests/data/evaluation/results.json", self.root / RESULTS)

    def test_the_tree_has_the_current_page(self) -> None:
        done = self.run_tool("--check", ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_without_results_the_page_stays(self) -> None:
        done = self.run_tool("--check", self.root)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"there is no {RESULTS} yet", done.stdout)

    def test_a_page_of_other_results_is_found(self) -> None:
        self.put_results()
        done = self.run_tool("--check", self.root)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{PAGE}: differs from {RESULTS}", done.stderr)
        self.assertEqual(self.run_tool(self.root).returncode, 0)
        self.assertEqual(self.run_tool("--check", self.root).returncode, 0)
        text = (self.root / PAGE).read_text(encoding="utf-8")
        self.assertRegex(text, r"\| `match` \| .*×")
        self.assertRegex(text, r"`packed_leaves` is the fastest in \d+ of \d+ cells")
        document = read(self.root / RESULTS)
        for row in document["experiments"]["lookups"]["rows"]:
            if row["series"] == "planb" and row.get("mode") == "throughput":
                row["ratio"] = 1000
        (self.root / RESULTS).write_text(json.dumps(document), encoding="utf-8")
        self.assertEqual(self.run_tool("--check", self.root).returncode, 1)
        self.assertEqual(self.run_tool(self.root).returncode, 0)
        self.assertIn("`planb`", (self.root / PAGE).read_text(encoding="utf-8").split("<!-- cells:")[1])

    def test_what_is_no_result_and_a_page_without_the_block_are_refused(self) -> None:
        for text in ("{}", "no JSON", '{"experiments": {}, "run": {}}'):
            (self.root / RESULTS).write_text(text, encoding="utf-8")
            self.assertEqual(self.run_tool(self.root).returncode, 2)
        self.put_results()
        (self.root / PAGE).write_text("# A page\n", encoding="utf-8")
        done = self.run_tool(self.root)
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no block `cells`", done.stderr)


if __name__ == "__main__":
    unittest.main()
