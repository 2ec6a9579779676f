"""`python3 -m evaluation run` measures, `python3 -m evaluation report` renders what was measured."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import experiments, results
from .runner import run
from .runner.needs import find_places


def arguments_of(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evaluation", description="Runs the declared experiments and writes the results.")
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="measure; a run that was interrupted goes on")
    runs.add_argument("--out", type=Path, default=experiments.ROOT / "build/evaluation", help="folder of the results (default: %(default)s)")
    runs.add_argument("--only", default="", help="names of experiments, with commas; all without it")
    runs.add_argument("--full", action="store_true", help="with the budgets of a night")
    runs.add_argument("--fresh", action="store_true", help="throw away what the folder holds")
    runs.add_argument("--experiments", type=Path, default=experiments.DECLARED, help="folder of the declared experiments")
    runs.add_argument("--list", action="store_true", help="print names, cases and budgets, and run nothing")
    commands.add_parser("report", add_help=False, help="render results as one HTML file")
    options, more = parser.parse_known_args(words)
    if options.command == "run" and more:
        parser.error(f"unknown arguments: {' '.join(more)}")
    options.more = more
    return options


def chosen(folder: Path, only: str) -> dict[str, experiments.Experiment]:
    declared = experiments.load_all(folder)
    names = [name for name in only.split(",") if name]
    for name in names:
        if name not in declared:
            raise experiments.ExperimentError(f"--only: {name!r} is not an experiment; there are {', '.join(declared)}")
    return {name: entry for name, entry in declared.items() if not names or name in names}


def run_command(arguments: argparse.Namespace) -> int:
    requested = chosen(arguments.experiments, arguments.only)
    if arguments.list:
        for experiment in requested.values():
            print(f"{experiment.name}: {len(experiment.cases(arguments.full))} cases, at most {experiment.most_passes(arguments.full)} passes, {experiment.budget(arguments.full):.0f} s")
        print(f"all: {sum(experiment.budget(arguments.full) for experiment in requested.values()):.0f} s")
        return 0
    runner = run.Runner(requested, find_places(arguments.out), arguments.full)
    run.interrupt_on_terminate()
    try:
        runner.open(arguments.fresh)
        return runner.run()
    except KeyboardInterrupt:
        print("evaluation: interrupted; the same command goes on, and measures the case anew that was running", file=sys.stderr)
        return 130


def main(words: list[str]) -> int:
    if words[:1] == ["report"]:
        # The report needs packages that a run does not.
        from .report.command import main as report

        ended: int = report(words[1:])
        return ended
    try:
        return run_command(arguments_of(words))
    except (experiments.ExperimentError, results.ResultsError, run.RunRefused) as error:
        print(f"evaluation: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
