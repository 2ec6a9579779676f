"""Warnings and reports about a table that was read, in the words of the program."""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import warnings
from pathlib import Path

import pytest

import fingerpost
from fingerpost import Error, Table, TableReport, TableWarning

# Two prefixes twice, and three with host bits set; two routes of IPv6.
ROWS = """10.0.0.0/8,a
10.1.2.3/16,b
2001:db8::/32,c
10.0.0.0/8,d
2001:db8::1/32,e
192.0.2.1/24,f
"""
HEADER = "network,name\n"
NOTHING = dict.fromkeys(
    ("bad", "replaced", "not_best", "masked", "other_family", "without_network", "left_out", "unused_lengths"), 0
)


def read(path: Path, **how: object) -> tuple[TableReport, list[TableWarning]]:
    """Reads a table. Returns its report and the warnings, which refer to the line of the caller."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        table = Table.from_file(path, **how)  # type: ignore[call-overload]
    assert table.report is not None
    for one in told:
        assert one.category is TableWarning
        assert one.filename == __file__
    return table.report, [one.message for one in told if isinstance(one.message, TableWarning)]


def said_by_the_program(path: Path, *options: str) -> list[str]:
    """Returns the program's messages about a table, except how it was understood."""
    program = os.environ.get("FINGERPOST")
    if not program:
        pytest.skip("FINGERPOST does not name the program")
    run = [program, "lookup", "-t", str(path), *options, "10.0.0.1"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    lines = [line.removeprefix("fingerpost: ") for line in done.stderr.splitlines()]
    return [line for line in lines if ": read as " not in line]


def record(kind: int, subtype: int, body: bytes) -> bytes:
    return struct.pack(">IHHI", 0, kind, subtype, len(body)) + body


def test_what_was_replaced_and_changed_is_said(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(HEADER + ROWS)
    report, told = read(path)
    assert report.file == str(path)
    assert report.understood == "CSV with column network"
    assert report.counts == NOTHING | {"replaced": 2, "masked": 3}
    assert [(one.kind, one.count, one.file) for one in told] == [
        ("replaced", 2, str(path)),
        ("masked", 3, str(path)),
    ]
    assert [str(one) for one in told] == list(report.messages) == said_by_the_program(path)


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(HEADER + ROWS)
    report, told = read(path, family=4)
    assert report.counts == NOTHING | {"replaced": 1, "masked": 2, "other_family": 2}
    assert [str(one) for one in told] == said_by_the_program(path, "--family", "4")
    path.write_text(HEADER + "10.0.0.0/8,a\nx,b\n")
    report, told = read(path, skip_bad=1)
    assert report.counts == NOTHING | {"bad": 1}
    assert str(told[0]).startswith(f"{path}: 1 bad line skipped; the first: {path}:3: 'x'")
    image = tmp_path / "image"
    Table({"10.0.0.0/8": "a", "::/0": "b", "2001:db8::/32": "c"}).save(image)
    report, told = read(image, family=4)
    assert report.counts == NOTHING | {"other_family": 2}
    assert [str(one) for one in told] == said_by_the_program(image, "--family", "4")


def test_other_routing_tables_are_said(tmp_path: Path) -> None:
    path = tmp_path / "routes"
    path.write_text("default via 192.0.2.1 dev eth0\n10.0.0.0/8 via 192.0.2.9 dev eth1 table 100\n")
    report, told = read(path)
    assert report.counts == NOTHING | {"left_out": 1}
    assert [str(one) for one in told] == list(report.messages) == said_by_the_program(path)
    assert str(told[0]) == f"{path}: left out 1 route of table 100"


def test_one_routing_table_is_chosen(tmp_path: Path) -> None:
    path = tmp_path / "routes"
    path.write_text("default via 192.0.2.1 dev eth0\n10.0.0.0/8 via 192.0.2.9 dev eth1 table 100\n")
    report, told = read(path, routing_table="100")
    assert list(Table.from_file(path, routing_table="100")) == ["10.0.0.0/8"]
    assert report.counts == NOTHING | {"left_out": 1}
    assert [str(one) for one in told] == said_by_the_program(path, "--routing-table", "100")
    with pytest.raises(Error, match="100"):
        Table.from_file(path, routing_table="7")
    with pytest.raises(TypeError, match="aliases must be True or False, not 1"):
        Table.from_file(path, aliases=1)  # type: ignore[call-overload]


def test_records_and_lengths_that_are_not_used_are_said(tmp_path: Path) -> None:
    path = tmp_path / "table.ndjson"
    path.write_text('{"network":"10.0.0.0/8","name":"a"}\n{"generated":"2026-11-27"}\n')
    report, told = read(path)
    assert report.counts == NOTHING | {"without_network": 1}
    assert [str(one) for one in told] == said_by_the_program(path)
    path.write_text("10.0.0.0 8\n10.1.0.0 16\n")
    report, told = read(path)
    assert report.counts == NOTHING | {"unused_lengths": 1}
    assert "although the column 'next_hop' looks like lengths" in str(told[0])


def test_a_header_that_is_missing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("10.0.0.0,10.255.255.255,a\n")
    report, told = read(path)
    assert report.counts == NOTHING
    assert "CSV without a header with column" in report.understood
    assert [(one.kind, str(one)) for one in told] == [("no_header", f"{path}: read as {report.understood}")]


def test_a_recorded_table_has_counts_of_its_own(tmp_path: Path) -> None:
    # RFC 6396: a table of one peer with one route, and a record of an unknown type.
    peer = struct.pack(">IHHBI4sI", 1, 0, 1, 2, 1, bytes([192, 0, 2, 1]), 64500)
    attributes = bytes([0x40, 1, 1, 0, 0x40, 2, 6, 2, 1, 0, 0, 0xFB, 0xF4, 0x40, 3, 4, 192, 0, 2, 1])
    route = struct.pack(">IBBHHIH", 0, 8, 10, 1, 0, 0, len(attributes)) + attributes
    path = tmp_path / "table.mrt"
    path.write_bytes(record(13, 1, peer) + record(99, 0, b"?") + record(13, 2, route))
    report, told = read(path)
    assert report.understood == "an MRT file"
    skipped = {"damaged": 0, "other_records": 1, "rib_generic": 0, "multicast": 0, "updates": 0}
    assert report.counts == NOTHING | skipped
    assert [str(one) for one in told] == [f"{path}: skipped 1 records of other types"]
    assert [str(one) for one in told] == said_by_the_program(path)


def test_nothing_is_said_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_text("10.0.0.0/8 a\n")
    report, told = read(path)
    assert (report, told) == (TableReport(str(path), "", NOTHING, ()), [])
    assert pickle.loads(pickle.dumps(report)) == report
    assert Table({"10.0.0.0/8": 1}).report is None
    assert Table.from_file(path).copy().report is None


def test_a_warning_may_be_an_error(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(HEADER + ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TableWarning)
        with pytest.raises(TableWarning, match="2 routes replaced by a later one of the same prefix"):
            Table.from_file(path)


def test_enrich_says_it_too(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.csv"
    path.write_text(HEADER + ROWS)
    (tmp_path / "rows.csv").write_text("ip\n10.0.0.1\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = fingerpost.enrich(tmp_path / "rows.csv", tmp_path / "out.csv", path, "ip")
    assert report.messages == [
        f"{path}: 2 routes replaced by a later one of the same prefix",
        f"{path}: 3 routes had bits set past the prefix length; they were cleared",
    ]
