#!/usr/bin/env python3
"""Tables with awkward values and column names go through every command that writes tables, and stay unchanged.

Python writes the tables as CSV or JSON, and reads the program's output. Each command writes the same table, or refuses with a reason and
prints nothing. FINGERPOST_ROUNDS sets the number of tables; FINGERPOST_SEED repeats one that failed.
"""

import csv
import io
import ipaddress
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
ROUNDS = int(os.environ.get("FINGERPOST_ROUNDS", "25"))
Routes = dict[str, tuple[str, ...]]  # for each prefix, the values of all columns, in prefix order
WORDS = ("a", "peer 7", "a #b", "#x", "A, Inc.", 'say "hi"', '"', ";", "a|b", "x;y", "", "192.0.2.1", "2001:db8::1", "via", "dev x",
         "10.0.0.0/8", "network", "Zürich", "\u2028", "\u00a0 ", " padded ", "null", "x" * 3000, "a,network,b", "in/out via x")  # fmt: skip
WILD = ("x\n0.0.0.0/0 injected", "\n", "a\r\nb", "\r", "tab\tin", "\x01", "\x1b[31m", "\x7f", "W 10.0.0.0/8\nA 0.0.0.0/0 y", '"\n"')
NAMES = ("next_hop", "asn", "name", "prefix", "the name", "a,b", "x;y|z", "dst", 'say "hi"', "#n", "Zürich", "via", "in/out dev x")
written: dict[str, int] = {}
refused: dict[str, int] = {}


def want(holds: bool, words: object) -> None:
    if not holds:
        raise AssertionError(str(words)[:3000])


def run(*words: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
    done = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def writes(what: str, *words: str, stdin: bytes = b"") -> bytes | None:
    """Returns the output of a command, or None when it refuses."""
    status, out, said = run(*words, stdin=stdin)
    want(status in (0, 1) and (status == 0 or (out == b"" and said.startswith("fingerpost: "))), f"{what}: {status} {said} {out!r}")
    counts = written if status == 0 else refused
    counts[what] = counts.get(what, 0) + 1
    return out if status == 0 else None


def in_order(routes: Routes) -> Routes:
    def key(prefix: str) -> tuple[int, int, int]:
        network = ipaddress.ip_network(prefix)
        return network.version, int(network.network_address), network.prefixlen

    return {prefix: routes[prefix] for prefix in sorted(routes, key=key)}


class Table:
    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.wild = dice.random() < 0.4
        names = list(NAMES)
        dice.shuffle(names)
        self.names = tuple(names[: dice.choice((1, 1, 2, 3))])
        self.routes = self.some(8)

    def value(self) -> str:
        return self.dice.choice(WILD if self.wild and self.dice.random() < 0.3 else WORDS)

    def some(self, most: int) -> Routes:
        rows = [tuple(self.value() for _ in self.names) for _ in range(3)]
        routes = {}
        for _ in range(self.dice.randrange(most)):
            width = self.dice.choice((32, 128))
            length = self.dice.randrange(width + 1)
            kind = ipaddress.IPv4Network if width == 32 else ipaddress.IPv6Network
            network = kind((self.dice.getrandbits(length) << (width - length) if length else 0, length))
            routes[str(network)] = self.dice.choice(rows)
        return in_order(routes)

    def changed(self) -> Routes:
        kept = {p: row for p, row in self.routes.items() if self.dice.random() < 0.7}
        other = {p: tuple(self.value() for _ in self.names) for p in kept if self.dice.random() < 0.4}
        return in_order(kept | other | self.some(5))

    def as_json(self, routes: Routes) -> bytes:
        # "network" takes precedence over every other name.
        lines = [json.dumps({"network": p, **dict(zip(self.names, row, strict=True))}) for p, row in routes.items()]
        return ("\n".join(lines) + "\n").encode()


def of_csv(text: bytes) -> tuple[tuple[str, ...], Routes]:
    rows = list(csv.reader(io.StringIO(text.decode(), newline="")))
    want(rows[0][0] in ("prefix", "network"), rows[0])
    return tuple(rows[0][1:]), {row[0]: tuple(row[1:]) for row in rows[1:]}


def of_json(text: bytes) -> tuple[tuple[str, ...], Routes]:
    names: tuple[str, ...] = ()
    routes: Routes = {}
    for line in text.decode().split("\n")[:-1]:
        members = json.loads(line, object_pairs_hook=list)
        want(members[0][0] in ("prefix", "network") and len(dict(members)) == len(members), line)
        names = tuple(name for name, _ in members[1:])
        routes[members[0][1]] = tuple(value or "" for _, value in members[1:])
    return names, routes


def comes_back(what: str, text: bytes | Path, names: tuple[str, ...], routes: Routes) -> None:
    """Reads the output with the program as JSON, which has every value, and with Python."""
    source, stdin = (str(text), b"") if isinstance(text, Path) else ("-", text)
    status, out, said = run("convert", "--format", "ndjson", source, stdin=stdin)
    want(status == 0, f"{what} is not read: {said} {text!r}")
    got_names, got = of_json(out)
    want(got == routes, f"{what}: {got} is not {routes} by way of {text!r}")
    want(not routes or got_names == names, f"{what}: {got_names} is not {names}")


def check_converted(table: Table, source: bytes) -> None:
    for form in ("csv", "text", "ndjson"):
        out = writes(f"convert {form}", "convert", "--format", form, "--input-format", "json", "-", stdin=source)
        want(out is not None or form != "ndjson", "ndjson is refused")
        want(out is not None or table.wild or len(table.names) > 1 or form != "text", "text is refused")
        if out is None:
            continue
        comes_back(f"convert {form}", out, table.names, table.routes)
        if form != "text" and table.routes:
            want((of_csv if form == "csv" else of_json)(out) == (table.names, table.routes), f"Python reads another table of {form}")
    Path("json").write_bytes(source)
    for words in (("image", "save", "-t", "json", "--input-format", "json", "image"), ("convert", "--format", "image", "--input-format", "json", "json", "-o", "image")):
        want(writes(words[0], *words) is not None, f"{words} is refused")
        if table.routes:
            comes_back("an image", Path("image"), table.names, table.routes)
    # MRT has one next hop, an address, and refuses everything else.
    Path("mrt").unlink(missing_ok=True)
    out = writes("convert mrt", "convert", "--format", "mrt", "--input-format", "json", "json", "-o", "mrt")
    if out is not None and table.routes:
        want(len(table.names) == 1, f"MRT with {table.names}")
        status, again, said = run("convert", "--format", "ndjson", "--input-format", "mrt", "--columns", "next_hop", "mrt")
        want(status == 0 and of_json(again)[1] == table.routes, f"MRT: {said}")


def check_aggregated(table: Table, source: bytes) -> None:
    """The output is read back unchanged, and contains no value that the table lacks."""
    model: Routes | None = None
    for form in ("ndjson", "auto", "text", "csv"):
        out = writes(f"aggregate {form}", "aggregate", "--format", form, "--input-format", "json", "-t", "-", stdin=source)
        if form == "ndjson":
            want(out is not None, "aggregate refuses JSON")
            model = of_json(out or b"")[1]
            want(set(model.values()) <= set(table.routes.values()) and len(model) <= len(table.routes), model)
        elif out is not None and model is not None:
            comes_back(f"aggregate {form}", out, table.names, model)


def check_updates(table: Table, source: bytes) -> None:
    after = table.changed()
    Path("before").write_bytes(source)
    Path("after").write_bytes(table.as_json(after))
    reading = ("--input-format", "json")
    for form, read in (("csv", csv_differences), ("ndjson", json_differences)):
        out = writes(f"diff {form}", "diff", *reading, "--format", form, "before", "after")
        want(out is not None, f"diff {form} is refused")
        model = {p: (table.routes.get(p), after.get(p)) for p in table.routes | after if table.routes.get(p) != after.get(p)}
        want(read(out or b"", len(table.names)) == model, f"diff {form} tells {out!r}, not {model}")
    updates = writes("diff text", "diff", *reading, "before", "after")
    want(updates is not None or table.wild, "updates are refused")
    if updates is None:
        return
    # A table without routes has no columns, so replay uses those of the updates.
    Path("before.image").unlink(missing_ok=True)
    run("convert", "--format", "image", *reading, "before", "-o", "before.image")
    start = ("-t", "before.image") if table.routes else ()
    for form in ("auto", "ndjson", "csv"):
        out = writes(f"replay {form}", "replay", *start, "-", "-o", "-", "--output-format", form, stdin=updates)
        if out is not None:
            comes_back(f"replay {form} of {updates!r}", out, table.names, after)


def csv_differences(text: bytes, columns: int) -> dict[str, tuple[object, object]]:
    made: dict[str, tuple[object, object]] = {}
    for row in list(csv.reader(io.StringIO(text.decode(), newline="")))[1:]:
        before, after = tuple(row[2 : 2 + columns]), tuple(row[2 + columns :])
        made[row[1]] = (None if row[0] == "added" else before, None if row[0] == "removed" else after)
    return made


def json_differences(text: bytes, columns: int) -> dict[str, tuple[object, object]]:
    def row(side: object) -> object:
        return None if side is None else tuple(side.values()) if isinstance(side, dict) else (side,)

    want(columns > 0, columns)
    lines = [json.loads(line) for line in text.decode().split("\n")[:-1]]
    return {line["prefix"]: (row(line["before"]), row(line["after"])) for line in lines}


def main() -> None:
    only = os.environ.get("FINGERPOST_SEED")
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for seed in [int(only)] if only else range(ROUNDS):
            table = Table(random.Random(seed))
            source = table.as_json(table.routes)
            try:
                check_converted(table, source)
                check_aggregated(table, source)
                check_updates(table, source)
            except AssertionError as why:
                sys.exit(f"table_writers_test: FINGERPOST_SEED={seed}: {why}")
    if not only:
        for what in ("convert text", "aggregate text", "diff text", "replay auto"):
            want(written.get(what, 0) > 0, f"{what} never wrote: {written}, {refused}")
        want(refused.get("convert text", 0) > 0 and refused.get("diff text", 0) > 0, f"nothing was refused: {refused}")
    print(f"table_writers_test: {sum(written.values())} outputs read back, {sum(refused.values())} refused")


if __name__ == "__main__":
    main()
