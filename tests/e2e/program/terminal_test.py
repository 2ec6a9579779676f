#!/usr/bin/env python3
"""The program with an open pipe and at a terminal: prompts, colours, and the remaining time."""

import os
import pty
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
TABLE = "2001:db8::/32 10\n2001:db8:1::/48 20\n2600::/12 40\n"


def at_terminal(*words: str, typed: bytes = b"", after: bytes = b"", **settings: str) -> bytes:
    """Runs the program at a terminal, types after `after` was printed, and returns all of its output."""
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

    def test_answers_come_while_the_pipe_is_open(self) -> None:
        for words, header, match in ((("lookup", "--format", "csv"), b"address,prefix,next_hop\n", b",2001:db8::/32,10\n"),
                                     (("enrich", "--format", "lines"), b"", b"\t2001:db8::/32\t10\n")):  # fmt: skip
            with subprocess.Popen([PROGRAM, *words, "-t", self.table], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                assert process.stdin and process.stdout
                for before, rest in ((b"", b"2001:db8::1\n"), (b"", b"2001:db8::1\n"), (b"2001:", b"db8::1\n")):
                    process.stdin.write(before)
                    process.stdin.flush()
                    time.sleep(0.1 if before else 0)
                    process.stdin.write(rest)
                    process.stdin.flush()
                    if header:
                        self.assertEqual(process.stdout.readline(), header)
                        header = b""
                    self.assertEqual(process.stdout.readline(), b"2001:db8::1" + match)
                # The run ends when its reader closes the pipe, and also at the end of the input.
                process.stdout.close()
                process.stdin.write(b"2001:db8::1\n")
                process.stdin.close()
                self.assertEqual(process.wait(20), 0)

    def test_explain_has_colours(self) -> None:
        words = ("explain", "-t", self.table, "2001:db8::1")
        self.assertIn(b"\x1b[1;32m  2001:db8::/32", at_terminal(*words))
        # Progress erases its line there.
        self.assertNotRegex(at_terminal(*words, NO_COLOR="1"), rb"\x1b\[[0-9;]*m")

    def test_benchmarks_tell_the_time_that_is_left(self) -> None:
        # 10 rounds of 8 cases take at least 30 ms each; the rest depends on the machine.
        little = ("--batch", "1,2,4,8,16,32,64", "--rounds", "10", "--round-ms", "30", "--addresses", "20000")
        printed = at_terminal("lab", "bench", "lookup", "--table", self.table, "--scheme", "default", "--isa", "scalar", "--workloads", "match", *little)
        left = [int(seconds) for seconds in re.findall(rb"; about (\d+) s left", printed)]
        self.assertGreater(len(left), 5, printed)
        self.assertGreaterEqual(max(left), 2)
        self.assertIn(b"round 10 of 10; about 0 s left", printed)


if __name__ == "__main__":
    unittest.main()
