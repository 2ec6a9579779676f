"""Tables and arrays of addresses that the tests share."""

from __future__ import annotations

import ipaddress
import random
from typing import Any

import numpy as np

import fingerpost

ROUTES: dict[str, int] = {
    "0.0.0.0/1": 3,
    "10.0.0.0/8": 1,
    "10.1.0.0/16": 2,
    "10.1.2.0/24": 0,
    "10.1.2.3/32": 4,
    "192.0.2.0/25": 2**32 - 2,
    "2001:db8::/32": 7,
    "2001:db8:1::/48": 8,
    "2001:db8:1::7/128": 9,
    "fe80::/10": 7,
}
TYPES: dict[str, type] = {"asn": int, "city": str, "load": float, "far": bool}
NONE = 2**32 - 1

Array = np.ndarray[Any, np.dtype[Any]]


def integers() -> fingerpost.Table[int]:
    return fingerpost.Table(ROUTES, values=int)


def rows() -> fingerpost.Table[Any]:
    """A table of columns of all types, some of whose cells are missing."""
    table: fingerpost.Table[Any] = fingerpost.Table(values=TYPES)
    for place, prefix in enumerate(ROUTES):
        cells = (2**40 + place, f"city {place % 3} é", place / 8, place % 2 == 0)
        table[prefix] = [None if (place + column) % 5 == 4 else cell for column, cell in enumerate(cells)]
    return table


def addresses(family: int, count: int, seed: int = 1) -> Array:
    """Returns addresses as numbers of uint32, or as rows of two uint64: around the ends of the routes, and random ones."""
    rng = random.Random(seed)
    bits = 32 if family == 4 else 128
    networks = [network for network in map(ipaddress.ip_network, ROUTES) if network.version == family]
    numbers = []
    for _ in range(count):
        network = rng.choice(networks)
        first, last = int(network.network_address), int(network.broadcast_address)
        number = rng.choice(
            [first - 1, first, rng.randint(first, last), last, last + 1, rng.getrandbits(bits)]
        )
        numbers.append(number % (1 << bits))
    if family == 4:
        return np.array(numbers, np.uint32)
    halves = [(number >> 64, number % 2**64) for number in numbers]
    return np.array(halves, np.uint64).reshape(-1, 2)


def network_order(halves: Array) -> Array:
    return np.ascontiguousarray(halves.astype(">u8")).view(np.uint8).reshape(-1, 16)


def structure(halves: Array) -> Array:
    return np.ascontiguousarray(halves).view([("high", np.uint64), ("low", np.uint64)]).reshape(-1)


def expected(table: fingerpost.Table[Any], rows_of_addresses: Array) -> Array:
    """Returns the numbers that a lookup on a device must return.

    table: an image, or a table of integers. Routes of an image must use all rows.
    """
    numbers: Any = table.lookup_many(rows_of_addresses, "index")
    first = 0
    if table.value_kind == "rows" and rows_of_addresses.ndim == 2:
        # The lowest number of an IPv6 route is that of its first row.
        networks = [prefix for prefix in table if ":" in prefix]
        first = min(
            (number or 0 for number in table.lookup_many(networks, "index", prefixes=True)), default=0
        )
    return np.where(numbers < 0, NONE, numbers - first).astype(np.uint32)
