"""IPv6 addresses that a MaxMind DB maps to its IPv4 networks, in every kind of query, compared with maxminddb."""

from __future__ import annotations

import ipaddress
import pickle
import random
from pathlib import Path
from typing import Any

import numpy
import pytest

import fingerpost
from fingerpost import Table

maxminddb = pytest.importorskip("maxminddb")
mmdb_writer = pytest.importorskip("mmdb_writer")
netaddr = pytest.importorskip("netaddr")
pa = pytest.importorskip("pyarrow")

BLOCKS = [ipaddress.IPv6Network(text) for text in ("2001::/32", "2002::/16", "64:ff9b::/96", "::ffff:0:0/96")]
NETWORKS = ["8.0.0.0/7", "9.1.0.0/16", "9.1.128.0/18", "192.0.2.0/25", "2400::/12", "2400:1::/32"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a MaxMind DB with these blocks."""
    made = mmdb_writer.MMDBWriter(6, "test", ipv4_compatible=True)
    for network in NETWORKS:
        made.insert_network(netaddr.IPSet([network]), {"name": network})

    def node_at(bits: str) -> Any:
        node = made.tree
        for bit in bits:
            node = node.get_or_create(int(bit))
        return node

    for block in BLOCKS:
        bits = f"{int(block.network_address):0128b}"[: block.prefixlen]
        node_at(bits[:-1])[int(bits[-1])] = node_at("0" * 96)
    file = tmp_path_factory.mktemp("aliases") / "t.mmdb"
    made.to_db_file(str(file))
    return file


@pytest.fixture(scope="module")
def addresses() -> list[ipaddress.IPv6Address]:
    """Returns addresses in all blocks, in ::/96 and outside."""
    dice = random.Random(1)
    inner = [int(ipaddress.IPv4Network(one)[at]) for one in NETWORKS if "." in one for at in (0, 1, -1)]
    inner += [one ^ 1 << dice.randrange(32) for one in inner]
    bases = [*BLOCKS, ipaddress.IPv6Network("::/96"), ipaddress.IPv6Network("2400::/32")]
    return [
        ipaddress.IPv6Address(
            int(base.network_address) | value << (96 - base.prefixlen) | dice.getrandbits(96 - base.prefixlen)
        )
        for value in inner
        for base in bases
    ]


def listed(answer: Any) -> list[Any]:
    return list(answer if isinstance(answer, list) else answer.tolist())


def found_by_maxminddb(path: Path, addresses: list[ipaddress.IPv6Address]) -> list[str | None]:
    with maxminddb.open_database(path) as base:
        records = [base.get(one) for one in addresses]
    return [record["name"] if record else None for record in records]


def test_every_way_to_ask(path: Path, addresses: list[ipaddress.IPv6Address]) -> None:
    right = found_by_maxminddb(path, addresses)
    assert len([one for one in right if one is not None]) > 100
    table = Table.from_file(path, columns="name")
    listed_too = Table.from_file(path, columns="name", aliases=True)
    assert len(listed_too) > 2 * len(table)
    assert [listed_too.lookup(one) for one in addresses] == right
    # No network is listed twice.
    assert all("." in prefix or prefix.startswith("24") for prefix in table)
    packed = b"".join(one.packed for one in addresses)
    for twin in (table, table.copy(), pickle.loads(pickle.dumps(table))):
        assert [twin.lookup(one) for one in addresses] == right
        matches = [twin.match(one) for one in addresses]
        assert [match and match[1] for match in matches] == right
        assert [(twin.all_matches(one) or [None])[-1] for one in addresses] == matches
        for column in (
            addresses,
            pa.array([str(one) for one in addresses]),
            numpy.frombuffer(packed, numpy.uint8).reshape(-1, 16),
            numpy.frombuffer(packed, ">u8").reshape(-1, 2),
        ):
            assert listed(twin.lookup_many(column)) == right
            assert listed(twin.lookup_many(column, "prefix")) == [match and match[0] for match in matches]


def test_an_image_has_no_aliases(path: Path, tmp_path: Path) -> None:
    image = tmp_path / "image"
    Table.from_file(path).save(image)
    saved = fingerpost.open(image)
    assert saved.lookup("2002:801:203::") is None
    assert saved.lookup("::ffff:8.1.2.3") == saved.lookup("8.1.2.3") == "8.0.0.0/7"
