#!/usr/bin/env python3
"""Writes one table in every input format, and compares what the program reads from each.

mmdb_writer writes MaxMind DB files, and maxminddb and mmdblookup read them too; pyasn writes its databases. These parts need the
packages of $FINGERPOST_PYTHON, and are skipped without them.
"""

import csv
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
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Routes = dict[Network, int]
PYTHON = os.environ.get("FINGERPOST_PYTHON", "")
SHOWN = Path(__file__).resolve().parents[2] / "data/shown"


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"published_formats_test: {words}")


def run(*words: str, stdin: bytes | None = None, status: int = 0) -> str:
    done = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, check=False)
    want(done.returncode == status, f"{words}: exit {done.returncode} instead of {status}: {done.stderr.decode()}")
    return done.stdout.decode() if status == 0 else done.stderr.decode()


def random_network(dice: random.Random, longest: dict[int, int]) -> Network:
    width = dice.choice((32, 128))
    length = dice.randrange(3 if width == 32 else 4, longest[width])
    # IPv6 networks are in 2400::/6, which no alias of the IPv4 networks overlaps.
    bits = dice.getrandbits(length) if width == 32 else 0b001001 << max(length - 6, 0) | dice.getrandbits(max(length - 6, 0))
    kind = ipaddress.IPv4Network if width == 32 else ipaddress.IPv6Network
    length = max(length, 6) if width == 128 else length
    return kind((bits << (width - length), length))


def written(routes: Routes) -> dict[str, tuple[bytes, str]]:
    """Returns for each format the file and the column with the AS."""
    rows = list(routes.items())
    aws = [{"ip_prefix" if n.version == 4 else "ipv6_prefix": str(n), "service": str(a), "region": "r", "network_border_group": "g"} for n, a in rows]
    by_asn: dict[int, list[str]] = {}
    for network, asn in rows:
        by_asn.setdefault(asn, []).append(str(network))
    tags = [{"name": f"n{a}", "id": "x", "properties": {"region": "", "systemService": str(a), "addressPrefixes": p}} for a, p in by_asn.items()]
    google = [{f"ipv{n.version}Prefix": str(n), "service": str(a), "scope": "s"} for n, a in rows]
    roas = [{"asn": f"AS{a}", "prefix": str(n), "maxLength": n.prefixlen, "ta": "ripe"} for n, a in rows]
    hop = {"fib": True, "ip": "192.0.2.1", "interfaceName": "eth0"}
    frr = {str(n): [{"protocol": "bgp", "selected": True, "distance": 20, "metric": a, "nexthops": [hop]}] for n, a in rows}
    paths = {str(n): [{"bestpath": True, "path": f"1 {a}", "peerId": "192.0.2.1", "nexthops": [{"ip": "192.0.2.1", "used": True}]}] for n, a in rows}

    def compact(document: object) -> bytes:
        return json.dumps(document, indent=1).encode()

    def lines(form: str) -> bytes:
        return "".join(form.format(n=n, a=a) for n, a in rows).encode()

    return {
        "text": (lines("{n} {a}\n"), "next_hop"),
        "csv": (b"network,asn,x\n" + lines("{n},{a},1\n"), "asn"),
        "tsv": (b"network\tasn\tx\n" + lines("{n}\t{a}\t1\n"), "asn"),
        "json": (lines('{{"network":"{n}","asn":{a}}}\n'), "asn"),
        "bgpdump": (lines("TABLE_DUMP2|1|B|192.0.2.1|1|{n}|1 {a}|IGP|192.0.2.1|0|0||NAG||\n"), "origin_as"),
        "ip-route": (lines("{n} via 192.0.2.1 dev eth0 metric {a}\n"), "metric"),
        "ip-route-json": (compact([{"dst": str(n), "gateway": "192.0.2.1", "metric": a, "flags": []} for n, a in rows]), "metric"),
        "pyasn": (b"; IP-ASN32-DAT file\n" + lines("{n}\t{a}\n"), "asn"),
        "vrps-csv": (b"ASN,IP Prefix,Max Length,Trust Anchor\n" + b"".join(f"AS{a},{n},{n.prefixlen},ripe\n".encode() for n, a in rows), "asn"),
        "vrps-json": (compact({"metadata": {"generated": 1}, "roas": roas}), "asn"),
        "cloud": (compact({"syncToken": "1", "prefixes": [e for e in aws if "ip_prefix" in e], "ipv6_prefixes": [e for e in aws if "ipv6_prefix" in e]}), "service"),
        "cloud of Google": (compact({"syncToken": "1", "prefixes": google}), "service"),
        "cloud of Azure": (compact({"changeNumber": 1, "values": tags}), "service"),
        "frr-route": (compact(frr), "metric"),
        "frr-bgp": (compact({"routerId": "192.0.2.1", "routes": paths}), "origin_as"),
    }


def table(file: bytes | str, column: str) -> dict[str, str]:
    words = ["convert", "--format", "csv", "--columns", column]
    text = run(*words, "-", stdin=file) if isinstance(file, bytes) else run(*words, file)
    return {row[0]: row[1] for row in list(csv.reader(io.StringIO(text)))[1:]}


def answers(file: bytes | str, column: str, probes: list[str]) -> list[str]:
    Path("table").write_bytes(file) if isinstance(file, bytes) else shutil.copy(file, "table")
    text = run("lookup", "-t", "table", "--format", "csv", "--columns", column, *probes)
    return [row[2] for row in list(csv.reader(io.StringIO(text)))[1:]]


def expected(routes: Routes, probes: list[str]) -> list[str]:
    found = []
    for text in probes:
        address = ipaddress.ip_address(text)
        covers = [n for n in routes if n.version == address.version and address in n]
        found.append(str(routes[max(covers, key=lambda n: n.prefixlen)]) if covers else "")
    return found


def probes_of(dice: random.Random, routes: Routes, count: int) -> list[str]:
    probes = []
    for network in dice.sample(sorted(routes, key=str), count):
        ends = {int(network.network_address) - 1, int(network.network_address), int(network.broadcast_address), int(network.broadcast_address) + 1}
        kind = ipaddress.IPv4Address if network.version == 4 else ipaddress.IPv6Address
        probes += [str(kind(end)) for end in sorted(ends) if 0 <= end < 1 << network.max_prefixlen]
    return probes


def every_format(dice: random.Random) -> Routes:
    routes: Routes = {random_network(dice, {32: 31, 128: 64}): dice.randrange(1, 1 << 16) for _ in range(600)}
    probes = probes_of(dice, routes, 60)
    model = {str(network): str(asn) for network, asn in routes.items()}
    right = expected(routes, probes)
    for form, (file, column) in written(routes).items():
        want(table(file, column) == model, f"{form}: another table")
        want(answers(file, column, probes) == right, f"{form}: other answers")
    return routes


MMDB = """
import ipaddress, json, sys
from mmdb_writer import MMDBWriter
from netaddr import IPSet
made = MMDBWriter(ip_version=6, ipv4_compatible=True, database_type="Test", languages=["en"])
for network, record in json.load(sys.stdin):
    made.insert_network(IPSet([network]), record)

def node_at(bits):
    node = made.tree
    for bit in bits:
        node = node.get_or_create(int(bit))
    return node

# What stands in other places once more, as in files of MaxMind.
for block in map(ipaddress.IPv6Network, sys.argv[2:]):
    bits = f"{int(block.network_address):0128b}"[:block.prefixlen]
    node_at(bits[:-1])[int(bits[-1])] = node_at("0" * 96)
made.to_db_file(sys.argv[1])
"""
READ_MMDB = """
import json, sys, maxminddb
print(json.dumps([[str(network), record] for network, record in maxminddb.open_database(sys.argv[1])]))
"""
ASK_MMDB = """
import json, sys, maxminddb
base = maxminddb.open_database(sys.argv[1])
print(json.dumps([base.get(address) for address in sys.argv[2:]]))
"""
PYASN = """
import json, sys, pyasn
base = pyasn.pyasn(sys.argv[1])
print(json.dumps([base.lookup(a) for a in sys.argv[2:]]))
"""


def python(code: str, *words: str, stdin: str = "") -> str | None:
    """Returns None if a package is missing."""
    if not Path(PYTHON).is_file():
        return None
    done = subprocess.run([PYTHON, "-c", code, *words], input=stdin, capture_output=True, text=True, check=False)
    if "ModuleNotFoundError" in done.stderr:
        return None
    want(done.returncode == 0, done.stderr)
    return done.stdout


def flat(value: object, path: str = "") -> dict[str, str]:
    if isinstance(value, dict | list):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        found: dict[str, str] = {}
        for name, inner in members:
            found |= flat(inner, f"{path}.{name}" if path else str(name))
        return found
    return {path: str(value).lower() if isinstance(value, bool) else str(value)}


def mmdb(dice: random.Random, routes: Routes) -> str:
    words = ["CH", "Zürich", "", "a,b", "x" * 300]

    def record(asn: int) -> dict[str, object]:
        made: dict[str, object] = {"asn": asn, "country": {"iso_code": dice.choice(words), "names": {"en": dice.choice(words)}}}
        if dice.random() < 0.5:
            made["subdivisions"] = [{"iso_code": dice.choice(words), "is_any": dice.random() < 0.5} for _ in range(dice.randrange(3))]
        if dice.random() < 0.5:
            made["location"] = {"latitude": dice.randrange(-360, 360) / 4 + 0.125, "big": dice.getrandbits(60)}
        return made

    # Longer prefixes come last, because each overwrites part of its cover.
    rows = [(str(network), record(asn)) for network, asn in sorted(routes.items(), key=lambda r: r[0].prefixlen)]
    if python(MMDB, "t.mmdb", stdin=json.dumps(rows)) is None:
        return "mmdb_writer is not installed"
    if "without libmaxminddb" in subprocess.run([PROGRAM, "info", "-t", "t.mmdb"], capture_output=True, text=True, check=False).stderr:
        return "the program is built without libmaxminddb"
    probes = probes_of(dice, routes, 60)
    want(answers("t.mmdb", "asn", probes) == expected(routes, probes), "mmdb: other answers")
    read = python(READ_MMDB, "t.mmdb")
    want(read is not None, "maxminddb is not installed")
    theirs = {network: flat(value) for network, value in json.loads(read or "")}
    text = list(csv.reader(io.StringIO(run("convert", "--format", "csv", "t.mmdb"))))
    ours = {row[0]: {name: cell for name, cell in zip(text[0][1:], row[1:], strict=True) if cell} for row in text[1:]}
    want(len(ours) > 500 and ours.keys() == theirs.keys(), f"mmdb: {len(ours)} networks, {len(theirs)} of maxminddb")
    for network, fields in theirs.items():
        want(ours[network] == {name: cell for name, cell in fields.items() if cell}, f"mmdb: {network}: {ours[network]}, not {fields}")
    compressed = subprocess.run(["gzip", "-c", "t.mmdb"], capture_output=True, check=True).stdout
    want(table(compressed, "asn") == {row[0]: row[1 + text[0][1:].index("asn")] for row in text[1:]}, "mmdb: compressed, another table")
    if shutil.which("mmdblookup") is None:
        return "mmdblookup is not installed"
    for probe in probes[:40]:
        done = subprocess.run(["mmdblookup", "--file", "t.mmdb", "--ip", probe, "asn"], capture_output=True, text=True, check=False)
        (answer,) = expected(routes, [probe])
        want(answer in done.stdout if answer else "Could not find" in done.stderr, f"mmdblookup: {probe}: {done.stdout}")
    damaged = bytearray(Path("t.mmdb").read_bytes())
    damaged[100:110] = b"\xff" * 10
    said = run("lookup", "-t", "-", "--input-format", "mmdb", "10.0.0.1", stdin=bytes(damaged), status=1)
    want("stdin: node " in said and " at byte " in said, said)
    return ""


def aliases(dice: random.Random, routes: Routes) -> str:
    """Every lookup answers as maxminddb does, and no network is listed twice."""
    blocks = [ipaddress.IPv6Network(text) for text in ("2001::/32", "2002::/16", "64:ff9b::/96", "::ffff:0:0/96")]
    rows = [(str(network), {"asn": asn}) for network, asn in sorted(routes.items(), key=lambda r: r[0].prefixlen)]
    for name, with_aliases in (("t.mmdb", []), ("aliased.mmdb", [str(block) for block in blocks])):
        if python(MMDB, name, *with_aliases, stdin=json.dumps(rows)) is None:
            return "mmdb_writer is not installed"
    four = [int(ipaddress.IPv4Address(probe)) for probe in probes_of(dice, routes, 60) if "." in probe]
    probes = [
        str(ipaddress.IPv6Address(int(block.network_address) | value << (96 - block.prefixlen)))
        for value in four
        for block in [*blocks, ipaddress.IPv6Network("::/96"), ipaddress.IPv6Network("2400::/32")]
    ]
    theirs = [str(record["asn"]) if record else "" for record in json.loads(python(ASK_MMDB, "aliased.mmdb", *probes) or "")]
    want(sum(answer != "" for answer in theirs) > 100, "aliases: few answers")
    want(answers("aliased.mmdb", "asn", probes) == theirs, "aliases: lookup has other answers")
    probe, answer = next((probe, answer) for probe, answer in zip(probes, theirs, strict=True) if answer)
    want(answer in run("explain", "-t", "aliased.mmdb", probe).split(), f"aliases: explain has no {answer} for {probe}")
    text = run("enrich", "-t", "aliased.mmdb", "--format", "csv", "--field", "a", "-", stdin="\n".join(["a", *probes, ""]).encode())
    want([row[-1] for row in list(csv.reader(io.StringIO(text)))[1:]] == theirs, "aliases: enrich has other answers")
    matched = run("grep", "-t", "aliased.mmdb", stdin="\n".join([*probes, ""]).encode()).split()
    want(matched == [probe for probe, answer in zip(probes, theirs, strict=True) if answer], "aliases: grep has other answers")
    plain = run("convert", "--format", "csv", "t.mmdb")
    want(run("convert", "--format", "csv", "aliased.mmdb") == plain, "aliases: convert lists them")
    want(len(run("convert", "--aliases", "--format", "csv", "aliased.mmdb")) > 2 * len(plain), "aliases: --aliases does not list them")
    return ""


def pyasn(dice: random.Random, routes: Routes) -> str:
    probes = probes_of(dice, routes, 60)
    Path("t.dat").write_bytes(written(routes)["pyasn"][0])
    said = python(PYASN, "t.dat", *probes)
    if said is None:
        return "pyasn is not installed"
    theirs = ["" if asn is None else str(asn) for asn, _ in json.loads(said)]
    want(answers("t.dat", "asn", probes) == theirs, "pyasn: other answers")
    return ""


def frr() -> None:
    """Tables that tests/data/shown/record recorded from FRR itself."""
    routes = 0
    for family in ("ipv4", "ipv6"):
        file = SHOWN / f"frr_route_{family}.json"
        model = {}
        for prefix, listed in json.loads(file.read_text()).items():
            for route in listed:
                used = [hop for hop in route["nexthops"] if hop.get("fib")] or [hop for hop in route["nexthops"] if hop.get("active")]
                gateways = ",".join(hop["ip"] for hop in used if "ip" in hop)
                devices = ",".join(hop["interfaceName"] for hop in used if "interfaceName" in hop)
                why = next((word for hop in used for word in ("blackhole", "reject") if hop.get(word)), "").replace("reject", "unreachable")
                if route.get("selected"):
                    model[prefix] = [gateways or devices or why, devices, route["protocol"], str(route["distance"]), str(route["metric"])]
        got = list(csv.reader(io.StringIO(run("convert", "--format", "csv", str(file)))))
        want(got[0] == ["prefix", "next_hop", "dev", "protocol", "distance", "metric"], str(got[0]))
        want({row[0]: row[1:] for row in got[1:]} == model, f"{file.name}: another table")
        routes += len(model)
        file = SHOWN / f"frr_bgp_{family}.json"
        model = {}
        for prefix, paths in json.loads(file.read_text())["routes"].items():
            for path in paths:
                hops = ",".join(hop["ip"] for hop in path["nexthops"] if hop.get("used"))
                ases = path["path"].split()
                if path.get("bestpath"):
                    model[prefix] = [hops, ases[-1] if ases else "", path["peerId"], path["path"], str(path.get("locPrf", "")), str(path.get("metric", ""))]
        got = list(csv.reader(io.StringIO(run("convert", "--format", "csv", str(file)))))
        want(got[0] == ["prefix", "next_hop", "origin_as", "peer", "path", "local_pref", "med"], str(got[0]))
        want({row[0]: row[1:] for row in got[1:]} == model, f"{file.name}: another table")
        routes += len(model)
    want(routes > 400, f"only {routes} routes of FRR")


def main() -> None:
    dice = random.Random(1)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        frr()
        routes = every_format(dice)
        missing = [words for words in (mmdb(dice, routes), aliases(dice, routes), pyasn(dice, routes)) if words]
    print(f"published_formats_test: {len(routes)} routes in {len(written(routes))} formats")
    if missing:
        print("published_formats_test: skipped in part: " + "; ".join(missing))
        sys.exit(77)


if __name__ == "__main__":
    main()
