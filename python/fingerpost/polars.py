"""Longest-prefix match in Polars: expressions, and joins of frames with tables of networks.

>>> import polars as pl
>>> import fingerpost, fingerpost.polars
>>> table = fingerpost.Table({"10.0.0.0/8": "office", "10.1.0.0/16": "lab"})
>>> frame = pl.DataFrame({"ip": ["10.1.2.3", "10.9.9.9", None]})
>>> frame.select(pl.col("ip").lpm.lookup(table))["ip"].to_list()
['lab', 'office', None]

Importing this module gives Polars expressions and Series the namespace `lpm`. Columns of addresses can be String,
Categorical or Enum (one lookup per category), UInt32 (IPv4 addresses as numbers), or Binary (4 or 16 bytes per row, in
network order). Null stays null. Addresses without a route and text that is not an address become null.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

import polars as pl
from polars.plugins import register_plugin_function

from fingerpost import _core, _frames
from fingerpost._core import Report
from fingerpost._frames import Columns, How, OnError
from fingerpost._types import AnyTable

__all__ = ["ExprNamespace", "SeriesNamespace", "join_lpm", "lookup"]

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

# Temporary column of a join.
_ANSWERS = "__fingerpost_answers"


def lookup(
    column: str | pl.Expr,
    table: AnyTable,
    want: str | Sequence[str] = "value",
    *,
    default: object = None,
    on_error: OnError = "null",
    threads: int = 1,
) -> pl.Expr:
    """Returns an expression for the longest match of each address of a column.

    column: the addresses, as the name of a column or an expression.
    table: the table. It is searched when the expression runs, so later changes of routes take effect.
    want: "value"; "index", the number of the value in the table; "length" of the matched prefix; "prefix", as text; the
        name of a column of the table; or a list of these. A list returns a struct; `.struct.unnest()` splits it into
        columns.
    default: the result for addresses without a route. With a list of wants, a dict from wants to results.
    on_error: "null" makes bad rows null. "raise" raises an error that shows the first bad row. It needs the whole
        column in one batch, which prevents streaming.
    threads: number of threads that share a batch of rows; 0 means one per core. Polars itself runs batches in parallel.

    The expression has the name of the column; use `.alias()` to change it. It is elementwise, so it runs in lazy
    frames, in the streaming engine, in groups and in windows. Its type is UInt32 for integer values and "index", UInt8
    for "length", String for "prefix" and for columns and values of text, and a struct for rows of several columns. The
    type of values that are Python objects can change with the routes. It is determined when the expression is first
    used, and a later change is an error.

    The expression keeps the table alive. If the table is an image, the expression can be serialized, and another
    process opens the image by its path. A table in memory exists only in its process: save it first.

    Raises TypeError for a table whose values have no Arrow type (want="index" always works) and ValueError for an
    unknown want. Errors of rows and of serialized expressions are polars.exceptions.ComputeError.
    """
    _frames.require_table(table)
    number, image, owner = _core._hold_lookup(table, want, default, on_error, threads)
    options = {
        "number": number,
        "image": None if image is None else os.path.abspath(image),
        "want": want,
        "default": default,
        "on_error": on_error,
        "threads": threads,
    }
    return register_plugin_function(
        plugin_path=_core.__file__,
        function_name="fingerpost_lookup",
        args=[column, _owner(pl.Series(owner))],
        kwargs=options,
        # Elementwise functions receive batches of rows, so the number of a bad row would be relative to its batch.
        is_elementwise=on_error == "null",
    )


def _owner(memory: pl.Series) -> pl.Expr:
    """Returns a literal that owns the memory of a Series.

    The planner reduces a list to a scalar, which does not split a streaming query. Older versions of Polars refuse
    lists in groups.
    """
    literal = pl.lit(memory)
    version = tuple(int(part) for part in pl.__version__.split(".")[:2])
    return literal.implode() if version >= (1, 31) else literal


@pl.api.register_expr_namespace("lpm")
class ExprNamespace(_frames.Lookups[pl.Expr]):
    """Longest-prefix match of the addresses of an expression: `pl.col("ip").lpm`."""

    def __init__(self, column: pl.Expr) -> None:
        self._column = column

    def lookup(
        self,
        table: AnyTable,
        want: str | Sequence[str] = "value",
        *,
        default: object = None,
        on_error: OnError = "null",
        threads: int = 1,
    ) -> pl.Expr:
        """Longest match of each address: see fingerpost.polars.lookup."""
        return lookup(self._column, table, want, default=default, on_error=on_error, threads=threads)

    def _one(self, table: AnyTable, want: str, on_error: OnError, threads: int) -> pl.Expr:
        return self.lookup(table, want, on_error=on_error, threads=threads)


@pl.api.register_series_namespace("lpm")
class SeriesNamespace(_frames.Lookups[pl.Series]):
    """Longest-prefix match of the addresses of a Series: `series.lpm`."""

    def __init__(self, rows: pl.Series) -> None:
        self._rows = rows

    def lookup(
        self,
        table: AnyTable,
        want: str | Sequence[str] = "value",
        *,
        default: object = None,
        on_error: OnError = "null",
        threads: int = 1,
        report: Report | None = None,
    ) -> pl.Series:
        """Longest match of each address: see fingerpost.polars.lookup. `report` receives the counts of rows."""
        _frames.require_table(table)
        # A column of nulls has no type. Addresses of any type would do.
        rows = self._rows.cast(pl.String) if self._rows.dtype == pl.Null else self._rows
        answer = _frames.look_up(
            table, rows, want, default=default, on_error=on_error, threads=threads, report=report
        )
        return cast(pl.Series, answer)

    def _one(self, table: AnyTable, want: str, on_error: OnError, threads: int) -> pl.Series:
        return self.lookup(table, want, on_error=on_error, threads=threads)


def join_lpm(
    frame: Frame,
    table: AnyTable | pl.DataFrame | pl.LazyFrame,
    on: str | pl.Expr = "ip",
    columns: Columns | None = None,
    prefix: str | None = "prefix",
    how: How = "left",
    suffix: str = "_right",
    *,
    network: str | None = None,
    on_error: OnError = "null",
    threads: int = 1,
) -> Frame:
    """Adds columns to a frame from the longest prefix that contains the address of each row.

    frame: a DataFrame or a LazyFrame. A LazyFrame stays lazy and can be streamed.
    table: a Table, or a frame with a column of networks. A frame is converted to a table once, by this call. Its
        columns keep their types, and its networks must be unique.
    on: the column of addresses, or an expression that computes them.
    columns: the columns to add: a name, a list of names, or a mapping from names to new names. For a Table, any want
        of `lookup`; by default all columns of a table of rows, otherwise "value". For a frame, its columns; by
        default all except the networks.
    prefix: the name of the column for the matched prefix; None adds no such column.
    how: "left" keeps all rows and leaves unmatched ones with nulls; "inner" keeps only matched rows; "anti" keeps only
        the others, also nulls and bad rows, and adds no columns.
    suffix: appended to names of new columns that the frame already has.
    network: the column of networks; by default the first column called network, prefix, cidr, subnet or similar.
    on_error, threads: see `lookup`.

    The order of the rows is kept. Each row has at most one match, so a left join has as many rows as the frame.

    Raises ColumnNotFoundError if there is no column `on`; ValueError for invalid or repeated networks and for unknown
    column names; TypeError for other kinds of frames and tables.
    """
    _frames.require_how(how, columns)
    if not isinstance(frame, (pl.DataFrame, pl.LazyFrame)):
        raise TypeError(f"join_lpm takes a Polars DataFrame or LazyFrame, not {type(frame).__name__}")
    present: list[str] = frame.collect_schema().names()
    if isinstance(on, str) and on not in present:
        raise pl.exceptions.ColumnNotFoundError(
            f"on={on!r}: the columns of the frame are {', '.join(present)}"
        )
    fields: Mapping[str, str]
    if how == "anti":
        columns, prefix = [], None
    if isinstance(table, (pl.DataFrame, pl.LazyFrame)):
        answers, fields = _answers_of_frame(
            on, table.lazy().collect(), network, columns, prefix, on_error, threads
        )
    else:
        also = " or a Polars frame with a column of networks"
        fields = _frames.wants_of_join(table, also, network, columns, prefix)
        # The index shows whether a row matches.
        wants = [*(want for want in fields if want != "index"), "index"]
        answers = lookup(on, table, wants, on_error=on_error, threads=threads)
    if how == "anti":
        return frame.filter(answers.struct.field("index").is_null())
    matches = pl.col(_ANSWERS).struct
    joined = frame.with_columns(answers.alias(_ANSWERS))
    if how == "inner":
        joined = joined.filter(matches.field("index").is_not_null())
    names = _frames.unused_names(fields.values(), present, suffix)
    return joined.with_columns(
        matches.field(field).alias(name) for field, name in zip(fields, names, strict=True)
    ).drop(_ANSWERS)


def _answers_of_frame(
    on: str | pl.Expr,
    frame: pl.DataFrame,
    network: str | None,
    columns: Columns | None,
    prefix: str | None,
    on_error: OnError,
    threads: int,
) -> tuple[pl.Expr, Mapping[str, str]]:
    """Returns a struct of the matched row of a frame of networks, and new names for the fields to add.

    The field "index" is the row number.
    """
    key = _frames.network_column(frame.columns, network)
    chosen = _frames.columns_of_frame([name for name in frame.columns if name != key], columns)
    table = _frames.table_of_networks(frame[key].to_list())
    # Names that differ from "index" and "prefix".
    rows_of_networks = [column.alias(f"{place}") for place, column in enumerate(frame.select(list(chosen)))]
    fields = {f"{place}": name for place, name in enumerate(chosen.values())}
    wants = ["index"]
    if prefix is not None:
        fields["prefix"] = prefix
        wants.append("prefix")
    answers = lookup(on, table, wants, on_error=on_error, threads=threads)
    if not chosen:
        return answers, fields

    def take(answers: pl.Series) -> pl.Series:
        matches = answers.struct.unnest()
        return matches.with_columns(column.gather(matches["index"]) for column in rows_of_networks).to_struct(
            answers.name
        )

    types = {"index": pl.UInt32, "prefix": pl.String}
    no_rows = pl.DataFrame(schema={want: types[want] for want in wants}).to_struct("")
    return answers.map_batches(take, return_dtype=take(no_rows).dtype, is_elementwise=True), fields
