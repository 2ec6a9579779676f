"""What the modules for Polars, pandas and DuckDB share: the columns that a join adds, and tables made of frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, Literal, TypeAlias, TypeVar

from fingerpost._core import Report, Table
from fingerpost._types import AnyTable

Answer = TypeVar("Answer")
Columns: TypeAlias = str | Sequence[str] | Mapping[str, str]
OnError: TypeAlias = Literal["null", "raise"]
How: TypeAlias = Literal["left", "inner"]

# What every table answers with. A column of a table that has one of these names is part of "value" only.
ANSWERS = ("value", "index", "length", "prefix")
# The names under which files and frames have their networks, the likeliest first.
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
    """Calls lookup_many for a column of a library that the type checker does not tell apart here."""
    lookup_many: Callable[..., object] = table.lookup_many
    return lookup_many(rows, want, default=default, on_error=on_error, threads=threads, report=report)


class Lookups(ABC, Generic[Answer]):
    """What namespaces and accessors of columns have besides lookup()."""

    def prefix(self, table: AnyTable, *, on_error: OnError = "null", threads: int = 1) -> Answer:
        """The matched prefix of each address, as text; arguments as of `lookup`."""
        return self._one(table, "prefix", on_error, threads)

    def length(self, table: AnyTable, *, on_error: OnError = "null", threads: int = 1) -> Answer:
        """The length of the matched prefix of each address: UInt8; arguments as of `lookup`."""
        return self._one(table, "length", on_error, threads)

    @abstractmethod
    def _one(self, table: AnyTable, want: str, on_error: OnError, threads: int) -> Answer:
        """Returns one thing for each address."""


def require_table(table: object, also: str = "") -> None:
    """Raises TypeError for what is no table; `also` names what else would have been right."""
    if not isinstance(table, Table):
        raise TypeError(f"table= takes a fingerpost.Table{also}, not {type(table).__name__}")


def require_how(how: str) -> None:
    """Raises ValueError for a kind of join that there is not."""
    if how not in ("left", "inner"):
        raise ValueError(
            f"how={how!r}: it is 'left', which keeps all rows, or 'inner', which keeps matched rows"
        )


def wants_of_join(
    table: AnyTable, also: str, network: str | None, columns: Columns | None, prefix: str | None
) -> dict[str, str]:
    """Returns what a join asks a Table for, and the names that its columns get; raises for wrong arguments."""
    require_table(table, also)
    if network is not None:
        raise ValueError("network= names a column of a frame of networks, but the table is a Table")
    return with_prefix(columns_of_table(table, columns), prefix)


def columns_of_table(table: AnyTable, columns: Columns | None) -> dict[str, str]:
    """Returns what a join asks the table for, and the names that its columns get in the frame."""
    if columns is not None:
        return _renamed(columns)
    if table.value_kind != "rows":
        return {"value": "value"}
    hidden = [name for name in table.columns if name in ANSWERS]
    if hidden:
        raise ValueError(
            f"the table has a column {hidden[0]!r}, which as an answer means something else: name the columns "
            "to add by columns=, or take all of a row by want='value'"
        )
    return {name: name for name in table.columns}


def columns_of_frame(known: Sequence[str], columns: Columns | None) -> dict[str, str]:
    """Returns which of the columns of a frame of networks a join adds, and the names that they get."""
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


def with_prefix(columns: Mapping[str, str], prefix: str | None) -> dict[str, str]:
    """Adds the matched prefix to what a join asks for, unless it is asked for already."""
    if prefix is None or "prefix" in columns:
        return dict(columns)
    return {**columns, "prefix": prefix}


def unused_names(names: Iterable[str], taken: Iterable[str], suffix: str) -> list[str]:
    """Returns the names of new columns: with the suffix where the frame has a column of the name."""
    there = set(taken)
    result: list[str] = []
    for name in names:
        free = name + suffix if name in there else name
        if free in there or free in result:
            raise ValueError(
                f"the frame would have two columns {free!r}: choose another suffix=, prefix=, or names by columns="
            )
        result.append(free)
    return result


def network_column(names: Sequence[str], network: str | None) -> str:
    """Returns which column of a frame has the networks."""
    if network is not None:
        if network not in names:
            raise ValueError(f"network={network!r}, but the columns of the networks are {_listed(names)}")
        return network
    by_folded = {name.casefold(): name for name in reversed(list(names))}
    for usual in NETWORK_NAMES:
        if usual in by_folded:
            return by_folded[usual]
    raise ValueError(
        f"none of the columns {_listed(names)} is named network, prefix, cidr, subnet or the like: "
        "name the one that has the networks by network="
    )


def table_of_networks(networks: Sequence[object]) -> Table[int]:
    """Makes a table from networks to the numbers of their rows, from 0.

    Raises ValueError for a row without a network, with something that is none, or with one that an earlier row has.
    """
    table = Table(values=int)
    try:
        table.update(zip(networks, range(len(networks))))  # type: ignore[arg-type]
    except (TypeError, ValueError) as why:
        raise _first_bad(networks, why) from None
    if len(table) < len(networks):
        raise _first_twice(networks)
    return table


def _first_bad(networks: Sequence[object], otherwise: Exception) -> ValueError:
    one = Table(values=int)
    for row, network in enumerate(networks):
        try:
            one[network] = 0  # type: ignore[index]
        except (TypeError, ValueError) as why:
            return ValueError(f"row {row} of the networks: {'no network' if network is None else why}")
    return ValueError(str(otherwise))


def _first_twice(networks: Sequence[object]) -> ValueError:
    rows: Table[int] = Table(values=int)
    for row, network in enumerate(networks):
        earlier = rows.setdefault(network, row)  # type: ignore[arg-type]
        if earlier != row:
            return ValueError(
                f"rows {earlier} and {row} of the networks are both {network}: a match could be either, keep one"
            )
    return ValueError("two rows of the networks have the same network")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names) or "none"
