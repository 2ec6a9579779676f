#!/usr/bin/env python3
"""Tests tools/house_picture in a small tree: it reports an outdated picture, and drawing it again fixes this."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from scripts import run_tool

LAYERS = "wing low\n    base\n    .\nwing middle uses low\n    .\nwing high uses low middle\n    one two\n"


class House(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("layers.txt", LAYERS)
        self.write("low/base/a.hpp", "// Says a. And more.\n")
        self.write("low/b.hpp", '// Says b: once.\n#include "low/base/a.hpp"\n')
        self.write("low/b.cpp", "// The body.\n")
        self.write("middle/m.hpp", '// Says m.\n#include "low/b.hpp"\n')
        self.write("high/one/h.cpp", '// Says h.\n#include "middle/m.hpp"\n#include "low/b.hpp"\n')
        self.write("docs/inside/architecture.md", "")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_tool(self, *arguments: str) -> tuple[int, str]:
        done = run_tool("house_picture", *arguments, self.root)
        return done.returncode, done.stderr

    def test_the_picture_drifts_with_what_is_used_and_with_nothing_else(self) -> None:
        self.assertEqual(self.run_tool("--check")[0], 1)
        self.assertEqual(self.run_tool(), (0, ""))
        self.assertEqual(self.run_tool("--check"), (0, ""))
        picture = (self.root / "docs/inside/house.svg").read_text(encoding="utf-8")
        self.assertIn(">uses low, middle<", picture)
        # A longer path from `high` to `low` leads through `middle`.
        self.assertEqual(picture.count("marker-end"), 2)
        self.write("high/two/another.cpp", '#include "middle/m.hpp"\n')
        self.assertEqual(self.run_tool("--check"), (0, ""))
        self.write("layers.txt", LAYERS.replace("one two", "one two three"))
        status, said = self.run_tool("--check")
        self.assertEqual((status, "run make generate" in said), (1, True))


if __name__ == "__main__":
    unittest.main()
