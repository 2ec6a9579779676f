"""What a row of results is: flat, with fields that are measured and fields that tell rows apart."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]

# Fields that are measured; all others tell rows apart. A field with _q1 or _q3 behind its name is the quartile of a measured one.
UNITS: tuple[str, ...] = ("mlps", "mpps", "ns", "us", "ms", "s", "seconds", "bytes", "kb", "mb", "percent", "ratio", "cycles", "changes_per_second")
UNITS += ("nodes", "depth", "slots", "keys", "lines", "steps", "loads", "clocks", "share", "count", "rows_per_second", "mrows")
COUNTS = ("rounds", "checked", "wrong", "builds")


def is_value(name: str) -> bool:
    """Says whether a field is measured, by the unit at the end of its name."""
    base = name.removesuffix("_q1").removesuffix("_q3")
    if base.endswith(("_per_route", "_per_interval")) or base.startswith("of_"):
        return True
    return base in UNITS or base.endswith(tuple(f"_{unit}" for unit in UNITS))


def fits(row: Row, wanted: Row) -> bool:
    """Says whether a row has the wanted fields, each a value or one of a list."""
    return all(row.get(name) in value if isinstance(value, list) else row.get(name) == value for name, value in wanted.items())
