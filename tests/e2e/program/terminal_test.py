#!/usr/bin/env python3
"""What the program does at a terminal only: it says what it waits for, uses colours, and tells the time that is left."""

import os
import pty
import re
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
TABLE = "2001:db8::/32 10\n2001:db8:1::/48 20\n2600::/12 40\n"


def at_terminal(*words: str, typed: bytes = b"", after: bytes = b"", **settings: str) -> bytes:
    """Runs the program at a terminal, types when `after` has been printed, and returns all that was printed."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.pop("NO_COLOR", None)
        os.environ.update({"TERM": "xterm", **settings})
        os.execv(PROGRAM, [PROGRAM, *words])
    printed = b""
    try:
        while more := os.read(terminal, 1000):
            printed += more
            if typed and after in printed:
                os.write(terminal, typed)
                typed = b""
    except OSError:
        pass
    if os.waitpid(child, 0)[1] != 0:
        raise AssertionError(printed)
    return printed


class Terminal(unittest.TestCase):
    def setUp(self) -> None:
        self.table = str(Path(self.enterContext(tempfile.TemporaryDirectory())) / "table")
        Path(self.table).write_text(TABLE)

    def test_lookup_says_what_it_waits_for(self) -> None:
        printed = at_terminal("lookup", "--table", self.table, typed=b"2001:db8::1\n\4", after=b"Ctrl-D", TERM="dumb")
        self.assertIn(b"fingerpost: reading addresses from the terminal, one per line; end with Ctrl-D", printed)
        self.assertIn(b"2001:db8::1  2001:db8::/32  10", printed)

    def test_explain_has_colours(self) -> None:
        words = ("explain", "-t", self.table, "2001:db8::1")
        self.assertIn(b"\x1b[1;32m  2001:db8::/32", at_terminal(*words))
        # Progress wipes its line there.
        self.assertNotRegex(at_terminal(*words, NO_COLOR="1"), rb"\x1b\[[0-9;]*m")

    def test_benchmarks_tell_the_time_that_is_left(self) -> None:
        # 10 rounds of 8 cases take 30 ms each at least; how much more depends on the machine.
        little = ("--batch", "1,2,4,8,16,32,64", "--rounds", "10", "--round-ms", "30", "--addresses", "20000")
        printed = at_terminal("lab", "bench", "lookup", "--table", self.table, "--scheme", "default", "--isa", "scalar", "--workloads", "match", *little)
        left = [int(seconds) for seconds in re.findall(rb"; about (\d+) s left", printed)]
        self.assertGreater(len(left), 5, printed)
        self.assertGreaterEqual(max(left), 2)
        self.assertIn(b"round 10 of 10; about 0 s left", printed)


if __name__ == "__main__":
    unittest.main()
