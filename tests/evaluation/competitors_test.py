#!/usr/bin/env python3
"""lab/competitors on small tables: right answers give results, wrong answers give none, and missing software is skipped with a reason.

Python's competitors come from build/python-competitors or build/python. Those in Go and Rust are fetched and built only with
FINGERPOST_COMPETITORS=all, as in `make test-competitors`.
"""

import array
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "lab/competitors"))

from builds import MissingError, build_c, find_python
from dpdk import rows_of as dpdk_rows
from programs import BASELINE, Competitor, chosen
from turns import Pace, measure
from workload import Source, write_workload

PROGRAM = Path(os.environ.get("FINGERPOST") or ROOT / "build/bin/fingerpost")
ALL = os.environ.get("FINGERPOST_COMPETITORS") == "all"
QUICK = ["--turns", "3", "--round-ms", "2", "--addresses", "8192", "--budget", "0"]
TABLES = {6: "rrc00-19:3000", 4: "tier1-v4:3000"}
FIGURES = {"mlps", "mlps_q1", "mlps_q3", "ratio", "batch_ratio", "bytes", "build_ms"}
# A competitor that claims to have looked up everything, with one wrong answer.
LIAR = """
import json
print(json.dumps({"version": "1", "call": "guess", "language": "Python", "bytes": 1, "bytes_kind": "none", "build_ms": 1,
                  "checked": 100, "wrong": 1}), flush=True)
input()
"""
DEAD = "import sys; sys.exit('no memory for the table')"


def interpreter() -> str:
    """Returns a Python that has the packages, or an empty string."""
    for folder in ("build/python-competitors", "build/python"):
        found = os.environ.get("FINGERPOST_COMPETITORS_PYTHON") or str(ROOT / folder / "bin/python")
        with contextlib.suppress(MissingError):
            find_python(found)
            return found
    return ""


PYTHON = interpreter()


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {"FINGERPOST": str(PROGRAM), "FINGERPOST_COMPETITORS_PYTHON": PYTHON or "/nowhere/python"}
    command = [sys.executable, str(ROOT / "lab/competitors/run.py"), *arguments]
    return subprocess.run(
        command, env=os.environ | settings | environment, capture_output=True, text=True, check=False
    )


class Competitors(unittest.TestCase):
    def rows(self, *arguments: str, **environment: str) -> list[dict]:
        done = run(*QUICK, *arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(list(document), ["rows"], document)
        return document["rows"]

    def check_measured(self, row: dict, family: int) -> None:
        self.assertEqual((row["family"], row["routes"], row["rounds"] >= 3), (family, 3000, True), row)
        # The timed addresses, plus four around each route.
        self.assertEqual((row["checked"], row["wrong"]), (8192 + 4 * 3000, 0), row)
        # No installed package builds the file that maxminddb reads.
        for name in FIGURES - ({"build_ms"} if row["series"].startswith("maxminddb") else set()):
            self.assertGreater(row[name], 0, row)
        self.assertLessEqual(row["mlps_q1"], row["mlps_q3"])
        self.assertTrue(row["bytes_kind"] and row["call"], row)

    def check_languages(self, *languages: str) -> None:
        for family, table in TABLES.items():
            with self.subTest(family=family):
                wanted = [one.name for one in chosen(list(languages))]
                single, batch, *others = self.rows("--competitors", ",".join(languages), table)
                self.assertEqual(
                    (single["batch"], single["ratio"], batch["batch"], batch["batch_ratio"]), (1, 1, 64, 1)
                )
                self.assertEqual([row["series"].rsplit(" ", 1)[0] for row in others], wanted)
                self.assertEqual([single["series"], batch["series"]], ["packed_leaves"] * 2)
                for row in (single, batch, *others):
                    self.check_measured(row, family)
                for row in others:
                    self.assertRegex(row["series"], r" \d+\.\d+")

    @unittest.skipUnless(
        PYTHON, "no Python with pytricia, py-radix and maxminddb: tools/python_env competitors makes one"
    )
    def test_python_and_c(self) -> None:
        self.check_languages("python")

    @unittest.skipUnless(ALL, "Go's and Rust's competitors are built by `make test-competitors`")
    def test_go_and_rust(self) -> None:
        for tool, language in (("go", "go"), ("cargo", "rust")):
            with self.subTest(language=language):
                if not shutil.which(tool):
                    self.skipTest(f"{tool} is not installed")
                rows = self.rows("--competitors", language, TABLES[6])
                if "skipped" in rows[-1]:
                    self.skipTest(rows[-1]["skipped"])
                self.check_languages(language)

    @unittest.skipUnless(
        PYTHON, "no Python with pytricia, py-radix and maxminddb: tools/python_env competitors makes one"
    )
    def test_routes_in_random_order_get_the_same_answers(self) -> None:
        rows = self.rows("--competitors", "pytricia", "--order", "random", TABLES[6])
        self.assertEqual([(row["order"], row["wrong"]) for row in rows], [("random", 0)] * 3)

    def test_a_wrong_answer_leaves_no_figure(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            workload = write_workload(PROGRAM, Source(TABLES[6]), Path(folder), 4096, 1)
            expected = Path(folder, "expected.bin")
            answers = array.array("I", expected.read_bytes())
            for at in (0, 4095, 4096, len(answers) - 1):
                answers[at] ^= 1
            expected.write_bytes(answers.tobytes())
            competitors = chosen(["pytricia"]) if PYTHON else []

            def build(one: Competitor) -> list[str]:
                return build_c(PROGRAM) if one is BASELINE else find_python(PYTHON)

            rows = measure(competitors, build, workload, Pace(3, 2, 0, time.monotonic()))
        self.assertEqual(len(rows), 2 + len(competitors))
        for row in rows:
            self.assertEqual((row["checked"], row["wrong"]), (len(answers), 4), row)
            self.assertFalse(FIGURES & set(row), row)

    def test_a_competitor_that_is_wrong_or_dies_spoils_no_other(self) -> None:
        scripts = {"liar": LIAR, "dead": DEAD}

        def build(one: Competitor) -> list[str]:
            if one.name in scripts:
                return [sys.executable, "-c", scripts[one.name]]
            if one.name == "absent":
                raise MissingError("absent is not installed")
            return build_c(PROGRAM)

        competitors = [Competitor(name, "Python", name) for name in ("liar", "dead", "absent")]
        # The default scheme under another name, which is as good a competitor as any.
        competitors += [
            Competitor("twin", "C", "packed_leaves"),
            Competitor("small", "C", "packed_leaves", 100, "it is small"),
        ]
        with tempfile.TemporaryDirectory() as folder:
            workload = write_workload(PROGRAM, Source(TABLES[4]), Path(folder), 4096, 1)
            single, batch, *rows = measure(competitors, build, workload, Pace(3, 2, 0, time.monotonic() + 60))
        liar, dead, absent, twin, small = rows
        self.assertEqual((liar["wrong"], liar["series"], FIGURES & set(liar)), (1, "liar 1", set()))
        self.assertEqual((dead["failed"], FIGURES & set(dead)), ("no memory for the table", set()))
        self.assertEqual(absent["skipped"], "absent is not installed")
        self.assertEqual(small["skipped"], "not tried with more than 100 routes: it is small")
        for row in (single, batch, twin):
            self.assertEqual((row["wrong"], row["rounds"]), (0, 3))
        self.assertTrue(0.1 < twin["ratio"] < 10, twin)

    def test_what_is_missing_is_skipped(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            # A compiler that also requires these two libraries, and nothing else.
            for name in ("cc", "as", "ld"):
                Path(folder, name).symlink_to(shutil.which(name))
            missing = {"PATH": folder, "FINGERPOST_COMPETITORS_PYTHON": "/nowhere/python"}
            single, _, *rows = self.rows(TABLES[6], **missing)
        self.assertGreater(single["mlps"], 0)
        said = {row["language"]: row["skipped"] for row in rows}
        self.assertEqual(len(rows), len(chosen([])))
        self.assertEqual((said["Go"], said["Rust"]), ("go is not installed", "cargo is not installed"))
        self.assertIn("/nowhere/python", said["Python"])

    def test_a_table_or_a_program_that_is_not_there_is_a_skip(self) -> None:
        for arguments, environment, reason in (
            (["/nowhere/table.txt"], {}, "/nowhere/table.txt is not a file"),
            ([TABLES[6]], {"FINGERPOST": "/nowhere/fingerpost"}, "/nowhere/fingerpost is not there"),
            ([TABLES[6]], {"CC": "/nowhere/cc"}, "/nowhere/cc"),
        ):
            with self.subTest(reason=reason):
                done = run(*QUICK, "--competitors", "python", *arguments, **environment)
                self.assertEqual(
                    (done.returncode, list(json.loads(done.stdout))), (0, ["skipped"]), done.stderr
                )
                self.assertIn(reason, done.stdout)

    def test_dpdk_where_the_build_has_it(self) -> None:
        command = [
            ROOT / "lab/competitors/dpdk.py",
            "--rounds",
            "3",
            "--round-ms",
            "1",
            "--addresses",
            "16384",
        ]
        done = subprocess.run(
            [sys.executable, *command, TABLES[6]],
            env=os.environ | {"FINGERPOST": str(PROGRAM)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        if "skipped" in document:
            self.assertIn("this build has no DPDK", document["skipped"])
            return
        series = {row["series"] for row in document["rows"]}
        self.assertTrue({"packed_leaves", "dpdk_lpm6"} < series, series)
        for row in document["rows"]:
            self.assertEqual((row["routes"], row["wrong"]), (3000, 0))
            self.assertGreater(row["ratio"], 0)
        self.assertEqual(document["rows"][0]["ratio"], 1)

    def test_results_of_dpdk_with_wrong_answers_have_no_figures(self) -> None:
        one = {
            "scheme": "packed_leaves",
            "isa": "scalar",
            "batch": 1,
            "family": 6,
            "routes": 1,
            "workload": "match",
        }
        one |= {
            "checked": 9,
            "wrong": 0,
            "rounds": 3,
            "mlps_rounds": [1, 2, 3],
            "bytes": 8,
            "build_ms_median": 1,
        }
        wrong = one | {"scheme": "dpdk_fib6", "wrong": 2}
        rows = dpdk_rows([one, wrong], "small")
        self.assertEqual((rows[0]["mlps"], rows[1]["wrong"], FIGURES & set(rows[1])), (2, 2, set()))

    def test_a_wrong_command_line(self) -> None:
        for arguments, reason in (
            ([], "table"),
            ([TABLES[6], "--competitors", "pytrica"], "no competitor 'pytrica'; there are: bart Table"),
            ([TABLES[6], "--addresses", "5000"], "a multiple of 4096"),
            ([TABLES[6], "--turns", "2"], "--turns is at least 3"),
        ):
            with self.subTest(reason=reason):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    if not os.access(PROGRAM, os.X_OK):
        print(f"skipped: {PROGRAM} is not built")
        sys.exit(77)
    unittest.main()
