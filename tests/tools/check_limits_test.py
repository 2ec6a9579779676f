#!/usr/bin/env python3
"""Plants an unchecked cast and a handler, and expects tools/check_limits to report both and to accept checked ones."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from scripts import run_tool


class CheckLimits(unittest.TestCase):
    def run_on(self, line: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "fingerpost/fib/x.hpp"
            source.parent.mkdir(parents=True)
            source.write_text(f"// A file.\n{line}\n")
            return run_tool("check_limits", folder)

    def test_checked_sizes_pass(self):
        for line in ('to_u32(list.size(), "x");', "static_cast<std::uint32_t>(value);", "} catch (...) {"):
            result = self.run_on(line)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_cast_sizes_are_named(self):
        for what in ("list.size()", "list_.size() - 1", "at - list.begin()", "pages().size()"):
            result = self.run_on(f"x = static_cast<std::uint32_t>({what});")
            self.assertEqual(result.returncode, 1, what)
            self.assertIn("fingerpost/fib/x.hpp:2: a size is cast by hand", result.stderr)

    def test_handlers_are_named(self):
        for kind in ("bad_alloc", "length_error"):
            result = self.run_on(f"}} catch (const std::{kind}&) {{")
            self.assertEqual(result.returncode, 1)
            self.assertIn("fingerpost/fib/x.hpp:2: a handler of its own", result.stderr)

    def test_a_tree_without_sources_is_a_fault(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run_tool("check_limits", folder).returncode, 1)


if __name__ == "__main__":
    unittest.main()
