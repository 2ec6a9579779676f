"""Every form of prefix and address, and the errors of other texts."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import numpy
import pytest

from fingerpost import Table

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
    ("10.1.2.3/255.255.0.0", "10.1.0.0/16"),
    ("10.1.2.3/0.0.255.255", "10.1.0.0/16"),
    ("10.1.2.3/255.255.255.255", "10.1.2.3/32"),
    ("10.1.2.3/0.0.0.0", "0.0.0.0/0"),
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


def test_masks_are_those_of_ipaddress_and_of_files(tmp_path: Path) -> None:
    for length in range(33):
        network = ipaddress.ip_network(f"10.1.2.3/{length}", strict=False)
        for mask in (network.netmask, network.hostmask):
            text = f"10.1.2.3/{mask}"
            assert list(Table({text: 1})) == [str(ipaddress.ip_network(text, strict=False))], text
        path = tmp_path / "table.txt"
        path.write_text(f"10.1.2.3/{network.netmask} a\n")
        assert list(Table.from_text(path)) == list(Table({f"10.1.2.3/{network.netmask}": "a"}))


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


def test_families_meet_in_mapped_addresses_alone() -> None:
    table = Table({"0.0.0.0/0": 4, "::/0": 6})
    assert table.lookup("::ffff:10.0.0.1") == 4
    assert table.lookup("::10.0.0.1") == 6
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
    ("10.0.0.0/255.0.255.0", ValueError, "'10.0.0.0/255.0.255.0': not a netmask"),
    ("10.0.0.0/255.0.0", ValueError, "'10.0.0.0/255.0.0': "),
    ("10.0.0/255.0.0.0", ValueError, "'10.0.0/255.0.0.0': "),
    ("::/255.0.0.0", ValueError, "'::/255.0.0.0': "),
    ("10/8", ValueError, "'10/8': an IPv4 prefix has four octets; write 10.0.0.0/8"),
    ("host", ValueError, "'host': unexpected 'h' at column 1"),
    ("", ValueError, "'': there is no address"),
    ("\ud800", ValueError, "invalid characters for an address"),
    (b"abc", ValueError, "b'abc': 3 bytes; an address has 4 (IPv4) or 16 (IPv6), in network order"),
    (("10.0.0.0", 33), ValueError, "('10.0.0.0', 33): the length of an IPv4 prefix is from 0 to 32"),
    (("::", -1), ValueError, "('::', -1): the length of an IPv6 prefix is from 0 to 128"),
    ((1 << 32, 8, 4), ValueError, "4294967296: an IPv4 address is a number from 0 to 2**32 - 1"),
    ((-1, 8, 6), ValueError, "-1: an IPv6 address is a number from 0 to 2**128 - 1"),
    ((1, 8, 5), ValueError, "family must be 4 or 6, not 5"),
    (("10.0.0.0", 8, 6), ValueError, "an IPv4 address, but family=6"),
    ((1, 8), TypeError, "an int can be an address of either family: pass family=4 or family=6"),
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
    ("10.0.0", {}, ValueError, "'10.0.0': the text ends too early"),
    ("1::2::3", {}, ValueError, "'1::2::3': '::' twice, again at column 5"),
    ("fe80::1%", {}, ValueError, "unexpected '%' at column 8"),
    ("::1", {"family": 4}, ValueError, "'::1': an IPv6 address, but family=4"),
    (1, {}, TypeError, "pass family=4 or family=6"),
    (1 << 128, {"family": 6}, ValueError, "a number from 0 to 2**128 - 1"),
    (1, {"family": "4"}, ValueError, "family must be 4 or 6, not '4'"),
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
