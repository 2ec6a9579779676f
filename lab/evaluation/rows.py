"""Rows of results: flat, with measured fields and fields that distinguish rows."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]

# Measured fields. All others distinguish rows. A field with the suffix _q1 or _q3 is a quartile of a measured field.
UNITS: tuple[str, ...] = ("mlps", "mpps", "ns", "us", "ms", "s", "seconds", "bytes", "kb", "mb", "percent", "ratio", "cycles", "changes_per_second")
UNITS += ("nodes", "depth", "slots", "keys", "lines", "steps", "loads", "clocks", "share", "count", "rows_per_second", "mrows")
COUNTS = ("rounds", "checked", "wrong", "builds")


def is_value(name: str) -> bool:
    """Returns whether a field is measured, according to the unit at the end of its name."""
    base = name.removesuffix("_q1").removesuffix("_q3")
    if base.endswith(("_per_route", "_per_interval")) or base.startswith("of_"):
        return True
    return base in UNITS or base.endswith(tuple(f"_{unit}" for unit in UNITS))


def fits(row: Row, requested: Row) -> bool:
    """Returns whether a row has the requested fields, each a value or one of a list."""
    return all(row.get(name) in value if isinstance(value, list) else row.get(name) == value for name, value in requested.items())
