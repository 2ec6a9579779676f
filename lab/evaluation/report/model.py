"""The contents of the report: one to three results, the declared experiments, and the verdicts, by chapter."""

from dataclasses import dataclass, field
from pathlib import Path

from .. import experiments, results, verdicts
from ..rows import is_value
from .rows import Row
from .text import name_of_isa


@dataclass(frozen=True)
class Source:
    """One result, with a name that distinguishes it from others."""

    name: str
    path: Path
    document: Row

    @property
    def run(self) -> Row:
        return dict(self.document["run"])

    @property
    def machine(self) -> Row:
        return dict(self.run.get("machine", {}))

    @property
    def load(self) -> float:
        """The highest load from other programs, in CPUs."""
        return max(self.run.get("load_at_start") or 0.0, self.run.get("largest_load_beside") or 0.0)


@dataclass(frozen=True)
class Judged:
    """A comparison with a paper, and the report's explanation of its verdict."""

    verdict: verdicts.Verdict
    is_ratio: bool
    tolerance: float
    no_effect: float | None  # the tolerance is a share of the distance from this number, or of the printed number itself
    singular: str  # what one of our numbers represents
    many: str


@dataclass(frozen=True)
class Chapter:
    """One experiment: its parts of the results, in the order of the sources, None where a result lacks it."""

    name: str
    title: str
    question: str
    papers: list[str]
    figures: list[Row]
    parts: list[Row | None]
    verdicts: list[list[Judged]]


@dataclass(frozen=True)
class Report:
    sources: list[Source]
    chapters: list[Chapter]
    papers: dict[str, Row]
    not_reproduced: dict[str, str] = field(default_factory=dict)


def cpu_of(run: Row) -> str:
    return str(run.get("machine", {}).get("cpu", "an unknown CPU"))


def isas_of(run: Row) -> list[str]:
    """Returns the instruction sets, the widest last."""
    return list(run.get("machine", {}).get("isas", [])) or ["scalar"]


def short_commit(run: Row) -> str:
    return str(run.get("commit", ""))[:10]


def names_of(documents: list[Row]) -> list[str]:
    """Returns names that distinguish results: by CPU, otherwise by CPU and instruction set, by commit or by time."""
    if len(documents) == 1:
        return [""]
    runs = [document["run"] for document in documents]
    for name in (cpu_of, lambda run: f"{cpu_of(run)} with {name_of_isa(isas_of(run)[-1])}", short_commit, lambda run: str(run.get("started", ""))):
        matches = [name(run) for run in runs]
        if len(set(matches)) == len(matches) and all(matches):
            return matches
    return [f"result {at}" for at in range(1, len(documents) + 1)]


def undeclared(name: str, part: Row) -> Row:
    """Returns a figure for results whose experiment is not declared here: all rows as a table."""
    values = dict.fromkeys(key for row in part["rows"] for key in row if is_value(key) and not key.endswith(("_q1", "_q3")))
    return {"name": "rows", "title": f"All rows of {name}", "kind": "table", "columns": list(values)}


def names_of_numbers(numbers: dict[str, float], over: str, rows: list[Row]) -> tuple[str, str]:
    """Returns what one and several of our numbers of a comparison represent: a field of the rows, or a table where each case is one."""
    tables = {row.get("table") for row in rows}
    if over == "table" or (over in ("case", "cases") and numbers and set(numbers) <= tables):
        return "table", "tables"
    return ("case", "cases") if over in ("case", "cases", "all") or "," in over else (over, over if over.endswith("s") else over + "s")


def judge(experiment: experiments.Experiment, document: Row, papers: dict[str, Row]) -> list[Judged]:
    rows = document["experiments"].get(experiment.name, {}).get("rows", [])
    matches = []
    for compare in experiment.compares:
        ours = compare.get("ours", {})
        verdict = verdicts.verdict_of(experiment, compare, document, papers)
        names = names_of_numbers(verdict.numbers, ours.get("over", "case"), rows)
        is_ratio = "ratio" in ours or "paper_path" in ours
        matches.append(Judged(verdict, is_ratio, compare.get("tolerance", verdicts.TOLERANCE), compare.get("no_effect"), *names))
    return matches


def place_of(chapter: Chapter, papers: list[str]) -> int:
    """Returns the position of a chapter: those without a paper first, then by the first figure that they reproduce."""
    return min((papers.index(paper) for paper in chapter.papers), default=-1)


def read(paths: list[Path], declared_in: Path = experiments.DECLARED) -> Report:
    """Reads results. Raises ResultsError or ExperimentError with the file and the reason."""
    documents = [results.read(path) for path in paths]
    sources = [Source(name, path, document) for name, path, document in zip(names_of(documents), paths, documents, strict=True)]
    declared = experiments.load_all(declared_in)
    papers = experiments.paper_figures()
    measured = [name for document in documents for name in document["experiments"]]
    chapters = []
    for name in [*(name for name in declared if name in measured), *dict.fromkeys(name for name in measured if name not in declared)]:
        parts = [document["experiments"].get(name) for document in documents]
        entry = declared.get(name)
        if entry is None:
            part = next(part for part in parts if part is not None)
            chapters.append(Chapter(name, name, "This experiment is not declared in this version.", [], [undeclared(name, part)], parts, [[] for _ in parts]))
            continue
        judged = [judge(entry, document, papers) if part is not None else [] for document, part in zip(documents, parts, strict=True)]
        chapters.append(Chapter(name, entry.title, entry.question, entry.papers, entry.figures, parts, judged))
    chapters.sort(key=lambda chapter: place_of(chapter, list(papers)))
    return Report(sources, chapters, papers, experiments.not_reproduced(declared_in))
