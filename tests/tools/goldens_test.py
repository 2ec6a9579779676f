#!/usr/bin/env python3
"""Tests tools/goldens with a stub program: a changed answer is reported and shown."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Two schemes. `two` serves only IPv4 and refuses the table of hosts.
FAKE = """#!/usr/bin/python3 -S
import json, sys
words = sys.argv[1:]
schemes = {"one": [4, 6], "two": [4]}
def say(text, code=0):
    old, new = CHANGE
    sys.stdout.write(text.replace(old, new))
    sys.exit(code)
if words[0] == "schemes":
    say(json.dumps([{"name": name, "families": families} for name, families in schemes.items()]))
if words == ["help"]:
    say("Usage: fake\\n\\nCommands:\\n  info   describes a table\\n\\nExamples:\\n  fake info\\n")
if words[0] == "help":
    say("Usage: fake info\\n\\nOptions:\\n  -t, --table FILE  a table\\n  --steps  shows steps\\n")
if words[0] != "explain":
    say(" ".join(words) + ": " + (open(words[2]).read()[:50] if "-t" in words else "wrong call"), "-t" not in words)
scheme, is_json, addresses = words[4], words[5] == "--format", words[7 if words[5] == "--format" else 5 :]
if scheme == "two" and "hosts" in words[2]:
    say("refused", 1)
steps = [f"{address} is covered.\\n\\nstep to {address} by {scheme}" for address in addresses]
say(f'{{"memory_bytes": 7, "steps": "to {addresses[0]} by {scheme}"}}' if is_json else "\\n\\n\\n".join(steps))
"""
TABLES = ("default", "nested_ipv4", "hosts", "pages")


class Goldens(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        (cls.folder / "goldens").mkdir()
        cls.old = cls.program("old", ("", ""))
        cls.images = cls.folder / "images"
        cls.images.write_text('#!/bin/sh\nprintf "IPv$1 "; cat "$2"\n')
        cls.images.chmod(0o755)
        assert cls.run_it("make", cls.old).returncode == 0

    @classmethod
    def program(cls, name: str, change: tuple[str, str]) -> Path:
        path = cls.folder / name
        path.write_text(FAKE.replace("CHANGE", repr(change), 1))
        path.chmod(0o755)
        return path

    @classmethod
    def run_it(cls, action: str, program: Path, *options: str | Path, tables: tuple[str, ...] = TABLES) -> subprocess.CompletedProcess:
        command = [sys.executable, ROOT / "tools/goldens", action, *tables, "--program", program, "--images", cls.images]
        return subprocess.run([*command, "--goldens", cls.folder / "goldens", *options], check=False, capture_output=True, text=True)

    def changed(self, table: str, old: str, new: str, *options: str | Path) -> str:
        result = self.run_it("check", self.program("new", (old, new)), *options, tables=(table,))
        self.assertEqual(result.returncode, 1, result.stderr)
        return result.stderr

    def test_the_same_program_has_no_differences(self):
        result = self.run_it("check", self.old)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        # 100 explanations per family by each of the two schemes; structure, info and tree for three cases each; and the table and its
        # images.
        self.assertIn("default: 312 texts, 0 differences\n", result.stdout)
        self.assertIn("pages: 6 texts, 0 differences\n", result.stdout)

    def test_a_changed_explanation_is_shown(self):
        said = self.changed("default", "step to 218.227.223.156 by two", "step to 218.227.223.157 by two")
        self.assertTrue(said.startswith("default: explain, two, 218.227.223.156: differs\n"), said)
        self.assertIn("\n    -step to 218.227.223.156 by two", said)
        self.assertIn("\n    +step to 218.227.223.157 by two", said)
        self.assertEqual(said.count("differs"), 1)

    def test_of_a_digest_an_older_program_shows_the_difference(self):
        change = ("nested_ipv4", "step to 10.1.2.253 by one", "step to 10.1.2.253 by won")
        said = self.changed(*change)
        self.assertTrue(said.startswith("nested_ipv4: explain, one, 10.1.2.253: differs\n"), said)
        self.assertIn("--old PROGRAM", said)
        self.assertIn("\n    +step to 10.1.2.253 by won", said)
        said = self.changed(*change, "--old", self.old)
        self.assertIn("\n    -step to 10.1.2.253 by one", said)
        self.assertNotIn("--old PROGRAM", said)

    def test_a_scheme_that_refuses_a_table_leaves_the_others(self):
        self.assertRegex(self.changed("hosts", " by one", " by won"), r"hosts: explain, one, [0-9.]+: differs\n")
        said = self.changed("hosts", "refused", "accepted")
        self.assertRegex(said, r"hosts: explain, two, [0-9.]+: differs\n")
        self.assertIn("\n    -refused[1]\n    +accepted[1]\n", said)
        self.assertNotIn("explain, one", said)

    def test_info_tree_and_pages_are_shown(self):
        self.assertIn("nested_ipv4: tree of IPv4, two: differs\n    ---", self.changed("nested_ipv4", "tree -t nested_ipv4.txt --family 4", "tree"))
        self.assertIn("pages: help info: differs\n", self.changed("pages", "shows steps", "prints steps"))
        self.assertIn("    +info --steps nonsense --nonsense: right call", self.changed("pages", "wrong", "right"))

    def test_images_are_compared(self):
        text = self.images.read_text()
        self.addCleanup(self.images.write_text, text)
        self.images.write_text(text.replace("IPv$1", "IPV$1"))
        result = self.run_it("check", self.old, tables=("nested_ipv4",))
        self.assertEqual(result.returncode, 1)
        self.assertTrue(result.stderr.startswith("nested_ipv4: image of IPv4: differs\n"), result.stderr)

    def test_a_scheme_that_is_missing_is_named(self):
        said = self.changed("nested_ipv4", '{"name": "one", "families": [4, 6]}, ', "")
        self.assertIn("nested_ipv4: info of IPv4, one: differs\n    is missing\n", said)


if __name__ == "__main__":
    unittest.main()
