"""Measures competitors alternately with packed_leaves, and computes the rows of the report.

A turn consists of a round of single calls of packed_leaves, one of the competitor, and one of packed_leaves in batches. The ratio of a
turn compares these neighbours, so that a machine that slows down affects all of them alike.
"""

from __future__ import annotations

import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from builds import MissingError
from programs import BASELINE, Build, Competitor, FailedError, Running
from workload import Workload

Row = dict[str, Any]
# Minimum number of turns, even when the time has run out.
LEAST_TURNS = 3


@dataclass(frozen=True)
class Pace:
    """The time limit for all."""

    turns: int
    round_ms: float
    cpu: int
    # In terms of time.monotonic().
    deadline: float


@dataclass
class Rates:
    """Millions of lookups per second, one value per turn."""

    single: list[float] = field(default_factory=list)
    batch: list[float] = field(default_factory=list)
    competitor: list[float] = field(default_factory=list)

    def take_turn(self, baseline: Running, competitor: Running | None, round_ms: float) -> None:
        self.single.append(baseline.round("single", round_ms))
        if competitor:
            self.competitor.append(competitor.round("single", round_ms))
        self.batch.append(baseline.round("batch", round_ms))


def measure(competitors: list[Competitor], build: Build, workload: Workload, pace: Pace) -> list[Row]:
    """Returns the rows of all competitors: skipped ones have a reason, and wrong ones no figures. Raises MissingError and FailedError
    when packed_leaves itself cannot run."""
    with Running([*build(BASELINE), BASELINE.argument, *workload.arguments], pace.cpu) as baseline:
        everything = Rates()
        rows = []
        for i, competitor in enumerate(competitors):
            share = (pace.deadline - time.monotonic()) / (len(competitors) - i)
            until = time.monotonic() + max(share, 0)
            tell(f"{competitor.name}, {i + 1} of {len(competitors)}, {workload.table}")
            rows.append(measure_one(competitor, build, workload, pace, baseline, everything, until))
        while len(everything.single) < LEAST_TURNS:
            everything.take_turn(baseline, None, pace.round_ms)
        return baseline_rows(baseline, workload, everything) + rows


def measure_one(
    entry: Competitor,
    build: Build,
    workload: Workload,
    pace: Pace,
    baseline: Running,
    everything: Rates,
    until: float,
) -> Row:
    row = described(entry.name, entry.language, workload)
    if refusal := entry.refusal(workload.routes):
        return row | {"skipped": refusal}
    try:
        with Running([*build(entry), entry.argument, *workload.arguments], pace.cpu) as running:
            row = described(f"{entry.name} {running.facts['version']}", entry.language, workload)
            row |= checks(running.facts)
            if running.facts["wrong"]:
                return row
            rates = Rates()
            while len(rates.single) < pace.turns and (
                len(rates.single) < LEAST_TURNS or time.monotonic() < until
            ):
                rates.take_turn(baseline, running, pace.round_ms)
    except MissingError as why:
        tell(f"{entry.name}: skipped: {why}")
        return row | {"skipped": str(why)}
    except FailedError as why:
        tell(f"{entry.name}: failed: {why}")
        return row | {"failed": str(why)}
    everything.single += rates.single
    everything.batch += rates.batch
    row |= built(running.facts) | quartiles("mlps", rates.competitor)
    if not baseline.facts["wrong"]:
        row |= quartiles("ratio", quotients(rates.competitor, rates.single))
        row |= quartiles("batch_ratio", quotients(rates.competitor, rates.batch))
    return row | {"rounds": len(rates.competitor)}


def baseline_rows(baseline: Running, workload: Workload, rates: Rates) -> list[Row]:
    """Returns the row of single calls, and the related row of batches."""
    facts = baseline.facts
    # Without its version, like schemes everywhere.
    single = described(BASELINE.name, BASELINE.language, workload) | {"isa": facts["isa"]} | checks(facts)
    batch = single | {"call": facts["batch_call"], "batch": facts["batch"]}
    if facts["wrong"]:
        return [single, batch]
    for row, mine in ((single, rates.single), (batch, rates.batch)):
        row |= built(facts) | quartiles("mlps", mine)
        row |= quartiles("ratio", quotients(mine, rates.single))
        row |= quartiles("batch_ratio", quotients(mine, rates.batch))
        row["rounds"] = len(mine)
    return [single, batch]


def described(series: str, language: str, workload: Workload) -> Row:
    return {
        "series": series,
        "language": language,
        "table": workload.table,
        "family": workload.family,
        "routes": workload.routes,
        "order": workload.order,
        "workload": "match",
        "batch": 1,
    }


def checks(facts: Row) -> Row:
    return {"call": facts["call"], "checked": facts["checked"], "wrong": facts["wrong"]}


def built(facts: Row) -> Row:
    """Returns the facts about the table. A file that was written before is not built."""
    row = {name: facts[name] for name in ("bytes", "bytes_kind", "all_bytes") if name in facts}
    return row | ({"build_ms": round4(facts["build_ms"])} if "build_ms" in facts else {})


def quotients(of: list[float], by: list[float]) -> list[float]:
    return [value / other for value, other in zip(of, by, strict=True)]


def quartiles(name: str, values: list[float]) -> Row:
    first, median, third = statistics.quantiles(values, n=4, method="inclusive")
    return {name: round4(median), f"{name}_q1": round4(first), f"{name}_q3": round4(third)}


def round4(value: float) -> float:
    return float(f"{value:.4g}")


def tell(what: str) -> None:
    print(f"competitors: {what}", file=sys.stderr, flush=True)
