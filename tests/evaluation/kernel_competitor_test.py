#!/usr/bin/env python3
"""The running kernel as a competitor: all answers are compared, a wrong answer discards the timings, and nothing remains in the system
afterwards."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "lab/competitors/kernel"
PROGRAM = os.environ.get("FINGERPOST") or str(ROOT / "build/bin/fingerpost")
NOBODY = "65534"
NO_TEST = 77
ROUNDS = 5  # the minimum number of rounds, plus one to warm up

Row = dict[str, Any]


def start(
    *words: str, before: tuple[str, ...] = (), python: str = sys.executable, folder: str | None = None
) -> "subprocess.Popen[str]":
    environment = os.environ | {"FINGERPOST": PROGRAM} | ({"TMPDIR": folder} if folder else {})
    command = [*before, python, str(FOLDER / "run.py"), "--addresses", "1000", "--rounds", "1", *words]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def told(process: "subprocess.Popen[str]") -> Any:
    out, err = process.communicate(timeout=120)
    if process.returncode != 0:
        raise AssertionError(f"exit code {process.returncode}: {err}")
    return json.loads(out)


def children(of: int) -> Iterator[int]:
    """Yields the descendants of a process."""
    try:
        below = Path(f"/proc/{of}/task/{of}/children").read_text(encoding="ascii").split()
    except OSError:
        return
    for one in map(int, below):
        yield one
        yield from children(one)


def name_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def namespaces_of(processes: list[int]) -> set[str]:
    """Returns the network namespaces of these processes."""
    found = set()
    for one in processes:
        try:
            found.add(os.readlink(f"/proc/{one}/ns/net"))
        except OSError:
            continue
    return found


def wait_until(holds: Callable[[], bool], seconds: float = 20) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.01)
    return False


class Answers(unittest.TestCase):
    def check_all_right(self, rows: list[Row], family: int, routes: int) -> None:
        self.assertEqual(
            {(row["workload"], row["way"]) for row in rows}, {(w, way) for w in ("match", "warm") for way in ("table", "rules")}
        )
        for row in rows:
            # 1,000 addresses are padded to 1,024, and 5,000 of the warm traffic to 8,192.
            self.assertEqual(row["checked"], (ROUNDS + 1) * (1024 if row["workload"] == "match" else 8192))
            self.assertEqual((row["wrong"], row["rounds"], row["family"], row["routes"]), (0, ROUNDS, family, routes))
            self.assertGreater(row["ns"], 10)
            self.assertLessEqual(row["ns_q1"], row["ns"])
            self.assertLessEqual(row["ns"], row["ns_q3"])
            self.assertLess(0, row["loop_ns"])
            self.assertGreaterEqual(row["insert_seconds"], 0)
            self.assertRegex(row["series"], r"^Linux \d+\.\d+ \(bpf_fib_lookup\)$")

    def test_all_answers_of_both_families_are_compared(self) -> None:
        rows = told(start("--generate", "tier1-v6:300"))["rows"]
        self.check_all_right(rows, 6, 300)
        # Each fork joins two neighbours, so there is about one node per route, in addition to the routes.
        self.assertTrue(300 < rows[0]["nodes"] < 600, rows[0])
        rows = told(start("--generate", "tier1-v4:300"))["rows"]
        self.check_all_right(rows, 4, 300)
        self.assertTrue(0 < rows[0]["depth"] < 16, rows[0])

    def test_next_hops_of_the_table_are_compared(self) -> None:
        rows = told(start("--generate", "tier1-v4:300", "--next-hops", "table"))["rows"]
        self.check_all_right(rows, 4, 300)
        self.assertLess(int(rows[0]["next_hops"]), 100)

    def test_a_table_of_a_file_and_addresses_without_a_route(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "table.txt")
            path.write_text("2001:db8::/32 5\n2001:db8:1::/48 6\n2001:db8:1:2::/64 7\n", encoding="ascii")
            rows = told(start("--table", str(path), "--next-hops", "table"))["rows"]
        self.assertEqual({(row["wrong"], row["table"], row["routes"]) for row in rows}, {(0, "table.txt", 3)})

    def altered(self, change: str) -> list[Row]:
        """Returns the rows of a run in which sed has changed the answers of fingerpost."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "fingerpost")
            pipe = f'{shlex.quote(PROGRAM)} "$@" | if [ "$1" = lookup ]; then sed \'{change}\'; else cat; fi'
            program.write_text(f"#!/bin/sh\n{pipe}\n", encoding="ascii")
            program.chmod(0o755)
            rows: list[Row] = told(start("--generate", "tier1-v6:300", "--program", str(program)))["rows"]
            return rows

    def test_a_wrong_answer_is_counted_and_gives_no_number(self) -> None:
        # The second line is the first address. It gets another route first, and then no route.
        for change in ("2s/,[0-9]*$/,4000000/", "2s/,[^,]*,[^,]*$/,,/"):
            rows = self.altered(change)
            self.assertEqual(len(rows), 4)
            for row in rows:
                self.assertEqual(row["wrong"], ROUNDS + 1)
                numbers = {name for name, value in row.items() if isinstance(value, (int, float))}
                self.assertEqual(numbers, {"wrong", "checked", "family", "routes", "batch"})

    def test_schemes_beside_it_have_the_same_fields(self) -> None:
        command = [
            sys.executable,
            str(FOLDER / "own_schemes.py"),
            "--generate",
            "tier1-v6:300",
            "--addresses",
            "1000",
            "--rounds",
            "1",
        ]
        done = subprocess.run(command, env=os.environ | {"FINGERPOST": PROGRAM}, capture_output=True, text=True, check=True)
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual({row["series"] for row in rows}, {"fib6_radix", "lpc_trie", "packed_leaves"})
        for row in rows:
            self.assertEqual(row["wrong"], 0)
            self.assertTrue({"ns", "ns_q1", "ns_q3", "bytes", "bytes_per_route", "nodes", "depth", "build_ms"} <= row.keys())


class Traces(unittest.TestCase):
    """The traces of a run in the system."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.sources = sorted(FOLDER.rglob("*"))

    def check_nothing_is_left(self, processes: list[int], namespaces: set[str]) -> None:
        self.assertTrue(wait_until(lambda: not any(Path(f"/proc/{one}").exists() for one in processes)), "a process is left")
        everywhere = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
        self.assertFalse(namespaces & namespaces_of(everywhere), "a process is left in the namespace")
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
        self.assertFalse([one for one in namespaces if one in mounts], "the namespace has a name")
        self.assertEqual(os.listdir(self.folder), [])
        self.assertEqual(sorted(FOLDER.rglob("*")), self.sources)
        for name in ("kernel_lookup", "table.txt", "routes.batch"):
            self.assertFalse(Path("/dev/shm", name).exists())

    def long_run(self) -> "subprocess.Popen[str]":
        process = start("--generate", "tier1-v6:20000", "--seconds", "60", "--rounds", "1000000", folder=self.folder)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def stopped(self, how: signal.Signals, at: str) -> tuple[list[int], set[str], int]:
        """Interrupts a run while the program `at` works. Returns the run's processes, namespaces and exit code."""
        process = self.long_run()
        self.assertTrue(wait_until(lambda: any(name_of(one) == at for one in children(process.pid))), f"{at} was not started")
        below = list(children(process.pid))
        namespaces = namespaces_of(below) - namespaces_of([os.getpid()])
        self.assertEqual(len(namespaces), 1)
        process.send_signal(how)
        process.wait(timeout=20)
        return [process.pid, *below][1:], namespaces, process.returncode

    def test_nothing_is_left_of_a_run_that_ends(self) -> None:
        process = start("--generate", "tier1-v6:300", folder=self.folder)
        self.assertTrue(wait_until(lambda: any(True for _ in children(process.pid))))
        below = list(children(process.pid))
        namespaces = namespaces_of(below) - namespaces_of([os.getpid()])
        self.assertIn("rows", told(process))
        self.check_nothing_is_left(below, namespaces)

    def test_nothing_is_left_of_a_run_that_is_stopped(self) -> None:
        for how in (signal.SIGTERM, signal.SIGKILL):
            for at in ("ip", "kernel_lookup"):
                with self.subTest(how=how.name, at=at):
                    processes, namespaces, code = self.stopped(how, at)
                    self.assertEqual(code, 128 + how if how == signal.SIGTERM else -how)
                    self.check_nothing_is_left(processes, namespaces)

    def test_nothing_is_left_of_a_run_that_fails_half_way(self) -> None:
        # When the lookup program fails, the device exists already, and perhaps the table.
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "fingerpost")
            program.write_text(f'#!/bin/sh\n[ "$1" = lookup ] && exit 1\nexec {shlex.quote(PROGRAM)} "$@"\n', encoding="ascii")
            program.chmod(0o755)
            process = start("--generate", "tier1-v6:300", "--program", str(program), folder=self.folder)
            self.assertTrue(wait_until(lambda: any(True for _ in children(process.pid))))
            below = list(children(process.pid))
            namespaces = namespaces_of(below) - namespaces_of([os.getpid()])
            out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (1, ""))
        self.assertIn("fails", err)
        self.check_nothing_is_left(below, namespaces)


class Skipped(unittest.TestCase):
    def check_skipped(self, process: "subprocess.Popen[str]") -> None:
        said = told(process)
        self.assertEqual(list(said), ["skipped"])
        self.assertIn("refused", said["skipped"])

    @unittest.skipUnless(shutil.which("setpriv"), "there is no setpriv")
    def test_without_privileges_it_is_skipped_with_a_word(self) -> None:
        self.check_skipped(start("--generate", "tier1-v6:300", before=("setpriv", "--bounding-set=-all", "--inh-caps=-all")))

    @unittest.skipUnless(shutil.which("setpriv"), "there is no setpriv")
    def test_another_user_is_skipped_with_a_word(self) -> None:
        other = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
        # An interpreter below root's home is not accessible for other users, nor is the project in some cases.
        able = [python for python in (sys.executable, "/usr/bin/python3") if self.may(*other, python, "--version")]
        if not able or not self.may(*other, "test", "-x", PROGRAM) or not self.may(*other, "test", "-r", str(FOLDER / "run.py")):
            self.skipTest("another user may not read the project or run Python")
        self.check_skipped(start("--generate", "tier1-v6:300", before=other, python=able[0]))

    @unittest.skipUnless(shutil.which("setpriv"), "there is no setpriv")
    def test_a_kernel_that_refuses_bpf_is_told_from_a_failure(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program, zeros = Path(folder, "kernel_lookup"), Path(folder, "zeros")
            compiler = os.environ.get("CC", "cc").split()
            warnings = ("-Wall", "-Wextra", "-Werror", "-std=c11", "-O2")
            subprocess.run([*compiler, *warnings, "-o", program, FOLDER / "kernel_lookup.c"], check=True)
            zeros.write_bytes(bytes(64 * 16))
            expected = Path(folder, "expected")
            expected.write_bytes(bytes(64 * 4))
            words = [str(program), "6", "1", str(zeros), str(expected), "1", "1"]
            without = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *words]
            done = subprocess.run(without, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn("not permitted", done.stderr)
            # A file of another length must not be reported as a refusal.
            expected.write_bytes(bytes(5))
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("wrong", done.stderr)

    def may(self, *command: str) -> bool:
        try:
            return subprocess.run(command, capture_output=True, check=False).returncode == 0
        except OSError:
            return False


if __name__ == "__main__":
    first = told(start("--generate", "tier1-v6:10"))
    if "skipped" in first:
        print(f"skipped: {first['skipped']}")
        sys.exit(NO_TEST)
    unittest.main()
