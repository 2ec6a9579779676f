"""match() uses the exact table at first, and numbered routes when it is called often."""

from __future__ import annotations

import gc
import ipaddress
import random
import threading
from pathlib import Path

import pytest
from sizes import sized

import fingerpost
from fingerpost import Table

ROUTES = sized(1200, 5000)
# More than half of the routes, and a multiple of the number of calls between two checks whether to number the routes.
OFTEN = sized(2, 8) * 1024


def routes(version: int, seed: int) -> dict[str, int]:
    draw = random.Random(seed)
    bits = 32 if version == 4 else 128
    made: dict[str, int] = {}
    while len(made) < ROUTES:
        length = draw.randint(8, 24) if version == 4 else draw.randint(20, 64)
        number = draw.getrandbits(bits) if version == 4 else 1 << 125 | draw.getrandbits(100)
        make = ipaddress.IPv4Network if version == 4 else ipaddress.IPv6Network
        made[str(make((number >> (bits - length) << (bits - length), length)))] = len(made)
    return made


def addresses(of: dict[str, int], seed: int) -> list[str]:
    draw = random.Random(seed)
    found = []
    for prefix in draw.sample(list(of), 300):
        network = ipaddress.ip_network(prefix)
        found.append(str(network[draw.randrange(network.num_addresses)]))
    return found


def expected(table: fingerpost.AnyTable, address: str) -> tuple[str, object] | None:
    covers = table.covering(address)
    return covers[-1] if covers else None


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("kind", ["int", "object", "rows", "image"])
def test_it_answers_alike_however_often_it_is_asked(kind: str, version: int, tmp_path: Path) -> None:
    made = routes(version, 1)
    table: fingerpost.AnyTable
    if kind == "int":
        table = Table(made, values=int)
    elif kind == "object":
        table = Table({prefix: [value] for prefix, value in made.items()})
    else:
        table = Table({prefix: (str(value), "x") for prefix, value in made.items()}, values=["a", "b"])
    if kind == "image":
        table.save(tmp_path / "table.image")
        table = fingerpost.open(tmp_path / "table.image")
    asked = addresses(made, 2) + ["203.0.113.1", "::1"]
    right = [expected(table, one) for one in asked]
    assert [table.match(one) for one in asked] == right
    for number in range(OFTEN):
        assert table.match(asked[number % len(asked)]) == right[number % len(asked)]
    packed = [ipaddress.ip_address(one).packed for one in asked]
    assert [table.match(one) for one in packed] == right
    assert table.lookup_many(asked, "prefix") == [one and one[0] for one in right]
    if kind == "image":
        return
    # Each change is visible to the next query, also changes of values that no route has any more.
    value = 7 if kind == "int" else ["new"] if kind == "object" else ("n", "y")
    whole = "0.0.0.0/0" if version == 4 else "::/0"
    for _ in range(3):
        table[whole] = value
        prefix, had = next((one[0], one[1]) for one in right if one is not None)
        del table[prefix]
        gc.collect()
        after = [expected(table, one) for one in asked]
        assert after != right and (prefix, had) not in after
        for number in range(OFTEN):
            assert table.match(asked[number % len(asked)]) == after[number % len(asked)]
        del table[whole]
        table[prefix] = had if kind != "rows" else tuple(had.values())
        assert [table.match(one) for one in asked] == right


def test_threads_that_match_while_routes_change() -> None:
    table: Table[object] = Table({prefix: str(value) for prefix, value in routes(4, 3).items()})
    asked = addresses({prefix: 0 for prefix in table}, 4)
    table["0.0.0.0/0"] = "0"
    ended = threading.Event()
    failures: list[object] = []

    def ask() -> None:
        number = 0
        while not ended.is_set():
            number += 1
            found = table.match(asked[number % len(asked)])
            address = ipaddress.ip_address(asked[number % len(asked)])
            if found is None or address not in ipaddress.ip_network(found[0]):
                failures.append(found)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for number in range(sized(15, 60)):
            table["0.0.0.0/0"] = f"v{number}"
            for one in asked * sized(4, 20):
                assert table.match(one) is not None
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert failures == []
