"""The Polars expression plugin: lifetime of tables, serialization, schemas, and every type of result. The answers are
compared with those of whole columns, which other tests compare with single lookups."""

from __future__ import annotations

import gc
import io
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from frame_rows import expected, int_table, row_table, texts
from test_polars import ENGINES, collect

import fingerpost
from fingerpost.polars import join_lpm, lookup

ROWS = texts(2000)
FRAME = pl.DataFrame({"ip": ROWS, "row": range(len(ROWS))})
IN_ANOTHER_PROCESS = """
import io, sys
import polars as pl
frame = pl.LazyFrame.deserialize(io.BytesIO(sys.stdin.buffer.read())).collect()
frame.write_ipc(sys.stdout.buffer)
"""


def in_another_process(frame: pl.LazyFrame) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS], input=frame.serialize(), capture_output=True, check=False
    )


def object_table(values: Sequence[object]) -> fingerpost.Table[Any]:
    return fingerpost.Table(
        (prefix, values[row % len(values)]) for row, prefix in enumerate(int_table().keys())
    )


TABLES: dict[str, fingerpost.Table[Any]] = {
    "integers": int_table(),
    "rows": row_table(),
    "texts": object_table(["a", "a text that is too long for a view", None]),
    "numbers": object_table([1, -(2**40)]),
    "floats": object_table([1, 2.5]),
    "typed": fingerpost.Table(
        ((prefix, (row, row / 2, row % 2 == 0)) for row, prefix in enumerate(int_table().keys())),
        values={"n": int, "f": float, "b": bool},
    ),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("want", ["value", "index", ["value", "length", "prefix"]])
def test_answers_equal_those_of_whole_columns(kind: str, want: str | list[str]) -> None:
    table = TABLES[kind]
    right = FRAME["ip"].lpm.lookup(table, want)  # type: ignore[attr-defined]
    lazy = pl.concat([FRAME[:700], FRAME[700:]], rechunk=False).lazy().select(lookup("ip", table, want))
    assert lazy.collect_schema()["ip"] == right.dtype
    for engine in ENGINES:
        answer = collect(lazy, engine)["ip"]
        assert answer.dtype == right.dtype
        assert answer.equals(right, null_equal=True)
    for part in (slice(3, 900), slice(0, 0), slice(1999, 2000)):
        answer = FRAME[part].select(lookup("ip", table, want))["ip"]
        assert answer.equals(right[part], null_equal=True)


def test_literals_categories_and_lists() -> None:
    table = int_table()
    address = next(iter(table)).split("/")[0]
    frame = pl.DataFrame({"ip": [address, "bad", None]})
    encoded = frame.with_columns(pl.col("ip").cast(pl.Enum([address, "bad"])))
    assert encoded.select(lookup("ip", table))["ip"].to_list() == expected(
        table, frame["ip"].to_list(), "value"
    )
    assert frame.select(lookup(pl.col("ip").alias("other"), table)).columns == ["other"]
    assert pl.select(lookup(pl.lit(address), table)).item() == expected(table, [address], "value")[0]
    lists = pl.DataFrame({"ips": [[address, "bad"], []]}).select(
        pl.col("ips").list.eval(lookup(pl.element(), table))
    )
    assert lists["ips"].to_list() == [expected(table, [address, "bad"], "value"), []]


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Binary, pl.UInt32])
def test_types_of_addresses_in_chunks_with_nulls(dtype: Any) -> None:
    table = int_table()
    rows = [f"10.{row % 256}.{row % 7}.{row % 13}" if row % 5 else None for row in range(500)]
    column = pl.Series("ip", rows)
    if dtype in (pl.Binary, pl.UInt32):
        numbers = [None if row is None else [int(part) for part in row.split(".")] for row in rows]
        values = [None if row is None else bytes(row) for row in numbers]
        column = pl.Series("ip", values)
        if dtype == pl.UInt32:
            column = pl.Series(
                "ip", [None if row is None else int.from_bytes(row, "big") for row in values], dtype
            )
    else:
        column = column.cast(dtype)
    frame = pl.concat([column[:200].to_frame(), column[200:].to_frame()], rechunk=False)
    for engine in ENGINES:
        answer = collect(frame.lazy().select(lookup("ip", table)), engine)["ip"]
        assert answer.to_list() == expected(table, rows, "value")


def test_defaults_of_several_wants() -> None:
    table = row_table()
    frame = pl.DataFrame({"ip": ["192.0.2.1", None, "bad"]})
    answer = frame.select(lookup("ip", table, ["country", "length"], default={"country": "??", "length": 0}))
    assert answer["ip"].struct.field("country").to_list() == ["??", None, None]
    assert answer["ip"].struct.field("length").to_list() == [0, None, None]
    with pytest.raises(TypeError, match="default"):
        lookup("ip", table, "length", default="x")


def test_an_expression_keeps_its_table() -> None:
    query = FRAME.lazy().select(lookup("ip", int_table()))
    gc.collect()
    assert collect(query, "streaming")["ip"].to_list() == expected(int_table(), ROWS, "value")


class Value(str):
    """A value whose end can be observed."""

    alive = 0
    __slots__ = ()

    def __init__(self, *_: object) -> None:
        Value.alive += 1

    def __del__(self) -> None:
        Value.alive -= 1


def test_a_table_ends_with_its_last_expression() -> None:
    query = FRAME.lazy().select(lookup("ip", fingerpost.Table({"10.0.0.0/8": Value("a")})))
    for engine in ENGINES:
        collect(query, engine)
    copy = query.with_columns(twice=pl.col("ip"))
    del query
    gc.collect()
    assert Value.alive == 1
    assert copy.collect().height == FRAME.height
    del copy
    gc.collect()
    # Threads of Polars may free the plan a little later.
    for _ in range(100):
        if Value.alive == 0:
            break
        time.sleep(0.05)
    assert Value.alive == 0


def test_filters_are_pushed_through_and_slices_hold() -> None:
    table = int_table()
    query = FRAME.lazy().with_columns(value=lookup("ip", table)).filter(pl.col("row") < 100).slice(10, 50)
    for engine in ENGINES:
        assert collect(query, engine)["value"].to_list() == expected(table, ROWS[10:60], "value")
    matched = FRAME.lazy().filter(lookup("ip", table).is_not_null()).select("row")
    right = [row for row, one in enumerate(expected(table, ROWS, "value")) if one is not None]
    for engine in ENGINES:
        assert collect(matched, engine)["row"].to_list() == right


def test_groups_windows_and_aggregates() -> None:
    table = row_table()
    right = expected(table, ROWS, "country")
    for engine in ENGINES:
        counts = collect(FRAME.lazy().group_by(lookup("ip", table, "country").alias("country")).len(), engine)
        assert dict(counts.iter_rows()) == {country: right.count(country) for country in set(right)}
        query = FRAME.lazy().group_by(pl.col("row") % 3).agg(lookup("ip", table, "country").alias("country"))
        groups = collect(query, engine).sort("row")
        assert groups["country"].to_list() == [right[key::3] for key in range(3)]
    window = FRAME.select(lookup("ip", table, "country").first().over(pl.col("row") % 3))["ip"]
    assert window.to_list() == [right[row % 3] for row in range(len(ROWS))]


@pytest.mark.parametrize("want", ["value", "country", ["country", "prefix"]])
def test_another_process_opens_the_image(tmp_path: Path, want: str | list[str]) -> None:
    row_table().save(tmp_path / "table.fpi")
    table = fingerpost.Table.open(tmp_path / "table.fpi")
    expression = lookup("ip", table, want, default=None)
    query = FRAME.lazy().select(expression)
    result = in_another_process(query)
    assert result.returncode == 0, result.stderr.decode()
    assert pl.read_ipc(io.BytesIO(result.stdout)).equals(query.collect())
    here = pl.LazyFrame.deserialize(io.BytesIO(query.serialize()))
    assert here.collect().equals(query.collect())


def test_another_process_has_no_table_in_memory() -> None:
    result = in_another_process(FRAME.lazy().select(lookup("ip", int_table())))
    assert result.returncode != 0
    assert b"is in the memory of another process: save it with Table.save()" in result.stderr


def test_a_missing_image_is_an_error_there(tmp_path: Path) -> None:
    int_table().save(tmp_path / "table.fpi")
    query = FRAME.lazy().select(lookup("ip", fingerpost.Table.open(tmp_path / "table.fpi")))
    (tmp_path / "table.fpi").unlink()
    assert query.collect()["ip"].to_list() == expected(int_table(), ROWS, "value")
    result = in_another_process(query)
    assert result.returncode != 0
    assert b"table.fpi" in result.stderr


def test_bad_rows_raise_with_the_row_of_the_column() -> None:
    rows = ["10.0.0.1"] * 300_000 + ["bad"]
    frame = pl.concat([pl.DataFrame({"ip": rows[:5]}), pl.DataFrame({"ip": rows[5:]})], rechunk=False)
    for engine in ENGINES:
        query = frame.lazy().select(lookup("ip", int_table(), on_error="raise"))
        with pytest.raises(pl.exceptions.ComputeError, match="row 300000: 'bad' is not an address"):
            collect(query, engine)


def test_joins_with_the_index_and_without_columns() -> None:
    table = row_table()
    joined = join_lpm(FRAME, table, columns=["index", "country"], prefix=None)
    assert joined["country"].to_list() == expected(table, ROWS, "country")
    assert joined["index"].null_count() == expected(table, ROWS, "country").count(None)
    assert join_lpm(FRAME, table, columns=[], prefix=None).columns == FRAME.columns
    routes = dict(int_table().items())
    networks = pl.DataFrame({"cidr": list(routes), "index": list(routes.values())})
    assert join_lpm(FRAME, networks, prefix=None)["index"].to_list() == expected(int_table(), ROWS, "value")
    assert join_lpm(FRAME, networks, columns=[])["prefix"].to_list() == expected(int_table(), ROWS, "prefix")
