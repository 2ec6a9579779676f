"""Table as a mapping: every form of key, address and value, and what is said of what is none."""

from __future__ import annotations

import collections.abc
import copy
import gc
import ipaddress
import subprocess
import sys
import weakref

import numpy
import pytest

from fingerpost import Error, Table

PREFIX_FORMS = [
    ("10.1.0.0/16", "10.1.0.0/16"),
    ("10.1.2.3/16", "10.1.0.0/16"),
    ("10.1.2.3", "10.1.2.3/32"),
    ("2001:DB8::/32", "2001:db8::/32"),
    ("::1", "::1/128"),
    (b"\x0a\x01\x02\x03", "10.1.2.3/32"),
    (bytes(15) + b"\x01", "::1/128"),
    (ipaddress.ip_network("10.1.0.0/16"), "10.1.0.0/16"),
    (ipaddress.ip_network("2001:db8::/32"), "2001:db8::/32"),
    (ipaddress.ip_address("10.1.2.3"), "10.1.2.3/32"),
    (ipaddress.ip_address("::1"), "::1/128"),
    (ipaddress.ip_interface("10.1.2.3/16"), "10.1.0.0/16"),
    (ipaddress.ip_interface("2001:db8::1/32"), "2001:db8::/32"),
    (("10.1.2.3", 16), "10.1.0.0/16"),
    ((ipaddress.ip_address("2001:db8::1"), numpy.int64(32)), "2001:db8::/32"),
    ((b"\x0a\x01\x02\x03", 16), "10.1.0.0/16"),
    ((0x0A010203, 16, 4), "10.1.0.0/16"),
    ((numpy.uint32(0x0A010203), numpy.uint8(16), 4), "10.1.0.0/16"),
    ((1 << 127, 1, 6), "8000::/1"),
    ((0, 0, 6), "::/0"),
    ("0.0.0.0/0", "0.0.0.0/0"),
    ("::ffff:10.0.0.0/104", "::ffff:10.0.0.0/104"),
]


@pytest.mark.parametrize(("key", "text"), PREFIX_FORMS, ids=[repr(form) for form, _ in PREFIX_FORMS])
def test_every_form_of_prefix_is_one_key(key: object, text: str) -> None:
    table = Table()
    table[key] = "first"
    assert list(table) == [text]
    assert key in table
    assert table[text] == table[key] == table.get(key) == "first"
    table[text] = "second"
    assert table.setdefault(key, "third") == "second"
    assert len(table) == 1
    assert table.covering(key) == table.covered(key) == [(text, "second")]
    del table[key]
    assert text not in table
    assert not table


ADDRESS_FORMS = [
    ("10.1.2.3", {}),
    (b"\x0a\x01\x02\x03", {}),
    (ipaddress.ip_address("10.1.2.3"), {}),
    (ipaddress.ip_interface("10.1.2.3/8"), {}),
    (0x0A010203, {"family": 4}),
    (numpy.uint32(0x0A010203), {"family": 4}),
    ("10.1.2.3", {"family": 4}),
]


@pytest.mark.parametrize(("address", "named"), ADDRESS_FORMS, ids=[repr(form) for form in ADDRESS_FORMS])
def test_every_form_of_ipv4_address(address: object, named: dict[str, int]) -> None:
    table = Table({"10.0.0.0/8": "eight", "10.1.0.0/16": "sixteen", "::/0": "six"})
    assert table.lookup(address, **named) == "sixteen"
    assert table.match(address, **named) == ("10.1.0.0/16", "sixteen")
    assert table.all_matches(address, **named) == [("10.0.0.0/8", "eight"), ("10.1.0.0/16", "sixteen")]


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("2001:db8::1", {}),
        (ipaddress.ip_address("2001:db8::1").packed, {}),
        (ipaddress.ip_address("2001:db8::1"), {}),
        (int(ipaddress.ip_address("2001:db8::1")), {"family": 6}),
    ],
)
def test_every_form_of_ipv6_address(address: object, named: dict[str, int]) -> None:
    table = Table({"2001:db8::/32": "doc", "::/0": "all", "0.0.0.0/0": "four"})
    assert table.lookup(address, **named) == "doc"
    assert table.match(address, **named) == ("2001:db8::/32", "doc")
    assert table.all_matches(address, **named) == [("::/0", "all"), ("2001:db8::/32", "doc")]


def test_families_never_meet() -> None:
    table = Table({"0.0.0.0/0": 4, "::/0": 6})
    assert table.lookup("::ffff:10.0.0.1") == 6
    assert table.lookup("10.0.0.1") == 4
    assert table.lookup(0, family=4) == 4
    assert table.lookup(0, family=6) == 6
    assert table.lookup(b"\0" * 4) == 4
    assert table.lookup(b"\0" * 16) == 6
    del table["0.0.0.0/0"]
    assert table.lookup("10.0.0.1") is None
    assert table.match("10.0.0.1") is None
    assert table.lookup("10.0.0.1", "none") == "none"


WRONG_PREFIXES = [
    ("10.0.0.0/33", ValueError, "'10.0.0.0/33': prefix length 33 is longer than 32"),
    ("10.0.0.256/8", ValueError, "'10.0.0.256/8': an octet is larger than 255 at column 8"),
    ("10/8", ValueError, "'10/8': neither an IPv4 nor an IPv6 address"),
    ("host", ValueError, "'host': neither an IPv4 nor an IPv6 address"),
    ("", ValueError, "'': there is no address"),
    ("\ud800", ValueError, "it has characters that stand in no address"),
    (b"abc", ValueError, "b'abc': 3 bytes; an address has 4 (IPv4) or 16 (IPv6), in network order"),
    (("10.0.0.0", 33), ValueError, "('10.0.0.0', 33): the length of an IPv4 prefix is from 0 to 32"),
    (("::", -1), ValueError, "('::', -1): the length of an IPv6 prefix is from 0 to 128"),
    ((1 << 32, 8, 4), ValueError, "4294967296: an IPv4 address is a number from 0 to 2**32 - 1"),
    ((-1, 8, 6), ValueError, "-1: an IPv6 address is a number from 0 to 2**128 - 1"),
    ((1, 8, 5), ValueError, "family is 4 or 6, not 5"),
    (("10.0.0.0", 8, 6), ValueError, "an IPv4 address, and family=6 was asked for"),
    ((1, 8), TypeError, "an int is an address of either family: family=4 or family=6 tells which"),
    (("10.0.0.0",), TypeError, "not tuple of 1"),
    (("10.0.0.0", "8"), TypeError, "a prefix is str, a network, address or interface of ipaddress"),
    (7, TypeError, "not int"),
    (7.5, TypeError, "not float"),
    (None, TypeError, "not NoneType"),
    (ipaddress.ip_address("fe80::1%eth0"), ValueError, "an address with a zone is not part of any prefix"),
]


@pytest.mark.parametrize(
    ("key", "kind", "words"), WRONG_PREFIXES, ids=[repr(row[0]) for row in WRONG_PREFIXES]
)
def test_what_is_no_prefix(key: object, kind: type[Exception], words: str) -> None:
    table = Table({"10.0.0.0/8": 1})
    actions = [
        lambda: table[key],
        lambda: table.__setitem__(key, 2),
        lambda: table.__delitem__(key),
        lambda: key in table,
        lambda: table.get(key),
        lambda: table.pop(key, None),
        lambda: table.setdefault(key, 3),
        lambda: table.covering(key),
        lambda: table.covered(key),
        lambda: table.update([("11.0.0.0/8", 2), (key, 3)]),
    ]
    for action in actions:
        with pytest.raises(kind) as told:
            action()
        assert words in str(told.value)
    assert list(table.items()) == [("10.0.0.0/8", 1)]


WRONG_ADDRESSES = [
    ("10.0.0.0/8", {}, ValueError, "'10.0.0.0/8': unexpected '/' at column 9"),
    ("10.0.0", {}, ValueError, "'10.0.0': it ends too early"),
    ("1::2::3", {}, ValueError, "'1::2::3': '::' twice, again at column 5"),
    ("fe80::1%eth0", {}, ValueError, "unexpected '%' at column 8"),
    ("::1", {"family": 4}, ValueError, "'::1': an IPv6 address, and family=4 was asked for"),
    (1, {}, TypeError, "family=4 or family=6 tells which"),
    (1 << 128, {"family": 6}, ValueError, "a number from 0 to 2**128 - 1"),
    (1, {"family": "4"}, ValueError, "family is 4 or 6, not '4'"),
    (1.5, {}, TypeError, "an address is str, bytes of 4 or 16 in network order"),
    (None, {}, TypeError, "not NoneType"),
    (("10.0.0.0", 8), {}, TypeError, "not tuple"),
    (ipaddress.ip_network("10.0.0.0/8"), {}, TypeError, "not IPv4Network"),
    (b"", {}, ValueError, "0 bytes"),
]


@pytest.mark.parametrize(("address", "named", "kind", "words"), WRONG_ADDRESSES)
def test_what_is_no_address(
    address: object, named: dict[str, object], kind: type[Exception], words: str
) -> None:
    table = Table({"0.0.0.0/0": 1, "::/0": 2})
    for action in (table.lookup, table.match, table.all_matches):
        with pytest.raises(kind) as told:
            action(address, **named)
        assert words in str(told.value)


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
    assert table.setdefault("10.0.0.0/8") is None
    assert table.popitem() == ("10.0.0.0/8", None)
    with pytest.raises(TypeError):
        hash(table)


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
        with pytest.raises(TypeError, match="is no pair of a prefix and a value"):
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
    """What dict() takes as a mapping."""

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
        ("64500", TypeError, "write a mapping or a sequence of all"),
        (("1",), ValueError, "has the columns asn, country"),
        ({"asn": "1"}, ValueError, "has the columns asn, country"),
        ({"asn": "1", "land": "CH"}, ValueError, "there is no column country"),
        ((1, "CH"), TypeError, "a cell of the columns asn, country is a str, not int"),
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
        with pytest.raises(TypeError, match="values is object, int, or the names of columns"):
            Table(values=wrong)
    with pytest.raises(ValueError, match="at least one column"):
        Table(values=[])
    with pytest.raises(ValueError, match="two columns have the name 'a'"):
        Table(values=["a", "a"])
    with pytest.raises(
        ValueError, match=r"'patrica' is not one of packed_leaves, .*; did you mean patricia\?"
    ):
        Table(scheme="patrica")


@pytest.mark.parametrize("scheme", ["packed_leaves", "patricia", "planb", "dir_24_8", "tree_bitmap:4"])
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
    assert table != routes
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


class Value:
    """Can be referred to weakly."""


def test_values_are_let_go_of() -> None:
    table = Table()
    value = Value()
    refs = sys.getrefcount(value)
    for i in range(100):
        table[f"10.{i}.0.0/16"] = value
    # One for all, as they share a slot.
    assert sys.getrefcount(value) == refs + 1
    assert table.lookup("10.7.0.1") is value
    assert sys.getrefcount(value) == refs + 1
    for i in range(99):
        del table[f"10.{i}.0.0/16"]
    assert sys.getrefcount(value) == refs + 1
    table["10.99.0.0/16"] = "other"
    assert sys.getrefcount(value) == refs
    for change in (
        lambda: table.clear(),
        lambda: table.replace_all({"::/0": 1}),
        lambda: table.update({"10.0.0.0/8": 0}),
        lambda: table.pop("10.0.0.0/8"),
        lambda: table.__init__ and table.replace_all({}),
    ):
        table["10.0.0.0/8"] = value
        assert sys.getrefcount(value) == refs + 1
        change()
        assert sys.getrefcount(value) == refs
    with pytest.raises(ValueError, match="neither"):
        table.update([("10.0.0.0/8", value), ("x", value)])
    assert sys.getrefcount(value) == refs
    twin = Table({"10.0.0.0/8": value}).copy()
    assert sys.getrefcount(value) == refs + 1
    del twin
    assert sys.getrefcount(value) == refs


SHORT_OF_MEMORY = """
import resource, sys
from fingerpost import Table

class Value: pass

value = Value()
table = Table({"10.0.0.0/8": "before", "::/0": "six"})
before = dict(table.items())
refs = sys.getrefcount(value)
unlimited = resource.getrlimit(resource.RLIMIT_AS)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
failed = 0
for megabytes in range(1, 400, 3):
    for whole in (False, True):
        routes = ((key, value) for i in range(100_000) for key in ((i << 12, 24, 4), (i << 90, 48, 6)))
        resource.setrlimit(resource.RLIMIT_AS, (used + (megabytes << 20), unlimited[1]))
        try:
            (table.replace_all if whole else table.update)(routes)
        except MemoryError:
            failed += 1
        else:
            break
        finally:
            resource.setrlimit(resource.RLIMIT_AS, unlimited)
            del routes
        assert dict(table.items()) == before, (megabytes, len(table))
        assert sys.getrefcount(value) == refs, (megabytes, sys.getrefcount(value) - refs)
        assert table.lookup("10.1.2.3") == "before" and table.lookup("::1") == "six"
        assert table.lookup("0.0.0.1") is None
    else:
        continue
    break
assert table.lookup("0.0.16.1") is value
assert sys.getrefcount(value) == refs + 1
print(failed)
"""


def test_a_change_that_runs_out_of_memory_has_not_happened() -> None:
    # Of a process of its own, which fails at one allocation after the other.
    told = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", SHORT_OF_MEMORY],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert int(told.stdout) > 5


def test_an_iteration_keeps_the_values_of_its_moment() -> None:
    table = Table({"10.0.0.0/8": Value(), "11.0.0.0/8": "x"})
    gone = weakref.ref(table["10.0.0.0/8"])
    walk = iter(table.values())
    table.clear()
    # The slot that has become free gets no other object while the iteration may name it.
    table["12.0.0.0/8"] = "new"
    assert isinstance(next(walk), Value)
    assert gone() is not None
    assert list(walk) == ["x"]
    assert gone() is None


def test_cycles_are_collected() -> None:
    for make in (lambda t: t, lambda t: iter(t.items()), lambda t: [t]):
        table = Table()
        value = Value()
        value.to = make(table)
        table["10.0.0.0/8"] = value
        gone = weakref.ref(value)
        del table, value
        gc.collect()
        assert gone() is None


class Meddler:
    """Changes the table whenever Python asks it anything."""

    def __init__(self, table: Table[object]) -> None:
        self.table = table
        self.met = 0

    def meddle(self) -> None:
        self.met += 1
        self.table["10.0.0.0/8"] = "meddled"
        self.table.pop("11.0.0.0/8", None)
        self.table.update({"2001:db8::/32": self.met})
        assert self.table.lookup("10.0.0.1") == "meddled"

    def __eq__(self, other: object) -> bool:
        self.meddle()
        return True

    def __hash__(self) -> int:
        self.meddle()
        raise RuntimeError("no hash")

    def __del__(self) -> None:
        self.meddle()
        raise RuntimeError("from __del__")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_values_that_call_the_table_again() -> None:
    table: Table[object] = Table()
    for change in (
        lambda: table.__setitem__("10.0.0.0/8", 1),
        lambda: table.__delitem__("10.0.0.0/8"),
        lambda: table.pop("10.0.0.0/8") and None,
        lambda: table.clear(),
        lambda: table.update({"10.0.0.0/8": 1}),
        lambda: table.replace_all([("::/0", 1)]),
    ):
        table["10.0.0.0/8"] = Meddler(table)
        table["11.0.0.0/8"] = table["10.0.0.0/8"]
        table.pop("11.0.0.0/8")
        change()
        gc.collect()
        assert table["2001:db8::/32"] == 1
        assert table["10.0.0.0/8"] == "meddled"
    table["10.0.0.0/8"] = Meddler(table)
    twin = table.copy()
    assert twin == table
    assert table.lookup("10.0.0.1") == "meddled"


class BadKey:
    """An address that fails in a way of its own."""

    def __index__(self) -> int:
        raise LookupError("no index today")


def test_errors_of_objects_pass_through() -> None:
    table = Table(values=int)
    with pytest.raises(LookupError, match="no index today"):
        table.lookup(BadKey(), family=4)
    with pytest.raises(LookupError, match="no index today"):
        table["10.0.0.0/8"] = BadKey()
    assert len(table) == 0


class Named(Table):
    """A table with a word of its own."""

    word = "sub"


def test_subclasses() -> None:
    table = Named({"10.0.0.0/8": 1})
    table.note = "kept"
    assert isinstance(table, Table)
    assert table.lookup("10.0.0.1") == 1
    assert table == Table({"10.0.0.0/8": 1})
