#!/usr/bin/env python3
"""Compares `fingerpost replay` with a model, a dictionary, on recorded and on generated updates.

For tables in MRT files, the model reads the output of `bgpdump -m` for the file, or for the same routes in a form that bgpdump reads
correctly (from mrt_test.py).
"""

import ipaddress
import json
import lzma
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from mrt_test import ALL, FAULTS, LARGE, bgpdump_rows, plain, skip

Table = dict[str, str]
BEST = ("quagga_rib", "openbgpd_rib_table", "openbgpd_rib_table-v2", "bird6-mrtdump_rib", "bview.20000111.0032.gz")


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"replay_test: {words}")


def replay(*arguments: object, status: int = 0, stdin: bytes | None = None) -> tuple[str, str]:
    command = [os.environ["FINGERPOST"], "replay", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    said = done.stderr.decode()
    want(done.returncode == status, f"{command}: exit {done.returncode} instead of {status}: {said}")
    return done.stdout.decode(), said


def read_table(text: str) -> Table:
    """Reads a table with or without a header. Values with commas are in quotes."""
    lines = text.splitlines()
    rows = lines[1:] if lines and lines[0].startswith("prefix ") else lines
    return {prefix: value.strip('"') for prefix, _, value in (line.partition(" ") for line in rows)}


def in_order(table: Table) -> list[str]:
    def place(prefix: str) -> tuple[int, int, int]:
        network = ipaddress.ip_network(prefix)
        return network.version, int(network.network_address), network.prefixlen

    return sorted(table, key=place)


# The model.


@dataclass
class Model:
    table: Table
    announced: int = 0
    withdrawn: int = 0
    changes: Counter = field(default_factory=Counter)

    def apply(self, updates: Iterable[tuple[str, str, str]]) -> "Model":
        """Applies updates: A or W, the prefix, the next hop."""
        for kind, prefix, hop in updates:
            before = self.table.get(prefix)
            if kind == "A":
                self.announced += 1
                self.table[prefix] = hop
            else:
                self.withdrawn += 1
                self.table.pop(prefix, None)
            self.changes[prefix] += self.table.get(prefix) != before
        return self

    def most_changed(self, count: int) -> list[dict[str, object]]:
        def order(prefix: str) -> tuple[int, int, int, int]:
            network = ipaddress.ip_network(prefix)
            return -self.changes[prefix], network.version, int(network.network_address), network.prefixlen

        chosen = sorted((p for p in self.changes if self.changes[p]), key=order)[:count]
        return [{"prefix": p, "changes": self.changes[p]} for p in chosen]


def compare(name: str, model: Model, scratch: Path, *arguments: object, status: int = 0) -> dict:
    after = scratch / "after.txt"
    out, _ = replay(*arguments, "--format", "json", "-o", after, status=status)
    told = json.loads(out.splitlines()[-1])
    got = read_table(after.read_text())
    want(got == model.table, f"{name}: another table than the model's")
    want(list(got) == in_order(got), f"{name}: the table is not in order")
    changes = model.changes.total()
    wanted = {
        "event": "total",
        "updates": model.announced + model.withdrawn,
        "announced": model.announced,
        "withdrawn": model.withdrawn,
        "unchanged": model.announced + model.withdrawn - changes,
        "changes": changes,
        "changed_most": model.most_changed(10),
        "routes": {"ipv4": sum(":" not in p for p in got), "ipv6": sum(":" in p for p in got)},
    }
    for key, value in wanted.items():
        want(told[key] == value, f"{name}: {key} is {told[key]} instead of {value}")
    visible = told["visible_us"]
    want(not changes or 0 < visible["median"] <= visible["p99"] <= visible["max"] < 6e7, f"{name}: {visible}")
    return told


# Recorded updates.


def check_text(data: Path, scratch: Path) -> None:
    file = data / "updates/ipv4-2014-linx-updates.txt.xz"
    lines = lzma.open(file, "rt").read().splitlines()
    if not ALL:
        lines = lines[:3000]
        file = scratch / "updates.txt"
        file.write_text("\n".join(lines) + "\n")
    rows = [line.split() for line in lines]
    updates = [(kind.upper(), prefix, hop) for _, kind, prefix, hop in rows]
    half = Model({}).apply(updates[: len(updates) // 2]).table
    begin = scratch / "begin.txt"
    begin.write_text("".join(f"{p} {h}\n" for p, h in half.items()))
    model = Model(dict(half)).apply(updates)
    for batch in ("1", "7", "1000", "65536", "time"):
        told = compare(f"{file.name} by {batch}", model, scratch, "-t", begin, file, "--batch", batch)
        changes, commits = told["changes"], told["commits"]
        if batch.isdigit():
            want(commits == -(-changes // int(batch)), f"{commits} commits of {changes} changes by {batch}")
        else:
            times, table = set(), dict(half)
            for (when, *_), (kind, prefix, hop) in zip(rows, updates, strict=True):
                before = table.get(prefix)
                Model(table).apply([(kind, prefix, hop)])
                if table.get(prefix) != before:
                    times.add(when)
            want(commits == len(times), f"{commits} commits of {len(times)} times")
    print(f"replay_test: {file.name}: {len(updates)} updates, {len(model.table)} routes")


def check_mrt(data: Path, scratch: Path) -> None:
    for name in ("updates.20100227.1600.gz", "updates.20100227.1610.gz", "updates.19991214.1621.gz", "bird6_bgp", "quagga_bgp"):
        if not ALL and name in LARGE:
            continue
        file = data / "mrt" / name
        source = file
        if name in FAULTS and FAULTS[name].repack:
            source = scratch / "repacked"
            source.write_bytes(FAULTS[name].repack(plain(file)))
        rows = bgpdump_rows(source)
        want(len(rows) > 5, f"{name}: too few updates to tell anything")
        compare(name, Model({}).apply((r[0], r[4], r[5]) for r in rows), scratch, file)
        peers = Counter(r[2] for r in rows)
        for peer in [p for p, _ in peers.most_common(2)]:
            own = [r for r in rows if r[2] == peer]
            compare(f"{name} of {peer}", Model({}).apply((r[0], r[4], r[5]) for r in own), scratch, file, "--peer", peer)
        same_as = [r for r in rows if r[3] == rows[0][3]]
        model = Model({}).apply((r[0], r[4], r[6]) for r in same_as)
        compare(f"{name} by AS", model, scratch, file, "--peer", f"AS{rows[0][3]}", "--columns", "origin_as")
        print(f"replay_test: {name}: {len(rows)} updates of {len(peers)} peers")
    first = "updates.20100227.1600.gz" if ALL else "quagga_bgp"
    pair = [data / "mrt" / name for name in (first, "updates.20100227.1610.gz")]
    rows = bgpdump_rows(pair[0]) + bgpdump_rows(pair[1])
    compare("two files", Model({}).apply((r[0], r[4], r[5]) for r in rows), scratch, *pair)


# Tables of MRT files.


def path_length(path: str) -> int:
    return sum(not word.startswith("(") for word in path.split())


def dumped(file: Path) -> list[tuple[str, int, str, int, str, str]]:
    """Prefix, path length, peer, peer AS, next hop and origin."""
    lines = subprocess.run(["bgpdump", "-m", file], capture_output=True, text=True, check=True).stdout.splitlines()
    found = []
    for part in (line.split("|") for line in lines):
        if part[0].endswith("_AP"):
            del part[6]
        path = part[6].split()
        hop = "" if part[8] == "255.255.255.255" else part[8]
        found.append((part[5], path_length(part[6]), part[3], int(part[4]), hop, path[-1] if path else ""))
    return found


def best_of(rows: list[tuple[str, int, str, int, str, str]], value: int) -> Table:
    def rank(row: tuple) -> tuple:
        address = ipaddress.ip_address(row[2])
        return row[1], address.version, int(address), row[3], row[value]

    best: dict[str, tuple] = {}
    for row in rows:
        if row[0] not in best or rank(row) < rank(best[row[0]]):
            best[row[0]] = row
    return {prefix: row[value] for prefix, row in best.items()}


def check_tables(data: Path, scratch: Path) -> None:
    values = {"next_hop": 4, "peer": 2, "origin_as": 5}
    for name in [name for name in BEST if ALL or name not in LARGE]:
        file = data / "mrt" / name
        source = file
        if name in FAULTS and FAULTS[name].repack:
            source = scratch / "repacked"
            source.write_bytes(FAULTS[name].repack(plain(file)))
        rows = dumped(source)
        want(len(rows) >= 5, f"{name}: too few routes to tell anything")
        for value, column in values.items():
            out, _ = replay("-t", file, "/dev/null", "--columns", value, "-o", "-")
            want(read_table(out) == best_of(rows, column), f"{name}: other best routes than the model's, by {value}")
        for peer in sorted({r[2] for r in rows}):
            out, _ = replay("-t", file, "/dev/null", "--peer", peer, "-o", "-")
            want(read_table(out) == best_of([r for r in rows if r[2] == peer], 4), f"{name}: other routes of {peer}")
        out, _ = replay("-t", file, "/dev/null", "--columns", "all", "-o", "-")
        want(out.splitlines()[0] == "prefix,next_hop,peer_address,peer_as,origin_as", out[:100])
        want(len(out.splitlines()) == 1 + len({r[0] for r in rows}), f"{name}: a prefix is missing or there twice")
        print(f"replay_test: {name}: best of {len(rows)} routes")
    peer = "192.0.2.77"
    _, said = replay("-t", data / "mrt" / BEST[0], "/dev/null", "--peer", peer, status=1)
    want("no routes of this peer; peers: " in said, said)
    _, said = replay("-t", data / "mrt/quagga_bgp", "/dev/null", status=1)
    want("the file has updates, not a table; `fingerpost replay` applies them to a table" in said, said)


# Made updates, and the rest of the command.


def made_updates(count: int, seed: int) -> list[tuple[str, str, str]]:
    dice = random.Random(seed)
    prefixes = [f"10.{dice.randrange(256)}.{dice.randrange(0, 256, 16)}.0/{dice.randrange(20, 25)}" for _ in range(40)]
    prefixes += [f"2001:db8:{dice.randrange(16):x}::/{dice.randrange(48, 65)}" for _ in range(40)]
    prefixes = [str(ipaddress.ip_network(p, strict=False)) for p in prefixes]
    return [(dice.choice("AAW"), dice.choice(prefixes), f"hop{dice.randrange(4)}") for _ in range(count)]


def check_made(scratch: Path) -> None:
    updates = made_updates(5000, 1)
    file = scratch / "updates"
    file.write_text("".join(f"{k} {p} {h}\n" if k == "A" else f"W {p}\n" for k, p, h in updates))
    for batch in ("1", "3", "1000"):
        compare(f"made, by {batch}", Model({}).apply(updates), scratch, file, "--batch", batch)
    for version in (4, 6):
        own = [u for u in updates if ipaddress.ip_network(u[1]).version == version]
        compare(f"made, of IPv{version}", Model({}).apply(own), scratch, file, "--family", version)
    for scheme in ("patricia", "dir_24_8"):
        compare(f"made, on {scheme}", Model({}).apply(updates), scratch, file, "--scheme", scheme)
    out, said = replay("-", "-o", "-", stdin=file.read_bytes())
    want(read_table(out) == Model({}).apply(updates).table, "another table from a pipe")
    want("fingerpost: updates            5000" in said, said)
    out, _ = replay(file, "--limit", 0)
    want("changed most" not in out and "changes a second" in out, out)


def check_damage(scratch: Path, data: Path) -> None:
    file = scratch / "damaged"
    stream = plain(data / "mrt/quagga_bgp")
    first = 12 + int.from_bytes(stream[8:12], "big")
    file.write_bytes(stream[:first] + b"\xa5" * 100 + stream[first:])
    whole, _ = replay(data / "mrt/quagga_bgp", "-o", "-")
    out, said = replay(file, "-o", "-", status=3)
    want(out == whole, "noise between records changes the table")
    want(f"{file}: byte {first}: 100 bytes skipped: no record begins here" in said, said)
    want("damaged records    1" in said, said)


def check_real_time(scratch: Path) -> None:
    file = scratch / "timed"
    file.write_text("".join(f"{100 + i} A 10.{i}.0.0/16 hop{i}\n{100 + i} A 11.{i}.0.0/16 hop\n" for i in range(5)))
    begun = time.monotonic()
    out, _ = replay(file, "--real-time", "--speed", 4, "--every", 0.3, "--format", "json")
    took = time.monotonic() - begun
    want(1.0 <= took < 30, f"four seconds at four times the speed took {took:.2f} s")
    told = [json.loads(line) for line in out.splitlines()]
    want(told[-1]["event"] == "total" and told[-1]["commits"] == 5 and told[-1]["changes"] == 10, out)
    between = told[:-1]
    want(len(between) >= 2 and all(one["event"] == "interval" for one in between), out)
    want(sum(one["changes"] for one in between) <= 10 and between[0]["changes"] >= 2, out)
    # A run that the user interrupts still prints statistics.
    file.write_text("1 A 10.0.0.0/8 a\n40000 A 11.0.0.0/8 b\n")
    long = subprocess.Popen(
        [os.environ["FINGERPOST"], "replay", file, "--real-time", "--every", "0.1", "-o", scratch / "after"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    assert long.stdout is not None
    want("1 updates" in long.stdout.readline(), "no interval while the next update is waited for")
    long.send_signal(signal.SIGINT)
    out, said = long.communicate(timeout=60)
    want(long.returncode == 0 and "updates            1\n" in out, f"exit {long.returncode}: {out}{said}")
    want(said == "fingerpost: stopped before the end of the updates\n", said)
    want((scratch / "after").read_text() == "10.0.0.0/8 a\n", "another table after the end")
    # Updates from a pipe become visible before the next ones arrive.
    reader = subprocess.Popen(
        [os.environ["FINGERPOST"], "replay", "-", "--every", "0.001", "--format", "json"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )
    assert reader.stdin is not None and reader.stdout is not None
    for number in range(3):
        reader.stdin.write(f"A 10.{number}.0.0/16 hop\n".encode())
        reader.stdin.flush()
        time.sleep(0.5)
    rest = reader.communicate()[0].decode().splitlines()
    total = json.loads(rest[-1])
    want(total["commits"] == 3 and total["visible_us"]["max"] < 400_000, rest[-1])


def main() -> int:
    want("FINGERPOST" in os.environ, "set FINGERPOST to the program to test")
    data = Path(os.environ.get("FINGERPOST_DATA") or "../shared/data")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        check_made(scratch)
        check_real_time(scratch)
        if not (data / "mrt").is_dir():
            skip(f"there are no MRT files in {data}", "FINGERPOST_REQUIRE_DATA")
        check_damage(scratch, data)
        check_text(data, scratch)
        try:
            subprocess.run(["bgpdump"], capture_output=True, check=False)
        except FileNotFoundError:
            skip("bgpdump is not installed (tools/setup test)")
        check_tables(data, scratch)
        check_mrt(data, scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
