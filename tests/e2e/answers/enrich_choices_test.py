#!/usr/bin/env python3
"""What `fingerpost enrich` adds, which rows it chooses, what it counts, and where it writes."""

import bz2
import gzip
import json
import lzma
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
runs = 0

TABLE = """network,asn,anycast,code,ratio,country,big
10.0.0.0/8,64500,false,007,0.5,DE,9007199254740992
10.1.0.0/16,64501,true,12,-1e3,FR,1
10.2.0.0/16,,,,,,
2001:db8::/32,64502,true,3,2,DE,2
"""


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"enrich_choices_test: {words}")


def enrich(arguments: list[str], stdin: str = "", status: int = 0) -> tuple[str, str]:
    global runs
    runs += 1
    table = "t=t.csv" if "-t" in arguments else "t.csv"
    done = subprocess.run([PROGRAM, "enrich", "-t", table, *arguments], input=stdin.encode(), capture_output=True, check=False)
    said = done.stderr.decode()
    want(done.returncode == status, f"{arguments}: exit {done.returncode} instead of {status}: {said}")
    return done.stdout.decode(), said


def writes(arguments: list[str], stdin: str, wanted: str, status: int = 0) -> str:
    got, said = enrich(arguments, stdin, status)
    want(got == wanted, f"{arguments}:\n got  {got!r}\n want {wanted!r}\n{said}")
    return said


NDJSON = ["--format", "ndjson", "--field"]


def test_types() -> None:
    columns = ["--columns", "asn,anycast,code,ratio,country,big"]
    writes([*NDJSON, "ip", *columns], '{"ip":"10.3.0.1"}\n{"ip":"10.1.0.1"}\n{"ip":"10.2.0.1"}\n{"ip":"::1"}\n',
           '{"ip":"10.3.0.1","asn":64500,"anycast":false,"code":"007","ratio":0.5,"country":"DE","big":9007199254740992}\n'
           '{"ip":"10.1.0.1","asn":64501,"anycast":true,"code":"12","ratio":-1e3,"country":"FR","big":1}\n'
           '{"ip":"10.2.0.1","asn":null,"anycast":null,"code":null,"ratio":null,"country":null,"big":null}\n'
           '{"ip":"::1","asn":null,"anycast":null,"code":null,"ratio":null,"country":null,"big":null}\n')  # fmt: skip
    # One value that is no number of JSON, or no integer of 64 bits, makes all of the column text; so does a mixture.
    for value, bare in [("1", True), ("-0", False), ("-0.0", True), ("-9223372036854775808", True), ("18446744073709551615", True), ("1.50", True), ("1E+2", True), ("+1", False), ("007", False), ("1.", False), (".5", False),
                        ("1e400", False), ("-1e400", False), ("0x1", False), ("18446744073709551616", False), ("-9223372036854775809", False),
                        ("NaN", False), ("Infinity", False), ("true", False), (" 1", False), ("1e", False), ("-", False)]:  # fmt: skip
        Path("one.csv").write_text(f"network,v\n10.0.0.0/8,5\n2001:db8::/32,{value}\n", encoding="utf-8")
        done = subprocess.run([PROGRAM, "enrich", "-t", "one.csv", *NDJSON, "ip", "--columns", "v"], input=b'{"ip":"10.0.0.1"}\n',
                              capture_output=True, check=True)  # fmt: skip
        want(json.loads(done.stdout)["v"] == (5 if bare else "5"), f"{value}: {done.stdout!r}")
    for values, wanted in [("true", True), ("True", "true")]:
        Path("one.csv").write_text(f"network,v\n10.0.0.0/8,true\n11.0.0.0/8,{values}\n", encoding="utf-8")
        done = subprocess.run([PROGRAM, "enrich", "-t", "one.csv", *NDJSON, "ip"], input=b'{"ip":"10.0.0.1"}\n', capture_output=True, check=True)
        want(json.loads(done.stdout)["v"] == wanted, f"{values}: {done.stdout!r}")
    # CSV has no types.
    writes(["-f", "ip", "--format", "csv", "--columns", "asn,anycast"], "ip\n10.1.0.1\n", "ip,asn,anycast\n10.1.0.1,64501,true\n")


def test_nest() -> None:
    nest = [*NDJSON, "ip", "--columns", "asn,country", "--nest"]
    both = '"asn":64501,"country":"FR"'
    for path, row, wanted in [
        ("a", '{"ip":"10.1.0.1"}', '{"ip":"10.1.0.1","a":{%s}}'),
        ("a.b", '{"ip":"10.1.0.1"}', '{"ip":"10.1.0.1","a":{"b":{%s}}}'),
        ("a.b", '{"a":{},"ip":"10.1.0.1"}', '{"a":{"b":{%s}},"ip":"10.1.0.1"}'),
        ("a.b", '{"a":{"c":[{}]},"ip":"10.1.0.1"}', '{"a":{"c":[{}],"b":{%s}},"ip":"10.1.0.1"}'),
        ("a.b", '{"a":{"b":{ }},"ip":"10.1.0.1"}', '{"a":{"b":{ %s}},"ip":"10.1.0.1"}'),
        ("a.b", '{"a":{"b":{"x":{}}},"ip":"10.1.0.1"}', '{"a":{"b":{"x":{},%s}},"ip":"10.1.0.1"}'),
        ("a.b", '{"x":{"a":{"b":{}}},"ip":"10.1.0.1"}', '{"x":{"a":{"b":{}}},"ip":"10.1.0.1","a":{"b":{%s}}}'),
        ("a.b", '{"a":[{"b":{}}],"A":{},"a":{},"ip":"10.1.0.1"}', '{"a":[{"b":{}}],"A":{},"a":{"b":{%s}},"ip":"10.1.0.1"}'),
        # The last of equal names counts.
        ("a.b", '{"a":{"b":{"asn":1}},"a":{"c":1},"ip":"10.1.0.1"}', '{"a":{"b":{"asn":1}},"a":{"c":1,"b":{%s}},"ip":"10.1.0.1"}'),
        ("a.b", '{"a":1,"\\u0061":{"b":{}},"ip":"10.1.0.1"}', '{"a":1,"\\u0061":{"b":{%s}},"ip":"10.1.0.1"}'),
        ("a\\.b", '{"ip":"10.1.0.1"}', '{"ip":"10.1.0.1","a.b":{%s}}'),
        ('a"', '{"ip":"10.1.0.1"}', '{"ip":"10.1.0.1","a\\"":{%s}}'),
        # Names outside of the nested object do not count.
        ("a", '{"asn":1,"a":{"b":{"asn":2}},"ip":"10.1.0.1"}', '{"asn":1,"a":{"b":{"asn":2},%s},"ip":"10.1.0.1"}'),
    ]:
        writes([*nest, path], row + "\n", wanted % both + "\n")
    writes([*NDJSON, "ip", "--columns", "country", "--nest", "a.b"], "{}\n", '{"a":{"b":{"country":null}}}\n', 1)
    # What is there already is neither replaced nor doubled.
    for row, words in [('{"ip":"10.1.0.1","a":1}', "it is not an object"), ('{"ip":"10.1.0.1","a":null}', "it is not an object"),
                       ('{"a":{"b":[]},"ip":"10.1.0.1"}', "it is not an object"), ('{"a":{"b":{"asn":1}},"ip":"10.1.0.1"}', "--rename asn=NAME")]:  # fmt: skip
        said = writes([*nest, "a.b"], row + "\n", row + "\n", 3)
        want(words in said, said)
    writes([*nest, "a.b", "--rename", "asn=as"], '{"a":{"b":{"asn":1}},"ip":"10.1.0.1"}\n',
           '{"a":{"b":{"asn":1,"as":64501,"country":"FR"}},"ip":"10.1.0.1"}\n')  # fmt: skip


def test_arrays() -> None:
    row = '{"flows":[{"src":"10.1.0.1"},{"src":"10.3.0.1"}],"l":["x",["10.1.0.1"]],"a[0]":"10.3.0.1"}'
    for path, asn in [("flows[0].src", 64501), ("flows[1].src", 64500), ("l[1][0]", 64501), ("a\\[0\\]", 64500)]:
        writes([*NDJSON, path, "--columns", "asn"], row + "\n", row[:-1] + f',"asn":{asn}' + "}\n")
    writes([*NDJSON, "flows[0].src", "--field", "flows[1].src", "--columns", "asn"], row + "\n",
           row[:-1] + ',"flows_0_src_asn":64501,"flows_1_src_asn":64500}\n')  # fmt: skip
    for path in ["flows[2].src", "flows.src", "flows[0][0]", "l[0][0]", "a[0]"]:
        writes([*NDJSON, path, "--columns", "asn"], row + "\n", row[:-1] + ',"asn":null}\n', 1)
    for path, words in [("[].a", "is not a path"), ("[0].a", "is not a path"), ("a[0]b", "is not a path"), ("a[0].", "is not a path")]:
        _, said = enrich([*NDJSON, path], row, 2)
        want(words in said, said)


def test_choices() -> None:
    rows = "ip,n\n10.3.0.1,1\n10.1.0.1,2\n10.2.0.1,3\n8.8.8.8,4\n,5\nbad,6\n2001:db8::1,7\n\n"
    lines = rows.split("\n")
    alone = ["-f", "ip", "--format", "csv", "--columns", ""]

    def chosen(*numbers: int) -> str:
        return "\n".join(line for line in lines if line[-1:] in ["n", *map(str, numbers)] and line) + "\n"

    writes(alone, rows, rows, 3)
    for conditions, numbers in [
        (["country=DE"], [1, 7]), (["country!=DE"], [2, 3]), (["country="], [3]), (["country!="], [1, 2, 7]), (["prefix=10.1.0.0/16"], [2]),
        (["anycast=true", "country=DE"], [7]), (["asn!=64500", "asn!=64501", "country!="], [7]), (["country=XX"], []), (["country=de"], []),
    ]:  # fmt: skip
        where = [word for one in conditions for word in ("--where", one)]
        writes([*alone, *where], rows, chosen(*numbers), 3)
    writes([*alone, "--on-miss", "only"], rows, chosen(4), 3)
    # Columns may be added, and those of --where need not be.
    writes(["-f", "ip", "--format", "csv", "--where", "country=FR", "--columns", "asn"], rows, "ip,n,asn\n10.1.0.1,2,64501\n", 3)
    # Two addresses: one of their answers is enough, unless the name says which.
    two = ["-f", "a", "-f", "b", "--format", "csv", "--columns", ""]
    pairs = "a,b\n10.1.0.1,10.3.0.1\n10.3.0.1,8.8.8.8\n8.8.8.8,9.9.9.9\n"
    writes([*two, "--where", "country=DE"], pairs, "a,b\n10.1.0.1,10.3.0.1\n10.3.0.1,8.8.8.8\n")
    writes([*two, "--where", "a_country=DE"], pairs, "a,b\n10.3.0.1,8.8.8.8\n")
    writes([*two, "--where", "country=DE", "--where", "country=FR"], pairs, "a,b\n10.1.0.1,10.3.0.1\n")
    writes([*two, "--on-miss", "only"], pairs, "a,b\n8.8.8.8,9.9.9.9\n")
    writes(["--format", "log", "--which", "all", "--columns", "", "--where", "country=DE"], "x 8.8.8.8 10.3.0.1\nx\n\ny 10.1.0.1\n", "x 8.8.8.8 10.3.0.1\n")
    # What is no column, and what contradicts itself.
    for arguments, words in [
        (["--where", "city=x"], "--where: no column 'city'"),
        (["--where", "country"], "--where: 'country' is not COLUMN=VALUE"),
        (["--where", "address=1"], "--where: the address is not a column of an answer; select addresses with fingerpost grep"),
        (["--where", "country=DE", "--on-miss", "only"], "--where: cannot be used with --on-miss only"),
    ]:
        _, said = enrich([*alone, *arguments], rows, 2)
        want(words in said, said)


def test_counts() -> None:
    rng = random.Random(7)
    pool = {"10.3.0.1": "DE", "10.1.0.1": "FR", "10.2.0.1": "", "8.8.8.8": "", "2001:db8::1": "DE"}
    drawn = rng.choices(list(pool), weights=[5, 3, 2, 1, 4], k=5000)
    counts = Counter(pool[address] for address in drawn)
    rows = [(value, count, count / len(drawn)) for value, count in sorted(counts.items(), key=lambda c: (-c[1], c[0]))]
    text = "".join(f"{address}\n" for address in drawn)
    for threads in ("1", "4"):
        by = ["--count-by", "country", "--threads", threads]
        got, _ = enrich([*by, "--format", "lines"], text)
        table = [line.split() for line in got.splitlines()]
        want(table[0] == ["count", "share", "country"], got)
        want(table[1:] == [[str(n), f"{100 * share:.2f}", "%", value or "-"] for value, n, share in rows], got)
        writes([*by, "--format", "csv", "-f", "ip"], "ip\n" + text, "country,count,share\n" + "".join(f"{v},{n},{s:.6f}\n" for v, n, s in rows))
        got, _ = enrich([*by, *NDJSON, "ip"], "".join(json.dumps({"ip": address}) + "\n" for address in drawn))
        want([json.loads(line) for line in got.splitlines()] ==
             [{"country": v or None, "count": n, "share": float(f"{s:.6f}")} for v, n, s in rows], got)  # fmt: skip
    got, _ = enrich(["--count-by", "country", "--limit", "1", "--format", "csv", "-f", "ip"], "ip\n" + text)
    want(got == f"country,count,share\n{rows[0][0]},{rows[0][1]},{rows[0][2]:.6f}\n", got)
    writes(["--count-by", "asn", "--on-miss", "drop", *NDJSON, "ip"], '{"ip":"10.3.0.1"}\n{"ip":"8.8.8.8"}\n', '{"asn":64500,"count":1,"share":1.000000}\n')
    writes(["--count-by", "prefix", "--where", "country=FR", "-f", "ip", "--format", "csv"], "ip\n10.3.0.1\n10.1.0.1\n10.1.0.2\n",
           "prefix,count,share\n10.1.0.0/16,2,1.000000\n")  # fmt: skip
    # Several fields are counted together, or one of them; of several tables one is named.
    pairs = "a,b\n10.1.0.1,10.3.0.1\n10.3.0.1,8.8.8.8\n"
    writes(["--count-by", "country", "-f", "a", "-f", "b", "--format", "csv"], pairs, "country,count,share\nDE,2,0.500000\n,1,0.250000\nFR,1,0.250000\n")
    writes(["--count-by", "b_country", "-f", "a", "-f", "b", "--format", "csv"], pairs, "b_country,count,share\n,1,0.500000\nDE,1,0.500000\n")
    shutil.copy("t.csv", "u.csv")
    two = ["-t", "u=u.csv"]
    writes([*two, "--count-by", "u_country", "--format", "csv", "-f", "a"], pairs, "u_country,count,share\nDE,1,0.500000\nFR,1,0.500000\n")
    for arguments, words in [
        ([*two, "--count-by", "country"], "several tables have a column 'country'; name one: "),
        (["--count-by", "city"], "--count-by: no column 'city'"),
        (["--count-by", "country", "--columns", "asn"], "--count-by cannot be used with --columns"),
        (["--limit", "3"], "--limit needs --count-by"),
        (["--count-by", "country", "--on-miss", "only"], "--count-by: with --on-miss only there are no answers to count; count by address"),
    ]:
        _, said = enrich([*arguments, "-f", "a", "--format", "csv"], pairs, 2)
        want(words in said, said)
    writes(["--count-by", "country", "--format", "csv", "-f", "ip"], "", "country,count,share\n")


def test_addresses_are_counted() -> None:
    rng = random.Random(8)
    # However an address is written; those without a match count too.
    forms = {"10.3.0.1": ["10.3.0.1", "10.3.0.1:80", "::ffff:10.3.0.1"], "8.8.8.8": ["8.8.8.8"],
             "2001:db8::1": ["2001:db8::1", "2001:DB8:0::1", "[2001:db8::1]:443"], "2001:db8::2": ["2001:db8::2"]}  # fmt: skip
    drawn = rng.choices(list(forms), weights=[5, 3, 4, 2], k=5000)
    text = "ip\n" + "".join(f"{rng.choice(forms[address])}\n" for address in drawn)
    counts = sorted(Counter(drawn).items(), key=lambda c: (-c[1], c[0]))
    wanted = "address,count,share\n" + "".join(f"{a},{n},{n / 5000:.6f}\n" for a, n in counts)
    csv = ["--format", "csv", "-f", "ip"]
    for threads in ("1", "4"):
        writes(["--count-by", "address", "--threads", threads, *csv], text, wanted)
    rows = "ip\n10.3.0.1\n8.8.8.8\n10.1.0.1\n10.3.0.1\n\n"
    writes(["--count-by", "address", "--limit", "1", *csv], rows, "address,count,share\n10.3.0.1,2,0.500000\n")
    writes(["--count-by", "address", "--on-miss", "drop", *csv], rows, "address,count,share\n10.3.0.1,2,0.666667\n10.1.0.1,1,0.333333\n")
    writes(["--count-by", "address", "--on-miss", "only", *csv], rows, "address,count,share\n8.8.8.8,1,1.000000\n")
    writes(["--count-by", "address", "--where", "country=FR", *csv], rows, "address,count,share\n10.1.0.1,1,1.000000\n")
    writes(["--count-by", "ip", "--rename", "address=ip", *NDJSON, "ip"], '{"ip":"10.3.0.1"}\n', '{"ip":"10.3.0.1","count":1,"share":1.000000}\n')
    # All addresses of a line; of several fields those of both, or of one.
    writes(["--format", "log", "--which", "all", "--count-by", "address"], "10.3.0.1 to 8.8.8.8\n8.8.8.8 x\n",
           "count    share  address\n    2  66.67 %  8.8.8.8\n    1  33.33 %  10.3.0.1\n")  # fmt: skip
    pairs = "a,b\n10.1.0.1,10.3.0.1\n10.3.0.1,x\n"
    writes(["--count-by", "address", "-f", "a", "-f", "b", "--format", "csv"], pairs, "address,count,share\n10.3.0.1,2,0.666667\n10.1.0.1,1,0.333333\n", 3)
    writes(["--count-by", "b_address", "-f", "a", "-f", "b", "--format", "csv"], pairs, "b_address,count,share\n10.3.0.1,1,1.000000\n", 3)
    shutil.copy("t.csv", "u.csv")
    writes(["-t", "u=u.csv", "--count-by", "address", *csv], "ip\n10.3.0.1\n", "address,count,share\n10.3.0.1,1,1.000000\n")


def test_tables_are_read_as_lookup_reads_them() -> None:
    Path("odd.txt").write_text("net;asn;name\n10.0.0.0/8;1;a\nbad;2;b\n10.1.0.0/16;3;c\n", encoding="utf-8")
    for options, wanted in [
        ([], "\t10.0.0.0/8\t1\ta"),
        (["--columns", "name,asn"], "\ta\t1"),
        (["--input-format", "csv", "--columns", "prefix,asn"], "\t10.0.0.0/8\t1"),
    ]:
        read = ["-t", "odd.txt", "--network", "net", "--skip-bad", "1", *options]
        done = subprocess.run([PROGRAM, "enrich", *read, "--format", "lines"], input=b"10.2.0.1\n", capture_output=True, check=True)
        want(done.stdout.decode() == f"10.2.0.1{wanted}\n", f"{options}: {done.stdout!r}")
    done = subprocess.run([PROGRAM, "enrich", "-t", "odd.txt", "--network", "net", "--skip-bad", "1", "--type", "asn=text", *NDJSON, "ip"],
                          input=b'{"ip":"10.1.0.1"}\n', capture_output=True, check=True)  # fmt: skip
    want(done.stdout.decode() == '{"ip":"10.1.0.1","prefix":"10.1.0.0/16","asn":"3","name":"c"}\n', repr(done.stdout))
    # A column that is not there, whatever the table's own column of networks is called.
    for command in ("enrich", "lookup"):
        done = subprocess.run([PROGRAM, command, "-t", "t.csv", "--network", "foo"], input=b"10.1.0.1\n", capture_output=True, check=False)
        columns = "network, asn, anycast, code, ratio, country, big"
        want((done.returncode, done.stderr.decode()) == (1, f"fingerpost: t.csv: no column 'foo'; columns: {columns}\n"), repr(done.stderr))


def test_output() -> None:
    rows = "ip,n\n" + "".join(f"10.{n % 4}.0.1,{n}\n" for n in range(50000))
    plain = ["-f", "ip", "--format", "csv", "--columns", "asn"]
    wanted, _ = enrich(plain, rows)
    for name, read in [("o.csv", lambda b: b), ("o.csv.gz", gzip.decompress), ("o.csv.bz2", bz2.decompress), ("o.csv.xz", lzma.decompress), ("o.zst", None)]:
        got, said = enrich([*plain, "-o", name], rows)
        want(got == "" and said == "", said)
        if read is not None:
            want(read(Path(name).read_bytes()).decode() == wanted, name)
        elif shutil.which("zstd"):
            want(subprocess.run(["zstd", "-dc", name], capture_output=True, check=True).stdout.decode() == wanted, name)
        # The program reads what it has written.
        back, _ = enrich(["-f", "ip", "--format", "csv", "--columns", "", name])
        want(back == wanted, f"{name}: is not read back")
    # In place; and an old file stays when the run fails.
    Path("same.csv").write_text("ip\n10.1.0.1\n", encoding="utf-8")
    enrich([*plain, "-o", "same.csv", "same.csv"])
    want(Path("same.csv").read_text(encoding="utf-8") == "ip,asn\n10.1.0.1,64501\n", "in place")
    for arguments, stdin, status in [
        ([*plain, "--on-error", "fail"], "ip\nbad\n", 1),
        ([*NDJSON, "pi"], '{"ip":"10.1.0.1"}\n', 1),
        ([*plain, "--rename", "x=y"], "ip\n10.1.0.1\n", 2),
    ]:
        enrich([*arguments, "-o", "same.csv"], stdin, status)
        want(Path("same.csv").read_text(encoding="utf-8") == "ip,asn\n10.1.0.1,64501\n", f"{arguments}: the old file is gone")
    Path("cut.gz").write_bytes(gzip.compress(b"ip\n" + b"10.1.0.1\n" * 1000)[:-9])
    enrich([*plain, "-o", "same.csv", "cut.gz"], "", 1)
    want(Path("same.csv").read_text(encoding="utf-8") == "ip,asn\n10.1.0.1,64501\n", "a broken input replaces the file")
    enrich([*plain, "-o", "same.csv"], "ip\nbad\n", 3)
    want(Path("same.csv").read_text(encoding="utf-8") == "ip,asn\nbad,\n", "bad rows are written")
    want(not [name for name in os.listdir(".") if name.startswith(".fingerpost")], "a hidden file is left")


def test_unfound() -> None:
    _, said = enrich([*NDJSON, "ip.x"], '{"ip":"10.1.0.1"}\n' * 3, 1)
    want("--field: none of the 3 rows has a field 'ip.x'" in said, said)
    _, said = enrich(["--format", "log", "--regex", "to=(.*)"], "from=10.1.0.1\n", 1)
    want("--regex: matches none of the 1 rows" in said, said)


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        Path("t.csv").write_text(TABLE, encoding="utf-8")
        for test in (test_types, test_nest, test_arrays, test_choices, test_counts, test_addresses_are_counted, test_tables_are_read_as_lookup_reads_them, test_output, test_unfound):
            test()
    want(runs >= 100, f"only {runs} runs")
    print(f"enrich_choices_test: {runs} runs")


if __name__ == "__main__":
    main()
