"""Threads that look up while others change the table: no crash, lost update, wrong value or leaked reference."""

from __future__ import annotations

import gc
import sys
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from sizes import sized

from fingerpost import Table

SECONDS = sized(0.3, 2.0)
READERS = 4


class Version:
    """A value that stores its route and its version number."""

    def __init__(self, route: int, number: int) -> None:
        self.route = route
        self.number = number


def play(*parts: Callable[[Callable[[], bool]], None]) -> None:
    """Runs each part in a thread until the time is up or one of them fails, and raises its exception."""
    end = time.monotonic() + SECONDS
    running: list[Future[None]] = []

    def goes_on() -> bool:
        return time.monotonic() < end and not any(one.done() for one in running)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(len(parts)) as pool:
            running.extend([pool.submit(part, goes_on) for part in parts])
    finally:
        sys.setswitchinterval(interval)
    for one in running:
        one.result()


def test_lookups_while_another_thread_changes() -> None:
    routes = 200
    table: Table[Version] = Table((f"10.{i}.0.0/16", Version(i, 0)) for i in range(routes))
    # The writer's progress for each route: the version being written, and the last one written.
    begun = [0] * routes
    done = [0] * routes
    changes = 0

    def write(goes_on: Callable[[], bool]) -> None:
        nonlocal changes
        while goes_on():
            for i in range(routes):
                begun[i] += 1
                table[f"10.{i}.0.0/16"] = Version(i, begun[i])
                done[i] = begun[i]
            # Many changes in one call, which commits without the GIL.
            for i in range(routes):
                begun[i] += 1
            table.update([(f"10.{i}.0.0/16", Version(i, begun[i])) for i in range(routes)])
            done[:] = begun
            changes += 2

    looked_up = 0

    def read(goes_on: Callable[[], bool]) -> None:
        nonlocal looked_up
        while goes_on():
            for i in range(routes):
                least = done[i]
                found = table.lookup(f"10.{i}.1.2")
                assert found is not None
                assert found.route == i
                assert least <= found.number <= begun[i]
                exact = table[f"10.{i}.0.0/16"]
                assert exact.route == i
                assert least <= exact.number
            looked_up += routes

    play(write, *[read] * READERS)
    assert changes > 2
    assert looked_up > 0
    for i in range(routes):
        assert table.lookup(f"10.{i}.0.0").number == done[i]
    # The table references only the latest versions.
    last = [weakref.ref(value) for value in table.values()]
    gc.collect()
    assert sum(isinstance(o, Version) for o in gc.get_objects()) == routes
    for ref in last:
        value = ref()
        # This name, the argument, the table.
        assert sys.getrefcount(value) == 3
    del value
    table.clear()
    gc.collect()
    assert all(ref() is None for ref in last)


def test_no_update_of_two_writers_is_lost() -> None:
    table = Table(values=int)
    counts = [0, 0, 0]

    def writer(own: int) -> Callable[[Callable[[], bool]], None]:
        def write(goes_on: Callable[[], bool]) -> None:
            while goes_on():
                n = counts[own]
                table[f"10.{own}.{n >> 8 & 255}.{n & 255}"] = n
                if n % 7 == 0:
                    table.update({f"2001:db8:{own}::{n:x}": n, f"2001:db8:{own}:1::{n:x}": n})
                if n % 100 == 0:
                    table.update((f"11.{own}.{n >> 8 & 255}.{j}", n) for j in range(100))
                counts[own] = n + 1

        return write

    play(*[writer(own) for own in range(3)])
    for own, count in enumerate(counts):
        assert count > 100
        for n in range(max(0, count - 65536), count):
            assert table[f"10.{own}.{n >> 8 & 255}.{n & 255}"] == n
            assert n % 7 != 0 or table[f"2001:db8:{own}:1::{n:x}"] == n


def test_iterations_and_copies_while_others_replace_everything() -> None:
    half = 3000
    states = [
        {f"10.{i >> 8}.{i & 255}.0/24": (state, i) for i in range(state * 1000, half + state * 1000)}
        for state in range(2)
    ]
    table = Table(states[0])
    turns = [0, 0]

    def write(goes_on: Callable[[], bool]) -> None:
        while goes_on():
            for state in states:
                table.replace_all(state)
                turns[0] += 1

    def read(goes_on: Callable[[], bool]) -> None:
        while goes_on():
            # Both families change together: every moment shows one of the two states.
            assert dict(table.items()) in states
            assert dict(table.copy().items()) in states
            assert len(table) == half
            turns[1] += 1

    play(write, read, read)
    assert min(turns) > 1


def test_rows_while_rows_are_added() -> None:
    table = Table({"10.0.0.0/8": ("0", "0")}, values=["a", "b"])

    def write(goes_on: Callable[[], bool]) -> None:
        n = 0
        while goes_on():
            n += 1
            table["10.0.0.0/8"] = (str(n), str(n))

    def read(goes_on: Callable[[], bool]) -> None:
        last = 0
        while goes_on():
            found = table.lookup("10.0.0.1")
            assert found["a"] == found["b"]
            assert int(found["a"]) >= last
            last = int(found["a"])

    play(write, *[read] * READERS)
    assert int(table["10.0.0.0/8"]["a"]) > 1
