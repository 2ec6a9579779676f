"""The display of a table in notebooks."""

from __future__ import annotations

from html import escape
from itertools import islice

from fingerpost._types import AnyTable

# Routes that are shown.
_MOST = 10


def html_of(table: AnyTable) -> str:
    """Returns a heading with the number of routes, and the first routes with their values."""
    columns = table.columns or ("value",)
    names = "".join(f"<th>{escape(name)}</th>" for name in ("prefix", *columns))
    rows = "".join(_row(prefix, value, table.columns) for prefix, value in islice(table.items(), _MOST))
    more = len(table) - _MOST
    rest = f"<p>and {more:,} more routes</p>" if more > 0 else ""
    heading = f"<p>{escape(repr(table).strip('<>'))}</p>"
    return f"<div>{heading}<table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>{rest}</div>"


def _row(prefix: str, value: object, columns: tuple[str, ...]) -> str:
    cells = [value[name] for name in columns] if len(columns) > 1 and isinstance(value, dict) else [value]
    texts = ["" if cell is None else escape(str(cell)) for cell in cells]
    return "<tr>" + "".join(f"<td>{text}</td>" for text in (escape(prefix), *texts)) + "</tr>"
