"""::ffff:a.b.c.d and a.b.c.d in every kind of query, compared with a scan over ipaddress."""

from __future__ import annotations

import ipaddress
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import fingerpost
from fingerpost import Table

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
import mapped
from sizes import sized

pa = pytest.importorskip("pyarrow")


def tables_of(networks: list[mapped.Network], path: Path) -> dict[str, Table[Any]]:
    """Returns the routes in tables of each kind of value; the value identifies the route."""
    texts = [str(one) for one in networks]
    made: dict[str, Table[Any]] = {
        "integers": Table({text: i for i, text in enumerate(texts)}, values=int),
        "objects": Table({text: f"v{i}" for i, text in enumerate(texts)}),
        "rows": Table({text: f"v{i}" for i, text in enumerate(texts)}, values=["v"]),
    }
    changed: Table[Any] = Table()
    for i, text in enumerate(texts):
        changed[text] = f"v{i}"
    made["changed one by one"] = changed
    made["rows"].save(path)
    made["image"] = fingerpost.open(path)
    return made


def columns_of(addresses: list[mapped.Address]) -> dict[str, tuple[list[int], object]]:
    """Returns addresses in every kind of column that can have them, with their indices."""
    everywhere = list(range(len(addresses)))
    four = [i for i, one in enumerate(addresses) if one.version == 4]
    six = [i for i, one in enumerate(addresses) if one.version == 6]
    packed4 = b"".join(addresses[i].packed for i in four)
    packed6 = b"".join(addresses[i].packed for i in six)
    text = pa.array([str(one) for one in addresses])
    return {
        "list of text": (everywhere, [str(one) for one in addresses]),
        "list of addresses": (everywhere, addresses),
        "text": (everywhere, text),
        "dictionary": (everywhere, text.dictionary_encode()),
        "binary": (everywhere, pa.array([one.packed for one in addresses])),
        "numbers": (four, numpy.array([int(addresses[i]) for i in four], numpy.uint32)),
        "uint8 4": (four, numpy.frombuffer(packed4, numpy.uint8).reshape(-1, 4)),
        "uint8 16": (six, numpy.frombuffer(packed6, numpy.uint8).reshape(-1, 16)),
        "halves": (six, numpy.frombuffer(packed6, ">u8").reshape(-1, 2)),
    }


def listed(answer: Any) -> list[Any]:
    return (
        answer
        if isinstance(answer, list)
        else [None if one == -1 else one for one in answer.tolist()]
        if isinstance(answer, numpy.ndarray)
        else answer.to_pylist()
    )


@pytest.mark.parametrize("seed", range(sized(12, 200)))
def test_every_way_to_ask(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    networks = mapped.random_table(dice)
    addresses = mapped.addresses_of(networks, dice)
    right = [mapped.answering(networks, one) for one in addresses]
    for name, table in tables_of(networks, tmp_path / "image").items():
        value: Callable[[int], object] = (lambda i: i) if name == "integers" else (lambda i: f"v{i}")
        wanted = [None if one is None else value(networks.index(one)) for one in right]
        for address, network, expected in zip(addresses, right, wanted, strict=True):
            for given in (address, str(address), address.packed):
                assert table.lookup(given) == expected, (name, given)
                found = table.match(given)
                assert mapped.same(found and found[0], network), (name, given)
                every = table.all_matches(given)
                assert (every[-1] if every else None) == found
                if found:
                    assert table[found[0]] == found[1]
        for column, (which, rows) in columns_of(addresses).items():
            assert listed(table.lookup_many(rows)) == [wanted[i] for i in which], (name, column)
            for want in ("prefix", "length"):
                answers = listed(table.lookup_many(rows, want, threads=2))
                for i, answer in zip(which, answers, strict=True):
                    if want == "prefix":
                        assert mapped.same(answer, right[i]), (name, column, addresses[i])
                    else:
                        network = right[i]
                        assert answer == (network and network.prefixlen), (name, column, addresses[i])


def test_routes_come_and_go() -> None:
    table = Table({"::/0": "all"})
    assert table.lookup("192.0.2.1") is None
    assert table.lookup("::ffff:192.0.2.1") == "all"
    table["::ffff:192.0.2.0/120"] = "mapped"
    assert table.lookup("192.0.2.1") == table.lookup("::ffff:192.0.2.1") == "mapped"
    assert table.lookup_many(["192.0.2.1", "192.0.3.1", "::ffff:192.0.3.1"]) == ["mapped", None, "all"]
    table["192.0.0.0/16"] = "four"
    assert table.lookup_many(["192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.1.0.1"]) == ["four", "four", "all"]
    assert table["::ffff:192.0.2.0/120"] == "mapped"
    del table["192.0.0.0/16"]
    assert table.lookup("::ffff:192.0.2.1") == "mapped"
    del table["::ffff:192.0.2.0/120"]
    assert table.lookup("192.0.2.1") is None
    table["::ffff:0:0/96"] = "block"
    assert table.lookup("192.0.2.1") == "block"
    table.replace_all({"::/95": "short"})
    assert table.lookup("192.0.2.1") is None


def test_enrich_answers_so_too(tmp_path: Path) -> None:
    dice = random.Random(5)
    for _ in range(sized(3, 20)):
        networks = mapped.random_table(dice)
        addresses = mapped.addresses_of(networks, dice)
        texts = [f"[{one}]:80" if one.version == 6 else f"{one}:80" for one in addresses]
        (tmp_path / "rows.csv").write_text("\n".join(["ip", *texts]) + "\n")
        table = Table({str(one): "" for one in networks})
        fingerpost.enrich(tmp_path / "rows.csv", tmp_path / "out.csv", table, "ip", add="prefix")
        rows = (tmp_path / "out.csv").read_text().splitlines()[1:]
        for row, address in zip(rows, addresses, strict=True):
            assert mapped.same(row.split(",")[1] or None, mapped.answering(networks, address)), row


def test_texts_of_sockets() -> None:
    table = Table({"10.0.0.0/8": 4, "2001:db8::/32": 6, "fe80::/10": 7}, values=int)
    right = {
        "10.1.2.3:443": 4,
        "[10.1.2.3]": 4,
        "[::ffff:10.1.2.3]:443": 4,
        "[2001:db8::1]:53": 6,
        "[2001:db8::1]": 6,
        "2001:db8::1%1": 6,
        "fe80::1%eth0": 7,
        "[fe80::1%eth0]:80": 7,
    }
    wrong = [
        "10.1.2.3:",
        "10.1.2.3:x",
        "10.1.2.3:123456",
        "[10.1.2.3",
        "10.1.2.3]",
        "[fe80::1]80",
        "fe80::1%",
        "10.0.0.0/8",
        "x",
        "",
    ]
    for text, value in right.items():
        assert (
            table.lookup(text)
            == table.lookup(text, default=None, family=4 if value == 4 and "::" not in text else 6)
            == value
        )
        assert table.match(text) is not None
        assert [found for _, found in table.all_matches(text)] == [value]
    for text in wrong:
        with pytest.raises(ValueError, match="^['\"]"):
            table.lookup(text)
    rows = [*right, *wrong, None, "10.9.9.9", "2001:db8::2"] * 700
    expected = [
        right.get(text) if text not in ("10.9.9.9", "2001:db8::2") else 4 if text[0] == "1" else 6
        for text in rows
    ]
    counts = fingerpost.Report()
    for column in (
        rows,
        pa.array(rows),
        pa.array(rows).dictionary_encode(),
        pa.array(rows, pa.string_view()),
    ):
        assert listed(table.lookup_many(column, report=counts)) == expected
        assert (counts.matched, counts.bad, counts.nulls) == (700 * 10, 700 * len(wrong), 700)
        assert counts.first_bad[0][:2] == (len(right), "10.1.2.3:")
    texts = numpy.array([text for text in rows if text is not None])
    assert table.lookup_many(texts).tolist() == [
        -1 if one is None else one for one, text in zip(expected, rows, strict=True) if text is not None
    ]
    # A key is a prefix, and an object is an address with nothing else.
    for key in ("10.1.2.3:443", ("10.1.2.3:443", 8)):
        with pytest.raises(ValueError, match="10.1.2.3:443"):
            table.get(key)
    with pytest.raises(ValueError, match="zone"):
        table.lookup(ipaddress.ip_address("fe80::1%eth0"))
