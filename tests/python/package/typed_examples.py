"""Uses of a Table that mypy --strict and strict pyright accept. An `ignore` marks a wrong use and is required by
both."""

# pandas has no types.
# pyright: reportMissingTypeStubs=false
from __future__ import annotations

import io
from collections.abc import Mapping, MutableMapping
from ipaddress import ip_address, ip_network
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
from typing_extensions import assert_type

import fingerpost
import fingerpost.duckdb
import fingerpost.pandas
import fingerpost.polars


def objects() -> list[str]:
    table = fingerpost.Table({"10.0.0.0/8": "office"})
    table[ip_network("2001:db8::/32")] = "v6"
    table["192.0.2.0", 24] = "tuple"
    table[0x0A000000, 16, 4] = "number"
    table.update([("11.0.0.0/8", "pairs"), (b"\x0a\0\0\1", "bytes")])
    table["::/0"] = 5  # type: ignore[assignment]
    found: str | None = table.lookup("10.0.0.1")
    certain: str = table.lookup(ip_address("::1"), "none")
    number: str = table.lookup(1, "none", family=6)
    pair: tuple[str, str] | None = table.match("10.0.0.1")
    names: list[str] = list(table) + [value for _, value in table.items()]
    table.lookup(1.5)  # type: ignore[call-overload]
    return [found or "", certain, number, *(pair or ()), *names]


def integers() -> int:
    table = fingerpost.Table([("10.0.0.0/8", 1)], values=int)
    table["11.0.0.0/8"] = "x"  # type: ignore[assignment]
    return table["10.0.0.0/8"] + table.pop("11.0.0.0/8", 0)


def rows() -> list[str | dict[str, str]]:
    table = fingerpost.Table(values=["asn", "country"])
    table["10.0.0.0/8"] = {"asn": "64500", "country": "CH"}
    table.save("table.image")
    return list(table.values())


def frames(polars: pl.DataFrame, pandas: pd.DataFrame) -> int:
    numbers = fingerpost.Table(polars, values=int)
    rows: fingerpost.Table[dict[str, Any]] = fingerpost.Table(polars, network=["start", "end"])
    typed: fingerpost.Table[Any] = fingerpost.Table(pandas, values={"asn": int})
    other: fingerpost.Table[Any] = fingerpost.Table.from_arrow(polars, network="cidr")
    fingerpost.Table({"10.0.0.0/8": 1}, network="cidr")  # type: ignore[call-overload]
    return len(rows) + len(typed) + len(other) + (numbers.lookup("10.0.0.1") or 0)


def total(of: Mapping[str, int]) -> int:
    return sum(of.values())


def add(to: MutableMapping[str, int]) -> None:
    to["10.0.0.0/8"] = 1
    to.update({"::/0": 2})


def a_mapping() -> int:
    table = fingerpost.Table({"10.0.0.0/8": 1}, values=int)
    add(table)
    add(fingerpost.Table({"10.0.0.0/8": "office"}))  # type: ignore[arg-type]
    assert_type(table.pop("::/0", None), int | None)
    assert_type(table.setdefault("::/0", 5), int)
    assert_type(dict(table), dict[str, int])
    assert_type(table | {"::/0": 2}, fingerpost.Table[int])
    assert_type({"::/0": 2} | table, fingerpost.Table[int])
    table |= [("::/0", 2)]
    table |= table | {ip_network("::/0"): 3}
    assert_type(table.match_prefix("10.0.0.0/9"), tuple[str, int] | None)
    assert_type(table.parent("10.0.0.0/9"), tuple[str, int] | None)
    assert_type(table.children("10.0.0.0/9"), list[tuple[str, int]])
    assert_type(list(reversed(table)), list[str])
    table.freeze()
    assert_type({table: table.frozen}, dict[fingerpost.Table[int], bool])
    wrong = fingerpost.Table({"10.0.0.0/8": 1}, values=int)
    wrong |= {"::/0": "office"}  # type: ignore[arg-type]
    return total(table) + sum(reversed(table.values()))


def typed_rows() -> list[str]:
    """Rows are a cell or a dict, depending on the number of columns, so they can be used without isinstance."""
    table = fingerpost.Table.from_csv("table.csv")
    one = fingerpost.Table.from_csv("table.csv", columns="country")
    assert_type(one, fingerpost.Table[Any])
    two = fingerpost.Table.from_file(io.StringIO("network,a,b\n"), columns=("a", "b"))
    assert_type(two, fingerpost.Table[dict[str, Any]])
    said: fingerpost.Table[dict[str, str]] = fingerpost.Table.from_csv("table.csv", columns=["a", "b"])
    assert_type(fingerpost.Table(values=("a",))["10.0.0.0/8"], str)
    assert_type(fingerpost.Table(values=("a", "b"))["10.0.0.0/8"], dict[str, str])
    made = fingerpost.Table(values=["a", "b"])
    made["10.0.0.0/8"] = ("1", "2")
    first: str = table["10.0.0.0/8"]["country"]
    second: str = made["10.0.0.0/8"]["a"] + fingerpost.open("table.image")["10.0.0.0/8"]
    return [first, second, one["::/0"].upper(), two["::/0"]["a"], said["::/0"]["a"]]


def from_files() -> str:
    mrt = fingerpost.Table.from_mrt("rib.gz", peer="AS64500")
    text: fingerpost.Table[str] = fingerpost.Table.from_text("table.txt", skip_bad=5)
    typed = fingerpost.Table(values={"asn": int, "name": str})
    typed["10.0.0.0/8"] = (64500, None)
    chosen = fingerpost.Table.from_csv("table.csv", types={"asn": str})
    assert_type(chosen.types, dict[str, type])
    return f"{mrt['10.0.0.0/8']['next_hop']} {text['10.0.0.0/8']} {typed['10.0.0.0/8']['asn']}"


def columns() -> list[object]:
    table = fingerpost.Table({"10.0.0.0/8": 1}, values=int)
    counts = fingerpost.Report()
    found = table.lookup_many(["10.0.0.1", None], threads=2, report=counts)
    assert_type(found, list[int | None])
    assert_type(table.lookup_many(["10.0.0.1"], default=0), list[int | None])
    assert_type(table.lookup_many(["10.0.0.1"], default="none"), list[int | str | None])
    assert_type(table.lookup_many(["10.0.0.0/9"], "length", prefixes=True), list[int | None])
    assert_type(table.lookup_many(("10.0.0.1",), "prefix", default=0), list[str | int | None])
    assert_type(table.lookup_many([b"\0\0\0\0"], "country"), list[Any])
    many = table.lookup_many(("10.0.0.1",), ["value", "length"])
    assert_type(many, dict[str, list[Any]])
    lengths: npt.NDArray[np.generic] = table.lookup_many(np.array([167772161], np.uint32), "length")
    table.lookup_many(["::1"], on_error="ignore")  # type: ignore[call-overload]
    return [*found, *many["length"], lengths.dtype, counts.matched]


def anything() -> fingerpost.Table[object]:
    table: fingerpost.Table[object] = fingerpost.Table()
    table["10.0.0.0/8"] = object()
    return table.copy()


def hits(table: fingerpost.AnyTable, addresses: list[str]) -> int:
    """Accepts a table with any values, like functions that only read it."""
    return sum(one is not None for one in table.lookup_many(addresses, "index"))


def only_objects(table: fingerpost.Table[object]) -> None:
    table["10.0.0.0/8"] = object()


def tables_of_all_kinds(either: fingerpost.Table[int] | fingerpost.Table[list[str]]) -> int:
    integers = fingerpost.Table({"10.0.0.0/8": 1}, values=int)
    texts = fingerpost.Table({"10.0.0.0/8": "office"})
    only_objects(integers)  # type: ignore[arg-type]
    found = hits(integers, ["10.0.0.1"]) + hits(texts, ["10.0.0.1"]) + hits(either, ["10.0.0.1"])
    for table in (integers, texts, either, fingerpost.Table.open("table.image")):
        found += hits(table, ["10.0.0.1"])
    fingerpost.polars.lookup("ip", integers)
    fingerpost.polars.lookup("ip", either)
    joined: pl.LazyFrame = fingerpost.polars.join_lpm(pl.LazyFrame({"ip": ["10.0.0.1"]}), either)
    fingerpost.pandas.lookup(pd.Series(["10.0.0.1"]), texts)
    fingerpost.pandas.join_lpm(pd.DataFrame({"ip": ["10.0.0.1"]}), either)
    fingerpost.duckdb.register(duckdb.connect(), either)
    fingerpost.enrich("in.csv", "out.csv", {"one": integers, "two": texts}, "ip")
    fingerpost.enrich("in.csv", "out.csv", either, "ip")
    return found + len(joined.collect())
