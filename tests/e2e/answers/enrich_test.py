#!/usr/bin/env python3
"""Compares `fingerpost enrich` with a slow model (csv, json and ipaddress) on generated rows of every kind.

Each input runs with one and with four threads, and with blocks of many sizes. The output must be the same every time.
"""

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

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from scripts import ALL

PROGRAM = os.environ["FINGERPOST"]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Answer = tuple[str, str]  # prefix and next hop; both empty without a match
NONE: Answer = ("", "")
runs = 0


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"enrich_test: {words}")


def enrich(arguments: list[str], stdin: bytes = b"", status: int | None = 0, block: int = 0) -> tuple[bytes, str]:
    global runs
    runs += 1
    environment = dict(os.environ)
    if block:
        environment["FINGERPOST_ENRICH_BLOCK"] = str(block)
    done = subprocess.run([PROGRAM, "enrich", *arguments], input=stdin, capture_output=True, env=environment, check=False)
    said = done.stderr.decode()
    want(status is None or done.returncode == status, f"{arguments}: exit {done.returncode} instead of {status}: {said}")
    return done.stdout, said


# The table and its model.

TABLE = [
    ("10.0.0.0/8", "ten"), ("10.1.0.0/16", 'say"x"'), ("10.1.2.0/24", ""), ("10.1.2.3/32", "one=1"), ("192.0.2.0/24", "back\\slash"),
    ("2001:db8::/32", "doc"), ("2001:db8:1::/48", "caf\u00e9"), ("2001:db8:1::1/128", "host"), ("fe80::/10", "link"),
]  # fmt: skip
NETWORKS = sorted(((ipaddress.ip_network(p), hop) for p, hop in TABLE), key=lambda n: -n[0].prefixlen)


def unmapped(address: Address) -> Address:
    return address.ipv4_mapped or address if isinstance(address, ipaddress.IPv6Address) else address


def look_up(address: Address) -> Answer:
    for network, hop in NETWORKS:
        if network.version == address.version and address in network:
            return str(network), hop
    return NONE


def strict(text: str) -> Address | None:
    # ipaddress accepts zones, which are not part of an address.
    if "%" in text:
        return None
    try:
        return unmapped(ipaddress.ip_address(text))
    except ValueError:
        return None


def field_address(text: str) -> Address | None:
    found = strict(text.strip(" \t"))
    if found:
        return found
    for form in (r"\[([^\]%]*)(?:%[^\]]+)?\](?::[0-9]{1,5})?", r"([0-9.]+):[0-9]{1,5}", r"([^%]+)%[^,]+"):
        match = re.fullmatch(form, text.strip(" \t"))
        if match and strict(match[1]):
            return strict(match[1])
    return None


def some_address(rng: random.Random) -> str:
    network = rng.choice(NETWORKS)[0] if rng.random() < 0.8 else ipaddress.ip_network(rng.choice(["0.0.0.0/0", "::/0"]))
    address = network.network_address + rng.randrange(min(network.num_addresses, 1 << 100))
    if address.version == 4 and rng.random() < 0.1:
        return f"::ffff:{address}"
    return address.exploded if rng.random() < 0.1 else str(address)


def some_field(rng: random.Random) -> str:
    address = some_address(rng)
    return rng.choice([address] * 12 + ["", f" {address}", "nonsense", f"{address}x", "1.2.3", "300.1.1.1", f"[{address}]:80",
                                        f"[{address}%eth0]", "10.0.0.1:80", "10.0.0.1:", "01.2.3.4", "-", "\\N", "(empty)", "10.0.0.0/8", f"{address}, 10.1.2.3",
                                        f"-, {address}:80,x", f" x, {address}", "-,unknown", f"10.1.2.3,+{address}"])  # fmt: skip


# Compares with the model for different block sizes and numbers of threads.


def compare(arguments: list[str], data: bytes, wanted: bytes, status: int, name: str) -> None:
    for block, threads in [(0, 1), (0, 4), (1, 4), (2, 1), (3, 4), (7, 2), (64, 4), (1000, 4)]:
        got, said = enrich([*arguments, "--threads", str(threads)], data, status, block)
        if got != wanted:
            at = next((i for i, (a, b) in enumerate(zip(got, wanted, strict=False)) if a != b), min(len(got), len(wanted)))
            begin = max(at - 200, 0)
            sys.exit(f"enrich_test: {name}, blocks of {block}, {threads} threads: byte {at}\n got  {got[begin : at + 200]!r}\n"
                     f" want {wanted[begin : at + 200]!r}\n{said[:500]}")  # fmt: skip


class Policy:
    """The expected output for a row, depending on --on-miss and --on-error."""

    def __init__(self, rng: random.Random, misses: list[str]) -> None:
        self.miss, self.error = rng.choice(misses), rng.choice(["null", "drop"])
        self.any_bad = False
        self.arguments = ["--on-miss", self.miss, "--on-error", self.error]

    def shape(self, answers: list[Answer], bad: bool) -> str:
        """Returns `add` (columns), `keep` (the row unchanged) or `drop`."""
        if bad:
            self.any_bad = True
            return "drop" if self.error == "drop" else "add"
        if any(answer != NONE for answer in answers):
            return "add"
        self.any_bad = self.any_bad or self.miss == "error"
        return {"empty": "add", "error": "add"}.get(self.miss, self.miss)

    def status(self) -> int:
        return 3 if self.any_bad else 0


def first_entry(text: str) -> str:
    """Returns the first entry of a comma-separated list, ignoring placeholders for missing addresses."""
    entries = [re.sub(r"^(\+|%20)+", "", one.strip(" \t")) for one in text.split(",")] if "," in text else [text]
    return next((one for one in entries if one.strip(" \t") not in {"", "-", "\\N", "(empty)", "unknown", "null", "NULL"}), "")


def answers_of(texts: list[str]) -> tuple[list[Answer], bool]:
    answers, bad = [], False
    for text in map(first_entry, texts):
        address = field_address(text) if text.strip(" \t") else None
        bad = bad or (address is None and text.strip(" \t") != "")
        answers.append(look_up(address) if address else NONE)
    return answers, bad


# CSV and TSV.


def quote(text: str, delimiter: str, force: bool = False) -> str:
    if force or any(c in text for c in f'{delimiter}"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def test_csv(rng: random.Random, delimiter: str) -> None:
    fill = ["plain", "", "two\nlines", 'has "quotes"', f"a{delimiter}b", "x\r\ny", "caf\u00e9", "nul\0", '5" pipe', "#"]
    end = rng.choice(["\n", "\r\n"])
    header = ["time", "src", f"d{delimiter}st", "note"]
    lines = [delimiter.join(quote(name, delimiter) for name in header)]
    for _ in range(120):
        cells = [rng.choice(fill), some_field(rng), some_field(rng), rng.choice(fill)]
        if rng.random() < 0.05:
            cells = cells[: rng.randrange(1, 3)]
        texts = [quote(c, delimiter, rng.random() < 0.2) for c in cells]
        # A quote inside a field that does not start with one is literal.
        texts = ['5" pipe' if c == '5" pipe' and rng.random() < 0.5 else t for c, t in zip(cells, texts, strict=True)]
        lines.append(delimiter.join(texts) if rng.random() > 0.03 else "")
    if not lines[-1]:
        lines.pop()
    data = end.join(lines) + (end if rng.random() < 0.7 else "")
    policy = Policy(rng, ["empty", "drop", "error"])
    two = rng.random() < 0.5
    fields = ["src", f"d{delimiter}st"] if two else ["2"]
    names = [f"{f}_{c}" for f in fields for c in ("prefix", "next_hop")] if two else ["prefix", "next_hop"]

    out = [delimiter.join([lines[0], *(quote(n, delimiter) for n in names)])]
    for line in lines[1:]:
        row = next(csv.reader(io.StringIO(line, newline=""), delimiter=delimiter), [])
        if not line:
            out.append(line)
            continue
        wanted = [1, 2] if two else [1]
        short = len(row) < len(header)
        answers, bad = answers_of([row[i] for i in wanted]) if not short else ([NONE] * len(wanted), True)
        if policy.shape(answers, bad) == "add":
            # A short row is padded, so that the new columns are below their names.
            line += delimiter * (len(header) - len(row))
            out.append(line + "".join(delimiter + quote(cell, delimiter) for answer in answers for cell in answer))
    wanted_text = end.join(out) + end
    # If the last input line has no line end, the last row has none either, unless that row was dropped.
    if not data.endswith("\n") and out[-1].startswith(lines[-1]):
        wanted_text = wanted_text[: -len(end)]
    arguments = ["-t", "table", "--format", "csv" if delimiter == "," else "tsv", *policy.arguments]
    for field in fields:
        arguments += ["--field", field]
    compare(arguments, data.encode(), wanted_text.encode(), policy.status(), "csv")


# NDJSON.


def member(document: object, path: list[str]) -> object:
    for name in path:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def member_text(found: object) -> str:
    """Returns the text of a member with an address, or of the first element if the member is an array."""
    if isinstance(found, list):
        entries = (one if one is None or isinstance(one, str) else "no string" for one in found)
        return next((one for one in entries if one is not None and first_entry(one)), "")
    return found if isinstance(found, str) else "" if found is None else "no string"


def has_member(document: object, path: list[str]) -> bool:
    for name in path:
        if not isinstance(document, dict) or name not in document:
            return False
        document = document[name]
    return True


def some_json(rng: random.Random) -> str:
    def value(depth: int) -> str:
        kind = rng.randrange(9 if depth < 3 else 5)
        if kind >= 7:
            return "[" + ", ".join(value(depth + 1) for _ in range(rng.randrange(3))) + "]"
        if kind >= 5:
            return members(depth + 1)
        return [json.dumps(some_field(rng)), "null", "true", f"{rng.uniform(-1e9, 1e9)!r}", '"esc \\" \\\\ \\u00e9 }{,"'][kind]

    def members(depth: int) -> str:
        blank = rng.choice(["", " "])
        pairs = []
        for _ in range(rng.randrange(5)):
            name = rng.choice(['"ip"', '"a"', '"b"', '"\\u0061"', '"x.y"', '"other"'])
            text = value(depth) if rng.random() < 0.5 else json.dumps(some_field(rng))
            if rng.random() < 0.1:
                text = text.replace("1", "\\u0031") if text.startswith('"') else text
            pairs.append(f"{name}{blank}:{blank}{text}")
        return "{" + f"{blank},{blank}".join(pairs) + blank + "}"

    return members(0)


def test_json(rng: random.Random) -> None:
    lines = []
    for _ in range(150):
        line = some_json(rng)
        if rng.random() < 0.1 and len(line) > 2:
            line = line[: rng.randrange(1, len(line))]
        lines.append(rng.choice([line] * 20 + ["", "  ", "[1]", "nonsense", line + " x", " " + line + " "]))
    policy = Policy(rng, ["empty", "drop", "keep", "error"])
    paths = [["a", "b"], ["ip"], ["x.y"]][: rng.randrange(1, 4)]
    end = rng.choice(["\n", "\r\n"])
    arguments = ["-t", "table", "--format", "ndjson", *policy.arguments]
    for path in paths:
        arguments += ["--field", ".".join(name.replace(".", "\\.") for name in path)]
    out = []
    members_found: set[int] = set()
    any_object = False
    for line in lines:
        if not line.strip():
            out.append(line)
            continue
        try:
            document = json.loads(line)
        except json.JSONDecodeError:
            document = None
        if not isinstance(document, dict):
            policy.any_bad = True
            out += [line] if policy.error == "null" else []
            continue
        found = [member(document, path) for path in paths]
        any_object = True
        members_found |= {i for i, path in enumerate(paths) if has_member(document, path)}
        answers, bad = answers_of([member_text(f) for f in found])
        shape = policy.shape(answers, bad)
        if shape == "keep":
            out.append(line)
        elif shape == "add":
            closing = line.rindex("}")
            added = []
            for path, answer in zip(paths, answers, strict=True):
                before = "_".join(path).replace(".", "_") + "_" if len(paths) > 1 else ""
                added += [f'"{before}{n}":{json.dumps(v, ensure_ascii=False) if v else "null"}'
                          for n, v in zip(("prefix", "next_hop"), answer, strict=True)]  # fmt: skip
            text = ",".join(added)
            out.append(line[:closing] + ("," if document else "") + text + line[closing:])
            want(json.loads(out[-1]) is not None, out[-1])
    # A member that no row has may be a spelling mistake.
    status = 1 if any_object and len(members_found) < len(paths) else policy.status()
    compare(arguments, (end.join(lines) + end).encode(), "".join(o + end for o in out).encode(), status, "ndjson")


# Lines and logs.


def test_lines(rng: random.Random) -> None:
    policy = Policy(rng, ["empty", "drop", "keep", "error"])
    out, lines = [], []
    for _ in range(150):
        line = rng.choice([some_field(rng)] * 8 + ["# words", some_address(rng) + " # why", "", "  "])
        lines.append(line)
        text = re.sub(r"(^|(?<=[ \t]))#.*", "", line).strip(" \t")
        if not text:
            out.append(line + "\n")
            continue
        answers, bad = answers_of([text])
        shape = policy.shape(answers, bad)
        if shape != "drop":
            added = "\t".join(["", *answers[0]]).replace("\\", "\\\\") if shape == "add" else ""
            out.append(line + added + "\n")
    arguments = ["-t", "table", "--format", "lines", *policy.arguments]
    compare(arguments, ("\n".join(lines) + "\n").encode(), "".join(out).encode(), policy.status(), "lines")


def test_log(rng: random.Random, pairs: bool) -> None:
    """Lines are composed of parts that are known to contain an address or not."""
    decoys = ["12:34:56", "2026-11-23T14:00:00.123Z", "v1.2.3.4", "1.2.3.4.5", "1.2.3", "00:11:22:33:44:55", "std::string", "::", "a.b.c.d",
              "1.2.3.4.in-addr.arpa", "openssl-1.2.3.4", "1.2.3.4-beta", "x10.0.0.1", "10.0.0.1x", "_10.0.0.1", "256.1.1.1", "1.2.3.04", "word",
              "Foo::Bar", "http://host/path", "\u00e910.0.0.1", "12:34:56.789", "3.14", "e.g.", "...", ":", "key=value"]  # fmt: skip
    frames = ["{}", "[{}]", "({})", '"{}"', "src={}", "{},", "{}.", "<{}>", "'{}'", "peer:{}", "{}/24", "http://{}/x", "{};"]
    policy = Policy(rng, ["empty", "drop", "keep", "error"])
    every = rng.random() < 0.5
    lines, out = [], []
    for _ in range(150):
        parts, found = [], []
        for _ in range(rng.randrange(6)):
            if rng.random() < 0.6:
                parts.append(rng.choice(decoys))
                continue
            address = some_address(rng)
            frame = rng.choice(frames)
            text = address
            if ":" not in address:
                text += rng.choice(["", ":443", ": said"])
            elif frame == "[{}]":
                text += rng.choice(["", "%eth0"])
            elif frame in ("http://{}/x", "{}/24"):
                frame = "[{}]:8080"
            if address == "::" and frame not in ("[{}]", "[{}]:8080"):
                continue
            parts.append(frame.format(text))
            found.append(address)
        line = " ".join(parts)
        lines.append(line)
        if not line:
            out.append("\n")
            continue
        taken = found if every else found[:1]
        answers = [look_up(strict(a)) for a in taken]
        shape = policy.shape(answers, False)
        if shape == "drop":
            continue
        added = ""
        for address, answer in zip(taken or [""], answers or [NONE], strict=True) if shape == "add" else []:
            for name, cell in zip(("address", "prefix", "next_hop"), (address, *answer), strict=True):
                if pairs:
                    plain = not re.search(r'[ \t\r\n"=\\]', cell)
                    added += f" {name}={cell if plain else json.dumps(cell, ensure_ascii=False)}"
                else:
                    added += "\t" + cell.replace("\\", "\\\\")
        out.append(line + added + "\n")
    arguments = ["-t", "table", "--format", "log", "--which", "all" if every else "first", *policy.arguments]
    arguments += ["--log-style", "pairs"] if pairs else []
    compare(arguments, ("\n".join(lines) + "\n").encode(), "".join(out).encode(), policy.status(), "log")


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        Path("table").write_text("".join(f"{p} {hop}\n" for p, hop in TABLE), encoding="utf-8")
        tests: list[Callable[[random.Random], None]] = [
            lambda r: test_csv(r, ","), lambda r: test_csv(r, "\t"), test_json, test_lines,
            lambda r: test_log(r, False), lambda r: test_log(r, True),
        ]  # fmt: skip
        for seed in range(int(os.environ.get("FINGERPOST_ENRICH_SEEDS", "8" if ALL else "4"))):
            for test in tests:
                test(random.Random(seed))
    want(runs >= (280 if ALL else 180), f"only {runs} runs")
    print(f"enrich_test: {runs} runs")


if __name__ == "__main__":
    main()
