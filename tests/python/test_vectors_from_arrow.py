"""Table.from_arrow: the same table as from the rows one by one."""

from __future__ import annotations

import pytest
import vector_rows as v

import fingerpost

pa = pytest.importorskip("pyarrow")


def test_integers_make_a_table_of_integers() -> None:
    networks = pa.array(list(v.ROUTES), type=pa.string_view())
    table = fingerpost.Table.from_arrow(networks, pa.array(list(v.ROUTES.values())))
    assert table == v.integers()
    assert table.value_kind == "int"
    chunks = pa.chunked_array([networks[:3], networks[3:]]).cast(pa.string()).dictionary_encode()
    assert fingerpost.Table.from_arrow(chunks, pa.array(list(v.ROUTES.values()), pa.uint32())) == table
    assert (
        fingerpost.Table.from_arrow(networks, pa.array(list(v.ROUTES.values())), scheme=table.scheme) == table
    )


def test_text_makes_rows() -> None:
    networks = pa.chunked_array([["10.0.0.0/8", "::/0"], ["10.1.0.0/16"]])
    table = fingerpost.Table.from_arrow(networks, pa.array(["a", None, "c"]).dictionary_encode())
    assert table.columns == ("value",)
    assert dict(table.items()) == {"10.0.0.0/8": "a", "10.1.0.0/16": "c", "::/0": ""}
    columns = pa.table({"asn": ["1", "2", "3"], "country": pa.array(["CH", None, "DE"], pa.large_string())})
    table = fingerpost.Table.from_arrow(networks, columns)
    assert table.columns == ("asn", "country")
    assert table["10.1.0.0/16"] == {"asn": "3", "country": "DE"}
    assert table["::/0"] == {"asn": "2", "country": ""}
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
    with pytest.raises(TypeError, match="networks cannot be of the Arrow type int64"):
        fingerpost.Table.from_arrow(values, values)
    with pytest.raises(
        TypeError, match="values cannot be of the Arrow type float64; accepted are integers, utf8"
    ):
        fingerpost.Table.from_arrow(networks[:1], pa.array([1.5]))
    with pytest.raises(TypeError, match="PyCapsule interface, not list"):
        fingerpost.Table.from_arrow(["10.0.0.0/8"], values)
