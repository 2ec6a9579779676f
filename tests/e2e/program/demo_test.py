#!/usr/bin/env python3
"""`make demo` fits on a screen of 40 lines, shows its steps in order, and fails when one of its commands fails."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

DEMO = Path(__file__).resolve().parents[3] / "tools/demo"
# make prints up to three lines before these: that all packages are installed, that GoogleTest is missing, and that the program is built.
LINES = 40 - 3
STORY = ["lab generate", "lookup", "explain", "lab bench"]
SCHEMES = {"packed_leaves", "planb", "poptrie", "dir_24_8", "lpc_trie"}
ROW = re.compile(r"(\w+) +(\d+\.\d) +(\d+\.\d\d) +(\d+\.\d)  \w.*")


def demo(program: str) -> subprocess.CompletedProcess:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return subprocess.run([DEMO], check=False, env={**environment, "FINGERPOST": program}, capture_output=True, text=True)


class Demo(unittest.TestCase):
    def test_story_and_figures(self) -> None:
        done = demo(os.environ["FINGERPOST"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertLessEqual(len(lines), LINES, done.stdout)
        self.assertEqual([line for line in lines if len(line) > 100], [])
        self.assertEqual(re.findall(r"^\$ fingerpost ((?:lab )?\w+)", done.stdout, re.M), STORY)
        self.assertGreater(int(re.search(r" (\d+) routes", lines[0])[1]), 900_000)
        self.assertTrue(any("<- the longest match" in line for line in lines), done.stdout)
        self.assertTrue(any(re.fullmatch(r"\d+ steps, \d+ cache lines .*: next hop \d+\.", line) for line in lines), done.stdout)
        rows = {row[1]: [float(figure) for figure in row.groups()[1:]] for row in map(ROW.fullmatch, lines) if row}
        self.assertEqual(rows.keys(), SCHEMES, done.stdout)
        for scheme, (speed, ratio, megabytes) in rows.items():
            self.assertTrue(speed > 0 and ratio > 0 and megabytes > 1, (scheme, speed, ratio, megabytes))
        self.assertEqual(rows["planb"][1], 1)
        self.assertRegex(lines[-1], "^Next: ")

    def test_failure_of_each_command(self) -> None:
        for command in STORY:
            with tempfile.TemporaryDirectory() as folder:
                program = Path(folder) / "fingerpost"
                program.write_text(f'#!/bin/sh\ncase "$*" in "{command}"*) exit 3;; esac\n>table.txt\n')
                program.chmod(0o755)
                self.assertEqual(demo(str(program)).returncode, 3, command)


if __name__ == "__main__":
    unittest.main()
