"""lookup_many over lists and numpy arrays, compared with single lookups."""

from __future__ import annotations

import array
import ipaddress

import numpy as np
import pytest
import vector_rows as v
from sizes import sized

import fingerpost

# Around the size of a block, 1,024 rows.
SIZES = sized([0, 1, 9, 1024, 1025], [0, 1, 7, 8, 9, 1023, 1024, 1025, 2100])


def minus_one(answers: list[object]) -> list[object]:
    return [-1 if one is None else one for one in answers]


@pytest.mark.parametrize("size", SIZES)
def test_lists_of_texts_with_nulls_and_bad_rows(size: int) -> None:
    rows = v.sample(size, size, nulls=0.1, bad=0.1)
    for table in (v.integers(), v.texts(), v.rows_of_two_columns()):
        for want in ("value", "prefix", "length"):
            assert table.lookup_many(rows, want) == v.one_by_one(table, rows, want)


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
def test_threads_share_pieces_of_32768_rows(threads: int) -> None:
    table, rows = v.rows_of_two_columns(), v.sample(1500, 4, nulls=0.1, bad=0.1)
    report = fingerpost.Report()
    answers = table.lookup_many(rows * 50, ["country", "prefix"], threads=threads, report=report)
    assert answers["country"] == v.one_by_one(table, rows, "country") * 50
    assert answers["prefix"] == v.one_by_one(table, rows, "prefix") * 50
    assert report.rows == 75_000
    assert report.nulls == 50 * rows.count(None)
    bad = [(i, row) for i, row in enumerate(rows) if row is not None and not v.is_address(row)]
    assert report.bad == 50 * len(bad)
    assert [(i, text) for i, text, _ in report.first_bad] == bad[:5]


def test_a_list_may_hold_every_form_of_an_address() -> None:
    table = v.integers()
    rows = [
        "10.1.2.3",
        ipaddress.ip_address("2001:db8:1::7"),
        bytes([10, 1, 2, 3]),
        ipaddress.ip_address("10.1.2.3").packed,
        None,
        float("nan"),
        np.str_("10.0.0.1"),
    ]
    assert table.lookup_many(rows) == [4, 9, 4, 4, None, None, 1]
    assert table.lookup_many(tuple(rows)) == [4, 9, 4, 4, None, None, 1]
    assert table.lookup_many([0x0A010203, 0x0A000001], family=4) == [4, 1]
    assert table.lookup_many([0x20010DB8 << 96, 2**128, -1], family=6) == [7, None, None]


def test_bytes_of_another_length_are_a_bad_row() -> None:
    report = fingerpost.Report()
    assert v.integers().lookup_many([b"\x0a\x01\x02", "10.1.2.3"], report=report) == [None, 4]
    assert (report.bad, report.matched) == (1, 1)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("order", ["<", ">"])
def test_numbers_of_ipv4(size: int, order: str) -> None:
    table, rows = v.integers(), v.sample(size, 5, family=4)
    column = np.array(v.numbers(rows), dtype=order + "u4")
    answers = table.lookup_many(column)
    assert answers.dtype == np.int64
    assert answers.tolist() == minus_one(v.one_by_one(table, rows))
    assert table.lookup_many(column[::-2]).tolist() == minus_one(v.one_by_one(table, rows))[::-2]
    assert table.lookup_many(np.repeat(column, 3)[1::3]).tolist() == answers.tolist()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("family", [4, 6])
def test_bytes_in_network_order(size: int, family: int) -> None:
    table, rows = v.integers(), v.sample(size, 6, family=family)
    width = 4 if family == 4 else 16
    column = np.frombuffer(b"".join(one for one in v.packed(rows) if one), dtype=np.uint8).reshape(-1, width)
    expected = minus_one(v.one_by_one(table, rows))
    assert table.lookup_many(column).tolist() == expected
    assert table.lookup_many(column[1::2]).tolist() == expected[1::2]
    assert table.lookup_many(np.asfortranarray(column)).tolist() == expected
    wide = np.hstack([np.zeros((size, 3), np.uint8), column])
    assert table.lookup_many(wide[:, 3:]).tolist() == expected


@pytest.mark.parametrize("order", ["<", ">"])
def test_halves_of_ipv6(order: str) -> None:
    table, rows = v.integers(), v.sample(2500, 7, family=6)
    expected = minus_one(v.one_by_one(table, rows))
    halves = [(n >> 64, n & (2**64 - 1)) for n in v.numbers(rows)]
    pairs = np.array(halves, dtype=order + "u8")
    assert table.lookup_many(pairs).tolist() == expected
    assert table.lookup_many(pairs[::-1]).tolist() == expected[::-1]
    assert table.lookup_many(np.asfortranarray(pairs)).tolist() == expected
    structure = np.array(halves, dtype=[("hi", order + "u8"), ("lo", order + "u8")])
    assert table.lookup_many(structure).tolist() == expected
    # The order of the fields counts, not their offsets.
    apart = np.zeros(
        len(halves),
        np.dtype({"names": ["h", "l"], "formats": [order + "u8"] * 2, "offsets": [12, 1], "itemsize": 21}),
    )
    apart["h"], apart["l"] = pairs[:, 0], pairs[:, 1]
    assert table.lookup_many(apart).tolist() == expected


@pytest.mark.parametrize("kind", ["S", "U", ">U64", "O"])
def test_arrays_of_text(kind: str) -> None:
    table = v.integers()
    rows = [row for row in v.sample(2500, 8, bad=0.1) if kind != "S" or (row or "").isascii()]
    column = np.array(rows, dtype=kind)
    report = fingerpost.Report()
    assert table.lookup_many(column, report=report).tolist() == minus_one(v.one_by_one(table, rows))
    assert report.bad == sum(not v.is_address(row) for row in rows if row is not None) > 100
    assert table.lookup_many(column, "prefix")[::3].tolist() == v.one_by_one(table, rows, "prefix")[::3]
    assert table.lookup_many(column[::3], "prefix").tolist() == v.one_by_one(table, rows, "prefix")[::3]


def test_arrays_of_objects_have_nulls() -> None:
    table = v.texts()
    rows = v.sample(3000, 9, nulls=0.2, bad=0.1)
    answers = table.lookup_many(np.array(rows, dtype=object))
    assert answers.dtype == object
    assert answers.tolist() == v.one_by_one(table, rows)


def test_types_of_answers() -> None:
    column = np.array([0x0A010203, 1], dtype=np.uint32)
    table = v.integers()
    assert table.lookup_many(column, "length").dtype == np.int16
    assert table.lookup_many(column, "length").tolist() == [32, -1]
    assert table.lookup_many(column, "index").dtype == np.int64
    assert table.lookup_many(column, "prefix").tolist() == ["10.1.2.3/32", None]
    many = v.rows_of_two_columns().lookup_many(column, ["asn", "length", "value"])
    assert list(many) == ["asn", "length", "value"]
    assert many["asn"].tolist() == ["AS4", None]
    assert many["length"].tolist() == [32, -1]
    assert many["value"].tolist() == [{"asn": "AS4", "country": "CH"}, None]


def test_an_index_is_the_same_for_equal_values() -> None:
    rows = v.sample(2000, 10)
    for table in (v.texts(), v.rows_of_two_columns()):
        values, indices = table.lookup_many(rows), table.lookup_many(rows, "index")
        seen = {index: value for index, value in zip(indices, values, strict=True)}
        assert len(seen) > 5
        assert [seen[index] for index in indices] == values


def test_defaults_are_for_addresses_without_a_route() -> None:
    table, rows = v.integers(), ["10.0.0.1", "11.0.0.1", "bad", None]
    assert table.lookup_many(rows, default="none") == [1, "none", None, None]
    assert table.lookup_many(np.array(rows[:3]), default=99).tolist() == [1, 99, -1]
    many = table.lookup_many(rows, ["value", "prefix"], default={"prefix": "?"})
    assert many == {"value": [1, None, None, None], "prefix": ["10.0.0.0/8", "?", None, None]}
    assert table.lookup_many(np.array(rows[:3]), "length", default=-7).tolist() == [8, -7, -1]


def test_other_buffers_are_arrays() -> None:
    assert v.integers().lookup_many(array.array("I", [0x0A010203, 1])).tolist() == [4, -1]
    assert v.integers().lookup_many(memoryview(np.array([0x0A010203], np.uint32))).tolist() == [4]


def test_an_empty_table_answers_nothing() -> None:
    table = fingerpost.Table()
    assert table.lookup_many(["10.0.0.1", "::1"], ["value", "prefix", "length"]) == {
        "value": [None, None],
        "prefix": [None, None],
        "length": [None, None],
    }


def test_large_tables_and_few_rows_find_the_same_routes() -> None:
    """Routes are found one by one for few rows, and in a table of numbered routes for many."""
    routes = {f"{a}.{b}.{c}.0/24": a for a in (10, 11) for b in range(40) for c in range(100)}
    table = fingerpost.Table(routes | {"10.0.0.0/8": 3, "2001:db8::/32": 5}, values=int)
    rows: list[str | None] = ["10.39.99.4", "10.40.0.1", "2001:db8::1", "12.0.0.1", None]
    few = table.lookup_many(rows, ["prefix", "length", "value"])
    many = table.lookup_many(rows * 500, ["prefix", "length", "value"])
    for want in ("prefix", "length", "value"):
        assert few[want] == v.one_by_one(table, rows, want)
        assert many[want] == few[want] * 500
