#!/usr/bin/env python3
"""`fingerpost enrich` and `grep` on lists of addresses and JSON documents; tests/pages/enrich-kinds.md covers logs. The expected output
is computed with csv, json and ipaddress."""

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
Answer = dict[str, str]  # prefix, asn, name; empty strings without a match


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
    """Parses an address, ignoring port, brackets and zone."""
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
    """Returns the columns added for a field, as text."""
    answers = [answer(one) for one in chosen(addresses, which)]
    return {name: ";".join(one[name] for one in answers) for name in ("prefix", "asn", "name")}


def members(addresses: list[str], which: str) -> dict[str, object]:
    """Returns the added columns as JSON members; `asn` is a number."""

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
    # A member of each element of an array.
    rows = '{"f":[{"s":"203.0.113.1"},{"d":1},{"s":["198.51.100.1"],"s":["2001:db8::1"]}],"e":{"s":"192.0.2.1"}}\n{"f":[]}\n{"f":[{"s":"203.0.113.1"}],"f":[{"s":null}]}\n'
    found = [["203.0.113.1", "2001:db8::1"], [], []]
    for which in ("first", "last", "all"):
        got = enrich(["--field", "f[].s", "--which", which, "--format", "ndjson"], rows)
        for line, row, each in zip(got.splitlines(), rows.splitlines(), found, strict=True):
            equal(json.loads(line), {**json.loads(row), **members(each, which)}, f"f[].s, {which}")
    got = enrich(["--field", "f[].s", "--field", "e.s", "--which", "all", "--columns", "asn", "--format", "ndjson"], rows.splitlines()[0])
    equal({name: json.loads(got)[name] for name in ("f_s_asn", "e_s_asn")}, {"f_s_asn": [64500, 64504], "e_s_asn": [64503]}, "two fields")


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
    """Parses concatenated documents."""
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
                    # Everything else stays unchanged.
                    before = json.loads(text)
                    rows_of(before)[:] = rows_of(document)
                    equal(document, before, f"{name}, around the rows")
            if not filters and not options and count == 2:
                plain = shapes(rows)[2][1]
                got = enrich([*field, "--columns", "asn"], plain, status)
                equal(re.sub(r',"asn":(\d+|null)', "", got), plain, "the bytes of rows")
        # grep: each document keeps the matching rows.
        for inverse in (False, True):
            wanted = [row for row in rows if (bool(row.get("sourceIPAddress")) and ("." in str(row["sourceIPAddress"]) or ":" in str(row["sourceIPAddress"]))
                                              and not str(row["sourceIPAddress"]).startswith("cloud") and answer(str(row["sourceIPAddress"]))["prefix"] != "") != inverse]  # fmt: skip
            wanted = [row for row in wanted if row.get("sourceIPAddress") != "cloudtrail.amazonaws.com"]
            status = 3 if bad else 0 if wanted else 1
            if count:
                got, _ = run("grep", ["--field", "sourceIPAddress", *(["-v"] if inverse else [])], shapes(rows)[3][1], status)
                equal(json.loads(got), {"Records": wanted}, f"grep, inverse: {inverse}")


def test_streams() -> None:
    """Several documents in one input, and several files."""
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


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        with Path("t.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["network", "asn", "name"], *([prefix, *row] for prefix, row in TABLE.items())])
        for test in (test_lists_in_csv, test_lists_in_json, test_documents, test_streams):
            test()
    want(runs >= 300, f"only {runs} runs")
    print(f"enrich_kinds_test: {runs} runs")


if __name__ == "__main__":
    main()
