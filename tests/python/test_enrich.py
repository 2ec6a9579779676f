"""enrich() and `python -m fingerpost enrich`: every kind of file in and out, compared with single lookups."""

from __future__ import annotations

import csv
import doctest
import gzip
import io
import ipaddress
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import fingerpost
from fingerpost import EnrichReport, Error, Table, enrich
from fingerpost._enrich import BATCH_ROWS

ROUTES = {
    "10.0.0.0/8": "192.0.2.1",
    "10.1.0.0/16": "peer-7",
    "10.1.2.3/32": 'a "b", c',
    "2001:db8::/32": "core",
    "2001:db8:1::/48": "édge",
}
ODD = [
    "10.1.2.3:80",
    "[2001:db8::1]:443",
    "2001:db8::1%eth0",
    " 10.1.9.9\t",
    "::ffff:10.1.0.1",
    "::FfFf:a01:203",
]
ODD += ["0:0:0:0:0:ffff:10.2.0.1", "[::ffff:10.1.0.1]:9", "0:0::0:ffff:10.1.0.7", "[10.1.2.3]"]
BAD = [
    "x",
    "10.0.0.256",
    "10.0.0.1:999999",
    "[10.0.0.1",
    "0:0:ffff:10.1.0.1",
    "2001:db8::1%",
    "1.2.3.4%a:80",
    "é",
    ":80",
]


@pytest.fixture
def table_file(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    with path.open("w", newline="") as to:
        csv.writer(to).writerows([("network", "next_hop"), *ROUTES.items()])
    return path


def texts(count: int, seed: int = 1) -> list[str | None]:
    """Returns texts of addresses; some are null, blank, bad, or as sockets have them."""
    draw = random.Random(seed)

    def one() -> str | None:
        kind = draw.randrange(20)
        if kind == 0:
            return None
        if kind == 1:
            return draw.choice(["", "  "])
        if kind == 2:
            return draw.choice(BAD)
        if kind < 6:
            return draw.choice(ODD)
        if kind < 10:
            return str(ipaddress.IPv6Address((0x20010DB8 << 96) | draw.randrange(1 << 82)))
        return f"{draw.choice([10, 10, 11])}.{draw.randrange(4)}.{draw.randrange(4)}.{draw.randrange(5)}"

    return [one() for _ in range(count)]


def plain(text: str) -> str:
    """Returns the address of a text that a socket may have; an IPv4-mapped one as IPv4."""
    text = text.strip(" \t")
    host = text
    if text.startswith("["):
        inside, closing, behind = text[1:].partition("]")
        if closing and (not behind or (behind[0] == ":" and behind[1:].isascii() and behind[1:].isdecimal())):
            host = inside.split("%")[0] if not inside.endswith("%") else inside
    else:
        before, colon, port = text.partition(":")
        if colon and "." in before and port.isdecimal() and len(port) <= 5:
            host = before
        elif "%" in text and not text.endswith("%"):
            host = text.split("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def answer(table: Table[Any], text: str | None) -> tuple[str | None, object]:
    """Returns prefix and value of one text, found by a single lookup."""
    if text is None or not text.strip(" \t"):
        return None, None
    try:
        found = table.match(plain(text))
    except ValueError:
        return None, None
    return found or (None, None)


def write(rows: pa.Table, path: Path) -> None:
    suffix = path.name.split(".", 1)[1]
    if suffix == "parquet":
        pq.write_table(rows, path, row_group_size=1000)
    elif suffix == "arrow":
        with pa.ipc.new_file(path, rows.schema) as to:
            to.write_table(rows, max_chunksize=700)
    elif suffix == "arrows":
        with pa.ipc.new_stream(path, rows.schema) as to:
            to.write_table(rows, max_chunksize=700)
    else:
        plain_file = io.StringIO()
        writer = csv.writer(plain_file, delimiter="\t" if "tsv" in suffix else ",")
        writer.writerow(rows.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in rows.columns), strict=True))
        data = plain_file.getvalue().encode()
        path.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)


def read(path: Path) -> dict[str, list[object]]:
    suffix = path.name.split(".", 1)[1]
    if suffix == "parquet":
        return dict(pq.read_table(path).to_pydict())
    if suffix == "arrow":
        return dict(pa.ipc.open_file(path).read_all().to_pydict())
    if suffix == "arrows":
        return dict(pa.ipc.open_stream(path).read_all().to_pydict())
    data = path.read_bytes()
    text = (gzip.decompress(data) if suffix.endswith("gz") else data).decode()
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "tsv" in suffix else ","))
    return {name: [row[i] or None for row in rows[1:]] for i, name in enumerate(rows[0])}


KINDS = ["parquet", "arrow", "arrows", "csv", "tsv", "csv.gz"]


@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("of", KINDS)
def test_each_kind_becomes_each(of: str, to: str, tmp_path: Path, table_file: Path) -> None:
    addresses = texts(3000)
    notes = [None if i % 7 == 0 else f'a,"{i}"\n\tb' for i in range(len(addresses))]
    write(pa.table({"ip": addresses, "note": notes}), tmp_path / f"in.{of}")
    report = enrich(tmp_path / f"in.{of}", tmp_path / f"out.{to}", table_file, "ip", csv_types="text")
    found = read(tmp_path / f"out.{to}")
    assert list(found) == ["ip", "note", "prefix", "next_hop"]
    table = Table.from_file(table_file)
    expected = [answer(table, text) for text in addresses]
    assert found["prefix"] == [prefix for prefix, _ in expected]
    assert found["next_hop"] == [value for _, value in expected]
    assert [text or None for text in found["ip"]] == [text or None for text in addresses]
    assert [note or None for note in found["note"]] == notes
    assert report.rows == report.written == len(addresses)
    assert report.matched == sum(prefix is not None for prefix, _ in expected) > 1000
    assert report.bad == sum(text in BAD for text in addresses) > 50
    assert report.no_address == sum(text is None or not text.strip() for text in addresses) > 50
    assert report.rows == report.matched + report.missed + report.no_address + report.bad


@pytest.mark.parametrize("text", [*ODD, *BAD, "10.1.2.3", "::", "2001:db8:1::5"])
@pytest.mark.parametrize("default_route", [False, True])
def test_socket_texts_are_read_as_the_program_does(text: str, default_route: bool, tmp_path: Path) -> None:
    table: Table[object] = Table(ROUTES | ({"::/0": "all"} if default_route else {}))
    write(pa.table({"ip": [text, "10.9.9.9"]}), tmp_path / "in.parquet")
    enrich(tmp_path / "in.parquet", tmp_path / "out.parquet", table, "ip")
    found = read(tmp_path / "out.parquet")
    assert (found["prefix"][0], found["value"][0]) == answer(table, text)
    assert (text in BAD) == (found["prefix"][0] is None and not (text == "::" and not default_route))


LAYOUTS: dict[str, Callable[[list[ipaddress.IPv4Address], list[ipaddress.IPv6Address]], pa.Array]] = {
    "large_string": lambda four, six: pa.array([str(a) for a in four + six], pa.large_string()),
    "string_view": lambda four, six: pa.array([str(a) for a in four + six], pa.string_view()),
    "binary": lambda four, six: pa.array([a.packed for a in four + six], pa.binary()),
    "large_binary": lambda four, six: pa.array([a.packed for a in four + six], pa.large_binary()),
    "fixed 4": lambda four, six: pa.array([a.packed for a in four], pa.binary(4)),
    "fixed 16": lambda four, six: pa.array([a.packed for a in six], pa.binary(16)),
    "uint32": lambda four, six: pa.array([int(a) for a in four], pa.uint32()),
    "dictionary": lambda four, six: pa.array([str(a) for a in four + six]).dictionary_encode(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_layout_of_addresses(layout: str, tmp_path: Path) -> None:
    four = [ipaddress.IPv4Address(f"10.{i % 3}.2.3") for i in range(100)]
    six = [ipaddress.IPv6Address(f"2001:db8:{i % 3}::1") for i in range(100)]
    six += [ipaddress.IPv6Address("::ffff:10.1.7.7")]
    rows = LAYOUTS[layout](four, six)
    asked = [str(one) for one in ([*four, *six] if rows.type != pa.binary(16) else six)][: len(rows)]
    table: Table[object] = Table(ROUTES)
    with pa.ipc.new_stream(tmp_path / "in.arrows", pa.schema([("ip", rows.type)])) as to:
        to.write_batch(pa.record_batch([rows], ["ip"]))
    enrich(tmp_path / "in.arrows", tmp_path / "out.arrows", table, "ip")
    found = pa.ipc.open_stream(tmp_path / "out.arrows").read_all()
    assert found.schema.field("ip").type == rows.type
    assert found["prefix"].to_pylist() == [answer(table, one)[0] for one in asked]
    assert found["ip"].to_pylist() == rows.to_pylist()


@pytest.mark.parametrize("of", [pa.string_view(), pa.binary_view()])
def test_rows_with_views_are_dropped(of: pa.DataType, tmp_path: Path) -> None:
    bad = "x" if of == pa.string_view() else b"x"
    good = "10.0.0.1" if of == pa.string_view() else b"\n\0\0\1"
    with pa.ipc.new_stream(tmp_path / "in.arrows", pa.schema([("ip", of)])) as to:
        to.write_batch(pa.record_batch([pa.array([bad, good, None], of)], ["ip"]))
    enrich(
        tmp_path / "in.arrows", tmp_path / "out.arrows", Table(ROUTES), "ip", on_miss="drop", on_error="drop"
    )
    found = pa.ipc.open_stream(tmp_path / "out.arrows").read_all()
    assert found.schema.field("ip").type == of
    assert found["ip"].to_pylist() == [good]


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    write(pa.table({"ip": ["10.0.0.1"], "value": ["mine"]}), tmp_path / "in.parquet")
    table: Table[Any] = Table(ROUTES)
    with pytest.raises(ValueError, match="have a column 'value' already, and in parquet there can be one"):
        enrich(tmp_path / "in.parquet", tmp_path / "out.parquet", table, "ip")
    assert not (tmp_path / "out.parquet").exists()
    enrich(tmp_path / "in.parquet", tmp_path / "prefix.parquet", table, "ip", add=["prefix"])
    assert read(tmp_path / "prefix.parquet")["value"] == ["mine"]
    report = enrich(tmp_path / "in.parquet", tmp_path / "out.csv", table, "ip")
    assert report.messages == ["the rows have a column 'value' already; now there are two"]
    assert (tmp_path / "out.csv").read_text().startswith("ip,value,prefix,value\n")


def test_several_columns_and_tables(tmp_path: Path) -> None:
    write(
        pa.table({"src": ["10.1.2.3", None], "n": [1, 2], "dst": ["x", "2001:db8::9"]}),
        tmp_path / "in.parquet",
    )
    Table({"10.0.0.0/8": ("DE", "1")}, values=["country", "as"]).save(tmp_path / "geo.image")
    tables: dict[str, Table[Any] | Path] = {
        "geo": tmp_path / "geo.image",
        "n": Table({"::/0": 7}, values=int),
    }
    report = enrich(tmp_path / "in.parquet", tmp_path / "out.parquet", tables, ["src", 3])
    assert pq.read_table(tmp_path / "out.parquet").to_pydict() == {
        "src": ["10.1.2.3", None],
        "n": [1, 2],
        "dst": ["x", "2001:db8::9"],
        "src_geo_prefix": ["10.0.0.0/8", None],
        "src_geo_country": ["DE", None],
        "src_geo_as": ["1", None],
        "src_n_prefix": [None, None],
        "src_n_next_hop": [None, None],
        "dst_geo_prefix": [None, None],
        "dst_geo_country": [None, None],
        "dst_geo_as": [None, None],
        "dst_n_prefix": [None, "::/0"],
        "dst_n_next_hop": [None, 7],
    }
    assert (report.matched, report.bad) == (1, 1)
    chosen = enrich(
        tmp_path / "in.parquet",
        tmp_path / "out.parquet",
        tables,
        "src",
        add=["country", "next_hop", "address"],
    )
    assert pq.read_schema(tmp_path / "out.parquet").names[3:] == ["address", "geo_country", "n_next_hop"]
    assert chosen.matched == 1


def test_columns_with_names_that_lookups_have_too(tmp_path: Path) -> None:
    columns = ["value", "length", "index"]
    table: Table[object] = Table({"10.0.0.0/8": ("v", "l", "i")}, values=columns)  # type: ignore[assignment]
    write(pa.table({"ip": ["10.1.1.1", "11.1.1.1", "::ffff:10.0.0.1"]}), tmp_path / "in.parquet")
    enrich(tmp_path / "in.parquet", tmp_path / "out.parquet", table, "ip")
    found = read(tmp_path / "out.parquet")
    assert [found[name] for name in columns] == [["v", None, "v"], ["l", None, "l"], ["i", None, "i"]]


@pytest.mark.parametrize(
    ("on_miss", "on_error", "kept"),
    [
        ("empty", "null", [0, 1, 2, 3]),
        ("drop", "null", [0, 2]),
        ("empty", "drop", [0, 1, 3]),
        ("drop", "drop", [0]),
        ("error", "null", [0, 1, 2, 3]),
    ],
)
def test_rows_without_an_answer(
    on_miss: str, on_error: str, kept: list[int], tmp_path: Path, table_file: Path
) -> None:
    rows = ["10.1.1.1", "8.8.8.8", "what", None]
    write(pa.table({"ip": rows, "n": [0, 1, 2, 3]}), tmp_path / "in.parquet")
    report = enrich(
        tmp_path / "in.parquet",
        tmp_path / "out.parquet",
        table_file,
        "ip",
        on_miss=on_miss,  # type: ignore[arg-type]
        on_error=on_error,  # type: ignore[arg-type]
    )
    assert read(tmp_path / "out.parquet")["n"] == kept
    assert (report.matched, report.missed, report.no_address, report.bad) == (1, 1, 1, 1)
    assert report.refused == (2 if on_miss == "error" else 0)
    name = tmp_path / "in.parquet"
    assert f"{name}: row 3, column 'ip': 'what': unexpected 'w' at column 1" in report.messages[0]
    assert (f"{name}: row 2: '8.8.8.8': has no match" in report.messages) == (on_miss == "error")


def test_the_first_bad_row_can_end_the_run(tmp_path: Path, table_file: Path) -> None:
    addresses = ["10.0.0.1"] * (BATCH_ROWS + 10)
    addresses[BATCH_ROWS + 4] = "nonsense"
    write(pa.table({"ip": addresses}), tmp_path / "in.parquet")
    (tmp_path / "out.csv").write_text("before")
    with pytest.raises(
        Error, match=rf"in.parquet: row {BATCH_ROWS + 5}, column 'ip': 'nonsense': unexpected"
    ):
        enrich(tmp_path / "in.parquet", tmp_path / "out.csv", table_file, "ip", on_error="fail")
    assert (tmp_path / "out.csv").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.parquet", "out.csv", "table.csv"]


def test_bad_rows_are_told_five_times_and_counted(tmp_path: Path, table_file: Path) -> None:
    write(pa.table({"ip": ["bad"] * 100 + ["10.0.0.1"]}), tmp_path / "in.csv")
    told: list[str] = []
    report = enrich(tmp_path / "in.csv", tmp_path / "out.csv", table_file, "ip", tell=told.append)
    assert report.bad == 100
    assert told == report.messages
    assert len(told) == 7
    assert told[5].endswith("further rows with a field that is no address are only counted")
    assert told[6] == "100 bad rows, 95 of them only counted: 95 with a field that is no address"


def test_parquet_stays_as_it_was(tmp_path: Path, table_file: Path) -> None:
    fields = [
        pa.field("ip", pa.string(), metadata={"unit": "address"}),
        pa.field("when", pa.timestamp("ns", "UTC")),
        pa.field("kind", pa.dictionary(pa.int32(), pa.string())),
        pa.field("list", pa.list_(pa.decimal128(9, 2))),
    ]
    columns = [
        pa.array(["10.0.0.1", "2001:db8::1", None] * 1000),
        pa.array([1, None, 1 << 60] * 1000, pa.timestamp("ns", "UTC")),
        pa.array(["a", "b", None] * 1000).dictionary_encode(),
        pa.array([None, [], [Decimal("1.25"), None]] * 1000, pa.list_(pa.decimal128(9, 2))),
    ]
    rows = pa.Table.from_arrays(columns, schema=pa.schema(fields, {"made by": "a test"}))
    compression = {"ip": "zstd", "when": "snappy", "kind": "none", "list.list.element": "gzip"}
    pq.write_table(rows, tmp_path / "in.parquet", compression=compression, row_group_size=1100)
    enrich(tmp_path / "in.parquet", tmp_path / "out.parquet", table_file, "ip")
    found = pq.ParquetFile(tmp_path / "out.parquet")
    columns_of_it = ["ip", "when", "kind", "list"]
    assert found.read(columns_of_it).equals(pq.read_table(tmp_path / "in.parquet"), check_metadata=True)
    assert found.read(columns_of_it).equals(rows)
    assert found.schema_arrow.metadata[b"made by"] == b"a test"
    before, after = pq.read_metadata(tmp_path / "in.parquet"), found.metadata
    assert [after.row_group(i).num_rows for i in range(after.num_row_groups)] == [1100, 1100, 800]
    for i in range(4):
        assert after.row_group(0).column(i).compression == before.row_group(0).column(i).compression
    enrich(tmp_path / "in.parquet", tmp_path / "out.arrow", table_file, "ip")
    decoded = pa.ipc.open_file(tmp_path / "out.arrow").read_all()
    assert decoded["kind"].to_pylist() == rows["kind"].to_pylist()


def test_types_of_csv(tmp_path: Path, table_file: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"\xef\xbb\xbfip,n,code\n10.0.0.1,1,007\n8.8.8.8,,x\n")
    enrich(tmp_path / "in.csv", tmp_path / "out.parquet", table_file, "ip")
    assert pq.read_schema(tmp_path / "out.parquet").types[:3] == [pa.string(), pa.int64(), pa.string()]
    enrich(tmp_path / "in.csv", tmp_path / "text.parquet", table_file, "ip", csv_types="text")
    assert read(tmp_path / "text.parquet")["n"] == ["1", ""]
    enrich(tmp_path / "in.csv", tmp_path / "out.csv", table_file, "ip")
    expected = "ip,n,code,prefix,next_hop\n10.0.0.1,1,007,10.0.0.0/8,192.0.2.1\n8.8.8.8,,x,,\n"
    assert (tmp_path / "out.csv").read_text() == expected
    late = tmp_path / "late.csv"
    late.write_text("ip,n\n" + "10.0.0.1,1\n" * 300_000 + "10.0.0.1,x\n")
    with pytest.raises(Error, match=r"late.csv after row \d+: .*conversion error to int64.*csv_types='text'"):
        enrich(late, tmp_path / "late.parquet", table_file, "ip")
    assert not (tmp_path / "late.parquet").exists()


def test_csv_passes_on_any_bytes_and_tells_short_rows(tmp_path: Path, table_file: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"a,ip\n\xff\xfe,10.0.0.1\nonly\n\xc3\xa9,\xff\n")
    report = enrich(tmp_path / "in.csv", tmp_path / "out.csv", table_file, "ip")
    lines = (tmp_path / "out.csv").read_bytes().split(b"\n")
    assert lines[1:] == [b"\xff\xfe,10.0.0.1,10.0.0.0/8,192.0.2.1", b"\xc3\xa9,\xff,,", b""]
    assert (report.rows, report.bad, report.written) == (3, 2, 2)
    assert any("'only': 1 fields instead of 2; the row is left out" in told for told in report.messages)


def test_several_files_have_the_same_columns(tmp_path: Path, table_file: Path) -> None:
    write(pa.table({"ip": ["10.0.0.1"], "n": [1]}), tmp_path / "a.parquet")
    write(pa.table({"ip": ["10.1.0.1"], "n": [2]}), tmp_path / "b.arrow")
    write(pa.table({"ip": ["10.1.0.1"], "n": ["2"]}), tmp_path / "c.parquet")
    out = tmp_path / "out.parquet"
    enrich([tmp_path / "a.parquet", tmp_path / "b.arrow"], out, table_file, "ip")
    assert read(out)["n"] == [1, 2]
    assert read(out)["prefix"] == ["10.0.0.0/8", "10.1.0.0/16"]
    with pytest.raises(
        Error, match=r"c.parquet: column 2 is 'n' \(string\), but 'n' \(int64\) in .*a.parquet"
    ):
        enrich([tmp_path / "a.parquet", tmp_path / "c.parquet"], out, table_file, "ip")
    assert read(out)["n"] == [1, 2]


def test_a_file_may_become_itself(tmp_path: Path, table_file: Path) -> None:
    path = tmp_path / "in.parquet"
    write(pa.table({"ip": ["10.0.0.1"]}), path)
    path.chmod(0o600)
    enrich(path, path, table_file, "ip", add=["prefix"])
    assert read(path) == {"ip": ["10.0.0.1"], "prefix": ["10.0.0.0/8"]}
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize("damage", ["cut", "middle", "text"])
def test_damaged_files(kind: str, damage: str, tmp_path: Path, table_file: Path) -> None:
    path = tmp_path / f"in.{kind}"
    write(pa.table({"ip": [f"10.{i % 7}.{i % 251}.1" for i in range(5000)]}), path)
    data = bytearray(path.read_bytes())
    if damage == "cut":
        data = data[: len(data) * 2 // 3]
    elif damage == "middle":
        data[len(data) // 4 : len(data) * 3 // 4] = b"\xa5" * (len(data) * 3 // 4 - len(data) // 4)
    else:
        data = bytearray(b"ip\n10.0.0.1\n")
    path.write_bytes(data)
    with pytest.raises(Error, match=f"in.{kind}"):
        enrich(path, tmp_path / f"out.{kind}", table_file, "ip")
    assert sorted(one.name for one in tmp_path.iterdir()) == [f"in.{kind}", "table.csv"]


def test_wrong_arguments(tmp_path: Path, table_file: Path) -> None:
    path, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    write(pa.table({"ip": ["10.0.0.1"], "n": [1]}), path)
    with pytest.raises(ValueError, match="there is no column 'up'; there are ip, n"):
        enrich(path, out, table_file, "up")
    with pytest.raises(ValueError, match="say which column is an address; there are ip, n"):
        enrich(path, out, table_file, [])
    with pytest.raises(ValueError, match="there is no column 'hop'; there are address, prefix, next_hop"):
        enrich(path, out, table_file, "ip", add=["hop"])
    with pytest.raises(ValueError, match="on_miss='keep': it is one of empty, drop, error"):
        enrich(path, out, table_file, "ip", on_miss="keep")  # type: ignore[arg-type]
    with pytest.raises(Error, match="column 'n' is int64; addresses are text"):
        enrich(path, out, table_file, "n")
    with pytest.raises(TypeError, match="tables= takes a fingerpost.Table, the path of one, or a dict"):
        enrich(path, out, 7, "ip")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        enrich(tmp_path / "none.parquet", out, table_file, "ip")
    with pytest.raises(Error, match="'l' is list<.*which CSV has no form for"):
        pq.write_table(pa.table({"ip": ["10.0.0.1"], "l": [[1]]}), path)
        enrich(path, tmp_path / "out.csv", table_file, "ip")
    assert not out.exists()


def command(*arguments: object, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "fingerpost", "enrich", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env=os.environ | environment,
        check=False,
    )


def test_exit_codes_and_words_of_the_command(tmp_path: Path, table_file: Path) -> None:
    rows = b"src,dst\n10.1.7.7,8.8.8.8\n9.9.9.9,\n"
    done = command("-t", table_file, "-f", "src", "--field", "dst", "--add", "prefix", "--stats", stdin=rows)
    assert (done.returncode, done.stdout) == (
        0,
        b"src,dst,src_prefix,dst_prefix\n10.1.7.7,8.8.8.8,10.1.0.0/16,\n9.9.9.9,,,\n",
    )
    assert b"2 rows: 1 matched, 1 missed, 0 without an address, 0 bad" in done.stderr
    assert command("-t", table_file, "-f", "src", stdin=b"src\nx\n").returncode == 3
    assert (
        command("-t", table_file, "-f", "src", "--on-miss", "error", stdin=b"src\n9.9.9.9\n").returncode == 3
    )
    failed = command("-t", table_file, "-f", "src", "--on-error", "fail", stdin=b"src\nx\n")
    assert failed.returncode == 1
    assert b"fingerpost: stdin: row 1, column 'src': 'x': unexpected 'x' at column 1" in failed.stderr
    missing = command("-t", table_file, "-f", "1", tmp_path / "none.csv")
    assert (missing.returncode, b"none.csv: No such file or directory" in missing.stderr) == (1, True)
    assert command("-t", table_file, "-f", "nothing", stdin=rows).returncode == 2
    assert command("-t", table_file, stdin=rows).returncode == 2
    assert command("-f", "src", stdin=rows).returncode == 2
    assert command("-t", table_file, "-t", table_file, "-f", "src", stdin=rows).returncode == 2
    stream = command("-t", f"a={table_file}", "-f", "src", "--format", "arrow", stdin=rows)
    assert pa.ipc.open_stream(stream.stdout).read_all()["prefix"].to_pylist() == ["10.1.0.0/16", None]
    back = command("-t", table_file, "-f", "src", "--format", "tsv", "--add", "next_hop", stdin=stream.stdout)
    assert back.stdout.split(b"\n")[1] == b"10.1.7.7\t8.8.8.8\t10.1.0.0/16\tpeer-7\tpeer-7"
    (tmp_path / "pyarrow.py").write_text("raise ModuleNotFoundError('gone', name='pyarrow')")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    without = command("-t", table_file, "-f", "src", stdin=rows, PYTHONPATH=path)
    assert (without.returncode, b"pip install 'fingerpost[arrow]'" in without.stderr) == (1, True)


def test_it_answers_as_the_program_does(tmp_path: Path, table_file: Path) -> None:
    program = os.environ.get("FINGERPOST")
    if not program:
        pytest.skip("FINGERPOST does not name the program")
    write(pa.table({"ip": texts(5000), "n": list(range(5000))}), tmp_path / "in.csv")
    arguments = ["-t", str(table_file), "-f", "ip", str(tmp_path / "in.csv")]
    for more in ([], ["--on-miss", "drop"], ["--on-error", "drop", "--add", "next_hop,prefix"]):
        theirs = subprocess.run([program, "enrich", *arguments, *more], capture_output=True, check=False)
        ours = command(*arguments, *more)
        assert ours.returncode == theirs.returncode == 3
        assert list(csv.reader(io.StringIO(ours.stdout.decode()))) == list(
            csv.reader(io.StringIO(theirs.stdout.decode().replace("\r\n", "\n")))
        )


def test_a_closed_pipe_is_quiet(tmp_path: Path, table_file: Path) -> None:
    write(pa.table({"ip": ["10.0.0.1"] * 200_000}), tmp_path / "in.csv")
    with subprocess.Popen(
        [sys.executable, "-m", "fingerpost", "enrich", "-t", table_file, "-f", "ip", tmp_path / "in.csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stdout is not None and run.stderr is not None
        run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait(60) == 0


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_it_leaves_nothing(
    sent: signal.Signals, code: int, tmp_path: Path, table_file: Path
) -> None:
    out = tmp_path / "out.csv"
    with subprocess.Popen(
        [sys.executable, "-m", "fingerpost", "enrich", "-t", table_file, "-f", "ip", "-o", out],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stdin is not None and run.stderr is not None
        run.stdin.write(b"ip\n" + b"10.0.0.1\n" * 500_000)
        run.stdin.flush()
        limit = time.monotonic() + 60
        while not any(one.name.endswith(".part") for one in tmp_path.iterdir()):
            assert time.monotonic() < limit
            time.sleep(0.02)
        # The pipe stays open: a command that waited for more rows would not end.
        run.send_signal(sent)
        assert run.wait(60) == code
        assert b"Traceback" not in run.stderr.read()
        run.stdin.close()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["table.csv"]


def test_millions_of_rows_in_little_memory(tmp_path: Path, table_file: Path) -> None:
    """What a file needs does not grow with it."""
    draw = numpy.random.default_rng(1)
    group, groups = 1 << 18, 20
    schema = pa.schema([("id", pa.int64()), ("ip", pa.string()), ("rest", pa.binary(120))])
    octets = draw.integers(0, 256, (group, 3)).tolist()
    ip = pa.array([f"10.{a}.{b}.{c}" for a, b, c in octets])

    def size_and_peak(groups: int) -> tuple[int, int]:
        with pq.ParquetWriter(tmp_path / "in.parquet", schema, use_dictionary=False) as to:
            for i in range(groups):
                ids = pa.array(numpy.arange(i * group, (i + 1) * group))
                rest = pa.FixedSizeBinaryArray.from_buffers(
                    pa.binary(120), group, [None, pa.py_buffer(draw.bytes(group * 120))]
                )
                to.write_table(pa.table([ids, ip, rest], schema=schema))
        code = (
            "import sys, fingerpost\n"
            "report = fingerpost.enrich(sys.argv[1], sys.argv[2], sys.argv[3], 'ip')\n"
            # Of this program alone; getrusage() counts what the process was before it as well.
            "status = open('/proc/self/status').read().split()\n"
            "print(report.matched, int(status[status.index('VmHWM:') + 1]) * 1024)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path / "in.parquet", tmp_path / "out.parquet", table_file],
            capture_output=True,
            check=True,
        )
        matched, peak = map(int, done.stdout.split())
        assert matched == group * groups
        return (tmp_path / "in.parquet").stat().st_size, peak

    small, small_peak = size_and_peak(4)
    large, large_peak = size_and_peak(groups)
    assert large - small > 500_000_000
    assert large_peak - small_peak < (large - small) / 3
    ids = pq.ParquetFile(tmp_path / "out.parquet").read(["id"])["id"].to_numpy()
    assert (ids == numpy.arange(group * groups)).all()
    table = Table.from_file(table_file)
    rows = (
        pq.ParquetFile(tmp_path / "out.parquet")
        .read_row_group(3, ["ip", "prefix", "next_hop"])
        .slice(0, 2000)
    )
    for row in rows.to_pylist():
        assert (row["prefix"], row["next_hop"]) == table.match(row["ip"])


def test_progress_and_report_are_of_the_run(tmp_path: Path, table_file: Path) -> None:
    write(pa.table({"ip": ["10.0.0.1"] * (BATCH_ROWS * 2 + 1)}), tmp_path / "in.parquet")
    seen: list[int] = []
    mine = EnrichReport()
    given = enrich(
        tmp_path / "in.parquet",
        tmp_path / "out.arrow",
        fingerpost.Table.from_file(table_file),
        "ip",
        report=mine,
        progress=lambda report: seen.append(report.rows),
    )
    assert given is mine
    assert seen[-1] == mine.rows == BATCH_ROWS * 2 + 1
    assert seen == sorted(seen)
    assert len(seen) >= 3


@pytest.mark.parametrize("rows", [0, 500_000])
def test_an_open_pipe_does_not_keep_it_alive(rows: int, tmp_path: Path, table_file: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "fingerpost", "enrich", "-t", table_file, "-f", "ip", "--on-error", "fail"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stdin is not None and run.stderr is not None
        if rows:
            run.stdin.write(b"ip\nwrong\n" + b"10.0.0.1\n" * rows)
            run.stdin.flush()
            assert run.wait(60) == 1
            assert b"row 1, column 'ip': 'wrong'" in run.stderr.read()
        else:
            time.sleep(1)
            run.send_signal(signal.SIGTERM)
            assert run.wait(60) in (143, -signal.SIGTERM)
        run.stdin.close()


def test_a_full_disk_is_told(table_file: Path) -> None:
    failed = command("-t", table_file, "-f", "ip", "-o", "/dev/full", stdin=b"ip\n10.0.0.1\n")
    assert (failed.returncode, failed.stderr) == (1, b"fingerpost: /dev/full: No space left on device\n")


def test_progress_is_for_terminals(tmp_path: Path, table_file: Path) -> None:
    write(pa.table({"ip": ["10.0.0.1"] * (BATCH_ROWS * 40)}), tmp_path / "in.arrow")
    ours, theirs = os.openpty()
    arguments = ["-t", table_file, "-f", "ip", "-o", tmp_path / "out.parquet", tmp_path / "in.arrow"]
    run = [sys.executable, "-m", "fingerpost", "enrich", *map(str, arguments)]
    subprocess.run(run, stderr=theirs, check=True)
    os.close(theirs)
    assert b" rows/s" in os.read(ours, 10_000)
    os.close(ours)
    assert subprocess.run(run, capture_output=True, check=True).stderr == b""


def test_empty_files(tmp_path: Path, table_file: Path) -> None:
    (tmp_path / "none.csv").write_bytes(b"")
    with pytest.raises(Error, match="none.csv: it is empty"):
        enrich(tmp_path / "none.csv", tmp_path / "out.csv", table_file, "ip")
    (tmp_path / "head.csv").write_text("ip,n\n")
    enrich(tmp_path / "head.csv", tmp_path / "out.csv", table_file, "ip")
    assert (tmp_path / "out.csv").read_text() == "ip,n,prefix,next_hop\n"
    write(pa.table({"ip": pa.array([], pa.string())}), tmp_path / "none.parquet")
    enrich(tmp_path / "none.parquet", tmp_path / "out.parquet", table_file, "ip")
    assert pq.read_schema(tmp_path / "out.parquet").names == ["ip", "prefix", "next_hop"]
    assert pa_csv.read_csv(tmp_path / "out.csv").num_rows == 0


def test_the_examples_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = Path(__file__).parents[2] / "docs" / "guides" / "python_files.md"
    (tmp_path / "bin").mkdir()
    # The examples call whatever Python runs the tests.
    script = tmp_path / "bin" / "python"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    blocks = guide.read_text().split("```console\n")[1:]
    assert blocks
    for block in blocks:
        commands = ("\n" + block.split("```")[0]).split("\n$ ")[1:]
        for one in commands:
            line, _, expected = one.partition("\n")
            shell = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True)
            assert shell.stdout.rstrip("\n") == expected.rstrip("\n")
    result = doctest.testfile(str(guide), module_relative=False, encoding="utf-8")
    assert (result.failed, result.attempted > 8) == (0, True)
