#!/usr/bin/env python3
"""::ffff:a.b.c.d and a.b.c.d in every command that looks up, compared with a scan over ipaddress: random tables as text and as images."""

import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "serve"))
from mapped import Address, Network, addresses_of, answering, random_table, same
from scripts import ALL
from serving import Server, want

TABLES = 60 if ALL else 8


def run(*words: str, stdin: str = "") -> str:
    return subprocess.run([os.environ["FINGERPOST"], *words], input=stdin, capture_output=True, text=True, check=False).stdout


def compare(way: str, prefixes: "list[str | None]", addresses: "list[Address]", networks: "list[Network]") -> int:
    want(len(prefixes) == len(addresses), f"{way}: {len(prefixes)} answers for {len(addresses)} addresses")
    for prefix, address in zip(prefixes, addresses):
        right = answering(networks, address)
        want(same(prefix or None, right), f"{way}: {address} is answered by {prefix} instead of {right} of {[*map(str, networks)]}")
    return len(prefixes)


def column(text: str, name: str = "prefix") -> "list[str | None]":
    return [row[name] for row in csv.DictReader(io.StringIO(text))]


def ask_all(table: str, addresses: "list[Address]", networks: "list[Network]") -> int:
    lines = "".join(f"{one}\n" for one in addresses)
    done = compare("lookup", column(run("lookup", "-t", table, "--format", "csv", stdin=lines)), addresses, networks)
    sockets = "".join(f"[{one}]:80\n" for one in addresses)
    done += compare("lookup of sockets", column(run("lookup", "-t", table, "--format", "csv", stdin=sockets)), addresses, networks)
    matched = run("lookup", "-t", table, "--match", "longest", "--format", "csv", stdin=lines)
    done += compare("lookup --match", column(matched), addresses, networks)
    enriched = run("enrich", "-t", table, "--field", "ip", "--columns", "prefix", stdin="ip\n" + sockets)
    done += compare("enrich", column(enriched), addresses, networks)
    two = run("enrich", "-t", f"a={table}", "-t", f"b={table}", "--field", "ip", "--columns", "prefix", stdin="ip\n" + lines)
    for name in ("a_prefix", "b_prefix"):
        done += compare("enrich by two tables", column(two, name), addresses, networks)
    rows = "".join(json.dumps({"ip": str(one)}) + "\n" for one in addresses)
    nested = run("enrich", "-t", table, "--format", "ndjson", "--field", "ip", "--columns", "prefix", stdin=rows)
    done += compare("enrich of NDJSON", [json.loads(line)["prefix"] for line in nested.splitlines()], addresses, networks)
    with Server(table) as server:
        body = json.dumps([str(one) for one in addresses]).encode()
        answers = json.loads(server.ask("POST", "/lookup", body)[2])
        done += compare("serve", [one["prefix"] for one in answers], addresses, networks)
        for address in addresses[:5]:
            covers = json.loads(server.ask("GET", f"/covers/{quote(str(address), safe='')}")[2])[0]["covers"]
            last = covers[-1]["prefix"] if covers else None
            done += compare("serve's covers", [last], [address], networks)
    for address in addresses[:5]:
        covers = json.loads(run("explain", "-t", table, "--format", "json", str(address)))["covers"]
        done += compare("explain", [covers[-1]["prefix"] if covers else None], [address], networks)
    return done


def main() -> int:
    dice = random.Random(int(os.environ.get("FINGERPOST_SEED", "44")))
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(TABLES):
            networks = random_table(dice)
            addresses = addresses_of(networks, dice)
            table, image = f"{folder}/{number}.txt", f"{folder}/{number}.image"
            Path(table).write_text("".join(f"{one} hop{i}\n" for i, one in enumerate(networks)), encoding="utf-8")
            run("image", "save", "-t", table, image)
            done += ask_all(table, addresses, networks) + ask_all(image, addresses, networks)
    want(done > 1000, f"only {done} answers were compared")
    print(f"mapped_addresses_test: {done} answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
