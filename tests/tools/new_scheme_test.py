#!/usr/bin/env python3
"""Tests tools/new_scheme: the generated scheme compiles and passes the checkers, and invalid names change nothing."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = [".clang-format", "fingerpost", "docs/schemes", "layers.txt", "tools"]


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)


class NewScheme(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for part in PARTS:
            target = self.root / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / part, target)
        self.list = self.root / "fingerpost/registry/list.hpp"

    def test_what_it_makes_compiles(self) -> None:
        done = run("tools/new_scheme", "my_scheme_2", cwd=self.root)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("make one SCHEME=my_scheme_2", done.stdout)
        compiler = shutil.which(os.environ.get("CXX", "g++"))
        if compiler is None:
            self.skipTest("no compiler")
        entries = (self.root / "fingerpost/registry/entries.cpp.in").read_text()
        (self.root / "entries.cpp").write_text(entries.replace("@scheme@", "my_scheme_2").replace("@has_kernels@", "0"))
        for source in ("entries.cpp", "fingerpost/registry/registry.cpp"):
            made = run(compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I.", source, cwd=self.root)
            self.assertEqual((made.returncode, made.stderr), (0, ""), source)

    def test_what_it_makes_is_laid_out_and_passes_the_checkers(self) -> None:
        self.assertEqual(run("tools/new_scheme", "my_scheme", cwd=self.root).returncode, 0)
        self.assertTrue(self.list.read_text().endswith("    DO(my_scheme)\n"))
        self.assertIn("**When to use it.**", (self.root / "docs/schemes/my_scheme.md").read_text())
        made = [*sorted((self.root / "fingerpost/schemes/my_scheme").iterdir()), self.list]
        if shutil.which("clang-format-16"):
            laid_out = run("clang-format-16", "--dry-run", "-Werror", *made, cwd=self.root)
            self.assertEqual((laid_out.returncode, laid_out.stderr), (0, ""))

    def test_names_that_do_not_fit_change_nothing(self) -> None:
        before = self.list.read_text()
        for name, reason in (
            ("poptrie", "has a scheme poptrie already"),
            ("My", "is no name for a scheme"),
            ("a__b", "is no name for a scheme"),
            ("../x", "is no name for a scheme"),
            ("class", "is no name for a scheme"),
            ("README", "is no name for a scheme"),
        ):
            done = run("tools/new_scheme", name, cwd=self.root)
            self.assertEqual(done.returncode, 2, name)
            self.assertIn(reason, done.stderr)
        self.assertEqual(self.list.read_text(), before)


if __name__ == "__main__":
    unittest.main()
