#!/usr/bin/env python3
"""Tests tools/budget on made-up trees: which files count towards which part, that a part may not grow, and what --lower writes."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUDGET = """# Wings.
 300  300  lib     lib
 100  100  parts   lib/parts
 200  200  tools   tools
 100  100  tests   tests lib/tests
   0    0  -       docs tests/data
"""


class Budget(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "budget.txt").write_text(BUDGET)
        self.add("lib/a.cpp", 250)

    def add(self, name: str, lines: int, first: str = ""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(first + "line\n" * lines)

    def run_it(self, *options: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, ROOT / "tools/budget", *options, self.root], check=False, capture_output=True, text=True)

    def test_files_count_to_the_wing_with_the_longest_prefix(self):
        self.add("lib/parts/b.hpp", 100)
        self.add("lib/tests/c.py", 90)
        self.add("lib/README.md", 7)
        self.add("tools/script", 10, "#!/bin/sh\n")
        for name in ("lib/data.json", "tools/seed", "docs/page.py", "tests/data/d.py", "build/e.cpp", "lib/parts/__pycache__/f.py"):
            self.add(name, 1000)
        result = self.run_it()
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.stdout, "budget: 458 lines, 0 faults\n")

    def test_git_says_which_files_count_where_it_knows_the_tree(self):
        self.add(".gitignore", 1, "/made/\n")
        self.add("made/big.cpp", 1000)
        self.assertIn("made/big.cpp: no wing", self.run_it().stderr)
        subprocess.run(["git", "init", "-q", self.root], check=True)
        self.assertEqual(self.run_it().stdout, "budget: 250 lines, 0 faults\n")

    def test_a_wing_that_grows_is_named(self):
        self.add("lib/b.cpp", 51)
        result = self.run_it()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "lib: 301 lines, 1 more than its 300 in budget.txt\n")
        self.assertEqual(self.run_it("--lower").returncode, 1)
        self.assertEqual(self.row("lib"), " 300  300  lib     lib")

    def row(self, wing: str) -> str:
        return next(row for row in (self.root / "budget.txt").read_text().splitlines() if f"  {wing} " in row)

    def test_a_file_without_a_wing_is_named(self):
        self.add("new/a.cpp", 1)
        self.assertEqual(self.run_it().stderr, "new/a.cpp: no wing of budget.txt has this file\n")

    def test_lower_writes_lower_numbers_only(self):
        self.add("lib/parts/b.hpp", 100)
        self.add("lib/a.cpp", 150)
        self.assertEqual(self.run_it("--lower").returncode, 0)
        self.assertEqual(self.row("lib").split(), ["200", "200", "lib", "lib"])
        self.assertEqual(self.row("parts"), " 100  100  parts   lib/parts")
        self.add("lib/a.cpp", 201)
        self.assertEqual(self.run_it().returncode, 1)

    def test_a_raised_number_needs_a_reason(self):
        (self.root / "budget.txt").write_text(BUDGET.replace(" 300  300", " 900  300"))
        result = self.run_it()
        self.assertEqual(result.returncode, 1)
        self.assertIn("budget.txt:2: lib was 300: a number that is raised needs a reason", result.stderr)
        (self.root / "budget.txt").write_text(BUDGET.replace(" 300  300  lib     lib", " 900  300  lib     lib  # images"))
        self.assertEqual(self.run_it().returncode, 0)
        self.add("lib/a.cpp", 350)
        self.assertEqual(self.run_it("--lower").returncode, 0)
        self.assertEqual(self.row("lib").split(), ["400", "300", "lib", "lib", "#", "images"])
        self.add("lib/a.cpp", 300)
        self.assertEqual(self.run_it("--lower").returncode, 0)
        self.assertEqual(self.row("lib").split(), ["300", "300", "lib", "lib"])

    def test_an_empty_tree_is_a_fault(self):
        (self.root / "lib/a.cpp").unlink()
        self.assertEqual(self.run_it().returncode, 1)


if __name__ == "__main__":
    unittest.main()
