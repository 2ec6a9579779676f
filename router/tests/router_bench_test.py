#!/usr/bin/env python3
"""fingerpost-router-bench as users call it: its measurements on a small table, its refusals, and its result file.

Environment: FINGERPOST_ROUTER_BENCH, the program.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["FINGERPOST_ROUTER_BENCH"]


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=120)


def check(condition, words):
    if not condition:
        sys.exit(f"router_bench_test: {words}")


def measured(folder, table, family):
    result = folder / "result.json"
    done = run("--table", str(table), "--scheme", "packed_leaves,planb", "--rounds", "2", "--round-ms", "2",
               "--addresses", "5000", "--format", "json", "--output", str(result))
    check(done.returncode == 0, f"exit {done.returncode}: {done.stderr}")
    rows = json.loads(result.read_text(encoding="utf-8"))["results"]
    ways = {(row["name"], row["way"]) for row in rows}
    wanted = {(name, way) for name in ("packed_leaves", "planb", "fixed") for way in ("complete", "fused", "pipeline", "loop")}
    check(ways == wanted | {("rte_fib6" if family == 6 else "rte_fib", "loop")}, f"rows {ways}")
    for row in rows:
        check(row["wrong"] == 0 and row["fault"] is None and row["family"] == family, f"{row}")
        check(len(row["mpps_rounds"]) == 2, f"{row['name']} {row['way']} has {len(row['mpps_rounds'])} rounds")
        check(row["checked"] > 0 or row["name"] == "fixed", f"{row['name']} {row['way']} was not checked")
        changes = row["way"] == "complete" and row["name"] != "fixed"
        check((row["changing"] is not None) == changes and (row["replacing"] is not None) == changes, f"{row}")
    check("packed_leaves" in done.stdout and "of ceiling" in done.stdout, done.stdout)
    rendered = subprocess.run([sys.executable, str(ROOT / "bench/report/markdown.py"), str(result)],
                              capture_output=True, text=True, check=True).stdout
    check(f"| {'rte_fib6' if family == 6 else 'rte_fib'} | loop, 1 core |" in rendered, rendered)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        six = folder / "six.txt"
        six.write_text("".join(f"2001:db8:{i:x}::/48 {i % 7}\n" for i in range(2000)), encoding="utf-8")
        measured(folder, six, 6)
        four = folder / "four.txt"
        four.write_text("".join(f"20.{i // 256}.{i % 256}.0/24 {i % 7}\n" for i in range(2000)), encoding="utf-8")
        measured(folder, four, 4)
        for words, said in ((("--ways", "parallel"), "--ways"), (("--burst", "65"), "--burst"),
                            (("--scheme", "nosuch"), "nosuch"), (("--table", str(folder / "none")), "none")):
            done = run(*words)
            check(done.returncode in (1, 2) and said in done.stderr, f"{words}: {done.returncode}, {done.stderr}")
        help_text = run("--help").stdout
        check("Examples" in help_text, "help has no examples")
        check("Usage: fingerpost-router-bench [OPTION ...]" in help_text, f"help of another program: {help_text}")
        check(run("--nosuch").stderr.startswith("fingerpost-router-bench: "), "messages of another program")
    print("router_bench_test: two tables, four refusals")


if __name__ == "__main__":
    main()
