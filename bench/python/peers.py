"""Whole columns of IPv4 addresses in data frame libraries and SQL, with fingerpost and without it.

The ways without find the last of sorted, disjoint ranges that starts at or before an address. The ranges are computed from
the routes beforehand, and so are all tables; parsing and sorting the addresses is measured.
"""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import maxminddb_polars
import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
from measured import Measured

import fingerpost
import fingerpost.duckdb
import fingerpost.pandas
import fingerpost.polars

TEXTS, NUMBERS = "text columns, IPv4", "columns of uint32, IPv4"
# Rows for inet, which compares each with all routes.
_INET_ROWS = 4


class Peers:
    """A table and columns of addresses in all libraries."""

    def __init__(
        self, table: fingerpost.Table[int], routes: list[tuple[int, int, int]], numbers: list[int], mmdb: Path
    ) -> None:
        self.table = table
        edges = {
            0,
            *(start for start, _, _ in routes),
            *(start + (1 << 32 - bits) for start, bits, _ in routes),
        }
        self.starts = np.array(sorted(edges - {1 << 32}), np.uint32)
        self.values = table.lookup_many(self.starts).astype(np.int64)
        self.numbers = np.array(numbers, np.uint32)
        self.texts = [socket.inet_ntoa(number.to_bytes(4, "big")) for number in numbers]
        self.mmdb = mmdb
        self.polars = pl.DataFrame({"text": self.texts, "number": self.numbers})
        self.polars_ranges = pl.DataFrame({"number": self.starts, "value": self.values})
        self.pandas = pd.DataFrame({"text": self.texts, "number": self.numbers})
        self.pandas_ranges = pd.DataFrame({"number": self.starts, "value": self.values})
        self.con = self.connect(routes)

    def connect(self, routes: list[tuple[int, int, int]]) -> duckdb.DuckDBPyConnection:
        con = duckdb.connect(config={"threads": 2})
        con.register("rows", self.polars.to_arrow())
        con.register("sorted", self.polars_ranges.to_arrow())
        con.execute("CREATE TABLE hits AS SELECT text::VARCHAR AS text, number FROM rows")
        con.execute("CREATE TABLE ranges AS FROM sorted")
        con.execute("CREATE TABLE many AS SELECT text, number FROM hits, range(4)")
        fingerpost.duckdb.register(con, self.table, "native")
        fingerpost.duckdb.register(con, self.table, "python", volatile=True)
        self.has_inet = False
        try:
            con.execute("INSTALL inet")
            con.execute("LOAD inet")
        except duckdb.Error as error:
            print(f"DuckDB's inet is left out: {str(error).splitlines()[0]}", file=sys.stderr)
            return con
        self.has_inet = True
        names = [f"{socket.inet_ntoa(start.to_bytes(4, 'big'))}/{bits}" for start, bits, _ in routes]
        con.register(
            "prefixes", pl.DataFrame({"prefix": names, "value": [v for _, _, v in routes]}).to_arrow()
        )
        con.execute("CREATE TABLE routes AS SELECT prefix::INET AS prefix, value FROM prefixes")
        return con

    def ways(self) -> dict[str, dict[str, Callable[[], Any]]]:
        """Returns functions by group and name. Each returns the values of all rows, -1 or null if there is none, or
        their sum."""
        lookup = fingerpost.polars.lookup
        return {
            TEXTS: {
                "fingerpost, Polars": lambda: self.polars.select(lookup("text", self.table)),
                "fingerpost, pandas": lambda: fingerpost.pandas.lookup(self.pandas["text"], self.table),
                "fingerpost, DuckDB": partial(self.total, "SELECT sum(native(text)) FROM hits"),
                "maxminddb-polars": lambda: with_maxminddb(self.polars, self.mmdb),
                "Polars, join_asof of split text": lambda: self.join_asof(_number_of_text()),
                "pandas, merge_asof of inet_aton": lambda: self.merge_asof(_numbers_of(self.texts)),
                "numpy, searchsorted of inet_aton": lambda: self.search(_numbers_of(self.texts)),
                "DuckDB, ASOF join of split text": partial(self.total, _asof(_SPLIT)),
            },
            NUMBERS: {
                "fingerpost, numpy": lambda: self.table.lookup_many(self.numbers),
                "fingerpost, Polars": lambda: self.polars.select(lookup("number", self.table)),
                "fingerpost, pandas": lambda: fingerpost.pandas.lookup(self.pandas["number"], self.table),
                "fingerpost, DuckDB": partial(self.total, "SELECT sum(native(number)) FROM hits"),
                "Polars, join_asof": lambda: self.join_asof(pl.col("number")),
                "pandas, merge_asof": lambda: self.merge_asof(self.numbers),
                "numpy, searchsorted": lambda: self.search(self.numbers),
                "DuckDB, ASOF join": partial(self.total, _asof("number")),
            },
        }

    def check(self) -> None:
        """Exits if the libraries do not agree."""
        right = self.table.lookup_many(self.numbers).astype(np.int64)
        for ways in self.ways().values():
            for name, way in ways.items():
                answer = way()
                if isinstance(answer, int):
                    agrees = answer == int(right[right >= 0].sum())
                else:
                    agrees = np.array_equal(_filled(answer), right)
                if not agrees:
                    sys.exit(f"{name} and fingerpost return different results")

    def measured(self) -> list[Measured]:
        """Returns measurements of all ways."""
        rows = len(self.texts)
        entries = [
            Measured(name, group, rows, way)
            for group, ways in self.ways().items()
            for name, way in ways.items()
        ]
        for column, what in (("text", TEXTS), ("number", NUMBERS)):
            group = f"DuckDB on 2 threads, {what}"
            for kind, name in (
                ("native", "fingerpost, native function"),
                ("python", "the function in Python"),
            ):
                work = partial(self.total, f"SELECT sum({kind}({column})) FROM many")
                entries.append(Measured(name, group, 4 * rows, work, time.perf_counter))
        if self.has_inet:
            entries.append(Measured("DuckDB, containment of inet", TEXTS, _INET_ROWS, self.inet))
        return entries

    def total(self, query: str) -> int:
        ((total,),) = self.con.execute(query).fetchall()
        return int(total)

    def inet(self) -> object:
        query = (
            "SELECT arg_max(value, netmask(prefix)) FROM (FROM hits LIMIT ?), routes "
            "WHERE text::INET <<= prefix GROUP BY text"
        )
        return self.con.execute(query, [_INET_ROWS]).fetchall()

    def join_asof(self, number: pl.Expr) -> pl.DataFrame:
        rows = self.polars.select(number.alias("number")).with_row_index("row").sort("number")
        return rows.join_asof(self.polars_ranges, on="number").sort("row").select("value")

    def merge_asof(self, numbers: npt.NDArray[np.uint32]) -> pd.Series:
        rows = pd.DataFrame({"number": numbers}).sort_values("number")
        order = rows.index
        return pd.merge_asof(rows, self.pandas_ranges, on="number").set_index(order)["value"].sort_index()

    def search(self, numbers: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
        values: npt.NDArray[np.int64] = self.values[np.searchsorted(self.starts, numbers, "right") - 1]
        return values


def with_maxminddb(frame: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Returns the field `value` of the records of the column `text`."""
    return frame.select(maxminddb_polars.lookup_path("text", path, ["value"], dtype=pl.UInt32).alias("value"))


_SPLIT = " + ".join(f"(split_part(text, '.', {part})::UINTEGER << {32 - 8 * part})" for part in range(1, 5))


def _asof(number: str) -> str:
    return (
        f"SELECT sum(value) FROM (SELECT {number} AS number FROM hits) AS hits "
        "ASOF JOIN ranges ON hits.number >= ranges.number WHERE value >= 0"
    )


def _number_of_text() -> pl.Expr:
    parts = pl.col("text").str.split_exact(".", 3)
    fields = [parts.struct.field(f"field_{part}").cast(pl.UInt32) for part in range(4)]
    return fields[0] * (1 << 24) + fields[1] * (1 << 16) + fields[2] * (1 << 8) + fields[3]


def _numbers_of(texts: list[str]) -> npt.NDArray[np.uint32]:
    return np.frombuffer(b"".join(map(socket.inet_aton, texts)), ">u4").astype(np.uint32)


def _filled(answer: Any) -> npt.NDArray[np.int64]:
    """Returns the values of a column of any library, -1 for missing ones."""
    if isinstance(answer, pl.DataFrame):
        return np.asarray(answer.to_series().cast(pl.Int64).fill_null(-1), np.int64)
    if isinstance(answer, pd.Series):
        return np.asarray(answer.astype("Int64").fillna(-1), np.int64)
    return np.asarray(answer, np.int64)
