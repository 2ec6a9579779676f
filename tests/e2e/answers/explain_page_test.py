#!/usr/bin/env python3
"""The data in pages of `fingerpost explain --html`: lookups over all schemes, 1,500 with FINGERPOST_TESTS=all and 10,000 with
FINGERPOST_EXHAUSTIVE=full, end with the answers of `fingerpost lookup`,
and their steps are true to the address. Wrong calls have a reason.
"""

import base64
import ipaddress
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from scripts import ALL

PROGRAM = os.environ["FINGERPOST"]
CAMPUS = (Path(__file__).resolve().parents[2] / "data/explain/campus.txt").read_text()
SIX = "::/0 up\n2001:db8::/32 a\n2001:db8:1::/48 b\n2001:db8:1:2::/64 c\n2001:db8:1:2::7/128 d\n2001:db8:ffff:8000::/49\nfe80::/10 l\n"
LOOKUPS = 10_000 if os.environ.get("FINGERPOST_EXHAUSTIVE") == "full" else 1_500 if ALL else 200
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
dice = random.Random(5)


def want(holds: bool, words: object) -> None:
    if not holds:
        raise AssertionError(str(words)[:2000])


def run(*words: str, status: int = 0, stdin: str = "") -> tuple[str, str]:
    done = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, text=True, check=False)
    want(done.returncode == status, f"{words[:6]}: exit {done.returncode} instead of {status}: {done.stderr}")
    return done.stdout, done.stderr


def unpacked(text: str) -> dict:
    return json.loads(zlib.decompress(base64.b64decode(text)))


def data_of(page: str) -> dict:
    found = DATA.search(page)
    want(found is not None, "the page has no data")
    given = json.loads(found[1])
    return given | unpacked(given["packed"])


def page_of(*words: str, stdin: str) -> str:
    return run("explain", "-t", "-", "--html", "-", *words, stdin=stdin)[0]


def addresses_of(table: str, count: int) -> list[str]:
    """The first and last addresses of routes and their neighbours, and random ones."""
    nets = [ipaddress.ip_network(line.split()[0]) for line in table.splitlines() if "/" in line.split()[0]]
    width, kind = (32, ipaddress.IPv4Address) if nets[0].version == 4 else (128, ipaddress.IPv6Address)
    numbers = {int(end) + by for net in nets for end in (net[0], net[-1]) for by in (-1, 0, 1)}
    found = [n for n in sorted(numbers) if 0 <= n < 1 << width]
    while len(found) < count:
        net = dice.choice(nets)
        found.append(int(net[0]) + dice.randrange(net.num_addresses) if dice.random() < 0.8 else dice.getrandbits(width))
    dice.shuffle(found)
    return [str(kind(n)) for n in found[:count]]


def check_steps(question: dict, scheme: dict) -> None:
    address, steps = int(ipaddress.ip_address(question["address"])), scheme["steps"]
    width, where = (32 if question["family"] == 4 else 128), f"{scheme['scheme']} {question['address']}"
    digits = f"{address:0{width}b}"
    highest = 0
    for i, step in enumerate(steps):
        want(step["result"] != "answered" or i == len(steps) - 1, f"{where}: step {i + 1} answers too early")
        want(0 < step["bytes"] and 0 <= step["in_line"] < 64, f"{where}: {step}")
        want(len(step["cache_lines"]) == (step["in_line"] + step["bytes"] - 1) // 64 + 1, f"{where}: {step}")
        for line in step["cache_lines"]:
            want(line <= highest + 1, f"{where}: line {line} comes before line {highest + 1}")
            highest = max(highest, line)
        if step["first_bit"] + step["bits"] <= width and 0 < step["bits"] <= 64 and (step["value"] or "").startswith("0x"):
            seen = digits[step["first_bit"] : step["first_bit"] + step["bits"]]
            want(int(step["value"], 16) == int(seen, 2), f"{where}: {step}")
        if "first" in step:
            first, last = (int(ipaddress.ip_address(step[end])) for end in ("first", "last"))
            # A scheme that skips bits finds out later that it is astray.
            is_astray = any(later["result"] == "missed" for later in steps[i:])
            want(first <= address <= last or is_astray, f"{where}: the node of step {i + 1} does not cover the address")
        want(bool(step["sentence"]), f"{where}: step {i + 1} has no sentence")
    said = "no route" if question["prefix"] is None else question["next_hop"] or "-"
    if steps and steps[-1]["result"] == "answered":
        want(said in steps[-1]["sentence"], f"{where}: {said} is not in {steps[-1]['sentence']}")


def lookups_agree() -> int:
    schemes = [
        (one["name"], 6 if 6 in one["families"] and i % 3 == 0 else one["families"][0])
        for i, one in enumerate(json.loads(run("schemes", "--format", "json")[0]))
    ]
    each, done, stepped = -(-LOOKUPS // len(schemes)), 0, 0
    together = 1 if ALL else 10
    of_family = {family: [name for name, served in schemes if served == family] for family in (4, 6)}
    groups = [(names[i : i + together], family) for family, names in of_family.items() for i in range(0, len(names), together)]
    for names, family in groups:
        table = CAMPUS if family == 4 else SIX
        if not ALL:
            # With more routes than can be changed in a page there are no changed tables in it, which take most of the time.
            table += "".join(f"172.30.{i}.0/24 more-{i % 3}\n" if family == 4 else f"2001:db8:7:{i:x}::/64 more-{i % 3}\n" for i in range(70))
        asked = addresses_of(table, each)
        questions = data_of(page_of("--scheme", ",".join(names), *asked, stdin=table))["questions"]
        want(len(questions) == len(asked), f"{names}: {len(questions)} of {len(asked)}")
        for number, name in enumerate(names):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "table.txt"
                path.write_text(table)
                rows = run("lookup", "-t", str(path), "--scheme", name, stdin="".join(f"{one}\n" for one in asked))[0].splitlines()
            for question, address, row in zip(questions, asked, rows, strict=True):
                want(question["asked"] == address, f"{name}: {question['asked']} for {address}")
                prefix = question["prefix"] or "-"
                want(
                    row.split()[:3] == [address, prefix, question["next_hop"] or "-"],
                    f"{name}: lookup says {row!r}, the page {question['next_hop']}",
                )
                scheme = question["schemes"][number]
                want(scheme["scheme"] == name, f"{scheme['scheme']} in the place of {name}")
                if scheme["steps"] is not None:
                    check_steps(question, scheme)
                    stepped += 1
                done += 1
    want(done >= LOOKUPS and stepped > LOOKUPS // 2, f"{done} lookups, {stepped} with steps")
    return done


def neighbours_are_true() -> int:
    data = data_of(page_of("--scheme", "binary_trie,planb", "10.20.4.200", stdin=CAMPUS))
    lines = [line.split() for line in CAMPUS.splitlines()]
    lines[0][0] = "0.0.0.0/0"
    want(len(data["neighbours"]) > 10, f"{len(data['neighbours'])} neighbours")
    for one in data["neighbours"]:
        change, question = one["change"], unpacked(one["packed"])["question"]
        table = [line for line in lines if line[0] != change.get("take_out")] + (
            [[change["add"], change["next_hop"]]] if "add" in change else []
        )
        text = "".join(" ".join(line) + "\n" for line in table)
        told = json.loads(run("explain", "-t", "-", "--scheme", "binary_trie,planb", "--format", "json", "10.20.4.200", stdin=text)[0])
        for key in ("prefix", "next_hop", "covers", "table"):
            want(question[key] == told[key], f"{change}: {key} is {question[key]}, not {told[key]}")
        for mine, theirs in zip(question["schemes"], told["schemes"], strict=True):
            want([s["sentence"] for s in mine["steps"]] == [s["sentence"] for s in theirs["steps"]], f"{change}: {mine['steps']}")
    return len(data["neighbours"])


def pages_stay_small() -> None:
    table = "".join(f"10.{i}.0.0/16 hop-{i}\n" for i in range(63)) + "0.0.0.0/0 up\n"
    page = page_of("--scheme", "default", "10.1.2.3", "10.9.0.1", stdin=table)
    want(len(page.encode()) < 400_000, f"{len(page.encode())} bytes")
    data = data_of(page)
    want(len(data["neighbours"]) < data["changes"] and len(data["questions"]) == 2, f"{len(data['neighbours'])} of {data['changes']}")
    # A large table shows what is around the address, and cannot be changed in the page.
    large = "".join(f"10.{i // 256}.{i % 256}.0/24 hop-{i % 7}\n" for i in range(20_000))
    page = page_of("--scheme", "binary_trie,planb,packed_leaves", "10.1.2.3", stdin=large)
    want(len(page.encode()) < 400_000, f"{len(page.encode())} bytes")
    data = data_of(page)
    want(data["changes"] == 0 and not data["questions"][0]["table"]["whole"], data["changes"])


def calls_have_reasons() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        out, said = run("explain", "-t", "-", "--html", str(path), "10.20.4.200", "10.0", status=3, stdin=CAMPUS)
        want(out == "" and "argument 2: '10.0'" in said, said)
        want([one["address"] for one in data_of(path.read_text())["questions"]] == ["10.20.4.200"], "the other address")
        path.unlink()
        run("explain", "-t", "-", "--html", str(path), "x", status=3, stdin=CAMPUS)
        want(not path.exists(), "a page without an address")
        out, said = run("explain", "-t", "-", "--html", f"{folder}/none/page.html", "10.0.0.1", status=1, stdin=CAMPUS)
        want(out == "" and f"{folder}/none" in said, said)
        out, said = run("explain", "-t", "-", "--html", folder, "10.0.0.1", status=1, stdin=CAMPUS)
        want(out == "" and folder in said, said)
        drawing = Path(folder) / "path.svg"
        run("explain", "-t", "-", "--html", str(path), "--svg", str(drawing), "10.20.4.200", stdin=CAMPUS)
        want(path.exists() and drawing.read_text().startswith("<svg"), "both files")
        out, said = run("explain", "-t", "-", "--svg", str(drawing), "10.0.0.1", "10.0.0.2", status=2, stdin=CAMPUS)
        want(out == "" and "--svg draws one address, but there are 2" in said, said)
        out, said = run("explain", "-t", "-", "--svg", "-", "--html", "-", "10.0.0.1", status=2, stdin=CAMPUS)
        want(out == "" and "stdout" in said, said)
    for text in ("", "10.0.0.0/8\n"):
        data = data_of(page_of("10.0.0.1", "2001:db8::1", stdin=text))
        want([one["family"] for one in data["questions"]] == [4, 6], "both families")


if __name__ == "__main__":
    calls_have_reasons()
    pages_stay_small()
    found = neighbours_are_true()
    print(f"explain_page_test: {lookups_agree()} lookups, {found} changed tables")
    sys.exit(0)
