"""fingerpost.pandas compared with single lookups: every kind of text column, indices, categories, joins and
errors."""

from __future__ import annotations

import doctest
import ipaddress
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from frame_rows import COLUMNS, expected, int_table, row_table, texts

import fingerpost
import fingerpost.pandas
from fingerpost.pandas import join_lpm, lookup

ROWS = texts(2000)
INDEX = pd.Index([f"r{row % 700}" for row in range(len(ROWS))], name="key")
ARROW = pd.ArrowDtype(pa.string())
TEXTS = [object, "str", "string[python]", "string[pyarrow]", ARROW, "category"]


def series(dtype: object, rows: list[str | None] = ROWS) -> pd.Series:
    return pd.Series(rows, dtype=dtype, index=INDEX[: len(rows)], name="ip")


def plain(column: pd.Series) -> list[object]:
    """Returns the values, with None for each kind of missing value."""
    return [
        None if one is None or pd.api.types.is_scalar(one) and pd.isna(one) else one
        for one in column.tolist()
    ]


@pytest.mark.skipif(pd.__version__ < "3", reason="its output is that of pandas 3, which has a dtype str")
def test_the_example_of_the_module() -> None:
    result = doctest.testmod(fingerpost.pandas, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0
    assert result.attempted > 3


@pytest.mark.parametrize("dtype", TEXTS, ids=str)
@pytest.mark.parametrize("want", ["value", "length", "prefix"])
def test_series_answer_as_single_lookups(dtype: object, want: str) -> None:
    table = int_table()
    right = expected(table, ROWS, want)
    assert None in right and len(set(right)) > 3
    found = series(dtype).lpm.lookup(table, want)
    assert plain(found) == right
    assert found.index.equals(INDEX) and found.name == "ip"
    numbers = {"value": pd.UInt32Dtype(), "length": pd.UInt8Dtype()}
    if dtype is ARROW:
        types = {"value": pa.uint32(), "length": pa.uint8(), "prefix": pa.string()}
        assert found.dtype == pd.ArrowDtype(types[want])
    elif want == "prefix":
        assert found.dtype == (dtype if str(dtype).startswith("string[") else pd.Series(["text"]).dtype)
    else:
        assert found.dtype == numbers[want]


@pytest.mark.parametrize("dtype", TEXTS, ids=str)
def test_several_wants_are_a_frame(dtype: object) -> None:
    table = row_table()
    found = series(dtype).lpm.lookup(table, ["asn", "length", "country"])
    assert list(found.columns) == ["asn", "length", "country"]
    assert found.index.equals(INDEX)
    for want in found.columns:
        assert plain(found[want]) == expected(table, ROWS, want)
    assert series(dtype).lpm.lookup(table).equals(series(dtype).lpm.lookup(table, list(COLUMNS)))
    rows = series(dtype).lpm.lookup(table, ["value"])["value"]
    assert plain(rows) == expected(table, ROWS, "value")


@pytest.mark.parametrize("dtype", [one for one in TEXTS if one is not ARROW], ids=str)
def test_values_that_are_objects(dtype: object) -> None:
    table = fingerpost.Table(((prefix, {"number": number}) for prefix, number in int_table().items()))
    found = series(dtype).lpm.lookup(table, ["value", "index"])
    assert plain(found["value"]) == expected(table, ROWS, "value")
    assert found["index"].isna().tolist() == [one is None for one in found["value"]]
    default = series(dtype).lpm.lookup(table, default="none")
    assert list(default[[one == "none" for one in default]].unique()) == ["none"]
    few = series(dtype, ["192.0.2.1", None, "bad"]).lpm.lookup(table, default="none")
    assert plain(few) == ["none", None, None]


def test_categories_are_looked_up_once_and_rows_are_counted() -> None:
    table = int_table()
    rows = pd.Series(
        pd.Categorical(["10.1.1.1", "bad", None, "10.1.1.1"] * 500, categories=["bad", "10.1.1.1", "x"])
    )
    report = fingerpost.Report()
    found = rows.lpm.lookup(table, report=report)
    assert plain(found) == expected(table, ["10.1.1.1", "bad", None, "10.1.1.1"], "value") * 500
    assert (report.rows, report.nulls, report.bad) == (2000, 500, 500)
    fine = pd.Series(pd.Categorical(["10.1.1.1"], categories=["10.1.1.1", "not used"]))
    assert plain(fine.lpm.lookup(table, on_error="raise")) == expected(table, ["10.1.1.1"], "value")


def test_other_types_of_addresses() -> None:
    table = int_table()
    addresses = [ipaddress.ip_address(row) for row in ("10.1.2.3", "10.200.0.1", "192.0.2.1")]
    right = expected(table, [str(one) for one in addresses], "value")
    numbers = [int(one) for one in addresses]
    packed = pd.Series([one.packed for one in addresses], dtype=pd.ArrowDtype(pa.binary()))
    for rows in (
        pd.Series(numbers, dtype="uint32"),
        pd.Series(numbers, dtype="UInt32"),
        pd.Series(addresses),
        packed,
    ):
        assert plain(rows.lpm.lookup(table)) == right, rows.dtype
    text = pd.Series(numbers, dtype="uint32").lpm.prefix(table)
    assert text.dtype == pd.Series(["text"]).dtype
    assert plain(pd.Series([None, None], dtype=object).lpm.lookup(table)) == [None, None]
    with pytest.raises(TypeError, match="int64 .*accepted arrays: uint32"):
        pd.Series(numbers).lpm.lookup(table)


@pytest.mark.parametrize("dtype", TEXTS, ids=str)
def test_no_rows(dtype: object) -> None:
    assert series(dtype, []).lpm.lookup(int_table(), "prefix").tolist() == []
    frame = pd.DataFrame({"ip": series(dtype, [])})
    assert list(frame.lpm.join(row_table()).columns) == ["ip", "country", "asn", "prefix"]


def test_many_chunks() -> None:
    table = int_table()
    chunks = pa.chunked_array([pa.array(ROWS[start : start + 9], pa.string()) for start in range(0, 1800, 9)])
    rows = pd.Series(pd.arrays.ArrowExtensionArray(chunks))
    assert plain(rows.lpm.lookup(table)) == expected(table, ROWS[:1800], "value")
    assert plain(rows.astype("string[pyarrow]").lpm.prefix(table)) == expected(table, ROWS[:1800], "prefix")


def test_defaults_are_for_rows_without_a_route() -> None:
    rows = pd.Series(["192.0.2.1", None, "bad", "10.0.0.1"])
    table = fingerpost.Table({"10.0.0.0/8": 5}, values=int)
    assert plain(rows.lpm.lookup(table, default=0)) == [0, None, None, 5]
    assert plain(rows.lpm.lookup(table, ["length"], default={"length": 0})["length"]) == [0, None, None, 8]
    with pytest.raises(ValueError, match="default=-1 for 'value': must be a number from 0 to 4294967295"):
        rows.lpm.lookup(table, default=-1)


@pytest.mark.parametrize("how", ["left", "inner"])
@pytest.mark.parametrize("dtype", [object, ARROW, "category"], ids=str)
def test_join_with_a_table(how: Literal["left", "inner"], dtype: object) -> None:
    table = row_table()
    frame = pd.DataFrame({"ip": series(dtype), "row": range(len(ROWS))}, index=INDEX)
    joined = frame.lpm.join(table, how=how)
    kept = [
        row for row in range(len(ROWS)) if how == "left" or expected(table, [ROWS[row]], "prefix") != [None]
    ]
    assert joined["row"].tolist() == kept and len(kept) > 100
    assert joined.index.equals(INDEX[kept])
    assert list(joined.columns) == ["ip", "row", "country", "asn", "prefix"]
    for want in ("country", "asn", "prefix"):
        assert plain(joined[want]) == expected(table, [ROWS[row] for row in kept], want)
    assert list(frame.columns) == ["ip", "row"]


def test_join_chooses_and_names_columns() -> None:
    table = row_table()
    frame = pd.DataFrame({"src": ROWS, "prefix": 1, "country": 2})
    joined = join_lpm(frame, table, "src", suffix="_lpm")
    assert list(joined.columns) == ["src", "prefix", "country", "country_lpm", "asn", "prefix_lpm"]
    assert joined["country"].tolist() == [2] * len(ROWS)
    chosen = join_lpm(frame, table, "src", columns={"country": "cc", "length": "bits"}, prefix=None)
    assert list(chosen.columns) == [*frame.columns, "cc", "bits"]
    assert plain(chosen["bits"]) == expected(table, ROWS, "length")


@pytest.mark.parametrize("how", ["left", "inner"])
def test_join_with_a_frame_of_networks(how: Literal["left", "inner"]) -> None:
    routes = list(int_table().items())
    networks = pd.DataFrame(
        {
            "Network": [prefix for prefix, _ in routes],
            "number": pd.array([value for _, value in routes], dtype="Int64"),
            "day": pd.Timestamp("2026-01-01"),
        },
        index=[7] * len(routes),
    )
    frame = pd.DataFrame({"ip": ROWS, "row": range(len(ROWS))}, index=INDEX)
    joined = frame.lpm.join(networks, how=how)
    rows = [ROWS[row] for row in joined["row"]]
    assert plain(joined["number"]) == expected(int_table(), rows, "value")
    assert plain(joined["prefix"]) == expected(int_table(), rows, "prefix")
    assert joined["number"].dtype == pd.Int64Dtype()
    assert joined["day"].dtype.kind == "M"
    assert joined.index.equals(INDEX[joined["row"]])
    assert how == "left" or joined["number"].notna().all()


def test_threads() -> None:
    table = row_table()
    rows = series(ARROW)
    right = expected(table, ROWS, "asn")
    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(
            lambda threads: plain(rows.lpm.lookup(table, "asn", threads=threads)), [0, 1, 2, 1] * 5
        )
        assert all(found == right for found in answers)


def test_group_by() -> None:
    table = int_table()
    frame = pd.DataFrame({"ip": ROWS, "one": 1})
    sizes = frame.groupby(frame["ip"].lpm.length(table), dropna=False)["one"].sum()
    lengths = expected(table, ROWS, "length")
    counts = {None if length is pd.NA else length: count for length, count in sizes.items()}
    assert counts == {length: lengths.count(length) for length in set(lengths)}


def test_errors_name_what_is_wrong() -> None:
    table = int_table()
    frame = pd.DataFrame({"ip": ["10.0.0.1", "bad"]})
    networks = pd.DataFrame({"net": ["10.0.0.0/8", "10.1.0.0/16"], "name": ["a", "b"]})
    with pytest.raises(KeyError, match="on='src': the columns of the frame are ip"):
        join_lpm(frame, table, on="src")
    with pytest.raises(TypeError, match="a pandas DataFrame, not Series"):
        join_lpm(frame["ip"], table)
    with pytest.raises(TypeError, match="a pandas Series, not DataFrame: pass one column"):
        lookup(frame, table)
    with pytest.raises(TypeError, match=r"a fingerpost\.Table or a DataFrame .*, not dict"):
        join_lpm(frame, {})
    with pytest.raises(ValueError, match="want='country': use one of"):
        frame["ip"].lpm.lookup(table, "country")
    with pytest.raises(ValueError, match="row 1: 'bad' is not an address"):
        frame["ip"].lpm.lookup(table, on_error="raise")
    with pytest.raises(ValueError, match="network='cidr', but the columns of the networks are 'net', 'name'"):
        join_lpm(frame, networks, network="cidr")
    with pytest.raises(ValueError, match="network= names a column of a frame"):
        join_lpm(frame, table, network="net")
    for net, why in (
        ("10.0.0.1/8", "rows 0 and 1 .* are both"),
        ("x", "row 1 .*'x'"),
        (np.nan, "row 1 .*missing network"),
    ):
        with pytest.raises(ValueError, match=why):
            join_lpm(frame, networks.assign(net=["10.0.0.0/8", net]))


def test_two_columns_of_one_name() -> None:
    table = int_table()
    twice = pd.DataFrame([["10.0.0.1", "10.1.0.1", 5]], columns=["ip", "ip", "n"])
    with pytest.raises(ValueError, match="^the frame has 2 columns 'ip': rename all but one"):
        join_lpm(twice, table)
    with pytest.raises(ValueError, match="the frame has 2 columns 'ip'"):
        twice.lpm.join(table, on="ip")
    others = pd.DataFrame([["10.1.0.1", 1, 2]], columns=["ip", "n", "n"])
    joined = join_lpm(others, fingerpost.Table({"10.0.0.0/8": 7}, values=int))
    assert joined.columns.tolist() == ["ip", "n", "n", "value", "prefix"]
    assert joined.iloc[0].tolist() == ["10.1.0.1", 1, 2, 7, "10.0.0.0/8"]
    frame = pd.DataFrame({"ip": ["10.1.0.1"]})
    networks = pd.DataFrame([["10.0.0.0/8", "10.1.0.0/16", 1, 2]], columns=["cidr", "cidr", "a", "a"])
    for columns in (None, "a"):
        with pytest.raises(ValueError, match="^the frame of networks has 2 columns"):
            join_lpm(frame, networks, columns=columns)
    with pytest.raises(ValueError, match="frame of networks has 2 columns 'a'"):
        join_lpm(frame, networks.iloc[:, 1:], columns="a")
    assert join_lpm(frame, networks.iloc[:, [0, 2]])["a"].tolist() == [1]
