"""Tables and rows that the tests of lookup_many share, and the expected answers row by row."""

from __future__ import annotations

import functools
import ipaddress
import random

import fingerpost

ROUTES: dict[str, int] = {
    "10.0.0.0/8": 1,
    "10.1.0.0/16": 2,
    "10.1.2.0/24": 0,
    "10.1.2.3/32": 4,
    "192.0.2.0/25": 2**32 - 2,
    "128.0.0.0/1": 6,
    "2001:db8::/32": 7,
    "2001:db8:1::/48": 8,
    "2001:db8:1::7/128": 9,
    "fe80::/10": 7,
    "64:ff9b::/96": 11,
}
BAD = [
    "",
    "x",
    "10.1.2",
    "10.1.2.3.4",
    "10.1.2.256",
    "1::2::3",
    "2001:db8:::",
    " 10.1.2.3",
    "10.1.2.3/32",
    "ü",
]

NETWORKS = [ipaddress.ip_network(prefix) for prefix in ROUTES]


def integers() -> fingerpost.Table[int]:
    return fingerpost.Table(ROUTES, values=int)


def texts() -> fingerpost.Table[object]:
    return fingerpost.Table({where: f"hop {hop} é" for where, hop in ROUTES.items()})


def rows_of_two_columns() -> fingerpost.Table[str | dict[str, str]]:
    return fingerpost.Table(
        {where: (f"AS{hop}", "CH" * (hop % 3)) for where, hop in ROUTES.items()}, values=["asn", "country"]
    )


def address(rng: random.Random, family: int) -> str:
    """An address in or next to one of the routes of its family, or anywhere."""
    bits = 32 if family == 4 else 128
    network = rng.choice([one for one in NETWORKS if one.version == family])
    number = rng.choice(
        [
            int(network.network_address) + rng.getrandbits(bits - network.prefixlen),
            int(network.network_address) - 1,
            int(network.broadcast_address) + 1,
            rng.getrandbits(bits),
        ]
    ) % (1 << bits)
    return str(ipaddress.IPv4Address(number) if family == 4 else ipaddress.IPv6Address(number))


def sample(
    count: int, seed: int, *, family: int | None = None, nulls: float = 0.0, bad: float = 0.0
) -> list[str | None]:
    """Returns addresses as text, of both families unless one is given."""
    rng = random.Random(seed)
    rows: list[str | None] = []
    for _ in range(count):
        what = rng.random()
        if what < nulls:
            rows.append(None)
        elif what < nulls + bad:
            rows.append(rng.choice(BAD))
        else:
            rows.append(address(rng, family or rng.choice([4, 6])))
    return rows


@functools.cache
def is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def one_by_one(table: fingerpost.Table[object], rows: list[str | None], want: str = "value") -> list[object]:
    """Returns the answers of lookup() and match() for each row; None for null and invalid rows."""
    answers: list[object] = []
    for row in rows:
        found = table.match(row) if row is not None and is_address(row) else None
        if found is None:
            answers.append(None)
        elif want == "value":
            assert row is not None
            assert table.lookup(row) == found[1]
            answers.append(found[1])
        elif want == "prefix":
            answers.append(found[0])
        elif want == "length":
            answers.append(int(found[0].split("/")[1]))
        else:
            assert isinstance(found[1], dict)
            answers.append(found[1][want])
    return answers


def packed(rows: list[str | None]) -> list[bytes | None]:
    return [None if row is None else ipaddress.ip_address(row).packed for row in rows]


def numbers(rows: list[str | None]) -> list[int]:
    return [int(ipaddress.ip_address(row)) for row in rows if row is not None]
