"""Compares random operations on the modules of fingerpost.compat with the same operations on the packages they replace."""

from __future__ import annotations

import ipaddress
import random
import sys
from collections.abc import Callable
from operator import delitem, methodcaller
from pathlib import Path
from typing import Any, TypeAlias

import maxminddb
import pyasn
import pytest
import pytricia
import radix
from sdists import installed, unpacked
from sizes import sized

import fingerpost.compat.maxminddb
import fingerpost.compat.pyasn
import fingerpost.compat.pytricia
import fingerpost.compat.radix
import fingerpost.compat.subnettree

# An operation on a tree, and a function that draws one.
Operation: TypeAlias = Callable[[Any], object]
Drawn: TypeAlias = Callable[[random.Random], Operation]

OPERATIONS = sized(3000, 10000)
ORIGIN = {4: 10 << 24, 6: 0x20010DB8 << 96}
BITS = {4: 32, 6: 128}


def address(draw: random.Random, version: int) -> str:
    """Draws one of few addresses, which share many prefixes."""
    bits = BITS[version]
    number = ORIGIN[version] | sum(1 << draw.randrange(bits - 8 if version == 4 else 90) for _ in range(3))
    return str(ipaddress.IPv4Address(number) if version == 4 else ipaddress.IPv6Address(number))


def prefix(draw: random.Random, version: int) -> str:
    """Draws a prefix, with or without host bits."""
    length = draw.randint(0 if version == 4 else 20, BITS[version])
    text = f"{address(draw, version)}/{length}"
    return text if draw.random() < 0.3 else str(ipaddress.ip_network(text, strict=False))


def key(draw: random.Random, version: int) -> str:
    return draw.choice((address, prefix))(draw, version)


def outcome(operation: Operation, tree: object) -> object:
    """Returns the result, or the type of the exception."""
    try:
        return operation(tree)
    except Exception as error:  # noqa: BLE001
        return type(error).__name__


def compare(
    ours: object,
    theirs: object,
    operations: list[Drawn],
    seed: int,
) -> None:
    draw = random.Random(seed)
    answers = set()
    for number in range(OPERATIONS):
        choice = draw.randrange(len(operations))
        operation = operations[choice](draw)
        answer = outcome(operation, ours)
        assert answer == outcome(operation, theirs), (number, choice, operation)
        answers.add((choice, bool(answer)))
    assert len(answers) > 1.3 * len(operations)


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("raw", [False, True])
def test_pytricia(version: int, raw: bool) -> None:
    def call(method: str) -> Drawn:
        return lambda draw: methodcaller(method, key(draw, version))

    def insert(draw: random.Random) -> Operation:
        return methodcaller(draw.choice(("insert", "__setitem__")), prefix(draw, version), draw.random())

    def insert_parts(draw: random.Random) -> Operation:
        length = draw.randint(8, BITS[version])
        return methodcaller("insert", address(draw, version), length, draw.random())

    def as_object(draw: random.Random) -> Operation:
        where: Any = ipaddress.ip_interface(prefix(draw, version))
        form = draw.choice(
            (where.ip, where.network, where.ip.packed, (where.ip.packed, where.network.prefixlen))
        )
        return methodcaller("get", form, "nothing")

    names = [
        "get",
        "get_key",
        "has_key",
        "parent",
        "children",
        "delete",
        "__getitem__",
        "__contains__",
        "__delitem__",
    ]
    rest = [lambda draw: lambda tree: (tree.keys(), list(tree), len(tree))]
    family = 2 if version == 4 else 10
    compare(
        fingerpost.compat.pytricia.PyTricia(BITS[version], family, raw),
        pytricia.PyTricia(BITS[version], family, raw),
        [insert, insert_parts, insert, as_object, *map(call, names), *rest],
        seed=version,
    )


@pytest.mark.parametrize("version", [4, 6])
def test_radix(version: int) -> None:
    def shown(result: Any) -> object:
        if isinstance(result, list):
            return [shown(node) for node in result]
        return result and (
            result.prefix,
            result.network,
            result.prefixlen,
            result.family,
            result.packed,
            result.data,
        )

    def call(method: str) -> Drawn:
        def drawn(draw: random.Random) -> Operation:
            where: Any = ipaddress.ip_interface(key(draw, version))
            length = where.network.prefixlen
            form: dict[str, Any] = draw.choice(
                (
                    {"network": str(where)},
                    {"network": str(where.ip), "masklen": length},
                    {"packed": where.network.network_address.packed, "masklen": length},
                    {"network": str(where.ip)},
                    {"packed": where.ip.packed},
                )
            )
            return lambda tree: shown(getattr(tree, method)(**form))

        return drawn

    def covered(draw: random.Random) -> Operation:
        where = prefix(draw, version)
        return lambda tree: sorted(node.prefix for node in tree.search_covered(where))

    def parent(draw: random.Random) -> Operation:
        where = prefix(draw, version)
        return lambda tree: shown(tree.add(where).parent)

    def add(draw: random.Random) -> Operation:
        where, value = prefix(draw, version), draw.random()
        return lambda tree: tree.add(where).data.update(value=value)

    names = ["add", "delete", "search_exact", "search_best", "search_worst", "search_covering"]
    compare(
        fingerpost.compat.radix.Radix(),
        radix.Radix(),
        [add, add, covered, parent, lambda draw: lambda tree: tree.prefixes(), *map(call, names)],
        seed=version,
    )


def test_subnettree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(installed("pysubnettree-0.38.1")))
    import SubnetTree

    def version(draw: random.Random) -> int:
        return draw.choice((4, 6))

    def insert(draw: random.Random) -> Operation:
        data = draw.choice(((), (draw.random(),)))
        return methodcaller("insert", prefix(draw, version(draw)), *data)

    def remove(draw: random.Random) -> Operation:
        where = prefix(draw, version(draw))
        return lambda tree: delitem(tree, where)

    def call(method: str) -> Drawn:
        return lambda draw: methodcaller(method, address(draw, version(draw)))

    def binary(draw: random.Random) -> Operation:
        packed = ipaddress.ip_address(address(draw, version(draw))).packed

        def run(tree: Any) -> object:
            tree.set_binary_lookup_mode(True)
            answer = outcome(lambda tree: (packed in tree, tree.search_all(packed), tree[packed]), tree)
            tree.set_binary_lookup_mode(False)
            return answer

        return run

    def prefixes(draw: random.Random) -> Operation:
        return methodcaller("prefixes", draw.random() < 0.5, draw.random() < 0.5)

    names = ["__getitem__", "__contains__", "search_all"]
    compare(
        fingerpost.compat.subnettree.SubnetTree(),
        SubnetTree.SubnetTree(),
        [insert, insert, remove, binary, prefixes, *map(call, names)],
        seed=3,
    )
    sys.modules.pop("SubnetTree")


def test_pyasn() -> None:
    draw = random.Random(4)
    routes = {}
    for _ in range(sized(400, 4000)):
        network = ipaddress.ip_network(prefix(draw, draw.choice((4, 6))), strict=False)
        # pyasn refuses a default route.
        if network.prefixlen:
            routes[network] = draw.randrange(1, 60)
    text = "; IP-ASN32-DAT file\n\n" + "".join(f"{network}\t{asn}\n" for network, asn in routes.items())
    ours, theirs = (
        fingerpost.compat.pyasn.pyasn(None, ipasn_string=text),
        pyasn.pyasn(None, ipasn_string=text),
    )
    found = 0
    for _ in range(OPERATIONS):
        where = address(draw, draw.choice((4, 6)))
        assert ours.lookup(where) == theirs.lookup(where)
        found += ours.lookup(where) != (None, None)
    assert 0 < found
    for asn in range(62):
        assert ours.get_as_prefixes(asn) == theirs.get_as_prefixes(str(asn))
    for bad in ("10.0.0.999", "x", ""):
        lookup = methodcaller("lookup", bad)
        assert outcome(lookup, ours) == outcome(lookup, theirs) == "ValueError"
    for number in (0, 1, 65535, 65536, 4294967295):
        asdot = ours.convert_32bit_to_asdot_asn_format(number)
        assert asdot == theirs.convert_32bit_to_asdot_asn_format(number)
        assert ours.convert_asdot_to_32bit_asn(asdot) == number


def test_sizes_of_pyasn() -> None:
    text = "10.0.0.0/8\t1\n10.1.0.0/16\t1\n11.0.0.0/8\t1\n10.2.0.0/16\t2\n"
    ours, theirs = (
        fingerpost.compat.pyasn.pyasn(None, ipasn_string=text),
        pyasn.pyasn(None, ipasn_string=text),
    )
    for asn in (1, 2, 3):
        assert ours.get_as_size(asn) == theirs.get_as_size(asn)
        assert ours.get_as_prefixes_effective(asn) == theirs.get_as_prefixes_effective(asn)


def without_empty(record: Any) -> Any:
    """Removes empty members, which columns do not have."""
    if isinstance(record, dict):
        members = {name: without_empty(member) for name, member in record.items()}
        return {name: member for name, member in members.items() if member not in ({}, [])}
    return [without_empty(member) for member in record] if isinstance(record, list) else record


def test_maxminddb(tmp_path: Path) -> None:
    folder = unpacked("maxminddb-3.2.0", tmp_path) / "tests/data/test-data"
    records = 0
    for path in sorted(
        [*folder.glob("Geo*-Test.mmdb"), *folder.glob("*mixed*.mmdb"), *folder.glob("*nested*.mmdb")]
    ):
        ours, theirs = fingerpost.compat.maxminddb.open_database(path), maxminddb.open_database(path)
        assert vars(ours.metadata()) == {
            name: getattr(theirs.metadata(), name) for name in vars(ours.metadata())
        }
        for (network, record), (their_network, their_record) in zip(ours, theirs, strict=True):
            assert (network, record) == (their_network, without_empty(their_record)), path
            where = network[0] if network.version == 4 else str(network[-1])
            assert ours.get(where) == record
            assert ours.get_with_prefix_len(where) == (record, network.prefixlen)
            records += 1
        for number in range(1, 224):
            miss = f"{number}.200.0.1"
            assert ours.get_with_prefix_len(miss)[1] <= theirs.get_with_prefix_len(miss)[1]
    assert records > 5000
