"""enrich(): every kind of input and output file, including damaged ones."""

from __future__ import annotations

import functools
import ipaddress
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from enrich_rows import BAD, ROUTES, answer, read, texts, write

from fingerpost import Error, Table, enrich


@functools.cache
def addresses_and_answers() -> tuple[list[str | None], list[tuple[str | None, object]]]:
    """Returns addresses as text, and the answers of single lookups in the table of table_file."""
    addresses, table = texts(3000), Table[object](ROUTES)
    return addresses, [answer(table, text) for text in addresses]


KINDS = ["parquet", "arrow", "arrows", "csv", "tsv", "csv.gz"]


@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("of", KINDS)
def test_each_kind_becomes_each(of: str, to: str, tmp_path: Path, table_file: Path) -> None:
    addresses, expected = addresses_and_answers()
    notes = [None if i % 7 == 0 else f'a,"{i}"\n\tb' for i in range(len(addresses))]
    write(pa.table({"ip": addresses, "note": notes}), tmp_path / f"in.{of}")
    report = enrich(tmp_path / f"in.{of}", tmp_path / f"out.{to}", table_file, "ip", csv_types="text")
    found = read(tmp_path / f"out.{to}")
    assert list(found) == ["ip", "note", "prefix", "next_hop"]
    assert found["prefix"] == [prefix for prefix, _ in expected]
    assert found["next_hop"] == [value for _, value in expected]
    assert [text or None for text in found["ip"]] == [text or None for text in addresses]
    assert [note or None for note in found["note"]] == notes
    assert report.rows == report.written == len(addresses)
    assert report.matched == sum(prefix is not None for prefix, _ in expected) > 1000
    assert report.bad == sum(text in BAD for text in addresses) > 50
    assert report.no_address == sum(text is None or not text.strip() for text in addresses) > 50
    assert report.rows == report.matched + report.missed + report.no_address + report.bad


# The first bytes of a file by suffix.
BEGINS = {
    ".parquet": b"PAR1",
    ".pq": b"PAR1",
    ".arrow": b"ARROW1",
    ".feather": b"ARROW1",
    ".ipc": b"ARROW1",
    ".arrows": b"\xff\xff\xff\xff",
    ".csv": b"ip,prefix",
    ".tsv": b"ip\tprefix",
    ".TAB": b"ip\tprefix",
}
OF_JSON = (".ndjson", ".jsonl", ".json", ".NDJSON", ".json.gz")
OF_NO_KIND = (".txt", ".log", ".xlsx", ".parquet.part", ".zst.bak")


@pytest.mark.parametrize("of", ["parquet", "arrow", "arrows", "csv", "tsv"])
def test_the_name_of_the_output_keeps_its_promise(of: str, tmp_path: Path) -> None:
    table = Table({"10.0.0.0/8": "a"}, values=["name"])
    source = tmp_path / f"in.{of}"
    write(pa.table({"ip": ["10.1.1.1", "11.1.1.1"]}), source)
    for suffix, begin in BEGINS.items():
        enrich(source, tmp_path / f"out{suffix}", table, "ip")
        assert (tmp_path / f"out{suffix}").read_bytes().startswith(begin), suffix
    is_text = of in ("csv", "tsv")
    same = BEGINS[".arrow" if of == "arrows" else f".{of}"]
    for suffix in (*OF_JSON, *OF_NO_KIND, ""):
        out = tmp_path / f"made{suffix}"
        if not suffix or (is_text and suffix in OF_NO_KIND):
            enrich(source, out, table, "ip")
            assert out.read_bytes().startswith(same), suffix
            out.unlink()
            continue
        with pytest.raises(ValueError, match=rf"made{suffix}: .* is not one of .*choose format='"):
            enrich(source, out, table, "ip")
        assert not out.exists()
        enrich(source, out, table, "ip", format="csv")
        if not suffix.endswith(".gz"):
            assert out.read_bytes().startswith(b"ip,prefix")


def test_rows_of_json_are_for_the_program(tmp_path: Path) -> None:
    table = Table({"10.0.0.0/8": "a"}, values=["name"])
    for name, content in (
        ("a.csv", b'{"ip":"10.1.1.1"}\n'),
        ("b.txt", b'\n[{"ip":1}]'),
        ("c.jsonl", b"ip\n"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=f"{name}: among text, only CSV and TSV"):
            enrich(tmp_path / name, tmp_path / "out.csv", table, "ip")


def casts_views() -> bool:
    """Returns whether this version of pyarrow can cast views, and not only read their values."""
    try:
        pa.array(["a"], pa.string_view()).cast(pa.string())
    except pa.ArrowNotImplementedError:
        return False
    return True


CASTS_VIEWS = pytest.mark.skipif(not casts_views(), reason="pyarrow 16 knows little of views")
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


@pytest.mark.parametrize(
    "layout", [pytest.param(one, marks=CASTS_VIEWS) if one == "string_view" else one for one in LAYOUTS]
)
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


@CASTS_VIEWS
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


def test_empty_files(tmp_path: Path, table_file: Path) -> None:
    (tmp_path / "none.csv").write_bytes(b"")
    with pytest.raises(Error, match="none.csv: empty file"):
        enrich(tmp_path / "none.csv", tmp_path / "out.parquet", table_file, "ip")
    (tmp_path / "head.csv").write_text("ip,n\n")
    enrich(tmp_path / "head.csv", tmp_path / "out.csv", table_file, "ip")
    assert (tmp_path / "out.csv").read_text() == "ip,n,prefix,next_hop\n"
    write(pa.table({"ip": pa.array([], pa.string())}), tmp_path / "none.parquet")
    enrich(tmp_path / "none.parquet", tmp_path / "out.parquet", table_file, "ip")
    assert pq.read_schema(tmp_path / "out.parquet").names == ["ip", "prefix", "next_hop"]
    assert pa_csv.read_csv(tmp_path / "out.csv").num_rows == 0
