"""The errors of lookup_many for invalid rows, wrong types and wrong arguments. Nothing leaks."""

from __future__ import annotations

import ipaddress
import sys

import numpy as np
import pytest
import vector_rows as v
from sizes import sized

import fingerpost

pa = pytest.importorskip("pyarrow")

KINDS = {
    "list": list,
    "tuple": tuple,
    "numpy": lambda rows: np.array(rows, dtype=object),
    "utf8": lambda rows: pa.array(rows, type=pa.string()),
    "utf8_view": lambda rows: pa.array(rows, type=pa.string_view()),
    "dictionary": lambda rows: pa.array(rows, type=pa.string()).dictionary_encode(),
    "chunks": lambda rows: pa.chunked_array([rows[:10], [], rows[10:]], type=pa.string()),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [1, 4])
def test_raise_names_the_first_bad_row(kind: str, threads: int) -> None:
    table = v.integers()
    # Threads share pieces of 32,768 rows.
    rows = v.sample(1000, 1, nulls=0.05) * sized(40, 100)
    for row in (0, 11, 39_500, len(rows) - 1):
        wrong = [*rows[:row], "10.1.2.256", *rows[row + 1 :]]
        wrong[max(row, len(rows) - 500)] = "10.1.2.256"
        with pytest.raises(ValueError, match=rf"^row {row}: '10\.1\.2\.256' is not an address: .*255"):
            table.lookup_many(KINDS[kind](wrong), on_error="raise", threads=threads)
    assert len(table.lookup_many(KINDS[kind](rows), on_error="raise", threads=threads)) == len(rows)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [1, 3])
def test_one_per_cent_bad_and_five_per_cent_null(kind: str, threads: int) -> None:
    table = v.integers()
    part = v.sample(2500, 2, nulls=0.05, bad=0.01)
    rows = part * sized(16, 40)
    report = fingerpost.Report()
    answers = table.lookup_many(KINDS[kind](rows), threads=threads, report=report)
    expected = v.one_by_one(table, part) * sized(16, 40)
    plain = (
        answers.tolist()
        if kind == "numpy"
        else list(answers)
        if kind in ("list", "tuple")
        else answers.to_pylist()
    )
    assert [None if one == -1 else one for one in plain] == expected
    bad = [i for i, row in enumerate(rows) if row is not None and not v.is_address(row)]
    assert len(bad) > len(rows) // 200
    assert report.rows == len(rows)
    assert report.bad == len(bad)
    assert report.nulls == rows.count(None) > len(rows) // 33
    assert report.matched == len(expected) - expected.count(None)
    assert report.missed == report.rows - report.matched - report.nulls - report.bad > 0
    assert [row for row, _, _ in report.first_bad] == bad[:5]
    for row, text, reason in report.first_bad:
        assert text == rows[row]
        assert reason
    assert repr(report).startswith(f"<fingerpost.Report: {len(rows)} rows")


REASONS: list[tuple[object, str, str]] = [
    (2**32, "4294967296", "an IPv4 address is a number from 0 to 2**32 - 1"),
    (-1, "-1", "an IPv4 address is a number from 0 to 2**32 - 1"),
    (b"abc", "b'abc'", "3 bytes; an address has 4 (IPv4) or 16 (IPv6), in network order"),
    (
        ipaddress.ip_address("fe80::1%eth0"),
        "IPv6Address('fe80::1%eth0')",
        "an address with a zone is not part",
    ),
    ("\ud800", r"'\ud800'", "invalid characters for an address"),
    ("4294967296", "4294967296", "neither an IPv4 nor an IPv6 address"),
    ("bad", "bad", "neither an IPv4 nor an IPv6 address"),
    ("10.0.0.256", "10.0.0.256", "an octet is larger than 255"),
    ("1:2:3:45678::", "1:2:3:45678::", "a group has more than four hexadecimal digits"),
]


@pytest.mark.parametrize(("row", "text", "reason"), REASONS, ids=[repr(one) for one, _, _ in REASONS])
def test_reasons_are_those_of_the_object(row: object, text: str, reason: str) -> None:
    report = fingerpost.Report()
    rows = [1, "10.1.2.3", None, row, 2]
    answers = v.integers().lookup_many(rows, family=4, report=report)
    assert answers[2:4] == [None, None]
    assert report.bad == 1
    ((number, told, why),) = report.first_bad
    assert (number, told) == (3, text)
    assert reason in why
    with pytest.raises(ValueError) as raised:
        v.integers().lookup_many(rows, family=4, on_error="raise")
    assert "row 3: " in str(raised.value) and reason in str(raised.value)


def test_family_is_that_of_integers_alone() -> None:
    table = fingerpost.Table({"::/0": 6, "0.0.0.0/0": 4}, values=int)
    rows = ["::1", ipaddress.ip_address("::1"), bytes(16), 1, b"\0\0\0\1"]
    assert table.lookup_many(rows, family=4) == [6, 6, 6, 4, 4]
    assert table.lookup_many(rows, family=6) == [6, 6, 6, 6, 4]


def test_a_report_is_written_anew() -> None:
    report = fingerpost.Report()
    v.integers().lookup_many(["x", None, "10.1.2.3"], report=report)
    v.integers().lookup_many(["11.0.0.1"], report=report)
    assert (report.rows, report.missed, report.matched, report.nulls, report.bad) == (1, 1, 0, 0, 0)
    assert report.first_bad == []


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("10.1.2.3", "not str; lookup\\(\\) takes one address"),
        (b"\x0a\x01\x02\x03", "not bytes; lookup\\(\\) takes one address"),
        (5, "a list or tuple, a numpy array, a column with the Arrow PyCapsule"),
        (None, "uint32 \\(n,\\).*utf8, large_utf8"),
        ({"10.1.2.3"}, "not set"),
        (iter(["10.1.2.3"]), "not list_iterator"),
        (["10.1.2.3", 1.5], "row 1: .*str, bytes of 4 or 16.*not float"),
        (["10.1.2.3", ["::1"]], "row 1: .*not list"),
        ([5], "row 0: .*family=4"),
        (np.zeros(3), "float64 and shape \\(3,\\); accepted arrays: uint32"),
        (np.zeros(3, np.int64), "int64"),
        (np.zeros(3, np.uint64), "uint64"),
        (np.zeros(16, np.uint8), "uint8"),
        (np.zeros((2, 5), np.uint8), "\\(2, 5\\)"),
        (np.zeros((2, 3), np.uint64), "\\(2, 3\\)"),
        (np.zeros((2, 2), np.uint32), "\\(2, 2\\)"),
        (np.zeros((1, 2, 16), np.uint8), "\\(1, 2, 16\\)"),
        (np.array(7, np.uint32), "\\(\\)"),
        (np.uint32(7), "not .*uint32"),
        (np.zeros(2, [("a", "u8")]), "'a'"),
        (np.zeros(2, [("a", "<u8"), ("b", ">u8")]), "'b'"),
        (np.zeros(2, [("a", "u8"), ("b", "i8")]), "'b'"),
        (np.ma.masked_array(np.zeros(2, np.uint32), [0, 1]), "masked array"),
        (np.array(["2020-01-01"], "M8[D]"), "datetime64"),
    ],
    ids=lambda x: str(type(x).__name__),
)
def test_wrong_types_list_what_is_accepted(rows: object, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        v.integers().lookup_many(rows)


ACCEPTED = "accepted types: utf8, large_utf8, utf8_view, binary.*uint32, null, or a dictionary of one of these"


@pytest.mark.parametrize(
    ("type_", "words"),
    [
        (pa.int64(), "int64"),
        (pa.uint64(), "uint64"),
        (pa.float32(), "float32"),
        (pa.bool_(), "bool"),
        (pa.date32(), "date32"),
        (pa.timestamp("us"), "timestamp"),
        (pa.binary(8), r"fixed_size_binary\[8\]"),
        (pa.list_(pa.string()), "list"),
        (pa.decimal128(5), "decimal"),
        (pa.dictionary(pa.int8(), pa.float64()), "dictionary of float64"),
        (pa.run_end_encoded(pa.int32(), pa.string()), "run_end_encoded"),
        (pa.struct({"a": pa.string(), "b": pa.int8()}), r"struct of a \(utf8\), b \(int8\)"),
        (pa.struct([]), "struct"),
        (pa.struct({"a": pa.float64()}), "float64"),
    ],
    ids=str,
)
def test_other_types_of_arrow_list_what_is_accepted(type_: pa.DataType, words: str) -> None:
    for column in (pa.array([None], type=type_), pa.chunked_array([], type=type_)):
        with pytest.raises(TypeError, match=f"Arrow type {words}.*{ACCEPTED}"):
            v.integers().lookup_many(column)


def test_wrong_arguments() -> None:
    table = v.rows_of_two_columns()
    rows = ["10.1.2.3"]
    with pytest.raises(
        ValueError,
        match=r"want='cuntry': .*value, index, length, prefix, asn, country; did you mean country\?",
    ):
        table.lookup_many(rows, "cuntry")
    with pytest.raises(TypeError, match="want= takes a str or a list of str, not int"):
        table.lookup_many(rows, 5)
    with pytest.raises(TypeError, match="not int"):
        table.lookup_many(rows, ["value", 5])
    with pytest.raises(ValueError, match="'value' twice"):
        table.lookup_many(rows, ["value", "asn", "value"])
    with pytest.raises(ValueError, match="empty list"):
        table.lookup_many(rows, [])
    with pytest.raises(ValueError, match="on_error='ignore': must be 'null' or 'raise'"):
        table.lookup_many(rows, on_error="ignore")
    for threads in (-1, True, 1025, "two", None):
        with pytest.raises(ValueError, match="threads="):
            table.lookup_many(rows, threads=threads)
    with pytest.raises(TypeError, match="report= takes a fingerpost.Report, not dict"):
        table.lookup_many(rows, report={})
    with pytest.raises(ValueError, match="family"):
        table.lookup_many(rows, family=5)
    with pytest.raises(TypeError, match="default= takes a dict"):
        table.lookup_many(rows, ["value"], default=5)
    with pytest.raises(ValueError, match="'asn', which is not in want="):
        table.lookup_many(rows, ["value"], default={"asn": "x"})
    column = np.array([1], np.uint32)
    with pytest.raises(TypeError, match="'length', which is an integer"):
        table.lookup_many(column, "length", default="x")
    with pytest.raises(OverflowError, match="int16"):
        table.lookup_many(column, "length", default=2**15)
    with pytest.raises(TypeError, match="'asn', which is text"):
        table.lookup_many(pa.array(["::1"]), "asn", default=5)
    with pytest.raises(TypeError, match="a struct"):
        table.lookup_many(pa.array(["::1"]), default="x")


def test_text_without_utf8_form_is_a_bad_row() -> None:
    report = fingerpost.Report()
    assert v.integers().lookup_many(["10.1.2.3", "\ud800", "1.2.3.4\x00"], report=report) == [4, None, None]
    assert report.bad == 2
    assert v.integers().lookup_many(
        np.array(["10.1.2.3", "\ud800", "\U0001f600"]), report=report
    ).tolist() == [4, -1, -1]
    assert report.bad == 2


def test_a_list_that_its_own_rows_change() -> None:
    rows: list[object] = []

    class Shrinking(str):
        __slots__ = ()

    class Sneaky:
        @property
        def packed(self) -> bytes:
            rows.clear()
            return bytes(4)

    rows += ["10.1.2.3", Sneaky(), Shrinking("10.1.2.3")]
    with pytest.raises((TypeError, IndexError)):
        v.integers().lookup_many(rows)


def test_nothing_is_left_behind_by_errors() -> None:
    table, value = fingerpost.Table({"10.0.0.0/8": object()}), object()
    table["11.0.0.0/8"] = value
    column = pa.array(["11.0.0.1", "bad", None] * 1000)
    references, bytes_ = sys.getrefcount(value), pa.total_allocated_bytes()
    for _ in range(50):
        with pytest.raises(TypeError):
            table.lookup_many(column)
        with pytest.raises(ValueError, match="row 1"):
            table.lookup_many(column, on_error="raise")
        with pytest.raises(TypeError):
            table.lookup_many(["11.0.0.1", 1.5])
        assert table.lookup_many(["11.0.0.1"] * 3) == [value] * 3
        assert table.lookup_many(np.array(["11.0.0.1"] * 3)).tolist() == [value] * 3
    assert (sys.getrefcount(value), pa.total_allocated_bytes()) == (references, bytes_)


def test_bad_rows_that_are_not_utf8_are_told() -> None:
    table = fingerpost.Table({"10.0.0.0/8": 1}, values=int)
    report = fingerpost.Report()
    rows = np.array([b"10.0.0.\xff", b"10.0.0.1"])
    assert table.lookup_many(rows, report=report).tolist() == [-1, 1]
    assert [(row, text) for row, text, _ in report.first_bad] == [(0, "10.0.0.\\xff")]
    with pytest.raises(ValueError, match=r"row 0: '10\.0\.0\.\\xff' is not an address"):
        table.lookup_many(rows, on_error="raise")


def test_a_column_that_is_named_like_a_want_is_listed_once() -> None:
    table = fingerpost.Table(values=["length", "name", "value"])
    with pytest.raises(
        ValueError, match="want='nam': .* value, index, length, prefix, name; did you mean name"
    ):
        table.lookup_many(["10.0.0.1"], "nam")
