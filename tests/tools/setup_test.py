#!/usr/bin/env python3
"""Tests tools/setup with a stub apt that records its arguments: what is installed, what stays, and what is printed."""

import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# `installed` and `candidate` are versions of the kernel headers; `fails` is the apt-get sub-command that fails.
FAKES = {
    "dpkg-query": 'shift 3; for name in "$@"; do [ "$name" = "$MISSING" ] || echo "installed $name"; done',
    "apt-config": "echo \"lists='$LISTS/'\"",
    "apt-cache": """
[ "$2" = linux-libc-dev ] || INSTALLED=$CANDIDATE
printf '%s:\\n  Installed: %s\\n  Candidate: %s\\n' "$2" "$INSTALLED" "$CANDIDATE" """,
    "apt-get": """
echo "$*" >>"$CALLS"
case " $* " in *" $FAILS "*) echo no network; exit 1 ;; esac""",
    "sleep": ":",
    "sudo": 'exec "$@"',
}


class Setup(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.calls = self.root / "calls"
        self.partial = self.root / "lists/partial"
        self.partial.mkdir(parents=True)
        for name, text in FAKES.items():
            (self.root / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.root / name).chmod(0o755)

    def run_setup(self, tier: str, **settings: str) -> tuple[int, str, list[str]]:
        """Returns the exit status, the messages and the calls of apt-get."""
        self.calls.write_text("")
        state = {"INSTALLED": "6.1.4-1", "CANDIDATE": "6.1.4-1", "MISSING": "", "FAILS": "none", **settings}
        paths = {"PATH": f"{self.root}:{os.environ['PATH']}", "CALLS": str(self.calls), "LISTS": str(self.root / "lists")}
        environment = {name: value for name, value in os.environ.items() if name != "FINGERPOST_SETUP"}
        done = subprocess.run(
            [ROOT / "tools/setup", tier],
            env={**environment, **state, **paths},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout, self.calls.read_text().splitlines()

    def age_lists(self) -> None:
        long_ago = time.time() - 3 * 86400
        os.utime(self.partial, (long_ago, long_ago))

    def test_all_is_current(self) -> None:
        self.assertEqual(self.run_setup("ci"), (0, "setup: all packages for ci are there\n", []))

    def test_headers_of_the_compiler_are_brought_up_to_date_in_ci_alone(self) -> None:
        status, said, calls = self.run_setup("ci", CANDIDATE="6.1.192-2")
        self.assertEqual((status, said), (0, "setup: installing for ci: linux-libc-dev\nsetup: done\n"))
        self.assertTrue(calls[-1].endswith(" linux-libc-dev"), calls)
        for tier in ("build", "test", "router"):
            self.assertEqual(self.run_setup(tier, CANDIDATE="6.1.192-2")[2], [])

    def test_old_lists_are_updated_first(self) -> None:
        self.age_lists()
        status, said, calls = self.run_setup("ci")
        self.assertEqual((status, said), (0, "setup: all packages for ci are there\n"))
        self.assertEqual([call.split()[-1] for call in calls], ["update"])

    def test_without_a_network_it_goes_on_with_what_is_there(self) -> None:
        self.age_lists()
        status, said, _ = self.run_setup("ci", FAILS="update")
        self.assertEqual(status, 0)
        self.assertIn("not known whether linux-libc-dev libc6-dev are up to date", said)
        status, said, _ = self.run_setup("ci", CANDIDATE="6.1.192-2", FAILS="install")
        self.assertEqual(status, 0)
        self.assertIn("going on with older linux-libc-dev", said)

    def test_what_is_missing_is_an_error_without_a_network(self) -> None:
        status, said, _ = self.run_setup("ci", MISSING="clang-16", FAILS="install")
        self.assertEqual(status, 1)
        self.assertIn("setup: apt-get could not install: clang-16", said)


if __name__ == "__main__":
    unittest.main()
