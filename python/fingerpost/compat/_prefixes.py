"""Prefixes as the other packages read and write them, and the longest route that contains a prefix."""

from __future__ import annotations

import socket
from ipaddress import IPv4Network, IPv6Network
from typing import Generic, TypeAlias, TypeVar

from fingerpost._core import Table

V = TypeVar("V")

# Address of 4 or 16 bytes in network order, and the prefix length in bits.
Packed: TypeAlias = tuple[bytes, int]


class Entry(Generic[V]):
    """A route's prefix as it was first inserted, with its host bits, and its value. Tables whose values are entries find
    both in one lookup."""

    __slots__ = ("prefix", "value")

    def __init__(self, prefix: Packed, value: V) -> None:
        self.prefix = prefix
        self.value = value


def pack(text: str, length: int | None = None) -> Packed:
    """Reads `address` or `address/length`, or an address with a separate length. Raises ValueError."""
    address, slash, digits = text.partition("/")
    if slash:
        if length is not None:
            raise ValueError(f"{text!r}: two prefix lengths")
        if not (digits.isascii() and digits.isdigit()):
            raise ValueError(f"{text!r}: invalid prefix length")
        length = int(digits)
    try:
        packed = socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)
    except OSError:
        raise ValueError(f"{text!r}: invalid address") from None
    return with_length(packed, length)


def with_length(address: bytes, length: int | None = None) -> Packed:
    """Adds the length, by default that of a single address. Raises ValueError."""
    if len(address) not in (4, 16):
        raise ValueError(f"{address!r}: an address has 4 or 16 bytes")
    bits = 8 * len(address)
    if length is None:
        return address, bits
    if not 0 <= length <= bits:
        raise ValueError(f"prefix length {length} is not between 0 and {bits}")
    return address, length


def pack_network(network: IPv4Network | IPv6Network) -> Packed:
    return network.network_address.packed, network.prefixlen


def text_of(prefix: Packed) -> str:
    """Writes `address/length`. Host bits are kept."""
    return f"{address_text(prefix[0])}/{prefix[1]}"


def address_text(address: bytes) -> str:
    return socket.inet_ntop(socket.AF_INET if len(address) == 4 else socket.AF_INET6, address)


def masked(prefix: Packed) -> bytes:
    """Returns the address without host bits."""
    address, length = prefix
    host = 8 * len(address) - length
    return (int.from_bytes(address, "big") >> host << host).to_bytes(len(address), "big")


def longest(table: Table[V], prefix: Packed) -> V | None:
    """Returns the value of the longest route that contains the prefix."""
    match = table.match_prefix(prefix)
    return None if match is None else match[1]


def parent(table: Table[V], prefix: Packed) -> V | None:
    """Returns the value of the longest route that contains the prefix and is shorter."""
    address, length = prefix
    return longest(table, (address, length - 1)) if length else None
