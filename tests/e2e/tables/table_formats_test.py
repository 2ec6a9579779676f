#!/usr/bin/env python3
"""Converts samples in every table format, compares them with slow models, and converts them back.

The models are independent of the program: they read the samples with Python's csv, json and ipaddress. The output of `ip route` comes
from a temporary network namespace, if the user is root.
"""

import csv
import gzip
import io
import ipaddress
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
Rows = dict[str, list[str]]  # for each prefix, the cells of all columns
runs = 0


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"table_formats_test: {words}")


def run(*words: str, stdin: bytes | None = None, status: int = 0) -> tuple[bytes, str]:
    global runs
    runs += 1
    done = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, check=False)
    said = done.stderr.decode()
    want(done.returncode == status, f"{words}: exit {done.returncode} instead of {status}: {said}")
    return done.stdout, said


def rows_of(text: bytes) -> tuple[list[str], Rows]:
    lines = list(csv.reader(io.StringIO(text.decode(), newline="")))
    return lines[0][1:], {line[0]: line[1:] for line in lines[1:]}


def converted(sample: bytes, *options: str) -> tuple[list[str], Rows]:
    return rows_of(run("convert", "--format", "csv", *options, "-", stdin=sample)[0])


def same(got: tuple[list[str], Rows], columns: list[str], model: Rows, what: str) -> None:
    want(got[0] == columns, f"{what}: columns {got[0]} instead of {columns}")
    for prefix in model.keys() | got[1].keys():
        want(got[1].get(prefix) == model.get(prefix), f"{what}: {prefix} is {got[1].get(prefix)}, not {model.get(prefix)}")


def round_trips(sample: bytes, what: str) -> None:
    """Converts through each format that has all columns, and through text for the first column; also compressed."""
    columns, rows = converted(sample)
    for form in ("csv", "ndjson"):
        there = run("convert", "--format", form, "-", stdin=sample)[0]
        same(converted(there), columns, rows, f"{what} by way of {form}")
        same(converted(gzip.compress(there)), columns, rows, f"{what} by way of {form}, compressed")
    if not any("\n" in row[0] for row in rows.values()):
        run("convert", "--format", "text", "-", stdin=sample, status=1 if len(columns) > 1 else 0)
        there = run("convert", "--format", "text", "--columns", columns[0], "-", stdin=sample)[0]
        same(converted(there), columns[:1], {p: row[:1] for p, row in rows.items()}, f"{what} by way of text")


def random_prefix(dice: random.Random, width: int = 0) -> str:
    width = width or dice.choice((32, 128))
    length = dice.randrange(1, width + 1)
    network = dice.getrandbits(length) << (width - length)
    kind = ipaddress.IPv4Network if width == 32 else ipaddress.IPv6Network
    return str(kind((network, length)))


def geolocation(dice: random.Random) -> None:
    words = ["CH", "", "Zürich, ZH", 'a "b"', "two\nlines", "-", " x ", "#1", "null"]
    rows = {random_prefix(dice): [dice.choice(words) for _ in range(3)] for _ in range(2000)}
    for separator in ",;|\t":
        text = io.StringIO(newline="")
        table = csv.writer(text, delimiter=separator, lineterminator=dice.choice(("\n", "\r\n")))
        table.writerow(["country", "network", "city", "note"])
        for prefix, (a, b, c) in rows.items():
            table.writerow([a, prefix, b, c])
        sample = text.getvalue().encode()
        same(converted(sample), ["country", "city", "note"], rows, f"CSV with {separator!r}")
        picked = {prefix: [row[1], row[0]] for prefix, row in rows.items()}
        same(converted(sample, "--columns", "city,country"), ["city", "country"], picked, "CSV, two columns")
        round_trips(sample, f"CSV with {separator!r}")
    lines = [json.dumps({"asn": 7, "cidr": p, "a": a or None, "deep": [1], "b": b}) for p, (a, b, _) in rows.items()]
    model = {p: ["7", a, b] for p, (a, b, _) in rows.items()}
    for sample in ("\n".join(lines), "[" + ",\n ".join(lines) + "]"):
        same(converted(sample.encode()), ["asn", "a", "b"], model, "JSON")
    round_trips("\n".join(lines).encode(), "JSON")


def ranges(dice: random.Random) -> None:
    for bits, kind in ((32, ipaddress.IPv4Address), (128, ipaddress.IPv6Address)):
        cuts = sorted({dice.getrandbits(bits) for _ in range(300)} | {1 << 40 if bits == 128 else 5})
        model: Rows = {}
        numbers, addresses = "", "start_ip,end_ip,name\n"
        for i, (low, after) in enumerate(zip(cuts, cuts[1:], strict=False)):
            for network in ipaddress.summarize_address_range(kind(low), kind(after - 1)):
                model[str(network)] = [f"n{i}"]
            numbers += f'"{low}","{after - 1}","n{i}"\n'
            addresses += f"{kind(low)},{kind(after - 1)},n{i}\n"
        same(converted(addresses.encode()), ["name"], model, f"ranges of {bits} bits")
        same(converted(numbers.encode()), ["column3"], model, f"ranges of {bits} bits as numbers")


def bgpdump() -> None:
    def rank(part: list[str]) -> tuple[object, ...]:
        peer = ipaddress.ip_address(part[3])
        origin = {"IGP": 0, "EGP": 1}.get(part[7], 2)
        return -int(part[9]), len(part[6].split()), origin, int(part[10]), peer.version, int(peer)

    folder = Path(os.environ.get("FINGERPOST_DATA", "")) / "mrt"
    files = [] if shutil.which("bgpdump") is None else [f for f in sorted(folder.glob("*")) if "rib" in f.name or "bview" in f.name]
    for file in files:
        sample = subprocess.run(["bgpdump", "-m", file], capture_output=True, check=True).stdout
        best: dict[str, tuple[tuple[object, ...], list[str]]] = {}
        for line in sample.decode().splitlines():
            part = line.split("|")
            if part[0].endswith("_AP"):
                del part[6]
            path = part[6].split()
            one = rank(part), [part[8], path[-1] if path else "", part[3], part[4]]
            prefix = str(ipaddress.ip_network(part[5], strict=False))
            if prefix not in best or one[0] < best[prefix][0]:
                best[prefix] = one
        same(converted(sample), ["next_hop", "origin_as", "peer", "peer_as"], {p: row for p, (_, row) in best.items()}, file.name)
    want(bool(files) or os.environ.get("FINGERPOST_REQUIRE_DATA") != "1", "no bgpdump, or no files for it")


ROUTES = """link set lo up
link add d0 type veth peer name d1
addr add 10.0.0.1/24 dev d0
addr add 10.0.1.1/24 dev d1
addr add 2001:db8:1::1/64 dev d0 nodad
link set d0 up
link set d1 up
route add default via 10.0.0.254
route add default via 10.0.1.254 metric 50
route add default via inet6 fe80::9 dev d0 metric 900
route add blackhole 192.168.0.0/16
route add 10.9.0.0/16 nexthop via 10.0.0.2 nexthop via 10.0.1.2
route add 192.0.2.7 via 10.0.0.3 proto static
-6 route add default via 2001:db8:1::2 metric 9
-6 route add 2001:db8:9::/48 nexthop via 2001:db8:1::3 dev d0 nexthop via 2001:db8:1::4 dev d0
-6 route add prohibit 2001:db8:8::/48"""


def kernel_routes() -> None:
    def ip(*words: str) -> bytes:
        done = subprocess.run(["ip", *words], capture_output=True, check=False)
        want(done.returncode == 0, f"ip {' '.join(words)}: {done.stderr.decode().strip()}")
        return done.stdout

    name = f"fp-formats-{os.getpid()}"
    if os.geteuid() != 0 or shutil.which("ip") is None:
        print("table_formats_test: SKIPPED ip route: not root, or no ip", file=sys.stderr)
        return
    ip("netns", "add", name)
    try:
        for line in ROUTES.splitlines():
            ip("-n", name, *line.split())
        for version, fallback in (("-4", "0.0.0.0/0"), ("-6", "::/0")):
            listed = ip("-n", name, "-j", version, "route")
            best: dict[str, tuple[int, list[str]]] = {}
            for entry in json.loads(listed):
                hops = [entry, *entry.get("nexthops", [])]
                gates = [g for hop in hops if (g := hop.get("gateway") or hop.get("via", {}).get("host"))]
                devices = ",".join(hop["dev"] for hop in hops if "dev" in hop)
                kind = entry.get("type", "unicast")
                first = kind if kind != "unicast" else ",".join(gates) or devices
                prefix = fallback if entry["dst"] == "default" else str(ipaddress.ip_network(entry["dst"]))
                metric = entry.get("metric", 0)
                row = [first, devices, kind, str(metric), entry.get("protocol", "boot")]
                if prefix not in best or metric < best[prefix][0]:
                    best[prefix] = metric, row
            model = {prefix: row for prefix, (_, row) in best.items()}
            want(len(model) >= 5, f"only {len(model)} routes")
            columns = ["next_hop", "dev", "type", "metric", "protocol"]
            same(converted(listed), columns, model, f"ip -j {version} route")
            words = ip("-n", name, version, "route", "show")
            same(converted(words), columns, model, f"ip {version} route")
            round_trips(words, f"ip {version} route")
    finally:
        ip("netns", "del", name)


def lengths(dice: random.Random) -> None:
    """Lengths and masks in separate columns, as ipaddress reads them."""
    networks = [ipaddress.IPv4Network(random_prefix(dice, 32)) for _ in range(200)]
    model: Rows = {str(network): [f"n{i}"] for i, network in enumerate(networks)}
    lines = {
        "network;masklen;name\n": "{n.network_address};{n.prefixlen};{name}",
        "name,ip_address,subnet mask\n": "{name},{n.network_address},{n.netmask}",
        "net\twildcard\tname\n": "{n.network_address}\t{n.hostmask}\t{name}",
        "destination gateway genmask\n": "{n.network_address} {name} {n.netmask}",
        "": "10.255.255.0,24,first\n{n.network_address},{n.prefixlen},{name}",
    }
    for head, form in lines.items():
        sample = head + "".join(form.format(n=n, name=f"n{i}") + "\n" for i, n in enumerate(networks))
        wanted = model if head else model | {"10.255.255.0/24": ["first"]}
        got = converted(sample.encode())
        same(got, got[0], wanted, f"lengths beside networks, {head!r}")
    # When a prefix occurs twice, the last route counts, in the table and in the model.
    objects = "".join(json.dumps({"prefix": str(n.network_address), "mask": str(n.netmask), "name": f"n{i}"}) for i, n in enumerate(networks))
    same(converted(objects.encode()), ["name"], model, "masks in JSON")


def main() -> None:
    dice = random.Random(1)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        geolocation(dice)
        ranges(dice)
        lengths(dice)
        bgpdump()
        kernel_routes()
    want(runs >= 45, f"only {runs} runs")
    print(f"table_formats_test: {runs} runs")


if __name__ == "__main__":
    main()
