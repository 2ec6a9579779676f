#!/usr/bin/env python3
"""Reads listings of FRR and BIRD, and compares them with the JSON that FRR printed for the same tables.

The listings are in tests/data/shown; `record` and `record_tables` there recorded them. BIRD does not print JSON, so a model reads its
output with patterns. Listings of several tables are compared with those of one. Further samples are truncated at every position: the
program must refuse them or read a subset of the routes.
"""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
SHOWN = Path(__file__).parents[2] / "data" / "shown"
Rows = dict[str, list[str]]  # for each prefix, the cells of all columns
DROPS = {"blackhole": "blackhole", "reject": "unreachable", "unreachable": "unreachable", "prohibited": "prohibit"}


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"shown_tables_test: {words}")


def converted(sample: str, columns: str, *options: str, status: int = 0) -> tuple[Rows, str]:
    command = [PROGRAM, "convert", "--format", "csv", "--columns", columns, "--verbose", *options, "-"]
    done = subprocess.run(command, input=sample.encode(), capture_output=True, check=False)
    said = done.stderr.decode()
    want(done.returncode == status, f"exit {done.returncode} instead of {status}: {said}")
    lines = list(csv.reader(io.StringIO(done.stdout.decode(), newline="")))
    want(status != 0 or lines[0] == ["prefix", *columns.split(",")], f"columns {lines[:1]}")
    return {line[0]: line[1:] for line in lines[1:]}, said


def same(name: str, got: Rows, model: Rows) -> None:
    for prefix in model.keys() | got.keys():
        want(got.get(prefix) == model.get(prefix), f"{name}: {prefix} is {got.get(prefix)}, not {model.get(prefix)}")
    want(len(model) > 60, f"{name}: only {len(model)} routes")
    print(f"shown_tables_test: {name}: {len(model)} routes")


def text_of(value: object) -> str:
    return "" if value is None else str(value)


def bgp(family: str) -> None:
    table = json.loads((SHOWN / f"frr_bgp_{family}.json").read_text())
    model: Rows = {}
    for prefix, paths in table["routes"].items():
        for path in paths:
            if not path.get("bestpath"):
                continue
            hops = [hop["ip"] for hop in path["nexthops"] if hop.get("used")]
            ases = path["path"].split()
            numbers = [text_of(path.get(key)) for key in ("locPrf", "metric", "weight")]
            model[prefix] = [hops[0], ases[-1] if ases else "", path["path"], *numbers]
    got, said = converted((SHOWN / f"frr_bgp_{family}.txt").read_text(), "next_hop,origin_as,path,local_pref,med,weight")
    want("read as output of show ip bgp" in said, said)
    same(f"show bgp {family}", got, model)


def routes(family: str) -> None:
    table = json.loads((SHOWN / f"frr_route_{family}.json").read_text())
    model: Rows = {}
    for prefix, entries in table.items():
        for entry in entries:
            if not entry.get("selected"):
                continue
            hops = [hop for hop in entry["nexthops"] if hop.get("active") and not hop.get("recursive")]
            gateways = [hop["ip"] for hop in hops if "ip" in hop]
            devices = [hop["interfaceName"] for hop in hops if "interfaceName" in hop]
            drop = next((DROPS[key] for hop in hops for key in DROPS if hop.get(key)), "")
            to = drop or ",".join(gateways) or ",".join(devices)
            protocol = entry["protocol"]
            numbers = ["", ""] if protocol == "connected" else [str(entry["distance"]), str(entry["metric"])]
            model[prefix] = [to, ",".join(devices), protocol, *numbers]
    got, said = converted((SHOWN / f"frr_route_{family}.txt").read_text(), "next_hop,dev,protocol,distance,metric")
    want("read as output of show ip route" in said, said)
    same(f"show route {family}", got, model)


def bird() -> None:
    first = re.compile(r"^(\S+)? +(unicast|blackhole|unreachable|prohibited) \[(\S+) [^]]*\] ([*!]?) ?\(\d+\)(?: \[(?:AS(\d+))?.\])?$")
    model: Rows = {}
    shown = (SHOWN / "bird_all.txt").read_text()
    prefix, table, cells = "", "", None
    for line in shown.splitlines():
        if line.startswith("Table "):
            table = line[6:-1]
        elif match := first.match(line):
            prefix = match[1] or prefix
            to = "" if match[2] == "unicast" else DROPS[match[2]]
            cells = [to, match[5] or "", "", match[3], "", "", table, ""] if match[4] else None
            if cells:
                model[prefix] = cells
        elif cells and line.startswith("\t"):
            if hop := re.match(r"\t(?:via (\S+) on|dev) (\S+)", line):
                # Without a gateway, the device is the next hop.
                gateways = [one for one in (cells[0] if "." in cells[0] or ":" in cells[0] else "", hop[1] or "") if one]
                cells[2] = ",".join(one for one in (cells[2], hop[2]) if one)
                cells[0] = ",".join(gateways) or cells[2]
            for at, name in ((4, "BGP.local_pref"), (5, "BGP.med"), (7, "BGP.as_path")):
                if line.startswith(f"\t{name}: "):
                    cells[at] = line.split(": ")[1]
    columns = "next_hop,origin_as,dev,protocol,local_pref,med,table,path"
    got, said = converted(shown, columns)
    want("read as output of birdc show route" in said, said)
    same("birdc show route all", got, model)
    short = {p: row[:4] for p, row in model.items()}
    same("birdc show route", converted((SHOWN / "bird.txt").read_text(), "next_hop,origin_as,dev,protocol")[0], short)


def one_of_several() -> None:
    """From an output with several tables, the main one or the named one is read, as from FRR's output for that table alone."""
    hops = "next_hop,dev,protocol"

    def read(name: str, *options: str) -> tuple[Rows, str]:
        return converted((SHOWN / name).read_text(), hops, *options)

    default, blue = read("frr_default.json")[0], read("frr_vrf_blue.json")[0]
    want(default != blue and len(default) > 3 and len(blue) > 3, "FRR's tables are too small")
    want(read("frr_vrf_blue.txt")[0] == blue, "VRF blue as text is another table than as JSON")
    numbered = {"10.0.0.0/8": ["192.0.2.6", "a1", "static"], "10.2.0.0/16": ["192.0.2.6", "a1", "static"]}
    for form in ("txt", "json"):
        for name, main in ((f"frr_vrfs.{form}", ()), (f"frr_tables.{form}", ()), (f"frr_vrfs.{form}", ("--routing-table", "default"))):
            got, said = read(name, *main)
            want(got == default, f"{name}: {got} is not FRR's default VRF")
            want("left out" in said and ("of table blue" in said or "of table 100" in said), f"{name}: left-out routes are not told: {said}")
        want(read(f"frr_vrfs.{form}", "--routing-table", "blue")[0] == blue, f"frr_vrfs.{form}: not FRR's VRF blue")
        want(read(f"frr_tables.{form}", "--routing-table", "100")[0] == numbered, f"frr_tables.{form}: not FRR's table 100")
        bgp = f"frr_bgp_vrfs.{form}"
        for table, networks in (((), {"10.0.0.0/8", "198.51.100.0/24"}), (("--routing-table", "blue"), {"10.0.0.0/8", "203.0.113.0/24"})):
            got = converted((SHOWN / bgp).read_text(), "next_hop", *table)[0]
            want(got.keys() == networks, f"{bgp} {table}: {got}")
    masters = {"10.0.0.0/8": "192.0.2.2", "10.1.0.0/16": "blackhole", "2001:db8:100::/48": "2001:db8:ffff::2"}
    for name in ("bird_tables.txt", "bird_tables_all.txt"):
        got, said = read(name)
        want({prefix: row[0] for prefix, row in got.items()} == masters, f"{name}: {got}")
        want("of table t4" in said and "of table r4 with keys other than networks" in said, f"{name}: {said}")
        got = read(name, "--routing-table", "t4")[0]
        want({prefix: row[0] for prefix, row in got.items()} == {"10.0.0.0/8": "192.0.2.6", "10.3.0.0/16": "192.0.2.6"}, f"{name}: {got}")
    _, said = converted("network,a\n10.0.0.0/8,1\n", "a", "--routing-table", "blue", status=1)
    want("a routing table was named" in said, said)
    print("shown_tables_test: one of several tables")


def cut() -> None:
    """A truncated output has a subset of the routes, or is refused with the line."""
    refused = 0
    for name, columns in (("frr_bgp_ipv6.txt", "next_hop"), ("frr_route_ipv4.txt", "next_hop"), ("bird.txt", "next_hop")):
        whole = (SHOWN / name).read_text()
        all_rows, _ = converted(whole, columns)
        for size in range(len(whole) // 2, len(whole) // 2 + 90):
            done = subprocess.run([PROGRAM, "convert", "--columns", columns, "-"], input=whole[:size].encode(), capture_output=True, check=False)
            if done.returncode != 0:
                want(done.stdout == b"" and re.search(r"stdin:\d+: '", done.stderr.decode()) is not None, f"{name} cut at {size}: {done.stderr!r}")
                refused += 1
                continue
            rows = dict(line.split(",", 1) for line in done.stdout.decode().splitlines()[1:])
            known = [p for p in rows if p in all_rows]
            want(len(known) >= len(rows) - 1, f"{name} cut at {size}: more than the last route is another one")
    want(refused > 20, f"only {refused} cut outputs were refused")


def main() -> None:
    for family in ("ipv4", "ipv6"):
        bgp(family)
        routes(family)
    bird()
    one_of_several()
    cut()


if __name__ == "__main__":
    main()
