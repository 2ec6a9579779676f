"""Longest-prefix match in SQL: DuckDB functions that look up in a table.

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

import itertools
import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast
from weakref import WeakKeyDictionary

import duckdb
import pyarrow as pa

from fingerpost import _core, _frames
from fingerpost._frames import OnError
from fingerpost._types import AnyTable

__all__ = ["register", "unregister"]

ArrowColumn: TypeAlias = "pa.Array | pa.ChunkedArray"

_ACCEPTED = (
    "VARCHAR (text; cast an INET with ip::VARCHAR), UINTEGER (an IPv4 address as a number, for example "
    "ip::UINTEGER) or BLOB (4 or 16 bytes, in network order)"
)


# SQL functions of the module that return a cell, by the class of the column's cells.
_NATIVE_CELLS = {
    str: "fingerpost_text",
    int: "fingerpost_integer",
    float: "fingerpost_float",
    bool: "fingerpost_boolean",
}


def _register_native_functions() -> None:
    """Makes all databases that are opened from now on have the native functions, from DuckDB 2 on."""
    try:
        import _duckdb
    except ImportError:  # earlier versions
        return
    _core._register_sql_functions(_duckdb.__file__)


_register_native_functions()


class _Slot:
    """The table of one registration. Another table can replace it between two calls."""

    def __init__(self, table: AnyTable, on_error: OnError) -> None:
        self.table: AnyTable | None = table
        self.on_error = on_error


class _Registration:
    """The functions that register() created on one connection under one name."""

    def __init__(
        self, slot: _Slot, types: dict[str, str], is_volatile: bool, source: str, macros: dict[str, str]
    ) -> None:
        self.slot = slot
        self.types = types
        self.is_volatile = is_volatile
        # Name of the table for native functions, and the bodies of the macros that call them, by the names of
        # functions. All other functions are in Python.
        self.source = source
        self.macros = macros

    def accepts(self, other: _Registration) -> bool:
        """Returns whether these functions can also look up in the table of another registration."""
        return (self.types, self.is_volatile, self.macros) == (other.types, other.is_volatile, other.macros)

    def set_table(self, table: AnyTable, on_error: OnError) -> None:
        self.slot.on_error, self.slot.table = on_error, table
        if self.macros:
            _core._set_sql_table(self.source, table)

    def release_table(self, name: str) -> None:
        self.slot.table = None
        if self.macros:
            _core._remove_sql_table(self.source, _unregistered(name))


def _unregistered(name: str) -> str:
    return f"the table of {name} was unregistered: prepare the statement again"


_lock = threading.Lock()
_numbers = itertools.count(1)
_registered: WeakKeyDictionary[duckdb.DuckDBPyConnection, dict[str, _Registration]] = WeakKeyDictionary()
# DuckDB still calls a removed function from prepared statements, but does not keep it alive.
_functions: list[Callable[..., ArrowColumn]] = []


def register(
    con: duckdb.DuckDBPyConnection,
    table: AnyTable,
    name: str = "lpm",
    *,
    columns: Sequence[str] | None = None,
    on_error: OnError = "null",
    volatile: bool = False,
) -> tuple[str, ...]:
    """Creates SQL functions that look up addresses in a table, and returns their names.

    name(ip): the value of the longest match: UINTEGER for tables of integers, VARCHAR for text, BIGINT or DOUBLE for
        objects that are such numbers, and a STRUCT for tables of several columns. `lpm(ip).country` selects one of
        these, and `unnest(lpm(ip))` splits them into columns.
    name_prefix(ip): the matched prefix, a VARCHAR. name_length(ip): its length, a UTINYINT.
    name_country(ip) and so on: one column of a table of rows, a VARCHAR, BIGINT, DOUBLE or
        BOOLEAN according to its type.

    Addresses are VARCHAR (text), UINTEGER (an IPv4 address as a number) or BLOB (4 or 16 bytes, in network order). Each
    function accepts all of these, and ENUMs of text. Convert DuckDB's INET with ip::VARCHAR. NULL stays NULL. Addresses
    without a route and text that is not an address become NULL.

    con: a connection. Its cursors can use the functions too, also in other threads. The functions run in parallel.
    columns: the columns of a table of rows that get a function; all by default. Columns that are named prefix or
        length are available only through `lpm(ip)`.
    on_error: "null" returns NULL for bad text; "raise" makes the query fail.
    volatile: Functions see changes of the table immediately, but DuckDB evaluates a call with constant arguments only
        once, even for all runs of a prepared statement. True disables this, and also the merging of equal calls.

    From DuckDB 2 on, in a database in memory that was opened after `import fingerpost.duckdb`, the functions are macros
    of native functions, which are several times as fast. An open transaction sees them when it has ended. Functions of
    tables of objects, those that return a STRUCT and volatile ones are in Python, like all functions elsewhere.

    Registering again under the same name replaces the table. If the new functions have the same names and types,
    prepared and running statements use the new table from their next rows on. Otherwise the functions are created
    again, and statements must be prepared again.
    The functions keep the table alive until unregister(), even after the connection is closed.

    Raises TypeError if `con` is not a connection, `table` is not a Table, or its values have no SQL type; ValueError if
    the name is invalid or used by another function or connection of the database; and the errors of DuckDB, for
    example while a result of the connection is not completely fetched. After an error nothing has changed.
    """
    _require_connection(con)
    _frames.require_table(table)
    if on_error not in ("null", "raise"):
        raise ValueError(f"on_error={on_error!r}: must be 'null' or 'raise'")
    types = _types_of(table, _frames.sql_functions(table, name, columns))
    with _lock:
        registrations = _registered.setdefault(con, {})
        old = registrations.get(name.casefold())
        source = old.source if old is not None else f"table {next(_numbers)} of this process"
        macros = {} if volatile else _macros(con, table, name, types, source, on_error)
        new = _Registration(_Slot(table, on_error), types, volatile, source, macros)
        if old is not None and old.accepts(new):
            old.set_table(table, on_error)
            return tuple(types)
        own_names = {other.casefold() for other in old.types} if old is not None else set()
        _refuse_taken(con, [new for new in types if new.casefold() not in own_names])
        if old is not None:
            _remove(con, old)
        try:
            _create(con, new, name)
        except BaseException:
            if old is not None:
                _create(con, old, name)
            raise
        registrations[name.casefold()] = new
        if old is not None:
            old.release_table(name)
        new.set_table(table, on_error)
    return tuple(types)


def unregister(con: duckdb.DuckDBPyConnection, name: str = "lpm") -> None:
    """Removes the functions that register() created on this connection under this name, and releases the table.

    Prepared statements that use them fail from then on. Raises ValueError if there are no such functions.
    """
    _require_connection(con)
    with _lock:
        registrations = _registered.get(con, {})
        old = registrations.get(name.casefold())
        if old is None:
            known = ", ".join(registrations) or "none"
            raise ValueError(f"no functions {name!r} are registered on this connection; registered: {known}")
        _remove(con, old)
        del registrations[name.casefold()]
        old.release_table(name)


def _require_connection(con: object) -> None:
    if not isinstance(con, duckdb.DuckDBPyConnection):
        raise TypeError(
            f"con= takes a DuckDB connection (duckdb.connect() or duckdb.default_connection()), not {type(con).__name__}"
        )


# SQL types of columns, by the class of their cells.
_CELLS = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}


def _types_of(table: AnyTable, functions: dict[str, str]) -> dict[str, str]:
    """Returns the types of the results of functions, by their names."""
    types = {"value": _sql_type(table), "prefix": "VARCHAR", "length": "UTINYINT"}
    return {name: types.get(want) or _CELLS[table.types[want]] for name, want in functions.items()}


def _sql_type(table: AnyTable) -> str:
    """Returns the SQL type of the values of a table."""
    if len(table.columns) > 1:
        fields = ", ".join(f"{_quoted(column)} {_CELLS[kind]}" for column, kind in table.types.items())
        return f"STRUCT({fields})"
    arrow = cast("pa.Array", _frames.look_up(table, pa.array([], pa.string()), "value")).type
    known = {pa.uint32(): "UINTEGER", pa.int64(): "BIGINT", pa.float64(): "DOUBLE", pa.bool_(): "BOOLEAN"}
    return known.get(arrow, "VARCHAR")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _refuse_taken(con: duckdb.DuckDBPyConnection, names: Sequence[str]) -> None:
    """Raises ValueError for names of existing functions. DuckDB would let them hide its own, such as `lower`."""
    query = (
        "SELECT function_name FROM duckdb_functions() WHERE lower(function_name) IN (SELECT lower(unnest(?)))"
    )
    with con.cursor() as cursor:
        existing = cursor.execute(query, [list(names)]).fetchone()
    if existing is not None:
        raise ValueError(
            f"the database already has a function {existing[0]!r}: choose another name=, or, if another connection "
            "registered it, register or unregister it there"
        )


def _macros(
    con: duckdb.DuckDBPyConnection,
    table: AnyTable,
    name: str,
    types: dict[str, str],
    source: str,
    on_error: OnError,
) -> dict[str, str]:
    """Returns the bodies of the functions that can be macros of native functions; none if the database has none of these."""
    if table.value_kind == "object" or not _has_native_functions(con):
        return {}
    arguments = ["ip"] if on_error == "null" else ["ip", _text(on_error)]

    def call(function: str, *first: str) -> str:
        return f"{function}({', '.join([*map(_text, (source, *first)), *arguments])})"

    macros = {f"{name}_{want}": call(f"fingerpost_{want}") for want in ("prefix", "length")}
    if table.value_kind == "int":
        macros[name] = call("fingerpost_index")
    elif len(table.columns) == 1:
        (column,) = table.columns
        macros[name] = call(_NATIVE_CELLS[table.types[column]], column)
    for column in table.columns:
        function = f"{name}_{column}"
        if function in types and column not in _frames.ANSWERS:
            macros[function] = call(_NATIVE_CELLS[table.types[column]], column)
    return macros


def _has_native_functions(con: duckdb.DuckDBPyConnection) -> bool:
    """Returns whether the database has the native functions, and is in memory: a file would keep the macros."""
    query = (
        "SELECT count(*) FROM duckdb_functions(), duckdb_databases() WHERE function_name = 'fingerpost_index' "
        "AND duckdb_databases.database_name = current_database() AND path IS NULL AND current_schema() = 'main'"
    )
    with con.cursor() as cursor:
        row = cursor.execute(query).fetchone()
    return row is not None and row[0] > 0


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _create(con: duckdb.DuckDBPyConnection, new: _Registration, name: str) -> None:
    # All versions accept these strings, but the annotations of this version do not.
    create: Callable[..., object] = con.create_function
    created: list[str] = []
    try:
        for function_name, type_name in new.types.items():
            if function_name in new.macros:
                with con.cursor() as cursor:
                    cursor.execute(
                        f"CREATE MACRO {_quoted(function_name)}(ip) AS {new.macros[function_name]}"
                    )
                created.append(function_name)
                continue
            want = function_name[len(name) + 1 :] or "value"
            function = _function(new.slot, function_name, want)
            _functions.append(function)
            create(
                function_name,
                function,
                None,
                type_name,
                type="arrow",
                null_handling="special",
                side_effects=new.is_volatile,
            )
            created.append(function_name)
    except BaseException:
        for function_name in created:
            _remove_function(con, new, function_name)
        raise


def _remove(con: duckdb.DuckDBPyConnection, old: _Registration) -> None:
    for name in old.types:
        _remove_function(con, old, name)


def _remove_function(con: duckdb.DuckDBPyConnection, of: _Registration, name: str) -> None:
    if name not in of.macros:
        con.remove_function(name)
        return
    with con.cursor() as cursor:
        cursor.execute(f"DROP MACRO {_quoted(name)}")


def _function(slot: _Slot, name: str, want: str) -> Callable[..., ArrowColumn]:
    """Returns a function that DuckDB calls from several threads, with about two thousand rows per call."""

    def look_up(*arguments: ArrowColumn) -> ArrowColumn:
        if len(arguments) != 1:
            raise TypeError(f"{name} takes one argument, the address, not {len(arguments)}")
        table = slot.table
        if table is None:
            raise ValueError(_unregistered(name))
        (rows,) = arguments
        # NULL has no type. Addresses of any type would do.
        if pa.types.is_null(rows.type):
            rows = rows.cast(pa.string())
        if not _is_address(rows.type):
            raise TypeError(f"an address is {_ACCEPTED}, not a value of Arrow type {rows.type}")
        return cast("pa.ChunkedArray", _frames.look_up(table, rows, want, on_error=slot.on_error))

    return look_up


def _is_address(type_of_rows: pa.DataType) -> bool:
    """Returns whether DuckDB passes addresses as this type. Likely mistakes are INTEGER and DECIMAL."""
    if pa.types.is_dictionary(type_of_rows):
        type_of_rows = type_of_rows.value_type
    is_text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    is_bytes = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view)
    return any(is_type(type_of_rows) for is_type in (*is_text, *is_bytes, pa.types.is_uint32))
