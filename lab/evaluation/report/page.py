"""The page: one HTML file without scripts, fonts, links to elsewhere or anything else that a browser would ask for."""

from pathlib import Path

from .cells import WORKLOADS
from .chapter import chapter_html
from .glossary import glossary_html
from .model import Report
from .palette import style_sheet
from .summary import cells_html, conclusions_html, machine_lines, measured_sentence, papers_html, tiles, warnings
from .text import HOPS, escape

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
        html, number = chapter_html(chapter, report, number)
        chapters.append(html)
    summary = (
        f'<header id="summary"><h1>{escape(title)}</h1>{warnings(report)}<p class="lead">{escape(measured_sentence(report))}</p>'
        f"{COMPARE}{conclusions_html(report)}"
        f'<div class="machines">{"".join(machine_lines(source) for source in report.sources)}</div>'
        f"<h2>The papers’ figures</h2>{tiles(report)}{HOW_TO_READ}{glossary_html(report)}</header>"
    )
    body = "\n".join([summary, cells, *chapters, papers_html(report)])
    style = style_sheet() + STYLE.read_text(encoding="utf-8")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{escape(title)}</title><style>{style}</style></head>\n<body>{contents(report, bool(cells))}\n'
        f"<main>{body}</main></body></html>\n"
    )


COMPARE = (
    "<p><strong>Compare speeds within one figure only.</strong> Those of different figures were measured at different times and by different "
    "processes, so the same measurement may have another value there.</p>"
)
HOW_TO_READ = (
    "<details><summary>How to read the figures</summary><ul>"
    "<li>The default scheme is blue, PlanB orange. In a figure with neither of them, blue is the series that leads. Other colours only tell series "
    "apart, and so do shapes: the two together belong to one series. The schemes that stand in most figures have the same ones in all of "
    "them. Where there are more than nine series, the last ones are grey dots, which only the table below the figure names.</li>"
    "<li>A <em>round</em> measures each competitor of one process once, one after the other in random order, so that a slow moment of the "
    "machine slows all. A <em>turn</em> does the same for programs: the default scheme, then one package of another language, each in a "
    "process of its own. A <em>pass</em> runs a whole case once more; where it consists of several processes, its values are their "
    "medians.</li>"
    "<li>A mark is the median of the rounds or turns, the thin line across it goes from the first to the third quartile.</li>"
    "<li>Series whose marks would hide each other stand a few pixels aside of each other.</li>"
    "<li>A hollow mark, and ~ in a table, did not settle: two passes differ by 10 % or more.</li>"
    "<li>A ratio compares with the baseline of the same run in each round or turn, and the median of these ratios is shown. So it need not be the "
    "quotient of two medians.</li>"
    f"<li>Workloads: {'; '.join(f'<code>{name}</code>: {escape(words)}' for name, words in WORKLOADS.items())}. Most IPv6 addresses of "
    "<code>uniform</code> have no route. <code>warm</code>: 5,000 addresses inside routes, again and again. <code>churn</code>: routes withdrawn, "
    "announced again and replaced, each as often as in recorded updates.</li>"
    "<li>Dependent lookups (latency): the next address follows from the answer before, so the time is that of one lookup by itself. Independent "
    "lookups (throughput): the CPU works on several at once.</li>"
    f"<li>Next hops: <code>unmerged</code>: {escape(HOPS['unmerged'])}, so no scheme can merge routes; <code>clustered:N</code>: N next hops in "
    "runs, as in recorded tables; <code>random:N</code>: N next hops, dealt at random; <code>unique</code>: one a route.</li>"
    "<li>Tables: <code>tier1-v4</code> and <code>tier1-v6</code> are the prefixes of full Internet tables as a tier-1 provider saw them, "
    "without next hops, out of public lists; their files carry no date, and their sizes are those of about 2022. Where they are missing, they are "
    "generated ones with the same prefix lengths. <code>ipv6-2021-as293</code> is the table of a peer of RouteViews, AS 293, of 2021-01-17 15:00. <code>rrc00-NN</code> is an IPv6 table that is "
    "generated with the prefix lengths that "
    "the PlanB paper gives for the collector rrc00 in the year 20NN; a number after a colon is the number of routes.</li>"
    "</ul></details>"
)
