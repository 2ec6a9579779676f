#!/usr/bin/env python3
"""Compares `fingerpost convert` with `bgpdump -m` and pybgpkit-parser, row by row, on files of $FINGERPOST_DATA/mrt; with
FINGERPOST_TESTS=all on the large ones too.

The two differ only by errors of bgpdump, which are listed below by file. The test accepts exactly these differences. Then it writes the
same routes in a form that bgpdump reads correctly, and compares all rows.
"""

import bz2
import csv
import gzip
import io
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from scripts import ALL, skip

# Full tables and quarter-hour update files, of kinds that the small files cover too.
LARGE = {"bview.20000111.0032.gz", "updates.20100227.1600.gz", "updates.19991214.1621.gz"}

TABLE_DUMP, TYPE_BGP, BGP4MP = 12, 5, 16
MESSAGE, MESSAGE_AS4, UPDATE = 1, 4, 1
HEADER = struct.Struct(">IHHI")
Row = tuple[str, ...]  # type, time, peer, peer_as, prefix, next_hop, origin_as
PREFIX, NEXT_HOP = 4, 5


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"mrt_test: {words}")


# The output of both programs.


def bgpdump_rows(file: Path) -> list[Row]:
    done = subprocess.run(["bgpdump", "-m", file], capture_output=True, text=True, check=True)
    rows = []
    for line in done.stdout.splitlines():
        part = line.split("|")
        if part[2] not in ("A", "B", "W"):
            continue
        if part[0].endswith("_AP"):
            del part[6]  # the path identifier
        path = part[6].split() if len(part) > 6 else []
        next_hop = part[8] if len(part) > 8 else ""
        rows.append((part[2], *(part[i] for i in (1, 3, 4, 5)), next_hop, path[-1] if path else ""))
    return rows


def convert(file: Path | str, status: int = 0, stdin: bytes | None = None) -> tuple[list[Row], str]:
    done = subprocess.run([os.environ["FINGERPOST"], "convert", file], input=stdin, capture_output=True, check=False)
    said = done.stderr.decode()
    want(done.returncode == status, f"{file}: exit {done.returncode} instead of {status}: {said}")
    rows = [tuple(row) for row in csv.reader(io.StringIO(done.stdout.decode()))]
    if status == 1:
        want(rows == [], f"{file}: output in spite of an error")
        return [], said
    want(rows[0] == ("type", "time", "peer", "peer_as", "prefix", "next_hop", "origin_as"), f"{file}: {rows[0]}")
    return rows[1:], said


# Other forms of the same records.


def records(stream: bytes) -> Iterator[tuple[int, int, int, bytes]]:
    at = 0
    while at < len(stream):
        seconds, kind, subtype, size = HEADER.unpack_from(stream, at)
        # TABLE_DUMP of 2000: the length excludes the first four bytes of the body.
        end = at + HEADER.size + size
        if kind == TABLE_DUMP and end < len(stream) and stream[end + 4 : end + 6] != b"\0\x0c":
            end += 4
        yield seconds, kind, subtype, stream[at + HEADER.size : end]
        at = end


def record(seconds: int, kind: int, subtype: int, body: bytes) -> bytes:
    return HEADER.pack(seconds, kind, subtype, len(body)) + body


def one_entry_a_record(stream: bytes) -> bytes:
    """Rewrites a record of TABLE_DUMP for IPv4."""
    out = []
    for seconds, kind, subtype, body in records(stream):
        want((kind, subtype) == (TABLE_DUMP, 1), "a record of another type in a table")
        at = 4
        while at < len(body):
            end = at + 18 + struct.unpack_from(">H", body, at + 16)[0]
            out.append(record(seconds, kind, subtype, body[:4] + body[at:end]))
            at = end
    return b"".join(out)


def as_bgp4mp(stream: bytes) -> bytes:
    """Rewrites updates of type BGP as BGP4MP_MESSAGE and drops records without routes."""
    out = []
    for seconds, kind, subtype, body in records(stream):
        if (kind, subtype) != (TYPE_BGP, UPDATE):
            continue
        peer_as, peer, own_as, own = struct.unpack_from(">H4sH4s", body)
        session = struct.pack(">HHHH4s4s", peer_as, own_as, 0, 1, peer, own)
        message = b"\xff" * 16 + struct.pack(">HB", 19 + len(body) - 12, 2) + body[12:]
        out.append(record(seconds, BGP4MP, MESSAGE, session + message))
    return b"".join(out)


def as_addpath(stream: bytes) -> bytes:
    renamed = {MESSAGE: 8, MESSAGE_AS4: 9}
    return b"".join(record(s, kind, renamed.get(sub, sub), body) for s, kind, sub, body in records(stream))


# The differences.


@dataclass
class Fault:
    """A known error of bgpdump for a file."""

    words: str
    # Whether the error explains these rows of bgpdump (`its`) and ours for the file.
    explains: Callable[[list[Row], list[Row]], bool]
    repack: Callable[[bytes], bytes] | None = None


def differences(theirs: list[Row], ours: list[Row]) -> list[tuple[Row, Row]]:
    return [(a, b) for a, b in zip(theirs, ours, strict=True) if a != b]


def with_field(row: Row, field: int, value: str) -> Row:
    return (*row[:field], value, *row[field + 1 :])


def next_hop_missing(theirs: list[Row], ours: list[Row]) -> bool:
    return len(theirs) == len(ours) == 10 and all(
        a[NEXT_HOP] == "255.255.255.255" and with_field(a, NEXT_HOP, "") == b for a, b in zip(theirs, ours, strict=True)
    )


def peer_as_prefix(theirs: list[Row], ours: list[Row]) -> bool:
    def is_it(a: Row, b: Row) -> bool:
        return a[0] == "W" and with_field(b, PREFIX, f"{b[2]}/{b[PREFIX].split('/')[1]}") == a

    different = differences(theirs, ours)
    return len(different) > 1000 and all(is_it(a, b) for a, b in different)


def ids_as_prefixes(theirs: list[Row], ours: list[Row]) -> bool:
    """The lists have the same number of routes, but bgpdump finds more, most of them ::/0."""
    return len(ours) == 14 and len(theirs) == 32 and sum(row[PREFIX] == "::/0" for row in theirs) > 16


def stops_after_one(theirs: list[Row], ours: list[Row]) -> bool:
    return len(ours) == 452_018 and theirs == ours[:1]


FAULTS = {
    "bird6-mrtdump_rib": Fault(
        "prints 255.255.255.255 as the next hop of routes that have none (a table of IPv6 without MP_REACH_NLRI)",
        next_hop_missing,
    ),
    "bird6_bgp": Fault(
        "reads the path identifiers, of which the records do not tell, as prefixes; with the subtypes that do it does not",
        ids_as_prefixes,
        as_addpath,
    ),
    "updates.19991214.1621.gz": Fault(
        "prints the address of the peer in the place of prefixes withdrawn by records of type 5; not as BGP4MP",
        peer_as_prefix,
        as_bgp4mp,
    ),
    "bview.20000111.0032.gz": Fault(
        "reads one entry of a TABLE_DUMP record, and then no more of the file; as one entry a record it reads all",
        stops_after_one,
        one_entry_a_record,
    ),
}


def same(name: str, theirs: list[Row], ours: list[Row]) -> None:
    want(len(theirs) == len(ours), f"{name}: {len(ours)} rows instead of bgpdump's {len(theirs)}")
    for at, (a, b) in enumerate(zip(theirs, ours, strict=True)):
        want(a == b, f"{name}: row {at}: {b} instead of bgpdump's {a}")


def compare(file: Path, scratch: Path) -> tuple[int, int]:
    """Returns the number of equal rows, repacked or not, and the number of rows of the file itself that bgpdump gets wrong."""
    theirs, (ours, _) = bgpdump_rows(file), convert(file)
    fault = FAULTS.get(file.name)
    if fault is None:
        same(file.name, theirs, ours)
        return len(ours), 0
    want(fault.explains(theirs, ours), f"{file.name}: the difference is not that bgpdump {fault.words}")
    if fault.repack is None:
        return 0, len(ours)
    repacked = scratch / "repacked"
    repacked.write_bytes(fault.repack(plain(file)))
    same(f"{file.name}, repacked", bgpdump_rows(repacked), convert(repacked)[0])
    want(convert(repacked)[0] == ours, f"{file.name}: repacked it has other rows")
    return len(ours), len(ours) - sum(a == b for a, b in zip(theirs, ours, strict=False))


# Runs pybgpkit-parser in a separate process, with $FINGERPOST_PYTHON.
BGPKIT = """
import sys, pybgpkit_parser
for e in pybgpkit_parser.Parser(url=sys.argv[1]):
    path = (e.as_path or "").split()
    print(e.elem_type, f"{e.timestamp:.6f}", e.peer_ip, e.peer_asn, e.prefix, e.next_hop or "", path[-1] if path else "", sep="|")
"""

# Files that it does not read completely: it stops after the first entry of a record or does not support type 5, and reports neither.
BGPKIT_CANNOT_READ = {"bview.20000111.0032.gz": 1, "updates.19991214.1621.gz": 0}
# For routes of a table, its time is when the route was learned; bgpdump and we print the time of the record.
TABLES = {"bird6-mrtdump_rib", "bview.20000111.0032.gz", "openbgpd_rib_table", "openbgpd_rib_table-v2", "quagga_rib"}


def bgpkit_rows(file: Path) -> list[Row]:
    done = subprocess.run([os.environ["FINGERPOST_PYTHON"], "-c", BGPKIT, file], capture_output=True, text=True, check=True)
    return [tuple(line.split("|")) for line in done.stdout.splitlines()]


def as_bgpkit(row: Row, is_table: bool) -> Row:
    """Ignores the time of tables. pybgpkit-parser lists routes of tables as announcements."""
    return ("A" if row[0] == "B" else row[0], "" if is_table else f"{float(row[1]):.6f}", *row[2:])


def compare_bgpkit(file: Path, scratch: Path) -> int:
    """Ignores order: within a message, pybgpkit-parser lists announcements first and bgpdump withdrawals."""
    is_table, read, name = file.name in TABLES, file, file.name
    if file.name in BGPKIT_CANNOT_READ:
        want(len(bgpkit_rows(file)) == BGPKIT_CANNOT_READ[file.name], f"{name}: pybgpkit-parser reads more than it did")
        repack = FAULTS[file.name].repack
        assert repack is not None
        read, name = scratch / "repacked", f"{name}, repacked"
        read.write_bytes(repack(plain(file)))
    theirs = sorted(as_bgpkit(row, is_table) for row in bgpkit_rows(read))
    ours = sorted(as_bgpkit(row, is_table) for row in convert(read)[0])
    want(len(theirs) == len(ours), f"{name}: {len(ours)} rows instead of pybgpkit-parser's {len(theirs)}")
    for a, b in zip(theirs, ours, strict=True):
        want(a == b, f"{name}: {b} instead of pybgpkit-parser's {a}")
    return len(ours)


def plain(file: Path) -> bytes:
    read = {".gz": gzip.open, ".bz2": bz2.open}.get(file.suffix, open)
    with read(file, "rb") as opened:
        return opened.read()


def check_damage(file: Path, scratch: Path) -> None:
    """Noise between two records, a truncated record, and a file that is not MRT."""
    stream, (rows, _) = plain(file), convert(file)
    first = HEADER.size + HEADER.unpack_from(stream)[3]
    damaged = scratch / "damaged"
    damaged.write_bytes(stream[:first] + b"\xa5" * 100 + stream[first:])
    got, said = convert(damaged, 3)
    want(got == rows, "noise between records changes the rows")
    line = f"fingerpost: {damaged}: "
    place = f"{line}byte {first}: 100 bytes skipped: no record begins here\n"
    want(said.startswith(f"{place}{line}1 damaged record, 100 bytes skipped\n"), said)
    whole = b""
    for one in records(stream):
        damaged.write_bytes(whole)
        before = convert(damaged)[0]
        damaged.write_bytes(whole + record(*one)[:-1])
        got, said = convert(damaged, 3 if whole else 1)
        want(got == before, f"{file.name}: cut off behind byte {len(whole)} it has other rows")
        want(said.startswith(f"{line}byte {len(whole)}: ") and "the input ends within the record" in said, said)
        whole += record(*one)
    want(whole == stream, "the test loses records")
    damaged.write_bytes(b"no record\n" * 10)
    convert(damaged, 1)


def main() -> int:
    want("FINGERPOST" in os.environ, "set FINGERPOST to the program to test")
    folder = Path(os.environ.get("FINGERPOST_DATA") or "../shared/data") / "mrt"
    files = [file for file in sorted(folder.iterdir()) if ALL or file.name not in LARGE] if folder.is_dir() else []
    if not files:
        skip(f"there are no MRT files in {folder}", "FINGERPOST_REQUIRE_DATA")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        for file in files:
            want(convert("-", stdin=file.read_bytes())[0] == convert(file)[0], f"{file}: other rows from a pipe")
        for file in files:
            if file.name in ("quagga_bgp", "openbgpd_rib_table-v2"):
                check_damage(file, scratch)
        try:
            subprocess.run(["bgpdump"], capture_output=True, check=False)
        except FileNotFoundError:
            skip("bgpdump is not installed (tools/setup test)")
        rows = 0
        for file in files:
            equal, wrong = compare(file, scratch)
            print(f"mrt_test: {file.name}: {equal} rows as bgpdump has them; {wrong} that it has wrong")
            rows += equal
        python = os.environ.get("FINGERPOST_PYTHON", "")
        if not Path(python).is_file():
            skip("the Python packages of tests are not installed (tools/python_env); bgpdump was compared")
        also = sum(compare_bgpkit(file, scratch) for file in files)
    print(f"mrt_test: {len(files)} files, {rows} rows as bgpdump has them, {also} as pybgpkit-parser")
    return 0


if __name__ == "__main__":
    sys.exit(main())
