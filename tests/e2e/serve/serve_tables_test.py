#!/usr/bin/env python3
"""`fingerpost serve` compared with a slow model: queries of one of several named tables, and of all covers of an address."""

import ipaddress
import json
import os
import random
import re
import subprocess
import urllib.parse
from pathlib import Path

from serving import SEED, Model, Row, Server, equal, eventually, model_of, random_addresses, replace, run_cases, table_of, want

DASHBOARD = Path(__file__).resolve().parents[3] / "packaging/grafana/fingerpost-serve.json"


def covers_of(model: Model, text: str) -> list[Row]:
    address = ipaddress.ip_address(text)
    found = [network for network in model.routes if network.version == address.version and address in network]
    found.sort(key=lambda network: network.prefixlen)
    return [{"prefix": str(network), "next_hop": model.routes[network] or None} for network in found]


def query(texts: list[str], **more: str) -> str:
    return urllib.parse.urlencode([("address", text) for text in texts] + list(more.items()))


def asked_covers(model: Model, texts: list[str]) -> list[dict[str, object]]:
    return [{"address": text, "covers": covers_of(model, text)} for text in texts]


def shows_covers(folder: Path) -> None:
    """Covers from a text table and from an image: nested routes, the default route, and the ends of the address space."""
    dice = random.Random(SEED)
    model = model_of(dice, 800, "a")
    for text in ("0.0.0.0/0", "::/0", "255.255.255.255/32", "10.0.0.0/8", "10.0.0.0/9", "10.0.0.0/32"):
        model.routes[ipaddress.ip_network(text)] = "fixed"
    table = folder / "table.txt"
    table.write_text(model.text(), encoding="utf-8")
    image = folder / "table.image"
    run = [os.environ["FINGERPOST"], "image", "save", "-t", str(table), str(image)]
    subprocess.run(run, check=True, stderr=subprocess.DEVNULL)
    texts = random_addresses(dice, list(model.routes), 300)
    texts += ["0.0.0.0", "255.255.255.255", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "10.0.0.0", "10.0.0.1"]
    wanted = asked_covers(model, texts)
    want(sum(len(covers_of(model, text)) > 3 for text in texts) > 50, "few addresses have several covers")
    for path in (table, image):
        with Server(path) as server:
            for first in range(0, len(texts), 100):
                equal(server.get("/covers?" + query(texts[first : first + 100])), wanted[first : first + 100], f"covers of {path.name}")
            for text, row in zip(texts[-20:], wanted[-20:], strict=True):
                equal(server.get(f"/covers/{text}"), [row], f"covers of one address of {path.name}")
            # The last cover is the longest match.
            matches = [covers_of(model, text)[-1]["prefix"] for text in texts]
            equal([row["prefix"] for row in server.post(texts)], matches, "matches")
            asked = server.metric('fingerpost_serve_addresses_total{by="http"}')
            equal(asked, 2 * len(texts) + 20, "addresses counted")
    with Server(table_of(folder, "10.0.0.0/8 a")) as server:
        equal(
            server.get("/covers?" + query(["::1", "10", "::ffff:10.0.0.1"])),
            [
                {"address": "::1", "covers": []},
                {"address": "10", "covers": [], "error": "neither an IPv4 nor an IPv6 address"},
                {"address": "::ffff:10.0.0.1", "covers": [{"prefix": "10.0.0.0/8", "next_hop": "a"}]},
            ],
            "no table of the family, no address, a mapped address",
        )


def answers_of_one_table(folder: Path) -> None:
    """?table= gives the answers of a server with only that table; without it the answer has the columns of all tables."""
    dice = random.Random(SEED + 1)
    models = {"geo": model_of(dice, 500, "g"), "bgp": model_of(dice, 500, "b")}
    words = []
    for name, model in models.items():
        (folder / f"{name}.txt").write_text(model.text(), encoding="utf-8")
        words += ["-t", f"{name}={folder}/{name}.txt"]
    networks = [network for model in models.values() for network in model.routes]
    texts = random_addresses(dice, networks, 1000)
    with Server(None, *words) as server:
        for name, model in models.items():
            status, headers, body = server.ask("POST", f"/lookup?table={name}", json.dumps(texts))
            equal((status, headers["Fingerpost-Generation"]), (200, "1"), body[:200].decode())
            equal(json.loads(body), model.rows(texts), f"answers of {name}")
            equal(server.get("/lookup?" + query(texts[:100], table=name)), model.rows(texts[:100]), "a query")
            equal(server.get(f"/lookup/{texts[0]}?table={name}"), [model.row(texts[0])], "one address")
            wanted = asked_covers(model, texts[:100])
            equal(server.get("/covers?" + query(texts[:100], table=name)), wanted, f"covers of {name}")
        both = server.post(texts)
        for name, model in models.items():
            got = [(row[f"{name}_prefix"], row[f"{name}_next_hop"]) for row in both]
            equal(got, [(row["prefix"], row["next_hop"]) for row in model.rows(texts)], "columns of all")
        for target, mark in (
            ("/lookup/10.0.0.1?table=none", "unknown table 'none'; tables: geo, bgp"),
            ("/lookup/10.0.0.1?table=", "unknown table ''; tables: geo, bgp"),
            ("/covers/10.0.0.1?table=geo&table=bgp", "only one table= is allowed"),
        ):
            status, _, body = server.ask("GET", target)
            equal((status, mark in json.loads(body)["error"]), (400, True), f"{target}: {body!r}")
        tables = server.get("/tables")
        assert isinstance(tables, dict)
        equal([(one["name"], one["members"]["columns"]) for one in tables["tables"]], [("geo", ["next_hop"]), ("bgp", ["next_hop"])], "/tables")
        equal(tables["members"]["columns"], ["geo_prefix", "geo_next_hop", "bgp_prefix", "bgp_next_hop"], "/tables")
        # The next table may have other routes; each request is answered from one version.
        replace(folder / "geo.txt", "10.0.0.0/8 new\n")
        eventually(lambda: server.generation() == 2, "a table is read again")
        equal(server.get("/lookup/10.0.0.1?table=geo"), [{"address": "10.0.0.1", "prefix": "10.0.0.0/8", "next_hop": "new"}], "the new one")


def names_of_members(folder: Path) -> None:
    """Columns whose names clash with the command's, renamed columns, names that contain other names, and a single named table."""
    one, two = folder / "one.csv", folder / "two.csv"
    one.write_text("network,address,id\n10.0.0.0/8,x,1\n", encoding="utf-8")
    two.write_text("network,a_prefix,country\n10.0.0.0/8,y,CH\n2001:db8::/32,z,DE\n", encoding="utf-8")
    words = ["-t", f"a={one}", "-t", f"a_b={two}", "--rename", "a_b_country=land"]
    with Server(None, *words) as server:
        equal(
            server.get("/lookup/10.0.0.1?table=a"),
            [{"address": "10.0.0.1", "prefix": "10.0.0.0/8", "a_address": "x", "a_id": 1}],
            "names that the command has too keep the name of their table",
        )
        equal(
            server.get("/lookup?address=10.0.0.1&address=2001:db8::1&table=a_b"),
            [
                {"address": "10.0.0.1", "prefix": "10.0.0.0/8", "a_prefix": "y", "land": "CH"},
                {"address": "2001:db8::1", "prefix": "2001:db8::/32", "a_prefix": "z", "land": "DE"},
            ],
            "a renamed column",
        )
        equal(server.get("/lookup/2001:db8::1?table=a"), [{"address": "2001:db8::1", "prefix": None, "a_address": None, "a_id": None}], "no match")
    with Server(None, "-t", f"geo={two}", "--columns", "country", "--rename", "address=ip,prefix=net,error=why") as server:
        equal(server.get("/lookup/10.0.0.1?table=geo"), [{"ip": "10.0.0.1", "net": "10.0.0.0/8", "country": "CH"}], "one named table")
        equal(server.get("/covers/x"), [{"ip": "x", "covers": [], "why": "unexpected 'x' at column 1"}], "renamed members")
        tables = server.get("/tables")
        assert isinstance(tables, dict)
        equal(tables["members"], {"address": "ip", "prefix": "net", "error": "why", "columns": ["country"]}, "/tables")
    with Server(two) as server:
        status, _, body = server.ask("GET", "/lookup/10.0.0.1?table=two")
        equal((status, b"has no name" in body), (400, True), f"a table without a name: {body!r}")


def tells_of_itself(folder: Path) -> None:
    with Server(table_of(folder, "10.0.0.0/8 a")) as server:
        version = server.get("/version")
        assert isinstance(version, dict)
        said = subprocess.run([os.environ["FINGERPOST"], "--version"], capture_output=True, text=True, check=True).stdout
        want(f"fingerpost {version['version']} (kernels: {version['kernels']};" in said, f"{version} beside {said}")
        text = server.ask("GET", "/metrics")[2].decode()
        values = {name: float(value) for name, value in re.findall(r"^(process_\w+) (\S+)$", text, re.MULTILINE)}
        facts = Path(f"/proc/{server.process.pid}")
        stat = (facts / "stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        equal(values["process_threads"], float(stat[17]), "threads")
        equal(values["process_virtual_memory_bytes"], float(stat[20]), "virtual memory")
        want(abs(values["process_resident_memory_bytes"] / 4096 - float(stat[21])) < 500, "resident memory")
        limits = (facts / "limits").read_text(encoding="ascii")
        equal(values["process_max_fds"], float(re.findall(r"Max open files\s+(\d+)", limits)[0]), "descriptors")
        want(abs(values["process_open_fds"] - len(list((facts / "fd").iterdir()))) <= 2, "open descriptors")
        want(0 <= values["process_cpu_seconds_total"] < 60, "CPU time")
        started = (facts / "stat").stat().st_ctime
        want(abs(values["process_start_time_seconds"] - started) < 5, f"start {values['process_start_time_seconds']}, {started}")
        names = re.findall(r"^# TYPE (\S+) \S+$", text, re.MULTILINE)
        equal(len(set(names)), len(names), "metrics that are written twice")
        built = f'fingerpost_build_info{{version="{version["version"]}",kernels="{version["kernels"]}"}} 1'
        want(built in text.splitlines(), f"{built} is not among the metrics")
        # The dashboard queries existing metrics.
        panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
        asked = {name for panel in panels for target in panel["targets"]
                 for name in re.findall(r"\b(?:fingerpost|process)_\w+", target["expr"])}  # fmt: skip
        want(len(asked) >= 10, f"the dashboard asks for {asked}")
        equal({name.removesuffix("_bucket") for name in asked} - set(names), set(), "unknown metrics in the dashboard")


if __name__ == "__main__":
    run_cases(shows_covers, answers_of_one_table, names_of_members, tells_of_itself)
