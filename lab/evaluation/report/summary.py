"""The texts of the first screen, the machines, the cells in which another scheme is faster, and the verdicts on all figures of the
papers."""

from .cells import DEFAULT_SCHEME, VARIANTS, Cell, by_table, cells_of, not_fastest, shape_of
from .chapter import badge, folded
from .conditions import cache_text, load_text, machine_text
from .model import Report, Source, cpu_of, short_commit
from .tables import UNSETTLED, table
from .text import escape, listed, name_of_isa, parted, plural, rich

NOISY = 0.5
ORDER = ("different", "same direction", "reproduced", "not comparable")  # the weakest first


def verdict_of_papers(report: Report, at: int) -> dict[str, str]:
    """Returns the verdict of each figure of a paper in one result: the weakest of its comparisons.

    A comparison that is not comparable counts only if there is no other.
    """
    matches: dict[str, list[str]] = {}
    for chapter in report.chapters:
        for judgement in chapter.verdicts[at] if chapter.verdicts else []:
            matches.setdefault(judgement.verdict.paper, []).append(judgement.verdict.verdict)
    return {paper: min(verdicts, key=ORDER.index) for paper, verdicts in matches.items()}


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
        ("extent", str(run.get("note", ""))),
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


def counts(report: Report, verdict: str) -> str:
    """Returns how many figures of the papers have a verdict, in each result that has any."""
    judged = [matches for at in range(len(report.sources)) if set((matches := verdict_of_papers(report, at)).values()) - {"not comparable"}]
    numbers = listed([str(sum(entry == verdict for entry in matches.values())) for matches in judged] or ["0"])
    return f"{numbers} of {len(report.papers)} figures"


def key_html(report: Report) -> str:
    """Returns the meaning of green and red, in one line each."""
    reproduced = "every number lies in the range that the paper prints, or near it, mostly within 25\u00a0%"
    lines = (("Green", "reproduced", reproduced), ("Red", "different", "at least one number contradicts the paper"))
    return "".join(f'<p class="key">{badge(name, f"{colour}: {name}")}, {words} ({counts(report, name)}).</p>' for colour, name, words in lines)


def where_of(report: Report, name: str) -> str:
    """Returns the position of a figure in its source, with the end of its id if another figure has the same position."""
    own = report.papers[name]
    same = [paper for paper in report.papers.values() if (paper["where"], paper["seed"]) == (own["where"], own["seed"])]
    return f"{own['where']} ({name.split('-', 1)[1].replace('-', ' ')})" if len(same) > 1 else str(own["where"])


def lead(report: Report) -> str:
    """Returns two sentences: what was measured, and where."""
    papers = {paper["seed"] for paper in report.papers.values()}
    return (
        "This report compares the longest-prefix matching of fingerpost with other programs and with "
        f"{len(report.papers)} figures of {plural(len(papers), 'publication')}. The measurements ran on "
        f"{listed([f'{source.name or cpu_of(source.run)}{cache_text(source)}' for source in report.sources])}.".replace("-5", "\u20115")
    )


def cell_rows(cells: list[Cell]) -> list[list[str]]:
    """Returns the lines of the table of cells, as HTML."""
    lines = []
    for cell in cells:
        fastest, default = (text.replace(" ", "\u00a0") for text in cell.speeds)
        unsure = f" {UNSETTLED}" if cell.settled is False else ""
        lines.append([escape(cell.workload), escape(cell.call), parted(cell.fastest), f"{cell.ahead:.2f}×{unsure}", fastest, default])
    return lines


CELLS_TITLE = "Where another scheme is faster than the default"
OTHER_VERDICTS = (
    "A figure has the weakest verdict of its comparisons. Besides green and red, yellow means <em>same direction</em>: all numbers have the direction "
    "that the paper claims, some by another factor. Grey figures were <em>not comparable</em>, because no printed number can stand beside "
    "ours, not attempted, or not measured in this run. Two verdicts are those of different processors."
)
CELL_HEAD = ["workload", "call", "fastest", "ahead by", "its speed", "default"]


def cells_html(report: Report) -> str:
    """Returns the cells in which another scheme is faster than the default, folded; nothing if no cell was measured."""
    html, count = "", ""
    for source in report.sources:
        cells = cells_of(source.document)
        if not cells:
            continue
        slower = not_fastest(cells)
        count = count or f"{len(slower)} of {plural(len(cells), 'cell')}"
        head = f"<h3>{escape(source.name)}</h3>" if source.name else ""
        words = f"{shape_of(cells)} The default scheme, `{DEFAULT_SCHEME}`, is the fastest in {len(cells) - len(slower)} of {plural(len(cells), 'cell')}."
        words += " Another scheme is faster in these cells:" if slower else ""
        level = 4 if source.name else 3
        html += f"{head}<p>{rich(words)}</p>"
        everything = by_table(cells)
        for name, matches in by_table(slower).items():
            fastest = f"the default is the fastest in {len(everything[name]) - len(matches)} of {len(everything[name])}"
            html += f"<h{level}>{escape(name)} <small>{fastest}</small></h{level}>"
            html += table(CELL_HEAD, cell_rows(matches), f"{name} {source.name}: another scheme is faster", {3, 4, 5}, "cells")
    what = f"<p>A cell is one table, one workload and one kind of call. All standard schemes were measured side by side in it. {rich(VARIANTS)}</p>"
    return folded("not-fastest", CELLS_TITLE, what + html, f"<span>{count}</span>") if html else ""


def papers_html(report: Report) -> str:
    """Returns every figure of the papers with its verdict and its chapter, or the reason why it has none."""
    chapters = {paper: chapter for chapter in reversed(report.chapters) for paper in chapter.papers}
    judged = [verdict_of_papers(report, at) for at in range(len(report.sources))]
    body = []
    for name, paper in report.papers.items():
        chapter = chapters.get(name)
        what = f"{escape(where_of(report, name))}<small>{rich(paper['claim'])}</small>"
        if name in report.not_reproduced:
            verdicts, text = badge("not attempted"), rich(report.not_reproduced[name])
        else:
            matches = dict.fromkeys(entry[name] for entry in judged if name in entry)
            verdicts = " ".join(map(badge, matches)) or badge("not measured")
            text = f'<a href="#{escape(chapter.name)}">{escape(chapter.title)}</a>' if chapter else "No experiment of this run has it."
        body.append([what, escape(paper["seed"].split(" ", 1)[1]), verdicts, text])
    everything = table(["figure", "source", "verdict", "where, or why not"], body, "all figures of the papers", css="papers")
    return folded("papers", "Every figure of the papers", f"<p>{OTHER_VERDICTS}</p>{everything}")
