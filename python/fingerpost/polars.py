"""Longest-prefix match in Polars: expressions, and joins of frames with tables of networks.

>>> import polars as pl
>>> import fingerpost, fingerpost.polars
>>> table = fingerpost.Table({"10.0.0.0/8": "office", "10.1.0.0/16": "lab"})
>>> frame = pl.DataFrame({"ip": ["10.1.2.3", "10.9.9.9", None]})
>>> frame.select(pl.col("ip").lpm.lookup(table))["ip"].to_list()
['lab', 'office', None]

Importing this module gives expressions and Series of Polars the namespace `lpm`. Columns of addresses are String
(text), Categorical and Enum (looked up once for each category), UInt32 (numbers of IPv4 addresses) and Binary (4 or
16 bytes a row, in network order). Null stays null; an address without a route and a text that is no address become
null.
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

# The matched rows of an inner join, while it is made.
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
    """Returns the expression of the longest match of each address of a column.

    column: the addresses, as the name of a column or an expression.
    table: the table, which is asked when the expression runs: later changes of routes are seen.
    want: "value"; "index", the number that stands for the value; "length", of the matched prefix; "prefix", as text;
        the name of a column of the table; or a list of these, which makes a struct (`.struct.unnest()` makes columns
        of it).
    default: for addresses without a route; with a list of wants a dict from names to values.
    on_error: "null" makes bad rows null. "raise" raises for the first one, with its row, and for this takes the
        whole column at once, so that nothing is streamed.
    threads: how many share a batch of rows; 0 for one for each core. Polars itself runs batches in parallel.

    The expression has the name of the column: give it another with `.alias()`. It is elementwise, so it runs in lazy
    frames, in the streaming engine, in groups and windows. Its type is UInt32 for integer values and "index", UInt8 for
    "length", String for "prefix", columns and values of text, a struct for rows of several columns. Values that are
    Python objects may change their type with the routes: then it is that of the table when the expression is first
    used. With on_error="raise", and in versions of Polars that cannot find a type themselves, it is that of the table
    when the expression is made. Another type later is a TypeError.

    Raises TypeError for a table whose values have no type in Arrow (want="index" always works) and ValueError for a
    want that the table does not know.
    """
    _frames.require_table(table)
    ask = _query(table, want, default, on_error, threads)
    may_change = _may_change(table, [want] if isinstance(want, str) else want, on_error)
    # Asked in any case: what the table cannot answer is an error now.
    wanted = _type_now(ask)
    return _mapped(column, ask, None if may_change else wanted, on_error)


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
        """Longest match of each address, as fingerpost.polars.lookup; `report` gets the counts of the rows."""
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
    """Adds to each row of a frame what the longest prefix that contains its address leads to.

    frame: a DataFrame or a LazyFrame, which stays lazy and streams.
    table: a Table, or a frame with a column of networks, of which a table is built once, now. Of a frame all types
        of columns are kept; each network may be there only once.
    on: the column of addresses, or an expression of it.
    columns: what to add: one name, some, or a mapping from names to those that they get. Of a Table all that
        `lookup` takes as want; without it, all columns of a table of rows, otherwise the value as "value". Of a frame
        its columns; without it, all but the networks.
    prefix: the name of the column with the matched prefix; None adds none.
    how: "left" keeps all rows, with null where nothing matches; "inner" keeps the rows that match.
    suffix: for names of new columns that the frame has already.
    network: the column of the networks; without it the first of network, prefix, cidr, subnet and the like.
    on_error, threads: as of `lookup`.

    The order of the rows is kept, and each has one match at most, so a left join has as many rows as the frame.

    Raises ColumnNotFoundError without the column `on`, ValueError for networks that are none, that are there twice or
    for names of columns that are not there, TypeError for other kinds of frames and tables.
    """
    _frames.require_how(how)
    if not isinstance(frame, (pl.DataFrame, pl.LazyFrame)):
        raise TypeError(f"join_lpm takes a DataFrame or LazyFrame of Polars, not {type(frame).__name__}")
    there: list[str] = frame.collect_schema().names()
    if isinstance(on, str) and on not in there:
        raise pl.exceptions.ColumnNotFoundError(f"on={on!r}: the columns of the frame are {', '.join(there)}")
    names: list[str]
    may_change = False
    if isinstance(table, (pl.DataFrame, pl.LazyFrame)):
        ask, names = _query_of_frame(table.lazy().collect(), network, columns, prefix, on_error, threads)
    else:
        also = " or a frame of Polars with a column of networks"
        wants = _frames.wants_of_join(table, also, network, columns, prefix)
        ask, names = _query_of_table(table, wants, on_error, threads)
        may_change = _may_change(table, list(wants), on_error)
    answer = _renamed(ask, [*_frames.unused_names(names, there, suffix), _MATCHED])
    wanted = None if may_change else _type_now(answer)
    joined = frame.with_columns(_mapped(on, answer, wanted, on_error).alias(_ANSWERS))
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
        # A column without any value has no type yet, and says nothing about the right one.
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
    """Asks for some columns, and for the index of the value, which says whether a row matches."""
    asked = [name for name in wants if name != "index"]
    ask = _query(table, [*asked, "index"], None, on_error, threads)
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
    """Asks a table of the numbers of rows of a frame, and takes the rows."""
    key = _frames.network_column(frame.columns, network)
    chosen = _frames.columns_of_frame([name for name in frame.columns if name != key], columns)
    table = _frames.table_of_networks(frame[key].to_list())
    rows_of_networks = frame.select(list(chosen))
    ask = _query(table, ["value", "prefix"] if prefix is not None else ["value"], None, on_error, threads)

    def take(rows: pl.Series) -> pl.Series:
        found = ask(rows).struct.unnest()
        numbers = found["value"]
        taken = [column.gather(numbers) for column in rows_of_networks]
        if prefix is not None:
            taken.append(found["prefix"])
        taken.append(numbers.alias(_MATCHED))
        unique = [column.alias(f"{place}") for place, column in enumerate(taken)]
        return pl.DataFrame(unique).to_struct(rows.name)

    return take, [*chosen.values(), *([prefix] if prefix is not None else [])]


def _renamed(ask: Callable[[pl.Series], pl.Series], names: Sequence[str]) -> Callable[[pl.Series], pl.Series]:
    def answer(rows: pl.Series) -> pl.Series:
        return ask(rows).struct.rename_fields(names)

    return answer


def _type_now(ask: Callable[[pl.Series], pl.Series]) -> pl.DataType:
    return ask(pl.Series([], dtype=pl.String)).dtype


def _may_change(table: AnyTable, wants: Sequence[str], on_error: OnError) -> bool:
    """Returns whether the type of the answer is left to the planner, as other routes may give another one.

    The planner asks for rows of its own, which are no addresses: it must not be told by an exception.
    """
    return table.value_kind == "object" and "value" in wants and on_error == "null" and _planner_finds_types()


@functools.cache
def _planner_finds_types() -> bool:
    """Returns whether this version of Polars calls a function to see of what type its answer is."""

    def answer(rows: pl.Series) -> pl.Series:
        return pl.Series([0] * len(rows), dtype=pl.Int8)

    query = pl.LazyFrame({"a": ["b"]}).select(pl.col("a").map_batches(answer))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return query.collect_schema()["a"] == pl.Int8


def _mapped(
    column: str | pl.Expr,
    ask: Callable[[pl.Series], pl.Series],
    wanted: pl.DataType | None,
    on_error: OnError,
) -> pl.Expr:
    """Makes an expression of a function, of which the planner knows the type or, without one, asks for it."""

    # Polars asks for the type once, with the first rows that it gives to the function.
    decided = [] if wanted is None else [wanted]

    def ask_for(rows: pl.Series) -> pl.Series:
        answer = ask(rows)
        if not decided:
            decided.append(answer.dtype)
        if answer.dtype != decided[0]:
            moment = "first used" if wanted is None else "made"
            raise TypeError(
                f"the values of the table were of type {decided[0]} when the expression was {moment}, and are "
                f"{answer.dtype} now: make the expression anew"
            )
        return answer

    expression = pl.col(column) if isinstance(column, str) else column
    # Elementwise functions see rows in batches, which a number of a bad row would count from.
    return expression.map_batches(ask_for, return_dtype=wanted, is_elementwise=on_error == "null")
