#!/usr/bin/env python3
"""Runs declared experiments with a stub program: passes, budgets, wrong answers, failures, interruptions."""

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab"))
sys.dont_write_bytecode = True

from evaluation import experiments, results
from evaluation.runner import machine, needs, run
from evaluation.runner.progress import Progress

# Counts its calls in $STUB/calls. What a call of `lab bench lookup` does depends on the schemes that are asked for: `slow` waits,
# `fails` ends with 2, `wrong` answers wrongly; each call is faster than the one before.
PROGRAM = r"""#!/usr/bin/env bash
printf '%s\n' "$*" >>"$STUB/calls"
if [[ $2 == generate ]]; then
    while [[ $1 != -o ]]; do shift; done
    echo 10.0.0.0/8 >"$2"
    exit 0
fi
if [[ $1 == info ]]; then
    echo '{"table": "'"$3"'", "family": 4, "routes": 4, "intervals": 5, "lengths": {"8": 1, "24": 3}, "memory": {"planb": 90}}'
    exit 0
fi
calls=$(grep -c -e --scheme <"$STUB/calls")
all="$*"
while [[ $1 != --output ]]; do shift; done
wrong=0
status=0
mlps=$((calls * 10))
if [[ $all == *rrc00-25:1000\ * ]]; then mlps=1; fi
if [[ $all == *slow* ]]; then sleep "${SLOW:-0.4}"; fi
if [[ $all == *hangs* && ! -e $STUB/hung ]]; then touch "$STUB/hung"; sleep 60 & echo $! >"$STUB/child"; wait; fi
if [[ $all == *fails* ]]; then echo 'stub: no such scheme' >&2; exit 2; fi
if [[ $all == *wrong* ]]; then wrong=7; mlps=null; status=1; fi
cat >"$2" <<END
{"environment": {"cpu": "stub", "commit": "${COMMIT:-abc}", "version": "1"},
 "results": [{"scheme": "planb", "isa": "scalar", "family": 6, "table": "generated rrc00-25", "next_hops": "unmerged", "routes": 5,
  "workload": "match", "mode": "throughput", "batch": 1, "threads": 1, "rounds": 3, "checked": 9, "wrong": $wrong, "mlps": $mlps,
  "mlps_q1": $mlps, "mlps_q3": $mlps, "ratio": $mlps, "bytes": 100, "build_ms_median": 1.5}]}
END
exit $status
"""
CASE = """[[case]]
name = "{name}"
kind = "lookup"
table = "rrc00-25"
arguments = ["--scheme", "{name}"]
"""


def works(process: int) -> bool:
    """Whether a process is running. A zombie is not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"
        self.declared = self.folder / "experiments"
        self.declared.mkdir()
        self.program = self.folder / "fingerpost"
        self.program.write_text(PROGRAM, encoding="utf-8")
        self.program.chmod(0o755)
        self.environment = {"STUB": str(self.folder), "FINGERPOST": str(self.program), "FINGERPOST_TABLES": str(self.folder / "tables")}
        before = dict(os.environ)
        os.environ.update(self.environment)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        self.said = io.StringIO()
        run.WATCHED = 0.05

    def declare(self, name: str, *cases: str, passes: int = 1, budget: float = 60, more: str = "") -> None:
        text = f'name = "{name}"\ntitle = "T"\nquestion = "Q?"\nbudget_seconds = {budget}\npasses = {passes}\npapers = []\n'
        text += "".join(CASE.replace("{name}", case) for case in cases) + more
        (self.declared / f"{name}.toml").write_text(text, encoding="utf-8")

    def run_all(self, fresh: bool = False) -> int:
        runner = run.Runner(experiments.load_all(self.declared), needs.find_places(self.out), False, Progress(0, self.said))
        runner.open(fresh)
        return runner.run()

    def calls(self) -> list[str]:
        lines = (self.folder / "calls").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if "rrc00-25:1000 " not in line]

    def asked(self) -> list[str]:
        return [line.split("--scheme ")[1].split()[0] for line in self.calls() if "--scheme" in line]

    def result(self) -> dict[str, Any]:
        return results.read(self.out / "results.json")

    def test_all_first_passes_come_before_the_second_ones(self) -> None:
        self.declare("a", "x", "y", passes=2)
        self.declare("b", "z", passes=3)
        self.assertEqual(self.run_all(), 0)
        self.assertEqual(self.asked(), ["x", "y", "z", "x", "y", "z", "z"])
        own = self.result()["experiments"]
        self.assertEqual(own["a"]["passes"], {"x": 2, "y": 2})
        self.assertEqual(own["b"]["passes"], {"z": 3})
        row = own["b"]["rows"][0]
        self.assertEqual((row["case"], row["series"], row["table"], row["generated"]), ("z", "planb", "rrc00-25", True))
        self.assertEqual(len(row["ratio_passes"]), 3)
        self.assertEqual(row["mlps"], sorted(row["ratio_passes"])[1])
        self.assertIs(row["settled"], False)

    def test_a_budget_drops_passes_and_never_cases(self) -> None:
        self.declare("a", "slow", "slow2", passes=50, budget=1.5)
        self.assertEqual(self.run_all(), 0)
        passes = self.result()["experiments"]["a"]["passes"]
        self.assertEqual(set(passes), {"slow", "slow2"})
        self.assertGreaterEqual(min(passes.values()), 1)
        self.assertLessEqual(sum(passes.values()), 4)

    def test_no_budget_still_runs_every_case_once(self) -> None:
        self.declare("a", "slow", "x", passes=5, budget=0)
        self.assertEqual(self.run_all(), 0)
        self.assertEqual(self.result()["experiments"]["a"]["passes"], {"slow": 1, "x": 1})

    def test_a_case_that_runs_once(self) -> None:
        self.declare("a", "x", passes=3, more='once = true\n')
        self.assertEqual(self.run_all(), 0)
        self.assertEqual(self.asked(), ["x"])

    def test_a_pass_of_several_processes_has_their_medians(self) -> None:
        self.declare("a", "x", passes=2, more="processes = 3\n")
        self.assertEqual(self.run_all(), 0)
        self.assertEqual(self.asked(), ["x"] * 6)
        own = self.result()["experiments"]["a"]
        self.assertEqual((own["passes"], own["processes"]), ({"x": 2}, {"x": 3}))
        row = own["rows"][0]
        # The six calls return speeds in steps of 10.
        middle = json.loads((self.out / "cases/a/x.1.json").read_text(encoding="utf-8"))["rows"][0]["ratio"]
        self.assertEqual(row["ratio_passes"], [middle, middle + 30])
        self.assertEqual((row["rounds"], row["checked"]), (18, 54))

    def test_a_wrong_process_takes_the_numbers_of_its_pass(self) -> None:
        rows = [[{"series": "a", "mlps": 4, "wrong": 0}], [{"series": "a", "wrong": 2}], [{"series": "a", "mlps": 5, "wrong": 0}]]
        self.assertEqual(results.medians(rows), [{"series": "a", "wrong": 2}])

    def test_wrong_answers_have_no_numbers_and_end_the_run_with_1(self) -> None:
        self.declare("a", "x", "wrong", "y", passes=2)
        self.assertEqual(self.run_all(), 1)
        rows = {row["case"]: row for row in self.result()["experiments"]["a"]["rows"]}
        self.assertEqual(set(rows), {"x", "wrong", "y"})
        self.assertEqual(rows["wrong"]["wrong"], 7)
        self.assertFalse({"mlps", "ratio", "bytes", "build_ms", "settled"} & set(rows["wrong"]))
        self.assertIn("wrong answers: a/wrong: planb (7 of them)", self.said.getvalue())

    def test_a_failure_is_told_and_the_rest_goes_on(self) -> None:
        self.declare("a", "fails", "x", passes=2)
        self.assertEqual(self.run_all(), 1)
        own = self.result()["experiments"]["a"]
        self.assertEqual((own["failed"], own["passes"]), ({"fails": "exit code 2: stub: no such scheme"}, {"x": 2}))
        self.assertEqual(self.asked(), ["fails", "x", "x"])

    def test_a_case_that_hangs_is_ended_and_told(self) -> None:
        self.declare("a", "hangs", "x")
        self.addCleanup(setattr, run, "LONGEST", run.LONGEST)
        run.LONGEST = 1
        self.assertEqual(self.run_all(), 1)
        self.assertEqual(self.result()["experiments"]["a"]["failed"], {"hangs": "it was ended after 1 s"})
        self.assertFalse(works(int((self.folder / "child").read_text(encoding="ascii"))))

    def test_what_is_missing_is_skipped_with_a_word(self) -> None:
        more = '[[case]]\nname = "absent"\nkind = "lookup"\ntable = "nowhere"\n'
        more += '[[case]]\nname = "own words"\nkind = "program"\ncommand = ["echo", "{\\"skipped\\": \\"no network\\"}"]\n'
        more += '[[case]]\nname = "router"\nkind = "router"\nneeds = ["router"]\n'
        self.declare("a", "x", more=more)
        self.assertEqual(self.run_all(), 0)
        skipped = self.result()["experiments"]["a"]["skipped"]
        self.assertIn("the table nowhere is not in", skipped["absent"])
        self.assertEqual(skipped["own words"], "no network")
        self.assertIn("fingerpost-router-bench is not built", skipped["router"])

    def test_tables_are_made_once_and_fields_are_added(self) -> None:
        table = '[[table]]\nname = "small"\narguments = ["--routes", "9"]\n'
        case = '[[case]]\nname = "{name}"\nkind = "info"\ntable = "{name}"\neach.name = ["small", "rrc00-19:7"]\nkeep = { what = "length", length = 24 }\n'
        self.declare("a", more=table + case + 'fields = { year = 1997 }\n', passes=2)
        self.assertEqual(self.run_all(), 0)
        made = [line for line in self.calls() if line.startswith("lab generate")]
        self.assertEqual(len(made), 2)
        self.assertIn("lab generate --shares rrc00-19", made[1])
        rows = self.result()["experiments"]["a"]["rows"]
        self.assertEqual([row["table"] for row in rows], ["small", "rrc00-19:7"])
        self.assertEqual([(row["year"], row["share_percent"], row["generated"]) for row in rows], [(1997, 75, True)] * 2)

    def test_a_program_prints_rows(self) -> None:
        command = 'command = ["bash", "-c", "echo \'{\\"rows\\": [{\\"series\\": \\"s\\", \\"us\\": 0.123456}]}\'"]\n'
        self.declare("a", more='[[case]]\nname = "p"\nkind = "program"\n' + command)
        self.assertEqual(self.run_all(), 0)
        self.assertEqual(self.result()["experiments"]["a"]["rows"], [{"case": "p", "series": "s", "us": 0.1235}])

    def test_going_on_measures_only_what_is_missing(self) -> None:
        self.declare("a", "x", "y", passes=2)
        self.run_all()
        (self.out / "cases/a/y.2.json").unlink()
        (self.out / "cases/a/.x.1.json.new").write_text("half", encoding="utf-8")
        before = len(self.asked())
        self.assertEqual(self.run_all(), 0)
        self.assertEqual(self.asked()[before:], ["y"])
        self.assertEqual(self.result()["experiments"]["a"]["passes"], {"x": 2, "y": 2})

    def test_a_case_that_was_declared_otherwise_is_measured_anew(self) -> None:
        self.declare("a", "x", "y")
        self.run_all()
        path = self.declared / "a.toml"
        path.write_text(path.read_text(encoding="utf-8").replace('"--scheme", "y"', '"--scheme", "y2"'), encoding="utf-8")
        before = len(self.asked())
        self.run_all()
        self.assertEqual(self.asked()[before:], ["y2"])

    def test_another_commit_is_refused_unless_all_begins_anew(self) -> None:
        self.declare("a", "x")
        self.run_all()
        os.environ["COMMIT"] = "def"
        with self.assertRaises(run.RunRefused) as caught:
            self.run_all()
        self.assertIn("commit 'abc', not 'def'", str(caught.exception))
        self.assertIn("--fresh", str(caught.exception))
        self.assertEqual(self.run_all(fresh=True), 0)
        self.assertEqual(self.result()["run"]["commit"], "def")

    def test_an_interruption_ends_the_child_loses_one_case_and_goes_on(self) -> None:
        self.declare("a", "x", "hangs", "y")
        command = [sys.executable, "-m", "evaluation", "run", "--out", str(self.out), "--experiments", str(self.declared)]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "lab"), "PYTHONDONTWRITEBYTECODE": "1"}
        running = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + 30
        while not (self.folder / "child").exists() and time.monotonic() < until:
            time.sleep(0.05)
        child = int((self.folder / "child").read_text(encoding="ascii"))
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=20)
        self.assertEqual(running.returncode, 130)
        self.assertIn("the same command goes on", said)
        self.assertFalse(works(child))
        self.assertEqual([path.name for path in (self.out / "cases/a").iterdir()], ["x.1.json"])
        again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.asked(), ["x", "hangs", "hangs", "y"])
        self.assertEqual(self.result()["experiments"]["a"]["passes"], {"x": 1, "hangs": 1, "y": 1})

    def test_a_program_that_does_not_run_is_an_error(self) -> None:
        self.declare("a", "x")
        os.environ["FINGERPOST"] = str(self.folder / "nothing")
        with self.assertRaises(run.RunRefused):
            self.run_all()

    def test_progress_tells_case_load_and_what_is_left(self) -> None:
        self.declare("a", "x", "y")
        self.run_all()
        self.assertRegex(self.said.getvalue(), r"a/x: measured in \d+\.\d s, \d+\.\d\d CPUs busy beside it; about \d+ s left")


class Machines(unittest.TestCase):
    def test_a_hypervisor_is_told_by_the_flags_of_the_cpu(self) -> None:
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        with tempfile.TemporaryDirectory() as folder:
            os.environ["PATH"] = folder
            path = Path(folder) / "cpuinfo"
            for flags, said in (("flags\t: fpu hypervisor avx2", "yes"), ("flags\t: fpu avx2", "no"), ("Features\t: asimd", "")):
                path.write_text(f"processor\t: 0\n{flags}\nbugs\t:\n", encoding="utf-8")
                self.assertEqual(machine.virtual(path), said)
            detect = Path(folder) / "systemd-detect-virt"
            for printed, said in (("none", "no"), ("kvm", "yes, kvm")):
                detect.write_text(f"#!/bin/sh\necho {printed}\n", encoding="utf-8")
                detect.chmod(0o755)
                self.assertEqual(machine.virtual(path), said)


class Gathering(unittest.TestCase):
    def test_passes_become_a_median_with_settled_ratios(self) -> None:
        rows = [[{"series": "a", "batch": 1, "mlps": m, "ratio": r, "rounds": 3, "checked": 5, "wrong": 0}] for m, r in ((1, 1.0), (5, 1.05), (3, 1.09))]
        self.assertEqual(
            results.merged(rows),
            [{"series": "a", "batch": 1, "rounds": 9, "checked": 15, "wrong": 0, "mlps": 3, "ratio": 1.05, "ratio_passes": [1.0, 1.05, 1.09], "settled": True}],
        )

    def test_one_wrong_pass_takes_the_numbers_of_all(self) -> None:
        rows = [[{"series": "a", "mlps": 4, "wrong": 0}], [{"series": "a", "wrong": 2}]]
        self.assertEqual(results.merged(rows), [{"series": "a", "wrong": 2}])

    def test_four_digits(self) -> None:
        self.assertEqual([results.rounded(value) for value in (1234567, 0.123456, 9999, True, "x", 12.0)], [1235000, 0.1235, 9999, True, "x", 12])

    def test_rows_are_the_same_after_writing_and_reading(self) -> None:
        rows = [{"case": "a", "series": "x", "mlps": 1.5, "ratio_passes": [1, 2]}, {"case": "b", "series": "x", "wrong": 3}]
        document = {"format": results.FORMAT, "run": {"full": False}, "experiments": {"e": {"passes": {"a": 1}, "rows": rows}, "f": {"rows": []}}}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.json"
            results.write(path, document)
            self.assertEqual(results.read(path), document)
            path.write_text(json.dumps(document), encoding="utf-8")
            self.assertEqual(results.read(path), document)

    def test_what_is_no_result_is_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.json"
            for text in ("{", "[]", '{"format": "other"}', '{"format": "fingerpost-evaluation 1", "experiments": {"e": {}}}'):
                path.write_text(text, encoding="utf-8")
                with self.assertRaises(results.ResultsError):
                    results.read(path)
            with self.assertRaises(results.ResultsError):
                results.read(Path(folder))


if __name__ == "__main__":
    unittest.main()
