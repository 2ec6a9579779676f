"""The tree of prefixes, unions, reverse iteration, and frozen tables."""

from __future__ import annotations

import copy
import functools
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

import pytest

import fingerpost
from fingerpost import Table

ROUTES = {"10.0.0.0/8": 1, "10.1.0.0/16": 2, "10.1.2.0/24": 3, "192.0.2.0/24": 4, "2001:db8::/32": 6}


@pytest.fixture(params=["live", "image"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Table[int]:
    made = Table(ROUTES, values=int)
    if request.param == "live":
        return made
    made.save(tmp_path / "table.image")
    opened: Table[int] = fingerpost.open(tmp_path / "table.image")
    return opened


def test_the_tree_of_prefixes(table: Table[int]) -> None:
    assert table.match_prefix("10.1.2.0/24") == ("10.1.2.0/24", 3)
    assert table.match_prefix("10.1.2.0/23") == ("10.1.0.0/16", 2)
    assert table.match_prefix("10.1.2.3") == ("10.1.2.0/24", 3)
    assert table.match_prefix("8.0.0.0/6") is None
    assert table.parent("10.1.2.0/24") == ("10.1.0.0/16", 2)
    assert table.parent("10.1.2.3") == ("10.1.2.0/24", 3)
    assert table.parent("10.0.0.0/8") is None
    assert table.children("10.0.0.0/8") == [("10.1.0.0/16", 2)]
    assert table.children("0.0.0.0/0") == [("10.0.0.0/8", 1), ("192.0.2.0/24", 4)]
    assert table.children("::/0") == [("2001:db8::/32", 6)]
    assert table.children("10.1.2.0/24") == []
    for method in (table.match_prefix, table.parent, table.children):
        with pytest.raises(ValueError, match="an octet is larger than 255"):
            method("10.300.0.0/16")
        with pytest.raises(TypeError, match="a prefix is str"):
            method(5)  # type: ignore[arg-type]


def test_a_mapped_prefix_is_an_ipv6_prefix() -> None:
    table = Table({"10.0.0.0/8": "four", "::ffff:10.1.0.0/112": "six"})
    assert table.match("::ffff:10.2.0.1") == ("10.0.0.0/8", "four")
    assert table.match_prefix("::ffff:10.2.0.1") is None
    assert table.match_prefix("::ffff:10.1.0.1") == ("::ffff:10.1.0.0/112", "six")
    assert table.lookup_many(["::ffff:10.2.0.1", "10.1.0.0/16"], prefixes=True) == [None, "four"]


def test_reversed(table: Table[int]) -> None:
    assert list(reversed(table)) == list(reversed(ROUTES))
    assert list(reversed(table.keys())) == list(reversed(ROUTES.keys()))
    assert list(reversed(table.values())) == list(reversed(ROUTES.values()))
    assert list(reversed(table.items())) == list(reversed(ROUTES.items()))
    assert list(reversed(Table())) == []
    backwards = iter(reversed(table))
    assert next(backwards) == "2001:db8::/32"
    assert backwards.__length_hint__() == len(ROUTES) - 1  # type: ignore[attr-defined]


def test_unions_are_those_of_dict(table: Table[int]) -> None:
    more = {"10.0.0.0/8": 9, "::/0": 8}
    for other in (more, MappingProxyType(more), Table(more, values=int)):
        both = table | other
        assert both == ROUTES | more and both.value_kind == "int"
        assert other | table == more | ROUTES
    assert table == ROUTES
    assert type({} | table) is Table
    if table.frozen:
        with pytest.raises(TypeError, match="is a mapped image"):
            table |= more
        return
    same = table
    table |= more
    table |= [("11.0.0.0/8", 7)]
    table |= table
    assert table is same
    assert table == ROUTES | more | {"11.0.0.0/8": 7}


@pytest.mark.parametrize("other", [5, None, [("10.0.0.0/8", 1)], "10.0.0.0/8"])
def test_unions_refuse_other_objects(other: object) -> None:
    table = Table(ROUTES, values=int)
    with pytest.raises(TypeError, match="unsupported operand"):
        table | other  # type: ignore[operator]
    with pytest.raises(TypeError, match="unsupported operand"):
        other | table  # type: ignore[operator]


def test_unions_change_all_or_nothing() -> None:
    table = Table(ROUTES, values=int)
    for wrong in ({"::/0": 5, "10.0.0.0/33": 6}, {"::/0": 5, "10.0.0.0/8": -1}):
        with pytest.raises((ValueError, OverflowError)):
            table |= wrong
        with pytest.raises((ValueError, OverflowError)):
            wrong | table
        assert table == ROUTES
    rows = Table({"10.0.0.0/8": ("CH", "Zurich")}, values=["country", "city"])
    both = {"::/0": {"country": "DE", "city": "Bonn"}} | rows
    assert both.columns == ("country", "city")
    assert both["::/0"] == {"country": "DE", "city": "Bonn"}


CHANGES: list[Callable[[Table[int]], object]] = [
    lambda table: table.update({"::/0": 1}),
    lambda table: table.update({}),
    lambda table: table.replace_all({}),
    lambda table: table.__setitem__("::/0", 1),
    lambda table: table.__delitem__("10.0.0.0/8"),
    lambda table: table.pop("10.0.0.0/8"),
    lambda table: table.pop("::/0", None),
    lambda table: table.popitem(),
    lambda table: table.setdefault("10.0.0.0/8", 1),
    lambda table: table.clear(),
    lambda table: table.__ior__({"::/0": 1}),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_frozen_table_refuses_changes(change: Callable[[Table[int]], object]) -> None:
    table = Table(ROUTES, values=int)
    assert not table.frozen
    table.freeze()
    table.freeze()
    with pytest.raises(
        TypeError, match="the table is frozen; copy\\(\\) returns a table that can be changed"
    ):
        change(table)
    assert table.frozen and table == ROUTES
    assert table.lookup("10.1.2.3") == 3
    assert table.memory > 0 and table.stats()["mapped"] is False
    for again in (table.copy(), copy.copy(table), copy.deepcopy(table), table | {}):
        assert not again.frozen and again == table
        change(again)


def test_a_frozen_table_is_hashable(tmp_path: Path) -> None:
    table = Table(ROUTES, values=int)
    with pytest.raises(TypeError, match=r"unhashable type: 'Table'; after freeze\(\), a table can be hashed"):
        hash(table)
    table.save(tmp_path / "table.image")
    opened: Table[int] = fingerpost.open(tmp_path / "table.image")
    assert opened.frozen
    opened.freeze()
    again = Table(dict(reversed(ROUTES.items())))
    again.freeze()
    table.freeze()
    assert table == opened == again
    assert hash(table) == hash(opened) == hash(again) == hash(pickle.loads(pickle.dumps(table)))
    assert {table: 1}[again] == 1
    for prefix in ROUTES:
        fewer = table.copy()
        del fewer[prefix]
        fewer.freeze()
        assert hash(fewer) != hash(table)
    empty: Table[int] = Table()
    empty.freeze()
    assert isinstance(hash(empty), int)
    lists = Table({"10.0.0.0/8": ["a value without a hash"]})
    lists.freeze()
    assert {lists: 1}[lists] == 1

    @functools.lru_cache
    def size(of: Table[int]) -> int:
        return len(of)

    assert size(table) == size(opened) == len(ROUTES)
    assert size.cache_info().hits == 1


def test_a_pickle_of_a_frozen_table_is_frozen() -> None:
    table = Table({"10.0.0.0/8": "office"})
    assert not pickle.loads(pickle.dumps(table)).frozen
    table.freeze()
    again = pickle.loads(pickle.dumps(table))
    assert again.frozen and again == table
    assert pickle.loads(pickle.dumps({table: 1}))[again] == 1


def test_threads_that_change_a_table_while_it_is_frozen() -> None:
    for _ in range(20):
        table: Table[int] = Table(values=int)
        refused: list[Exception] = []

        def change(into: Table[int] = table, refused: list[Exception] = refused) -> None:
            try:
                for number in range(100_000):
                    into[number << 8, 24, 4] = number
            except (TypeError, fingerpost.Error) as error:
                refused.append(error)

        threads = [threading.Thread(target=change) for _ in range(2)]
        for thread in threads:
            thread.start()
        while len(table) < 10:
            pass
        table.freeze()
        before = dict(table)
        for thread in threads:
            thread.join()
        assert len(refused) == 2
        assert dict(table) == before
