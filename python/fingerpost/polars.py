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

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, cast

import polars as pl

from fingerpost import _frames
from fingerpost._core import Report
from fingerpost._frames import Columns, How, OnError
from fingerpost._types import AnyTable

__all__ = ["ExprNamespace", "SeriesNamespace", "join_lpm", "lookup"]

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

# Temporary columns of a join.
_MATCHED = "__fingerpost_matched"
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
    used or, with on_error="raise" and in versions of Polars that cannot infer types, when the expression is created. A
    later change of the type raises TypeError.

    Raises TypeError for a table whose values have no Arrow type (want="index" always works) and ValueError for an
    unknown want.
    """
    _frames.require_table(table)
    ask = _query(table, want, default, on_error, threads)
    may_change = _may_change(table, [want] if isinstance(want, str) else want, on_error)
    # Look up in any case, to report a want that the table cannot return now.
    result_type = _type_now(ask)
    return _mapped(column, ask, None if may_change else result_type, on_error)


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
        return _query(table, want, default, on_error, threads, report)(self._rows)

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
    names: list[str]
    may_change = False
    if how == "anti":
        columns, prefix = [], None
    if isinstance(table, (pl.DataFrame, pl.LazyFrame)):
        ask, names = _query_of_frame(table.lazy().collect(), network, columns, prefix, on_error, threads)
    else:
        also = " or a Polars frame with a column of networks"
        wants = _frames.wants_of_join(table, also, network, columns, prefix)
        ask, names = _query_of_table(table, wants, on_error, threads)
        may_change = _may_change(table, list(wants), on_error)
    answer = _renamed(ask, [*_frames.unused_names(names, present, suffix), _MATCHED])
    result_type = None if may_change else _type_now(answer)
    answers = _mapped(on, answer, result_type, on_error)
    if how == "anti":
        return frame.filter(answers.struct.field(_MATCHED).is_null())
    joined = frame.with_columns(answers.alias(_ANSWERS))
    if how == "inner":
        joined = joined.filter(pl.col(_ANSWERS).struct.field(_MATCHED).is_not_null())
    return joined.unnest(_ANSWERS).drop(_MATCHED)


def _query(
    table: AnyTable,
    want: str | Sequence[str],
    default: object,
    on_error: OnError,
    threads: int,
    report: Report | None = None,
) -> Callable[[pl.Series], pl.Series]:
    def ask(rows: pl.Series) -> pl.Series:
        # A column of nulls has no type. Addresses of any type would do.
        if rows.dtype == pl.Null:
            rows = rows.cast(pl.String)
        answer = _frames.look_up(
            table, rows, want, default=default, on_error=on_error, threads=threads, report=report
        )
        return cast(pl.Series, answer)

    return ask


def _query_of_table(
    table: AnyTable, wants: Mapping[str, str], on_error: OnError, threads: int
) -> tuple[Callable[[pl.Series], pl.Series], list[str]]:
    """Returns a function that looks up some columns, and the index of the value to see whether a row matches."""
    lookup_wants = [name for name in wants if name != "index"]
    ask = _query(table, [*lookup_wants, "index"], None, on_error, threads)
    if "index" not in wants:
        return ask, list(wants.values())

    def with_index(rows: pl.Series) -> pl.Series:
        answer = ask(rows).struct.unnest()
        return answer.select(*wants, pl.col("index").alias(_MATCHED)).to_struct(rows.name)

    return with_index, list(wants.values())


def _query_of_frame(
    frame: pl.DataFrame,
    network: str | None,
    columns: Columns | None,
    prefix: str | None,
    on_error: OnError,
    threads: int,
) -> tuple[Callable[[pl.Series], pl.Series], list[str]]:
    """Returns a function that looks up row numbers of a frame of networks, and gathers these rows."""
    key = _frames.network_column(frame.columns, network)
    chosen = _frames.columns_of_frame([name for name in frame.columns if name != key], columns)
    table = _frames.table_of_networks(frame[key].to_list())
    rows_of_networks = frame.select(list(chosen))
    ask = _query(table, ["value", "prefix"] if prefix is not None else ["value"], None, on_error, threads)

    def take(rows: pl.Series) -> pl.Series:
        answers = ask(rows).struct.unnest()
        numbers = answers["value"]
        columns_of_match = [column.gather(numbers) for column in rows_of_networks]
        if prefix is not None:
            columns_of_match.append(answers["prefix"])
        columns_of_match.append(numbers.alias(_MATCHED))
        unique = [column.alias(f"{place}") for place, column in enumerate(columns_of_match)]
        return pl.DataFrame(unique).to_struct(rows.name)

    return take, [*chosen.values(), *([prefix] if prefix is not None else [])]


def _renamed(ask: Callable[[pl.Series], pl.Series], names: Sequence[str]) -> Callable[[pl.Series], pl.Series]:
    def answer(rows: pl.Series) -> pl.Series:
        return ask(rows).struct.rename_fields(names)

    return answer


def _type_now(ask: Callable[[pl.Series], pl.Series]) -> pl.DataType:
    return ask(pl.Series([], dtype=pl.String)).dtype


def _may_change(table: AnyTable, wants: Sequence[str], on_error: OnError) -> bool:
    """Returns whether the planner must infer the type of the result, because other routes may change it.

    The planner calls the function with rows that are not addresses, which must not raise an exception.
    """
    return table.value_kind == "object" and "value" in wants and on_error == "null" and _planner_finds_types()


@functools.cache
def _planner_finds_types() -> bool:
    """Returns whether this version of Polars calls a function to infer the type of its result."""

    def answer(rows: pl.Series) -> pl.Series:
        return pl.Series([0] * len(rows), dtype=pl.Int8)

    query = pl.LazyFrame({"a": ["b"]}).select(pl.col("a").map_batches(answer))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return query.collect_schema()["a"] == pl.Int8


def _mapped(
    column: str | pl.Expr,
    ask: Callable[[pl.Series], pl.Series],
    result_type: pl.DataType | None,
    on_error: OnError,
) -> pl.Expr:
    """Returns an expression that calls a function. Without a type, the planner infers it with a call."""

    # Polars infers the type once, from the first rows that it passes to the function.
    known_type = [] if result_type is None else [result_type]

    def checked(rows: pl.Series) -> pl.Series:
        answer = ask(rows)
        if not known_type:
            known_type.append(answer.dtype)
        if answer.dtype != known_type[0]:
            moment = "first used" if result_type is None else "created"
            raise TypeError(
                f"the values of the table had type {known_type[0]} when the expression was {moment}, but have type "
                f"{answer.dtype} now: create the expression again"
            )
        return answer

    expression = pl.col(column) if isinstance(column, str) else column
    # Elementwise functions receive batches of rows, so the number of a bad row would be relative to its batch.
    return expression.map_batches(checked, return_dtype=result_type, is_elementwise=on_error == "null")
