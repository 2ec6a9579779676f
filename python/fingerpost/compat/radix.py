"""The interface of py-radix: `import fingerpost.compat.radix as radix`."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

from fingerpost._core import Table
from fingerpost.compat._prefixes import (
    Packed,
    address_text,
    longest,
    masked,
    pack,
    parent,
    text_of,
    with_length,
)

__all__ = ["Radix", "RadixNode"]


class RadixNode:
    """A prefix and its `data`, a dict for the user."""

    __slots__ = ("_table", "data", "packed", "prefixlen")

    def __init__(self, table: Table[RadixNode], prefix: Packed) -> None:
        self._table = table
        self.packed = masked(prefix)
        self.prefixlen = prefix[1]
        self.data: dict[Any, Any] = {}

    @property
    def network(self) -> str:
        return address_text(self.packed)

    @property
    def prefix(self) -> str:
        return text_of((self.packed, self.prefixlen))

    @property
    def family(self) -> int:
        return socket.AF_INET if len(self.packed) == 4 else socket.AF_INET6

    @property
    def parent(self) -> RadixNode | None:
        """The longest prefix that contains this one."""
        return parent(self._table, (self.packed, self.prefixlen))


class Radix:
    """A set of prefixes of both families. Methods accept `network` (text) and `masklen`, or `packed` and `masklen`."""

    __slots__ = ("_changes", "_lookup", "_table")

    def __init__(self) -> None:
        self._table: Table[RadixNode] = Table()
        self._lookup = self._table.lookup
        self._changes = 0

    def add(self, network: str | None = None, masklen: int = -1, packed: bytes | None = None) -> RadixNode:
        """Adds a prefix, or returns its existing node."""
        prefix = _prefix(network, masklen, packed)
        node = RadixNode(self._table, prefix)
        existing = self._table.setdefault(prefix, node)
        self._changes += existing is node
        return existing

    def delete(self, network: str | None = None, masklen: int = -1, packed: bytes | None = None) -> None:
        """Removes exactly this prefix. Raises KeyError if it does not exist."""
        if self._table.pop(_prefix(network, masklen, packed), None) is None:
            raise KeyError("no such address")
        self._changes += 1

    def search_exact(
        self, network: str | None = None, masklen: int = -1, packed: bytes | None = None
    ) -> RadixNode | None:
        """Returns the node with exactly this prefix."""
        return self._table.get(_prefix(network, masklen, packed))

    def search_best(
        self, network: str | None = None, masklen: int = -1, packed: bytes | None = None
    ) -> RadixNode | None:
        """Returns the longest prefix that contains this address or prefix."""
        if masklen == -1 and (network is None) != (packed is None):
            try:
                return self._lookup(packed if network is None else network)  # type: ignore[arg-type]
            except ValueError:
                pass
        return longest(self._table, _prefix(network, masklen, packed))

    def search_worst(
        self, network: str | None = None, masklen: int = -1, packed: bytes | None = None
    ) -> RadixNode | None:
        """Returns the shortest prefix that contains this address or prefix."""
        routes = self._table.covering(_prefix(network, masklen, packed))
        return routes[0][1] if routes else None

    def search_covered(
        self, network: str | None = None, masklen: int = -1, packed: bytes | None = None
    ) -> list[RadixNode]:
        """Returns all nodes within this prefix, itself included, in prefix order."""
        return [node for _, node in self._table.covered(_prefix(network, masklen, packed))]

    def search_covering(
        self, network: str | None = None, masklen: int = -1, packed: bytes | None = None
    ) -> list[RadixNode]:
        """Returns all nodes that contain this address or prefix, longest first."""
        return [node for _, node in reversed(self._table.covering(_prefix(network, masklen, packed)))]

    def nodes(self) -> list[RadixNode]:
        return list(self._table.values())

    def prefixes(self) -> list[str]:
        return [node.prefix for node in self._table.values()]

    def __iter__(self) -> Iterator[RadixNode]:
        changes = self._changes
        for node in self._table.values():
            if changes != self._changes:
                raise RuntimeWarning("Radix tree modified during iteration")
            yield node

    def __getstate__(self) -> list[tuple[str, dict[Any, Any]]]:
        return [(node.prefix, node.data) for node in self._table.values()]

    def __setstate__(self, state: list[tuple[str, dict[Any, Any]]]) -> None:
        for prefix, data in state:
            self.add(prefix).data.update(data)

    def __reduce__(self) -> tuple[type[Radix], tuple[()], list[tuple[str, dict[Any, Any]]]]:
        return type(self), (), self.__getstate__()


def _prefix(network: str | None, masklen: int, packed: bytes | None) -> Packed:
    """Reads the arguments of a method. Raises TypeError and ValueError."""
    length = None if masklen == -1 else masklen
    if (network is None) == (packed is None):
        raise TypeError("pass either network or packed")
    if network is None:
        return with_length(packed, length)  # type: ignore[arg-type]
    if not isinstance(network, str):
        raise TypeError(f"network is a str, not {type(network).__name__}")
    return pack(network, length)
