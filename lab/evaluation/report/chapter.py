"""A chapter of the report: the question, the verdicts next to the paper's numbers, the figures, and what was skipped."""

import base64
from urllib.parse import quote

from ..rows import fits
from . import figures, tables
from .cells import DEFAULT_SCHEME
from .conditions import conditions
from .drawing import draw
from .marks import Styler, legend
from .model import Chapter, Judged, Report, Source
from .rows import Point, Row, better, more_is_better, points_of
from .text import escape, listed, plural, rich, span, writer

BASELINE = "planb"
VERDICT_MARKS = {"reproduced": "good", "same direction": "fair", "different": "poor", "not comparable": "quiet"}
MOST_ROWS = 25  # maximum rows of a table shown in full; a longer one scrolls
PICTURES = {".svg": "image/svg+xml", ".png": "image/png"}
LARGEST_PICTURE = 700_000  # bytes; the page must stay below 4 MB
DRAWN = ("bars", "lines", "points")


def badge(verdict: str, words: str = "") -> str:
    return f'<span class="badge {VERDICT_MARKS.get(verdict, "quiet")}">{escape(words or verdict)}</span>'


def side_by_side(specs: list[tuple[Source, figures.Spec]], description: str) -> str:
    """Returns a figure for one or several results."""
    inside = ""
    for source, spec in specs:
        name = f'<p class="source">{escape(source.name)}</p>' if len(specs) > 1 else ""
        label = f"{description} ({source.name})" if source.name else description
        inside += f"<div>{name}{draw(spec, label, figures.WIDTH)}</div>"
    return f'<div class="pair">{inside}</div>'


def chosen_rows(figure: Row, part: Row | None) -> list[Row]:
    """Returns the rows of a figure that have values."""
    if part is None:
        return []
    rows = [row for row in part["rows"] if fits(row, figure.get("rows", {}))]
    if figure.get("x") == figure.get("series", "series") and "y" in figure:
        sign = -1 if more_is_better(figure["y"]) else 1
        rows.sort(key=lambda row: sign * row.get(figure["y"], 0))
    shown = tables.measured_fields(figure, rows)
    return [row for row in rows if row.get("wrong") or any(field in row for field in shown)] if shown else rows


def in_order_of_value(points: list[Point], field: str) -> list[str]:
    """Returns the names of the series, the best first by median."""
    values: dict[str, list[float]] = {}
    for point in points:
        values.setdefault(point.series, []).append(point.y)
    middle = {name: sorted(matches)[len(matches) // 2] for name, matches in values.items()}
    return sorted(middle, key=lambda name: middle[name], reverse=more_is_better(field))


def drawn(figure: Row, shown: list[tuple[Source, list[Row]]], styler: Styler) -> str:
    """Returns the picture of a figure of bars, lines or points, with its legend."""
    points = [(source, points_of(figure, [row for row in rows if not row.get("wrong")])) for source, rows in shown]
    points = [(source, matches) for source, matches in points if matches]
    everything = [point for _, matches in points for point in matches]
    if not everything:
        return '<p class="note">There is nothing to draw: no row has this value.</p>'
    alone = figure.get("x", "case") == figure.get("series", "series")
    names = in_order_of_value(everything, figure["y"])
    known = styler.styles(names, alone)
    written = writer([point.y for point in everything])
    plot = figures.Plot(figure, known, figures.extent_of(everything), figures.order_of_places(figure, everything), written)
    specs = [(source, figures.spec_of(plot, matches)) for source, matches in points]
    unsettled = any(point.settled is False for point in everything)
    note = '<p class="note">Hollow marks did not settle: two passes differ by 10 % or more.</p>' if unsettled else ""
    return ("" if alone else legend(known)) + side_by_side(specs, figure["title"]) + note


def picture_data(source: Source, name: str) -> str | None:
    """Returns a picture next to the results as a data URL, or None if it is missing or too large."""
    folder = (source.path if source.path.is_dir() else source.path.parent).resolve()
    path = (folder / name).resolve()
    kind = PICTURES.get(path.suffix)
    if kind is None or not path.is_relative_to(folder) or not path.is_file() or path.stat().st_size > LARGEST_PICTURE:
        return None
    if path.suffix == ".svg":
        return f"data:{kind},{quote(path.read_text(encoding='utf-8'), safe=' =:/;,+!@()*$')}"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def pictures(shown: list[tuple[Source, list[Row]]]) -> str:
    """Returns the pictures that rows name, side by side and each once per result."""
    parts: dict[str, str] = {}
    for source, rows in shown:
        # A row of another kind, such as the depth of a tree, may refer to a table's picture too.
        for row in rows:
            if "picture" not in row:
                continue
            name = str(row["picture"])
            data = picture_data(source, name)
            words = escape(" of ".join(str(row[field]) for field in ("series", "table") if field in row))
            missing = f'<p class="note">{words}: the picture {escape(name)} does not lie beside these results.</p>'
            matches = f'<figure class="picture"><img src="{escape(data or "")}" alt="{words}"><figcaption>{words}</figcaption></figure>'
            if data or name not in parts:
                parts[name] = matches if data else missing
    return f'<div class="pictures">{"".join(parts.values())}</div>'


def figure_html(chapter: Chapter, figure: Row, sources: list[Source], number_of: int, styler: Styler) -> str:
    shown = [(source, chosen_rows(figure, part)) for source, part in zip(sources, chapter.parts, strict=True)]
    shown = [(source, rows) for source, rows in shown if rows]
    anchor = f"{chapter.name}-{figure['name']}"
    aim = f" <small>{better(figure['y'])}</small>" if "y" in figure and figure["kind"] != "matrix" else ""
    title = f'<h3 id="{escape(anchor)}"><span class="count">Figure {number_of}</span> {escape(figure["title"])}{aim}</h3>'
    note = f'<p class="note">{rich(figure["note"])}</p>' if figure.get("note") else ""
    parts = dict(zip([source.name for source in sources], chapter.parts, strict=True))
    kind = figure["kind"]
    # Two chapters may have figures with the same title; the number makes names of regions unique.
    named = f"Figure {number_of}, {figure['title']}"
    body, numbers = "", ""
    for source, rows in shown:
        label = f"{named}: the numbers" + (f", {source.name}" if source.name else "")
        head = f"<h4>{escape(source.name)}</h4>" if len(shown) > 1 else ""
        numbers += "" if kind == "picture" else head + tables.rows_table(figure, rows, label)
    if kind in DRAWN:
        body = drawn(figure, shown, styler)
    elif kind == "matrix":
        for source, rows in shown:
            body += f"<h4>{escape(source.name)}</h4>" if len(shown) > 1 else ""
            body += tables.matrix(figure, points_of(figure, rows), f"{named} {source.name}".strip())
    elif kind == "picture":
        body = pictures(shown)
    count = sum(len(rows) for _, rows in shown)
    if kind == "table":
        tall = f'<p class="note">{plural(count, "row")}; the box scrolls.</p><div class="tall">{numbers}</div>'
        body, numbers = tall if count > MOST_ROWS else numbers, ""
    if len(shown) > 1 and kind in (*DRAWN, "matrix"):
        entry, other = (points_of(figure, rows) for _, rows in shown[:2])
        names = (shown[0][0].name, shown[1][0].name)
        compared = tables.ratios(figure, entry, other, names, f"{named}: both results")
        numbers = (f"<h4>Both, and their ratio</h4>{compared}" if compared else "") + numbers
    details = f"<details><summary>The numbers ({plural(count, 'row')})</summary>{numbers}</details>" if numbers else ""
    lines = "".join(conditions(source, parts[source.name] or {}, rows, tables.measured_fields(figure, rows)) for source, rows in shown)
    return f'<section class="figure">{title}{note}{body}{lines}{details}</section>'


def verdict_figure(chapter: Chapter, sources: list[Source], number_of: int) -> str:
    """Returns the ranges of ratios, the paper's and ours, that fit on one axis; empty when there are fewer than two."""
    specs = []
    for source, judged in zip(sources, chapter.verdicts, strict=True):
        lines = [
            {"place": entry.what, "numbers": list(entry.numbers.values()), "paper_low": entry.theirs[0], "paper_high": entry.theirs[1]}
            for entry in (judgement.verdict for judgement in judged if judgement.is_ratio)
            if entry.ours and entry.theirs and min(*entry.ours, *entry.theirs) > 0
        ]
        if len(lines) >= 2:
            specs.append((source, figures.verdict_spec(lines)))
    if not specs:
        return ""
    key = (
        '<ul class="legend"><li><span class="bandmark"></span>the paper</li>'
        '<li><span class="linemark"></span><span><b>this run</b>, a dot for each case</span></li><li>dashed: 1, both are equal</li></ul>'
    )
    title = f'<h3><span class="count">Figure {number_of}</span> The paper’s ratios and ours: {escape(chapter.title)}</h3>'
    return f'<section class="figure">{title}{key}{side_by_side(specs, "Ratios of the paper and of this run")}</section>'


def how_near(judgement: Judged) -> str:
    """Returns how many of our numbers match the printed range or value, and the tolerance."""
    entry = judgement.verdict
    printed = "value" if entry.theirs and entry.theirs[0] == entry.theirs[1] else "range"
    near = f"within {100 * judgement.tolerance:.3g}\u00a0% of the printed {printed}"
    if judgement.no_effect is not None:
        near = f"within the printed {printed}, widened by {100 * judgement.tolerance:.3g}\u00a0% of its distance from\u00a0{judgement.no_effect:g}"
    elif judgement.tolerance == 0:
        near = f"within the printed {printed}" if printed == "range" else "at the printed value"
    if len(entry.numbers) == 1:
        return near if entry.within else f"not {near}"
    return f"{entry.within} of {plural(len(entry.numbers), judgement.singular, judgement.many)} {near}"


def verdict_table(chapter: Chapter, report: Report) -> str:
    head = ["what", "paper", "ours", "verdict", "why"]
    several = len(report.sources) > 1
    html = ""
    for source, judged in zip(report.sources, chapter.verdicts, strict=True):
        if not judged or (several and not any(judgement.verdict.ours for judgement in judged)):
            continue
        body = []
        for judgement in judged:
            entry = judgement.verdict
            where = report.papers[entry.paper]
            what = f"{escape(entry.what)}<small>{escape(where['seed'].split(' ', 1)[1])}, {escape(where['where'])}</small>"
            theirs = span(*entry.theirs) if entry.theirs else "–"
            ours = span(*entry.ours) if entry.ours else "–"
            ours += f"<small>{how_near(judgement)}</small>" if entry.theirs and entry.numbers else ""
            body.append([what, theirs, ours, badge(entry.verdict), rich(entry.sentence or "–")])
        name = f'<h3 class="name">{escape(source.name)}</h3>' if several else ""
        html += name + tables.table(head, body, f"verdicts of {chapter.title} {source.name}".strip(), {1, 2}, "verdicts")
    return html


def printed_html(chapter: Chapter, report: Report) -> str:
    """Returns the paper's claims for this chapter, one by one."""
    parts = []
    for name in chapter.papers:
        paper = report.papers[name]
        source = paper["seed"].split(" ", 1)[1]
        note = f'<p class="note">{rich(paper["notes"])}</p>' if paper.get("notes") else ""
        where = f'<p class="conditions">{rich(paper["conditions"])}</p>' if paper.get("conditions") else ""
        head = f"<h3 class=\"name\">{escape(source)}, {escape(paper['where'])}</h3><p>{rich(paper['claim'])}</p>"
        parts.append(head + tables.printed_table(paper, chapter.name) + note + where)
    if not parts:
        return ""
    return f'<details class="printed"><summary>All that the papers print on it ({len(parts)})</summary>{"".join(parts)}</details>'


def left_out(chapter: Chapter, sources: list[Source]) -> str:
    """Returns a list of skipped and failed cases, grouped by reason."""
    lines = []
    for source, part in zip(sources, chapter.parts, strict=True):
        at = f" ({source.name})" if source.name else ""
        if part is None:
            continue
        for kind, word in (("skipped", "Skipped"), ("failed", "Failed")):
            reasons: dict[str, list[str]] = {}
            for case, why in part.get(kind, {}).items():
                reasons.setdefault(str(why), []).append(case)
            for why, cases in reasons.items():
                names = listed(cases) if len(cases) <= 4 else f"{len(cases)} cases, from {cases[0]} to {cases[-1]}"
                lines.append(f"{word}{at}: {names}: {why}".rstrip(".") + ".")
        wrong = {str(row.get("series")) for row in part["rows"] if row.get("wrong")}
        if wrong:
            lines.append(f"Wrong answers, so no numbers{at}: {listed(sorted(wrong))}.")
    return f'<ul class="left-out">{"".join(f"<li>{escape(line)}</li>" for line in lines)}</ul>' if lines else ""


def chapter_html(chapter: Chapter, report: Report, first_number: int) -> tuple[str, int]:
    """Returns the chapter and the number of the next figure."""
    ratios = verdict_figure(chapter, report.sources, first_number)
    number = first_number + bool(ratios)
    styler = Styler(DEFAULT_SCHEME, BASELINE)
    own = [figure for figure in chapter.figures if any(chosen_rows(figure, part) for part in chapter.parts)]
    shown = "".join(figure_html(chapter, entry, report.sources, number + at, styler) for at, entry in enumerate(own))
    inside = (
        f'<p class="question">{rich(chapter.question)}</p>{ratios}{verdict_table(chapter, report)}{shown}{left_out(chapter, report.sources)}'
        f"{printed_html(chapter, report)}"
    )
    return folded(chapter.name, chapter.title, inside, verdict_counts(chapter)), number + len(own)


def folded(anchor: str, title: str, inside: str, aside: str = "") -> str:
    """Returns a folded part of the page. A link to its anchor opens it, because the anchor is inside."""
    head = f"<summary><h2>{escape(title)}</h2>{aside}</summary>"
    return f'<details class="chapter">{head}<div class="inside" id="{escape(anchor)}">{inside}</div></details>'


def verdict_counts(chapter: Chapter) -> str:
    """Returns the numbers of comparisons in the first result that were reproduced and that differ, as badges."""
    matches = [judgement.verdict.verdict for judgement in chapter.verdicts[0]] if chapter.verdicts else []
    return "".join(f" {badge(name, f'{matches.count(name)} {name}')}" for name in VERDICT_MARKS if name in matches and name != "not comparable")
