"""Typed columns: tables of mixed types go through every format that can store types and come back equal.

FINGERPOST_SEED=<seed> runs one round alone.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fingerpost.pandas
import fingerpost.polars
from fingerpost import Error, Table

ROUNDS = [int(os.environ["FINGERPOST_SEED"])] if "FINGERPOST_SEED" in os.environ else range(1, 31)
WORDS = ["", " ", "a", "7", "007", "true", "1.5", "A, Inc.", '"q"', "Zürich", "null", "-", "nan"]
NUMBERS = [0, 1, -1, 64500, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)]
FLOATS = [0.5, -0.5, 1e300, 1e-300, 47.0, -0.0, 1e22, 0.1]


def cell_of(dice: random.Random, kind: type) -> Any:
    if dice.random() < 0.2:
        return None
    if kind is int:
        return dice.choice(NUMBERS)
    return (
        dice.choice(FLOATS) if kind is float else dice.random() < 0.5 if kind is bool else dice.choice(WORDS)
    )


def table_of(seed: int) -> Table[Any]:
    """Returns a table in which at least one cell of every column determines its type."""
    dice = random.Random(seed)
    types = {f"c{i}": dice.choice([str, int, float, bool]) for i in range(dice.randrange(2, 6))}
    table: Table[Any] = Table(values=types)
    for i in range(dice.randrange(1, 30)):
        where = f"10.{i}.0.0/16" if dice.random() < 0.6 else f"2001:db8:{i:x}::/48"
        table[where] = {name: cell_of(dice, kind) for name, kind in types.items()}
    table["11.0.0.0/8"] = {
        name: {str: "x", int: 5, float: 0.5, bool: True}[kind] for name, kind in types.items()
    }
    return table


def same(a: Table[Any], b: Table[Any]) -> None:
    assert a.types == b.types
    assert dict(a.items()) == dict(b.items())
    # 1 == 1.0 == True, so the types of cells are compared too.
    for x, y in zip(a.values(), b.values(), strict=True):
        assert [type(cell) for cell in x.values()] == [type(cell) for cell in y.values()]


def converted(source: Path, to: str, target: Path) -> Path:
    command = [os.environ["FINGERPOST"], "convert", "--format", to, "-o", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return target


@pytest.mark.parametrize("seed", ROUNDS)
def test_every_format_with_types_gives_them_back(seed: int, tmp_path: Path) -> None:
    table = table_of(seed)
    image = tmp_path / "table.image"
    table.save(image)
    same(Table.open(image), table)
    same(Table.from_file(image), table)
    same(Table.open(image).copy(), table)
    same(pickle.loads(pickle.dumps(table)), table)
    lines = converted(image, "ndjson", tmp_path / "table.ndjson")
    same(Table.from_file(lines), table)
    # CSV has no types, so values determine them; an empty text is in quotes.
    rows = converted(lines, "csv", tmp_path / "table.csv")
    same(Table.from_file(rows), table)
    same(Table.from_file(converted(rows, "image", tmp_path / "again.image")), table)
    written = [json.loads(line) for line in lines.read_text().splitlines()]
    assert {one.pop("prefix"): one for one in written} == dict(table.items())


@pytest.mark.parametrize("seed", ROUNDS)
def test_arrow_and_frames_have_the_types(seed: int) -> None:
    table = table_of(seed)
    networks = pa.array(list(table))
    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    columns = pa.table(
        {
            name: pa.array([row[name] for row in table.values()], kinds[kind])
            for name, kind in table.types.items()
        }
    )
    same(Table.from_arrow(networks, columns), table)
    addresses = [prefix.split("/")[0] for prefix in table] + ["192.0.2.1"]
    answers = pa.array(table.lookup_many(pa.array(addresses), want=list(table.columns)))
    wanted = [*table.values(), dict.fromkeys(table.columns)]
    assert answers.to_pylist() == wanted
    assert {field.name: field.type for field in answers.type} == {n: kinds[k] for n, k in table.types.items()}
    assert pa.array(table.lookup_many(pa.array(addresses))).to_pylist() == [*wanted[:-1], None]
    assert table.lookup_many(addresses) == [*wanted[:-1], None]
    chunks = pa.chunked_array([addresses[:3], addresses[3:]])
    for name, kind in table.types.items():
        assert pa.chunked_array(table.lookup_many(chunks, want=name)).to_pylist() == [
            row[name] for row in wanted
        ]
        assert pa.chunked_array(table.lookup_many(chunks, want=name)).type == kinds[kind]
    frame = fingerpost.polars.join_lpm(pl.DataFrame({"ip": addresses}), table, prefix=None)
    assert frame.select(table.columns).to_dicts() == wanted


def test_defaults_are_of_the_type_of_the_column() -> None:
    table: Table[Any] = Table({"10.0.0.0/8": (1, None, True)}, values={"a": int, "b": float, "c": bool})
    asked = pa.array(["10.0.0.1", "11.0.0.1"])
    for name, default, wanted in (("a", 7, [1, 7]), ("b", 1.5, [None, 1.5]), ("c", True, [True, True])):
        assert pa.array(table.lookup_many(asked, want=name, default=default)).to_pylist() == wanted
    for name, default in (("a", "x"), ("b", "x"), ("c", 1)):
        with pytest.raises(TypeError, match="default="):
            table.lookup_many(asked, want=name, default=default)


def test_cells_are_of_the_type_of_their_column() -> None:
    table: Table[Any] = Table(values={"asn": int, "score": float, "on": bool, "name": str})
    table["10.0.0.0/8"] = (2**64 - 1, 2, False, "")
    assert table["10.0.0.0/8"] == {"asn": 2**64 - 1, "score": 2.0, "on": False, "name": ""}
    table["10.0.0.0/8"] = ("5", "0.5", "true", None)
    assert table["10.0.0.0/8"] == {"asn": 5, "score": 0.5, "on": True, "name": None}
    for wrong in (("x", 0, True, ""), (1.5, 0, True, ""), (True, 0, True, ""), (2**64, 0, True, ""), (1, float("nan"), True, ""),
                  (1, True, True, ""), (1, 0, 1, ""), (1, 0, True, 5)):  # fmt: skip
        with pytest.raises(TypeError, match="a cell of the column"):
            table["10.0.0.0/8"] = wrong
    one: Table[Any] = Table({"10.0.0.0/8": 5, "11.0.0.0/8": None}, values={"asn": int})
    assert dict(one.items()) == {"10.0.0.0/8": 5, "11.0.0.0/8": None}
    with pytest.raises(OverflowError, match="does not fit the Arrow type of its column"):
        Table({"10.0.0.0/8": 2**63}, values={"asn": int}).lookup_many(pa.array(["10.0.0.1"]))
    for wrong_types in ({"a": bytes}, {5: int}, {"a": "int"}):
        with pytest.raises(TypeError, match="values must be"):
            Table(values=wrong_types)


def test_types_are_chosen(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("network,asn,zip\n10.0.0.0/8,1,007\n11.0.0.0/8,2,\n")
    assert Table.from_csv(path).types == {"asn": int, "zip": str}
    chosen = Table.from_file(path, types={"asn": str})
    assert dict(chosen.items())["10.0.0.0/8"] == {"asn": "1", "zip": "007"}
    assert Table.from_csv(path, types={"asn": float})["11.0.0.0/8"] == {"asn": 2.0, "zip": None}
    with pytest.raises(Error, match="the column 'zip' has '007', which is not of the type integer"):
        Table.from_csv(path, types={"zip": int})
    with pytest.raises(Error, match="no column 'x'; columns: asn, zip"):
        Table.from_csv(path, types={"x": int})
    with pytest.raises(TypeError, match="types must be a mapping of names to str, int, float or bool"):
        Table.from_csv(path, types=["asn"])
    image = tmp_path / "image"
    chosen.save(image)
    assert Table.from_file(image, types={"asn": int}).types == {"asn": int, "zip": str}


def test_pandas_has_columns_of_the_types() -> None:
    table: Table[Any] = Table(
        {"10.0.0.0/8": (1, 0.5, True, "x")}, values={"a": int, "b": float, "c": bool, "d": str}
    )
    for rows in (
        pd.Series(["10.0.0.1", "11.0.0.1"], dtype=object),
        pd.Series(["10.0.0.1", "11.0.0.1"], dtype="category"),
    ):
        frame = fingerpost.pandas.join_lpm(pd.DataFrame({"ip": rows}), table)
        assert [str(frame[name].dtype) for name in "abc"] == ["Int64", "Float64", "boolean"]
        assert [frame[name][0] for name in "abcd"] == [1, 0.5, True, "x"]
        assert all(pd.isna(frame[name][1]) for name in "abcd")
