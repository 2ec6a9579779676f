"""Gathers the results of a run: medians over the passes of each case, as one document that the report reads.

`read` takes the folder of a run or a results.json.
"""

from __future__ import annotations

import json
import os
import re
import statistics
from pathlib import Path
from typing import Any

from .rows import COUNTS, Row, is_value

FORMAT = "fingerpost-evaluation 1"
# Ratios of two passes that differ by less are called settled.
SETTLED = 0.10


class ResultsError(Exception):
    """An error in stored results."""


def file_name(case: str) -> str:
    """Returns the name of a case as a part of a file name."""
    return re.sub(r"[^A-Za-z0-9._,+=-]+", "_", case)


def rounded(value: Any) -> Any:
    """Returns a number with four digits; whole numbers below 10,000 and other values stay unchanged."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    if isinstance(value, int) and abs(value) < 10000:
        return value
    short = float(f"{value:.4g}")
    return int(short) if short.is_integer() else short


def identity(row: Row) -> tuple[tuple[str, Any], ...]:
    """Returns the fields that distinguish a row from others of its case."""
    return tuple((name, _hashable(value)) for name, value in row.items() if not is_value(name) and name not in COUNTS)


def _hashable(value: Any) -> Any:
    return json.dumps(value, sort_keys=True) if isinstance(value, (list, dict)) else value


def grouped(several: list[list[Row]]) -> list[list[Row]]:
    """Groups the equivalent rows of several passes or processes."""
    groups: dict[tuple[tuple[str, Any], ...], list[Row]] = {}
    for rows in several:
        for row in rows:
            groups.setdefault(identity(row), []).append(row)
    return list(groups.values())


def medians(processes: list[list[Row]]) -> list[Row]:
    """Returns the rows of a pass: medians over its processes. Rows of a single process stay unchanged."""
    return processes[0] if len(processes) == 1 else [_median(rows) for rows in grouped(processes)]


def merged(passes: list[list[Row]]) -> list[Row]:
    """Returns one row for each row of a case: the median over the passes, quartiles, ratios and whether these settled."""
    return [_merged(rows) for rows in grouped(passes)]


def _median(rows: list[Row]) -> Row:
    result = {name: value for name, value in rows[0].items() if not is_value(name)}
    for name in COUNTS:
        arguments = [row[name] for row in rows if name in row]
        if arguments:
            result[name] = max(arguments) if name == "wrong" else sum(arguments)
    if result.get("wrong"):
        return result
    for name in {name: None for row in rows for name in row if is_value(name)}:
        arguments = [row[name] for row in rows if isinstance(row.get(name), (int, float))]
        if arguments:
            result[name] = rounded(statistics.median(arguments))
    return result


def _merged(rows: list[Row]) -> Row:
    result = _median(rows)
    if result.get("wrong"):
        return result
    ratios = [row["ratio"] for row in rows if isinstance(row.get("ratio"), (int, float))]
    if ratios:
        result["ratio_passes"] = [rounded(ratio) for ratio in ratios]
        result["settled"] = None if len(ratios) < 2 else max(ratios) < (1 + SETTLED) * min(ratios)
    return result


def gather(folder: Path) -> Row:
    """Reads a run's folder. Raises ResultsError for any other folder."""
    path = folder / "run.json"
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path}: {error}") from error
    experiments: dict[str, Row] = {}
    for own in sorted((folder / "cases").glob("*")):
        if own.is_dir():
            experiments[own.name] = _gathered(own)
    # The folder of the tables concerns only the machine of the run. It determines whether a run can continue.
    run.pop("tables", None)
    return {"format": FORMAT, "run": run, "experiments": experiments}


def _gathered(folder: Path) -> Row:
    documents: dict[str, list[Row]] = {}
    for path in sorted(folder.glob("*.json")):
        if path.name.startswith("."):
            continue
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            documents.setdefault(document["case"], []).append(document)
        except (ValueError, KeyError, TypeError) as error:
            raise ResultsError(f"{path}: {error!r}") from error
    result: Row = {"passes": {}, "skipped": {}, "failed": {}, "seconds": 0, "rows": []}
    for case, all_passes in sorted(documents.items(), key=lambda entry: (entry[1][0].get("order", 0), entry[0])):
        measured = sorted((entry for entry in all_passes if "rows" in entry), key=lambda entry: entry["pass"])
        result["seconds"] = rounded(result["seconds"] + sum(entry["seconds"] for entry in all_passes))
        if not measured:
            last = all_passes[-1]
            kind = "skipped" if "skipped" in last else "failed"
            result[kind][case] = last[kind]
            continue
        result["passes"][case] = len(measured)
        processes = measured[0].get("declared", {}).get("processes", 1)
        if processes > 1:
            result.setdefault("processes", {})[case] = processes
        result["rows"] += [{"case": case} | row for row in merged([entry["rows"] for entry in measured])]
    return result


def packed(rows: list[Row]) -> Row:
    """Returns the fields that all rows share, the names of the other columns, and their values, null where a row has none.

    With the names of fields in every row, a run is three times as large.
    """
    names = list({name: None for row in rows for name in row})
    same = {name: rows[0][name] for name in names if all(name in row and row[name] == rows[0][name] for row in rows)}
    columns = [name for name in names if name not in same]
    return {"same": same, "columns": columns, "values": [[row.get(name) for name in columns] for row in rows]}


def unpacked(rows: Any) -> list[Row]:
    """Returns rows as they were before `packed`; a list of rows stays unchanged."""
    if isinstance(rows, list):
        return rows
    same, columns = rows["same"], rows["columns"]
    return [same | {name: value for name, value in zip(columns, values) if value is not None} for values in rows["values"]]


def write(path: Path, document: Row) -> None:
    """Writes a complete results.json, one row per line."""

    def short(value: Any) -> str:
        return json.dumps(value, separators=(",", ":"))

    def with_rows(entry: Row) -> str:
        rows = packed(entry["rows"])
        lines = ",\n".join(map(short, rows.pop("values")))
        fields = [f"{short(name)}:{short(value)}" for name, value in entry.items() if name != "rows"]
        return "{" + ",".join([*fields, f'"rows":{short(rows)[:-1]},"values":[\n{lines}\n]}}']) + "}"

    experiments = ",\n".join(f"{short(name)}:{with_rows(item)}" for name, item in document["experiments"].items())
    fields = [f"{short(name)}:{short(value)}" for name, value in document.items() if name != "experiments"]
    text = "{" + ",\n".join([*fields, f'"experiments":{{\n{experiments}\n}}']) + "}\n"
    other = path.with_name(f".{path.name}.new")
    other.write_text(text, encoding="utf-8")
    os.replace(other, path)


def read(path: Path) -> Row:
    """Reads a run's folder or a results.json. Raises ResultsError for anything else."""
    if path.is_dir():
        return gather(path)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path}: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ResultsError(f"{path}: not a result of an evaluation ({FORMAT})")
    try:
        return document | {"experiments": {name: entry | {"rows": unpacked(entry["rows"])} for name, entry in document["experiments"].items()}}
    except (KeyError, TypeError, AttributeError) as error:
        raise ResultsError(f"{path}: {error!r}") from error
