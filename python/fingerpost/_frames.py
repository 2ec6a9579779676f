"""Common parts of the modules for data engines: columns that a join adds, SQL functions, and tables built from frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, Literal, TypeAlias, TypeVar

from fingerpost._core import Report, Table
from fingerpost._types import AnyTable

Answer = TypeVar("Answer")
Columns: TypeAlias = str | Sequence[str] | Mapping[str, str]
OnError: TypeAlias = Literal["null", "raise"]
How: TypeAlias = Literal["left", "inner", "anti"]

# Wants of every table. A table column with one of these names is available only as part of "value".
ANSWERS = ("value", "index", "length", "prefix")
# Usual names of the column of networks in files and frames, the most likely first.
NETWORK_NAMES = (
    "network",
    "prefix",
    "cidr",
    "subnet",
    "ip_prefix",
    "ip_network",
    "net",
    "ip_range",
    "route",
    "dst",
)


def look_up(
    table: AnyTable,
    rows: object,
    want: str | Sequence[str],
    *,
    default: object = None,
    on_error: OnError = "null",
    threads: int = 1,
    report: Report | None = None,
) -> object:
    """Calls lookup_many for a column of any library, without its overloads for type checkers."""
    lookup_many: Callable[..., object] = table.lookup_many
    return lookup_many(rows, want, default=default, on_error=on_error, threads=threads, report=report)


class Lookups(ABC, Generic[Answer]):
    """Methods of column namespaces and accessors besides lookup()."""

    def prefix(self, table: AnyTable, *, on_error: OnError = "null", threads: int = 1) -> Answer:
        """Returns the matched prefix of each address, as text. The arguments are those of `lookup`."""
        return self._one(table, "prefix", on_error, threads)

    def length(self, table: AnyTable, *, on_error: OnError = "null", threads: int = 1) -> Answer:
        """Returns the length of the matched prefix of each address, as UInt8. The arguments are those of `lookup`."""
        return self._one(table, "length", on_error, threads)

    @abstractmethod
    def _one(self, table: AnyTable, want: str, on_error: OnError, threads: int) -> Answer:
        """Returns the result of one want for each address."""


def require_table(table: object, also: str = "") -> None:
    """Raises TypeError if `table` is not a Table. `also` names other accepted types."""
    if not isinstance(table, Table):
        raise TypeError(f"table= takes a fingerpost.Table{also}, not {type(table).__name__}")


def require_how(how: str, columns: Columns | None) -> None:
    """Raises ValueError for an unknown kind of join, and for columns of a join that adds none."""
    if how not in ("left", "inner", "anti"):
        raise ValueError(
            f"how={how!r}: must be 'left', which keeps all rows, 'inner', which keeps matched rows, or 'anti', "
            "which keeps the others"
        )
    if how == "anti" and columns is not None:
        raise ValueError("how='anti' adds no columns, so it takes no columns=")


def wants_of_join(
    table: AnyTable, also: str, network: str | None, columns: Columns | None, prefix: str | None
) -> dict[str, str]:
    """Returns the wants of a join with a Table and the names of their columns. Raises for wrong arguments."""
    require_table(table, also)
    if network is not None:
        raise ValueError("network= names a column of a frame of networks, but the table is a Table")
    return with_prefix(columns_of_table(table, columns), prefix)


def columns_of_table(table: AnyTable, columns: Columns | None) -> dict[str, str]:
    """Returns the wants of a join, and the names of their columns in the frame."""
    if columns is not None:
        return _renamed(columns)
    if table.value_kind != "rows":
        return {"value": "value"}
    hidden = [name for name in table.columns if name in ANSWERS]
    if hidden:
        raise ValueError(
            f"the table has a column {hidden[0]!r}, which lookups use for something else: choose the columns to "
            "add with columns=, or get whole rows with want='value'"
        )
    return {name: name for name in table.columns}


def columns_of_frame(known: Sequence[str], columns: Columns | None) -> dict[str, str]:
    """Returns the columns of a frame of networks that a join adds, and their new names."""
    if columns is None:
        return {name: name for name in known}
    chosen = _renamed(columns)
    for name in chosen:
        if name not in known:
            raise ValueError(f"columns= has {name!r}, but the columns of the networks are {_listed(known)}")
    return chosen


def _renamed(columns: Columns) -> dict[str, str]:
    if isinstance(columns, str):
        return {columns: columns}
    if isinstance(columns, Mapping):
        return dict(columns)
    chosen = list(columns)
    twice = [name for name in chosen if chosen.count(name) > 1]
    if twice:
        raise ValueError(f"columns= has {twice[0]!r} twice")
    return {name: name for name in chosen}


def sql_functions(table: AnyTable, name: str, columns: Sequence[str] | None) -> dict[str, str]:
    """Returns the wants of the SQL functions of a table, by the names of the functions.

    Raises TypeError or ValueError for an invalid name, unknown columns, and columns that SQL cannot distinguish.
    """
    if not isinstance(name, str):
        raise TypeError(f"name= takes a str, not {type(name).__name__}")
    if not name.isidentifier():
        raise ValueError(f"name={name!r}: must be a name of letters, digits and '_', which needs no quotes")
    chosen = table.columns if columns is None else [columns] if isinstance(columns, str) else columns
    for column in chosen:
        if column not in table.columns:
            known = ", ".join(table.columns) or "none"
            raise ValueError(f"columns= has {column!r}, but the columns of the table are: {known}")
    _refuse_same_names(table.columns)
    answers = {name: "value", f"{name}_prefix": "prefix", f"{name}_length": "length"}
    return {**answers, **{f"{name}_{column}": column for column in chosen if column not in ANSWERS}}


def _refuse_same_names(columns: Sequence[str]) -> None:
    """Raises ValueError if two names differ only in case, which SQL ignores."""
    names: dict[str, str] = {}
    for column in columns:
        other = names.setdefault(column.casefold(), column)
        if other != column:
            raise ValueError(f"the columns {other!r} and {column!r} of the table have the same name in SQL")


def with_prefix(columns: Mapping[str, str], prefix: str | None) -> dict[str, str]:
    """Adds the matched prefix to the wants of a join, unless they already contain it."""
    if prefix is None or "prefix" in columns:
        return dict(columns)
    return {**columns, "prefix": prefix}


def unused_names(names: Iterable[str], existing: Iterable[str], suffix: str) -> list[str]:
    """Returns the names of new columns, with the suffix where the frame already has a column of that name."""
    used = set(existing)
    unused: list[str] = []
    for name in names:
        new_name = name + suffix if name in used else name
        if new_name in used or new_name in unused:
            raise ValueError(
                f"the frame would have two columns {new_name!r}: change suffix=, prefix= or columns="
            )
        unused.append(new_name)
    return unused


def network_column(names: Sequence[str], network: str | None) -> str:
    """Returns the name of the column of networks."""
    if network is not None:
        if network not in names:
            raise ValueError(f"network={network!r}, but the columns of the networks are {_listed(names)}")
        return network
    by_folded = {name.casefold(): name for name in reversed(list(names))}
    for usual in NETWORK_NAMES:
        if usual in by_folded:
            return by_folded[usual]
    raise ValueError(
        f"none of the columns {_listed(names)} is called network, prefix, cidr, subnet or similar: "
        "name the column of networks with network="
    )


def table_of_networks(networks: Sequence[object]) -> Table[int]:
    """Returns a table that maps networks to their row numbers, from 0.

    Raises ValueError for a row with a missing or invalid network, or with the network of an earlier row.
    """
    table = Table(values=int)
    try:
        table.update(zip(networks, range(len(networks))))  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise _first_bad(networks, error) from None
    if len(table) < len(networks):
        raise _first_twice(networks)
    return table


def _first_bad(networks: Sequence[object], otherwise: Exception) -> ValueError:
    table = Table(values=int)
    for row, network in enumerate(networks):
        try:
            table[network] = 0  # type: ignore[index]
        except (TypeError, ValueError) as error:
            return ValueError(f"row {row} of the networks: {'missing network' if network is None else error}")
    return ValueError(str(otherwise))


def _first_twice(networks: Sequence[object]) -> ValueError:
    rows: Table[int] = Table(values=int)
    for row, network in enumerate(networks):
        earlier = rows.setdefault(network, row)  # type: ignore[arg-type]
        if earlier != row:
            return ValueError(
                f"rows {earlier} and {row} of the networks are both {network}: keep only one of them"
            )
    return ValueError("two rows of the networks have the same network")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names) or "none"
