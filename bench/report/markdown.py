#!/usr/bin/env python3
"""Converts a result file of `fingerpost lab bench lookup`, `bench update`, `fingerpost-router-bench`, `fingerpost-gpu-bench` or `make
bench-python` to Markdown tables.

Lookups: a line per scheme and ISA. By default each cell has the median (or the --statistic) of the scheme's best batch, that batch, the
quartiles and the ratio to the baseline's best batch. --batches writes a line for every batch instead.
Updates: a line per scheme, policy and workload. Router: a line per scheme and way to run. Python: a line per way that is compared. GPU: for
each workload a line per scheme, then a line per size of calls for the fastest schemes.
"""

import argparse
import json
import sys


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        return document, document["environment"], document["results"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"markdown.py: {path} is not a result file: {error!r}", file=sys.stderr)
        sys.exit(2)


def escaped(text):
    return str(text).replace("|", "\\|")


def unique(values):
    return list(dict.fromkeys(values))


def count(number):
    return f"{number:,}"


def speed(row):
    """Returns the numbers that ratios compare. Old files have only medians."""
    return row.get("mlps", row["mlps_median"])


def fastest(rows):
    return max((row for row in rows if row["mlps_rounds"]), key=speed, default=None)


def cell(rows, with_batch):
    """Formats the fastest of the rows of a line and workload."""
    if any(row["wrong"] for row in rows):
        return "wrong"
    best = fastest(rows)
    if best is None:
        return ""
    text = f"{speed(best):.0f} ({best['mlps_q1']:.0f}–{best['mlps_q3']:.0f})"
    if best["ratio"] is not None:
        text += f" {best['ratio']:.2f}×"
    return text + (f" @{best['batch']}" if with_batch else "")


def table(rows, by_batch, baseline):
    """Returns the lines of a table. All rows share table, next hops, mode and threads."""
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
    note = f"Million lookups a second: {environment.get('statistic', 'median')} (quartiles)"
    if any(row["ratio"] is not None for row in results):
        note += f", ratio to the best of **{environment['baseline']}**"
    if not by_batch:
        note += ", @ the batch that was best"
    checked = sum(r["checked"] for r in {(r["scheme"], r["isa"], r["workload"], r["table"]): r for r in results}.values())
    out.append(f"{note}. {count(checked)} answers were compared with the oracle before timing.")
    return "\n".join(out + circumstances(environment)) + "\n"


def update_table(rows):
    """Returns the lines of a table. All rows, each with its details, share a table of routes."""
    head = ["scheme", "policy", "workload", "visible us", "p99", "max", "slowest change", "changes/s", "burst", "lost %", "MB"]
    lines = ["| " + " | ".join(head) + " |", "|---|---|---|" + "---:|" * (len(head) - 3)]
    for row, more in rows:
        if more["wrong"] or more["failed"]:
            cells = ["wrong" if more["wrong"] else "failed"] + [""] * (len(head) - 4)
        else:
            times = [row[f"visible_us_{name}"] for name in ("median", "p99", "max")] + [more["fastest_us_max"]]
            cells = ["" if time is None else f"{time:.1f}" if time < 1000 else count(round(time)) for time in times]
            best = max(more["bursts"], key=lambda burst: burst["changes_per_second"])
            lost = row["reader_loss_percent"]
            cells += [count(round(row["changes_per_second"])), count(best["burst"])]
            cells += ["" if lost is None else f"{lost:.1f}", f"{row['peak_bytes'] / 1e6:.1f}"]
        cells = [row["scheme"], row["policy"], f"`{row['workload']}`", *cells]
        lines.append("| " + " | ".join(escaped(text) for text in cells) + " |")
    return lines


def render_updates(environment, results, details):
    both = list(zip(results, details))
    out = []
    for name in unique(row["table"] for row in results):
        rows = [(row, more) for row, more in both if row["table"] == name]
        turns = max(more["fastest_of"] for _, more in rows)
        out += [f"Table `{name}`, {count(rows[0][1]['routes'])} routes.", "", *update_table(rows), ""]
    out.append(
        f"Visible: from the call until {details[0]['visible_until']}, the median; slowest change: of each change the fastest of "
        f"{turns} turns. Changes a second in the best size of burst; lost: what readers then answer less. "
        f"{count(sum(more['checked'] for more in details))} answers were compared with the oracle."
    )
    return "\n".join(out + circumstances(environment)) + "\n"


def lost(row, what):
    """Formats the losses while routes change: of packets per second against no changes, and of packets at a load."""
    if row[what] is None:
        return ["", ""]
    return [f"{row[what]['loss_percent_median']:.1f}", f"{row[what]['open']['lost_percent_median']:.2f}"]


def router_line(row):
    way = f"{row['way']}, {row['cores']} core{'s' if row['cores'] > 1 else ''}{', in turn' if row['in_turn'] else ''}"
    if row["wrong"] or row["fault"]:
        return [row["name"], way, row["fault"] or "wrong"] + [""] * 10
    cells = [row["name"], way, f"{row['mpps_median']:.1f} ({row['mpps_q1']:.1f}–{row['mpps_q3']:.1f})"]
    ratios = [row["of_dpdk"], row["of_ceiling"]]
    cells += ["" if ratio is None else f"{ratio:.2f}" for ratio in ratios]
    cells.append("" if ratios[1] is None or row["name"] == "fixed" else f"{100 * (1 - ratios[1]):.0f}")
    delay = row["delay"]
    cells += [f"{delay[name]:.1f}" for name in ("p50_us", "p99_us", "p99_9_us")] if delay else [""] * 3
    return cells + lost(row, "changing") + lost(row, "replacing")


def render_router(document, environment, results):
    head = ["scheme", "way to run", "Mpps", "of DPDK", "of ceiling", "lookup %", "p50 us", "p99 us", "p99.9 us"]
    head += ["changing: less %", "lost %", "replacing: less %", "lost %"]
    out = []
    for key in unique((row["table"], row["workload"]) for row in results):
        rows = [row for row in results if (row["table"], row["workload"]) == key]
        out.append(
            f"Table `{key[0]}`, {count(rows[0]['routes'])} routes, {count(rows[0]['gateways'])} gateways, `{key[1]}`, "
            f"bursts of {rows[0]['burst']}."
        )
        out += ["", "| " + " | ".join(head) + " |", "|---|---|" + "---:|" * (len(head) - 2)]
        out += ["| " + " | ".join(escaped(cell) for cell in router_line(row)) + " |" for row in rows] + [""]
    done = [row["changing"]["changes_per_second"] for row in results if row["changing"]]
    out.append(
        f"Million packets of 64 bytes a second: median (quartiles). Delays at {document['load']:.0%} of that. Changing: "
        f"{count(round(document['wanted_changes_per_second']))} changes a second are asked for, in bursts of "
        f"{document['change_burst']}"
        + (f", {count(round(min(done)))} to {count(round(max(done)))} were made. " if done else ". ")
        + f"{count(sum(row['checked'] for row in results))} packets were compared with the oracle."
    )
    return "\n".join(out + circumstances(environment)) + "\n"


def render_python(document, environment, results):
    routes = " and ".join(f"{count(number)} {family}" for family, number in document["routes"].items())
    out = [f"Tables of {routes} routes, columns of {count(environment['rows'])} rows.", ""]
    out += ["| what | way | M/s | ratio |", "|---|---|---:|---:|"]
    compared = [row for row in results if row["ratio"] is not None]
    for row in sorted(compared, key=lambda row: (row["group"], -row["best"])):
        name = f"**{row['name']}**" if row["name"].startswith("fingerpost") else row["name"]
        out.append(f"| {row['group']} | {escaped(name)} | {row['best'] / 1e6:.3g} ({row['median'] / 1e6:.3g}) | {row['ratio']:.3g} |")
    libraries = ", ".join(f"{name} {version}" for name, version in environment["libraries"].items())
    out += [
        "",
        "Million rows per second of CPU time, and for DuckDB on 2 threads per second: the best turn (the median), and the best divided by "
        "that of the fastest way without fingerpost. The answers were compared before timing.",
        f"Measured {environment['date'][:10]} on {environment['cpu']} ({environment['cores']} cores, load average {environment['load']:.0f}), "
        f"Python {environment['python']}, {libraries}, version {environment['version']}, commit {environment['commit'][:12]}; "
        f"{environment['turns']} turns:",
        "",
        f"    {environment['command_line']}",
    ]
    return "\n".join(out) + "\n"


PLACES = {"device": "on the device", "pinned": "from pinned memory", "pageable": "from other memory"}


def gpu_cell(rows):
    """Formats the fastest of the rows of a scheme and place, in million lookups per second."""
    if any(row["wrong"] for row in rows):
        return "wrong"
    best = fastest(rows)
    if best is None:
        return ""
    text = f"{speed(best):,.0f} ({best['mlps_q1']:,.0f}–{best['mlps_q3']:,.0f})"
    return text + (f" @{count(best['batch'])}" if best["isa"] == "cuda" else "")


def gpu_table(rows):
    """Returns a line per scheme. All rows share a table and a workload."""
    threads = unique(row["threads"] for row in rows if row["isa"] != "cuda")
    places = unique(row["mode"] for row in rows if row["isa"] == "cuda")
    head = ["scheme", "MB", "upload ms", *(f"{n} CPU thread{'s' if n > 1 else ''}" for n in threads), *(PLACES[place] for place in places)]
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    for scheme in unique(row["scheme"] for row in rows if row["isa"] == "cuda"):
        own = [row for row in rows if row["scheme"] == scheme]
        gpu = next(row for row in own if row["isa"] == "cuda")
        cells = [scheme, f"{gpu['bytes'] / 1e6:.2f}", f"{gpu['build_ms_median']:.1f}"]
        cells += [gpu_cell([row for row in own if row["isa"] != "cuda" and row["threads"] == n]) for n in threads]
        cells += [gpu_cell([row for row in own if row["isa"] == "cuda" and row["mode"] == place]) for place in places]
        lines.append("| " + " | ".join(escaped(cell) for cell in cells) + " |")
    return lines


def gpu_sizes(rows):
    """Returns a line per size of calls, with the fastest scheme of each place. All rows share a table and a workload."""
    rows = [row for row in rows if row["isa"] == "cuda" and row["mlps_rounds"] and not row["wrong"]]
    places = unique(row["mode"] for row in rows)
    lines = ["| addresses per call | " + " | ".join(PLACES[place] for place in places) + " |", "|---:|" + "---:|" * len(places)]
    for batch in sorted(unique(row["batch"] for row in rows)):
        best = [max((row for row in rows if row["mode"] == place and row["batch"] == batch), key=speed, default=None) for place in places]
        cells = ["" if row is None else f"{speed(row):,.0f} {row['scheme']}" for row in best]
        lines.append(f"| {count(batch)} | " + " | ".join(escaped(cell) for cell in cells) + " |")
    return lines


def render_gpu(environment, results):
    gpu, out = environment["gpu"], []
    for key in unique((row["family"], row["table"], row["next_hops"], row["workload"]) for row in results):
        rows = [row for row in results if (row["family"], row["table"], row["next_hops"], row["workload"]) == key]
        out.append(f"IPv{key[0]} table `{key[1]}`, {count(rows[0]['routes'])} routes, next hops `{key[2]}`, `{key[3]}`:")
        out += ["", *gpu_table(rows), "", "The fastest scheme by addresses per call:", "", *gpu_sizes(rows), ""]
    out.append(
        f"Million lookups a second: median (quartiles), @ the addresses per call that were best; the CPU has calls of 256. "
        f"{count(sum(row['checked'] for row in results))} answers were compared with the oracle."
    )
    out.append(
        f"The GPU is {gpu['name']} with {gpu['multiprocessors']} multiprocessors of at most {gpu['clock_mhz']:.0f} MHz, "
        f"{gpu['memory_bytes'] / 1e9:.0f} GB, L2 cache {gpu['l2_bytes'] / 1e6:.0f} MB, driver {gpu['driver']}, CUDA {gpu['cuda']}."
    )
    return "\n".join(out + circumstances(environment)) + "\n"


def circumstances(environment):
    """Returns the lines about the environment of the measurement."""
    out = [
        f"Measured {environment['date'][:10]} on {environment['cpu']} ({environment['cores']} cores, "
        f"{', '.join(environment['caches'])}; governor {environment['governor']}, huge pages {environment['huge_pages']}), "
        f"{environment['compiler']}, version {environment['version']}, commit {environment['commit'][:12]}; "
        f"{environment['rounds']} rounds, {count(environment['addresses'])} addresses a trace, seed {environment['seed']}:"
    ]
    out += ["", f"    {environment['command_line']}"]
    out += [f"\nNote: {escaped(text)}." for text in environment.get("notes", [])]
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="file written with --json")
    parser.add_argument("--batches", action="store_true", help="write a line for every batch instead of the best one")
    arguments = parser.parse_args()
    document, environment, results = read(arguments.result)
    if "distinct_rows" in document:
        sys.stdout.write(render_python(document, environment, results))
    elif "gpu" in environment:
        sys.stdout.write(render_gpu(environment, results))
    elif "load" in document:
        sys.stdout.write(render_router(document, environment, results))
    elif "details" in document:
        sys.stdout.write(render_updates(environment, results, document["details"]))
    else:
        sys.stdout.write(render(environment, results, arguments.batches))
    return 0


if __name__ == "__main__":
    sys.exit(main())
