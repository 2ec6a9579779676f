"""The page: one HTML file without scripts, fonts, links to elsewhere or anything else that a browser would ask for."""

from pathlib import Path

from .chapter import chapter_html
from .model import Report
from .palette import style_sheet
from .summary import cells_html, machine_lines, measured_sentence, papers_html, tiles, warnings
from .text import escape

STYLE = Path(__file__).with_name("style.css")


def contents(report: Report, has_cells: bool) -> str:
    links = [("summary", "Summary")]
    links += [("not-fastest", "Where the default is not the fastest")] if has_cells else []
    links += [(chapter.name, chapter.title) for chapter in report.chapters]
    links += [("papers", "Every figure of the papers")]
    items = "".join(f'<li><a href="#{escape(anchor)}">{escape(text)}</a></li>' for anchor, text in links)
    return f'<nav aria-label="Contents"><p class="brand">fingerpost</p><ol>{items}</ol></nav>'


def title_of(report: Report) -> str:
    names = [source.name for source in report.sources if source.name]
    return f"Evaluation of fingerpost: {names[0]} and {names[1]}" if names else "Evaluation of fingerpost"


def render(report: Report) -> str:
    """Returns the report; the same results give the same bytes."""
    title = title_of(report)
    cells = cells_html(report)
    chapters, number = [], 1
    for chapter in report.chapters:
        chapters.append(chapter_html(chapter, report, number))
        number += len(chapter.figures)
    summary = (
        f'<header id="summary"><h1>{escape(title)}</h1>{warnings(report)}<p class="lead">{escape(measured_sentence(report))}</p>'
        f'<div class="machines">{"".join(machine_lines(source) for source in report.sources)}</div>'
        f"<h2>The papers’ figures</h2>{tiles(report)}{HOW_TO_READ}</header>"
    )
    body = "\n".join([summary, cells, *chapters, papers_html(report)])
    style = style_sheet() + STYLE.read_text(encoding="utf-8")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{escape(title)}</title><style>{style}</style></head>\n<body>{contents(report, bool(cells))}\n'
        f"<main>{body}</main></body></html>\n"
    )


HOW_TO_READ = (
    "<details><summary>How to read the figures</summary><ul>"
    "<li>The default scheme is blue, PlanB orange; other colours only tell series apart. Every series has a shape of its own too.</li>"
    "<li>A mark is the median of interleaved rounds, the thin line across it goes from the first to the third quartile.</li>"
    "<li>A hollow mark, and ~ in a table, did not settle: two passes differ by 10 % or more.</li>"
    "<li>A ratio compares with the baseline of the same run, round by round, so that a slow moment of the machine slows both.</li>"
    "<li>Workloads: <code>match</code> draws a route and then an address below it; <code>zipf</code> draws some routes far more often; "
    "<code>uniform</code> draws addresses of the whole space, most of which have no route in IPv6; <code>miss</code> draws addresses "
    "without a route; <code>short</code> draws addresses that the shortest prefixes decide.</li>"
    "<li>“Each lookup waits for the last” is the time of one lookup by itself. Otherwise the CPU overlaps independent calls.</li>"
    "</ul></details>"
)
