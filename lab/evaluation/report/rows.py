"""The rows of the results that a figure shows, their order, and the fields that distinguish them."""

from dataclasses import dataclass
from typing import Any

from ..rows import COUNTS, is_value

Row = dict[str, Any]

# Fields about the measurement, printed once below a figure.
ASIDE = {"case", "settled", "isa", "ratio_passes", *COUNTS}
# Whether a row has settled was determined by its ratio, which is one of speeds.
SETTLING = ("mlps", "mpps", "ns", "ratio")
FASTER_IS_MORE = ("mlps", "mpps", "per_second", "mrows")
COSTS = ("ns", "_us", "_ms", "seconds", "bytes", "kb", "_per_route", "loss_percent", "depth")


def more_is_better(field: str) -> bool:
    """A ratio is one of speeds."""
    return field == "ratio" or any(part in field for part in FASTER_IS_MORE)


def better(field: str) -> str:
    """Returns which values are better, in words; empty where neither higher nor lower ones are."""
    return "more is better" if more_is_better(field) else "less is better" if field.endswith(COSTS) else ""


def telling_apart(rows: list[Row], first: list[str]) -> list[str]:
    """Returns `first` and the other fields that distinguish rows, without those that follow from earlier fields."""
    chosen = list(first)
    count = len({tuple(repr(row.get(field)) for field in chosen) for row in rows})
    for field in dict.fromkeys(field for row in rows for field in row):
        if field in chosen or field in ASIDE or is_value(field):
            continue
        with_it = len({tuple(repr(row.get(entry)) for entry in [*chosen, field]) for row in rows})
        if with_it > count:
            chosen.append(field)
            count = with_it
    return chosen


def in_order(values: list[Any]) -> list[Any]:
    """Returns distinct values: numbers by size, others in order of appearance."""
    met = list(dict.fromkeys(values))
    return sorted(met) if all(isinstance(value, (int, float)) for value in met) else met


@dataclass(frozen=True)
class Point:
    """One mark of a figure."""

    x: Any
    series: str
    y: float
    low: float | None
    high: float | None
    settled: bool | None
    row: Row


def points_of(figure: Row, rows: list[Row]) -> list[Point]:
    """Returns the marks. Of several rows at one position the best one remains, since a reader would choose that form."""
    field, x, series = figure["y"], figure.get("x", "case"), figure.get("series", "series")
    best: dict[tuple[str, str], Point] = {}
    for row in rows:
        y = row.get(field)
        if not isinstance(y, (int, float)) or isinstance(y, bool) or x not in row:
            continue
        name = str(row.get(series, ""))
        settled = row.get("settled") if field in SETTLING else None
        point = Point(row[x], name, y, row.get(f"{field}_q1"), row.get(f"{field}_q3"), settled, row)
        known = best.get((repr(row[x]), name))
        if known is None or (y > known.y) == more_is_better(field):
            best[repr(row[x]), name] = point
    return list(best.values())
