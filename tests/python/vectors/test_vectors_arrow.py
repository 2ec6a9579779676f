"""lookup_many over Arrow columns in every layout, as pyarrow, Polars, DuckDB and pandas export them."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest
import vector_rows as v

import fingerpost

pa = pytest.importorskip("pyarrow")

ROWS = v.sample(5000, 21, nulls=0.1, bad=0.05)
GOOD = v.sample(5000, 22, nulls=0.1)
OF_FAMILY = {family: v.sample(5000, 20 + family, family=family, nulls=0.1) for family in (4, 6)}

INTEGERS, TEXTS, ROWS_OF_TWO = v.integers(), v.texts(), v.rows_of_two_columns()
# Caches single lookups, which are slow, because rows repeat.
SEEN: dict[tuple[int, str, str | None], object] = {}

TEXT_TYPES = [pa.string(), pa.large_string(), pa.string_view()]
BINARY_TYPES = [pa.binary(), pa.large_binary(), pa.binary_view()]


class Exported:
    """Exposes only the Arrow interface of a column, so that the answer is an ArrowColumn."""

    def __init__(self, column: object) -> None:
        self.column = column

    def __getattr__(self, name: str) -> object:
        return getattr(self.column, name)


def one_by_one(table: fingerpost.Table[object], rows: list[str | None], want: str = "value") -> list[object]:
    of = id(table)  # The tables above are never freed, so ids are unique.
    new = list({row for row in rows if (of, want, row) not in SEEN})
    SEEN.update({(of, want, row): one for row, one in zip(new, v.one_by_one(table, new, want), strict=True)})
    return [SEEN[of, want, row] for row in rows]


def slices(column: pa.Array, rows: list[str | None]) -> list[tuple[pa.Array, list[str | None]]]:
    """The column and slices that start within bytes of bitmaps, within blocks, and at the end."""
    cuts = [
        (0, len(rows)),
        (0, 0),
        (1, 7),
        (3, 2048),
        (1027, 1024),
        (4999, 1),
        (len(rows), 0),
        (13, len(rows) - 13),
    ]
    return [(column.slice(first, count), rows[first : first + count]) for first, count in cuts]


def check(table: fingerpost.Table[object], column: pa.Array, rows: list[str | None]) -> None:
    for part, part_rows in slices(column, rows):
        for want in ("value", "prefix", "length"):
            answer = table.lookup_many(part, want)
            answer.validate(full=True)
            assert isinstance(answer, pa.Array)
            assert answer.to_pylist() == one_by_one(table, part_rows, want)


@pytest.mark.parametrize("type_", TEXT_TYPES, ids=str)
def test_text(type_: pa.DataType) -> None:
    check(INTEGERS, pa.array(ROWS, type=type_), ROWS)
    check(TEXTS, pa.array(ROWS, type=type_), ROWS)


@pytest.mark.parametrize("type_", BINARY_TYPES, ids=str)
def test_binary_of_both_families(type_: pa.DataType) -> None:
    check(INTEGERS, pa.array(v.packed(GOOD), type=type_), GOOD)
    report = fingerpost.Report()
    column = pa.array([b"", b"abc", None, b"0123456789abcdef0", b"\x0a\x01\x02\x03"], type=type_)
    assert INTEGERS.lookup_many(column, report=report).to_pylist() == [None, None, None, None, 4]
    assert (report.bad, report.nulls, report.matched) == (3, 1, 1)
    assert [row for row, _, _ in report.first_bad] == [0, 1, 3]


@pytest.mark.parametrize("family", [4, 6])
def test_fixed_size_binary(family: int) -> None:
    rows = OF_FAMILY[family]
    check(INTEGERS, pa.array(v.packed(rows), type=pa.binary(4 if family == 4 else 16)), rows)
    dense = [row for row in rows if row is not None]
    check(INTEGERS, pa.array(v.packed(dense), type=pa.binary(4 if family == 4 else 16)), dense)


def test_uint32() -> None:
    rows = OF_FAMILY[4]
    values = [None if row is None else v.numbers([row])[0] for row in rows]
    check(INTEGERS, pa.array(values, type=pa.uint32()), rows)
    dense = [row for row in rows if row is not None]
    check(TEXTS, pa.array(v.numbers(dense), type=pa.uint32()), dense)


INDEX_TYPES = [
    pa.int8(),
    pa.uint8(),
    pa.int16(),
    pa.uint16(),
    pa.int32(),
    pa.uint32(),
    pa.int64(),
    pa.uint64(),
]


@pytest.mark.parametrize("index", INDEX_TYPES, ids=str)
def test_dictionaries(index: pa.DataType) -> None:
    entries = v.sample(100, 23, bad=0.1)
    picks = [None if i % 11 == 0 else i * 7 % 100 for i in range(5000)]
    rows = [None if pick is None else entries[pick] for pick in picks]
    for type_ in TEXT_TYPES[:2]:
        column = pa.DictionaryArray.from_arrays(pa.array(picks, type=index), pa.array(entries, type=type_))
        check(INTEGERS, column, rows)
    with_null = pa.DictionaryArray.from_arrays(pa.array(picks, type=index), pa.array([None, *entries[1:]]))
    check(INTEGERS, with_null, [None if pick == 0 else row for pick, row in zip(picks, rows, strict=True)])


def test_dictionaries_of_binary() -> None:
    entries = [entry for entry in v.sample(300, 24, family=6)]
    column = pa.array([entries[i % 300] for i in range(5000)])
    encoded = pa.DictionaryArray.from_arrays(
        pa.array([i % 300 for i in range(5000)]), pa.array(v.packed(entries), type=pa.binary(16))
    )
    check(INTEGERS, encoded, column.to_pylist())
    sliced = pa.DictionaryArray.from_arrays(
        pa.array([i % 100 for i in range(5000)]),
        pa.array(v.packed(entries), type=pa.binary(16)).slice(150, 100),
    )
    check(INTEGERS, sliced, [entries[150 + i % 100] for i in range(5000)])


def test_an_index_outside_of_the_dictionary_is_a_bad_row() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 5, -1, 1]), pa.array(["10.1.2.3", "x"]), safe=False)
    report = fingerpost.Report()
    assert INTEGERS.lookup_many(column, report=report).to_pylist() == [4, None, None, None]
    assert [row for row, _, _ in report.first_bad] == [1, 2, 3]
    assert "outside the dictionary" in report.first_bad[0][2]


def test_null_counts_that_nobody_counted() -> None:
    column = pa.array(ROWS)
    buffers = column.buffers()
    uncounted = pa.Array.from_buffers(pa.string(), len(ROWS), buffers, null_count=-1)
    check(INTEGERS, uncounted, ROWS)
    all_valid = pa.Array.from_buffers(
        pa.binary(4), 2, [None, pa.py_buffer(bytes([10, 1, 2, 3] * 2))], null_count=-1
    )
    assert INTEGERS.lookup_many(all_valid).to_pylist() == [4, 4]


def test_columns_of_nulls_and_of_nothing() -> None:
    for type_ in [*TEXT_TYPES, *BINARY_TYPES, pa.binary(4), pa.binary(16), pa.uint32()]:
        assert INTEGERS.lookup_many(pa.nulls(2000, type_), "prefix").to_pylist() == [None] * 2000
        empty = INTEGERS.lookup_many(pa.array([], type=type_))
        assert (empty.type, len(empty)) == (pa.uint32(), 0)
        chunks = INTEGERS.lookup_many(pa.chunked_array([], type=type_), ["value", "length"])
        assert chunks.num_chunks == 0
        assert chunks.type == pa.struct({"value": pa.uint32(), "length": pa.uint8()})


def test_chunks_in_are_chunks_out() -> None:
    parts = [ROWS[:1000], [], ROWS[1000:1003], ROWS[1003:]]
    column = pa.chunked_array([pa.array(part, type=pa.string()) for part in parts])
    for threads in (1, 3):
        answer = INTEGERS.lookup_many(column, threads=threads)
        assert isinstance(answer, pa.ChunkedArray)
        assert [len(chunk) for chunk in answer.chunks] == [1000, 0, 3, 3997]
        assert answer.to_pylist() == one_by_one(INTEGERS, ROWS)
    dictionaries = pa.chunked_array([pa.array(part, type=pa.string()).dictionary_encode() for part in parts])
    assert INTEGERS.lookup_many(dictionaries, "prefix").to_pylist() == one_by_one(INTEGERS, ROWS, "prefix")
    with pytest.raises(ValueError, match="row 1001: 'bad'"):
        INTEGERS.lookup_many(
            pa.chunked_array([["10.1.2.3"] * 1000, [], ["::1", "bad", "x"]]), on_error="raise"
        )


def test_types_of_answers() -> None:
    column = pa.array(["10.1.2.3", "11.0.0.1", None])
    assert INTEGERS.lookup_many(column).type == pa.uint32()
    assert INTEGERS.lookup_many(column, "index").type == pa.uint32()
    assert INTEGERS.lookup_many(column, "length").type == pa.uint8()
    assert INTEGERS.lookup_many(column, "prefix").type == pa.string()
    assert TEXTS.lookup_many(column).to_pylist() == ["hop 4 é", None, None]
    assert ROWS_OF_TWO.lookup_many(column, "asn").to_pylist() == ["AS4", None, None]
    assert ROWS_OF_TWO.lookup_many(column).to_pylist() == [{"asn": "AS4", "country": "CH"}, None, None]
    many = ROWS_OF_TWO.lookup_many(column, ["country", "value", "length"])
    assert many.to_pylist() == [
        {"country": "CH", "value": {"asn": "AS4", "country": "CH"}, "length": 32},
        {"country": None, "value": None, "length": None},
        {"country": None, "value": None, "length": None},
    ]


def test_objects_of_one_type_become_that_type() -> None:
    column = pa.array(["10.0.0.1", "11.0.0.1", "12.0.0.1", "13.0.0.1"])
    where = ["10.0.0.0/8", "11.0.0.0/8", "12.0.0.0/8"]

    def of(*values: object) -> fingerpost.Table[object]:
        return fingerpost.Table(zip(where, values, strict=True))

    assert of(1, -(2**63), None).lookup_many(column).to_pylist() == [1, -(2**63), None, None]
    assert of(1, 2.5, None).lookup_many(column).to_pylist() == [1.0, 2.5, None, None]
    with_none = of("a", None, "").lookup_many(column, ["value", "length"]).to_pylist()
    assert [row["value"] for row in with_none] == ["a", None, "", None]
    assert [row["length"] for row in with_none] == [8, 8, 8, None]
    for values in ((1, "a", 2), (1, 2**63, 2), (1, True, 2), ([], 1, 2)):
        with pytest.raises(TypeError, match="an Arrow column needs values that are all"):
            of(*values).lookup_many(column)
        assert of(*values).lookup_many(column, "length").to_pylist() == [8, 8, 8, None]


def test_defaults_leave_null_and_bad_rows_null() -> None:
    column = pa.array(["10.0.0.1", "11.0.0.1", None, "bad"])
    assert INTEGERS.lookup_many(column, default=77).to_pylist() == [1, 77, None, None]
    assert INTEGERS.lookup_many(column, "prefix", default="-").to_pylist() == ["10.0.0.0/8", "-", None, None]
    many = INTEGERS.lookup_many(column, ["value", "length"], default={"length": 0}).to_pylist()
    assert [row["value"] for row in many] == [1, None, None, None]
    assert [row["length"] for row in many] == [8, 0, None, None]
    for wrong, kind in (("x", TypeError), (-1, OverflowError), (2**32, OverflowError), (1.5, TypeError)):
        with pytest.raises(kind, match="uint32"):
            INTEGERS.lookup_many(column, default=wrong)


def test_tables_of_one_column_are_that_column() -> None:
    batch = pa.record_batch({"ip": ROWS})
    expected = one_by_one(INTEGERS, ROWS)
    assert INTEGERS.lookup_many(batch).to_pylist() == expected
    assert INTEGERS.lookup_many(batch.slice(17, 1000)).to_pylist() == expected[17:1017]
    assert INTEGERS.lookup_many(pa.table(batch)).to_pylist() == expected
    reader = pa.RecordBatchReader.from_batches(batch.schema, (batch.slice(i * 500, 500) for i in range(10)))
    assert INTEGERS.lookup_many(reader).to_pylist() == expected


def test_null_structs_have_null_fields() -> None:
    fields = pa.array(["10.1.2.3", "10.1.2.3", None, "10.0.0.1", "10.1.2.3"])
    column = pa.StructArray.from_arrays([fields], ["ip"], mask=pa.array([False, True, False, False, True]))
    assert INTEGERS.lookup_many(column).to_pylist() == [4, None, None, 1, None]
    assert INTEGERS.lookup_many(column.slice(1)).to_pylist() == [None, None, 1, None]


def test_the_column_that_needs_no_pyarrow() -> None:
    expected = one_by_one(TEXTS, ROWS)
    one = TEXTS.lookup_many(Exported(pa.array(ROWS)))
    assert isinstance(one, fingerpost.ArrowColumn)
    assert (len(one), one.null_count, one.type, one.num_chunks) == (
        len(ROWS),
        expected.count(None),
        "utf8_view",
        1,
    )
    assert one.to_pylist() == expected
    assert pa.array(one).to_pylist() == expected
    parts = TEXTS.lookup_many(Exported(pa.chunked_array([ROWS[:10], ROWS[10:]])), ["value", "length"])
    assert (parts.type, parts.num_chunks) == ("struct", 2)
    assert [row["value"] for row in parts.to_pylist()] == expected
    assert "5000 rows of struct (value, length)" in repr(parts)
    joined = pa.array(parts)
    joined.validate(full=True)
    assert joined.to_pylist() == parts.to_pylist() == pa.chunked_array(parts).to_pylist()
    assert TEXTS.lookup_many(Exported(pa.chunked_array([], type=pa.string()))).to_pylist() == []


def test_every_struct_is_released_once() -> None:
    column = pa.array(ROWS)
    gc.collect()
    before = pa.total_allocated_bytes()
    for _ in range(20):
        capsules = pa.array(ROWS[:100]).__arrow_c_array__()
        del capsules
        answer = INTEGERS.lookup_many(pa.chunked_array([column, column]), ["prefix", "value"])
        untaken = answer.__arrow_c_stream__()
        field = answer.chunk(0).field("prefix")
        del answer, untaken
        assert field.to_pylist()[0] == one_by_one(INTEGERS, ROWS[:1], "prefix")[0]
        del field
    gc.collect()
    assert pa.total_allocated_bytes() == before


def test_an_array_outlives_the_column_and_the_table() -> None:
    table = v.texts()
    column = table.lookup_many(Exported(pa.array(ROWS)))
    shown = pa.array(column)
    del column, table
    gc.collect()
    assert shown.to_pylist() == one_by_one(TEXTS, ROWS)


def test_a_stream_that_fails_says_why() -> None:
    def batches() -> object:
        yield pa.record_batch({"ip": ["10.1.2.3"]})
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"ip": pa.string()}), batches())
    with pytest.raises(RuntimeError, match="the disk is gone"):
        INTEGERS.lookup_many(reader)


def polars_columns() -> list[Callable[[], tuple[object, list[str | None]]]]:
    pl = pytest.importorskip("polars")
    return [
        lambda: (pl.Series("ip", ROWS), ROWS),
        lambda: (pl.Series("ip", ROWS).slice(100, 3000), ROWS[100:3100]),
        lambda: (pl.concat([pl.Series("ip", ROWS[:50]), pl.Series("ip", ROWS[50:])], rechunk=False), ROWS),
        lambda: (pl.Series("ip", ROWS, dtype=pl.Categorical), ROWS),
        lambda: (pl.Series("ip", v.packed(GOOD), dtype=pl.Binary), GOOD),
        lambda: (pl.Series("ip", v.packed(GOOD), dtype=pl.Binary).slice(7, 1500), GOOD[7:1507]),
        lambda: (pl.Series("ip", [], dtype=pl.String), []),
        lambda: (
            pl.Series(
                "ip", [None if r is None else v.numbers([r])[0] for r in OF_FAMILY[4]], dtype=pl.UInt32
            ),
            OF_FAMILY[4],
        ),
    ]


@pytest.mark.parametrize("which", range(8))
def test_series_of_polars(which: int) -> None:
    pl = pytest.importorskip("polars")
    series, rows = polars_columns()[which]()
    answer = INTEGERS.lookup_many(series)
    assert isinstance(answer, pl.Series)
    assert (answer.name, answer.dtype) == ("ip", pl.UInt32)
    assert answer.to_list() == one_by_one(INTEGERS, rows)
    assert INTEGERS.lookup_many(series, "prefix").to_list() == one_by_one(INTEGERS, rows, "prefix")
    many = INTEGERS.lookup_many(series, ["value", "length"]).struct.unnest()
    assert many["length"].to_list() == one_by_one(INTEGERS, rows, "length")


def test_a_frame_of_polars_with_one_column() -> None:
    pl = pytest.importorskip("polars")
    answer = INTEGERS.lookup_many(pl.DataFrame({"ip": ROWS}))
    assert answer.to_list() == one_by_one(INTEGERS, ROWS)
    with pytest.raises(TypeError, match=r"ip \(utf8_view\), n \(int64\).*Pass the column"):
        INTEGERS.lookup_many(pl.DataFrame({"ip": ["::1"], "n": [1]}))


@pytest.mark.parametrize("batch", [100, 2048, 10_000])
def test_results_of_duckdb(batch: int) -> None:
    duckdb = pytest.importorskip("duckdb")
    if not hasattr(duckdb.DuckDBPyRelation, "__arrow_c_stream__"):
        pytest.skip("DuckDB 1.0 has no streams of Arrow")
    con = duckdb.connect()
    con.register("t", pa.table({"ip": ROWS, "nr": range(len(ROWS))}))
    expected = one_by_one(INTEGERS, ROWS)
    assert INTEGERS.lookup_many(con.sql("select ip from t order by nr")).to_pylist() == expected
    reader = con.sql("select ip from t order by nr").to_arrow_reader(batch)
    answer = INTEGERS.lookup_many(reader)
    assert isinstance(answer, pa.ChunkedArray)
    assert answer.to_pylist() == expected
    blobs = con.sql("select from_hex('0a010203')::blob as ip union all select null").to_arrow_table()
    assert sorted(INTEGERS.lookup_many(blobs).to_pylist(), key=str) == [4, None]
    con.execute(
        "create table e as select ip::varchar as ip, nr from t where ip is not null order by nr limit 50"
    )
    con.execute("create type ips as enum (select ip from e group by ip)")
    enums = con.sql("select ip::ips as ip from e order by nr").to_arrow_table()
    assert pa.types.is_dictionary(enums.column("ip").type)
    assert INTEGERS.lookup_many(enums.column("ip")).to_pylist() == one_by_one(
        INTEGERS, [row for row in ROWS if row is not None][:50]
    )


def test_series_of_pandas() -> None:
    pd = pytest.importorskip("pandas")
    index = [f"row {i}" for i in range(len(ROWS))]
    expected = one_by_one(INTEGERS, ROWS)
    for dtype in (
        "str",
        "string",
        "object",
        "category",
        pd.ArrowDtype(pa.string()),
        pd.ArrowDtype(pa.large_string()),
    ):
        series = pd.Series(ROWS, index=index, name="ip", dtype=dtype)
        answer = INTEGERS.lookup_many(series)
        assert isinstance(answer, pd.Series)
        assert (answer.name, list(answer.index)) == ("ip", index)
        plain = [None if one is pd.NA or one == -1 else one for one in answer.tolist()]
        assert plain == expected
        frame = INTEGERS.lookup_many(series, ["prefix", "length"])
        assert (list(frame.columns), list(frame.index)) == (["prefix", "length"], index)
        prefixes = [None if pd.isna(one) else one for one in frame["prefix"]]
        assert prefixes == one_by_one(INTEGERS, ROWS, "prefix")
    numbers = pd.Series(v.numbers([r for r in OF_FAMILY[4] if r]), dtype="uint32")
    assert INTEGERS.lookup_many(numbers).tolist() == INTEGERS.lookup_many(numbers.to_numpy()).tolist()
    with pytest.raises(TypeError, match="pass one column"):
        INTEGERS.lookup_many(pd.DataFrame({"ip": ROWS}))


def test_cells_that_are_not_utf8_have_replacement_characters(tmp_path: Path) -> None:
    """Arrow texts are UTF-8; a str has a surrogate for each invalid byte."""
    path = tmp_path / "latin.csv"
    path.write_bytes(
        "network,city\n10.0.0.0/8,Z\xfcrich \u20ac\n".encode("latin-1", "ignore")
        + "10.1.0.0/16,Zürich\n".encode()
    )
    table = fingerpost.Table.from_csv(str(path))
    rows = ["10.2.0.0", "10.1.0.0"]
    assert table.lookup_many(pa.array(rows), want="city").to_pylist() == ["Z\ufffdrich ", "Zürich"]
    assert table.lookup_many(rows, want="city") == ["Z\udcfcrich ", "Zürich"]


def test_a_column_without_a_type_is_all_null() -> None:
    table = fingerpost.Table({"0.0.0.0/0": 1}, values=int)
    report = fingerpost.Report()
    assert table.lookup_many(pa.nulls(1500), report=report).to_pylist() == [None] * 1500
    assert (report.rows, report.nulls) == (1500, 1500)
    assert table.lookup_many(pa.nulls(0)).to_pylist() == []
    chunks = pa.chunked_array([pa.nulls(3).slice(1)])
    assert (
        table.lookup_many(chunks, want=["value", "prefix"]).to_pylist()
        == [{"value": None, "prefix": None}] * 2
    )
