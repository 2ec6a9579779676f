#!/usr/bin/env python3
"""Plants each kind of bad comment and expects tools/check_comments to report it, and good prose to pass."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from scripts import run_tool

NOTE = "TO" + "DO"

GOOD = r"""// A small tree; the picture shows two nodes.
//
//     +----+----+
//     | k0 | k1 |
//     +----+----+
//     ----------
//     auto t = tree::build(routes);
//
// It is sorted by key; the smaller key comes first, and
// the rest follows (see the paper, section 3).
#include <string>

// Returns the answer, or none;
// never both.
int f(); // none = 0
const char* url = "http://example.net/* no comment */ // TO" "DO";
const char* raw = R"(// return 1;)";
int big = 1'000'000; // ids, a power of ten
namespace a {} // namespace a
"""


class CheckComments(unittest.TestCase):
    def run_on(self, name: str, text: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / name).write_text(text)
            return run_tool("check_comments", folder)

    def expect(self, comment: str, message: str, name: str = "x.cpp") -> None:
        marker = "//" if name.endswith("pp") else "#"
        result = self.run_on(name, f"{marker} A file with a fault.\n\n{comment}\n")
        self.assertEqual(result.returncode, 1, f"not found: {comment}")
        self.assertIn(f"{name}:3: {message}", result.stderr)

    def test_good_prose_passes(self):
        result = self.run_on("x.hpp", GOOD)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_banners(self):
        for banner in ("// =====", "//---------", "// --- Builder ---", "////////////", "// ***** x *****"):
            self.expect(banner, "banner")
        self.expect("# ----------", "banner", "x.py")
        self.expect("##########", "banner", "x.sh")

    def test_block_comments(self):
        self.expect("int f(/* why */);", "block comment")

    def test_notes_to_self(self):
        self.expect(f"int x; // {NOTE} later", "note to self")
        self.expect(f"# {NOTE}: later", "note to self", "x.py")

    def test_dead_code(self):
        for code in (
            "// foo(bar);", "// int x = 3;", "//x = y + 1;", "// return x;", "// if (x) {", "// }",
            "// std::sort(a.begin(), a.end());", "// #include <map>", "// for (int i = 0; i < 3; ++i) {",
            "// auto& r = table.rib();", "// node->next = nullptr;", "// } else {",
        ):  # fmt: skip
            self.expect(code, "commented-out code")
        for code in ("# import os", "# print(x)", "# x = f(y)", "# for x in y:"):
            self.expect(code, "commented-out code", "x.py")

    def test_first_sentence(self):
        for name, text in (("x.hpp", "#pragma once\n"), ("x.py", "import os\n"), ("x.sh", "#!/bin/sh\necho\n")):
            result = self.run_on(name, text)
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"{name}:1: the file does not start", result.stderr)
        self.assertEqual(self.run_on("x.py", '#!/usr/bin/env python3\n"""Says what it is."""\n').returncode, 0)


if __name__ == "__main__":
    unittest.main()
