"""The head of the report in plain words: what was measured, where, beside how much other work, and what became of the papers' figures."""

from statistics import median

from .cells import DEFAULT_SCHEME, VARIANTS, WORKLOADS, Cell, by_table, cells_of, not_fastest, others, shape_of
from .chapter import VERDICT_MARKS, badge
from .conditions import load_text, machine_text
from .model import Report, Source, short_commit
from .tables import UNSETTLED, table
from .text import escape, listed, name_of_isa, parted, plural, rich

NOISY = 0.5
ORDER = ("different", "same direction", "reproduced", "not comparable")  # the weakest first


def verdict_of_papers(report: Report, at: int) -> dict[str, str]:
    """Returns the verdict of each figure of a paper in one result: the weakest of its comparisons.

    What is not comparable counts only where nothing else was compared.
    """
    found: dict[str, list[str]] = {}
    for chapter in report.chapters:
        for judgement in chapter.verdicts[at] if chapter.verdicts else []:
            found.setdefault(judgement.verdict.paper, []).append(judgement.verdict.verdict)
    return {paper: min(verdicts, key=ORDER.index) for paper, verdicts in found.items()}


def plain_seconds(seconds: float) -> str:
    return plural(round(seconds / 60), "minute") if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def machine_lines(source: Source) -> str:
    run, machine = source.run, source.machine
    rows = [
        ("machine", machine_text(source) + (f" ({machine['cpu_id']})" if machine.get("cpu_id") else "")),
        ("virtual machine", str(machine.get("virtual", ""))),
        ("memory", f"{machine['memory_gb']} GB" if machine.get("memory_gb") else ""),
        ("caches", listed([str(cache) for cache in machine.get("caches", [])])),
        ("instruction sets", listed([name_of_isa(isa) for isa in machine.get("isas", [])])),
        ("system", str(machine.get("kernel", ""))),
        ("compiler", f"{machine.get('compiler', '')} {machine.get('flags', '')}".strip()),
        ("frequency governor", str(machine.get("governor", ""))),
        ("huge pages", str(machine.get("huge_pages", ""))),
        ("version", f"{run.get('version', '')}, commit {short_commit(run)}"),
        ("measured", f"{str(run.get('started', ''))[:16].replace('T', ' ')}, {'full' if run.get('full') else 'quick'} run"),
        ("other load, at most", load_text(source)),
    ]
    body = "".join(f"<dt>{name}</dt><dd>{rich(text)}</dd>" for name, text in rows if text)
    head = f'<h2 class="name">{escape(source.name)}</h2>' if source.name else ""
    return f'<div class="machine">{head}<dl>{body}</dl></div>'


def warnings(report: Report) -> str:
    parts = []
    for source in report.sources:
        at = f" on {escape(source.name)}" if source.name else ""
        if source.load > NOISY:
            parts.append(
                f"<strong>Other programs ran beside this measurement{at}:</strong> they took up to {escape(load_text(source))}. Speeds are "
                "then too low, and single calls vary most. Trust ratios within one figure more than the speeds themselves."
            )
        if not source.run.get("finished"):
            parts.append(f"<strong>This run was not finished{at}:</strong> what it had not yet measured is missing.")
    return "".join(f'<p class="warning">{part}</p>' for part in parts)


def counts(report: Report, at: int) -> dict[str, int]:
    judged = verdict_of_papers(report, at)
    found = {verdict: sum(one == verdict for one in judged.values()) for verdict in VERDICT_MARKS}
    found["not attempted"] = sum(paper in report.not_reproduced and paper not in judged for paper in report.papers)
    found["not measured in this run"] = len(report.papers) - sum(found.values())
    return found


def tiles(report: Report) -> str:
    html = ""
    meaning = {
        "reproduced": "every number lies within the printed range or near it: each comparison states its tolerance, mostly 25 %",
        "same direction": "every number has the direction that the source claims, some by another factor",
        "different": "at least one number contradicts the source",
        "not comparable": "measured, but no printed number can stand beside it",
        "not attempted": "no experiment for it; the last chapter gives the reason",
        "not measured in this run": "its experiment was skipped, failed, or has no comparison",
    }
    for at, source in enumerate(report.sources):
        head = f"<h3>{escape(source.name)}</h3>" if source.name else ""
        items = "".join(
            f'<li class="{VERDICT_MARKS.get(name, "quiet")}"><b>{count}</b><span>{name}</span><small>{meaning[name]}</small></li>'
            for name, count in counts(report, at).items()
            if count
        )
        html += f'{head}<ul class="tiles">{items}</ul>'
    return html


def default_conclusions(cells: list[Cell]) -> list[str]:
    """Returns in sentences how often the default scheme is the fastest, and for each workload by how much it is not."""
    slower = not_fastest(cells)
    first = f"`{DEFAULT_SCHEME}`, the default scheme, is the fastest in {len(cells) - len(slower)} of {plural(len(cells), 'cell')}"
    found = [f"{first} (a table, a workload and a kind of call). Take it, unless your case is one of those below."]
    for workload, words in WORKLOADS.items():
        own = [cell for cell in cells if cell.workload == workload]
        ahead = sorted(not_fastest(own), key=lambda cell: cell.ahead)
        if not own:
            continue
        text = f"`{workload}`, {words}: "
        if not ahead:
            found.append(f"{text}the default is the fastest in all {plural(len(own), 'cell')}.")
            continue
        most = ahead[-1]
        by = f"{most.ahead:.2f}×"
        if len(ahead) > 1:
            by = f"{median([cell.ahead for cell in ahead]):.2f}× in the median and {by} at most"
        where = f"`{most.fastest}`, table {most.table}, {most.call}"
        found.append(f"{text}another scheme is faster in {len(ahead)} of {plural(len(own), 'cell')}, by {by} ({where}).")
    return found


def where_of(report: Report, name: str) -> str:
    """Returns where a figure stands in its source, with the end of its id if another one stands there too."""
    own = report.papers[name]
    same = [paper for paper in report.papers.values() if (paper["where"], paper["seed"]) == (own["where"], own["seed"])]
    return f"{own['where']} ({name.split('-', 1)[1].replace('-', ' ')})" if len(same) > 1 else str(own["where"])


def paper_conclusions(report: Report, at: int) -> str:
    """Returns the figures of papers by verdict, each a link to its chapter, as items of a list."""
    chapters = {paper: chapter for chapter in reversed(report.chapters) for paper in chapter.papers}
    judged = verdict_of_papers(report, at)
    html = ""
    for verdict, words in (("reproduced", "Reproduced"), ("different", "Different, at least one number contradicts the source")):
        by_source: dict[str, list[str]] = {}
        for name, paper in report.papers.items():
            if judged.get(name) == verdict:
                text = escape(where_of(report, name))
                link = f'<a href="#{escape(chapters[name].name)}">{text}</a>' if name in chapters else text
                by_source.setdefault(paper["seed"].split(" ", 1)[1], []).append(link)
        if by_source:
            html += f"<li>{words}: {'; '.join(f'{escape(source)}: {listed(links)}' for source, links in by_source.items())}.</li>"
    return html


def conclusions_html(report: Report) -> str:
    """Returns what the results come to, computed from them."""
    html = ""
    for at, source in enumerate(report.sources):
        cells = cells_of(source.document)
        head = f"<h3>{escape(source.name)}</h3>" if source.name else ""
        items = ""
        if cells:
            first, *rest = default_conclusions(cells)
            all_of = '<a href="#not-fastest">All cells in which another scheme is faster</a>. '
            items += f"<li>{rich(first)}<ul>{''.join(f'<li>{rich(one)}</li>' for one in rest)}</ul>{all_of}{rich(VARIANTS)}</li>"
        items += paper_conclusions(report, at)
        html += f'{head}<ul class="conclusions">{items}</ul>' if items else ""
    return f"<h2>What comes of it</h2>{html}" if html else ""


def measured_sentence(report: Report) -> str:
    names = [chapter for chapter in report.chapters]
    rows = [row for source in report.sources for one in source.document["experiments"].values() for row in one["rows"]]
    schemes = {row.get("series") for row in rows if row.get("series")}
    papers = len(report.papers)
    sources = len({paper["seed"] for paper in report.papers.values()})
    seconds = sum(one.get("seconds", 0) or 0 for source in report.sources for one in source.document["experiments"].values())
    text = (
        f"Fingerpost finds the route with the longest matching prefix for an address. This report measures its lookup schemes and other "
        f"programs in {plural(len(names), 'experiment')}: {plural(len(schemes), 'competitor')} and configurations of them, "
        f"{plural(len(rows), 'row')} of results"
    )
    if seconds:
        text += f", {plain_seconds(seconds)} of measurement"
    return (
        f"{text}. It sets them beside the {papers} figures, tables and printed numbers of {plural(sources, 'publication')}. A competitor that gives a "
        "wrong answer has no numbers here."
    )


def cell_rows(cells: list[Cell]) -> list[list[str]]:
    """Returns the lines of the table of cells, as HTML."""
    lines = []
    for cell in cells:
        fastest, default = (text.replace(" ", "\u00a0") for text in cell.speeds)
        unsure = f" {UNSETTLED}" if cell.settled is False else ""
        lines.append([escape(cell.workload), escape(cell.call), parted(cell.fastest), f"{cell.ahead:.2f}×{unsure}", fastest, default])
    return lines


CELL_HEAD = ["workload", "call", "fastest", "ahead by", "its speed", "default"]


def cells_html(report: Report) -> str:
    html = ""
    for source in report.sources:
        cells = cells_of(source.document)
        if not cells:
            continue
        slower = not_fastest(cells)
        head = f"<h3>{escape(source.name)}</h3>" if source.name else ""
        words = (
            f"A cell is one table, one workload and one kind of call: dependent lookups, or independent ones in calls of some size. In each, "
            f"standard schemes were measured side by side. {VARIANTS} {shape_of(cells)} The default scheme, `{DEFAULT_SCHEME}`, is the fastest "
            f"in {len(cells) - len(slower)} of {plural(len(cells), 'cell')}."
        )
        words += f" It is the fastest in all cells of {listed(others(cells))}." if others(cells) else ""
        words += " These are the cells in which another scheme is faster:" if slower else ""
        level = 4 if source.name else 3
        html += f"{head}<p>{rich(words)}</p>"
        everything = by_table(cells)
        for name, found in by_table(slower).items():
            count = f"the default is the fastest in {len(everything[name]) - len(found)} of {len(everything[name])}"
            html += f"<h{level}>{escape(name)} <small>{count}</small></h{level}>"
            html += table(CELL_HEAD, cell_rows(found), f"{name} {source.name}: another scheme is faster", {3, 4, 5}, "cells")
    if not html:
        return ""
    return f'<section class="chapter"><h2 id="not-fastest">Where the default scheme is not the fastest</h2>{html}</section>'


def papers_html(report: Report) -> str:
    """Returns every figure of the papers with its verdict and the chapter that it stands in, or why it has none."""
    chapters = {paper: chapter for chapter in reversed(report.chapters) for paper in chapter.papers}
    judged = [verdict_of_papers(report, at) for at in range(len(report.sources))]
    body = []
    for name, paper in report.papers.items():
        chapter = chapters.get(name)
        what = f"{escape(where_of(report, name))}<small>{rich(paper['claim'])}</small>"
        if name in report.not_reproduced:
            verdicts, text = '<span class="badge quiet">not attempted</span>', rich(report.not_reproduced[name])
        else:
            found = [one.get(name) for one in judged]
            verdicts = " ".join(badge(one) if one else '<span class="badge quiet">not measured</span>' for one in found)
            text = f'<a href="#{escape(chapter.name)}">{escape(chapter.title)}</a>' if chapter else "No experiment of this run has it."
        body.append([what, escape(paper["seed"].split(" ", 1)[1]), verdicts, text])
    label = "all figures of the papers"
    return (
        f'<section class="chapter"><h2 id="papers">Every figure of the papers</h2>'
        f"{table(['figure', 'source', 'verdict', 'where, or why not'], body, label, css='papers')}</section>"
    )
