"""Computes the verdict of each comparison with a paper from the rows of the results; no verdict is written by hand.

`ours` of a comparison defines our number: the ratio of two selections of rows, how many percent less the first one is, or a
value itself. There is one number for each value of the field `over` (default: the case), or a single one with `over = "all"`. With
`paper_path` each number is divided by the paper's own at that path (`values.{table}.{levels}`), so that 1 means equal.

The tolerance is a share of the printed number. For a step that makes lookups 1.15 times as fast, that would also take no gain at all
for reproduced; with `no_effect = 1` the tolerance is a share of the distance from 1.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .experiments import Experiment, paper_figures
from .results import rounded
from .rows import Row, fits

REPRODUCED, SAME_DIRECTION, DIFFERENT, NOT_COMPARABLE = "reproduced", "same direction", "different", "not comparable"
TOLERANCE = 0.25
PICKS: dict[str, Callable[[list[float]], float]] = {
    "median": statistics.median,
    "max": max,
    "min": min,
    "sum": sum,
    "first": lambda numbers: numbers[0],
    "last": lambda numbers: numbers[-1],
}


@dataclass
class Verdict:
    """One comparison: ours and theirs as ranges, the verdict, and its sentence."""

    experiment: str
    paper: str
    what: str
    verdict: str
    ours: tuple[float, float] | None = None
    theirs: tuple[float, float] | None = None
    numbers: dict[str, float] = field(default_factory=dict)
    within: int = 0
    sentence: str | None = None
    why_missing: str = ""


def numbers_of(compare: Row, rows: list[Row], papers: dict[str, Any]) -> dict[str, float]:
    """Returns our numbers by the value of the field `over`, in the order of the rows."""
    ours = compare["ours"]
    over = ours.get("over", "case")
    over = "case" if over == "cases" else over
    first_rows = ours.get("rows", {})
    second_rows = first_rows | ours.get("rows_of_second", {})
    pair = ours.get("ratio") or ours.get("less_percent")
    if pair:
        first = grouped(rows, ours["field"], over, _with_series(first_rows, pair[0]), ours.get("pick", "median"))
        second_field = ours.get("field_of_second", ours["field"])
        second = grouped(rows, second_field, over, _with_series(second_rows, pair[1]), ours.get("pick", "median"))
        result = {}
        for key in first:
            if second.get(key):
                ratio = first[key] / second[key]
                result[key] = ratio if "ratio" in ours else 100 * (1 - ratio)
    else:
        result = grouped(rows, ours["field"], over, _with_series(first_rows, ours["value"]), ours.get("pick", "median"))
    if "paper_path" in ours:
        printed = {key: printed_at(papers[compare["paper"]], ours["paper_path"], row) for key, row in first_of(rows, over).items()}
        result = {key: number / at for key, number in result.items() if (at := printed.get(key))}
    return {key: number * ours.get("times", 1) for key, number in result.items()}


def _with_series(requested: Row, series: str) -> Row:
    return requested | ({"series": series} if series else {})


def key_of(row: Row, over: str) -> str | None:
    """Returns the key that groups a row: the field `over`, or several separated by commas."""
    if over == "all":
        return "all"
    names = over.split(",")
    return ", ".join(str(row[name]) for name in names) if all(name in row for name in names) else None


def first_of(rows: list[Row], over: str) -> dict[str, Row]:
    result: dict[str, Row] = {}
    for row in rows:
        key = key_of(row, over)
        if key is not None:
            result.setdefault(key, row)
    return result


def grouped(rows: list[Row], name: str, over: str, requested: Row, pick: str) -> dict[str, float]:
    groups: dict[str, list[float]] = {}
    for row in rows:
        key = key_of(row, over)
        if key is not None and isinstance(row.get(name), (int, float)) and fits(row, requested):
            groups.setdefault(key, []).append(row[name])
    return {key: PICKS[pick](numbers) for key, numbers in groups.items()}


def printed_at(figure: Row, path: str, row: Row) -> float | None:
    """Returns the paper's number at a dotted path, in which {field} is a field of the row.

    In a list, a name selects the entry that has it as a value.
    """
    at: Any = figure
    for step in path.split("."):
        if step.startswith("{"):
            step = str(row.get(step[1:-1]))
        if isinstance(at, list):
            at = next((item for item in at if isinstance(item, dict) and step in item.values()), None)
        else:
            at = at.get(step) if isinstance(at, dict) else None
        if at is None:
            return None
    return at if isinstance(at, (int, float)) else None


def theirs_of(compare: Row) -> tuple[float, float] | None:
    if "papers_range" in compare:
        low, high = compare["papers_range"]
        return (low, high)
    if "papers_value" in compare:
        return (compare["papers_value"], compare["papers_value"])
    return None


def is_within(number: float, compare: Row) -> bool:
    """Returns whether a number is in the printed range, widened by the tolerance."""
    theirs = theirs_of(compare)
    if theirs is None:
        return False
    tolerance, no_effect = compare.get("tolerance", TOLERANCE), compare.get("no_effect", 0)
    low, high = theirs
    return bool(low - tolerance * abs(low - no_effect) <= number <= high + tolerance * abs(high - no_effect))


def goes(numbers: list[float], direction: str) -> bool:
    """Returns whether the numbers have the right direction: each above or below X, or the last one beyond the first."""
    if direction == "grows":
        return len(numbers) > 1 and numbers[-1] > numbers[0]
    if direction == "falls":
        return len(numbers) > 1 and numbers[-1] < numbers[0]
    word, limit = direction.split()
    return all(number > float(limit) if word == "above" else number < float(limit) for number in numbers)


def judged(compare: Row, numbers: list[float]) -> str:
    """Returns the verdict on our numbers."""
    if not numbers:
        return NOT_COMPARABLE
    if all(is_within(number, compare) for number in numbers):
        return REPRODUCED
    direction = compare.get("direction")
    if direction and goes(numbers, direction):
        return SAME_DIRECTION
    return DIFFERENT


def why_missing(own: Row) -> str:
    """Returns why an experiment has no number for a comparison."""
    reasons = list((own.get("skipped", {}) | own.get("failed", {})).values())
    return reasons[0] if reasons else "no case gave such a row" if own.get("rows") else "this experiment was not run"


def verdict_of(experiment: Experiment, compare: Row, results: Row, papers: dict[str, Any]) -> Verdict:
    own = results["experiments"].get(experiment.name, {})
    output = Verdict(experiment.name, compare["paper"], compare["what"], NOT_COMPARABLE, theirs=theirs_of(compare))
    if not compare.get("not_comparable"):
        numbers = numbers_of(compare, own.get("rows", []), papers)
        output.numbers = {key: rounded(number) for key, number in numbers.items()}
        output.verdict = judged(compare, list(numbers.values()))
        if numbers:
            output.ours = (rounded(min(numbers.values())), rounded(max(numbers.values())))
            output.within = sum(is_within(number, compare) for number in numbers.values())
        else:
            output.why_missing = why_missing(own)
    output.sentence = compare["sentences"].get(output.verdict)
    if output.sentence is None and output.why_missing:
        output.sentence = f"There is no result: {output.why_missing}."
    return output


def verdicts(experiments: dict[str, Experiment], results: Row, papers: dict[str, Any] | None = None) -> list[Verdict]:
    """Returns the verdict of every comparison of every experiment."""
    papers = paper_figures() if papers is None else papers
    return [verdict_of(entry, compare, results, papers) for entry in experiments.values() for compare in entry.compares]


def without_sentence(experiments: dict[str, Experiment], results: Row) -> list[str]:
    """Returns the comparisons whose current verdict has no explanatory sentence."""
    lacking = [entry for entry in verdicts(experiments, results) if entry.sentence is None]
    return [f"{entry.experiment}: {entry.paper}: {entry.what}: no sentence for `{entry.verdict}`" for entry in lacking]
