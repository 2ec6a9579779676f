#!/usr/bin/env python3
"""The head of each scheme names its tests and the order in which to read its files. Both must match the tree."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SCHEMES = ROOT / "fingerpost/schemes"


def statement(head: str, start: str) -> str:
    """Returns the text after `start` in the opening comment, up to the full stop, as one line."""
    prose = " ".join(line.removeprefix("//").strip() for line in head.split("#pragma once", 1)[0].splitlines())
    match = re.search(re.escape(start) + r" (.*?)\.(?: |$)", prose)
    return match[1] if match else ""


def named_files(text: str) -> list[str]:
    """Expands the names in a list of files: `NAME.{hpp,cpp}` stands for two."""
    names = []
    for word in text.replace("{hpp,cpp}", "{hpp;cpp}").split(","):
        stem, both, _ = word.strip().partition("{hpp;cpp}")
        names += [stem + ending for ending in ("hpp", "cpp")] if both else [stem]
    return names


def faults_of(folder: Path, tests: Path) -> list[str]:
    head = (folder / f"{folder.name}.hpp").read_text(encoding="utf-8")
    faults = []
    named = named_files(statement(head, "Reading order:"))
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    faults += [f"{name} is missing in its order of reading" for name in sorted(there - set(named))]
    faults += [f"{name} is named, and is no file" for name in sorted(set(named) - there)]
    faults += [f"{name} is named twice" for name in sorted({name for name in named if named.count(name) > 1})]
    tested = statement(head, "Tested by:")
    own = f"tests/schemes/{folder.name}"
    if "registry's suites" not in tested:
        faults.append("it does not say which tests it has")
    if (tests / folder.name).is_dir() != (own in tested):
        faults.append(f"it says something else of {own} than there is")
    return [f"{folder.name}: {fault}" for fault in faults]


class SchemeHeads(unittest.TestCase):
    def test_each_head_names_its_tests_and_files(self):
        folders = sorted(path for path in SCHEMES.iterdir() if path.is_dir())
        self.assertGreater(len(folders), 20)
        self.assertEqual([], [fault for folder in folders for fault in faults_of(folder, ROOT / "tests/schemes")])

    def test_lists_are_read(self):
        head = "// One.\n//\n// Tested by: x.\n// Reading order: a.hpp, b/c.{hpp,cpp},\n// d.hpp.\n#pragma once\n"
        self.assertEqual("x", statement(head, "Tested by:"))
        self.assertEqual(["a.hpp", "b/c.hpp", "b/c.cpp", "d.hpp"], named_files(statement(head, "Reading order:")))
        self.assertEqual("", statement(head, "Source:"))


if __name__ == "__main__":
    unittest.main()
