#!/usr/bin/env python3
"""What the commands that read and write tables do with six awkward things, one check for each command and thing: several
columns, a clashing name, a family that is absent, an empty table, a damaged row, and a reader that has gone away.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
COMMANDS = ("aggregate", "diff", "convert", "image save", "image show", "replay", "info", "check", "generate", "explain")
THINGS = ("several columns", "clashing name", "absent family", "empty table", "damaged row", "closed output")
cells: dict[tuple[str, str], Callable[[], None]] = {}

TWO = "network,asn,name\n10.0.0.0/8,1,x\n10.0.0.0/9,1,x\n10.128.0.0/9,1,y\n"
CLASH = "network,prefix,next_hop\n10.0.0.0/8,keep,x\n"
DAMAGED = "10.0.0.0/8 a\n10.0.0.0/99 b\n11.0.0.0/8 c\n"


def want(holds: bool, words: object) -> None:
    if not holds:
        raise AssertionError(str(words))


def run(*words: str, status: int = 0, stdin: str = "") -> tuple[str, str]:
    done = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, text=True, check=False)
    want(done.returncode == status, f"{words}: exit {done.returncode} instead of {status}: {done.stderr}{done.stdout[:300]}")
    return done.stdout, done.stderr


def prints(wanted: str, *words: str, status: int = 0, stdin: str = "") -> str:
    out, said = run(*words, status=status, stdin=stdin)
    want(out == wanted, f"{words} prints {out!r}, not {wanted!r}")
    return said


def refuses(reason: str, *words: str, status: int = 1, stdin: str = "") -> None:
    """No row is printed, and one line gives the reason."""
    out, said = run(*words, status=status, stdin=stdin)
    want(out == "" and reason in said.splitlines()[-1], f"{words} says {said!r}, not {reason!r}, and prints {out!r}")


def ends_quietly(*words: str, stdin: str = "") -> None:
    """The reader of the output has gone before anything is written."""
    gone, pipe = os.pipe()
    os.close(gone)
    done = subprocess.run([PROGRAM, *words], input=stdin, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    os.close(pipe)
    want(done.returncode == 0 and "pipe" not in done.stderr.lower(), f"{words}: {done.returncode} {done.stderr}")


def full(*words: str) -> None:
    refuses("/dev/full: No space left on device", *words, "/dev/full")


def cell(command: str, thing: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def take(check: Callable[[], None]) -> Callable[[], None]:
        want((command, thing) not in cells and command in COMMANDS and thing in THINGS, f"{command}, {thing}")
        cells[command, thing] = check
        return check

    return take


@cell("aggregate", "several columns")
def _() -> None:
    prints("prefix,asn,name\n10.0.0.0/8,1,x\n10.128.0.0/9,1,y\n", "aggregate", "-t", "two.csv")
    refuses("choose other columns with --columns", "aggregate", "-t", "two.csv", "--format", "text")
    prints("prefix asn\n10.0.0.0/8 1\n", "aggregate", "-t", "two.csv", "--columns", "asn")


@cell("aggregate", "clashing name")
def _() -> None:
    prints(CLASH, "aggregate", "-t", "clash.csv")
    refuses("named twice", "aggregate", "-t", "two.csv", "--columns", "asn,asn")


@cell("aggregate", "absent family")
def _() -> None:
    said = prints("", "aggregate", "-t", "four.txt", "--family", "6")
    want("1 route of the other family skipped" in said and "IPv6: 0 routes before, 0 after" in said, said)


@cell("aggregate", "empty table")
def _() -> None:
    prints("", "aggregate", "-t", "empty")
    prints("prefix,a,b\n", "aggregate", "-t", "-", stdin="network,a,b\n")


@cell("aggregate", "damaged row")
def _() -> None:
    refuses("damaged.txt:2: '10.0.0.0/99'", "aggregate", "-t", "damaged.txt")
    said = prints("10.0.0.0/7 a\n11.0.0.0/8 c\n", "aggregate", "-t", "damaged.txt", "--skip-bad", "1")
    want("damaged.txt: 1 bad line skipped" in said, said)


@cell("aggregate", "closed output")
def _() -> None:
    ends_quietly("aggregate", "-t", "two.csv")
    full("aggregate", "-t", "two.csv", "-o")


@cell("diff", "several columns")
def _() -> None:
    prints('change prefix asn name\nW 10.0.0.0/9\nA 10.128.0.0/9 1 "z 1"\n', "diff", "two.csv", "other.csv")
    prints(
        "change,prefix,before.asn,before.name,after.asn,after.name\nremoved,10.0.0.0/9,1,x,,\nchanged,10.128.0.0/9,1,y,1,z 1\n",
        *("diff", "--format", "csv", "two.csv", "other.csv"),
    )
    lines = run("diff", "--format", "ndjson", "two.csv", "other.csv")[0].splitlines()
    want(json.loads(lines[1])["after"] == {"asn": 1, "name": "z 1"} and json.loads(lines[0])["after"] is None, lines)
    run("diff", "--exit-code", "two.csv", "other.csv", status=4)
    refuses("different columns, asn, name and next_hop; name those to compare with --columns", "diff", "two.csv", "four.txt")


@cell("diff", "clashing name")
def _() -> None:
    prints("change prefix prefix next_hop\nA 10.0.0.0/8 keep x\n", "diff", "empty", "clash.csv")
    out = run("diff", "--format", "csv", "empty", "clash.csv")[0]
    want(out.startswith("change,prefix,before.prefix,before.next_hop,after.prefix,after.next_hop\n"), out)


@cell("diff", "absent family")
def _() -> None:
    prints("A ::/0 z\n", "diff", "--family", "6", "four.txt", "six.txt")
    prints("W 10.0.0.0/8\nA ::/0 z\n", "diff", "four.txt", "six.txt")


@cell("diff", "empty table")
def _() -> None:
    prints("", "diff", "empty", "empty")
    prints("change prefix asn name\nA 10.0.0.0/8 1 x\nA 10.0.0.0/9 1 x\nA 10.128.0.0/9 1 y\n", "diff", "empty", "two.csv")
    prints("W 10.0.0.0/8\n", "diff", "four.txt", "empty")


@cell("diff", "damaged row")
def _() -> None:
    refuses("damaged.txt:2: '10.0.0.0/99'", "diff", "four.txt", "damaged.txt")
    prints("A 11.0.0.0/8 c\n", "diff", "four.txt", "damaged.txt", "--skip-bad", "1")


@cell("diff", "closed output")
def _() -> None:
    ends_quietly("diff", "empty", "two.csv")
    full("diff", "empty", "two.csv", "-o")


@cell("convert", "several columns")
def _() -> None:
    prints(TWO.replace("network,", "prefix,", 1), "convert", "two.csv")
    out = run("convert", "--format", "ndjson", "two.csv")[0].splitlines()
    want(json.loads(out[0]) == {"prefix": "10.0.0.0/8", "asn": 1, "name": "x"}, out)
    refuses("this format holds one column of values, and the table has 2 (asn, name); choose other columns with --columns", "convert", "--format", "text", "two.csv")
    refuses("MRT cannot hold the columns name; choose --columns next_hop,origin_as", "convert", "--format", "mrt", "two.csv")
    run("convert", "--format", "image", "two.csv", "-o", "two.image")
    prints(TWO.replace("network,", "prefix,", 1), "convert", "two.image")


@cell("convert", "clashing name")
def _() -> None:
    prints(CLASH, "convert", "clash.csv")
    table = "network,prefix,cidr\na,b,10.0.0.0/8\n"
    refuses("a column of values is called network", "convert", "--network", "cidr", "-", stdin=table)
    prints("network,prefix\n10.0.0.0/8,b\n", "convert", "--network", "cidr", "--columns", "prefix", "-", stdin=table)
    refuses("named twice", "convert", "--columns", "asn,asn", "two.csv")


@cell("convert", "absent family")
def _() -> None:
    want("1 route of the other family skipped" in prints("prefix,next_hop\n", "convert", "--family", "6", "four.txt"), "silent")


@cell("convert", "empty table")
def _() -> None:
    for form, wanted in (("csv", "prefix,a,b\n"), ("ndjson", "")):
        prints(wanted, "convert", "--format", form, "-", stdin="network,a,b\n")
    prints("prefix a\n", "convert", "--format", "text", "--columns", "a", "-", stdin="network,a,b\n")
    run("convert", "--format", "image", "--input-format", "text", "empty", "-o", "none.image")
    prints("prefix,next_hop\n", "convert", "none.image")


@cell("convert", "damaged row")
def _() -> None:
    Path("kept").write_text("old")
    refuses("damaged.txt:2: '10.0.0.0/99'", "convert", "damaged.txt", "-o", "kept")
    want(Path("kept").read_text() == "old", "the old file is gone")
    prints("prefix,next_hop\n10.0.0.0/8,a\n11.0.0.0/8,c\n", "convert", "damaged.txt", "--skip-bad", "1")


@cell("convert", "closed output")
def _() -> None:
    ends_quietly("convert", "two.csv")
    full("convert", "two.csv", "-o")


@cell("image save", "several columns")
def _() -> None:
    run("image", "save", "-t", "two.csv", "saved.image")
    prints(TWO.replace("network,", "prefix,", 1), "convert", "saved.image")


@cell("image save", "clashing name")
def _() -> None:
    run("image", "save", "-t", "clash.csv", "clash.image")
    prints(CLASH, "convert", "clash.image")


@cell("image save", "absent family")
def _() -> None:
    run("image", "save", "-t", "four.txt", "--family", "6", "absent.image")
    want("routes    0 (IPv6)" in run("image", "show", "absent.image")[0], "another image")


@cell("image save", "empty table")
def _() -> None:
    run("image", "save", "-t", "empty", "nothing.image")
    prints("nothing.image: OK, 0 IPv6 routes\n", "image", "verify", "nothing.image")


@cell("image save", "damaged row")
def _() -> None:
    Path("old.image").write_text("old")
    refuses("damaged.txt:2: '10.0.0.0/99'", "image", "save", "-t", "damaged.txt", "old.image")
    want(Path("old.image").read_text() == "old", "the old file is gone")


@cell("image save", "closed output")
def _() -> None:
    ends_quietly("image", "save", "-t", "two.csv", "quiet.image")
    run("image", "verify", "quiet.image")
    out, said = run("image", "save", "-t", "two.csv", "/dev/full", status=1)
    want(out == "" and "fingerpost: /dev/full: " in said, said)


@cell("image show", "several columns")
def _() -> None:
    run("image", "save", "-t", "two.csv", "shown.image")
    want("columns   asn, name\nrows      2\n" in run("image", "show", "shown.image")[0], "no columns")
    want(json.loads(run("image", "show", "--format", "json", "shown.image")[0])[0]["columns"] == ["asn", "name"], "no columns")


@cell("image show", "clashing name")
def _() -> None:
    run("image", "save", "-t", "clash.csv", "shown_clash.image")
    want("columns   prefix, next_hop\n" in run("image", "show", "shown_clash.image")[0], "no columns")


@cell("image show", "absent family")
def _() -> None:
    run("image", "save", "-t", "four.txt", "one_family.image")
    want([one["family"] for one in json.loads(run("image", "show", "--format", "json", "one_family.image")[0])] == [4], "families")


@cell("image show", "empty table")
def _() -> None:
    run("image", "save", "-t", "empty", "shown_empty.image")
    want("routes    0 (IPv6)" in run("image", "show", "shown_empty.image")[0], "routes")


@cell("image show", "damaged row")
def _() -> None:
    run("image", "save", "-t", "two.csv", "hurt.image")
    bytes_of = bytearray(Path("hurt.image").read_bytes())
    bytes_of[-1] ^= 1
    Path("hurt.image").write_bytes(bytes_of)
    refuses("hurt.image: ", "image", "show", "hurt.image")
    refuses("hurt.image: ", "image", "verify", "hurt.image")


@cell("image show", "closed output")
def _() -> None:
    run("image", "save", "-t", "two.csv", "quiet_show.image")
    ends_quietly("image", "show", "quiet_show.image")
    ends_quietly("image", "verify", "quiet_show.image")


@cell("replay", "several columns")
def _() -> None:
    updates = run("diff", "two.csv", "other.csv")[0]
    other = Path("other.csv").read_text()
    prints(other, "replay", "-t", "two.csv", "-", "-o", "-", stdin=updates)
    refuses("the table has no column next_hop (asn, name)", "replay", "-t", "two.csv", "-", "-o", "-", stdin="A 11.0.0.0/8 x\n")
    said = prints(
        "prefix,asn,name\n10.0.0.0/8,1,x\n10.0.0.0/9,1,x\n10.128.0.0/9,1,y\n11.0.0.0/8,,z\n",
        *("replay", "-t", "two.csv", "-", "-o", "-"),
        stdin="change prefix name\nA 11.0.0.0/8 z\n",
    )
    want("updates have no column asn; it is empty in the routes that they announce" in said, said)
    refuses("choose other columns with --columns", "replay", "-t", "two.csv", "empty", "-o", "-", "--output-format", "text")


@cell("replay", "clashing name")
def _() -> None:
    prints(CLASH, "replay", "-", "-o", "-", stdin=run("diff", "empty", "clash.csv")[0])
    out, said = run("replay", "-", "-o", "-", stdin="change prefix a a\nA 10.0.0.0/8 1 2\n", status=3)
    want("two columns have one name" in said and out == "", said)


@cell("replay", "absent family")
def _() -> None:
    said = prints("10.0.0.0/8 a\n", "replay", "-t", "four.txt", "--family", "4", "-", "-o", "-", stdin="A ::/0 x\n")
    want("1 updates of the other family skipped" in said, said)


@cell("replay", "empty table")
def _() -> None:
    prints("", "replay", "-t", "empty", "empty", "-o", "-")
    prints(TWO.replace("network,", "prefix,", 1), "replay", "-t", "empty", "-", "-o", "-", stdin=run("diff", "empty", "two.csv")[0])


@cell("replay", "damaged row")
def _() -> None:
    said = prints("10.0.0.0/8 a\n11.0.0.0/8 c\n", "replay", "-", "-o", "-", stdin="A 10.0.0.0/8 a\nA 10.0.0.0/8 \"b\nA 11.0.0.0/8 c\n", status=3)
    want("stdin:2: " in said and "a quote is not closed" in said and "bad lines          1" in said, said)
    refuses("damaged.txt:2: '10.0.0.0/99'", "replay", "-t", "damaged.txt", "empty")


@cell("replay", "closed output")
def _() -> None:
    ends_quietly("replay", "-t", "two.csv", "empty")
    ends_quietly("replay", "-t", "two.csv", "empty", "-o", "-")
    out, said = run("replay", "-t", "two.csv", "empty", "-o", "/dev/full", status=1)
    want("/dev/full: No space left on device" in said, said)


@cell("info", "several columns")
def _() -> None:
    out = run("info", "-t", "two.csv", "--scheme", "patricia")[0]
    want("next hops   2\ncolumns     asn, name\n" in out, out)
    told = json.loads(run("info", "-t", "two.csv", "--scheme", "patricia", "--format", "json")[0])
    want(told["columns"] == ["asn", "name"] and told["next_hops"] == 2, told)


@cell("info", "clashing name")
def _() -> None:
    told = json.loads(run("info", "-t", "clash.csv", "--scheme", "patricia", "--format", "json")[0])
    want(told["columns"] == ["prefix", "next_hop"], told)


@cell("info", "absent family")
def _() -> None:
    want("routes      0 (IPv6)" in run("info", "-t", "four.txt", "--family", "6")[0], "routes")


@cell("info", "empty table")
def _() -> None:
    want("routes      0 (IPv6)" in run("info", "-t", "empty")[0], "routes")


@cell("info", "damaged row")
def _() -> None:
    refuses("damaged.txt:2: '10.0.0.0/99'", "info", "-t", "damaged.txt")
    want("routes      2 (IPv4)" in run("info", "-t", "damaged.txt", "--skip-bad", "1", "--scheme", "patricia")[0], "routes")


@cell("info", "closed output")
def _() -> None:
    ends_quietly("info", "-t", "four.txt", "--scheme", "patricia")


@cell("check", "several columns")
def _() -> None:
    out = run("lab", "check", "-t", "two.csv", "--scheme", "patricia")[0]
    want("3 routes of IPv4" in out and "answers correct" in out, out)


@cell("check", "clashing name")
def _() -> None:
    want("answers correct" in run("lab", "check", "-t", "clash.csv", "--scheme", "patricia")[0], "wrong")


@cell("check", "absent family")
def _() -> None:
    want("0 routes of IPv6" in run("lab", "check", "-t", "four.txt", "--family", "6", "--scheme", "patricia")[0], "routes")


@cell("check", "empty table")
def _() -> None:
    want("0 routes of IPv6" in run("lab", "check", "-t", "empty", "--scheme", "patricia")[0], "routes")


@cell("check", "damaged row")
def _() -> None:
    refuses("damaged.txt:2: '10.0.0.0/99'", "lab", "check", "-t", "damaged.txt")


@cell("check", "closed output")
def _() -> None:
    ends_quietly("lab", "check", "-t", "four.txt", "--scheme", "patricia")


@cell("generate", "several columns")
def _() -> None:
    """The table gets one column, next_hop, that every command reads."""
    run("lab", "generate", "--routes", "20", "-o", "made.txt")
    prints(run("convert", "made.txt")[0], "convert", "-", stdin=run("convert", "--format", "ndjson", "made.txt")[0])


@cell("generate", "clashing name")
def _() -> None:
    refuses("unknown option '--value'", "lab", "generate", "--value", "prefix", status=2)


@cell("generate", "absent family")
def _() -> None:
    refuses("tier1-v4 is a table of IPv4", "lab", "generate", "--shares", "tier1-v4", "--family", "6", status=2)


@cell("generate", "empty table")
def _() -> None:
    refuses("--routes", "lab", "generate", "--routes", "0", status=2)


@cell("generate", "damaged row")
def _() -> None:
    refuses("--seed", "lab", "generate", "--seed", "x", status=2)


@cell("generate", "closed output")
def _() -> None:
    ends_quietly("lab", "generate", "--routes", "20")
    full("lab", "generate", "--routes", "20", "-o")


@cell("explain", "several columns")
def _() -> None:
    out = run("explain", "-t", "two.csv", "10.200.0.0")[0]
    want("  prefix        asn  name\n" in out and "=> 1, y" in out, out)
    told = json.loads(run("explain", "-t", "two.csv", "--format", "json", "10.200.0.0")[0])
    want(told["values"] == {"asn": 1, "name": "y"} and told["covers"][0]["values"] == {"asn": 1, "name": "x"}, told)


@cell("explain", "clashing name")
def _() -> None:
    told = json.loads(run("explain", "-t", "clash.csv", "--format", "json", "10.0.0.1")[0])
    want(told["prefix"] == "10.0.0.0/8" and told["values"] == {"prefix": "keep", "next_hop": "x"}, told)


@cell("explain", "absent family")
def _() -> None:
    want("is in no prefix of the table" in run("explain", "-t", "four.txt", "::1")[0], "no miss")


@cell("explain", "empty table")
def _() -> None:
    want("is in no prefix of the table" in run("explain", "-t", "empty", "10.0.0.1")[0], "no miss")


@cell("explain", "damaged row")
def _() -> None:
    refuses("damaged.txt:2: '10.0.0.0/99'", "explain", "-t", "damaged.txt", "10.0.0.1")
    out, said = run("explain", "-t", "four.txt", "10.0.0.1", "10.0.0.x", status=3)
    want("10.0.0.1 is in" in out and "10.0.0.x" in said, said)


@cell("explain", "closed output")
def _() -> None:
    ends_quietly("explain", "-t", "four.txt", "10.0.0.1")


def main() -> None:
    missing = [(command, thing) for command in COMMANDS for thing in THINGS if (command, thing) not in cells]
    if missing:
        sys.exit(f"command_matrix_tables_test: no check for {missing}")
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        Path("two.csv").write_text(TWO)
        Path("other.csv").write_text("prefix,asn,name\n10.0.0.0/8,1,x\n10.128.0.0/9,1,z 1\n")
        Path("clash.csv").write_text(CLASH)
        Path("four.txt").write_text("10.0.0.0/8 a\n")
        Path("six.txt").write_text("::/0 z\n")
        Path("empty").write_text("")
        Path("damaged.txt").write_text(DAMAGED)
        for (command, thing), check in cells.items():
            try:
                check()
            except (AssertionError, KeyError, ValueError) as why:
                print(f"command_matrix_tables_test: {command}, {thing}: {why}", file=sys.stderr)
                wrong += 1
        left = list(Path().glob(".fingerpost-*"))
        wrong += len(left)
        if left:
            print(f"command_matrix_tables_test: temporary files are left: {left}", file=sys.stderr)
    if wrong:
        sys.exit(f"command_matrix_tables_test: {wrong} of {len(cells)} cells are wrong")
    print(f"command_matrix_tables_test: {len(cells)} cells")


if __name__ == "__main__":
    main()
