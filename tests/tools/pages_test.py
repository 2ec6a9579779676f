#!/usr/bin/env python3
"""The runner of tests/pages reports wrong pages, and `--update` corrects them and keeps the varying parts."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

RUNNER = Path(__file__).resolve().parents[1] / "pages/run.py"
PROGRAM = """#!/bin/sh
[ "$1" = fail ] && { echo 'fingerpost: failed' >&2; exit 3; }
[ "$1" = mixed ] && echo 'fingerpost: a message'
printf 'one %s\\ntwo\\nthree\\n' "$$"
"""
RIGHT = """A page.
```text f
text
```
```console
$ fingerpost
one {...}
two
three
$ fingerpost | tr -d '\\n' | sed 's/one [0-9]*/\\t/'
␉twothree
(no line end)
$ fingerpost fail && cat f
fingerpost: failed
[3]
$ for one in 1 2; do
>   cat f
> done
text
text
$ fingerpost
{...}
three
```
```console 3
$ fingerpost fail
fingerpost: failed
$ true
[0]
```
"""


class Pages(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.page = self.folder / "page.md"
        (self.folder / "program").write_text(PROGRAM)
        (self.folder / "program").chmod(0o755)

    def run_page(self, text: str, *words: str, program: str = "program") -> tuple[int, str]:
        self.page.write_text(text, encoding="utf-8")
        environment = os.environ | {"FINGERPOST": str(self.folder / program)}
        done = subprocess.run([RUNNER, *words, self.page], env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_right_page(self) -> None:
        self.assertEqual(self.run_page(RIGHT), (0, f"{self.page}: 7 commands\n"))

    def test_wrong_pages(self) -> None:
        for before, after, words in [
            ("two\nthree\n$ fingerpost |", "2\nthree\n$ fingerpost |", "-2\n+two\n"),
            ("two\nthree\n$ fingerpost |", "two\n$ fingerpost |", "+three\n"),
            ("one {...}\n", "one {...}\nmore\n", "-more\n"),
            ("[3]", "[2]", "-[2]\n+[3]\n"),
            ("[3]\n", "", "+[3]\n"),
            ("(no line end)\n", "", "+(no line end)\n"),
            ("{...}\nthree\n```", "{...}\n```\n```console\nthree\n```", "does not begin with a command"),
            ("```console", "```consol", "0 commands ran, and there are 7"),
            ("$ fingerpost\n{...}", "$ fingerpost mixed\n{...}", "a message on stdout"),
        ]:  # fmt: skip
            self.assertIn(before, RIGHT)
            code, said = self.run_page(RIGHT.replace(before, after))
            self.assertEqual(code, 1, after)
            self.assertIn(words, said)

    def test_what_is_missing(self) -> None:
        for text, program in [(RIGHT, "none"), (RIGHT, "."), ("No commands.\n", "program")]:
            self.assertEqual(self.run_page(text, program=program)[0], 1)

    def test_update(self) -> None:
        wrong = RIGHT.replace("two\nthree\n$", "2\nthree\nfour\n$").replace("␉two", "two").replace("[3]\n", "").replace("{...}\nthree\n```", "{...}\nfive\n```")
        self.assertEqual(self.run_page(wrong, "--update")[0], 0)
        self.assertEqual(self.page.read_text(encoding="utf-8"), RIGHT)


if __name__ == "__main__":
    unittest.main()
