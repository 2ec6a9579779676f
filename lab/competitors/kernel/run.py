#!/usr/bin/env python3
"""Measures the route lookup of the running Linux kernel.

Loads the routes into a new network namespace, looks up addresses with bpf_fib_lookup(), and compares each answer with fingerpost's.
Prints {"rows": [...]}, or {"skipped": "why"} where the system does not allow this; it needs root.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import kernel_table
import own_namespaces
from own_namespaces import Refused
from tables_and_traces import Row, Table, Trace, add_options, load_table, make_trace, parse, with_shares
from workload import NO_ROUTE, WorkloadError

# Whether the caller names the main table, or the kernel follows its rules as it does for packets.
WAYS = ("table", "rules")
REFUSED = 3  # arguments of kernel_lookup


def compile_lookup(folder: Path) -> Path:
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        raise Refused("there is no C compiler")
    program = folder / "kernel_lookup"
    source = Path(__file__).with_name("kernel_lookup.c")
    done = subprocess.run([*compiler.split(), "-std=c11", "-O2", "-o", program, source], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(f"kernel_lookup.c is not compiled: {done.stderr.strip()[:500]}")
    return program


def look_up(lookup: Path, family: int, device: int, trace: Trace, rounds: int, seconds: float) -> Row:
    """Returns the output of kernel_lookup."""
    words = map(str, (lookup, family, device, trace.addresses, trace.expected, rounds, seconds))
    cpu = min(os.sched_getaffinity(0))
    done = subprocess.run(
        [*words], capture_output=True, text=True, check=False, preexec_fn=lambda: os.sched_setaffinity(0, {cpu})
    )
    if done.returncode == REFUSED:
        raise Refused(done.stderr.strip())
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    output: Row = json.loads(done.stdout)
    return output


def try_out(lookup: Path, family: int, device: int, folder: Path) -> None:
    """Looks up in an empty table first, so that nothing is inserted in vain if bpf() is refused."""
    trace = Trace("", folder / "empty.trace", folder / "empty.expected")
    trace.addresses.write_bytes(bytes([0x20, 1, *[0] * 14]) * 64)
    trace.expected.write_bytes(NO_ROUTE.to_bytes(4, sys.byteorder) * 64)
    output = look_up(lookup, family, device, trace, 1, 1)
    if any(output[way]["wrong"] for way in WAYS):
        raise RuntimeError("the kernel finds routes in an empty table")


def rows_of(output: Row, common: Row, facts: Row) -> list[Row]:
    """Returns a row for each way of lookup. One with wrong answers has no numbers."""
    rows = []
    for way in WAYS:
        row = common | {"way": way, "checked": output["checked"], "wrong": output[way]["wrong"]}
        if row["wrong"] == 0:
            q1, median, q3 = output[way]["ns"]
            row |= {"rounds": output["rounds"], "ns": median, "ns_q1": q1, "ns_q3": q3, "loop_ns": output["loop_ns"][1]} | facts
        rows.append(with_shares(row))
    return rows


def check_gateways(table: Table) -> None:
    most = kernel_table.GATEWAYS[table.family]
    if max(table.numbers) >= most:
        raise WorkloadError(
            f"{table.name}: a next hop is {max(table.numbers)}; a gateway of IPv{table.family} holds numbers below {most}"
        )


def measure(arguments: argparse.Namespace, folder: Path) -> list[Row]:
    lookup = compile_lookup(folder)
    device = kernel_table.make_device()
    table = load_table(arguments)
    check_gateways(table)
    try_out(lookup, table.family, device, folder)
    path = folder / "table.txt"
    path.write_text(table.text(), encoding="ascii")
    traces = [make_trace(arguments, table, path, workload, folder) for workload in arguments.workloads]
    filled = kernel_table.fill(table, folder)
    facts = {name: value for name, value in vars(filled).items() if value is not None}
    release = ".".join(platform.release().split(".")[:2])
    common = {"series": f"Linux {release} (bpf_fib_lookup)", "competitor": "kernel"} | table.fields()
    rows = []
    for trace in traces:
        output = look_up(lookup, table.family, device, trace, arguments.rounds, arguments.seconds)
        rows += rows_of(output, common | {"workload": trace.workload}, facts)
    kernel_table.remove_device()
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument(
        "--seconds", type=float, default=4, help="after which no round of a traffic begins, but for the first five (default: 4)"
    )
    arguments = parse(parser)

    def inside() -> None:
        try:
            print(json.dumps({"rows": measure(arguments, own_namespaces.FILES)}))
        except Refused as reason:
            print(json.dumps({"skipped": str(reason)}))
        except WorkloadError as reason:
            raise SystemExit(str(reason)) from None

    try:
        return own_namespaces.run(inside)
    except Refused as reason:
        print(json.dumps({"skipped": str(reason)}))
        return 0


if __name__ == "__main__":
    sys.exit(main())
