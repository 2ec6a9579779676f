"""Longest-prefix match in SQL: functions of DuckDB that ask a table.

>>> import duckdb
>>> import fingerpost, fingerpost.duckdb
>>> table = fingerpost.Table({"10.0.0.0/8": ("NL", "64500")}, values=["country", "asn"])
>>> con = duckdb.connect()
>>> fingerpost.duckdb.register(con, table)
('lpm', 'lpm_prefix', 'lpm_length', 'lpm_country', 'lpm_asn')
>>> con.sql("SELECT lpm_country(ip), lpm_prefix(ip) FROM (VALUES ('10.1.2.3'), (NULL)) AS t(ip)").fetchall()
[('NL', '10.0.0.0/8'), (None, None)]
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast
from weakref import WeakKeyDictionary

import duckdb
import pyarrow as pa

from fingerpost import _frames
from fingerpost._frames import OnError
from fingerpost._types import AnyTable

__all__ = ["register", "unregister"]

ArrowColumn: TypeAlias = "pa.Array | pa.ChunkedArray"

_ACCEPTED = (
    "VARCHAR (text; an INET is cast to it by ip::VARCHAR), UINTEGER (the number of an IPv4 address, as in "
    "ip::UINTEGER) or BLOB (4 or 16 bytes, in network order)"
)


class _Slot:
    """The table that the functions of one registration ask; a new one takes its place between two calls."""

    def __init__(self, table: AnyTable, on_error: OnError) -> None:
        self.table: AnyTable | None = table
        self.on_error = on_error


class _Registration:
    """What register made on one connection under one name."""

    def __init__(self, slot: _Slot, types: dict[str, str], is_volatile: bool) -> None:
        self.slot = slot
        self.types = types
        self.is_volatile = is_volatile


_lock = threading.Lock()
_registered: WeakKeyDictionary[duckdb.DuckDBPyConnection, dict[str, _Registration]] = WeakKeyDictionary()
# DuckDB calls a function that is removed when a statement is still prepared with it, but does not keep it alive.
_kept: list[Callable[..., ArrowColumn]] = []


def register(
    con: duckdb.DuckDBPyConnection,
    table: AnyTable,
    name: str = "lpm",
    *,
    columns: Sequence[str] | None = None,
    on_error: OnError = "null",
    volatile: bool = False,
) -> tuple[str, ...]:
    """Makes functions of SQL that look addresses up in a table, and returns their names.

    name(ip): the value of the longest match: UINTEGER where the table has integers, VARCHAR for text, BIGINT or
        DOUBLE for objects that are such numbers; of a table of rows with several columns a STRUCT of them, of
        which `lpm(ip).country` takes one and `unnest(lpm(ip))` makes columns.
    name_prefix(ip): the matched prefix: VARCHAR. name_length(ip): its length: UTINYINT.
    name_country(ip) and so on: one column of a table of rows: VARCHAR, BIGINT, DOUBLE or
        BOOLEAN, by its type.

    Addresses are VARCHAR (text), UINTEGER (the number of an IPv4 address) or BLOB (4 or 16 bytes, in network order);
    the functions take all of them, and ENUMs of text. DuckDB's INET is text after ip::VARCHAR. NULL stays NULL; an
    address without a route and a text that is no address become NULL.

    con: a connection; its cursors, also in other threads, have the functions too. They run in parallel.
    columns: the columns of a table of rows to make functions of; without it, all. Those that are named prefix or
        length are had by `lpm(ip)` only.
    on_error: "raise" lets a query fail with the first bad text instead.
    volatile: Functions see changes of the table at once, but DuckDB computes a call whose arguments are all constant
        only once, also for all runs of a prepared statement. True tells it not to, and it no longer joins equal calls.

    Registering again under a name puts the new table in place of the old one. When its functions are of the same
    names and types, statements that are prepared or running ask the new table from their next rows on; otherwise the
    functions are made anew, and statements have to be prepared again.
    The functions keep the table alive until unregister, also when the connection is closed before.

    Raises TypeError for what is no connection or no Table, or a table whose values have no type in SQL; ValueError
    for a name that is none or that is taken by another function or connection of the database; what DuckDB raises, as
    while a result of the connection is not fetched to its end. After an error all is as it was.
    """
    _require_connection(con)
    _frames.require_table(table)
    if on_error not in ("null", "raise"):
        raise ValueError(f"on_error={on_error!r}: it is 'null' or 'raise'")
    types = _types_of(table, _checked_name(name), columns)
    slot = _Slot(table, on_error)
    with _lock:
        mine = _registered.setdefault(con, {})
        old = mine.get(name.casefold())
        if old is not None and old.types == types and old.is_volatile == volatile:
            old.slot.on_error, old.slot.table = on_error, slot.table
            return tuple(types)
        mine_now = {one.casefold() for one in old.types} if old is not None else set()
        _refuse_taken(con, [one for one in types if one.casefold() not in mine_now])
        new = _Registration(slot, types, volatile)
        if old is not None:
            _remove(con, old)
        try:
            _create(con, new, name)
        except BaseException:
            if old is not None:
                _create(con, old, name)
            raise
        mine[name.casefold()] = new
        if old is not None:
            old.slot.table = None
    return tuple(types)


def unregister(con: duckdb.DuckDBPyConnection, name: str = "lpm") -> None:
    """Removes the functions that register made on this connection under the name, and lets go of the table.

    Statements that are still prepared with them fail from then on. Raises ValueError when there are none.
    """
    _require_connection(con)
    with _lock:
        mine = _registered.get(con, {})
        old = mine.get(name.casefold())
        if old is None:
            known = ", ".join(mine) or "none"
            raise ValueError(f"no functions {name!r} were registered on this connection; there are: {known}")
        _remove(con, old)
        del mine[name.casefold()]
        old.slot.table = None


def _require_connection(con: object) -> None:
    if not isinstance(con, duckdb.DuckDBPyConnection):
        raise TypeError(
            f"con= takes a connection of DuckDB (duckdb.connect() or duckdb.default_connection()), not {type(con).__name__}"
        )


# The types of SQL for columns, by the class of their cells.
_CELLS = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}


def _checked_name(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"name= takes a str, not {type(name).__name__}")
    if not name.isidentifier():
        raise ValueError(f"name={name!r}: a name of letters, digits and '_', which SQL needs no quotes for")
    return name


def _types_of(table: AnyTable, name: str, columns: Sequence[str] | None) -> dict[str, str]:
    """Returns the names of the functions, with the types of what they return."""
    chosen = (
        list(table.columns) if columns is None else [columns] if isinstance(columns, str) else list(columns)
    )
    for column in chosen:
        if column not in table.columns:
            known = ", ".join(table.columns) or "none"
            raise ValueError(f"columns= has {column!r}, but the columns of the table are: {known}")
    _refuse_same_names(table.columns)
    types = {name: _sql_type(table), f"{name}_prefix": "VARCHAR", f"{name}_length": "UTINYINT"}
    return {
        **types,
        **{f"{name}_{one}": _CELLS[table.types[one]] for one in chosen if one not in _frames.ANSWERS},
    }


def _refuse_same_names(columns: Sequence[str]) -> None:
    """SQL does not tell names apart by case, so that a STRUCT cannot have both."""
    seen: dict[str, str] = {}
    for column in columns:
        other = seen.setdefault(column.casefold(), column)
        if other != column:
            raise ValueError(f"the columns {other!r} and {column!r} of the table have the same name in SQL")


def _sql_type(table: AnyTable) -> str:
    """Returns the type of the values of a table."""
    if len(table.columns) > 1:
        fields = ", ".join(f"{_quoted(column)} {_CELLS[kind]}" for column, kind in table.types.items())
        return f"STRUCT({fields})"
    arrow = cast("pa.Array", _frames.look_up(table, pa.array([], pa.string()), "value")).type
    known = {pa.uint32(): "UINTEGER", pa.int64(): "BIGINT", pa.float64(): "DOUBLE", pa.bool_(): "BOOLEAN"}
    return known.get(arrow, "VARCHAR")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _refuse_taken(con: duckdb.DuckDBPyConnection, names: Sequence[str]) -> None:
    """DuckDB would let a function hide one of its own, such as `lower`."""
    query = (
        "SELECT function_name FROM duckdb_functions() WHERE lower(function_name) IN (SELECT lower(unnest(?)))"
    )
    with con.cursor() as cursor:
        taken = cursor.execute(query, [list(names)]).fetchone()
    if taken is not None:
        raise ValueError(
            f"there is a function {taken[0]!r} in this database: give another name=, or, when another connection of "
            "this database has registered it, register or unregister on that one"
        )


def _create(con: duckdb.DuckDBPyConnection, new: _Registration, name: str) -> None:
    # Words are taken by every version, which the types of this one do not say.
    create: Callable[..., object] = con.create_function
    made: list[str] = []
    try:
        for function_name, type_name in new.types.items():
            want = function_name[len(name) + 1 :] or "value"
            function = _function(new.slot, function_name, want)
            _kept.append(function)
            create(
                function_name,
                function,
                None,
                type_name,
                type="arrow",
                null_handling="special",
                side_effects=new.is_volatile,
            )
            made.append(function_name)
    except BaseException:
        for function_name in made:
            con.remove_function(function_name)
        raise


def _remove(con: duckdb.DuckDBPyConnection, old: _Registration) -> None:
    for name in old.types:
        con.remove_function(name)


def _function(slot: _Slot, name: str, want: str) -> Callable[..., ArrowColumn]:
    """Makes a function that DuckDB calls with about two thousand rows at a time, from several threads."""

    def look_up(*arguments: ArrowColumn) -> ArrowColumn:
        if len(arguments) != 1:
            raise TypeError(f"{name} takes one argument, the address, not {len(arguments)}")
        table = slot.table
        if table is None:
            raise ValueError(f"the table of {name} was unregistered: prepare the statement again")
        (rows,) = arguments
        # NULL without a type says nothing about the right one.
        if pa.types.is_null(rows.type):
            rows = rows.cast(pa.string())
        if not _is_address(rows.type):
            raise TypeError(
                f"{name} takes {_ACCEPTED}; a column of Arrow's type {rows.type} is none of these"
            )
        return cast("pa.ChunkedArray", _frames.look_up(table, rows, want, on_error=slot.on_error))

    return look_up


def _is_address(type_of_rows: pa.DataType) -> bool:
    """Returns whether DuckDB hands columns of addresses over as this type; INTEGER and DECIMAL are the likely slips."""
    if pa.types.is_dictionary(type_of_rows):
        type_of_rows = type_of_rows.value_type
    of_text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    of_bytes = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view)
    return any(is_one(type_of_rows) for is_one in (*of_text, *of_bytes, pa.types.is_uint32))
