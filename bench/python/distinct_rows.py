"""Compares a table with a distinct row for each route, like tables of places or owners, with other tables of these routes.

The lookup time must not depend on the number of distinct values.
"""

from __future__ import annotations

import ipaddress
import pickle
import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from measured import Measured, each

import fingerpost
from fingerpost._types import AnyTable

COLUMNS = ["asn", "owner", "city", "note"]
# Number of rows that DuckDB passes in one call.
_CHUNK = 2048


class DistinctRows:
    """Four tables of the same routes: distinct rows, their image, distinct objects, integers."""

    def __init__(self, routes: int, singles: int, folder: Path) -> None:
        draw = random.Random(routes)
        prefixes = [
            f"{ipaddress.IPv4Address(number << 8)}/24"
            for number in draw.sample(range(1 << 16, 1 << 24), routes)
        ]
        rows = [(f"AS{i}", f"owner {i}", f"city {i}", f"note {i % 1000}") for i in range(routes)]
        live = fingerpost.Table(zip(prefixes, rows, strict=True), values=COLUMNS)
        path = str(folder / "distinct.image")
        live.save(path)
        self.tables: dict[str, AnyTable] = {
            "distinct rows": live,
            "opened image": fingerpost.open(path),
            "distinct objects": fingerpost.Table(zip(prefixes, (row[1] for row in rows), strict=True)),
            "integers": fingerpost.Table(zip(prefixes, range(routes), strict=True), values=int),
        }
        self._routes = routes
        self._texts = [prefix.removesuffix("0/24") + "7" for prefix in draw.choices(prefixes, k=singles)]
        self._measured: list[Measured] = []

    def check(self) -> None:
        """Exits if the tables do not agree."""
        live, image = self.tables["distinct rows"], self.tables["opened image"]
        objects = self.tables["distinct objects"]
        rows: list[Any] = list(live.lookup_many(self._texts))
        if rows != image.lookup_many(self._texts) or rows != [live.lookup(text) for text in self._texts]:
            sys.exit("distinct rows: the table and its image return different results")
        if [row["owner"] for row in rows] != objects.lookup_many(self._texts):
            sys.exit("distinct rows: the tables of rows and of objects return different results")

    def measured(self) -> list[Measured]:
        """Returns measurements of each kind of lookup for each table."""
        column = pa.array(self._texts)
        chunks = [column.slice(at, _CHUNK) for at in range(0, len(column), _CHUNK)]
        few = len(self._texts)
        for name, table in self.tables.items():
            many: Callable[..., object] = table.lookup_many
            ways: dict[str, tuple[int, Callable[[], object]]] = {
                "lookup": (few, each(table.lookup, self._texts)),
                "match": (few, each(table.match, self._texts)),
                "items()": (self._routes, partial(list, table.items())),
                "lookup_many(list)": (few, partial(many, self._texts)),
                "lookup_many(Arrow)": (few, partial(many, column)),
                "lookup_many(small Arrow)": (few, partial(_all, many, chunks)),
                "pickle.dumps": (self._routes, partial(pickle.dumps, table)),
            }
            if table.columns:
                ways["lookup_many(Polars, city)"] = (few, partial(many, pl.Series(self._texts), "city"))
            self._measured += [
                Measured(f"{name} {way}", "distinct values", count, work)
                for way, (count, work) in ways.items()
            ]
        return self._measured

    def ratios(self) -> dict[str, float]:
        """Returns the times of the other tables relative to the opened image."""
        best = {entry.name: entry.best for entry in self._measured}
        ratios = {}
        for name in self.tables:
            for entry in self._measured:
                way = entry.name.removeprefix(f"{name} ")
                if name != "opened image" and way != entry.name:
                    ratios[f"time of {entry.name} / opened image"] = best[f"opened image {way}"] / entry.best
        return ratios


def _all(look_up: Callable[[object], object], columns: list[pa.Array]) -> list[object]:
    return [look_up(column) for column in columns]
