"""One table and one column of addresses for all engines, and the answers of an oracle that uses ipaddress alone.

The table has missing cells; the column has both families, nulls, malformed texts, ports, brackets, zones and IPv4-mapped
addresses.
"""

from __future__ import annotations

import functools
import ipaddress
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from frame_rows import prefixes
from sizes import sized

import fingerpost

if TYPE_CHECKING:
    import polars as pl

Columns = dict[str, list[Any]]

TYPES: dict[str, type] = {"city": str, "asn": int, "lat": float, "anycast": bool}
WANTS = [*TYPES, "prefix", "length"]
NETWORKS = [ipaddress.ip_network(prefix) for prefix in prefixes(400)]
CELLS = [
    (
        ("Bonn", "São Paulo", "Llanfairpwllgwyngyll", None)[row % 4],
        None if row % 5 == 0 else row * 1_000_000_007 - 9,
        None if row % 7 == 0 else row / 8 - 3,
        None if row % 3 == 0 else row % 2 == 0,
    )
    for row in range(len(NETWORKS))
]
MALFORMED = (
    "",
    "bad",
    "10.0.0",
    "10.0.0.256",
    "1:2:3",
    "10.0.0.0/8",
    "10.0.0.1:x",
    "[2001:db8::1",
    "2001:db8::1%",
)


def addresses(count: int) -> list[str | None]:
    draw = random.Random(3)

    def one() -> str | None:
        kind = draw.randrange(20)
        if kind < 3:
            return None if kind == 0 else draw.choice(MALFORMED)
        if kind < 11:
            v4 = str(ipaddress.IPv4Address(draw.choice((10, 10, 10, 192)) << 24 | draw.getrandbits(24)))
            return {3: f"{v4}:443", 4: f"::ffff:{v4}", 5: f"[{v4}]"}.get(kind, v4)
        v6 = str(
            ipaddress.IPv6Address((0x20010DB8 << 96) + (draw.getrandbits(12) << 84) + draw.getrandbits(70))
        )
        return {11: f"[{v6}]:53", 12: f"{v6}%eth0", 13: f"[{v6}]"}.get(kind, v6)

    return [one() for _ in range(count)]


ROWS = addresses(sized(6000, 100_000))


def address_in(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Returns the address without brackets, a port or a zone; None for malformed text."""
    if text.startswith("["):
        text, bracket, port = text[1:].partition("]")
        if not bracket or (port and not port[1:].isdecimal()):
            return None
    elif text.count(":") == 1:
        text, _, port = text.partition(":")
        if not port.isdecimal():
            return None
    text, percent, zone = text.partition("%")
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return None if percent and not zone else getattr(address, "ipv4_mapped", None) or address


@functools.cache
def oracle() -> Columns:
    rows = {
        (network.version, int(network.network_address), network.prefixlen): at
        for at, network in enumerate(NETWORKS)
    }

    def match(text: str | None) -> int | None:
        address = None if text is None else address_in(text)
        if address is None:
            return None
        bits = address.max_prefixlen
        keys = (
            (address.version, int(address) >> bits - length << bits - length, length)
            for length in range(bits, -1, -1)
        )
        return next((rows[key] for key in keys if key in rows), None)

    found = [match(text) for text in ROWS]
    answers: Columns = {
        name: [None if row is None else CELLS[row][at] for row in found] for at, name in enumerate(TYPES)
    }
    answers["prefix"] = [None if row is None else str(NETWORKS[row]) for row in found]
    answers["length"] = [None if row is None else NETWORKS[row].prefixlen for row in found]
    return answers


@functools.cache
def shared_table() -> fingerpost.Table[Any]:
    return fingerpost.Table(zip(map(str, NETWORKS), CELLS), values=TYPES)


def assert_equal(answers: Columns, wants: Sequence[str] = WANTS) -> None:
    """Compares values and their types: True is not 1, and 1.0 is not 1."""
    expected = oracle()
    assert list(answers) == list(wants)
    for want in wants:
        for text, cell, right in zip(ROWS, answers[want], expected[want], strict=True):
            assert (type(cell), cell) == (type(right), right), (want, text)


def collect_streaming(frame: pl.LazyFrame) -> pl.DataFrame:
    collect: Callable[..., pl.DataFrame] = frame.collect
    try:
        return collect(engine="streaming")
    except (TypeError, ValueError):  # earlier versions
        return collect(streaming=True)
