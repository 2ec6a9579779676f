"""Files, pickles, errors and differences of the modules of fingerpost.compat."""

from __future__ import annotations

import gzip
import ipaddress
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingerpost import Table
from fingerpost.compat import maxminddb, pyasn, pytricia, radix, subnettree


def test_frozen_trees_of_pytricia_refuse_changes() -> None:
    tree: pytricia.PyTricia[str] = pytricia.PyTricia()
    tree["10.0.0.0/8"] = "office"
    tree.freeze()
    changes: list[Callable[[], object]] = [
        lambda: tree.insert("11.0.0.0/8", "lab"),
        lambda: tree.__setitem__("10.0.0.0/8", "lab"),
        lambda: tree.delete("10.0.0.0/8"),
    ]
    for change in changes:
        with pytest.raises(ValueError, match="frozen"):
            change()
    copy = pickle.loads(pickle.dumps(tree))
    assert copy.keys() == ["10.0.0.0/8"]
    assert copy.get("10.1.2.3") == "office"
    copy.thaw()
    copy.insert("10.1.0.0", 16, "lab")
    assert copy.get("10.1.2.3") == "lab"
    assert len(tree) == 1


def test_families_of_pytricia_are_apart() -> None:
    tree: pytricia.PyTricia[int] = pytricia.PyTricia(128)
    tree.insert("2000::/8", 1)
    assert tree.get("32.0.0.1") is None
    assert tree.get("2000::1") == 1


@pytest.mark.parametrize("arguments", [(129,), (-1,), (32, 99), ("x",)])
def test_arguments_of_pytricia(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError):
        pytricia.PyTricia(*arguments)


@pytest.mark.parametrize(
    "key", ["blah", "", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/-1", -1, 1 << 32, 1.5, None, b"abc"]
)
def test_malformed_keys_of_pytricia(key: Any) -> None:
    tree: pytricia.PyTricia[int] = pytricia.PyTricia()
    for method in (tree.get, tree.get_key, tree.has_key, tree.__contains__, tree.delete):
        with pytest.raises(ValueError):
            method(key)
    with pytest.raises(ValueError):
        tree.insert(key, 1)


def test_integers_are_ipv4_addresses_in_pytricia() -> None:
    tree: pytricia.PyTricia[int] = pytricia.PyTricia()
    tree.insert(0x0A000000, 8, 1)
    assert tree.get(0x0A010203) == 1
    assert tree.keys() == ["10.0.0.0/8"]


def test_nodes_of_radix() -> None:
    tree = radix.Radix()
    node = tree.add("10.1.2.3", 16)
    assert (node.prefix, node.packed, node.parent) == ("10.1.0.0/16", bytes([10, 1, 0, 0]), None)
    parent = tree.add("10.0.0.0/8")
    assert node.parent is parent
    copy = pickle.loads(pickle.dumps(tree))
    assert copy.prefixes() == ["10.0.0.0/8", "10.1.0.0/16"]
    # An address of both forms finds the IPv4 route first; a prefix does not.
    mapped = tree.add("::ffff:10.0.0.0/104")
    assert tree.search_best("::ffff:10.9.9.9") is parent
    assert tree.search_best("::ffff:10.9.9.9/128") is mapped


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, TypeError),
        ({"network": "10.0.0.0", "packed": bytes(4)}, TypeError),
        ({"network": 5}, TypeError),
        ({"network": "10.0.0.0/8", "masklen": 8}, ValueError),
        ({"network": "10.0.0.0", "masklen": 33}, ValueError),
        ({"network": "blah"}, ValueError),
        ({"packed": bytes(5)}, ValueError),
    ],
)
def test_malformed_arguments_of_radix(arguments: dict[str, Any], error: type[Exception]) -> None:
    tree = radix.Radix()
    for method in (tree.add, tree.delete, tree.search_exact, tree.search_best, tree.search_worst):
        with pytest.raises(error):
            method(**arguments)


def test_text_and_bytes_in_subnettree() -> None:
    tree: subnettree.SubnetTree[str] = subnettree.SubnetTree()
    tree["49.58.0.0/16"] = "text"
    assert tree[b"49.58.1.1"] == tree["::ffff:49.58.1.1"] == "text"
    assert bytes([49, 58, 1, 1]) not in tree
    with pytest.raises(KeyError):
        tree["blah"]
    for bad in (None, 42):
        with pytest.raises(TypeError):
            tree[bad]  # type: ignore[index]
        with pytest.raises(TypeError):
            tree.insert(bad)  # type: ignore[arg-type]
    tree.set_binary_lookup_mode()
    assert tree.get_binary_lookup_mode()
    # Text is then taken as bytes.
    assert tree[bytes([49, 58, 1, 1])] == tree["1::5"] == "text"
    with pytest.raises(ValueError):
        "49.58.1.1" in tree  # noqa: B015
    with pytest.raises(KeyError):
        tree["49.58.1.1"]
    with pytest.raises(RuntimeError):
        tree.remove("10.0.0.0/8")
    assert pickle.loads(pickle.dumps(tree)).prefixes(True) == {"49.58.0.0/16"}


def test_files_of_pyasn(tmp_path: Path) -> None:
    path = tmp_path / "asn.dat.gz"
    path.write_bytes(
        gzip.compress(b"; IP-ASN32-DAT file\n; made of nothing\n\n10.0.0.0/8\t64500\n2001:db8::/32\t64501\n")
    )
    names = tmp_path / "names.json.gz"
    names.write_bytes(gzip.compress(json.dumps({"64500": "Example"}).encode()))
    database = pyasn.pyasn(str(path), as_names_file=str(names))
    assert database.lookup("10.1.2.3") == (64500, "10.0.0.0/8")
    assert database.lookup("2001:db8::1") == (64501, "2001:db8::/32")
    assert database.get_as_name(64500) == "Example"
    assert database.get_as_name(-1) is None
    assert database.get_as_size(64501) == 0
    assert "2 prefixes" in repr(database)
    assert pickle.loads(pickle.dumps(database)).lookup("11.0.0.0") == (None, None)
    for arguments in ((None,), (None, None, "10.0.0.0/8\tCH\n")):
        with pytest.raises(ValueError):
            pyasn.pyasn(*arguments)
    for asdot in ("5", "ASx", "AS1.x"):
        with pytest.raises(ValueError):
            pyasn.pyasn.convert_asdot_to_32bit_asn(asdot)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    table = Table(values={"country.iso_code": str, "country.names.en": str, "postal.0": int, "postal.1": int})
    table["10.0.0.0/8"] = ("CH", None, 8000, 8001)
    table["10.0.1.0/24"] = ("DE", "Germany", None, None)
    table["2001:db8::/32"] = (None, None, None, None)
    table.save(tmp_path / "table.image")
    return tmp_path / "table.image"


def test_maxminddb_reads_images(image: Path) -> None:
    with maxminddb.open_database(image) as reader:
        assert reader.get("10.9.9.9") == {"country": {"iso_code": "CH"}, "postal": [8000, 8001]}
        german = {"country": {"iso_code": "DE", "names": {"en": "Germany"}}}
        assert reader.get_with_prefix_len(ipaddress.ip_address("10.0.1.1")) == (german, 24)
        assert reader.get_with_prefix_len("::ffff:10.0.1.1") == (german, 120)
        assert reader.get_with_prefix_len("10.0.1.1:443") == (german, 24)
        assert reader.get("2001:db8::1") == {}
        assert reader.get("11.0.0.0") is None
        # 10.0.0.0/7 is the largest prefix of 11.0.0.0 with a route.
        assert reader.get_with_prefix_len("11.0.0.0") == (None, 8)
        assert reader.get_with_prefix_len("128.0.0.0") == (None, 1)
        assert dict(reader)[ipaddress.ip_network("10.0.1.0/24")] == german
        assert reader.metadata().ip_version == 6
        with pytest.raises(ValueError, match="'x' does not appear"):
            reader.get("x")
        with pytest.raises(TypeError):
            reader.get(5)  # type: ignore[arg-type]
    for query in (reader.get, reader.get_with_prefix_len):
        with pytest.raises(ValueError, match="closed"):
            query("10.0.0.1")
    with pytest.raises(ValueError, match="closed"):
        reader.__enter__()


@pytest.mark.parametrize(
    ("end", "is_damaged"),
    [
        (b"", False),
        (b"nothing", False),
        # A map with one member, of which the value is a pointer to itself.
        (b"\xab\xcd\xefMaxMind.com\xe1Aa\x20\x00", True),
        (b"\xab\xcd\xefMaxMind.com\xe5Aa", True),
        (b"\xab\xcd\xefMaxMind.com\x41\xff", True),
        (b"\xab\xcd\xefMaxMind.com\x41a", True),
    ],
)
def test_damaged_metadata_of_maxminddb(end: bytes, is_damaged: bool) -> None:
    if is_damaged:
        with pytest.raises(maxminddb.InvalidDatabaseError, match="metadata"):
            maxminddb._metadata(end)
    else:
        assert maxminddb._metadata(end) == maxminddb.Metadata()


def test_maxminddb_reads_other_tables(tmp_path: Path) -> None:
    Table({"10.0.0.0/8": 5}, values=int).save(tmp_path / "numbers.image")
    assert maxminddb.open_database(tmp_path / "numbers.image").get("10.0.0.1") == 5
    (tmp_path / "table.csv").write_text("network,a,a.b\n10.0.0.0/8,1,2\n")
    with open(tmp_path / "table.csv", "rb") as file:
        reader = maxminddb.open_database(file, maxminddb.MODE_FD)
    # A name that is also the path of another is not split.
    assert reader.get("10.0.0.1") == {"a": 1, "a.b": 2}
    (tmp_path / "empty").write_text("nothing\n")
    with pytest.raises(maxminddb.InvalidDatabaseError, match="empty"):
        maxminddb.open_database(str(tmp_path / "empty"))
    with pytest.raises(FileNotFoundError):
        maxminddb.open_database(tmp_path / "missing")
    with pytest.raises(ValueError, match="mode"):
        maxminddb.Reader(tmp_path / "table.csv", 100)
