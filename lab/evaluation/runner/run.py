"""Runs all cases pass by pass within the budgets, and continues an interrupted run.

The first pass of every case of every experiment always runs. Further passes follow while the budget of an experiment lasts. Each case
and pass is a separate file, written under another name and renamed, so an interruption loses one case.
"""

from __future__ import annotations

import datetime
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from .. import results
from ..experiments import Case, Experiment
from . import child, kinds, machine
from .load import Beside, load_for
from .needs import Places, missing
from .progress import Progress

NOISY = 0.5
# Shorter cases give no reliable load: the kernel counts time in steps of 10 ms.
LONG_ENOUGH = 0.5
# Time limits of a case in seconds, in a quick and in a full run. A case that takes longer hangs.
LONGEST = 900
LONGEST_FULL = 4 * 3600
# How many seconds a new run observes the machine before it starts.
WATCHED = 1.0


class RunRefused(Exception):
    """Why nothing was run."""


def now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def write(path: Path, document: Any) -> None:
    """Writes a complete file under another name in the same folder, and renames it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    other = path.with_name(f".{path.name}.new")
    other.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    os.replace(other, path)


def interrupt_on_terminate() -> None:
    """Makes SIGTERM end a run like Ctrl-C, so that all commands end."""

    def stop(_number: int, _frame: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)


class Runner:
    """One run into the folder `places.out`."""

    def __init__(self, experiments: dict[str, Experiment], places: Places, full: bool, progress: Progress | None = None) -> None:
        self.experiments = experiments
        self.places = places
        self.full = full
        self.cases = {name: experiment.cases(full) for name, experiment in experiments.items()}
        self.progress = progress or Progress(sum(map(len, self.cases.values())))
        self.used: dict[str, float] = dict.fromkeys(experiments, 0.0)
        self.last: dict[tuple[str, str], float] = {}
        self.over: set[tuple[str, str]] = set()
        self.bad: list[str] = []
        self.largest_load = 0.0
        self.about: dict[str, Any] = {}

    # -- the folder

    def open(self, fresh: bool = False) -> None:
        """Creates the folder or continues in it. Raises RunRefused when it contains a different run."""
        path = self.places.out / "run.json"
        if fresh and (path.exists() or (self.places.out / "cases").exists()):
            for name in ("cases", "tables", "pictures"):
                shutil.rmtree(self.places.out / name, ignore_errors=True)
            for name in ("run.json", "results.json"):
                (self.places.out / name).unlink(missing_ok=True)
        try:
            described = machine.describe(self.places.program)
        except (OSError, ValueError) as error:
            raise RunRefused(f"the program does not run: {error}") from error
        expected = {"full": self.full, "commit": described["commit"], "tables": str(self.places.tables or "")}
        if path.exists():
            old = json.loads(path.read_text(encoding="utf-8"))
            for key, value in expected.items():
                if old.get(key) != value:
                    words = f"{self.places.out} holds a run with {key} {old.get(key)!r}, not {value!r}"
                    raise RunRefused(f"{words}; name another folder, or begin anew with --fresh")
            self.about = old
            self.largest_load = old.get("largest_load_beside") or 0.0
            self.progress.say(f"going on in {self.places.out}")
        else:
            load = load_for(WATCHED)
            self.about = {"format": "fingerpost-evaluation-run 1", "started": now(), "finished": None} | expected | described
            self.about |= {"load_at_start": None if load is None else round(load, 2), "largest_load_beside": None}
            if load is not None and load > NOISY:
                self.progress.say(f"warning: {load:.2f} CPUs are busy with other work; ratios will not settle, and speeds are too low")
        write(path, self.about)

    def close(self) -> None:
        self.about |= {"finished": now()}
        self.remember_load()
        document = results.gather(self.places.out)
        results.write(self.places.out / "results.json", document)

    def remember_load(self) -> None:
        self.about["largest_load_beside"] = round(self.largest_load, 2)
        write(self.places.out / "run.json", self.about)

    def file_of(self, case: Case, number: int) -> Path:
        return self.places.out / "cases" / case.experiment / f"{results.file_name(case.name)}.{number}.json"

    # -- the passes

    def run(self) -> int:
        """Runs the remaining cases. Returns 1 when a case was wrong or failed."""
        most = max((entry.most_passes(self.full) for entry in self.experiments.values()), default=0)
        for number in range(1, most + 1):
            for experiment in self.experiments.values():
                if number <= experiment.most_passes(self.full):
                    self.one_pass(experiment, number)
        self.close()
        for words in self.bad:
            self.progress.say(words)
        if self.largest_load > NOISY:
            self.progress.say(f"warning: up to {self.largest_load:.2f} CPUs were busy with other work; the report mentions it")
        return 1 if self.bad else 0

    def one_pass(self, experiment: Experiment, number: int) -> None:
        for case in self.cases[experiment.name]:
            key = (case.experiment, case.name)
            if key in self.over or (case.once and number > 1):
                continue
            path = self.file_of(case, number)
            document = self.finished_document(path, case)
            if document is None:
                if number > 1 and self.used[experiment.name] + self.last.get(key, 0) > experiment.budget(self.full):
                    continue
                document = self.measured(experiment, case, number)
                write(path, document)
                self.say(case, number, document)
            self.count(key, case, document)

    def finished_document(self, path: Path, case: Case) -> dict[str, Any] | None:
        """Returns what an earlier run measured of the same declaration."""
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return document if document.get("declared") == declaration(case) and "skipped" not in document and "failed" not in document else None

    def count(self, key: tuple[str, str], case: Case, document: dict[str, Any]) -> None:
        """Records the time of the case, and whether the run must end with 1."""
        self.used[case.experiment] += document["seconds"]
        self.last[key] = document["seconds"]
        name = f"{case.experiment}/{case.name}"
        if "failed" in document:
            self.over.add(key)
            self.bad.append(f"failed: {name}: {document['failed']}")
        elif "skipped" in document:
            self.over.add(key)
        else:
            wrong = [row for row in document["rows"] if row.get("wrong")]
            series = sorted({str(row.get("series", "")) for row in wrong})
            words = f"wrong answers: {name}: {', '.join(series)} ({sum(row['wrong'] for row in wrong)} of them), so no numbers"
            if wrong and words not in self.bad:
                self.bad.append(words)
        load = document.get("load_beside")
        if load is not None and document["seconds"] >= LONG_ENOUGH:
            self.largest_load = max(self.largest_load, load)

    def say(self, case: Case, number: int, document: dict[str, Any]) -> None:
        outcome = next((f"{word} ({document[word]})" for word in ("skipped", "failed") if word in document), "measured")
        self.used_after = self.used[case.experiment] + document["seconds"]
        self.progress.case(f"{case.experiment}/{case.name}", number, outcome, document["seconds"], document["load_beside"], self.left(case, document["seconds"]))
        if document["load_beside"] is not None and document["load_beside"] > NOISY and document["seconds"] >= LONG_ENOUGH:
            self.progress.say(f"warning: {document['load_beside']:.2f} CPUs were busy with other work meanwhile")
        self.remember_load()

    def left(self, case: Case, seconds: float) -> float:
        """Estimates the remaining seconds from the budgets, with all remaining passes at the current pace as upper bound."""
        total = 0.0
        for name, experiment in self.experiments.items():
            used = self.used[name] + (seconds if name == case.experiment else 0.0)
            times = [time for (owner, _), time in self.last.items() if owner == name]
            budget = max(0.0, experiment.budget(self.full) - used)
            if not times:
                total += budget
                continue
            mean = sum(times) / len(times)
            everything = mean * len(self.cases[name]) * experiment.most_passes(self.full) - used
            first_pass = mean * (len(self.cases[name]) - len(times))
            total += max(0.0, first_pass, min(budget, everything))
        return total

    # -- one case

    def measured(self, experiment: Experiment, case: Case, number: int) -> dict[str, Any]:
        started = now()
        begun = time.monotonic()
        document: dict[str, Any] = {"experiment": case.experiment, "case": case.name, "pass": number, "started": started}
        document["order"] = next((at for at, case_of_experiment in enumerate(self.cases[experiment.name]) if case_of_experiment.name == case.name), 0)
        beside = Beside()
        outcome: dict[str, Any]
        command: list[str] = []
        try:
            why = missing(case.needs, self.places)
            if why:
                raise kinds.CaseSkipped(why)
            own_tables = self.make_tables(experiment, case)
            beside, begun = Beside(), time.monotonic()
            outcomes = []
            for _ in range(case.processes):
                with tempfile.TemporaryDirectory() as folder:
                    json_file = Path(folder) / "result.json"
                    command = kinds.command_of(case, self.places, own_tables, json_file)
                    ended = child.run(command, self.places.program, self.longest())
                    outcomes.append(self.outcome(case, json_file, ended))
            outcome = outcomes[0] | {"rows": results.medians([case_of_experiment["rows"] for case_of_experiment in outcomes])}
        except kinds.CaseSkipped as error:
            outcome = {"skipped": str(error)}
        except subprocess.TimeoutExpired as error:
            outcome = {"failed": f"it was ended after {error.timeout:.0f} s"}
        except (kinds.CaseFailed, OSError) as error:
            outcome = {"failed": str(error)}
        seconds = time.monotonic() - begun
        load = beside.load()
        document |= {"seconds": round(seconds, 3), "load_beside": None if load is None else round(load, 3)}
        return document | {"command": command, "declared": declaration(case)} | outcome

    def longest(self) -> float:
        return LONGEST_FULL if self.full else LONGEST

    def outcome(self, case: Case, json_file: Path, ended: child.Ended) -> dict[str, Any]:
        """Returns the rows of a command that ended. Code 1 with a result means wrong answers, which the rows show."""
        has_result = json_file.exists() and json_file.stat().st_size > 0 or (case.kind not in ("lookup", "update", "router") and ended.stdout.strip())
        if ended.code not in (0, 1) or not has_result:
            words = " ".join(ended.stderr.strip().splitlines()[-3:]) or "it printed no result"
            raise kinds.CaseFailed(f"exit code {ended.code}: {words[-500:]}")
        rows, environment = kinds.rows_of(case, json_file, ended.stdout, self.places)
        if ended.code == 1 and not any(row.get("wrong") for row in rows):
            raise kinds.CaseFailed(f"exit code 1: {' '.join(ended.stderr.strip().splitlines()[-3:])[-500:]}")
        return {"environment": environment, "rows": rows}

    def make_tables(self, experiment: Experiment, case: Case) -> set[str]:
        """Creates the missing tables that a case reads. Returns the names of declared ones."""
        declared = {table["name"]: table for table in experiment.tables}
        names = kinds.named_in(case.command)
        if case.table in declared or kinds.wants_file(case, self.places, set(declared)):
            names.append(case.table)
        for name in names:
            self.make_table(name, declared)
        return set(declared)

    def make_table(self, name: str, declared: dict[str, dict[str, Any]]) -> None:
        """Creates a declared or generated table, after the tables from which it is derived."""
        path = kinds.file_of(name, self.places, set(declared))
        if path.exists():
            return
        new = str(path.with_suffix(".new"))
        if name not in declared:
            self.produce(kinds.generate_command(name, self.places, Path(new)), path)
            return
        words = declared[name].get("command") or ["{program}", "lab", "generate", *declared[name]["arguments"], "-o", "{file}"]
        for other in kinds.named_in(words):
            self.make_table(other, declared)
        fillings = self.places.fillings() | {"file": new}
        self.produce([kinds.filled(word, fillings, self.places, set(declared)) for word in words], path)

    def produce(self, command: list[str], path: Path) -> None:
        """Runs a command that writes PATH with the suffix .new, and renames the file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        ended = child.run(command, self.places.program, self.longest())
        new = path.with_suffix(".new")
        if ended.code != 0 or not new.exists():
            raise kinds.CaseFailed(f"the table {path.name} was not made: {ended.stderr.strip()[-500:]}")
        os.replace(new, path)


def declaration(case: Case) -> dict[str, Any]:
    """Returns everything that must match for a result to be reused."""
    return {"kind": case.kind, "table": case.table, "arguments": case.arguments, "command": case.command, "fields": case.fields, "keep": case.keep, "processes": case.processes}
