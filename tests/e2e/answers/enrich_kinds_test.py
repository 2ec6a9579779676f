#!/usr/bin/env python3
"""`fingerpost enrich` and `grep` on files as programs write them: logs of Zeek, IIS, CloudFront and load balancers, flow logs,
JSON documents, and lists of addresses. What is right is computed by csv, json and ipaddress."""

import csv
import io
import ipaddress
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
runs = 0

TABLE = {"203.0.113.0/24": ("64500", "Acme, Inc."), "203.0.113.128/25": ("64501", "tab\there"), "198.51.100.0/24": ("64502", "-"),
         "192.0.2.0/26": ("64503", ""), "2001:db8::/32": ("64504", "six"), "fe80::/10": ("64505", "link")}  # fmt: skip
NETWORKS = sorted(((ipaddress.ip_network(p), *row) for p, row in TABLE.items()), key=lambda n: -n[0].prefixlen)
NONE = {"-", "\\N", "(empty)", "", "unknown", "null", "NULL"}
Answer = dict[str, str]  # prefix, asn, name; empty where there is none


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"enrich_kinds_test: {words}")


def run(command: str, arguments: list[str], stdin: str = "", status: int = 0, block: int = 0) -> tuple[str, str]:
    global runs
    runs += 1
    environment = dict(os.environ) | ({"FINGERPOST_ENRICH_BLOCK": str(block)} if block else {})
    done = subprocess.run([PROGRAM, command, "-t", "t.csv", *arguments], input=stdin.encode(), capture_output=True, env=environment, check=False)
    said = done.stderr.decode()
    want(done.returncode == status, f"{command} {arguments}: exit {done.returncode} instead of {status}: {said}\n{done.stdout.decode()[:500]}")
    return done.stdout.decode(), said


def enrich(arguments: list[str], stdin: str = "", status: int = 0, block: int = 0) -> str:
    return run("enrich", arguments, stdin, status, block)[0]


def equal(got: object, wanted: object, name: str) -> None:
    want(got == wanted, f"{name}:\n got  {got!r}\n want {wanted!r}")


# The model.


def host(text: str) -> "ipaddress.IPv4Address | ipaddress.IPv6Address":
    """An address without port, brackets and zone."""
    text = re.sub(r"^\[([^\]]*)\](:\d+)?$", r"\1", text)
    text = re.sub(r"^([0-9.]+):\d+$", r"\1", text)
    return ipaddress.ip_address(text.split("%")[0])


def answer(text: str) -> Answer:
    address = host(text)
    for network, asn, name in NETWORKS:
        if network.version == address.version and address in network:
            return {"prefix": str(network), "asn": asn, "name": name}
    return dict.fromkeys(("prefix", "asn", "name"), "")


def listed(text: str) -> list[str]:
    return [one for one in (part.strip() for part in text.split(",")) if one not in NONE]


def chosen(addresses: list[str], which: str) -> list[str]:
    return addresses[:1] if which == "first" else addresses[-1:] if which == "last" else addresses


def added(addresses: list[str], which: str) -> Answer:
    """The columns of a field, as text."""
    answers = [answer(one) for one in chosen(addresses, which)]
    return {name: ";".join(one[name] for one in answers) for name in ("prefix", "asn", "name")}


def members(addresses: list[str], which: str) -> dict[str, object]:
    """The same as members of JSON; `asn` is a number."""

    def value(name: str, text: str) -> object:
        return None if text == "" else int(text) if name == "asn" else text

    answers = [answer(one) for one in chosen(addresses, which)] or ([] if which == "all" else [dict.fromkeys(("prefix", "asn", "name"), "")])
    columns = {name: [value(name, one[name]) for one in answers] for name in ("prefix", "asn", "name")}
    return columns if which == "all" else {name: values[0] for name, values in columns.items()}


def some_address(dice: random.Random) -> str:
    network = dice.choice([*TABLE, "192.0.2.128/25", "2001:db9::/32"])
    net = ipaddress.ip_network(network)
    return str(net.network_address + dice.randrange(min(net.num_addresses, 1 << 64)))


def some_entry(dice: random.Random) -> str:
    address = some_address(dice)
    port = f"[{address}]:443" if ":" in address else f"{address}:8080"
    return dice.choice([address, address, port, f"[{address}]" if ":" in address else address])


def some_list(dice: random.Random) -> str:
    return dice.choice([", ", ",", " ,  "]).join(dice.choice([some_entry(dice)] * 6 + ["-", "unknown", ""]) for _ in range(dice.randrange(5)))


# Lists of addresses.


def test_lists_in_csv() -> None:
    dice = random.Random(44)
    rows = [["1", "203.0.113.195, 198.51.100.178"], ["2", "203.0.113.9:4711,198.51.100.1:80"], ["3", "[2001:db8::7]:443, 203.0.113.200"],
            ["4", "-"], ["5", ""], ["6", "unknown, 203.0.113.1"], ["7", " 192.0.2.1 "], ["8", '198.51.100.1", 2'[:12]]]  # fmt: skip
    rows += [[str(n), some_list(dice)] for n in range(9, 300)]
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([["n", "xff"], *rows])
    for which in ("first", "last", "all"):
        for block, threads in ((0, "4"), (7, "2")):
            got = enrich(["-f", "xff", "--format", "csv", "--which", which, "--threads", threads], text.getvalue(), block=block)
            back = list(csv.DictReader(io.StringIO(got, newline="")))
            wanted = [{"n": n, "xff": xff, **added(listed(xff), which)} for n, xff in rows]
            for one, right in zip(back, wanted, strict=True):
                equal(one, right, f"--which {which}")
    first = enrich(["-f", "xff", "--format", "csv"], text.getvalue())
    equal(first, enrich(["-f", "xff", "--format", "csv", "--which", "first"], text.getvalue()), "the first is preset")
    # What is neither an address nor a word for none is bad, but only where it counts.
    for which, status in (("first", 0), ("last", 3), ("all", 3)):
        enrich(["-f", "xff", "--format", "csv", "--which", which], 'xff\n"203.0.113.1, nonsense"\n', status)
    _, said = run("enrich", ["-f", "xff", "--format", "csv"], 'xff\n"nonsense, 203.0.113.1"\n', 3)
    want("stdin:2: 'nonsense': " in said, said)
    # IIS writes blanks as plus signs, CloudFront as %20.
    for text_of_list in ("203.0.113.1,+198.51.100.7", "203.0.113.1,%20198.51.100.7"):
        got = enrich(["-f", "a", "--format", "tsv", "--which", "last", "--columns", "asn"], f"a\n{text_of_list}\n")
        equal(got, f"a\tasn\n{text_of_list}\t64502\n", text_of_list)
    # Conditions and counts see all that counts.
    listed_rows = 'x\n"203.0.113.1, 198.51.100.1"\n198.51.100.2\n192.0.2.200\n'
    for which, lines in (("first", [1]), ("last", []), ("all", [1])):
        got = enrich(["-f", "x", "--format", "csv", "--which", which, "--where", "asn=64500", "--columns", ""], listed_rows)
        equal(got.splitlines()[1:], [listed_rows.splitlines()[n] for n in lines], f"--where, {which}")
    got = enrich(["-f", "x", "--format", "csv", "--which", "all", "--count-by", "asn"], listed_rows)
    equal(got, "asn,count,share\n64502,2,0.500000\n,1,0.250000\n64500,1,0.250000\n", "--count-by")
    got, _ = run("grep", ["-f", "x"], listed_rows)
    equal(got, "".join(listed_rows.splitlines(True)[:3]), "grep counts all")
    got, _ = run("grep", ["--which", "first", "-f", "x", "-v"], listed_rows)
    equal(got, "x\n192.0.2.200\n", "grep -v")


def test_lists_in_json() -> None:
    dice = random.Random(45)
    values: list[object] = ["203.0.113.195, 198.51.100.178", ["203.0.113.195, 198.51.100.178"], ["198.51.100.1:443", "[2001:db8::1]:53"], [],
                            None, "", "(empty)", ["-", "\\N"], [None, "203.0.113.1"], "fe80::1%eth0"]  # fmt: skip
    values += [dice.choice([some_list(dice), [some_list(dice) for _ in range(dice.randrange(4))]]) for _ in range(200)]

    def addresses(value: object) -> list[str]:
        parts = value if isinstance(value, list) else [value]
        return [one for part in parts if part is not None for one in listed(part)]

    rows = "".join(json.dumps({"h": {"X-Forwarded-For": value}}, indent=None) + "\n" for value in values)
    for which in ("first", "last", "all"):
        for path in ("h.X-Forwarded-For", "h.X-Forwarded-For[]"):
            got = enrich(["--field", path, "--which", which, "--format", "ndjson"], rows)
            for line, value in zip(got.splitlines(), values, strict=True):
                equal(json.loads(line), {"h": {"X-Forwarded-For": value}, **members(addresses(value), which)}, f"{path}, {which}: {value}")
    # A member of each element.
    rows = '{"f":[{"s":"203.0.113.1"},{"d":1},{"s":["198.51.100.1"],"s":["2001:db8::1"]}],"e":{"s":"192.0.2.1"}}\n{"f":[]}\n{"f":[{"s":"203.0.113.1"}],"f":[{"s":null}]}\n'
    found = [["203.0.113.1", "2001:db8::1"], [], []]
    for which in ("first", "last", "all"):
        got = enrich(["--field", "f[].s", "--which", which, "--format", "ndjson"], rows)
        for line, row, each in zip(got.splitlines(), rows.splitlines(), found, strict=True):
            equal(json.loads(line), {**json.loads(row), **members(each, which)}, f"f[].s, {which}")
    got = enrich(["--field", "f[].s", "--field", "e.s", "--which", "all", "--columns", "asn", "--format", "ndjson"], rows.splitlines()[0])
    equal({name: json.loads(got)[name] for name in ("f_s_asn", "e_s_asn")}, {"f_s_asn": [64500, 64504], "e_s_asn": [64503]}, "two fields")
    for bad, words in [('{"a":[1]}', "an element of member 'a' is not a string"), ('{"a":{"b":1}}', "member 'a' is not a string"),
                       ('{"a":[["203.0.113.1"]]}', "an element of member 'a' is not a string"), ('{"a":["x"]}', "'x': ")]:  # fmt: skip
        got, said = run("enrich", ["--field", "a", "--format", "ndjson", "--columns", "asn"], bad, 3)
        equal(got, bad[:-1] + ',"asn":null}', bad)
        want(words in said, said)
    # Zeek writes names with dots, Elasticsearch takes them for paths.
    for row in ('{"id.orig_h":"203.0.113.1"}', '{"id":{"orig_h":"203.0.113.1"}}', '{"id.orig_h":"198.51.100.1","id":{"orig_h":"203.0.113.1"}}'):
        equal(json.loads(enrich(["--field", "id.orig_h", "--format", "ndjson"], row))["asn"], 64500, row)


def test_lists_in_logs() -> None:
    log = "203.0.113.1 via 198.51.100.1 to [2001:db8::1]:80\nno address\n"
    for which, asn in (("first", "64500"), ("last", "64504")):
        got = enrich(["--format", "log", "--which", which, "--columns", "asn"], log)
        equal(got, log.replace("\n", f"\t{asn}\n", 1).replace("address\n", "address\t\n"), which)
    regex = ["--regex", r'"([^"]*)"$', "--columns", "asn"]
    log = 'GET / "203.0.113.1, 198.51.100.1"\nGET / "-"\n'
    for which, columns in (("first", "\t64500"), ("last", "\t64502"), ("all", "\t64500\t64502")):
        equal(enrich([*regex, "--which", which], log), log.replace('1"\n', f'1"{columns}\n').replace('-"\n', '-"\t\n'), which)


# Words for no address.


def test_none() -> None:
    words = ["-", "\\N", "(empty)", "unknown", "NULL", "", " - "]
    rows = "".join(f"{word}\n" for word in words)
    for arguments, text in [
        (["-f", "a", "--format", "csv"], "a,b\n" + "".join(f"{word},\n" for word in words)),
        (["-f", "a", "--format", "tsv", "--no-quotes"], "a\tb\n" + "".join(f"{word}\tx\n" for word in words)),
        (["--field", "a", "--format", "ndjson"], "".join(json.dumps({"a": word}) + "\n" for word in words)),
        (["--format", "log", "--regex", "^a=(.*)$"], "".join(f"a={word}\n" for word in words)),
    ]:
        _, said = run("enrich", [*arguments, "--stats"], text)
        want(f"{len(words)} rows: 0 matched, 0 missed, {len(words)} without an address, 0 bad" in said, said)
    _, said = run("enrich", ["--format", "lines", "--stats"], rows)
    want("6 rows: 0 matched, 0 missed, 6 without an address, 0 bad" in said, said)


# Headers in comments.

ZEEK = """#separator \\x09
#set_separator\t,
#empty_field\t(empty)
#unset_field\t-
#path\tconn
#open\t2026-11-27-10-00-00
#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\ttunnel_parents
#types\ttime\tstring\taddr\tport\taddr\tset[string]
1764237600.000000\tCHhAvVGS1DHFjwGM9\t203.0.113.7\t49152\t2001:db8::53\t(empty)
1764237601.500000\tC4J4Th3PJpwUYZZ6gc\tfe80::1\t5353\t192.0.2.200\t-
1764237602.000000\tC1\t198.51.100.9\t"\t203.0.113.130\ta,b
#close\t2026-11-27-11-00-00
"""


def read_zeek(text: str) -> list[dict[str, str]]:
    """As Zeek's reader does it: names of the last #fields, values between tabs, \\xHH for bytes."""
    rows, names = [], []
    for line in text.splitlines():
        if line.startswith("#fields\t"):
            names = line.split("\t")[1:]
        elif not line.startswith("#"):
            rows.append(dict(zip(names, line.split("\t"), strict=True)))
    for row in rows:
        for name, value in row.items():
            row[name] = "" if value == "-" else re.sub(r"\\x(..)", lambda m: chr(int(m[1], 16)), value)
    return rows


def test_zeek() -> None:
    got, said = run("enrich", ["-f", "id.orig_h", "-f", "id.resp_h", "--verbose"], ZEEK)
    want("stdin: read as tsv with the names in #fields (use --format to change)" in said, said)
    wanted = [{**row, **{f"{field}_{name}": value for field in ("id.orig_h", "id.resp_h") for name, value in answer(row[field]).items()}}
              for row in read_zeek(ZEEK)]  # fmt: skip
    equal(read_zeek(got), wanted, "rows")
    # All lines stay, and two are longer.
    lines = got.splitlines()
    equal([line.startswith(old) for line, old in zip(lines, ZEEK.splitlines(), strict=True)], [True] * 12, "lines as they were")
    names = [f"{field}_{name}" for field in ("id.orig_h", "id.resp_h") for name in ("prefix", "asn", "name")]
    equal(lines[6], ZEEK.splitlines()[6] + "".join(f"\t{name}" for name in names), "#fields")
    equal(lines[7], ZEEK.splitlines()[7] + "\tsubnet\tstring\tstring" * 2, "#types")
    equal([line for n, line in enumerate(lines) if n not in (6, 7) and line.startswith("#")],
          [line for n, line in enumerate(ZEEK.splitlines()) if n not in (6, 7) and line.startswith("#")], "other comments")  # fmt: skip
    for block in (1, 5, 100):
        equal(enrich(["-f", "id.orig_h", "-f", "id.resp_h"], ZEEK, block=block), got, f"blocks of {block}")
    # What was written is read again, by number too, and a name of its own takes the place of another.
    again = enrich(["-f", "3", "--columns", "asn", "--rename", "asn=origin as", "--rename", "2=id"], got)
    equal([row["origin_as"] for row in read_zeek(again)], ["64500", "64505", "64502"], "again")
    equal([row["id"] for row in read_zeek(again)], [row["uid"] for row in read_zeek(ZEEK)], "renamed")
    # Files that were put together, and several files: the header comes once.
    Path("one.log").write_text(ZEEK, encoding="utf-8")
    Path("two.log").write_text(ZEEK.replace("-10-00", "-12-00"), encoding="utf-8")
    Path("none.log").write_text("".join(ZEEK.splitlines(True)[:8]), encoding="utf-8")
    for arguments, text in ((["one.log", "none.log", "two.log"], ""), ([], ZEEK + ZEEK)):
        got = enrich(["-f", "id.orig_h", "--columns", "asn", *arguments], text)
        equal([row["asn"] for row in read_zeek(got)], ["64500", "64505", "64502"] * 2, "rows of two files")
        equal(got.count("#fields"), 1, "headers")
    # Columns that change end the run; so does a second file with others. Line numbers count the header.
    other = ZEEK.replace("tunnel_parents", "parents")
    got, said = run("enrich", ["-f", "id.orig_h", "--columns", "asn"], ZEEK + other, 1)
    want("stdin:19: '#fields" in said and "the columns change here" in said, said)
    equal(len(read_zeek(got)), 3, "rows before")
    Path("other.log").write_text(other, encoding="utf-8")
    _, said = run("enrich", ["-f", "id.orig_h", "one.log", "other.log"], "", 1)
    want("other.log: the header differs from that of one.log" in said, said)
    _, said = run("enrich", ["-f", "id.orig_h"], ZEEK.replace("203.0.113.7", "nonsense"), 3)
    want("stdin:9: 'nonsense'" in said, said)
    _, said = run("enrich", ["-f", "ip"], ZEEK, 2)
    want("no column 'ip'; columns: ts, uid, id.orig_h, id.orig_p, id.resp_h, tunnel_parents" in said, said)
    # grep writes the header, whatever rows it chooses.
    got, _ = run("grep", ["-f", "id.orig_h", "-f", "id.resp_h"], ZEEK)
    equal(got, "".join(ZEEK.splitlines(True)[:11]), "grep")
    got, _ = run("grep", ["-f", "id.orig_h"], ZEEK.replace("fe80", "2001:db9"))
    equal([row["uid"] for row in read_zeek(got)], ["CHhAvVGS1DHFjwGM9", "C1"], "grep")
    # Another delimiter.
    commas = ZEEK.replace("a,b", "a").replace("\\x09", "\\x2c").replace("\t", ",")
    equal(enrich(["-f", "id.orig_h", "--columns", "asn"], commas).splitlines()[9], commas.splitlines()[9] + ",64505", "commas")
    # A byte order mark, and line ends of Windows.
    got = enrich(["-f", "id.orig_h", "--columns", "asn"], "\ufeff" + ZEEK.replace("\n", "\r\n"))
    want(got.startswith("\ufeff#separator") and "(empty)\t64500\r\n" in got and "parents\tasn\r\n" in got, got)


CLOUDFRONT = """#Version: 1.0
#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(User-Agent) x-forwarded-for c-port
2026-11-27\t10:00:01\tFRA56-P4\t392\t203.0.113.77\tGET\tMozilla/5.0%20(X11)\t198.51.100.1,%20192.0.2.3\t51234
2026-11-27\t10:00:02\tFRA56-P4\t1045619\t2001:db8::d111\tGET\tcurl/8.4.0\t-\t443
"""

IIS = """#Software: Microsoft Internet Information Services 10.0
#Version: 1.0
#Date: 2026-11-27 10:00:00
#Fields: date time s-ip cs-method cs-uri-stem c-ip cs(User-Agent) sc-status
2026-11-27 10:00:01 192.0.2.1 GET /index.html 203.0.113.5 Mozilla/5.0+(Windows+NT+10.0) 200
2026-11-27 10:00:02 192.0.2.1 GET /favicon.ico - - 404
#Software: Microsoft Internet Information Services 10.0
#Version: 1.0
#Date: 2026-11-27 11:00:00
#Fields: date time s-ip cs-method cs-uri-stem c-ip cs(User-Agent) sc-status
2026-11-27 11:00:01 192.0.2.1 GET / 203.0.113.200 - 200
"""

EXCHANGE = """#Software: Microsoft Exchange Server
#Version: 15.01.2106.002
#Log-type: Message Tracking Log
#Date: 2026-11-27T10:00:00.000Z
#Fields: date-time,client-ip,client-hostname,message-subject
2026-11-27T10:00:00.001Z,203.0.113.25,mail,"Hello, world"
2026-11-27T10:00:01.001Z,,mail,none
"""


def test_w3c() -> None:
    got = enrich(["-f", "c-ip"], CLOUDFRONT).splitlines()
    equal(got[1], CLOUDFRONT.splitlines()[1] + " prefix asn name", "#Fields of CloudFront")
    equal(got[2:], [CLOUDFRONT.splitlines()[2] + "\t203.0.113.0/24\t64500\tAcme, Inc.", CLOUDFRONT.splitlines()[3] + "\t2001:db8::/32\t64504\tsix"], "rows")
    got = enrich(["-f", "x-forwarded-for", "--which", "all", "--columns", "asn"], CLOUDFRONT).splitlines()
    equal([line.split("\t")[-1] for line in got[2:]], ["64502;64503", "-"], "a list")
    got, said = run("enrich", ["--verbose", "-f", "c-ip", "-f", "s-ip", "--columns", "asn,name"], IIS)
    want("read as columns with the names in #Fields:" in said, said)
    want(got.count("#Fields:") == 1 and got.count("#Date:") == 2, got)
    lines = IIS.splitlines()
    equal(got.splitlines(), [*lines[:3], lines[3] + " c-ip_asn c-ip_name s-ip_asn s-ip_name", lines[4] + ' 64500 "Acme, Inc." 64503 -',
                             lines[5] + " - - 64503 -", *lines[6:9], lines[10] + ' 64501 "tab\there" 64503 -'], "IIS")  # fmt: skip
    # Read back: quotes hold values together.
    again = enrich(["-f", "c-ip", "--columns", "prefix", "--format", "columns"], got)
    equal(again.splitlines()[4], got.splitlines()[4] + " 203.0.113.0/24", "read back")
    got = enrich(["-f", "client-ip", "--columns", "name"], EXCHANGE).splitlines()
    equal(got[4:], ["#Fields: date-time,client-ip,client-hostname,message-subject,name",
                    '2026-11-27T10:00:00.001Z,203.0.113.25,mail,"Hello, world","Acme, Inc."', "2026-11-27T10:00:01.001Z,,mail,none,"], "Exchange")  # fmt: skip
    _, said = run("enrich", ["-f", "c-ip"], "#Version: 1.0\n#Date: x\n1 2 3\n", 2)
    want("no column 'c-ip'; columns: " in said, said)
    _, said = run("enrich", ["-f", "c-ip", "--columns", "asn"], IIS.replace("sc-status\n2026-11-27 11", "sc-bytes\n2026-11-27 11"), 1)
    want("stdin:10: " in said and "the columns change here" in said, said)
    got, said = run("enrich", ["-f", "c-ip", "--columns", "asn"], IIS.replace(" 404", ""), 3)
    want("stdin:6: " in said and "7 fields, but the header has 8" in said, said)
    equal(got.splitlines()[5], "2026-11-27 10:00:02 192.0.2.1 GET /favicon.ico - - - -", "a short row is filled up")


# Columns between blanks.

FLOWS = """version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status
2 123456789010 eni-1235b8ca123456789 203.0.113.16 192.0.2.21 20641 22 6 20 4249 1764237600 1764237660 ACCEPT OK
2 123456789010 eni-1235b8ca123456789 2001:db8::1 198.51.100.9 49761 3389 6 20 4249 1764237600 1764237660 REJECT OK
2 123456789010 eni-1235b8ca123456789 - - - - - - - 1764237600 1764237660 - NODATA
"""

ALB = (
    'https 2026-11-27T10:00:00.186641Z app/lb/50dc 203.0.113.39:2817 192.0.2.1:80 0.086 200 "GET https://www.example.com:443/ HTTP/1.1" "curl/8 (x)" -\n'
    'h2 2026-11-27T10:00:01.000000Z app/lb/50dc [2001:db8::9]:5000 - -1 502 "GET / HTTP/2.0" "-" "a ""b"" c"\n'
)


def test_columns() -> None:
    got, said = run("enrich", ["--verbose", "-f", "srcaddr", "-f", "dstaddr", "--columns", "asn"], FLOWS)
    want("read as columns" in said, said)
    rows = [line.split() for line in FLOWS.splitlines()]
    wanted = [" ".join([*row, *(answer(row[at])["asn"] or "-" if row[at] != "-" else "-" for at in (3, 4))]) for row in rows[1:]]
    equal(got.splitlines(), [FLOWS.splitlines()[0] + " srcaddr_asn dstaddr_asn", *wanted], "flow logs")
    _, said = run("enrich", ["-f", "srcaddr", "--stats"], FLOWS)
    want("3 rows: 2 matched, 0 missed, 1 without an address, 0 bad" in said, said)
    got, _ = run("grep", ["-f", "dstaddr"], FLOWS)
    equal(got, "".join(FLOWS.splitlines(True)[:3]), "grep")
    for field in ("4", "column4"):
        got = enrich(["--no-header", "--format", "columns", "-f", field, "-f", "column5", "--columns", "asn"], ALB).splitlines()
        equal(got, [ALB.splitlines()[0] + " 64500 64503", ALB.splitlines()[1] + " 64504 -"], "a load balancer")
    # Runs of blanks, blanks around, line ends; and a value with blanks.
    text = "  host   ip \r\n a\t 203.0.113.1  \r\n\r\n  b   203.0.113.130\n"
    equal(enrich(["-f", "ip", "--format", "columns", "--columns", "name,asn"], text),
          '  host   ip name asn \r\n a\t 203.0.113.1 "Acme, Inc." 64500  \r\n\r\n  b   203.0.113.130 "tab\there" 64501\n', "blanks")  # fmt: skip
    equal(enrich(["-f", "ip", "--format", "columns", "--columns", "name"], "ip\n198.51.100.1\n"), 'ip name\n198.51.100.1 "-"\n', "a dash that is a value")
    # Quotes: only around a whole field, and within its line.
    text = 'ip what\n203.0.113.1 "a b\n203.0.113.1 "a b" \n203.0.113.1 "a"b\n203.0.113.1 a"b\n'
    equal(enrich(["-f", "ip", "--format", "columns", "--columns", "asn"], text, 3).splitlines()[1:],
          ['203.0.113.1 "a b" 64500 ', '203.0.113.1 "a"b 64500', '203.0.113.1 a"b 64500'], "quotes")  # fmt: skip
    enrich(["-f", "ip", "--format", "columns", "--no-quotes"], 'ip a b\n203.0.113.1 "x y"\n')
    # A comma or a tab in the header wins, and so does a name with blanks.
    equal(enrich(["-f", "client ip", "--columns", "asn"], "client ip\n203.0.113.1\n"), "client ip,asn\n203.0.113.1,64500\n", "one column of CSV")
    equal(enrich(["-f", "ip", "--columns", "asn"], "ip,a b\n203.0.113.1,x y\n"), "ip,a b,asn\n203.0.113.1,x y,64500\n", "CSV")
    # Rows without a header have columns by number.
    for name in ("2", "column2"):
        equal(enrich(["--no-header", "-f", name, "--columns", "asn"], "a,203.0.113.1\n"), "a,203.0.113.1,64500\n", name)
    for name, words in (("column3", "no column 3; the first row has 2"), ("ip", "'ip' must be the number of a column, or column1, column2")):
        _, said = run("enrich", ["--no-header", "-f", name], "a,203.0.113.1\n", 2)
        want(words in said, said)


# JSON documents.


def shapes(rows: list[dict[str, object]]) -> list[tuple[str, str, Callable[[object], object]]]:
    """Documents with these rows, and where the rows are in each."""
    wrapped = {"@odata.context": "https://example.com/[{", "n": [1, 2], "empty": [], "value": rows, "more": [{"ip": "203.0.113.1"}], "next": None}
    return [
        ("compact array", json.dumps(rows, separators=(",", ":")), lambda d: d),
        ("array of lines", "[" + ",\n".join(json.dumps(row) for row in rows) + "]\n", lambda d: d),
        ("indented array", json.dumps(rows, indent=2) + "\n", lambda d: d),
        ("CloudTrail", json.dumps({"Records": rows}, separators=(",", ":")), lambda d: d["Records"]),
        ("CloudTrail, indented", json.dumps({"Records": rows}, indent="\t"), lambda d: d["Records"]),
        ("Azure", json.dumps({"records": rows}) + "\r\n", lambda d: d["records"]),
        ("wrapped", json.dumps(wrapped, indent=1), lambda d: d["value"]),
    ]


def some_rows(dice: random.Random, count: int) -> list[dict[str, object]]:
    made = []
    for n in range(count):
        row: dict[str, object] = {"eventTime": f"2026-11-27T10:00:{n % 60:02}Z", "text": dice.choice(['a"b', "{[,", "\\", "]}", "é\t"]), "n": [n, {"x": []}]}
        if dice.random() < 0.9:
            row["sourceIPAddress"] = dice.choice([some_address(dice)] * 8 + ["cloudtrail.amazonaws.com", "-", None])
        made.append(dict(dice.sample(list(row.items()), len(row))))
    return made


def parts(text: str) -> list[object]:
    """The documents one after the other."""
    made, at = [], 0
    while at < len(text):
        document, at = json.JSONDecoder().raw_decode(text, at)
        made.append(document)
        at += len(text[at:]) - len(text[at:].lstrip())
    return made


def test_documents() -> None:
    dice = random.Random(46)
    for count in (0, 1, 2, 40):
        rows = some_rows(dice, count)
        bad = any(row.get("sourceIPAddress") == "cloudtrail.amazonaws.com" for row in rows)
        ndjson = "".join(json.dumps(row) + "\n" for row in rows)
        for options, filters in [([], False), (["--on-miss", "drop"], True), (["--where", "asn=64500"], True), (["--on-miss", "only"], True),
                                 (["--on-error", "drop"], False), (["--nest", "source.as", "--columns", "asn"], False)]:  # fmt: skip
            field = ["--field", "sourceIPAddress"]
            status = 3 if bad else 1 if count and not any("sourceIPAddress" in row for row in rows) else 0
            lines = enrich([*field, "--format", "ndjson", *options], ndjson, status)
            wanted = [json.loads(line) for line in lines.splitlines()]
            for name, text, rows_of in shapes(rows)[: None if rows else -1]:
                forced = ["--format", "json"] if name == "wrapped" or count == 0 else []
                for block, threads in ((0, "4"), (1, "1"), (13, "4")):
                    got = enrich([*field, *options, *forced, "--threads", threads], text, status, block)
                    document = json.loads(got)
                    equal(rows_of(document), wanted, f"{name}, {count} rows, {options}, blocks of {block}")
                    # All else stays.
                    before = json.loads(text)
                    rows_of(before)[:] = rows_of(document)
                    equal(document, before, f"{name}, around the rows")
            if not filters and not options and count == 2:
                plain = shapes(rows)[2][1]
                got = enrich([*field, "--columns", "asn"], plain, status)
                equal(re.sub(r',"asn":(\d+|null)', "", got), plain, "the bytes of rows")
        # grep: the documents have the rows that it chooses.
        for inverse in (False, True):
            wanted = [row for row in rows if (bool(row.get("sourceIPAddress")) and ("." in str(row["sourceIPAddress"]) or ":" in str(row["sourceIPAddress"]))
                                              and not str(row["sourceIPAddress"]).startswith("cloud") and answer(str(row["sourceIPAddress"]))["prefix"] != "") != inverse]  # fmt: skip
            wanted = [row for row in wanted if row.get("sourceIPAddress") != "cloudtrail.amazonaws.com"]
            status = 3 if bad else 0 if wanted else 1
            if count:
                got, _ = run("grep", ["--field", "sourceIPAddress", *(["-v"] if inverse else [])], shapes(rows)[3][1], status)
                equal(json.loads(got), {"Records": wanted}, f"grep, inverse: {inverse}")


def test_streams() -> None:
    """Several documents, and several files."""
    dice = random.Random(47)
    rows = [{"ip": some_address(dice), "n": n} for n in range(20)]
    cut = [rows[:7], rows[7:8], rows[8:]]
    text = "\n".join(json.dumps({"Records": part}) for part in cut)
    wanted = [{"Records": [{**row, **members([str(row["ip"])], "first")} for row in part]} for part in cut]
    for block in (0, 1, 50):
        equal(parts(enrich(["--field", "ip"], text, block=block)), wanted, f"a stream, blocks of {block}")
    for n, part in enumerate(cut):
        Path(f"{n}.json").write_text(json.dumps(part), encoding="utf-8")
    equal(parts(enrich(["--field", "ip", "0.json", "1.json", "2.json"])), [one["Records"] for one in wanted], "files")
    got = enrich(["--field", "ip", "--where", "asn=1", "0.json", "1.json", "2.json"])
    equal(parts(got), [[], [], []], "files without rows")
    got = enrich(["--field", "ip", "--count-by", "asn", "--limit", "1"], text)
    want(len(got.splitlines()) == 1 and "count" in json.loads(got), got)
    equal(run("grep", ["--field", "ip", "-c"], text)[0].strip(), str(sum(answer(str(row["ip"]))["prefix"] != "" for row in rows)), "grep -c")
    equal(run("grep", ["--field", "ip", "-q"], text)[0], "", "grep -q")


def test_damaged_documents() -> None:
    good = '{"ip":"203.0.113.1"}'
    row = '{"ip":"203.0.113.1","asn":64500}'
    options = ["--field", "ip", "--columns", "asn", "--format", "json"]
    for text, words in [
        (f"[{good}", "stdin:1: the document ends before its last bracket"),
        (f"[\n{good},\n", "stdin:3: the document ends before its last bracket"),
        (f"[{good},]", "a value is missing before this comma or bracket"),
        (f"[\n{good},,{good}]", "stdin:2: a value is missing before this comma or bracket"),
        (f"[{good}}}", "a closing bracket matches no open one"),
        (f"[{good}]]", "a closing bracket matches no open one"),
        (f'{{"a" [{good}]}}', "the document is not JSON outside of its rows"),
        (f"[{good}] x", "the document is not a JSON object or array"),
        ('{"a":1}', "the document has no array of objects"),
        ('{"a":[1,"x"]}', "the document has no array of objects"),
    ]:
        for block in (0, 1):
            _, said = run("enrich", options, text, 1, block)
            want(words in said, f"{text}: {said}")
    # A row that is wrong is passed on and reported, others are not affected.
    for bad in ('{"ip":}', "7", '"203.0.113.1"', '{"ip":"203.0.113.1"} {}', '{"ip":"x"', "null"):
        text = f"[{good},{bad}" + ("}" if bad.endswith('"x"') else "") + f",\n{good}]"
        bad = text.split(",", 1)[1].rsplit(",", 1)[0]
        got, said = run("enrich", options, text, 3)
        wanted = f"[{row},{bad},\n{row}]" if not bad.startswith('{"ip":"x"') else f"[{row},{bad[:-1]},\"asn\":null}},\n{row}]"
        equal(got, wanted, bad)
        want("stdin:1: " in said, said)
        equal(enrich([*options, "--on-error", "drop"], text, 3), f"[{row},\n{row}]", f"{bad} is left out")
    # A row that is too long is left out, wherever it stands.
    long = '{"ip":"203.0.113.1","x":"' + "y" * 1_100_000 + '"}'
    for text, wanted in ((f"[{long},{good}]", f"[{row}]"), (f"[{good},{long}]", f"[{row}]"), (f"[{good}, {long} ,{good}]", f"[{row},{row}]"), (f"[{long}]", "[]")):
        for block in (0, 100_000):
            got, said = run("enrich", options, text, 3, block)
            equal(json.loads(got), json.loads(wanted), f"{len(text)} bytes, blocks of {block}")
            want("the row has more than 1048576 bytes; it is left out" in said, said)
    # Rows of lines stay rows of lines, and a log that begins with a bracket is a log.
    equal(enrich(["--field", "ip", "--columns", "asn"], f"{good}\n{good}\n"), f"{row}\n{row}\n", "NDJSON")
    log = "[Fri Nov 27 10:00:00 2026] [core:error] [client 203.0.113.1:5000] File does not exist\n"
    equal(enrich(["--columns", "asn"], log), log[:-1] + "\t64500\n", "a log of Apache")


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        with Path("t.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["network", "asn", "name"], *([prefix, *row] for prefix, row in TABLE.items())])
        for test in (test_lists_in_csv, test_lists_in_json, test_lists_in_logs, test_none, test_zeek, test_w3c, test_columns, test_documents,
                     test_streams, test_damaged_documents):  # fmt: skip
            test()
    want(runs >= 400, f"only {runs} runs")
    print(f"enrich_kinds_test: {runs} runs")


if __name__ == "__main__":
    main()
