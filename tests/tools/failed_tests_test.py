#!/usr/bin/env python3
"""tools/failed_tests prints the output of failed tests, here from real runs of ctest."""

import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent.parent.parent / "tools/failed_tests"


def printed(tests: str) -> str:
    with tempfile.TemporaryDirectory() as build:
        Path(build, "CTestTestfile.cmake").write_text(tests, encoding="utf-8")
        subprocess.run(["ctest", "--test-dir", build], capture_output=True, check=False)
        return subprocess.run([TOOL, build], capture_output=True, text=True, check=True).stdout


class FailedTests(unittest.TestCase):
    def test_the_output_of_a_test_that_failed_is_printed(self) -> None:
        text = printed('add_test(a/good "/bin/echo" "fine")\nadd_test(b/bad "/bin/sh" "-c" "seq 50; exit 3")\n')
        lines = [str(number) for number in range(11, 51)]
        self.assertEqual(text.splitlines(), ["--- b/bad: the last lines of its output", *lines])

    def test_of_many_cases_those_that_failed_are_printed(self) -> None:
        output = ["[ RUN      ] A.good", "fine", "[       OK ] A.good (0 ms)", "[ RUN      ] A.bad", "wrong", "[  FAILED  ] A.bad (1 ms)", "[ RUN      ] A.ends", "why"]
        text = printed(f'add_test(a "/bin/sh" "-c" "printf \'%s\\\\n\' {" ".join(repr(line) for line in output)}; exit 1")\n')
        self.assertEqual(text.splitlines()[1:], output[3:])

    def test_nothing_is_printed_when_all_pass(self) -> None:
        self.assertEqual(printed('add_test(a/good "/bin/echo" "fine")\n'), "")


if __name__ == "__main__":
    unittest.main()
