"""The three charts of the first screen: lookups, memory and changes for the default scheme, PlanB and the best other scheme.

They are small pictures in a grid, so that one drawing fits all widths, and do not need a converter.
"""

from collections.abc import Iterable

from ..rows import fits
from .cells import CALLS, DEFAULT_SCHEME, is_scheme_row, speed
from .chapter import BASELINE
from .model import Report, Source, cpu_of
from .rows import Row, more_is_better
from .scales import axis_text, steps_of_linear
from .text import escape, listed, measured, name_of_isa, plural, rich

WIDTH, HEIGHT = 290, 128  # of a picture
FOOT, LEFT = 18, 24  # pixels of the labels of its axes
WORKLOAD = "match"
USUAL_CALL = 64
COLOURS = ("default", "baseline", "m1")  # of the default scheme, PlanB and the best other one
Trio = list[tuple[str, float]]  # names and values of these three, in this order, without missing ones


def trio(values: dict[str, float], more: bool = True) -> Trio:
    others = [name for name in values if name not in (DEFAULT_SCHEME, BASELINE)]
    best = [(max if more else min)(others, key=lambda name: values[name])] if others else []
    return [(name, values[name]) for name in (DEFAULT_SCHEME, BASELINE, *best) if name in values]


def lookups_of(source: Source) -> dict[tuple[str, int], list[Row]]:
    """Returns the independent lookups by instruction set and family: for each the case with the most schemes that includes the default."""
    cases: dict[tuple[int, str, str], list[Row]] = {}
    for name, part in source.document["experiments"].items():
        for row in part["rows"]:
            if is_scheme_row(row, None) and row["workload"] == WORKLOAD and row["mode"] == "throughput":
                cases.setdefault((row["family"], name, row.get("case", "")), []).append(row)
    matches: dict[tuple[str, int], list[Row]] = {}
    for (family, _, _), rows in cases.items():
        isa = next((row.get("isa", "") for row in rows if row["series"] == DEFAULT_SCHEME), None)
        known = matches.get((str(isa), family), [])
        if isa is not None and len({row["series"] for row in rows}) > len({row["series"] for row in known}):
            matches[isa, family] = rows
    return matches


def speeds(rows: list[Row], batch: int) -> dict[str, float]:
    """Returns the millions of lookups per second of each scheme, with its fastest instruction set."""
    matches: dict[str, float] = {}
    for row in rows:
        if row.get("batch") == batch:
            matches[row["series"]] = max(matches.get(row["series"], 0.0), speed(row) or 0.0)
    return matches


def svg(height: float, words: str, parts: Iterable[str]) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(words)}">{"".join(parts)}</svg>'


def text(x: float, y: float, words: str, anchor: str = "middle", css: str = "") -> str:
    look = f' class="{css}"' if css else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{look}>{escape(words)}</text>'


def bar(x: float, y: float, width: float, height: float, at: int, words: str, css: str = "") -> str:
    look = f' class="{css}"' if css else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{max(height, 1):.1f}" fill="var(--{COLOURS[at]})"{look}>'
        f"<title>{escape(words)}</title></rect>"
    )


def place_of(name: str) -> int:
    return {DEFAULT_SCHEME: 0, BASELINE: 1}.get(name, 2)


def columns(title: str, places: dict[int, Trio], steps: list[float], others: int) -> str:
    """Returns the picture for one processor and family: three bars per call size, with their numbers."""
    foot, room = HEIGHT - FOOT, (HEIGHT - FOOT - 12) / steps[-1]
    parts = []
    for step in steps:
        y = foot - room * step
        parts.append(f'<path stroke="var(--grid)" d="M{LEFT},{y:.1f}H{WIDTH}"/>{text(LEFT - 4, y + 3.5, axis_text(step), "end")}')
    across = (WIDTH - LEFT) / len(places)
    thick = across / 3.3
    for at, (call, matches) in enumerate(places.items()):
        begin = LEFT + across * at + thick * 0.2
        parts.append(text(begin + 1.5 * thick, HEIGHT - 5, str(call)))
        for name, value in matches:
            x, high = begin + thick * place_of(name), room * value
            parts.append(bar(x, foot - high, thick - 2, high, place_of(name), f"{name}, {call} a call: {measured(value)} million lookups a second"))
            parts.append(text(x + thick / 2 - 1, foot - high - 3, f"{value:.0f}", css="number"))
    names = list(dict.fromkeys(name for matches in places.values() for name, _ in matches[2:]))
    words = f"best of {plural(others, 'other')}: {', '.join(names)}" if names else "no other was measured"
    picture = svg(HEIGHT, f"{title}: lookups a second by addresses a call", parts)
    return f"<figure><figcaption>{escape(title)}</figcaption>{picture}<small>{escape(words)}</small></figure>"


def rows(title: str, matches: list[Trio], unit: str, most: float) -> str:
    """Returns the picture for one family: the name and the values of each scheme above its bars, one per processor."""
    thick = 10 if len(matches) < 2 else 5
    step = 18 + thick * len(matches)
    parts = []
    for at, (name, _) in enumerate(matches[0]):
        values = [dict(entry).get(name) for entry in matches]
        top = at * step
        numbers = " / ".join(measured(value) for value in values if value is not None)
        parts += [text(0, top + 11, name, "start", "name"), text(WIDTH, top + 11, numbers, "end", "name")]
        for place, value in enumerate(values):
            if value is not None:
                words = f"{name}: {measured(value)} {unit}"
                parts.append(bar(0, top + 15 + thick * place, WIDTH * value / most, thick - 1, at, words, "second" if place else ""))
    return f"<figure><figcaption>{escape(title)}</figcaption>{svg(step * len(matches[0]), f'{title}: {unit}', parts)}</figure>"


def chart(title: str, better: str, pictures: list[str], note: str, css: str = "", key: str = "") -> str:
    head = f'<div class="head"><h2>{escape(title)} <small>{escape(better)}</small></h2>{key}</div>'
    return f'<section class="chart {css}">{head}<div class="grid">{"".join(pictures)}</div><p class="note">{rich(note)}</p></section>' if pictures else ""


def lookup_chart(report: Report) -> str:
    panels = []
    for source in report.sources:
        for (isa, family), own in sorted(lookups_of(source).items(), key=lambda entry: entry[0][0], reverse=True):
            places = {call: trio(values) for call in CALLS if (values := speeds(own, call))}
            others = len({row["series"] for row in own} - {DEFAULT_SCHEME, BASELINE})
            panels.append((family, f"{cpu_of(source.run)} with {name_of_isa(isa)}", places, others))
    pictures = []
    for family, where, places, others in sorted(panels, key=lambda entry: -entry[0]):
        most = max(value for entry in panels if entry[0] == family for matches in entry[2].values() for _, value in matches)
        pictures.append(columns(f"IPv{family}, {where}", places, steps_of_linear(0, most, 4), others))
    note = f"1, 8, 64 and 256 addresses a call, one thread, addresses inside randomly chosen routes of a full Internet table.{threads_text(report)}"
    names = (f"<span><b>{DEFAULT_SCHEME}</b>, the default</span>", "PlanB", "the best other scheme at that place")
    key = "".join(f'<li><span style="background:var(--{colour})"></span>{name}</li>' for colour, name in zip(COLOURS, names, strict=True))
    return chart("Lookups", "million a second, more is better", pictures, note, key=f'<ul class="legend">{key}</ul>')


def threads_text(report: Report) -> str:
    """Returns a sentence on the largest number of threads, if it is more than two."""
    text = ""
    for source in report.sources:
        lookups = [row for row in source.document["experiments"].get("cores", {}).get("rows", []) if "mlps" in row]
        most = max((row.get("threads", 1) for row in lookups), default=1)
        parts = []
        for family in (6, 4):
            own = trio({row["series"]: row["mlps"] for row in lookups if row.get("threads") == most and row.get("family") == family})
            if own and most > 2:
                (_, first), *rest = own
                parts.append(f"{measured(first)} for IPv{family} ({', '.join(f'`{name}` {measured(value)}' for name, value in rest)})")
        text += f" {most} threads on {cpu_of(source.run)} reach {listed(parts)}." if parts else ""
    return text


def memory_chart(report: Report) -> str:
    """Returns the bytes per route in the first result: they do not depend on the processor."""
    matches, costly = {}, []
    for (_, family), own in sorted(lookups_of(report.sources[0]).items(), reverse=True):
        bytes_of = {row["series"]: row["bytes"] / row["routes"] for row in own if row.get("bytes") and row.get("routes")}
        if DEFAULT_SCHEME in bytes_of:
            matches[family] = trio(bytes_of, more=False)
        fastest = trio(speeds(own, USUAL_CALL))[2:]
        costly += [f"{measured(bytes_of[name])} (`{name}`, IPv{family})" for name, _ in fastest if name in bytes_of]
    most = max((value for entry in matches.values() for _, value in entry), default=1)
    note = "The structure that is searched, with its next hops, the same on all processors."
    note += f" The fastest others in calls of {USUAL_CALL} need {listed(costly)}." if costly else ""
    return chart("Memory", "bytes a route, less is better", [rows(f"IPv{family}", [entry], "bytes a route", most) for family, entry in matches.items()], note, "half")


def changes_of(source: Source, field: str, **requested: object) -> dict[str, dict[str, float]]:
    """Returns the best value of each scheme by table."""
    matches: dict[str, dict[str, float]] = {}
    best = max if more_is_better(field) else min
    for row in source.document["experiments"].get("ours-changes", {}).get("rows", []):
        if field in row and fits(row, {"workload": "churn", **requested}):
            own = matches.setdefault(row["table"], {})
            own[row["series"]] = best(own.get(row["series"], row[field]), row[field])
    return matches


def changes_chart(report: Report) -> str:
    """Returns the changes per second in the first two results that have them, and the delay until a single one is visible."""
    results = [(source, rates) for source in report.sources if (rates := changes_of(source, "changes_per_second", burst=1024))][:2]
    families = {row["table"]: f"IPv{family}" for source in report.sources for (_, family), own in lookups_of(source).items() for row in own}
    everything = [rate for _, by_table in results for rates in by_table.values() for rate in rates.values()]
    pictures, note = [], ""
    for table_name, first in results[0][1].items() if results else ():
        names = [name for name, _ in trio(first)]
        several = [[(name, by_table[table_name][name] / 1000) for name in names if name in by_table.get(table_name, {})] for _, by_table in results]
        pictures.append(rows(families.get(table_name, table_name), several, "thousand changes a second", max(everything) / 1000))
        known = changes_of(results[0][0], "visible_us").get(table_name, {})
        if not note and known.keys() >= {DEFAULT_SCHEME, BASELINE}:
            note = f" A single change of {families.get(table_name, table_name)} is visible after {measured(known[DEFAULT_SCHEME])} µs"
            note += f" (`{BASELINE}`: {measured(known[BASELINE] / 1000)} ms)."
    second = f", on {results[0][0].name} (upper bar) and {results[1][0].name} (lower bar)" if len(results) > 1 else ""
    note = f"Transactions of 1,024 changes while others look up{second}. `{BASELINE}` builds its table anew for each.{note}"
    return chart("Changes", "thousand a second, more is better", pictures, note, "half")


def charts_html(report: Report) -> str:
    """Returns the three charts, or nothing if the results have none of the data."""
    inside = lookup_chart(report) + memory_chart(report) + changes_chart(report)
    return f'<div class="charts">{inside}</div>' if inside else ""
