"""Table.from_arrow gives the same table as the rows one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import vector_rows as v

import fingerpost

pa = pytest.importorskip("pyarrow")


def test_integers_make_a_table_of_integers() -> None:
    networks = pa.array(list(v.ROUTES), type=pa.string_view())
    table = fingerpost.Table.from_arrow(networks, pa.array(list(v.ROUTES.values())))
    assert table == v.integers()
    assert table.value_kind == "int"
    texts = pa.array(list(v.ROUTES))
    chunks = pa.chunked_array([texts[:3], texts[3:]]).dictionary_encode()
    assert fingerpost.Table.from_arrow(chunks, pa.array(list(v.ROUTES.values()), pa.uint32())) == table
    assert (
        fingerpost.Table.from_arrow(networks, pa.array(list(v.ROUTES.values())), scheme=table.scheme) == table
    )


def test_text_makes_rows() -> None:
    networks = pa.chunked_array([["10.0.0.0/8", "::/0"], ["10.1.0.0/16"]])
    table = fingerpost.Table.from_arrow(networks, pa.array(["a", None, "c"]).dictionary_encode())
    assert table.columns == ("value",)
    assert dict(table.items()) == {"10.0.0.0/8": "a", "10.1.0.0/16": "c", "::/0": None}
    columns = pa.table({"asn": ["1", "2", "3"], "country": pa.array(["CH", None, "DE"], pa.large_string())})
    table = fingerpost.Table.from_arrow(networks, columns)
    assert table.columns == ("asn", "country")
    assert table["10.1.0.0/16"] == {"asn": "3", "country": "DE"}
    assert table["::/0"] == {"asn": "2", "country": None}
    assert fingerpost.Table.from_arrow(
        pa.array([], pa.string()), pa.array([], pa.string())
    ) == fingerpost.Table(values=["value"])


def test_what_is_wrong_is_named() -> None:
    networks, values = pa.array(["10.0.0.0/8", None]), pa.array([1, 2])
    with pytest.raises(ValueError, match="row 1: the network is null"):
        fingerpost.Table.from_arrow(networks, values)
    with pytest.raises(ValueError, match="row 1: the value is null"):
        fingerpost.Table.from_arrow(pa.array(["10.0.0.0/8", "11.0.0.0/8"]), pa.array([1, None]))
    with pytest.raises(ValueError, match="there are 1 networks and 2 values"):
        fingerpost.Table.from_arrow(networks[:1], values)
    with pytest.raises(ValueError, match="10.0.0.0/33"):
        fingerpost.Table.from_arrow(pa.array(["10.0.0.0/33"]), values[:1])
    with pytest.raises(OverflowError):
        fingerpost.Table.from_arrow(networks[:1], pa.array([2**32]))
    with pytest.raises(TypeError, match="networks cannot have Arrow type int64"):
        fingerpost.Table.from_arrow(values, values)
    with pytest.raises(
        TypeError, match="values cannot have Arrow type date32; accepted types: integers, utf8"
    ):
        fingerpost.Table.from_arrow(networks[:1], pa.array([1], pa.date32()))
    with pytest.raises(ValueError, match="row 0: infinite floats are not supported"):
        fingerpost.Table.from_arrow(networks[:1], pa.array([float("inf")]))
    with pytest.raises(TypeError, match="PyCapsule interface, not list"):
        fingerpost.Table.from_arrow(["10.0.0.0/8"], values)  # type: ignore[arg-type]


@pytest.mark.parametrize("of", ["utf8", "large_utf8", "utf8_view", "dictionary"])
def test_every_layout_makes_the_table_that_its_rows_make(of: str) -> None:
    """Chunks with offsets, structs with nulls, repeated prefixes, and prefixes with host bits."""
    networks = [f"10.{i % 200}.{i % 7}.1/24" if i % 3 else f"2001:db8:{i % 150:x}::1/48" for i in range(4000)]
    asn = [None if i % 11 == 0 else f"AS{i % 60}" for i in range(4000)]
    country = ["CH", None, "DE", "édge"] * 1000

    def column(texts: Sequence[str | None]) -> Any:
        if of == "dictionary":
            return pa.array(["before", *texts, "behind"]).dictionary_encode().slice(1, 4000)
        layout = {"utf8": pa.string(), "large_utf8": pa.large_string(), "utf8_view": pa.string_view()}[of]
        return pa.array(["before", *texts, "behind"], layout).slice(1, 4000)

    where = column(networks)
    one = fingerpost.Table.from_arrow(pa.chunked_array([where[:999], where[999:]]), column(asn))
    assert one == fingerpost.Table(list(zip(networks, asn, strict=True)), values=["value"])
    mask = pa.array([i % 13 == 0 for i in range(4000)])
    struct = pa.StructArray.from_arrays([column(asn), column(country)], ["asn", "country"], mask=mask)
    two = fingerpost.Table.from_arrow(
        where, pa.chunked_array([struct[:1500], struct[1500:1500], struct[1500:]])
    )
    rows = [(None, None) if i % 13 == 0 else (asn[i], country[i]) for i in range(len(networks))]
    assert two == fingerpost.Table(zip(networks, rows, strict=True), values=["asn", "country"])


@pytest.mark.parametrize("of", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("encoded", [False, True])
def test_integers_of_every_size(of: str, encoded: bool) -> None:
    numbers = pa.array([99, 0, 1, 127], getattr(pa, of)())
    networks = pa.array(["10.0.0.0/8", "::/0", "10.1.0.0/16"])
    values = numbers.dictionary_encode() if encoded else numbers
    assert dict(fingerpost.Table.from_arrow(networks, values[1:]).items()) == {
        "10.0.0.0/8": 0,
        "10.1.0.0/16": 127,
        "::/0": 1,
    }
    wrong = {"i": -1, "u": 2**32 - 1 if of in ("uint32", "uint64") else None}[of[0]]
    if wrong is not None:
        bad = pa.array([0, wrong, 1], getattr(pa, of)())
        with pytest.raises(OverflowError, match=f"row 1: {wrong}: a value of this table is an int from 0"):
            fingerpost.Table.from_arrow(networks, bad.dictionary_encode() if encoded else bad)
    with pytest.raises(ValueError, match="row 2: the value is null"):
        fingerpost.Table.from_arrow(networks, pa.array([0, 1, None], getattr(pa, of)()))


def test_a_bad_network_is_named_with_its_row() -> None:
    for text, reason in (
        ("10.0.0.0/33", "prefix length 33 is longer than 32"),
        ("x", "unexpected 'x' at column 1"),
    ):
        networks = pa.chunked_array([["10.0.0.0/8"], ["::/0", text]])
        with pytest.raises(ValueError, match=f"row 2: '{text}': {reason}"):
            fingerpost.Table.from_arrow(networks, pa.array([1, 2, 3]))
    broken = pa.DictionaryArray.from_arrays(pa.array([0, 5], pa.int8()), pa.array(["a"]), safe=False)
    with pytest.raises(ValueError, match="index outside the dictionary"):
        fingerpost.Table.from_arrow(pa.array(["10.0.0.0/8", "::/0"]), broken)


def test_it_makes_tables_of_the_class_and_of_the_scheme() -> None:
    class Mine(fingerpost.Table[object]):
        pass

    networks = pa.array(["10.0.0.0/8", "::/0"])
    made = Mine.from_arrow(networks, pa.array([1, 2]), scheme="poptrie")
    assert (type(made), made.scheme, made["::/0"]) == (Mine, "poptrie", 2)
    made["11.0.0.0/8"] = 3
    assert made.lookup_many(["11.0.0.1", "::1"]) == [3, 2]
    with pytest.raises(ValueError, match="'nothing' is not one of "):
        Mine.from_arrow(networks, pa.array([1, 2]), scheme="nothing")
    with pytest.raises(ValueError, match="two columns have the name 'a'"):
        Mine.from_arrow(networks, pa.StructArray.from_arrays([networks, networks], ["a", "a"]))
