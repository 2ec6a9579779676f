"""Builds the command of a case and extracts flat rows from its output, with one function of each per kind of case."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..experiments import Case
from ..rows import Row, fits, is_value
from .needs import Places

# Tables that the program generates by these names of prefix lengths; a size, a model and a seed may follow after colons.
GENERATED = {"tier1-v6", "tier1-v4"} | {f"rrc00-{year}" for year in range(19, 26)} | {f"rv{at}" for at in range(1, 8)}
# Parts of a scheme that hold only next hops. In other schemes next hops share memory with keys.
ANSWERS = {
    "planb": {"answers", "next hops", "finer codes"},
    "poptrie": {"leaves", "next hops"},
    "cp_trie": {"codes", "next hops"},
    "neurotrie": {"leaves", "next hops"},
    "tree_bitmap": {"results", "next hops"},
}


class CaseSkipped(Exception):
    """Why a case cannot run here."""


class CaseFailed(Exception):
    """Why a case that ran gave no rows."""


# -- tables

def real_table(name: str, places: Places) -> Path | None:
    """Returns the file of a real table, NAME.txt or a compressed one."""
    if places.tables is None:
        return None
    return next(iter(sorted(places.tables.glob(f"{name}.txt*"))), None)


def is_generated(name: str) -> bool:
    return name.split(":")[0] in GENERATED


def table_arguments(name: str, places: Places, own_tables: set[str]) -> list[str]:
    """Returns the options that name a table to the benchmarks: one that this run made, a real one, or a generated one."""
    if name in own_tables:
        return ["--table", str(made_table(name, places))]
    real = real_table(name, places)
    if real is not None:
        return ["--table", str(real)]
    if is_generated(name):
        return ["--generate", name]
    raise CaseSkipped(f"the table {name} is not in {places.tables or 'a folder of real tables (FINGERPOST_TABLES)'}")


def made_table(name: str, places: Places) -> Path:
    return places.out / "tables" / f"{name.replace(':', '_')}.txt"


def generate_command(name: str, places: Places, to: Path) -> list[str]:
    """Returns the command that writes NAME[:ROUTES[:MODEL[:SEED]]] as a file."""
    shares, routes, model, seed = (name.split(":") + ["", "", ""])[:4]
    command = [str(places.program), "lab", "generate", "--shares", shares, "-o", str(to)]
    for option, value in (("--routes", routes), ("--model", model), ("--seed", seed)):
        command += [option, value] if value else []
    return command


def wants_file(case: Case, places: Places, own_tables: set[str]) -> bool:
    """Returns whether a case needs its generated table as a file, because its command cannot generate it."""
    return case.kind in ("info", "strides") and bool(case.table) and case.table not in own_tables and real_table(case.table, places) is None


# -- commands

def command_of(case: Case, places: Places, own_tables: set[str], json_file: Path) -> list[str]:
    """Returns the command of a case. Raises CaseSkipped when its table is missing."""
    fillings = places.fillings()
    words = [filled(word, fillings, places, own_tables) for word in (case.command if case.kind == "program" else case.arguments)]
    if case.kind == "program":
        return words
    if not case.table:
        table = []
    elif wants_file(case, places, own_tables):
        if not is_generated(case.table):
            table_arguments(case.table, places, own_tables)
        table = ["--table", str(made_table(case.table, places))]
    else:
        table = table_arguments(case.table, places, own_tables)
    if case.kind in ("lookup", "update"):
        return [str(places.program), "lab", "bench", case.kind, *table, *words, "--format", "json", "--output", str(json_file)]
    if case.kind == "router":
        return [str(places.router_bench), *table, *words, "--format", "json", "--output", str(json_file)]
    if case.kind == "gpu":
        return [str(places.gpu_bench), *table, *words, "--format", "json", "--output", str(json_file)]
    command = ["lab", "strides"] if case.kind == "strides" else [case.kind]
    return [str(places.program), *command, *table, *words, "--format", "json"]


def named_in(words: list[str]) -> list[str]:
    """Returns the tables that words of a command reference as {table:NAME}."""
    return [name for word in words for name in re.findall(r"\{table:([^}]+)\}", word)]


def file_of(name: str, places: Places, own_tables: set[str]) -> Path:
    """Returns the file of a table: one that this run creates, a real one, or the path for a generated one."""
    real = None if name in own_tables else real_table(name, places)
    if real is None and name not in own_tables and not is_generated(name):
        table_arguments(name, places, own_tables)
    return real or made_table(name, places)


def filled(word: str, fillings: dict[str, str], places: Places, own_tables: set[str]) -> str:
    """Returns a word of a command with all placeholders replaced. Raises CaseSkipped when one is not available."""
    for name in named_in([word]):
        word = word.replace("{table:" + name + "}", str(file_of(name, places, own_tables)))
    for name, put in fillings.items():
        word = word.replace("{" + name + "}", put)
    if "{tables}" in word:
        raise CaseSkipped("there is no folder of real tables (FINGERPOST_TABLES)")
    return word


# -- rows

def rows_of(case: Case, json_file: Path, printed: str, places: Places) -> tuple[list[Row], dict[str, Any]]:
    """Returns the rows of a case that ran, and the environment that its program reports."""
    text = json_file.read_text(encoding="utf-8") if json_file.exists() else printed
    try:
        document = json.loads(text)
    except ValueError as error:
        raise CaseFailed(f"its output is not JSON: {error}") from error
    environment = document.get("environment", {}) if isinstance(document, dict) else {}
    if isinstance(document, dict) and isinstance(document.get("skipped"), str):
        raise CaseSkipped(document["skipped"])
    try:
        rows = READERS[case.kind](document)
        if case.kind == "strides":
            rows = [_without_next_hops(row, case) for row in rows]
    except (KeyError, TypeError, AttributeError) as error:
        raise CaseFailed(f"a result of kind {case.kind} looks otherwise: {error!r}") from error
    output = [entry for entry in (_finished(row, case, places) for row in rows) if fits(entry, case.keep)]
    if not output:
        raise CaseFailed("it gave no rows" if not rows else f"none of its {len(rows)} rows matches `keep`")
    return output, environment


def _finished(row: Row, case: Case, places: Places) -> Row:
    """Adds the fields of the case, shortens the table's name, and removes the numbers of a row with wrong answers."""
    result = dict(case.fields) | {name: value for name, value in row.items() if value is not None}
    if "table" in result:
        result |= named_table(str(result["table"]), case, places)
    if result.get("wrong"):
        return {name: value for name, value in result.items() if not is_value(name)}
    return result


def named_table(text: str, case: Case, places: Places) -> Row:
    """Returns the name of a table as experiments write it, and whether it is `generated`, or drawn, instead of recorded."""
    if text.startswith("generated "):
        return {"table": text.removeprefix("generated "), "generated": True}
    name = Path(text).name.split(".txt")[0]
    if case.table and name == made_table(case.table, places).name.removesuffix(".txt"):
        name = case.table
    return {"table": name, "generated": real_table(name, places) is None}


def _quartiles(name: str, entry: Row, key: str) -> Row:
    return {name: entry.get(f"{key}_median"), f"{name}_q1": entry.get(f"{key}_q1"), f"{name}_q3": entry.get(f"{key}_q3")}


def lookup_rows(document: dict[str, Any]) -> list[Row]:
    rows = []
    for entry in document["results"]:
        row = {"series": entry["scheme"], "isa": entry["isa"], "family": entry["family"], "table": entry["table"], "next_hops": entry["next_hops"]}
        row |= {key: entry[key] for key in ("routes", "workload", "mode", "batch", "threads", "rounds", "checked", "wrong")}
        row |= {"input": entry["input"]} if entry.get("input", "whole") != "whole" else {}
        if entry["mode"] == "latency":
            row |= _latency(entry)
        else:
            row |= {"mlps": entry.get("mlps"), "mlps_q1": entry.get("mlps_q1"), "mlps_q3": entry.get("mlps_q3")}
        row |= {key: entry.get(key) for key in ("ratio", "bytes", "nodes", "depth")}
        row["build_ms"] = entry.get("build_ms_median")
        rows.append(row)
    return rows


def _latency(entry: Row) -> Row:
    """Returns the time of a dependent lookup; the upper quartile of the rate is the lower one of the time."""
    names = (("ns", "mlps"), ("ns_q1", "mlps_q3"), ("ns_q3", "mlps_q1"))
    return {name: 1000 / entry[key] if entry.get(key) else None for name, key in names}


def update_rows(document: dict[str, Any]) -> list[Row]:
    if "batches" in document:
        return _amortised_rows(document)
    rows = []
    details = document.get("details", [])
    for entry in document["results"]:
        same = ("scheme", "policy", "table", "workload")
        detail: Row = next((d for d in details if all(d[key] == entry[key] for key in same)), {})
        key = {"series": entry["scheme"], **{name: entry[name] for name in same[1:]}, "routes": detail.get("routes")}
        counts = {name: detail.get(name) for name in ("checked", "wrong")}
        visible = {"visible_us": entry["visible_us_median"], "visible_p99_us": entry["visible_us_p99"], "peak_bytes": entry["peak_bytes"]}
        rows.append(key | {"what": "visible", **counts, **visible})
        for burst in detail.get("bursts", []):
            row = key | {"what": "bursts", "burst": burst["burst"], **counts, "changes_per_second": burst["changes_per_second"]}
            row |= {f"loss_percent{end}": burst.get(f"reader_loss_percent{end}") for end in ("", "_q1", "_q3")}
            rows.append(row)
    return rows


def _amortised_rows(document: dict[str, Any]) -> list[Row]:
    rows = []
    for entry in document["batches"]:
        row = {"series": entry["scheme"], "what": "changes"} | {key: entry[key] for key in ("policy", "table", "routes", "batch", "rounds")}
        row |= {"checked": entry["checked"], "wrong": entry["wrong"], **_quartiles("change_us", entry, "us_per_change")}
        if not entry["failed"]:
            rows.append(row)
    for entry in document["rebuilds"]:
        rows.append({"series": entry["scheme"], "what": "builds", "table": entry["table"], "routes": entry["routes"], **_quartiles("build_ms", entry, "build_ms")})
    return rows


def router_rows(document: dict[str, Any]) -> list[Row]:
    rows = []
    for entry in document["results"]:
        if entry["fault"]:
            continue
        row = {"series": entry["name"]} | {key: entry[key] for key in ("way", "cores", "family", "table", "routes", "workload", "burst", "checked", "wrong")}
        row |= _quartiles("mpps", entry, "mpps") | {"of_ceiling": entry["of_ceiling"], "of_dpdk": entry["of_dpdk"], "bytes": entry["bytes"]}
        if entry.get("delay"):
            row |= {"delay_p50_us": entry["delay"]["p50_us"], "delay_p99_us": entry["delay"]["p99_us"]}
        if entry.get("changing"):
            row["loss_percent"] = entry["changing"]["loss_percent_median"]
        rows.append(row)
    return rows


def strides_rows(document: list[dict[str, Any]]) -> list[Row]:
    """Returns a row for each kind of trie or hash table and number of levels, except those that do not fit."""
    rows = []
    for entry in document:
        if "keys" in entry:
            # Given lengths were not searched for, so they have no search time.
            chosen = "best" if "ms" in entry else "given"
            row = {"series": f"hash, first {entry['first']}, {chosen} lengths", "levels": entry["levels"], "lengths": " ".join(map(str, entry["lengths"]))}
            rows.append(row | {"keys": entry["keys"], "kb": entry["bytes"] / 1024, "program_ms": entry.get("ms")})
            continue
        for pushed, words in (("pushed", "leaf-pushed"), ("open", "not pushed")):
            if pushed in entry:
                stride = "variable packed" if entry["stride"] == "packed" else entry["stride"]
                row = {"series": f"{words} {stride}", "levels": entry["levels"], "kb": entry[pushed]["bytes"] / 1024}
                row |= {"clocks": entry[pushed]["clocks"], "loads": entry[pushed]["loads"], "model_ns": entry[pushed]["ns"]}
                row |= {"slots": entry["slots"]} if entry.get("slots") else {}
                rows.append(row)
    return rows


def _without_next_hops(row: Row, case: Case) -> Row:
    """Adds the size of the trie alone: with --as-in-paper, 2 bytes a route for next hops are in the sum."""
    routes = case.fields.get("routes")
    if "--as-in-paper" not in case.arguments or not routes or "loads" not in row:
        return row
    return row | {"trie_kb": row["kb"] - 2 * routes / 1024}


def info_rows(document: dict[str, Any]) -> list[Row]:
    """Returns a row for each prefix length and for each scheme's memory; with --scheme only for that scheme, with its steps."""
    same = {"table": document["table"], "family": document["family"], "routes": document["routes"]}
    lengths = document["lengths"]
    rows = [same | {"what": "length", "length": int(at), "count": n, "share_percent": 100 * n / document["routes"]} for at, n in lengths.items()]
    if "scheme" not in document:
        return rows + [same | {"what": "memory", "series": name, "bytes": size} for name, size in document["memory"].items()]
    scheme = document["scheme"]
    size = document["memory"][scheme]
    row = same | {"what": "scheme", "series": scheme, "depth": len(document["levels"]) - 1, "bytes": size, "bytes_per_route": size / document["routes"]}
    answers = ANSWERS.get(scheme.split(":")[0])
    if answers:
        row["key_bytes"] = size - sum(document["parts"].get(part, 0) for part in answers)
        row["key_bytes_per_route"] = row["key_bytes"] / document["routes"]
    for name in ("steps", "cache_lines"):
        if name in document:
            counts = {int(at): n for at, n in document[name].items()}
            row[f"mean_{name.removeprefix('cache_')}"] = sum(at * n for at, n in counts.items()) / sum(counts.values())
            row[f"most_{name.removeprefix('cache_')}"] = max(counts)
    return [*rows, row]


def program_rows(document: dict[str, Any]) -> list[Row]:
    return [dict(row) for row in document["rows"]]


READERS: dict[str, Callable[[Any], list[Row]]] = {
    "lookup": lookup_rows,
    "update": update_rows,
    "router": router_rows,
    "gpu": lookup_rows,
    "strides": strides_rows,
    "info": info_rows,
    "program": program_rows,
}
