"""One line below each figure that describes how its numbers were measured."""

import re
from typing import Any

from .cells import WORKLOADS
from .model import Source, cpu_of, short_commit
from .rows import Row, in_order
from .text import HOPS, listed, name_of_isa, plural, rich, span

MOST_LISTED = 3
# Sources and dates of recorded tables.
RECORDED = {
    "tier1-v4": "a tier-1 provider's view, date unknown, about 2022",
    "tier1-v6": "a tier-1 provider's view, date unknown, about 2022",
    "ipv6-2021-as293": "RouteViews peer AS 293, 2021-01-17",
}
MODES = {"latency": "dependent lookups (latency)", "throughput": "independent lookups (throughput)"}
# Units that depend on the addresses and on the kind of call. Memory, builds and changes do not.
OF_LOOKUPS: tuple[str, ...] = ("mlps", "mpps", "ns", "ratio", "depth", "steps", "loads", "lines", "cycles", "clocks")
OF_LOOKUPS += ("walks_percent", "loss_percent", "nodes_per_route")


def machine_text(source: Source) -> str:
    machine = source.machine
    parts = [cpu_of(source.run)]
    if machine.get("cores"):
        parts.append(plural(machine["cores"], "core"))
    return ", ".join(parts)


def cache_text(source: Source) -> str:
    """Returns the cores and the largest cache in brackets."""
    cores = [plural(source.machine["cores"], "core")] if source.machine.get("cores") else []
    sizes = [int(size) for size in re.findall(r"(\d+)K", " ".join(map(str, source.machine.get("caches", []))))]
    parts = cores + ([f"{max(sizes) / 1024:.3g} MB of cache"] if sizes else [])
    return f" ({', '.join(parts)})" if parts else ""


def several(values: list[Any], singular: str, many: str) -> str:
    if len(values) > MOST_LISTED:
        return f"{len(values)} {many}"
    return f"{singular if len(values) == 1 else many} {listed([str(value) for value in values])}"


def distinct(rows: list[Row], field: str) -> list[Any]:
    return in_order([row[field] for row in rows if row.get(field) is not None])


def passes_text(part: Row, rows: list[Row]) -> str:
    """Returns the number of passes of the cases with these rows."""
    got = [part.get("passes", {}).get(case) for case in dict.fromkeys(row.get("case") for row in rows)]
    counts = [count for count in got if count]
    if not counts:
        return ""
    text = plural(counts[0], "pass", "passes") if len(set(counts)) == 1 else f"{span(min(counts), max(counts))} passes"
    # Omit a single process.
    processes = {part.get("processes", {}).get(row.get("case"), 1) for row in rows}
    return text + (f" of {plural(processes.pop(), 'process', 'processes')}" if len(processes) == 1 and processes != {1} else "")


def is_of_lookups(fields: list[str]) -> bool:
    """Whether a figure shows anything that depends on the looked-up addresses."""
    return any(field.endswith(unit) and not field.endswith("model_ns") for field in fields for unit in OF_LOOKUPS)


def of_lookups(rows: list[Row]) -> list[str]:
    """Returns which addresses were looked up, and how."""
    parts = []
    workloads = distinct(rows, "workload")
    if workloads:
        parts.append(listed([f"`{entry}`: {WORKLOADS[entry]}" if entry in WORKLOADS else f"`{entry}`" for entry in map(str, workloads)]))
    modes = distinct(rows, "mode")
    parts += [MODES.get(modes[0], str(modes[0]))] if len(modes) == 1 else []
    batches = distinct(rows, "batch")
    if len(batches) == 1 and modes != ["latency"]:
        parts.append(f"calls of {plural(batches[0], 'address', 'addresses')}")
    return parts


def conditions(source: Source, part: Row, rows: list[Row], fields: list[str]) -> str:
    """Returns the line as HTML, or an empty string without rows. `fields` are the fields in the figure."""
    if not rows:
        return ""
    machine = source.machine
    parts = [machine_text(source)]
    isas = distinct(rows, "isa")
    if isas and is_of_lookups(fields):
        parts.append("/".join(name_of_isa(str(isa)) for isa in isas))
    parts += [f"{machine['compiler']} {machine.get('flags', '')}".strip()] if machine.get("compiler") else []
    tables = distinct(rows, "table")
    if tables:
        routes = distinct(rows, "routes")
        text = several(tables, "table", "tables")
        if routes:
            text += f" ({span(min(routes), max(routes))} routes)"
        if any(row.get("generated") for row in rows):
            text += ", generated" if all(row.get("generated") for row in rows) else ", some generated"
        known = dict.fromkeys(RECORDED[row["table"]] for row in rows if row.get("table") in RECORDED and not row.get("generated"))
        parts.append(text + (f", recorded: {'; '.join(known)}" if known else ""))
    policies = distinct(rows, "policy")
    if policies and len(policies) <= MOST_LISTED:
        parts.append(several(policies, "policy", "policies"))
    parts += of_lookups(rows) if is_of_lookups(fields) else []
    hops = distinct(rows, "next_hops")
    if len(hops) == 1:
        parts.append(HOPS.get(str(hops[0]), f"next hops `{hops[0]}`"))
    rounds = distinct(rows, "rounds")
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
    return f'<p class="conditions">{" · ".join(rich(part) for part in parts)}</p>'


def load_text(source: Source) -> str:
    if "load_at_start" not in source.run:
        return ""
    return f"{source.load:.2f} of a CPU" if source.load <= 1 else f"{source.load:.1f} CPUs"
