"""One line below each figure: on what and how its numbers were measured."""

from typing import Any

from .model import Source, short_commit
from .rows import Row, in_order
from .text import escape, listed, name_of_isa, plural, span

MOST_LISTED = 3
NAMED = (("workload", "workload", "workloads"), ("policy", "policy", "policies"))
MODES = {"latency": "each lookup waits for the last", "throughput": "independent lookups"}


def machine_text(source: Source) -> str:
    machine = source.machine
    parts = [str(machine.get("cpu", "an unknown CPU"))]
    if machine.get("cores"):
        parts.append(plural(machine["cores"], "core"))
    return ", ".join(parts)


def several(values: list[Any], one: str, many: str) -> str:
    if len(values) > MOST_LISTED:
        return f"{len(values)} {many}"
    return f"{one if len(values) == 1 else many} {listed([str(value) for value in values])}"


def found(rows: list[Row], field: str) -> list[Any]:
    return in_order([row[field] for row in rows if row.get(field) is not None])


def passes_text(part: Row, rows: list[Row]) -> str:
    """Returns how many passes the cases of these rows got."""
    got = [part.get("passes", {}).get(case) for case in dict.fromkeys(row.get("case") for row in rows)]
    counts = [count for count in got if count]
    if not counts:
        return ""
    return plural(counts[0], "pass", "passes") if len(set(counts)) == 1 else f"{span(min(counts), max(counts))} passes"


def conditions(source: Source, part: Row, rows: list[Row]) -> str:
    """Returns the line as HTML; empty without rows."""
    if not rows:
        return ""
    machine = source.machine
    parts = [machine_text(source)]
    isas = found(rows, "isa")
    if isas:
        parts.append("/".join(name_of_isa(str(isa)) for isa in isas))
    parts += [f"{machine['compiler']} {machine.get('flags', '')}".strip()] if machine.get("compiler") else []
    tables = found(rows, "table")
    if tables:
        routes = found(rows, "routes")
        text = several(tables, "table", "tables")
        if routes:
            text += f" ({span(min(routes), max(routes))} routes)"
        if any(row.get("generated") for row in rows):
            text += ", generated" if all(row.get("generated") for row in rows) else ", some generated"
        parts.append(text)
    for field, one, many in NAMED:
        values = found(rows, field)
        if values and len(values) <= MOST_LISTED:
            parts.append(several(values, one, many))
    modes = found(rows, "mode")
    parts += [MODES.get(modes[0], str(modes[0]))] if len(modes) == 1 else []
    batches = found(rows, "batch")
    if len(batches) == 1 and modes != ["latency"]:
        parts.append(f"calls of {plural(batches[0], 'address', 'addresses')}")
    hops = found(rows, "next_hops")
    if len(hops) == 1:
        parts.append(f"next hops {hops[0]}")
    rounds = found(rows, "rounds")
    passes = passes_text(part, rows)
    if rounds:
        parts.append(f"{span(min(rounds), max(rounds))} rounds in {passes}" if passes else f"{span(min(rounds), max(rounds))} rounds")
    elif passes:
        parts.append(passes)
    has_quartiles = any(field.endswith("_q1") for row in rows for field in row)
    parts.append("median and quartiles" if has_quartiles else "median")
    commit = short_commit(source.run)
    if commit:
        parts.append(f"commit {commit}")
    return f'<p class="conditions">{" · ".join(escape(one) for one in parts)}</p>'


def load_text(source: Source) -> str:
    return f"{source.load:.2f} of a CPU" if source.load <= 1 else f"{source.load:.1f} CPUs"
