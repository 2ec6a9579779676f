#!/usr/bin/env python3
"""Turns a result file of `fingerpost bench lookup` into the Markdown table of the README and of docs/measuring.md.

One line a scheme and ISA. By default each cell is the median of the scheme's best batch, that batch, the
quartiles and the ratio to the baseline's best batch; --batches writes a line for every batch instead.
"""

import argparse
import json
import sys


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        return document["environment"], document["results"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"markdown.py: {path} is no result file: {error!r}", file=sys.stderr)
        sys.exit(2)


def escaped(text):
    return str(text).replace("|", "\\|")


def unique(values):
    return list(dict.fromkeys(values))


def count(number):
    return f"{number:,}"


def cell(rows, with_batch):
    """Describes the fastest of the rows of one line and workload."""
    if any(row["wrong"] for row in rows):
        return "wrong"
    rows = [row for row in rows if row["mlps_rounds"]]
    if not rows:
        return ""
    best = max(rows, key=lambda row: row["mlps_median"])
    text = f"{best['mlps_median']:.0f} ({best['mlps_q1']:.0f}–{best['mlps_q3']:.0f})"
    if best["ratio"] is not None:
        text += f" {best['ratio']:.2f}×"
    return text + (f" @{best['batch']}" if with_batch else "")


def table(rows, by_batch, baseline):
    """Returns the lines of one table: all rows share table, next hops, mode and threads."""
    workloads = unique(row["workload"] for row in rows)
    l1 = {row["workload"] for row in rows if row.get("fits_l1")}
    head = ["scheme", "ISA", *(["batch"] if by_batch else []), "MB", "bytes a route", "build ms"]
    head += [name + (" (fits L1)" if name in l1 else "") for name in workloads]
    lines = ["| " + " | ".join(head) + " |", "|---|---|" + "---:|" * (len(head) - 2)]
    for line in unique((row["scheme"], row["isa"], row["batch"] if by_batch else 0) for row in rows):
        own = [r for r in rows if (r["scheme"], r["isa"], r["batch"] if by_batch else 0) == line]
        name = f"**{line[0]}**" if line[0] == baseline else line[0]
        cells = [name, line[1], *([str(line[2])] if by_batch else [])]
        cells += [f"{own[0]['bytes'] / 1e6:.2f}", f"{own[0]['bytes_per_route']:.1f}", f"{own[0]['build_ms_median']:.1f}"]
        with_batch = not by_batch and own[0]["mode"] == "throughput"
        cells += [cell([r for r in own if r["workload"] == workload], with_batch) for workload in workloads]
        lines.append("| " + " | ".join(escaped(text) for text in cells) + " |")
    return lines


def render(environment, results, by_batch):
    groups = unique((r["family"], r["table"], r["next_hops"], r["mode"], r["threads"]) for r in results)
    out = []
    for key in groups:
        rows = [r for r in results if (r["family"], r["table"], r["next_hops"], r["mode"], r["threads"]) == key]
        family, name, next_hops, mode, threads = key
        out.append(
            f"IPv{family} table `{name}`, {count(rows[0]['routes'])} routes, {count(rows[0]['intervals'])} intervals, "
            f"next hops `{next_hops}`: {mode}, {threads} thread{'s' if threads > 1 else ''}."
        )
        out += ["", *table(rows, by_batch, environment["baseline"]), ""]
    note = "Million lookups a second: median (quartiles)"
    if any(row["ratio"] is not None for row in results):
        note += f", ratio to the best of **{environment['baseline']}**"
    if not by_batch:
        note += ", @ the batch that was best"
    checked = sum(r["checked"] for r in {(r["scheme"], r["isa"], r["workload"], r["table"]): r for r in results}.values())
    out.append(f"{note}. {count(checked)} answers were compared with the oracle before timing.")
    out.append(
        f"Measured {environment['date'][:10]} on {environment['cpu']} ({environment['cores']} cores, "
        f"{', '.join(environment['caches'])}; governor {environment['governor']}, huge pages {environment['huge_pages']}), "
        f"{environment['compiler']}, version {environment['version']}, commit {environment['commit'][:12]}; "
        f"{environment['rounds']} rounds, {count(environment['addresses'])} addresses a trace, seed {environment['seed']}:"
    )
    out += ["", f"    {environment['command_line']}"]
    out += [f"\nNote: {escaped(text)}." for text in environment.get("notes", [])]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="file written by bench lookup --json")
    parser.add_argument("--batches", action="store_true", help="a line for every batch instead of the best one")
    arguments = parser.parse_args()
    environment, results = read(arguments.result)
    sys.stdout.write(render(environment, results, arguments.batches))
    return 0


if __name__ == "__main__":
    sys.exit(main())
