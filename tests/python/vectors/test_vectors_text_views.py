"""Texts of Arrow answers: views into the memory of the table, and the types that consumers request."""

from __future__ import annotations

import gc
import random
from pathlib import Path
from typing import Any

import pytest
import vector_rows as v

import fingerpost

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

ROWS = v.sample(40_000, 31, nulls=0.1, bad=0.05)
LONG = "a name of more than twelve bytes, number "
TYPES = [
    pa.string_view(),
    pa.string(),
    pa.large_string(),
    pa.dictionary(pa.int32(), pa.string()),
]


class Exported:
    """A column that is known by its Arrow interface only, so that the answer is an ArrowColumn."""

    def __init__(self, column: Any) -> None:
        if isinstance(column, pa.ChunkedArray):
            self.__arrow_c_stream__ = column.__arrow_c_stream__
        else:
            self.__arrow_c_array__ = column.__arrow_c_array__


def cell(number: int, column: int) -> str | None:
    """Short, empty, missing, long and other than ASCII: each in many rows."""
    kinds = (
        "",
        None,
        f"n{number}",
        f"{LONG}{number}",
        f"Zürich {number}",
        f"日本 {LONG}",
        "é",
        "x" * 12,
        "x" * 13,
    )
    return kinds[(number + column) % len(kinds)]


def table_of_rows() -> fingerpost.Table[dict[str, str | None]]:
    routes = {where: (cell(hop, 0), cell(hop, 1), cell(hop, 2)) for hop, where in enumerate(v.ROUTES)}
    return fingerpost.Table(routes, values=["a", "b", "c"])  # type: ignore[arg-type]


def tables(folder: Path) -> list[fingerpost.Table[Any]]:
    live = table_of_rows()
    live.save(folder / "both.image")
    four = fingerpost.Table(
        {where: row for where, row in live.items() if ":" not in where}, values=live.columns
    )
    four.save(folder / "four.image")
    objects = fingerpost.Table({where: row["a"] for where, row in live.items()})
    return [
        live,
        fingerpost.open(folder / "both.image"),
        fingerpost.open(folder / "four.image"),
        objects,
        v.integers(),
    ]


def wants_of(table: fingerpost.Table[Any]) -> list[str]:
    return ["prefix", *(table.columns or (() if table.value_kind == "int" else ("value",)))]


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_every_type_that_a_consumer_requests(tmp_path: Path, type_: Any) -> None:
    whole = pa.array(ROWS)
    chunked = pa.chunked_array([ROWS[:7], [], ROWS[7:2000], ROWS[2000:]], pa.string())
    for table in tables(tmp_path):
        for want in wants_of(table):
            right = v.one_by_one(table, ROWS, want)
            one = table.lookup_many(Exported(whole), want)
            assert (one.type, len(one)) == ("utf8_view", len(ROWS))
            array = pa.array(one, type_)
            array.validate(full=True)
            assert (array.type, array.to_pylist()) == (type_, right)
            parts = pa.chunked_array(table.lookup_many(Exported(chunked), want, threads=3), type_)
            parts.validate(full=True)
            assert [len(part) for part in parts.chunks] == [7, 0, 1993, len(ROWS) - 2000]
            assert (parts.type, parts.to_pylist()) == (type_, right)
            # The chunks as one array.
            assert pa.array(table.lookup_many(Exported(chunked), want), type_).to_pylist() == right


def test_requests_for_fields_and_other_requests() -> None:
    table = table_of_rows()
    wants = ["a", "length", "b"]
    answer = table.lookup_many(Exported(pa.array(ROWS)), wants)
    right = [
        {want: one[place] for place, want in enumerate(wants)}
        for one in zip(*(v.one_by_one(table, ROWS, want) for want in wants), strict=True)
    ]
    types = [pa.large_string(), pa.uint8(), pa.dictionary(pa.int32(), pa.string())]
    asked = pa.struct(list(zip(wants, types, strict=True)))
    schema, array = answer.__arrow_c_array__(asked.__arrow_c_schema__())
    found = pa.Array._import_from_c_capsule(schema, array)
    assert found.type == asked
    assert [row if row["length"] is not None else dict.fromkeys(wants) for row in found.to_pylist()] == right
    # Exporters may ignore what they cannot do.
    numbers = v.integers().lookup_many(Exported(pa.array(ROWS)))
    for other in (pa.string(), pa.int8()):
        schema, array = numbers.__arrow_c_array__(other.__arrow_c_schema__())
        assert pa.Array._import_from_c_capsule(schema, array).type == pa.uint32()
    with pytest.raises((ValueError, TypeError)):
        numbers.__arrow_c_array__("text")


def test_a_dictionary_has_each_text_once() -> None:
    table = fingerpost.Table(
        {where: (f"{LONG}{hop % 3}",) for where, hop in v.ROUTES.items()}, values=["name"]
    )
    encoded = pa.array(table.lookup_many(Exported(pa.array(ROWS)), "name"), TYPES[-1])
    assert sorted(encoded.dictionary.to_pylist()) == sorted(set(encoded.dictionary.to_pylist()))
    assert len(encoded.dictionary) == 3


def test_libraries_get_the_types_that_they_use() -> None:
    table = table_of_rows()
    answer = table.lookup_many(pa.array(ROWS), ["a", "prefix"])
    assert answer.type == pa.struct({"a": pa.string(), "prefix": pa.string()})
    series = table.lookup_many(pl.Series(ROWS), "a")
    assert (series.dtype, series.to_list()) == (pl.String, v.one_by_one(table, ROWS, "a"))
    assert series.str.to_uppercase().to_list() == [
        None if text is None else text.upper() for text in v.one_by_one(table, ROWS, "a")
    ]


def test_defaults_are_texts_too() -> None:
    table = table_of_rows()
    column = pa.array(["1.1.1.1", None, "bad", "10.0.0.1", "11.0.0.1"])
    for missed in ("short", LONG):
        for want in ("c", "prefix"):
            found = pa.array(table.lookup_many(Exported(column), want, default=missed))
            found.validate(full=True)
            right = v.one_by_one(table, column.to_pylist(), want)
            assert found.to_pylist() == [missed, None, None, right[3], missed]


def test_texts_that_are_not_utf8(tmp_path: Path) -> None:
    wrong = "caf\udce9 of the long and winding road"
    table = fingerpost.Table(
        {"10.0.0.0/8": (wrong,), "11.0.0.0/8": ("\udcff",), "12.0.0.0/8": (LONG,)}, values=["a"]
    )
    table.save(tmp_path / "t.image")
    column = pa.array(["10.0.0.1", "11.0.0.1", "12.0.0.1", "13.0.0.1"] * 3000)
    right = [wrong.replace("\udce9", "\ufffd"), "\ufffd", LONG, None] * 3000
    for one in (table, fingerpost.open(tmp_path / "t.image")):
        found = pa.array(one.lookup_many(Exported(column), "a"))
        found.validate(full=True)
        assert found.to_pylist() == right
        assert one.lookup_many(column, "a").to_pylist() == right
        assert one.lookup_many(pl.Series(column), "a").to_list() == right


def test_answers_outlive_the_table_and_its_changes(tmp_path: Path) -> None:
    kept = []
    for table in tables(tmp_path):
        for want in wants_of(table):
            answer = table.lookup_many(Exported(pa.array(ROWS)), want)
            kept.append((pa.array(answer), pl.Series(answer), v.one_by_one(table, ROWS, want)))
    live = table_of_rows()
    first = live.lookup_many(pl.Series(ROWS), "a")
    right = v.one_by_one(live, ROWS, "a")
    # The memory of the texts grows, and moves.
    live.update({f"172.16.{number}.0/24": (f"{LONG}{LONG}{number}", "b", "c") for number in range(256)})
    live.replace_all({"10.0.0.0/8": ("other texts in the table", "", "")})
    del table, live, answer
    for image in tmp_path.iterdir():
        image.unlink()
    gc.collect()
    fingerpost.Table({f"10.{number}.0.0/16": (f"{LONG}{number}",) for number in range(256)}, values=["a"])
    assert first.to_list() == right
    for array, series, expected in kept:
        assert array.to_pylist() == expected
        assert series.to_list() == expected


def resident() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * 4096


def test_answers_release_their_memory(tmp_path: Path) -> None:
    column = pa.array(ROWS)
    loaded = tables(tmp_path)

    def work() -> None:
        for table in loaded:
            for want in wants_of(table):
                answer = table.lookup_many(Exported(column), want)
                for type_ in TYPES:
                    assert len(pa.chunked_array(answer, type_)) == len(pa.array(answer, type_))
                pl.Series(answer)
        table_of_rows().lookup_many(Exported(column), ["a", "b", "value"])

    for _ in range(5):
        work()
    gc.collect()
    before = resident()
    for _ in range(20):
        work()
    gc.collect()
    # An answer of a column has about 1 MB, and there are several hundred.
    assert resident() - before < 64 << 20


def test_short_texts_do_not_keep_the_table() -> None:
    table = fingerpost.Table({"10.0.0.0/8": ("CH", LONG)}, values=["country", "name"])
    short = pa.array(table.lookup_many(Exported(pa.array(["10.0.0.1"])), "country"))
    long = pa.array(table.lookup_many(Exported(pa.array(["10.0.0.1"])), "name"))
    assert len(short.buffers()) == 2
    assert len(long.buffers()) == 3


def test_random_tables_answer_as_single_lookups() -> None:
    rng = random.Random(5)
    for _ in range(20):
        routes = {
            where: tuple(cell(rng.randrange(1000), rng.randrange(9)) for _ in range(2))
            for where in rng.sample(list(v.ROUTES), rng.randrange(1, len(v.ROUTES)))
        }
        table = fingerpost.Table(routes, values=["a", "b"])  # type: ignore[arg-type]
        rows = v.sample(rng.randrange(3000), rng.randrange(99), nulls=0.2, bad=0.2)
        for want in ("a", "b", "prefix"):
            right = v.one_by_one(table, rows, want)  # type: ignore[arg-type]
            assert table.lookup_many(pa.array(rows, pa.string()), want).to_pylist() == right
            assert table.lookup_many(pl.Series(rows, dtype=pl.String), want).to_list() == right
