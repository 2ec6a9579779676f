"""lookup_many in threads while another thread changes routes: each answer was right at some moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest
import vector_rows as v
from sizes import sized

import fingerpost

pa = pytest.importorskip("pyarrow")

SECONDS = sized(0.2, 1.0)


def run(change: Callable[[int], None], ask: Callable[[int], None], changes: int, askers: int = 4) -> None:
    """Changes the table in one thread and queries it in others, until all have done so often enough."""
    stop = threading.Event()
    failures: list[BaseException] = []
    counts = [0] * (askers + 1)

    def repeat(which: int, body: Callable[[int], None]) -> None:
        try:
            while not stop.is_set():
                body(counts[which])
                counts[which] += 1
        except BaseException as error:  # noqa: BLE001
            failures.append(error)
            stop.set()

    threads = [threading.Thread(target=repeat, args=(0, change))]
    threads += [threading.Thread(target=repeat, args=(i + 1, ask)) for i in range(askers)]
    for thread in threads:
        thread.start()
    begun = time.monotonic()
    while not stop.wait(0.01) and time.monotonic() - begun < 60:
        if time.monotonic() - begun > SECONDS and counts[0] > changes and min(counts[1:]) > 5:
            break
    stop.set()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    assert counts[0] > changes
    assert min(counts[1:]) > 5


def test_numbers_of_routes_that_come_and_go() -> None:
    table = fingerpost.Table({"10.0.0.0/8": 1, "2001:db8::/32": 7}, values=int)
    rows = np.array([0x0A010203, 0x0A800001, 0x0B000001], dtype=np.uint32).repeat(5000)
    texts = pa.array(["10.1.2.3", "10.128.0.1", "2001:db8::1", None, "bad"] * 2000)

    def change(turn: int) -> None:
        if turn % 2:
            del table["10.1.0.0/16"]
        else:
            table["10.1.0.0/16"] = 2

    def ask(turn: int) -> None:
        answers = table.lookup_many(rows, threads=1 + turn % 2).reshape(3, 5000)
        assert set(np.unique(answers[0])) <= {1, 2}
        assert set(answers[1]) == {1}
        assert set(answers[2]) == {-1}
        report = fingerpost.Report()
        column = table.lookup_many(texts, report=report).to_pylist()
        assert set(column[0::5]) <= {1, 2}
        assert set(column[2::5]) == {7}
        assert set(column[3::5]) == set(column[4::5]) == {None}
        assert (report.nulls, report.bad, report.matched) == (2000, 2000, 6000)

    run(change, ask, changes=20)


def test_objects_stay_alive_and_belong_to_their_route() -> None:
    """Objects are released as routes change. An answer never contains the object of another route."""

    class Value:
        def __init__(self, where: str) -> None:
            self.where = where

    table: fingerpost.Table[object] = fingerpost.Table()
    prefixes = [f"10.{i}.0.0/16" for i in range(64)]
    table.update({where: Value(where) for where in prefixes})
    rows = [f"10.{i % 70}.1.1" for i in range(4000)]

    def change(turn: int) -> None:
        where = prefixes[turn * 7 % 64]
        if turn % 3:
            table[where] = Value(where)
        else:
            table.pop(where, None)

    def ask(turn: int) -> None:
        answers = table.lookup_many(rows) if turn % 2 else table.lookup_many(np.array(rows)).tolist()
        for row, answer in zip(rows, answers, strict=True):
            assert answer is None or (
                isinstance(answer, Value) and answer.where == row.rsplit(".", 2)[0] + ".0.0/16"
            )
        assert answers[64] is None

    run(change, ask, changes=100)


def test_rows_of_text_that_are_new() -> None:
    """New rows get numbers while a lookup runs, and the lookup may encounter these."""
    table = fingerpost.Table({"10.0.0.0/8": "0"}, values=["turn"])
    texts = pa.array(["10.1.2.3", "11.0.0.1"] * 3000)
    last = 0

    def change(turn: int) -> None:
        nonlocal last
        table["10.1.0.0/16"] = str(turn)
        assert table.lookup("10.1.2.3") == str(turn)
        last = turn

    def ask(turn: int) -> None:
        before = last
        answers = table.lookup_many(texts, "turn" if turn % 2 else "value").to_pylist()
        assert set(answers[1::2]) == {None}
        numbers = [int(one) for one in answers[0::2]]
        assert numbers == sorted(numbers) or before == 0
        assert numbers[0] >= before

    table["10.1.0.0/16"] = "0"
    run(change, ask, changes=50, askers=3)


def test_prefixes_of_routes_that_come_and_go() -> None:
    many = {f"172.{i}.{j}.0/24": 5 for i in range(16, 32) for j in range(256)}
    table = fingerpost.Table({"10.0.0.0/8": 1} | many, values=int)
    few, enough = ["10.1.2.3", "11.0.0.1"], ["10.1.2.3", "11.0.0.1"] * 2000

    def change(turn: int) -> None:
        table["10.1.0.0/16"] = 2
        time.sleep(0.001)
        del table["10.1.0.0/16"]

    def ask(turn: int) -> None:
        for rows in (few, enough):
            answers = table.lookup_many(rows, ["value", "prefix", "length"])
            found = set(zip(answers["value"], answers["prefix"], answers["length"], strict=True))
            assert found <= {(1, "10.0.0.0/8", 8), (2, "10.1.0.0/16", 16), (None, None, None)}
            assert (None, None, None) in found

    run(change, ask, changes=5, askers=2)


def test_python_goes_on_while_rows_are_looked_up() -> None:
    """The GIL is released: a thread that only counts makes progress during one long lookup."""
    table = v.integers()
    rows = pa.array(v.sample(2_000, 3) * 1000)
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    ticker = threading.Thread(target=tick)
    ticker.start()
    begin = time.perf_counter()
    table.lookup_many(rows)
    end = time.perf_counter()
    done.set()
    ticker.join()
    during = [at for at in ticks if begin < at < end]
    assert len(during) > (end - begin) / 0.02
