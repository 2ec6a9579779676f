#!/usr/bin/env python3
"""Tests tools/house_picture and tools/folder_readmes in a small tree: what has drifted is found, and writing anew mends it."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from scripts import run_tool

LAYERS = "wing low\n    base\n    .\nwing middle uses low\n    .\nwing high uses low middle\n    one two\n"
README = "# {0}\n\nBelongs here: what {0} is. Does not: the rest.\n\nRead first: [`{1}`]({1}).\n\n<!-- files: written by tools/folder_readmes -->\n<!-- end of files -->\n"


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
        for wing, first in (("low", "b.hpp"), ("middle", "m.hpp"), ("high", "one/h.cpp")):
            self.write(f"{wing}/README.md", README.format(wing, first))
        self.write("docs/inside/architecture.md", "")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_tool(self, tool: str, *arguments: str) -> tuple[int, str]:
        done = run_tool(tool, *arguments, self.root)
        return done.returncode, done.stderr

    def test_the_picture_drifts_with_what_is_used_and_with_nothing_else(self) -> None:
        self.assertEqual(self.run_tool("house_picture", "--check")[0], 1)
        self.assertEqual(self.run_tool("house_picture"), (0, ""))
        self.assertEqual(self.run_tool("house_picture", "--check"), (0, ""))
        picture = (self.root / "docs/inside/house.svg").read_text(encoding="utf-8")
        self.assertIn(">uses low, middle<", picture)
        # From high to low there is a longer way, by middle.
        self.assertEqual(picture.count("marker-end"), 2)
        self.write("high/two/another.cpp", '#include "middle/m.hpp"\n')
        self.assertEqual(self.run_tool("house_picture", "--check"), (0, ""))
        self.write("layers.txt", LAYERS.replace("one two", "one two three"))
        status, said = self.run_tool("house_picture", "--check")
        self.assertEqual((status, "run tools/house_picture" in said), (1, True))

    def test_readmes_follow_the_first_sentences(self) -> None:
        self.assertEqual(self.run_tool("folder_readmes", "--check")[0], 1)
        self.assertEqual(self.run_tool("folder_readmes"), (0, ""))
        self.assertEqual(self.run_tool("folder_readmes", "--check"), (0, ""))
        low = (self.root / "low/README.md").read_text(encoding="utf-8")
        self.assertIn("| [`b.hpp`](b.hpp) | Says b: once. |", low)
        self.assertNotIn("b.cpp", low)
        self.write("low/b.hpp", "// Says something else.\n")
        status, said = self.run_tool("folder_readmes", "--check")
        self.assertEqual((status, said), (1, "low/README.md: differs from the files; run tools/folder_readmes\n"))
        self.assertEqual(self.run_tool("folder_readmes"), (0, ""))
        self.assertEqual(self.run_tool("folder_readmes", "--check"), (0, ""))

    def test_larger_folders_need_one_and_what_is_written_by_hand_is_asked_for(self) -> None:
        self.run_tool("folder_readmes")
        for number in range(5):
            self.write(f"high/two/{number}.hpp", f"// Says {number}.\n")
        self.assertIn("high/two/README.md: is missing", self.run_tool("folder_readmes")[1])
        for broken, words in (
            (README.format("high/two", "9.hpp"), "leads to 9.hpp, which is not there"),
            (README.format("high/two", "0.hpp").replace("# ", ""), "does not begin with `# high/two`"),
            (README.format("high/two", "0.hpp").replace("Does not", "Not"), "has no paragraph `Belongs here"),
            (README.format("high/two", "0.hpp").replace("<!-- end of files -->", ""), "does not have the marks"),
        ):
            self.write("high/two/README.md", broken)
            status, said = self.run_tool("folder_readmes")
            self.assertEqual(status, 1)
            self.assertIn(words, said)
        # A folder that was renamed gets its own title.
        self.write("high/two/README.md", README.format("high/two", "0.hpp").replace("# high/two", "# high/old"))
        self.assertEqual(self.run_tool("folder_readmes"), (0, ""))
        high = (self.root / "high/README.md").read_text(encoding="utf-8")
        self.assertIn("| [`two/`](two/README.md) | What high/two is. |", high)
        shutil.rmtree(self.root / "high/two")
        self.assertEqual(self.run_tool("folder_readmes", "--check")[0], 1)


if __name__ == "__main__":
    unittest.main()
