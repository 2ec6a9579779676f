"""Tables and columns of addresses, including nulls and invalid texts, for the tests of frames and SQL."""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Sequence
from typing import TypeVar

import fingerpost

V = TypeVar("V")
COLUMNS = ("country", "asn")
_BAD = ("", "bad", "10.0.0", "10.0.0.256", "1:2:3", "2001:db8::1%eth0", "10.0.0.0/8", " 10.0.0.1")


def prefixes(count: int, seed: int = 1) -> list[str]:
    """Returns distinct prefixes of both families, many of them nested."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        if rng.random() < 0.5:
            length = rng.choice((8, 12, 16, 20, 24, 32))
            number = (10 << 24) + rng.getrandbits(24)
            found[str(ipaddress.ip_network((number >> (32 - length) << (32 - length), length)))] = None
        else:
            length = rng.choice((24, 32, 40, 48, 64, 128))
            number = (0x20010DB8 << 96) + (rng.getrandbits(12) << 84) + rng.getrandbits(70)
            v6 = ipaddress.IPv6Network((number >> (128 - length) << (128 - length), length))
            found[str(v6)] = None
    return list(found)


def int_table(count: int = 300) -> fingerpost.Table[int]:
    return fingerpost.Table(((prefix, row) for row, prefix in enumerate(prefixes(count))), values=int)


def row_table(count: int = 300) -> fingerpost.Table[str | dict[str, str]]:
    routes = ((prefix, (f"C{row % 7}", str(row))) for row, prefix in enumerate(prefixes(count)))
    return fingerpost.Table(routes, values=COLUMNS)


def texts(count: int, seed: int = 2) -> list[str | None]:
    """Returns addresses as text: most are within the prefixes above, 1/10 are null, 1/10 invalid."""
    rng = random.Random(seed)
    rows: list[str | None] = []
    for _ in range(count):
        kind = rng.random()
        if kind < 0.1:
            rows.append(None)
        elif kind < 0.2:
            rows.append(rng.choice(_BAD))
        elif kind < 0.6:
            rows.append(str(ipaddress.IPv4Address(rng.choice((10, 10, 10, 192)) << 24 | rng.getrandbits(24))))
        else:
            number = (0x20010DB8 << 96) + (rng.getrandbits(12) << 84) + rng.getrandbits(70)
            rows.append(str(ipaddress.IPv6Address(number)))
    return rows


def match(table: fingerpost.Table[V], row: str | None) -> tuple[str, V] | None:
    """Returns the result of a single lookup of the row: prefix and value, or None for null, bad and unmatched rows."""
    if row is None:
        return None
    try:
        return table.match(row)
    except ValueError:
        return None


def expected(table: fingerpost.Table[V], rows: Sequence[str | None], want: str) -> list[object]:
    """Returns the expected answer for a column, row by row."""
    found = [match(table, row) for row in rows]
    if want == "value":
        return [None if one is None else one[1] for one in found]
    if want == "prefix":
        return [None if one is None else one[0] for one in found]
    if want == "length":
        return [None if one is None else int(one[0].split("/")[1]) for one in found]
    cells = [None if one is None else one[1] for one in found]
    return [cell[want] if isinstance(cell, dict) else None for cell in cells]
