"""The interface of pytricia: `import fingerpost.compat.pytricia as pytricia`.

`in`, `[]` and `get()` find the longest match. IPv4 and IPv6 prefixes never match each other.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any, Generic, TypeAlias, TypeVar, overload

from fingerpost._core import Table
from fingerpost.compat._prefixes import (
    Entry,
    Packed,
    longest,
    pack,
    pack_network,
    parent,
    text_of,
    with_length,
)

V = TypeVar("V")
D = TypeVar("D")

# Prefixes are returned in this form: text, or bytes and a length if raw_output is set.
Output: TypeAlias = str | tuple[bytes, int]
Key: TypeAlias = str | int | bytes | tuple[bytes, int] | IPv4Address | IPv6Address | IPv4Network | IPv6Network

__all__ = ["PyTricia"]


class PyTricia(Generic[V]):
    """Maps prefixes to values. `maxbits` and `family` are checked but not needed: a table has both families."""

    __slots__ = ("_frozen", "_lookup", "_raw", "_table")

    def __init__(self, maxbits: int = 32, family: int = socket.AF_INET, raw_output: bool = False, /) -> None:
        if not isinstance(maxbits, int) or not 0 <= maxbits <= 128:
            raise ValueError("maxbits must be between 0 and 128")
        if family not in (socket.AF_INET, socket.AF_INET6):
            raise ValueError("family must be AF_INET or AF_INET6")
        self._reset(Table(), raw_output, False)

    def _reset(self, table: Table[Entry[V]], raw: bool, frozen: bool) -> None:
        self._table = table
        self._lookup = table.lookup
        self._raw = raw
        self._frozen = frozen

    @overload
    def insert(self, prefix: Key, value: V, /) -> None: ...
    @overload
    def insert(self, address: Key, length: int, value: V, /) -> None: ...
    def insert(self, prefix: Key, length_or_value: Any, value: Any = ..., /) -> None:
        """Adds a route or replaces its value."""
        if value is ...:
            self[prefix] = length_or_value
        else:
            self[with_length(_packed(prefix)[0], int(length_or_value))] = value

    def __setitem__(self, prefix: Key, value: V) -> None:
        self._require_thawed()
        packed = _packed(prefix)
        self._table.setdefault(packed, Entry(packed, value)).value = value

    def _output(self, entry: Entry[V]) -> Output:
        return entry.prefix if self._raw else text_of(entry.prefix)

    def _find(self, key: Key) -> Entry[V] | None:
        """Returns the longest match of an address or prefix."""
        try:
            return self._lookup(key)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return longest(self._table, _packed(key))

    def __getitem__(self, key: Key) -> V:
        entry = self._find(key)
        if entry is None:
            raise KeyError("Prefix not found.")
        return entry.value

    def __contains__(self, key: Key) -> bool:
        return self._find(key) is not None

    @overload
    def get(self, key: Key, default: None = None, /) -> V | None: ...
    @overload
    def get(self, key: Key, default: D, /) -> V | D: ...
    def get(self, key: Key, default: object = None, /) -> object:
        """Returns the value of the longest match."""
        # A copy of _find, because a call takes as long as the lookup.
        try:
            entry = self._lookup(key)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            entry = longest(self._table, _packed(key))
        return default if entry is None else entry.value

    def get_key(self, key: Key, /) -> Output | None:
        """Returns the prefix of the longest match."""
        entry = self._find(key)
        return None if entry is None else self._output(entry)

    def has_key(self, prefix: Key, /) -> bool:
        """Reports whether exactly this prefix exists."""
        return self._table.get(_packed(prefix)) is not None

    def __delitem__(self, prefix: Key) -> None:
        self._require_thawed()
        del self._table[self._existing(prefix)]

    def delete(self, prefix: Key, /) -> None:
        """Removes exactly this prefix. Raises KeyError if it does not exist."""
        del self[prefix]

    def parent(self, prefix: Key, /) -> Output | None:
        """Returns the longest prefix that contains this existing one."""
        entry = parent(self._table, self._existing(prefix))
        return None if entry is None else self._output(entry)

    def children(self, prefix: Key, /) -> list[Output]:
        """Returns all prefixes within this existing one, without itself."""
        routes = self._table.covered(self._existing(prefix))
        return [self._output(entry) for _, entry in routes[1:]]

    def _existing(self, prefix: Key) -> Packed:
        if not self.has_key(prefix):
            raise KeyError("Prefix doesn't exist.")
        return _packed(prefix)

    def keys(self) -> list[Output]:
        return list(self)

    def __iter__(self) -> Iterator[Output]:
        return (self._output(entry) for entry in self._table.values())

    def __len__(self) -> int:
        return len(self._table)

    def freeze(self) -> None:
        """Refuses changes until thaw() is called."""
        self._frozen = True

    def thaw(self) -> None:
        self._frozen = False

    def _require_thawed(self) -> None:
        if self._frozen:
            raise ValueError("can not modify a frozen PyTricia; call thaw() first")

    def __getstate__(self) -> tuple[Table[Entry[V]], bool, bool]:
        return self._table, self._raw, self._frozen

    def __setstate__(self, state: tuple[Table[Entry[V]], bool, bool]) -> None:
        self._reset(*state)


def _packed(key: Key) -> Packed:
    """Reads a key in any form. Integers are IPv4 addresses. Raises ValueError."""
    if isinstance(key, str):
        return pack(key)
    if isinstance(key, bytes):
        return with_length(key)
    if isinstance(key, int) and 0 <= key < 1 << 32:
        return key.to_bytes(4, "big"), 32
    if isinstance(key, (IPv4Address, IPv6Address)):
        return with_length(key.packed)
    if isinstance(key, (IPv4Network, IPv6Network)):
        return pack_network(key)
    if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], bytes):
        return with_length(*key)
    raise ValueError(f"Invalid key: {key!r}")
