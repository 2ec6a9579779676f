#!/usr/bin/env python3
"""`fingerpost lab report` finds its package and its Python, hands over what it was given, and says what is missing."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = os.path.abspath(os.environ["FINGERPOST"]) if os.environ.get("FINGERPOST") else ""
DATA = ROOT / "tests/data/evaluation"
DRAWING = ROOT / "build/python-report/bin/python"
# Prints what it got; the real one would need vl-convert-python.
FAKE = "import json, os, sys\nprint(json.dumps([sys.argv[1:], os.getcwd()]))\nsys.exit(7)\n"


class Report(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.package = self.root / "elsewhere/evaluation"
        self.package.mkdir(parents=True)
        (self.package / "__init__.py").touch()
        (self.package / "__main__.py").write_text(FAKE, encoding="utf-8")
        # The present folder must not be searched.
        self.here = self.root / "here"
        (self.here / "evaluation").mkdir(parents=True)
        (self.here / "evaluation/__main__.py").write_text("raise SystemExit('the wrong package')\n", encoding="utf-8")

    def run_report(self, *words: str, program: str = PROGRAM, **settings: str) -> "subprocess.CompletedProcess[str]":
        environment = {name: value for name, value in os.environ.items() if name not in ("FINGERPOST_EVALUATION", "PYTHONPATH")}
        return subprocess.run(
            [program, "lab", "report", *words], capture_output=True, text=True, check=False, cwd=self.here, env=environment | settings
        )

    def test_words_reach_the_package(self) -> None:
        done = self.run_report("one", "two", "--output=-x.html", FINGERPOST_EVALUATION=str(self.package))
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertEqual(done.stdout, f'[["report", "--output=-x.html", "--", "one", "two"], "{self.here}"]\n')
        for folder in (f"{self.package}/", "../elsewhere/evaluation"):
            done = self.run_report("one", FINGERPOST_EVALUATION=folder)
            self.assertEqual((done.returncode, done.stdout), (7, f'[["report", "--", "one"], "{self.here}"]\n'), done.stderr)

    def test_an_installation_is_found(self) -> None:
        (self.root / "prefix/bin").mkdir(parents=True)
        shutil.copy(PROGRAM, self.root / "prefix/bin/fingerpost")
        shutil.copytree(self.package, self.root / "prefix/share/fingerpost/evaluation")
        done = self.run_report("one", program=str(self.root / "prefix/bin/fingerpost"))
        self.assertEqual(done.returncode, 7, done.stderr)

    def test_what_is_missing_is_told(self) -> None:
        (self.root / "bin").mkdir()
        shutil.copy(PROGRAM, self.root / "bin/fingerpost")
        done = self.run_report("one", program=str(self.root / "bin/fingerpost"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("report: the Python package that draws reports was not found", done.stderr)
        for wrong in (str(self.here), str(self.root / "nothing/evaluation")):
            done = self.run_report("one", FINGERPOST_EVALUATION=wrong)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"FINGERPOST_EVALUATION={wrong} is not a folder", done.stderr)
        done = self.run_report("one", FINGERPOST_EVALUATION=str(self.package), PATH=str(self.root / "bin"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("report: python3 was not found: install Python 3.11 or later", done.stderr)

    def test_an_old_python_is_told(self) -> None:
        old = self.root / "old"
        old.mkdir()
        # A Python that says that it is an old one.
        text = f'#!/bin/sh\nprogram=$3\nshift 3\nexec {sys.executable} -B -c "import sys; sys.version_info = (3, 9, 2)\n$program" "$@"\n'
        (old / "python3").write_text(text, encoding="utf-8")
        (old / "python3").chmod(0o755)
        done = self.run_report("one", FINGERPOST_EVALUATION=str(self.package), PATH=f"{old}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "fingerpost: report: Python 3.11 or later is needed, and this is 3.9\n")

    def test_a_missing_drawer_is_told(self) -> None:
        bare = self.root / "bare"
        bare.mkdir()
        # -S leaves out installed packages.
        (bare / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n', encoding="utf-8")
        (bare / "python3").chmod(0o755)
        package = {"FINGERPOST_EVALUATION": str(ROOT / "lab/evaluation"), "PATH": f"{bare}:{os.environ['PATH']}"}
        done = self.run_report(str(DATA / "results.json"), **package)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("run `pip install vl-convert-python`", done.stderr)

    @unittest.skipUnless(DRAWING.exists(), "build/python-report is not there (tools/python_env report)")
    def test_a_report_is_written(self) -> None:
        python = {"FINGERPOST_EVALUATION": str(ROOT / "lab/evaluation"), "PATH": f"{DRAWING.parent}:{os.environ['PATH']}"}
        done = self.run_report(str(DATA / "results.json"), "-o", "page.html", **python)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "page.html\n")
        self.assertTrue((self.here / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>"))
        done = self.run_report("nothing.json", **python)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing.json", done.stderr)


if __name__ == "__main__":
    if not PROGRAM:
        sys.exit("report_test: set FINGERPOST to the program to test")
    unittest.main()
