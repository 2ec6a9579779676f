"""Table as a mapping, and every kind of value."""

from __future__ import annotations

import collections
import collections.abc
import copy
import pickle

import numpy
import pytest
from schemes import built

import fingerpost
from fingerpost import Error, Table


def test_it_is_a_mutable_mapping() -> None:
    table = Table({"10.0.0.0/8": 1})
    assert isinstance(table, collections.abc.MutableMapping)
    assert table.pop("10.0.0.0/8") == 1
    assert table.pop("10.0.0.0/8", 7) == 7
    for action in (lambda: table["10.0.0.0/8"], lambda: table.pop("10.0.0.0/8"), table.popitem):
        with pytest.raises(KeyError):
            action()
    with pytest.raises(KeyError) as told:
        del table["10.0.0.0/8"]
    assert told.value.args == ("10.0.0.0/8",)
    with pytest.raises(
        fingerpost.MissingPrefix, match=r"^'10\.1\.2\.3': .* no route with exactly this prefix; use lookup\(\)"
    ) as told:
        table["10.1.2.3"]
    assert pickle.loads(pickle.dumps(told.value)).args == ("10.1.2.3",)
    assert table.setdefault("10.0.0.0/8") is None
    assert table.popitem() == ("10.0.0.0/8", None)
    with pytest.raises(TypeError):
        hash(table)


def test_it_does_what_a_dict_does() -> None:
    """Each method of a mutable mapping, compared with a dict."""
    start = {"10.0.0.0/8": 1, "11.0.0.0/8": 2, "::/0": 3}
    pairs: tuple[collections.abc.MutableMapping[str, int], ...] = (Table(start), dict(start))
    results = []
    for mapping in pairs:
        seen: list[object] = [
            mapping.get("10.0.0.0/8"),
            mapping.get("12.0.0.0/8", 9),
            mapping.pop("11.0.0.0/8"),
            mapping.pop("11.0.0.0/8", None),
            mapping.pop("11.0.0.0/8", default=4) if isinstance(mapping, Table) else 4,
            mapping.setdefault("10.0.0.0/8", 8),
            mapping.setdefault("12.0.0.0/8", 8),
            mapping.update({"13.0.0.0/8": 5}),
            mapping.update([("14.0.0.0/8", 6)], **{"15.0.0.0/8": 7}),
            mapping.update(**{"16.0.0.0/8": 8}),
            mapping.update(),
            "10.0.0.0/8" in mapping,
            "17.0.0.0/8" in mapping.keys(),  # noqa: SIM118
            8 in mapping.values(),
            ("::/0", 3) in mapping.items(),
            sorted(mapping.keys() | {"a"}),
            sorted(mapping.items() & {("::/0", 3)}),
            len(mapping),
            sorted(mapping),
            dict(mapping),
            {**mapping},
            mapping == dict(mapping),
        ]
        left = dict(mapping)
        while mapping:
            key, value = mapping.popitem()
            assert left.pop(key) == value
        assert not left
        mapping["10.0.0.0/8"] = 1
        mapping.clear()
        with pytest.raises(KeyError):
            mapping.popitem()
        results.append(seen)
    assert results[0] == results[1]
    match Table(start):
        case {"::/0": found, **rest}:
            assert found == 3 and len(rest) == 2
        case _:
            pytest.fail("a table is no mapping for `match`")


def test_order_views_and_snapshots() -> None:
    table = Table(
        [("2001:db8::/32", 5), ("10.0.0.0/16", 2), ("9.0.0.0/8", 0), ("10.0.0.0/8", 1), ("::/0", 4)]
    )
    order = ["9.0.0.0/8", "10.0.0.0/8", "10.0.0.0/16", "::/0", "2001:db8::/32"]
    assert list(table) == list(table.keys()) == order
    assert list(table.values()) == [0, 1, 2, 4, 5]
    assert list(table.items()) == list(zip(order, [0, 1, 2, 4, 5], strict=True))
    assert table.keys() & {"::/0", "1.0.0.0/8"} == {"::/0"}
    assert 5 in table.values()
    assert ("::/0", 4) in table.items()
    assert ("::/0", 5) not in table.items()
    assert len(table.keys()) == len(table.values()) == len(table.items()) == 5
    walk = iter(table.items())
    assert next(walk) == ("9.0.0.0/8", 0)
    assert walk.__length_hint__() == 4
    table.clear()
    assert list(walk) == list(zip(order[1:], [1, 2, 4, 5], strict=True))
    assert list(walk) == []
    assert list(table) == []


def test_update_is_all_or_nothing() -> None:
    table = Table({"10.0.0.0/8": 1})

    def broken() -> collections.abc.Iterator[tuple[str, int]]:
        yield "11.0.0.0/8", 2
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        table.update(broken())
    for wrong in (["10.0.0.0/8"], [("10.0.0.0/8",)], [("10.0.0.0/8", 1, 2)], [5], ["ab"]):
        with pytest.raises(TypeError, match="is not a pair of a prefix and a value"):
            table.update([("11.0.0.0/8", 2), *wrong])
    with pytest.raises(TypeError):
        table.update(5)
    assert list(table.items()) == [("10.0.0.0/8", 1)]
    table.update([("12.0.0.0/8", 1), ("::/0", 2), ("12.0.0.0/8", 3), ["13.0.0.0/8", 4]])
    assert table.lookup("12.0.0.1") == 3
    table.update(Table({"12.0.0.0/8": 5}))
    table.update(table)
    assert list(table.items()) == [("10.0.0.0/8", 1), ("12.0.0.0/8", 5), ("13.0.0.0/8", 4), ("::/0", 2)]
    table.replace_all({"12.0.0.0/8": 6, "2001:db8::/32": 7})
    assert dict(table.items()) == {"12.0.0.0/8": 6, "2001:db8::/32": 7}
    table.replace_all({})
    assert len(table) == 0


class HasKeys:
    """dict() treats objects with these methods as mappings."""

    def keys(self) -> list[str]:
        return ["10.0.0.0/8", "::/0"]

    def __getitem__(self, key: str) -> str:
        return key.upper()


def test_update_from_what_has_keys() -> None:
    assert dict(Table(HasKeys()).items()) == {"10.0.0.0/8": "10.0.0.0/8", "::/0": "::/0"}


def test_integers() -> None:
    table = Table(values=int)
    table["10.0.0.0/8"] = 2**32 - 2
    table["11.0.0.0/8"] = numpy.uint8(7)
    table["12.0.0.0/8"] = True
    assert [table.lookup(f"{i}.0.0.1") for i in (10, 11, 12)] == [2**32 - 2, 7, 1]
    for wrong in (2**32 - 1, -1, 1 << 70):
        with pytest.raises(OverflowError, match=r"a value of this table is an int from 0 to 2\*\*32 - 2"):
            table["10.0.0.0/8"] = wrong
    for wrong in ("7", 7.0, None):
        with pytest.raises(TypeError, match="a value of this table is an int"):
            table["10.0.0.0/8"] = wrong
    assert table["10.0.0.0/8"] == 2**32 - 2
    assert table.value_kind == "int"
    assert table.columns == ()


def test_rows() -> None:
    table = Table({"10.0.0.0/8": {"country": "CH", "asn": "64500"}}, values=["asn", "country"])
    assert table.columns == ("asn", "country")
    assert table.value_kind == "rows"
    assert table.lookup("10.0.0.1") == {"asn": "64500", "country": "CH"}
    table["::/0"] = ("1", "DE")
    assert table["::/0"] == {"asn": "1", "country": "DE"}
    wrong: list[tuple[object, type[Exception], str]] = [
        ("64500", TypeError, "pass a mapping or a sequence of all"),
        (("1",), ValueError, "has the columns asn, country"),
        ({"asn": "1"}, ValueError, "has the columns asn, country"),
        ({"asn": "1", "land": "CH"}, ValueError, "no key country"),
        ((1, "CH"), TypeError, "a cell of the column asn is a str or None, not int"),
        (5, TypeError, "a mapping or a sequence with the columns asn, country, not int"),
        (b"ab", TypeError, "not bytes"),
    ]
    for value, kind, words in wrong:
        with pytest.raises(kind) as told:
            table["::/0"] = value
        assert words in str(told.value)
    assert table["::/0"] == {"asn": "1", "country": "DE"}
    one = Table({"10.0.0.0/8": "é", "::/0": ["b"], "11.0.0.0/8": {"name": "\udcff"}}, values=["name"])
    assert [one["10.0.0.0/8"], one["::/0"], one["11.0.0.0/8"]] == ["é", "b", "\udcff"]


def test_kinds_and_schemes_that_are_none() -> None:
    for wrong in (str, "name", 5, ["a", 1]):
        with pytest.raises(TypeError, match="values must be object, int, a sequence of column names"):
            Table(values=wrong)
    with pytest.raises(ValueError, match="at least one column"):
        Table(values=[])
    with pytest.raises(ValueError, match="two columns have the name 'a'"):
        Table(values=["a", "a"])
    with pytest.raises(ValueError, match=r"'plamb' is not one of packed_leaves, .*; did you mean planb\?"):
        Table(scheme="plamb")


@pytest.mark.parametrize("scheme", built("packed_leaves", "patricia", "planb", "dir_24_8", "tree_bitmap:4"))
def test_schemes_answer_alike(scheme: str) -> None:
    table = Table({"10.0.0.0/8": 1, "10.1.0.0/16": 2, "2001:db8::/32": 3}, scheme=scheme)
    assert table.scheme == scheme
    assert [table.lookup(a) for a in ("10.0.0.1", "10.1.0.1", "2001:db8::1", "::1")] == [1, 2, 3, None]
    del table["10.1.0.0/16"]
    assert table.lookup("10.1.0.1") == 1
    assert table.copy().scheme == scheme


def test_equality_and_copies() -> None:
    routes = {"10.0.0.0/8": [1], "::/0": "six"}
    table = Table(routes)
    assert table == Table(routes)
    assert table != Table({"10.0.0.0/8": [1]})
    assert table != Table({"10.0.0.0/8": [2], "::/0": "six"})
    assert table == routes and routes == table
    assert dict(table) == table and table == collections.OrderedDict(reversed(routes.items()))
    assert table == collections.ChainMap({"::/0": "six"}, {"10.0.0.0/8": [1]})
    for other in ({"::/0": "six"}, {**routes, "::/0": "seven"}, {"10.0.0.0/8": [1], "::/1": "six"}, {}):
        assert table != other and other != table
    assert table != list(routes.items()) and table != 5
    assert Table() == {} and Table({"10.0.0.0/8": ("1", "2")}, values=["a", "b"]) == {
        "10.0.0.0/8": {"a": "1", "b": "2"}
    }
    assert Table({"10.0.0.0/8": 1}) == Table({"10.0.0.0/8": 1}, values=int)
    twin = table.copy()
    assert twin == copy.copy(table) == table
    assert twin["10.0.0.0/8"] is table["10.0.0.0/8"]
    deep = copy.deepcopy(table)
    assert deep == table
    assert deep["10.0.0.0/8"] is not table["10.0.0.0/8"]
    twin["11.0.0.0/8"] = 1
    del twin["::/0"]
    assert list(table) == ["10.0.0.0/8", "::/0"]
    assert (table == 5) is False


def test_facts() -> None:
    table = Table({"10.0.0.0/8": 1, "10.1.0.0/16": 1, "::/0": 2})
    assert repr(table) == "<fingerpost.Table: 2 IPv4 and 1 IPv6 routes, values object>"
    facts = table.stats()
    assert facts["ipv4"]["routes"] == 2
    assert facts["ipv6"]["routes"] == 1
    assert facts["different_values"] == 2
    assert facts["memory"] == table.memory > 0
    assert issubclass(Error, ValueError)
    assert Table[str].__origin__ is Table


def test_covering_and_covered() -> None:
    routes = {"0.0.0.0/0": 0, "10.0.0.0/8": 1, "10.1.0.0/16": 2, "10.1.2.0/24": 3, "10.2.0.0/16": 4}
    table = Table(routes)
    every = list(routes.items())
    assert table.covering("10.1.0.0/16") == every[:3]
    assert table.covering("10.1.0.0/15") == every[:2]
    assert table.covered("10.0.0.0/8") == every[1:]
    assert table.covered("10.1.0.0/16") == every[2:4]
    assert table.covered("11.0.0.0/8") == table.covered("::/0") == []


class Named(Table):
    """A table with an additional attribute."""

    word = "sub"


def test_subclasses() -> None:
    table = Named({"10.0.0.0/8": 1})
    table.note = "kept"
    assert isinstance(table, Table)
    assert table.lookup("10.0.0.1") == 1
    assert table == Table({"10.0.0.0/8": 1})
