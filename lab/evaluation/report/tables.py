"""HTML tables: the rows of a figure, a matrix with shaded cells, and a paper's numbers."""

from collections.abc import Callable
from typing import Any

from .cells import DEFAULT_SCHEME
from .palette import STRONGEST_CELL
from .rows import SETTLING, Point, Row, in_order, more_is_better, telling_apart
from .scales import title_with_unit
from .text import escape, key_text, listed, number, parted, span, words, writer

UNSETTLED = '<abbr title="did not settle: two passes differ by 10 % or more">~</abbr>'
SETTLING_NOTE = '<p class="note">~ did not settle: two passes differ by 10 % or more.</p>'
RATIO = (
    "A ratio is the median of the ratios of all rounds or turns, so it need not be the quotient of the speeds beside it, which are medians of "
    "their own."
)
SHOWN_PLACES = 12  # of what a paper prints for each of many names


def table(head: list[str], body: list[list[str]], label: str, numeric: set[int] | None = None, css: str = "") -> str:
    """Returns a table of HTML cells in a scrolling box. The first cell of a row is its name."""
    numeric = numeric or set()

    def mark(at: int) -> str:
        return " class=n" if at in numeric else ""

    top = "".join(f'<th scope=col{mark(at)}>{cell}</th>' for at, cell in enumerate(head))
    # Where rows become cards, each cell shows the head of its column.
    names = [f' data-head="{cell}"' if css else "" for cell in head]
    lines = []
    for row in body:
        rest = "".join(f"<td{mark(at)}{names[at]}>{cell}</td>" for at, cell in enumerate(row[1:], 1))
        lines.append(f'<tr><th scope=row>{row[0]}</th>{rest}</tr>')
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}"><table{f" class={css}" if css else ""}>'
        f"<thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
        + (SETTLING_NOTE if any(UNSETTLED in line for line in lines) else "")
    )


def measured_fields(figure: Row, rows: list[Row]) -> list[str]:
    """Returns the fields of results that the table of a figure shows."""
    requested = figure.get("columns") or ([figure["y"]] if "y" in figure else [])
    return [field for field in requested if any(field in row for row in rows)]


def with_quartiles(row: Row, field: str, written: Callable[[Any], str]) -> str:
    text = written(row.get(field))
    low, high = row.get(f"{field}_q1"), row.get(f"{field}_q3")
    if low is not None and high is not None:
        text += f' <span class=q>({written(low)}–{written(high)})</span>'
    return text


def rows_table(figure: Row, rows: list[Row], label: str) -> str:
    """Returns the table of a figure: the fields that distinguish its rows, the values with their quartiles, ratio and rounds."""
    fields = measured_fields(figure, rows)
    series, x = figure.get("series", "series"), figure.get("x", "case")
    keys = [field for field in dict.fromkeys([x, series]) if field not in fields and any(field in row for row in rows)]
    keys = telling_apart(rows, keys)
    extra = [field for field in ("ratio", "rounds") if field not in fields and any(field in row for row in rows)]
    head = [escape(words(field)) for field in keys]
    for field in fields:
        is_drawn = field == figure.get("y")
        head.append(escape(title_with_unit(figure.get("y_title", words(field)), figure.get("y_unit", "")) if is_drawn else words(field)))
    head += [escape(words(field)) for field in extra]
    written = {field: writer([row.get(field) for row in rows]) for field in [*fields, *extra]}
    body = []
    for row in rows:
        cells = [escape(key_text(row.get(field))) for field in keys]
        if row.get("wrong"):
            cells += [f'<span class="poor">{row["wrong"]:,} wrong answers: no numbers</span>', *[""] * (len(fields) + len(extra) - 1)]
        else:
            cells += [with_quartiles(row, field, written[field]) for field in fields]
            cells += [written[field](row.get(field)) for field in extra]
        if row.get("settled") is False and any(field in SETTLING for field in fields):
            cells[0] += f" {UNSETTLED}"
        body.append(cells)
    html = table(head, body, label, set(range(len(keys), len(head))))
    if any(field.endswith("ratio") or field.startswith("of_") for field in (*fields, *extra)):
        html += f'<p class="note">{RATIO}</p>'
    return html


def matrix(figure: Row, points: list[Point], label: str) -> str:
    """Returns a table of series by x, the best series first; the better a value in its column, the bluer its cell."""
    more = more_is_better(figure["y"])
    places = in_order([point.x for point in points])
    at = {(point.series, repr(point.x)): point for point in points}
    columns = {repr(place): [point.y for point in points if point.x == place] for place in places}
    best = {place: (max if more else min)(values) for place, values in columns.items()}

    def quality(point: Point | None) -> float:
        """From 0 to 1, the best value of the column."""
        if point is None:
            return 0.0
        first, second = (point.y, best[repr(point.x)]) if more else (best[repr(point.x)], point.y)
        return first / second if second > 0 and first > 0 else 0.0

    def middle(name: str) -> float:
        matches = sorted(quality(at.get((name, repr(place)))) for place in places)
        return matches[len(matches) // 2]

    written = writer([point.y for point in points])
    body = []
    for name in sorted(dict.fromkeys(point.series for point in points), key=middle, reverse=True):
        cells = [f"<b>{parted(name)}</b>" if name == DEFAULT_SCHEME else parted(name)]
        for place in places:
            point = at.get((name, repr(place)))
            if point is None:
                cells.append("–")
                continue
            share = round(100 * STRONGEST_CELL * quality(point))
            mark = f" {UNSETTLED}" if point.settled is False else ""
            text = f"<b>{written(point.y)}</b>" if point.y == best[repr(place)] else written(point.y)
            cells.append(f'<i style="--share:{share}%">{text}{mark}</i>')
        body.append(cells)
    corner = escape(f"{figure.get('x_title', figure['x'])} →")
    unit = title_with_unit(figure.get("y_title", words(figure["y"])), figure.get("y_unit", ""))
    key = (
        f"{escape(unit)}; {'more' if more else 'less'} is better. The best of a column is bold, and a cell is the bluer, the nearer it is "
        "to it. The order of the rows is by the median of this nearness."
    )
    head = [corner, *(escape(key_text(place)) for place in places)]
    return f'<p class="note">{key[0].upper()}{key[1:]}</p>' + table(head, body, label, set(range(1, len(head))), "matrix")


def ratios(figure: Row, entry: list[Point], other: list[Point], names: tuple[str, str], label: str) -> str:
    """Returns the table of two results: both values and the second divided by the first."""
    written = writer([point.y for point in [*entry, *other]])
    before = {(repr(point.x), point.series): point for point in entry}
    body = []
    for point in other:
        first = before.get((repr(point.x), point.series))
        if first is None:
            continue
        unsure = f" {UNSETTLED}" if False in (first.settled, point.settled) else ""
        ratio = f"{point.y / first.y:.2f}" if first.y else "–"
        head = [escape(key_text(point.x))] if figure.get("x") != figure.get("series", "series") else []
        body.append([*head, escape(point.series), written(first.y), written(point.y), ratio + unsure])
    if not body:
        return ""
    wide = len(body[0]) == 5
    head = [escape(str(figure.get("x_title", figure.get("x", ""))))] if wide else []
    head += [escape(words(figure.get("series", "series"))), escape(names[0]), escape(names[1]), "second / first"]
    count = len(head)
    return table(head, body, label, {count - 3, count - 2, count - 1})


def printed_value(value: Any) -> str:
    """Returns a paper's numbers for one thing, as text."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(entry, (int, float)) for entry in value):
        return span(value[0], value[1])
    if isinstance(value, list):
        return listed([printed_value(entry) for entry in value])
    if isinstance(value, dict):
        return "; ".join(f"{words(key)} {printed_value(entry)}" for key, entry in value.items())
    return number(value) if value is not None else "–"


def printed_table(paper: Row, chapter: str) -> str:
    """Returns the numbers in a paper's figure, or nothing if it has none; `chapter` shows them."""
    values = paper.get("values")
    label = f"what the source prints: {paper['where']} ({paper['id']}), beside {chapter}"
    if isinstance(values, list) and values and all(isinstance(entry, dict) for entry in values):
        fields = list(dict.fromkeys(field for entry in values for field in entry))
        body = [[escape(printed_value(entry.get(field, ""))) for field in fields] for entry in values]
        return table([escape(words(field)) for field in fields], body, label)
    if not isinstance(values, dict) or not values:
        return ""
    if all(isinstance(entry, dict) for entry in values.values()):
        fields = list(dict.fromkeys(field for entry in values.values() for field in entry))
        if len(fields) <= SHOWN_PLACES:
            body = [
                [escape(words(key)), *(escape(printed_value(entry[field])) if field in entry else "–" for field in fields)]
                for key, entry in values.items()
            ]
            return table(["", *(escape(words(field)) for field in fields)], body, label)
    body = [[escape(words(key)), escape(printed_value(entry))] for key, entry in values.items()]
    return table(["what", "printed"], body, label)


__all__ = ["matrix", "printed_table", "ratios", "rows_table", "table"]
