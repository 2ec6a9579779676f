"""Random operations on a Table and on a slow model, a dictionary of ipaddress objects, give the same answers."""

from __future__ import annotations

import copy
import ipaddress
import pickle
from collections.abc import Callable
from typing import ClassVar, TypeAlias

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from schemes import built
from sizes import sized

from fingerpost import Table

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


def network_of(bits: int, value: int, length: int) -> Network:
    """Returns a network from the first `length` bits of a number."""
    kind = ipaddress.IPv4Network if bits == 32 else ipaddress.IPv6Network
    return kind((value >> (bits - length) << (bits - length), length))


# Only few bits are ever set, so that prefixes meet and nest.
def networks_of(bits: int) -> st.SearchStrategy[Network]:
    few = st.integers(0, 15)
    values = st.builds(lambda top, low: top << (bits - 4) | low, few, st.sampled_from([0, 1, 255, 1 << 7]))
    lengths = st.one_of(st.integers(0, 5), st.integers(bits - 9, bits), st.integers(0, bits))
    return st.builds(lambda value, length: network_of(bits, value, length), values, lengths)


def addresses_of(bits: int) -> st.SearchStrategy[Address]:
    kind = ipaddress.IPv4Address if bits == 32 else ipaddress.IPv6Address
    few = st.builds(lambda top, low: top << (bits - 4) | low, st.integers(0, 15), st.integers(0, 300))
    return st.one_of(few, st.integers(0, 2**bits - 1)).map(kind)


networks = st.one_of(networks_of(32), networks_of(128))
addresses = st.one_of(addresses_of(32), addresses_of(128))
prefix_forms: list[Callable[[Network], object]] = [
    str,
    lambda n: n,
    lambda n: (str(n.network_address), n.prefixlen),
    lambda n: (n.network_address.packed, n.prefixlen),
    lambda n: (int(n.network_address), n.prefixlen, n.version),
]
address_forms: list[Callable[[Address], tuple[object, dict[str, int]]]] = [
    lambda a: (str(a), {}),
    lambda a: (a, {}),
    lambda a: (a.packed, {}),
    lambda a: (int(a), {"family": a.version}),
]


def order(network: Network) -> tuple[int, int, int]:
    return network.version, int(network.network_address), network.prefixlen


class Model:
    """Returns a Table with the same routes."""

    def __init__(self, routes: dict[Network, object]) -> None:
        self.routes = routes

    def items(self) -> list[tuple[str, object]]:
        return [(str(n), self.routes[n]) for n in sorted(self.routes, key=order)]

    def all_matches(self, address: Address) -> list[tuple[str, object]]:
        found = [n for n in self.routes if n.version == address.version and address in n]
        return [(str(n), self.routes[n]) for n in sorted(found, key=order)]

    def covering(self, inner: Network) -> list[tuple[str, object]]:
        found = [n for n in self.routes if n.version == inner.version and inner.subnet_of(n)]
        return [(str(n), self.routes[n]) for n in sorted(found, key=order)]

    def covered(self, outer: Network) -> list[tuple[str, object]]:
        found = [n for n in self.routes if n.version == outer.version and n.subnet_of(outer)]
        return [(str(n), self.routes[n]) for n in sorted(found, key=order)]

    def children(self, outer: Network) -> list[tuple[str, object]]:
        inside = [n for n in self.routes if n != outer and n.version == outer.version and n.subnet_of(outer)]
        direct = [n for n in inside if not any(n != other and n.subnet_of(other) for other in inside)]
        return [(str(n), self.routes[n]) for n in sorted(direct, key=order)]


class TableMachine(RuleBasedStateMachine):
    """Runs random operations on a table with one kind of values."""

    values: st.SearchStrategy[object] = st.none()
    options: ClassVar[dict[str, object]] = {}

    @initialize(
        scheme=st.sampled_from([None, *built("patricia", "planb")]),
        routes=st.dictionaries(networks, st.integers(0, 5), max_size=8),
        data=st.data(),
    )
    def start(self, scheme: str | None, routes: dict[Network, object], data: st.DataObject) -> None:
        routes = {network: data.draw(self.values) for network in routes}
        self.model = Model(dict(routes))
        self.table = Table(routes, scheme=scheme, **self.options)

    @rule(network=networks, form=st.sampled_from(prefix_forms), data=st.data())
    def set_one(self, network: Network, form: Callable[[Network], object], data: st.DataObject) -> None:
        value = data.draw(self.values)
        self.table[form(network)] = value
        self.model.routes[network] = value

    @rule(network=networks, form=st.sampled_from(prefix_forms))
    def remove(self, network: Network, form: Callable[[Network], object]) -> None:
        if network not in self.model.routes:
            with pytest.raises(KeyError):
                del self.table[form(network)]
        else:
            del self.model.routes[network]
            del self.table[form(network)]

    @rule(data=st.data(), whole=st.booleans())
    def remove_known(self, data: st.DataObject, whole: bool) -> None:
        if not self.model.routes:
            with pytest.raises(KeyError):
                self.table.popitem()
            return
        if whole:
            first = min(self.model.routes, key=order)
            assert self.table.popitem() == (str(first), self.model.routes.pop(first))
            return
        network = data.draw(st.sampled_from(sorted(self.model.routes, key=order)))
        assert self.table.pop(network) == self.model.routes.pop(network)

    @rule(many=st.lists(networks, max_size=100), data=st.data(), whole=st.booleans())
    def update(self, many: list[Network], data: st.DataObject, whole: bool) -> None:
        pairs = [(network, data.draw(self.values)) for network in many]
        if whole:
            self.model.routes.clear()
            self.table.replace_all(pairs)
        else:
            self.table.update(pairs)
        self.model.routes.update(pairs)

    @rule(network=networks, data=st.data())
    def set_default(self, network: Network, data: st.DataObject) -> None:
        value = data.draw(self.values)
        expected = self.model.routes.setdefault(network, value)
        assert self.table.setdefault(network, value) == expected

    @rule(how=st.sampled_from(["copy", "deepcopy", "pickle", "rebuild"]))
    def copy(self, how: str) -> None:
        before = self.table
        if how == "copy":
            self.table = before.copy()
        elif how == "deepcopy":
            self.table = copy.deepcopy(before)
        elif how == "pickle":
            self.table = pickle.loads(pickle.dumps(before))
        else:
            self.table = Table(before, **self.options)
        assert self.table == before
        # Changes to the first table do not affect the copy.
        before.clear()
        assert len(before) == 0

    @rule(
        many=st.dictionaries(networks, st.none(), max_size=5),
        data=st.data(),
        how=st.sampled_from(["or", "ror", "ior"]),
    )
    def unite(self, many: dict[Network, object], data: st.DataObject, how: str) -> None:
        other = {network: data.draw(self.values) for network in many}
        before = self.model.items()
        if how == "ior":
            same = self.table
            self.table |= other
            assert self.table is same
            self.model.routes |= other
        else:
            table = self.table
            self.table = table | other if how == "or" else other | table
            assert list(table.items()) == before
            self.model.routes = self.model.routes | other if how == "or" else other | self.model.routes

    @rule()
    def clear(self) -> None:
        self.table.clear()
        self.model.routes.clear()

    @rule(address=addresses, form=st.sampled_from(address_forms))
    def look_up(self, address: Address, form: Callable[[Address], tuple[object, dict[str, int]]]) -> None:
        given, named = form(address)
        expected = self.model.all_matches(address)
        assert self.table.all_matches(given, **named) == expected
        assert self.table.match(given, **named) == (expected[-1] if expected else None)
        assert self.table.lookup(given, "none", **named) == (expected[-1][1] if expected else "none")

    @rule(network=networks, form=st.sampled_from(prefix_forms))
    def ask(self, network: Network, form: Callable[[Network], object]) -> None:
        key = form(network)
        assert (key in self.table) == (network in self.model.routes)
        assert self.table.get(key, "none") == self.model.routes.get(network, "none")
        assert self.table.covering(key) == self.model.covering(network)
        assert self.table.covered(key) == self.model.covered(network)
        covers = self.model.covering(network)
        assert self.table.match_prefix(key) == (covers[-1] if covers else None)
        shorter = [cover for cover in covers if cover[0] != str(network)]
        assert self.table.parent(key) == (shorter[-1] if shorter else None)
        assert self.table.children(key) == self.model.children(network)

    @rule(many=st.lists(networks, max_size=20), want=st.sampled_from(["value", "prefix", "length"]))
    def ask_many(self, many: list[Network], want: str) -> None:
        covers = [(self.model.covering(network) or [None])[-1] for network in many]
        answers = {
            "value": [cover and cover[1] for cover in covers],
            "prefix": [cover and cover[0] for cover in covers],
            "length": [cover and int(cover[0].rpartition("/")[2]) for cover in covers],
        }
        forms: list[list[object]] = [[str(n) for n in many], list(many)]
        for rows in forms:
            assert self.table.lookup_many(rows, want, prefixes=True) == answers[want]

    @invariant()
    def has_the_same_routes(self) -> None:
        found = list(self.table.items())
        assert found == self.model.items()
        assert [type(value) for _, value in found] == [type(value) for _, value in self.model.items()]
        assert len(self.table) == len(self.model.routes)
        assert list(reversed(self.table)) == [prefix for prefix, _ in reversed(found)]
        assert list(reversed(self.table.items())) == list(reversed(found))

    @invariant()
    def answers_at_the_edges(self) -> None:
        for network in list(self.model.routes)[:4]:
            for address in (network.network_address, network.broadcast_address):
                # The last address of ::/80 corresponds to 255.255.255.255, which IPv4 routes answer first.
                mapped = getattr(address, "ipv4_mapped", None)
                matches = (mapped and self.model.all_matches(mapped)) or self.model.all_matches(address)
                assert self.table.lookup(address) == matches[-1][1]


class ObjectMachine(TableMachine):
    """Objects that share slots, and objects that do not."""

    # Equal values are distinguished by their types: 1, True and 1.0.
    values = st.one_of(st.integers(0, 3), st.sampled_from(["a", "b", b"a", True, 1.0, ("a",), None]))


class IntegerMachine(TableMachine):
    """Integers that are stored as next hops."""

    values = st.one_of(st.integers(0, 3), st.integers(0, 2**32 - 2))
    options: ClassVar[dict[str, object]] = {"values": int}


class RowMachine(TableMachine):
    """Rows of two columns."""

    values = st.fixed_dictionaries({"a": st.sampled_from(["", "x", "ü"]), "b": st.text(max_size=2)})
    options: ClassVar[dict[str, object]] = {"values": ["a", "b"]}


TestObjects = ObjectMachine.TestCase
TestIntegers = IntegerMachine.TestCase
TestRows = RowMachine.TestCase
for case in (TestObjects, TestIntegers, TestRows):
    case.settings = settings(max_examples=sized(20, 60), stateful_step_count=30, deadline=None)
del case
