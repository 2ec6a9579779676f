"""Reads the declared experiments of lab/experiments and refuses unknown keys and values, with file and key.

A file NAME.toml declares one experiment: cases to run, figures to draw, and comparisons with printed numbers. A case with `each` expands
to one case for each combination of its lists, one with `together` to one case for each position in all its lists. The value replaces
`{field}` in texts.
"""

from __future__ import annotations

import itertools
import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE.parents[1]
DECLARED = PACKAGE.parent / "experiments"
PAPERS = PACKAGE / "paper_figures.json"
NOT_REPRODUCED = "not_reproduced"

KINDS = ("lookup", "update", "router", "gpu", "strides", "info", "program")
NEEDS = ("program", "root", "dpdk", "cargo", "go", "python-packages", "router", "namespaces", "gpu")
FIGURE_KINDS = ("bars", "lines", "points", "matrix", "table", "picture")
SCALES = ("log", "linear", "ordinal")
VERDICTS = ("reproduced", "same direction", "different", "not comparable")

TOP_KEYS = {"name", "title", "question", "budget_seconds", "budget_seconds_full", "passes", "passes_full", "needs", "papers", "table"}
TOP_KEYS |= {"case", "figure", "compare"}
CASE_KEYS = {"name", "kind", "table", "arguments", "arguments_full", "command", "command_full", "each", "each_full", "together", "together_full", "fields", "keep", "once", "needs"}
CASE_KEYS |= {"processes"}
TABLE_KEYS = {"name", "arguments", "command", "note"}
FIGURE_KEYS = {"name", "title", "kind", "rows", "x", "x_title", "x_unit", "x_scale", "y", "y_title", "y_unit", "y_scale", "series"}
FIGURE_KEYS |= {"note", "columns", "papers"}
COMPARE_KEYS = {"paper", "what", "ours", "papers_value", "papers_range", "tolerance", "no_effect", "direction", "sentences", "not_comparable"}
OURS_KEYS = {"field", "field_of_second", "rows", "rows_of_second", "ratio", "less_percent", "value", "over", "pick", "times", "paper_path"}


class ExperimentError(Exception):
    """An error in a declaration: the file, the key and the reason."""


@dataclass
class Case:
    """One case as it runs, without lists and placeholders, except for folders that only a run knows."""

    experiment: str
    name: str
    kind: str
    arguments: list[str]
    command: list[str]
    table: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    keep: dict[str, Any] = field(default_factory=dict)
    needs: list[str] = field(default_factory=list)
    once: bool = False
    # The number of times a pass runs the command; its rows are the medians over these processes.
    processes: int = 1


@dataclass
class Experiment:
    """A declared experiment, checked."""

    name: str
    title: str
    question: str
    budget_seconds: float
    budget_seconds_full: float
    passes: int
    passes_full: int
    needs: list[str]
    papers: list[str]
    tables: list[dict[str, Any]]
    declared_cases: list[dict[str, Any]]
    figures: list[dict[str, Any]]
    compares: list[dict[str, Any]]
    path: Path

    def cases(self, full: bool = False) -> list[Case]:
        """Returns every case of a quick or of a full run, in the order of the file."""
        result = [entry for declared in self.declared_cases for entry in expanded(self.name, declared, full)]
        return [Case(**{**vars(entry), "needs": self.needs + entry.needs}) for entry in result]

    def budget(self, full: bool) -> float:
        return self.budget_seconds_full if full else self.budget_seconds

    def most_passes(self, full: bool) -> int:
        return self.passes_full if full else self.passes


def filled(value: Any, places: dict[str, Any]) -> Any:
    """Returns a text, or the texts of a list or table, with `{field}` replaced; unknown placeholders stay."""
    if isinstance(value, str):
        for name, put in places.items():
            value = value.replace("{" + name + "}", str(put))
        return value
    if isinstance(value, list):
        return [filled(entry, places) for entry in value]
    if isinstance(value, dict):
        return {name: filled(entry, places) for name, entry in value.items()}
    return value


def expanded(experiment: str, declared: dict[str, Any], full: bool) -> list[Case]:
    """Returns the cases to which a declared one expands."""
    each = (declared.get("each_full") if full else None) or declared.get("each", {})
    arguments = (declared.get("arguments_full") if full else None) or declared.get("arguments", [])
    command = (declared.get("command_full") if full else None) or declared.get("command", [])
    together = (declared.get("together_full") if full else None) or declared.get("together", {})
    rows = [dict(zip(together, values)) for values in zip(*together.values())] if together else [{}]
    result = []
    for values, row in itertools.product(itertools.product(*each.values()), rows):
        places = dict(zip(each, values)) | row
        result.append(
            Case(
                experiment=experiment,
                name=filled(declared["name"], places),
                kind=declared["kind"],
                arguments=filled(arguments, places),
                command=filled(command, places),
                table=filled(declared.get("table", ""), places),
                fields=places | filled(declared.get("fields", {}), places),
                keep=filled(declared.get("keep", {}), places),
                needs=list(declared.get("needs", [])),
                once=declared.get("once", False),
                processes=declared.get("processes", 1),
            )
        )
    return result


def paper_figures(path: Path = PAPERS) -> dict[str, dict[str, Any]]:
    """Returns the papers' numbers, by id."""
    return {figure["id"]: figure for figure in json.loads(path.read_text(encoding="utf-8"))["figures"]}


class Checker:
    """Checks one file; every error names the file and the key."""

    def __init__(self, path: Path, papers: dict[str, Any]) -> None:
        self.path = path
        self.papers = papers

    def fail(self, key: str, words: str) -> None:
        raise ExperimentError(f"{self.path}: {key}: {words}")

    def keys(self, at: str, arguments: Any, known: set[str], required: tuple[str, ...] = ()) -> None:
        if not isinstance(arguments, dict):
            self.fail(at, "must be a table")
        for key in arguments:
            if key not in known:
                self.fail(f"{at}{key}", f"is not known; there are {', '.join(sorted(known))}")
        for key in required:
            if key not in arguments:
                self.fail(f"{at}{key}", "is missing")

    def of_type(self, key: str, value: Any, kind: Any, words: str) -> None:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fail(key, f"must be {words}")

    def texts(self, key: str, value: Any) -> None:
        self.of_type(key, value, list, "a list of texts")
        for entry in value:
            self.of_type(key, entry, str, "a list of texts")

    def at_least_one(self, key: str, value: Any) -> None:
        self.of_type(key, value, int, "a whole number")
        if value < 1:
            self.fail(key, "must be at least 1")

    def choice(self, key: str, value: Any, choices: tuple[str, ...]) -> None:
        if value not in choices:
            self.fail(key, f"{value!r} is none of {', '.join(choices)}")

    def paper(self, key: str, name: Any) -> None:
        if name not in self.papers:
            self.fail(key, f"{name!r} is not an id of {PAPERS.name}")

    def once(self, key: str, names: list[str]) -> None:
        for name in names:
            if names.count(name) > 1:
                self.fail(key, f"{name!r} is there twice")

    def case(self, at: str, declared: dict[str, Any]) -> None:
        self.keys(at, declared, CASE_KEYS, ("name", "kind"))
        self.choice(f"{at}kind", declared["kind"], KINDS)
        for key in ("name", "table"):
            self.of_type(f"{at}{key}", declared.get(key, ""), str, "a text")
        for key in ("arguments", "arguments_full", "command", "command_full", "needs"):
            self.texts(f"{at}{key}", declared.get(key, []))
        for need in declared.get("needs", []):
            self.choice(f"{at}needs", need, NEEDS)
        self.of_type(f"{at}once", declared.get("once", False), bool, "true or false")
        self.at_least_one(f"{at}processes", declared.get("processes", 1))
        for key in ("fields", "keep", "each", "each_full", "together", "together_full"):
            if not isinstance(declared.get(key, {}), dict):
                self.fail(f"{at}{key}", "must be a table of fields")
        for key in ("together", "together_full"):
            if len({len(values) for values in declared.get(key, {}).values() if isinstance(values, list)}) > 1:
                self.fail(f"{at}{key}", "must have lists of one length")
        for key in ("each", "each_full", "together", "together_full"):
            for name, values in declared.get(key, {}).items():
                if not isinstance(values, list) or not values:
                    self.fail(f"{at}{key}.{name}", "must be a list with at least one value")
        is_program = declared["kind"] == "program"
        if is_program and not declared.get("command"):
            self.fail(f"{at}command", "is missing")
        if is_program and ("arguments" in declared or "table" in declared):
            self.fail(f"{at}command", "is all that a case of kind program has; arguments and table belong to the other kinds")
        if not is_program and "command" in declared:
            self.fail(f"{at}command", "belongs to kind program")

    def figure(self, at: str, arguments: dict[str, Any]) -> None:
        self.keys(at, arguments, FIGURE_KEYS, ("name", "title", "kind"))
        self.choice(f"{at}kind", arguments["kind"], FIGURE_KINDS)
        if arguments["kind"] not in ("table", "picture"):
            self.keys(at, arguments, FIGURE_KEYS, ("x", "y", "x_title", "y_title"))
        if arguments["kind"] == "table" and "y" not in arguments:
            self.keys(at, arguments, FIGURE_KEYS, ("columns",))
        for key in ("x_scale", "y_scale"):
            if key in arguments:
                self.choice(f"{at}{key}", arguments[key], SCALES)
        if not isinstance(arguments.get("rows", {}), dict):
            self.fail(f"{at}rows", "must be a table of fields")
        for name in arguments.get("papers", []):
            self.paper(f"{at}papers", name)

    def compare(self, at: str, arguments: dict[str, Any], own_papers: list[str]) -> None:
        self.keys(at, arguments, COMPARE_KEYS, ("paper", "what", "sentences"))
        self.paper(f"{at}paper", arguments["paper"])
        if arguments["paper"] not in own_papers:
            self.fail(f"{at}paper", f"{arguments['paper']!r} does not stand in papers of this experiment")
        sentences = arguments["sentences"]
        if not isinstance(sentences, dict) or not sentences:
            self.fail(f"{at}sentences", "must have at least one sentence")
        for verdict, sentence in sentences.items():
            self.choice(f"{at}sentences", verdict, VERDICTS)
            self.of_type(f"{at}sentences.{verdict}", sentence, str, "a text")
        if "not_comparable" in arguments:
            self.of_type(f"{at}not_comparable", arguments["not_comparable"], bool, "true or false")
            return
        if "ours" not in arguments:
            self.fail(f"{at}ours", "is missing, as not_comparable is")
        ours = arguments["ours"]
        self.keys(f"{at}ours.", ours, OURS_KEYS, ("field",))
        if sum(key in ours for key in ("ratio", "less_percent", "value")) != 1:
            self.fail(f"{at}ours", "must have one of ratio, less_percent, value")
        for key in ("ratio", "less_percent"):
            if key in ours and (not isinstance(ours[key], list) or len(ours[key]) != 2):
                self.fail(f"{at}ours.{key}", "must be a list of two series")
        self.choice(f"{at}ours.pick", ours.get("pick", "median"), ("median", "max", "min", "first", "last", "sum"))
        if "papers_range" in arguments and (not isinstance(arguments["papers_range"], list) or len(arguments["papers_range"]) != 2):
            self.fail(f"{at}papers_range", "must be a list of two numbers")
        if "papers_range" in arguments and "papers_value" in arguments:
            self.fail(f"{at}papers_value", "stands beside papers_range; one of them is enough")
        if "papers_range" not in arguments and "papers_value" not in arguments and "direction" not in arguments:
            self.fail(f"{at}papers_range", "is missing, as papers_value and direction are")
        for key in ("tolerance", "no_effect"):
            self.of_type(f"{at}{key}", arguments.get(key, 0), (int, float), "a number")
        direction = arguments.get("direction", "grows")
        words = direction.split() if isinstance(direction, str) else []
        if direction not in ("grows", "falls") and not (len(words) == 2 and words[0] in ("above", "below") and is_number(words[1])):
            self.fail(f"{at}direction", f"{direction!r} is none of `above X`, `below X`, grows, falls")

    def head(self, arguments: dict[str, Any]) -> None:
        """Checks everything except tables, cases, figures and comparisons."""
        self.keys("", arguments, TOP_KEYS, ("name", "title", "question", "budget_seconds", "papers", "case"))
        for key in ("name", "title", "question"):
            self.of_type(key, arguments[key], str, "a text")
        if arguments["name"] != self.path.stem:
            self.fail("name", f"{arguments['name']!r} is not the name of the file")
        for key in ("budget_seconds", "budget_seconds_full"):
            self.of_type(key, arguments.get(key, 1), (int, float), "a number of seconds")
        for key in ("passes", "passes_full"):
            self.at_least_one(key, arguments.get(key, 1))
        for key in ("papers", "needs"):
            self.texts(key, arguments.get(key, []))
        for need in arguments.get("needs", []):
            self.choice("needs", need, NEEDS)
        for name in arguments["papers"]:
            self.paper("papers", name)
        for key in ("table", "case", "figure", "compare"):
            self.of_type(key, arguments.get(key, []), list, f"written as [[{key}]]")

    def table(self, at: str, declared: dict[str, Any]) -> None:
        self.keys(at, declared, TABLE_KEYS, ("name",))
        if sum(key in declared for key in ("arguments", "command")) != 1:
            self.fail(f"{at}arguments", "or command must be there, and not both")

    def experiment(self, arguments: dict[str, Any]) -> Experiment:
        self.head(arguments)
        for at, entry in enumerate(arguments.get("table", []), 1):
            self.table(f"table {entry.get('name', at)}: ", entry)
        for at, entry in enumerate(arguments["case"], 1):
            self.case(f"case {entry.get('name', at)}: ", entry)
        for at, entry in enumerate(arguments.get("figure", []), 1):
            self.figure(f"figure {entry.get('name', at)}: ", entry)
        for at, entry in enumerate(arguments.get("compare", []), 1):
            self.compare(f"compare {at}: ", entry, arguments["papers"])
        for key in ("table", "figure"):
            self.once(key, [entry["name"] for entry in arguments.get(key, [])])
        result = Experiment(
            name=arguments["name"],
            title=arguments["title"],
            question=arguments["question"],
            budget_seconds=arguments["budget_seconds"],
            budget_seconds_full=arguments.get("budget_seconds_full", 20 * arguments["budget_seconds"]),
            passes=arguments.get("passes", 1),
            passes_full=arguments.get("passes_full", max(5, arguments.get("passes", 1))),
            needs=arguments.get("needs", ["program"]),
            papers=arguments["papers"],
            tables=arguments.get("table", []),
            declared_cases=arguments["case"],
            figures=arguments.get("figure", []),
            compares=arguments.get("compare", []),
            path=self.path,
        )
        for full in (False, True):
            self.once("case", [entry.name for entry in result.cases(full)])
        return result


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def parsed(path: Path) -> dict[str, Any]:
    try:
        arguments: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return arguments
    except OSError as error:
        raise ExperimentError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ExperimentError(f"{path}: {error}") from error


def load(path: Path, papers: dict[str, Any] | None = None) -> Experiment:
    """Reads one experiment. Raises ExperimentError for an invalid one."""
    return Checker(path, paper_figures() if papers is None else papers).experiment(parsed(path))


def load_all(folder: Path = DECLARED) -> dict[str, Experiment]:
    """Reads all experiments of a folder, by name in alphabetical order."""
    papers = paper_figures()
    paths = [path for path in sorted(folder.glob("*.toml")) if path.stem != NOT_REPRODUCED]
    if not paths:
        raise ExperimentError(f"{folder}: has no experiment (NAME.toml)")
    return {path.stem: load(path, papers) for path in paths}


def not_reproduced(folder: Path = DECLARED) -> dict[str, str]:
    """Returns the sentence of each figure of a paper that no experiment reproduces, by its id."""
    path = folder / f"{NOT_REPRODUCED}.toml"
    checker = Checker(path, paper_figures())
    arguments = parsed(path)
    checker.keys("", arguments, {NOT_REPRODUCED}, (NOT_REPRODUCED,))
    for name, sentence in arguments[NOT_REPRODUCED].items():
        checker.paper(f"{NOT_REPRODUCED}.{name}", name)
        checker.of_type(f"{NOT_REPRODUCED}.{name}", sentence, str, "a text")
    sentences: dict[str, str] = arguments[NOT_REPRODUCED]
    return sentences
