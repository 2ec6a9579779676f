"""The cells in which the default scheme is not the fastest, for the report and docs/choosing.md."""

from dataclasses import dataclass
from typing import Any

from .rows import Row
from .text import HOPS, listed, measured, plural

DEFAULT_SCHEME = "packed_leaves"
LEAST_SCHEMES = 6  # minimum number of schemes in a cell for "the fastest" to be meaningful
CALLS = (1, 8, 64, 256)
WORKLOADS = {
    "match": "addresses inside randomly chosen routes",
    "zipf": "addresses inside routes of which a few are drawn far more often than the others",
    "uniform": "addresses drawn from the whole address space",
    "miss": "addresses without a route",
    "short": "addresses whose longest match is a short prefix",
}
USUAL_HOPS = "unmerged"  # mentioned once for all tables
PLACES = tuple(WORKLOADS)  # in the order of the tables
VARIANTS = "Variants for study, which have a colon in their name as in `planb:simd`, are left out."


@dataclass(frozen=True)
class Cell:
    """One combination of table, workload and call, with the speeds of the default scheme and of the fastest one."""

    family: int
    table: str
    routes: int
    next_hops: str
    workload: str
    mode: str  # throughput or latency
    batch: int
    default_speed: float  # millions of lookups per second
    fastest: str
    fastest_speed: float
    ahead: float  # the fastest divided by the default: from ratios of interleaved rounds where both have them
    settled: bool | None

    @property
    def call(self) -> str:
        """A description of the call."""
        if self.mode == "latency":
            return "dependent lookups (latency)"
        return "one address a call" if self.batch == 1 else f"{self.batch} addresses a call"

    @property
    def is_default_fastest(self) -> bool:
        return self.fastest == DEFAULT_SCHEME

    @property
    def speeds(self) -> tuple[str, str]:
        """Returns both speeds as text, as nanoseconds for dependent lookups."""
        if self.mode == "latency":
            return f"{measured(1000 / self.fastest_speed)} ns", f"{measured(1000 / self.default_speed)} ns"
        return f"{measured(self.fastest_speed)} M/s", f"{measured(self.default_speed)} M/s"


def speed(row: Row) -> float | None:
    """Returns millions of lookups per second, also for rows that have the time of a lookup."""
    mlps, ns = row.get("mlps"), row.get("ns")
    if isinstance(mlps, (int, float)) and mlps > 0:
        return float(mlps)
    return 1000 / ns if isinstance(ns, (int, float)) and ns > 0 else None


def is_scheme_row(row: Row, schemes: set[str] | None) -> bool:
    """Whether a row is a lookup with a standard scheme of the project, in one thread, with whole addresses."""
    name = row.get("series", "")
    return (
        speed(row) is not None
        and not row.get("wrong")
        and ":" not in name
        and (schemes is None or name in schemes)
        and row.get("threads", 1) == 1
        and row.get("input", "whole") == "whole"
        and row.get("workload") in WORKLOADS
        and row.get("batch", 1) in CALLS
        and all(field in row for field in ("family", "table", "mode"))
    )


def cells_of(document: dict[str, Any], schemes: set[str] | None = None, least: int = LEAST_SCHEMES) -> list[Cell]:
    """Returns all cells of a results document in which the default scheme and at least `least` schemes in total were measured.

    `schemes` are the names to consider; by default every series whose name is one word without a variant. For a scheme with several
    instruction sets the fastest counts.
    """
    groups: dict[tuple[Any, ...], dict[str, Row]] = {}
    for name, experiment in document["experiments"].items():
        for row in experiment["rows"]:
            if not is_scheme_row(row, schemes):
                continue
            batch = 1 if row["mode"] == "latency" else row.get("batch", 1)
            # Rows of one case were measured alternately; rows of different cases are not compared.
            place = (row["family"], row["table"], row.get("routes", 0), row.get("next_hops", ""), row["workload"], row["mode"], batch)
            key = (*place, name, row.get("case", ""))
            known = groups.setdefault(key, {})
            if row["series"] not in known or fast(row) > fast(known[row["series"]]):
                known[row["series"]] = row
    matches: dict[tuple[Any, ...], Cell] = {}
    widths: dict[tuple[Any, ...], int] = {}
    for key, rows in groups.items():
        if DEFAULT_SCHEME not in rows or len(rows) < least:
            continue
        cell = cell_of(key, rows)
        # If several experiments have this combination, keep the one with more schemes.
        place = key[:7]
        if place not in matches or len(rows) > widths[place]:
            matches[place] = cell
            widths[place] = len(rows)
    return sorted(matches.values(), key=order)


def fast(row: Row) -> float:
    return speed(row) or 0.0


def order(cell: Cell) -> tuple[Any, ...]:
    call = len(CALLS) if cell.mode == "latency" else CALLS.index(cell.batch)
    return (-cell.family, cell.table.split(":")[0], cell.routes, cell.table, cell.next_hops, PLACES.index(cell.workload), call)


def cell_of(key: tuple[Any, ...], rows: dict[str, Row]) -> Cell:
    family, table, routes, next_hops, workload, mode, batch = key[:7]
    own = rows[DEFAULT_SCHEME]
    has_ratios = all(isinstance(row.get("ratio"), (int, float)) and row["ratio"] > 0 for row in rows.values())
    rates = {name: row["ratio"] if has_ratios else fast(row) for name, row in rows.items()}
    first = max(rates, key=lambda name: rates[name])
    fastest = rows[first]
    settled = [own.get("settled"), fastest.get("settled")]
    return Cell(
        family,
        table,
        routes,
        next_hops,
        workload,
        mode,
        batch,
        fast(own),
        first,
        fast(fastest),
        rates[first] / rates[DEFAULT_SCHEME],
        False if False in settled else None if None in settled else True,
    )


def by_table(cells: list[Cell]) -> dict[str, list[Cell]]:
    """Returns the cells of each table, under a heading in words."""
    matches: dict[str, list[Cell]] = {}
    for cell in cells:
        hops = "" if cell.next_hops in ("", USUAL_HOPS) else f", next hops {cell.next_hops}"
        matches.setdefault(f"{cell.table}: IPv{cell.family}, {cell.routes:,} routes{hops}", []).append(cell)
    return matches


def not_fastest(cells: list[Cell]) -> list[Cell]:
    return [cell for cell in cells if not cell.is_default_fastest]


def shape_of(cells: list[Cell]) -> str:
    """Returns sentences on how many cells each table has and of which kinds, and on what all tables share."""
    shapes: dict[tuple[int, str, str], int] = {}
    for own in by_table(cells).values():
        calls = list(dict.fromkeys(cell.call for cell in own))
        workloads = list(dict.fromkeys(cell.workload for cell in own))
        what = f"`{workloads[0]}`" if len(workloads) == 1 else plural(len(workloads), "workload")
        way = listed(calls) if len(calls) < 3 else plural(len(calls), "kind") + " of call"
        shapes[len(own), what, way] = shapes.get((len(own), what, way), 0) + 1
    parts = []
    for (count, what, way), tables in sorted(shapes.items(), reverse=True):
        parts.append(f"{count} of {f'each of {tables} tables' if tables > 1 else 'a table'} ({what}, {way})")
    text = f"The {plural(len(cells), 'cell')} are {listed(parts)}."
    hops = {cell.next_hops for cell in cells}
    if USUAL_HOPS in hops:
        text += f" {'In all tables' if len(hops) == 1 else 'Where a table names no next hops,'} {HOPS[USUAL_HOPS]}."
    return text
