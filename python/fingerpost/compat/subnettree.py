"""The interface of pysubnettree: `import fingerpost.compat.subnettree as SubnetTree`.

`in` and `[]` find the longest match.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from fingerpost._core import Table
from fingerpost.compat._prefixes import Entry, Packed, address_text, longest, pack, text_of, with_length

V = TypeVar("V")

_MAPPED = bytes(10) + b"\xff\xff"

__all__ = ["SubnetTree"]


class SubnetTree(Generic[V]):
    """Maps prefixes to objects. IPv4 and IPv4-mapped IPv6 prefixes are the same."""

    __slots__ = ("_binary", "_lookup", "_table")

    def __init__(self, binary_lookup_mode: bool = False) -> None:
        self._table: Table[Entry[V]] = Table()
        self._lookup = self._table.lookup
        self._binary = binary_lookup_mode

    def insert(self, cidr: str, data: V = "<dummy string>") -> bool:  # type: ignore[assignment]
        """Adds or replaces a prefix. Raises ValueError."""
        prefix = _prefix(cidr)
        self._table.setdefault(prefix, Entry(prefix, data)).value = data
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

    def _find(self, key: str | bytes) -> Entry[V] | None:
        """Returns the longest match of an address or prefix."""
        key = self._address(key)
        try:
            return self._lookup(key)
        except ValueError:
            return longest(self._table, _prefix(key))

    def _address(self, key: str | bytes) -> str | bytes:
        """Converts a key to bytes in binary mode, otherwise to text."""
        if isinstance(key, bytes):
            return key if self._binary else key.decode("latin-1")
        if isinstance(key, str):
            return key.encode("latin-1") if self._binary else key
        raise TypeError(f"a key is str or bytes, not {type(key).__name__}")

    def __getitem__(self, key: str | bytes) -> V:
        try:
            entry = self._find(key)
        except ValueError:
            entry = None
        if entry is None:
            raise KeyError(key)
        return entry.value

    def __contains__(self, key: str | bytes) -> bool:
        try:
            return self._find(key) is not None
        except ValueError:
            if self._binary:
                raise
            return False

    def lookup(self, key: str | bytes) -> V | None:
        """Returns the object of the longest match, or None."""
        entry = self._find(key)
        return None if entry is None else entry.value

    def search_all(self, key: str | bytes) -> list[V]:
        """Returns the objects of all prefixes that contain the address, longest first."""
        routes = self._table.covering(_prefix(self._address(key)))
        return [entry.value for _, entry in reversed(routes)]

    def prefixes(self, ipv4_native: bool = False, with_len: bool = True) -> set[str]:
        """Returns all prefixes. Those of IPv4 are written as IPv4-mapped IPv6 unless `ipv4_native` is set."""
        write = text_of if with_len else lambda prefix: address_text(prefix[0])
        prefixes = (entry.prefix for entry in self._table.values())
        return {write(prefix if ipv4_native else _mapped(prefix)) for prefix in prefixes}

    def get_binary_lookup_mode(self) -> bool:
        return self._binary

    def set_binary_lookup_mode(self, binary_lookup_mode: bool = True) -> None:
        """Sets whether lookups take `str` or addresses of 4 or 16 bytes in network order."""
        self._binary = binary_lookup_mode


def _prefix(cidr: str | bytes) -> Packed:
    if not isinstance(cidr, (str, bytes)):
        raise TypeError(f"a prefix is str, not {type(cidr).__name__}")
    return _native(pack(cidr) if isinstance(cidr, str) else with_length(cidr))


def _native(prefix: Packed) -> Packed:
    """Converts an IPv4-mapped prefix to IPv4."""
    address, length = prefix
    return (address[12:], length - 96) if length >= 96 and address.startswith(_MAPPED) else prefix


def _mapped(prefix: Packed) -> Packed:
    address, length = prefix
    return (_MAPPED + address, length + 96) if len(address) == 4 else prefix
