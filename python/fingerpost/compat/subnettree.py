"""The interface of pysubnettree: `import fingerpost.compat.subnettree as SubnetTree`.

`in` and `[]` find the longest match.
"""

from __future__ import annotations

import socket
from typing import Generic, TypeVar

from fingerpost._core import Table
from fingerpost.compat._prefixes import Packed, address_text, longest, pack, text_of, with_length

V = TypeVar("V")

_MAPPED = bytes(10) + b"\xff\xff"

__all__ = ["SubnetTree"]


class SubnetTree(Generic[V]):
    """Maps prefixes to objects. IPv4 and IPv4-mapped IPv6 prefixes are the same."""

    __slots__ = ("_binary", "_lookup", "_table")

    def __init__(self, binary_lookup_mode: bool = False) -> None:
        # The value of a route is its prefix as inserted, and the object.
        self._table: Table[tuple[Packed, V | None]] = Table()
        self._lookup = self._table.lookup
        self._binary = binary_lookup_mode

    def insert(self, cidr: str, data: V | None = None) -> bool:
        """Adds or replaces a prefix. Raises ValueError."""
        prefix = _prefix(cidr)
        self._table[prefix] = (prefix, data)
        return True

    def __setitem__(self, cidr: str, data: V) -> None:
        self.insert(cidr, data)

    def remove(self, cidr: str) -> bool:
        """Removes exactly this prefix. Raises RuntimeError if it does not exist."""
        if self._table.pop(_prefix(cidr), None) is None:
            raise RuntimeError(f"{cidr!r} does not exist")
        return True

    def __delitem__(self, cidr: str) -> None:
        self.remove(cidr)

    def _find(self, key: str | bytes) -> tuple[Packed, V | None] | None:
        """Returns the longest match of an address or prefix, or None for malformed text."""
        text: str | bytes = key
        if isinstance(key, bytes) != self._binary:
            if not isinstance(key, bytes):
                return None
            text = key.decode("latin-1")
        try:
            return self._lookup(text)
        except ValueError:
            if self._binary:
                raise
        try:
            return longest(self._table, _prefix(str(text)))
        except ValueError:
            return None

    def __getitem__(self, key: str | bytes) -> V | None:
        entry = self._find(key)
        if entry is None:
            raise KeyError(key)
        return entry[1]

    def __contains__(self, key: str | bytes) -> bool:
        return self._find(key) is not None

    def lookup(self, key: str | bytes | int) -> V | None:
        """Returns the object of the longest match, or None. An int is an IPv4 address in network order."""
        entry = self._table.lookup(_from_int(key)) if isinstance(key, int) else self._find(key)
        return None if entry is None else entry[1]

    def search_all(self, key: str | bytes) -> list[V | None]:
        """Returns the objects of all prefixes that contain the address, longest first."""
        if isinstance(key, bytes) and self._binary:
            prefix = _native(with_length(key))
        else:
            prefix = _prefix(key if isinstance(key, str) else key.decode("latin-1"))
        return [entry[1] for _, entry in reversed(self._table.covering(prefix))]

    def prefixes(self, ipv4_native: bool = False, with_len: bool = True) -> set[str]:
        """Returns all prefixes. Those of IPv4 are written as IPv4-mapped IPv6 unless `ipv4_native` is set."""
        write = text_of if with_len else lambda prefix: address_text(prefix[0])
        return {write(prefix if ipv4_native else _mapped(prefix)) for prefix, _ in self._table.values()}

    def get_binary_lookup_mode(self) -> bool:
        return self._binary

    def set_binary_lookup_mode(self, binary_lookup_mode: bool = True) -> None:
        """Sets whether lookups take `str` or addresses of 4 or 16 bytes in network order."""
        self._binary = binary_lookup_mode


def _prefix(cidr: str) -> Packed:
    return _native(pack(cidr))


def _native(prefix: Packed) -> Packed:
    """Converts an IPv4-mapped prefix to IPv4."""
    address, length = prefix
    return (address[12:], length - 96) if length >= 96 and address.startswith(_MAPPED) else prefix


def _mapped(prefix: Packed) -> Packed:
    address, length = prefix
    return (_MAPPED + address, length + 96) if len(address) == 4 else prefix


def _from_int(address: int) -> bytes:
    return socket.ntohl(address).to_bytes(4, "big")
