#!/usr/bin/env python3
"""lookup, enrich, serve and explain with several columns, a clashing name, a missing family, an empty table, a damaged row and a closed
output: one check for each cell of the table in the docs. tests/python/enrich/test_enrich_names.py covers `python -m fingerpost enrich`."""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from serving import Server, eventually, read_all, replace

PROGRAM = os.environ["FINGERPOST"]
TWO = "network,asn,name\n10.0.0.0/8,1,x\n"
CLASH = "network,prefix,asn\n10.0.0.0/8,p,1\n"
cells = 0


def want(holds: bool, words: object) -> None:
    global cells
    cells += 1
    if not holds:
        sys.exit(f"command_matrix_rows_test: {words}")


def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
    done = subprocess.run([PROGRAM, *arguments], input=stdin.encode(), capture_output=True, check=False, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def closed_output(*arguments: str, stdin: str = "") -> int:
    """The exit code when the reader of the output has closed it before anything was written."""
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.DEVNULL) as process:
        os.close(writer)
        process.communicate(stdin.encode(), timeout=60)
        return process.returncode


def check_lookup() -> None:
    code, out, _ = run("lookup", "-t", "two", "--format", "ndjson", "10.1.1.1")
    want((code, json.loads(out)) == (0, {"address": "10.1.1.1", "prefix": "10.0.0.0/8", "asn": 1, "name": "x"}), out)
    for form in ("csv", "ndjson"):
        code, out, err = run("lookup", "-t", "clash", "--format", form, "10.1.1.1")
        want((code, out) == (2, "") and "--rename prefix=NAME" in err, err)
    code, out, _ = run("lookup", "-t", "clash", "--format", "ndjson", "--rename", "prefix=net", "10.1.1.1")
    want((code, json.loads(out)) == (0, {"address": "10.1.1.1", "net": "10.0.0.0/8", "prefix": "p", "asn": 1}), out)
    for more in ([], ["--match", "covered"]):
        code, out, _ = run("lookup", "-t", "two", "--format", "csv", *more, "::1")
        want((code, out) == (1, "address,prefix,asn,name\n::1,,,\n"), out)
    code, out, _ = run("lookup", "-t", "two", "10.1.1.1", "::1")
    want((code, out) == (0, "address   prefix      asn  name\n10.1.1.1  10.0.0.0/8  1    x\n::1       -           -    -\n"), out)
    want(run("lookup", "-t", "empty", "10.1.1.1", "::1")[:2] == (1, "10.1.1.1  -  -\n::1       -  -\n"), "an empty table")
    code, out, err = run("lookup", "-t", "two", "--format", "csv", stdin="10.1.1.1\n# c\r10.1.1.1\nx\n")
    want(code == 3 and out.count("\n") == 2 and "stdin:2:" in err and "stdin:3: 'x'" in err, err)
    want(closed_output("lookup", "-t", "two", "-", stdin="10.1.1.1\n" * 1000) == 0, "a closed output is no failure")


def check_enrich() -> None:
    rows = "ip,n\n10.1.1.1,7\n"
    usual = ("--format", "csv", "-f", "ip")
    want(run("enrich", "-t", "two", *usual, stdin=rows)[:2] == (0, "ip,n,prefix,asn,name\n10.1.1.1,7,10.0.0.0/8,1,x\n"), "columns")
    for table, text, hint in (("clash", rows, "prefix"), ("two", "ip,asn\n", "asn")):
        code, out, err = run("enrich", "-t", table, *usual, stdin=text)
        want((code, out) == (2, "") and f"--rename {hint}=NAME" in err, err)
    code, out, _ = run("enrich", "-t", "clash", *usual, "--rename", "prefix=net", stdin=rows)
    want((code, out) == (0, "ip,n,net,prefix,asn\n10.1.1.1,7,10.0.0.0/8,p,1\n"), out)
    taken = '{"ip":"10.1.1.1","pre\\u0066ix":"keep me"}\n'
    code, out, err = run("enrich", "-t", "two", "--field", "ip", stdin=taken)
    want((code, out) == (3, taken) and "stdin:1: 'prefix'" in err and "--rename prefix=NAME" in err, err)
    want(run("enrich", "-t", "two", *usual, stdin="ip\n::1\n")[:2] == (0, "ip,prefix,asn,name\n::1,,,\n"), "an absent family")
    want(run("enrich", "-t", "empty", *usual, stdin=rows)[:2] == (0, "ip,n,prefix,next_hop\n10.1.1.1,7,,\n"), "an empty table")
    damaged = 'ip,n\n10.1.1.1\n10.1.1.2,1,2\n10.1.1.3,"x\n10.1.1.4,4\n'
    code, out, err = run("enrich", "-t", "two", *usual, "--columns", "asn", stdin=damaged)
    want((code, out) == (3, "ip,n,asn\n10.1.1.1,,\n10.1.1.4,4,1\n"), out)
    want(all(f"stdin:{line}: " in err for line in (2, 3, 4)), err)
    want(run("enrich", "-t", "two", *usual, stdin="ip,n\r10.1.1.1,7\r")[0] == 1, "carriage returns alone")
    code, _, err = run("enrich", "-t", "two", "--field", "pi", stdin='{"ip":"10.1.1.1"}\n')
    want(code == 1 and "none of the 1 rows has a field 'pi'" in err, err)
    want(closed_output("enrich", "-t", "two", *usual, stdin=rows) == 0, "a closed output is no failure")


def served(table: str, question: str, *options: str) -> list[list[tuple[str, str | None]]]:
    with Server(table, *options) as server:
        rows: list[list[tuple[str, str | None]]] = json.loads(server.ask("GET", f"/lookup?{question}")[2], object_pairs_hook=list)
        return rows


def check_serve() -> None:
    asked = served("two", "address=10.1.1.1&address=::1&address=x")
    want([*map(list, asked[0])] == [["address", "10.1.1.1"], ["prefix", "10.0.0.0/8"], ["asn", 1], ["name", "x"]], asked)
    want([name for name, value in asked[1] if value is not None] == ["address"], "an absent family is a miss")
    want([name for name, value in asked[2] if value is not None] == ["address", "error"], "what is no address has an error")
    code, _, err = run("serve", "-t", "clash", "--http", "127.0.0.1:0")
    want(code == 2 and "--rename prefix=NAME" in err, err)
    answer = served("clash", "address=10.1.1.1", "--rename", "prefix=net")
    want([name for name, _ in answer[0]] == ["address", "net", "prefix", "asn"], answer)
    want([value for _, value in served("empty", "address=10.1.1.1")[0]] == ["10.1.1.1", None, None], "an empty table")
    check_serve_reload()


def check_serve_reload() -> None:
    table = Path("changed").absolute()
    table.write_text(TWO, encoding="utf-8")
    socket_path = Path("socket").absolute()
    with Server(table, path=socket_path) as server:
        with server.unix() as client:
            client.sendall(b"10.1.1.1\n::1\nx\n")
            client.shutdown(socket.SHUT_WR)
            lines = read_all(client).decode().splitlines()
        want((lines[:2], lines[2][:2]) == (["10.0.0.0/8\t1\tx", "-"], "! "), lines)
        failed = 'fingerpost_serve_reloads_total{result="failed"}'
        for count, text in enumerate((CLASH, ""), 1):
            replace(table, text)
            eventually(lambda wanted=count: server.metric(failed) == wanted, f"the reload of {text!r} fails")
            want(server.post(["10.1.1.1"])[0]["name"] == "x", "the old table answers")
        with server.tcp() as client:
            client.sendall(b"GET /lookup?address=10.1.1.1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        want(server.post(["10.1.1.1"])[0]["name"] == "x", "a client that leaves early holds up nobody")


def check_explain() -> None:
    code, out, _ = run("explain", "-t", "clash", "--format", "json", "10.1.1.1")
    told = json.loads(out)
    want((code, told["values"]) == (0, {"prefix": "p", "asn": 1}) and told["prefix"] == "10.0.0.0/8", told)
    want(told["covers"][0]["values"] == told["values"], told)
    want("asn" in run("explain", "-t", "two", "10.1.1.1")[1], "text has all columns")
    for table, address in (("two", "::1"), ("empty", "10.1.1.1")):
        code, out, _ = run("explain", "-t", table, "--format", "json", address)
        want((code, json.loads(out)["prefix"], json.loads(out)["values"]) == (0, None, None), out)
    code, _, err = run("explain", "-t", "two", "10.1.1.1", "x")
    want(code == 3 and "argument 2: 'x'" in err, err)
    want(closed_output("explain", "-t", "two", "10.1.1.1") == 0, "a closed output is no failure")


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for name, text in (("two", TWO), ("clash", CLASH), ("empty", "")):
            Path(name).write_text(text, encoding="utf-8")
        checks: list[Callable[[], None]] = [check_lookup, check_enrich, check_serve, check_explain]
        for check in checks:
            check()
    want(cells >= 30, f"only {cells} cells")
    print(f"command_matrix_rows_test: {cells} cells")


if __name__ == "__main__":
    main()
