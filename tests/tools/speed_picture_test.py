#!/usr/bin/env python3
"""The picture in README.md is current. lab/results/speed_picture reports a stale one and refuses malformed results."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from scripts import ROOT, run_tool

NAMES = ("schemes-tier1-v6", "schemes-tier1-v4")
SVG = "{http://www.w3.org/2000/svg}"


class SpeedPicture(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "lab/results").mkdir(parents=True)
        for name in NAMES:
            shutil.copy(ROOT / f"lab/results/{name}.json", self.root / "lab/results")

    def run_tool(self, *words: "str | Path") -> "subprocess.CompletedProcess[str]":
        return run_tool("lab/results/speed_picture", *words)

    def change(self, key: str, value: float) -> None:
        path = self.root / f"lab/results/{NAMES[0]}.json"
        document = json.loads(path.read_text(encoding="utf-8"))
        for row in document["results"]:
            if row["scheme"] == "planb":
                row[key] = value
        path.write_text(json.dumps(document), encoding="utf-8")

    def test_the_tree_has_the_current_picture(self) -> None:
        done = self.run_tool("--check", ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_picture_of_other_results_is_found(self) -> None:
        self.assertEqual(self.run_tool("--check", self.root).returncode, 1)
        self.assertEqual(self.run_tool(self.root).returncode, 0)
        self.assertEqual(self.run_tool("--check", self.root).returncode, 0)
        self.change("mlps", 77.4)
        done = self.run_tool("--check", self.root)
        self.assertEqual(done.returncode, 1)
        self.assertIn("docs/pictures/speed-dark.svg: not current", done.stderr)

    def test_both_pictures_have_the_bars_and_their_numbers(self) -> None:
        self.change("mlps", 77.4)
        self.assertEqual(self.run_tool(self.root).returncode, 0)
        for theme in ("light", "dark"):
            tree = xml.etree.ElementTree.parse(self.root / f"docs/pictures/speed-{theme}.svg")
            texts = [node.text for node in tree.iter(f"{SVG}text")]
            self.assertEqual(len(list(tree.iter(f"{SVG}rect"))), 12)
            self.assertEqual(texts.count("planb"), 2)
            self.assertEqual(texts[texts.index("planb") + 1], "77")

    def test_wrong_answers_and_missing_files_are_refused(self) -> None:
        self.change("wrong", 1)
        self.assertEqual(self.run_tool(self.root).returncode, 2)
        (self.root / f"lab/results/{NAMES[0]}.json").unlink()
        done = self.run_tool(self.root)
        self.assertEqual(done.returncode, 2)
        self.assertIn(NAMES[0], done.stderr)
        self.assertFalse((self.root / "docs").exists())


if __name__ == "__main__":
    unittest.main()
