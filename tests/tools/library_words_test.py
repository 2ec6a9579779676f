#!/usr/bin/env python3
"""Messages of the library must not contain options of the program, because users of the library do not have these options."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("fingerpost", "io", "capi", "python/core")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def options_in(text: str) -> list[str]:
    return [option for literal in LITERAL.findall(text) for option in OPTION.findall(literal)]


class LibraryWords(unittest.TestCase):
    def test_an_option_is_found(self) -> None:
        self.assertEqual(options_in('fail("x \\" (name one with --network)"); i --j; // --k'), ["--network"])

    def test_messages_name_no_option(self) -> None:
        files = [file for name in FOLDERS for file in (ROOT / name).rglob("*.[chi]*") if file.suffix in {".cpp", ".hpp", ".h"}]
        self.assertGreater(len(files), 300)
        found = {str(file.relative_to(ROOT)): options_in(file.read_text(encoding="utf-8")) for file in files}
        self.assertEqual({file: options for file, options in found.items() if options}, {})


if __name__ == "__main__":
    unittest.main()
