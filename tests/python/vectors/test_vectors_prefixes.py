"""lookup_many(prefixes=True): columns of prefixes, compared with ipaddress, for each kind of rows and table."""

from __future__ import annotations

import ipaddress
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sizes import sized

import fingerpost
from fingerpost import Report, Table

WANTS = ["value", "prefix", "length", "index"]


def random_prefixes(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        bits, base = draw.choice([(32, 10 << 24), (128, 0x20010DB8 << 96)])
        length = draw.randint(6, 32) if bits == 32 else draw.randint(20, 64)
        few = sum(
            draw.getrandbits(1) << (bits - 1 - draw.randrange(40 if bits == 128 else 26)) for _ in range(3)
        )
        number = (base ^ few) & (2**bits - 1)
        make = ipaddress.IPv4Network if bits == 32 else ipaddress.IPv6Network
        found.append(str(make((number >> (bits - length) << (bits - length), length))))
    return found


# Few rows in a large table, and many in a small one, which are looked up differently when they are addresses.
TABLES = {count: random_prefixes(count, 1) for count in (5, 300, 5000)}
ROWS: list[str | None] = [*random_prefixes(sized(1500, 5000), 2), *TABLES[300], None, "10.0.0.0/33", "", "10.1.2.3", "::1"]


def longest(prefixes: list[str], row: str | None) -> str | None:
    """Returns the longest prefix that covers the row, by ipaddress."""
    try:
        network = ipaddress.ip_network(row or "?")
    except ValueError:
        return None
    known = set(prefixes)
    for length in range(network.prefixlen, -1, -1):
        if str(cover := network.supernet(new_prefix=length)) in known:
            return str(cover)
    return None


def table_of(kind: str, prefixes: list[str], folder: Path) -> fingerpost.AnyTable:
    values = {prefix: number for number, prefix in enumerate(dict.fromkeys(prefixes))}
    if kind == "int":
        return Table(values, values=int)
    if kind == "object":
        return Table({prefix: f"v{number}" for prefix, number in values.items()})
    rows = Table({prefix: f"v{number}" for prefix, number in values.items()}, values=("name",))
    if kind == "rows":
        return rows
    rows.save(folder / "table.image")
    return fingerpost.open(folder / "table.image")


@pytest.mark.parametrize("size", TABLES)
@pytest.mark.parametrize("kind", ["int", "object", "rows", "image"])
def test_all_kinds_of_rows_give_the_same_results(kind: str, size: int, tmp_path: Path) -> None:
    prefixes = TABLES[size]
    table = table_of(kind, prefixes, tmp_path)
    covers = [longest(prefixes, row) for row in ROWS]
    assert sum(cover is not None for cover in covers) > (100 if size > 5 else 0)
    values = [cover and table[cover] for cover in covers]
    for threads in (1, 3):
        assert table.lookup_many(ROWS, threads=threads, prefixes=True) == values
        many = table.lookup_many(tuple(ROWS), WANTS, threads=threads, prefixes=True)
        assert many["value"] == values
        assert many["prefix"] == covers
        assert many["length"] == [cover and int(cover.rpartition("/")[2]) for cover in covers]
    assert table.lookup_many(ROWS, "index", prefixes=True) == many["index"]
    singles = [None if row in (None, "", "10.0.0.0/33") else table.match_prefix(row) for row in ROWS]
    assert singles == [cover and (cover, table[cover]) for cover in covers]

    plain = pa.array(ROWS)
    columns: list[Any] = [
        plain,
        plain.cast(pa.large_utf8()),
        plain.dictionary_encode(),
        pa.chunked_array([plain.slice(0, 7), plain.slice(7, 0), plain.slice(7)]),
        pl.Series(ROWS),
        pl.Series(ROWS, dtype=pl.Categorical),
    ]
    for column in columns:
        found = table.lookup_many(column, prefixes=True)
        assert found.to_pylist() == values if hasattr(found, "to_pylist") else found.to_list() == values
        both = table.lookup_many(column, ["prefix"], prefixes=True)
        both = both.struct.field("prefix") if isinstance(both, pl.Series) else pa.array(both).field(0)
        assert list(both if isinstance(both, pl.Series) else both.to_pylist()) == covers
    texts = ["?" if row is None else row for row in ROWS]
    for array in (np.array(texts), np.array(texts, "S"), np.array(ROWS, object)):
        assert list(table.lookup_many(array, "prefix", prefixes=True)) == covers
        lengths = table.lookup_many(array, "length", prefixes=True)
        assert list(lengths) == [-1 if one is None else one for one in many["length"]]
    series = pd.Series(ROWS, index=range(5, 5 + len(ROWS)), dtype=object)
    answer = table.lookup_many(series, "prefix", prefixes=True)
    assert [None if pd.isna(one) else one for one in answer] == covers
    assert list(answer.index) == list(series.index)


def test_reports_defaults_and_bad_rows() -> None:
    table = Table({"10.0.0.0/8": 1}, values=int)
    rows = ["10.0.0.0/9", None, "10.0.0.0/33", "11.0.0.0/8", "host", "10.0.0.0/7"]
    report = Report()
    assert table.lookup_many(rows, default=0, report=report, prefixes=True) == [1, None, None, 0, None, 0]
    assert (report.rows, report.matched, report.missed, report.nulls, report.bad) == (6, 1, 2, 1, 2)
    assert [(row, text) for row, text, _ in report.first_bad] == [(2, "10.0.0.0/33"), (4, "host")]
    for column in (rows, np.array(rows, object), pa.array(rows), pa.array(rows).dictionary_encode()):
        with pytest.raises(ValueError, match="row 2: '10.0.0.0/33' is not a prefix: .*32"):
            table.lookup_many(column, on_error="raise", prefixes=True)
    # Without prefixes=True, a prefix is a bad row.
    assert table.lookup_many(["10.0.0.0/9", "10.0.0.1"]) == [None, 1]
    assert table.lookup_many([], prefixes=True) == []
    assert table.lookup_many(pa.array([None, None]), prefixes=True).to_pylist() == [None, None]


def test_rows_in_the_forms_of_prefixes() -> None:
    table = Table({"10.0.0.0/8": "four", "2001:db8::/32": "six"})
    rows = [
        ipaddress.ip_network("10.0.0.0/9"),
        ipaddress.ip_interface("10.1.2.3/7"),
        ipaddress.ip_address("2001:db8::1"),
        ("10.1.0.0", 16),
        (0x0A000000, 8, 4),
        b"\x0a\0\0\1",
        "10.0.0.0/255.128.0.0",
        "10.1.2.3/9",
        float("nan"),
    ]
    assert table.lookup_many(rows, prefixes=True) == [
        "four",
        None,
        "six",
        "four",
        "four",
        "four",
        "four",
        "four",
        None,
    ]
    with pytest.raises(TypeError, match="row 1: a prefix is str"):
        table.lookup_many(["10.0.0.0/8", 5], prefixes=True)
    report = Report()
    assert table.lookup_many([("10.1.0.0", 33)], report=report, prefixes=True) == [None]
    assert report.bad == 1


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros(3, np.uint32),
        np.zeros((3, 4), np.uint8),
        np.zeros((3, 2), np.uint64),
        pa.array([1, 2], pa.uint32()),
        pa.array([b"\0\0\0\0"]),
        pa.array([b"\0\0\0\0"], pa.binary(4)),
        pa.array([b"\0\0\0\0"]).dictionary_encode(),
    ],
)
def test_other_columns_are_refused(rows: object) -> None:
    with pytest.raises(TypeError, match="prefixes cannot"):
        Table({"10.0.0.0/8": 1}).lookup_many(rows, prefixes=True)
    with pytest.raises(TypeError):
        Table().lookup_many(["10.0.0.0/8"], prefixes=1)  # type: ignore[call-overload]
