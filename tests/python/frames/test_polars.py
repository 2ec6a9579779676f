"""fingerpost.polars compared with single lookups: eager, lazy and streaming, with nulls, invalid texts and many
chunks."""

from __future__ import annotations

import doctest
import ipaddress
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import polars as pl
import pytest
from frame_rows import COLUMNS, expected, int_table, row_table, texts

import fingerpost
import fingerpost.polars
from fingerpost.polars import join_lpm, lookup

ENGINES: tuple[Literal["in-memory", "streaming"], ...] = ("in-memory", "streaming")
# Before 1.23 another argument selected the engine.
VERSION = tuple(int(part) for part in pl.__version__.split(".")[:2])
ROWS = texts(3000)
FRAME = pl.DataFrame({"ip": ROWS, "row": range(len(ROWS))})
DTYPES = {"value": pl.UInt32, "length": pl.UInt8, "prefix": pl.String}


def collect(frame: pl.LazyFrame, engine: Literal["in-memory", "streaming"]) -> pl.DataFrame:
    if VERSION >= (1, 23):
        return frame.collect(engine=engine)
    return frame.collect(streaming=engine == "streaming")  # type: ignore[call-overload, no-any-return]


def test_the_example_of_the_module() -> None:
    result = doctest.testmod(fingerpost.polars)
    assert result.failed == 0
    assert result.attempted > 3


@pytest.mark.parametrize("want", ["value", "length", "prefix"])
def test_expressions_answer_as_single_lookups(want: str) -> None:
    table = int_table()
    right = expected(table, ROWS, want)
    assert any(one is not None for one in right) and None in right
    expression = lookup("ip", table, want).alias("found")
    assert FRAME.select(expression)["found"].to_list() == right
    lazy = FRAME.lazy().select(expression)
    assert lazy.collect_schema()["found"] == DTYPES[want]
    for engine in ENGINES:
        found = collect(lazy, engine)["found"]
        assert found.to_list() == right
        assert found.dtype == DTYPES[want]
    assert FRAME["ip"].lpm.lookup(table, want).to_list() == right  # type: ignore[attr-defined]


def test_the_namespace() -> None:
    table = row_table()
    found = FRAME.select(
        pl.col("ip").lpm.prefix(table).alias("prefix"),  # type: ignore[attr-defined]
        pl.col("ip").lpm.length(table).alias("length"),  # type: ignore[attr-defined]
        pl.col("ip").lpm.lookup(table, "country").alias("country"),  # type: ignore[attr-defined]
    )
    for want in found.columns:
        assert found[want].to_list() == expected(table, ROWS, want)
    assert FRAME["ip"].lpm.prefix(table).to_list() == found["prefix"].to_list()  # type: ignore[attr-defined]
    assert FRAME["ip"].lpm.length(table).to_list() == found["length"].to_list()  # type: ignore[attr-defined]


def test_several_wants_are_a_struct() -> None:
    table = row_table()
    found = FRAME.select(lookup("ip", table, ["asn", "length"])).unnest("ip")
    assert found.schema == pl.Schema({"asn": pl.String, "length": pl.UInt8})
    assert found["asn"].to_list() == expected(table, ROWS, "asn")
    values = FRAME.select(lookup("ip", table))["ip"]
    assert values.dtype == pl.Struct({name: pl.String for name in COLUMNS})


def test_types_of_addresses() -> None:
    table = int_table()
    rows = [row for row in texts(200, seed=5) if row is None or "." in row and row.count(".") == 3]
    whole = [None if row is None or not _is_ipv4(row) else ipaddress.IPv4Address(row) for row in rows]
    right = expected(table, [None if one is None else str(one) for one in whole], "value")
    numbers = pl.Series("ip", [None if one is None else int(one) for one in whole], dtype=pl.UInt32)
    packed = pl.Series("ip", [None if one is None else one.packed for one in whole], dtype=pl.Binary)
    text = pl.Series("ip", [None if one is None else str(one) for one in whole], dtype=pl.String)
    for series in (numbers, packed, text, text.cast(pl.Categorical)):
        assert series.to_frame().select(lookup("ip", table))["ip"].to_list() == right, series.dtype
    nothing = pl.DataFrame({"ip": [None, None]})
    assert nothing.select(lookup("ip", table))["ip"].to_list() == [None, None]
    with pytest.raises(pl.exceptions.ComputeError, match="int64; accepted types: utf8"):
        FRAME.select(lookup("row", table))


def _is_ipv4(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def test_many_chunks_and_no_rows() -> None:
    table = int_table()
    chunks = pl.concat([FRAME[start : start + 7] for start in range(0, 700, 7)], rechunk=False)
    assert chunks["ip"].n_chunks() == 100
    assert chunks.select(lookup("ip", table))["ip"].to_list() == expected(table, ROWS[:700], "value")
    empty = FRAME.head(0).select(lookup("ip", table, "prefix"))
    assert empty.height == 0 and empty.schema["ip"] == pl.String
    assert join_lpm(FRAME.head(0), table).columns == ["ip", "row", "value", "prefix"]


def test_groups_and_windows() -> None:
    table = int_table()
    frame = FRAME.with_columns(key=pl.col("row") % 5)
    lengths = expected(table, ROWS, "length")
    best = frame.group_by("key").agg(lookup("ip", table, "length").max().alias("best")).sort("key")
    assert best["best"].to_list() == [
        max(one for one in lengths[key::5] if isinstance(one, int)) for key in range(5)
    ]
    window = frame.select(lookup("ip", table, "length").max().over("key").alias("best"))["best"]
    assert window.to_list() == [best["best"][row % 5] for row in range(len(ROWS))]
    by_length = frame.group_by(lookup("ip", table, "length").alias("length")).len()
    counts = dict(by_length.iter_rows())
    assert counts == {length: lengths.count(length) for length in set(lengths)}


@pytest.mark.parametrize("how", ["left", "inner"])
def test_join_with_a_table(how: Literal["left", "inner"]) -> None:
    table = row_table()
    joined = join_lpm(FRAME, table, how=how)
    assert joined.columns == ["ip", "row", "country", "asn", "prefix"]
    kept = [
        row for row in range(len(ROWS)) if how == "left" or expected(table, [ROWS[row]], "prefix") != [None]
    ]
    assert joined["row"].to_list() == kept and len(kept) > 100
    for want in ("country", "asn", "prefix"):
        assert joined[want].to_list() == expected(table, [ROWS[row] for row in kept], want)
    for engine in ENGINES:
        assert collect(join_lpm(FRAME.lazy(), table, how=how), engine).equals(joined)


def test_join_chooses_and_names_columns() -> None:
    table = row_table()
    frame = FRAME.with_columns(prefix=pl.lit("mine"), country=pl.lit("mine"))
    joined = join_lpm(frame, table, suffix="_lpm")
    assert joined.columns == ["ip", "row", "prefix", "country", "country_lpm", "asn", "prefix_lpm"]
    chosen = join_lpm(
        frame, table, columns={"country": "cc", "index": "number", "length": "bits"}, prefix=None
    )
    assert chosen.columns == [*frame.columns, "cc", "number", "bits"]
    assert chosen["cc"].to_list() == expected(table, ROWS, "country")
    assert chosen["bits"].to_list() == expected(table, ROWS, "length")
    assert join_lpm(frame, int_table(), on=pl.col("ip"), columns="value", prefix=None).columns[-1] == "value"


@pytest.mark.parametrize("how", ["left", "inner"])
def test_join_with_a_frame_of_networks(how: Literal["left", "inner"]) -> None:
    routes = list(int_table().items())
    networks = pl.DataFrame(
        {"cidr": [prefix for prefix, _ in routes], "number": [value for _, value in routes]}
    ).with_columns(tags=pl.concat_list("number", "number"), row=pl.col("number").cast(pl.Float64))
    joined = join_lpm(FRAME, networks, how=how)
    assert joined.columns == ["ip", "row", "number", "tags", "row_right", "prefix"]
    assert joined.schema["tags"] == pl.List(pl.Int64)
    rows = [ROWS[row] for row in joined["row"]]
    assert joined["number"].to_list() == expected(int_table(), rows, "value")
    assert joined["prefix"].to_list() == expected(int_table(), rows, "prefix")
    assert how == "left" or None not in joined["number"].to_list()
    for engine in ENGINES:
        lazy = join_lpm(FRAME.lazy(), networks.lazy(), how=how, network="cidr")
        assert collect(lazy, engine).equals(joined)


def test_streaming_sees_batches_and_the_table_of_the_moment() -> None:
    table = int_table()
    frame = pl.concat([FRAME] * 100)
    lazy = frame.lazy().with_columns(lookup("ip", table).alias("value")).filter(pl.col("value").is_not_null())
    right = [one for one in expected(table, ROWS, "value") if one is not None]
    assert collect(lazy, "streaming")["value"].to_list() == right * 100
    table["0.0.0.0/0"] = 7
    assert collect(lazy.select(pl.len()), "streaming").item() > len(right) * 100


def test_threads() -> None:
    table = row_table()
    right = expected(table, ROWS, "country")

    def run(threads: int) -> list[object]:
        lazy = FRAME.lazy().select(lookup("ip", table, "country", threads=threads))
        return collect(lazy, "streaming")["ip"].to_list()

    with ThreadPoolExecutor(4) as pool:
        assert all(found == right for found in pool.map(run, [0, 1, 2, 1] * 5))


def test_bad_rows_are_counted_or_raise() -> None:
    table = int_table()
    report = fingerpost.Report()
    FRAME["ip"].lpm.lookup(table, report=report)  # type: ignore[attr-defined]
    assert report.nulls == ROWS.count(None)
    assert report.bad > 100
    with pytest.raises(pl.exceptions.ComputeError, match=r"row 2: 'bad' is not an address"):
        pl.DataFrame({"ip": ["10.0.0.1", None, "bad", "10.0.0.1"]}).select(
            lookup("ip", table, on_error="raise")
        )


def test_defaults_are_for_rows_without_a_route() -> None:
    table = int_table()
    found = pl.DataFrame({"ip": ["192.0.2.1", None, "bad"]}).select(lookup("ip", table, default=9))
    assert found["ip"].to_list() == [9, None, None]


def test_errors_name_what_is_wrong() -> None:
    table = int_table()
    networks = pl.DataFrame({"network": ["10.0.0.0/8", "10.1.0.0/16"], "name": ["a", "b"]})
    with pytest.raises(
        pl.exceptions.ColumnNotFoundError, match="on='src': the columns of the frame are ip, row"
    ):
        join_lpm(FRAME, table, on="src")
    with pytest.raises(ValueError, match="how='outer': must be 'left'"):
        join_lpm(FRAME, table, how="outer")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"a fingerpost\.Table or a Polars frame .*, not dict"):
        join_lpm(FRAME, {})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a Polars DataFrame or LazyFrame, not list"):
        join_lpm([], table)  # type: ignore[type-var]
    with pytest.raises(ValueError, match="want='country': use one of"):
        lookup("ip", table, "country")
    with pytest.raises(TypeError, match=r"takes a fingerpost\.Table, not str"):
        lookup("ip", "table")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="columns= has 'nam', but the columns of the networks are 'name'"):
        join_lpm(FRAME, networks, columns="nam")
    with pytest.raises(ValueError, match="two columns 'row_right'"):
        join_lpm(FRAME.with_columns(row_right=1), table, columns={"value": "row"})
    with pytest.raises(ValueError, match="'a', 'b' is called network, prefix"):
        join_lpm(FRAME, pl.DataFrame({"a": [1], "b": [2]}))
    with pytest.raises(ValueError, match="rows 0 and 1 of the networks are both 10.9.0.0/8"):
        join_lpm(FRAME, networks.with_columns(network=pl.Series(["10.0.0.0/8", "10.9.0.0/8"])))
    with pytest.raises(ValueError, match="row 1 of the networks: 'here'"):
        join_lpm(FRAME, networks.with_columns(network=pl.Series(["10.0.0.0/8", "here"])))
    with pytest.raises(ValueError, match="row 0 of the networks: missing network"):
        join_lpm(FRAME, networks.with_columns(network=pl.Series([None, "10.0.0.0/8"])))


def test_values_that_change_their_type() -> None:
    table: fingerpost.Table[object] = fingerpost.Table({"10.0.0.0/8": "text"})
    rows = pl.DataFrame({"ip": ["10.0.0.1", "11.0.0.1"]})
    for value, dtype in ((3, pl.Int64), (2.5, pl.Float64), ("text", pl.String), (None, pl.String)):
        table["10.0.0.0/8"] = "other"
        expression = lookup("ip", table)
        table["10.0.0.0/8"] = value
        query = rows.lazy().select(expression)
        assert query.collect_schema()["ip"] == dtype
        for engine in ENGINES:
            found = collect(query, engine)["ip"]
            assert (found.dtype, found.to_list()) == (dtype, [value, None])
    table["10.0.0.0/8"] = 4
    with pytest.raises(
        pl.exceptions.ComputeError,
        match="type utf8_view when the expression was first used, but have type int64 now",
    ):
        rows.select(expression)
    table["10.0.0.0/8"] = "text"
    joined = join_lpm(rows.lazy(), table)
    table["10.0.0.0/8"] = 7
    assert joined.collect().rows() == [("10.0.0.1", 7, "10.0.0.0/8"), ("11.0.0.1", None, None)]


def test_an_expression_of_an_empty_table() -> None:
    table: fingerpost.Table[object] = fingerpost.Table()
    expression = lookup("ip", table)
    rows = pl.DataFrame({"ip": ["10.0.0.1", None]})
    assert rows.select(lookup("ip", table))["ip"].to_list() == [None, None]
    table["10.0.0.0/8"] = 5
    assert rows.select(expression, twice=expression * 2).rows() == [(5, 10), (None, None)]
