"""The page: one HTML file without scripts, fonts, external links or anything else that a browser would request."""

from pathlib import Path

from .cells import WORKLOADS
from .chapter import chapter_html, folded
from .charts import charts_html
from .glossary import glossary_html
from .model import Report
from .palette import style_sheet
from .summary import CELLS_TITLE, cells_html, key_html, lead, machine_lines, papers_html, warnings
from .text import HOPS, escape

STYLE = Path(__file__).with_name("style.css")


def render(report: Report) -> str:
    """Returns the report. Equal results give equal bytes."""
    cells = cells_html(report)
    chapters, number = [], 1
    for chapter in report.chapters:
        html, number = chapter_html(chapter, report, number)
        chapters.append(html)
    links = ([("not-fastest", CELLS_TITLE)] if cells else []) + [("papers", "Every figure of the papers"), ("method", METHOD), ("contents", "All chapters")]
    nav = " ".join(f'<a href="#{anchor}">{words}</a>' for anchor, words in links)
    first = (
        f'<header><h1>{TITLE}</h1>{warnings(report)}<p class="lead">{escape(lead(report))}</p>{charts_html(report)}{key_html(report)}'
        f'<nav aria-label="Contents">{nav}</nav></header><h2 id="contents">Contents</h2>'
    )
    machines = "".join(machine_lines(source) for source in report.sources)
    method = folded("method", METHOD, f'{COMPARE}<div class="machines">{machines}</div>{HOW_TO_READ}{glossary_html(report)}')
    body = "\n".join([first, cells, *chapters, papers_html(report), method])
    style = style_sheet() + STYLE.read_text(encoding="utf-8")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{TITLE}</title><style>{style}</style></head>\n<body><main>{body}</main></body></html>\n'
    )


TITLE = "Evaluation of fingerpost"
METHOD = "Machines, and how to read the figures"
COMPARE = (
    "<p><strong>Compare speeds within one figure only.</strong> Different figures were measured at different times by different processes, so the "
    "same measurement may have another value there. A competitor that gives a wrong answer has no numbers here.</p>"
)
HOW_TO_READ = (
    "<h3>How to read the figures</h3><ul>"
    "<li>The default scheme is blue and PlanB is orange. When a figure has neither, the leading series is blue. Other series differ by colour and "
    "shape. After nine series the rest are grey dots, which only the table below the figure names.</li>"
    "<li>A mark is the median of the rounds or turns. The thin line across it runs from the first to the third quartile. Marks that would hide each "
    "other are drawn a few pixels apart.</li>"
    "<li>A hollow mark, and ~ in a table, did not settle: two passes differ by 10 % or more.</li>"
    "<li>A <em>round</em> measures each competitor of one process once, in random order, so that a slow moment of the machine slows all of them. A "
    "<em>turn</em> measures the default scheme and then one package of another language, each in its own process. A <em>pass</em> repeats a whole "
    "case. If it has several processes, its values are their medians.</li>"
    "<li>A ratio compares with the baseline of the same round or turn. The figure shows the median of these ratios, which may differ from the "
    "quotient of the two medians.</li>"
    f"<li>Workloads: {'; '.join(f'<code>{name}</code>: {escape(words)}' for name, words in WORKLOADS.items())}. Most IPv6 addresses of "
    "<code>uniform</code> have no route. <code>warm</code> repeats 5,000 addresses inside routes. <code>churn</code> withdraws, announces and "
    "replaces routes, each as often as recorded updates do.</li>"
    "<li>In dependent lookups (latency) each address follows from the answer before, so the time is that of one lookup alone. In independent lookups "
    "(throughput) the CPU works on several at once.</li>"
    f"<li>Next hops: <code>unmerged</code>: {escape(HOPS['unmerged'])}, so no scheme can merge routes; <code>clustered:N</code>: N next hops in "
    "runs, as in recorded tables; <code>random:N</code>: N random next hops; <code>unique</code>: one for each route.</li>"
    "<li>Tables: <code>tier1-v4</code> and <code>tier1-v6</code> are the prefixes of full Internet tables of a tier-1 provider, from public lists "
    "without dates and without next hops; their sizes are those of about 2022. If they are missing, tables with the same prefix lengths are "
    "generated. <code>ipv6-2021-as293</code> is the table of the RouteViews peer AS 293 of 2021-01-17 15:00. <code>rrc00-NN</code> is generated with "
    "the IPv6 prefix lengths that the PlanB paper prints for the collector rrc00 in 20NN. A number after a colon is the number of routes.</li></ul>"
)
