"""Ctrl-C in a long lookup_many: it raises KeyboardInterrupt soon, and the table stays usable."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy
import pytest
from sizes import sized

from fingerpost import Table

pa = pytest.importorskip("pyarrow")

ROWS = sized(6_000_000, 30_000_000)


def long_texts(rows: int = ROWS) -> numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.bytes_]]:
    """Returns rows that need no memory, but take some time to look up."""
    return numpy.broadcast_to(numpy.array(b"2001:db8:1234:5678:9abc:def0:1234:5678"), (rows,))


def array(table: Table[int]) -> Callable[[], object]:
    rows = long_texts()
    return lambda: table.lookup_many(rows)


def array_in_threads(table: Table[int]) -> Callable[[], object]:
    rows = long_texts(30_000_000)  # fewer would end before the threads check for signals
    return lambda: table.lookup_many(rows, threads=4)


def prefixes(table: Table[int]) -> Callable[[], object]:
    rows = pa.chunked_array([pa.array(["2001:db8:1234:5678:9abc::1", "10.1.2.3"] * (ROWS // 60))] * 30)
    return lambda: table.lookup_many(rows, "prefix")


def entries(table: Table[int]) -> Callable[[], object]:
    texts = pa.array(["2001:db8:1234:5678:9abc:def0:1234:5678"] * (ROWS // 30))
    one = pa.array([0], pa.int8())
    # Nothing is shared, because each dictionary has another offset.
    dictionaries = [pa.DictionaryArray.from_arrays(one, texts[i:]) for i in range(40)]
    rows = pa.chunked_array(dictionaries)
    return lambda: table.lookup_many(rows)


def objects(table: Table[int]) -> Callable[[], object]:
    rows = ["10.1.2.3"] * (ROWS // 4)
    return lambda: table.lookup_many(rows)


@pytest.fixture
def alarm() -> Iterator[None]:
    """Makes SIGALRM act like Ctrl-C. A timer sends it whatever the threads of this process do."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("make", [array, array_in_threads, prefixes, entries, objects])
def test_it_ends_long_before_the_rows(
    make: Callable[[Table[int]], Callable[[], object]], alarm: None
) -> None:
    table: Table[int] = Table({"10.0.0.0/8": 1, "10.1.0.0/16": 2, "2001:db8::/32": 3}, values=int)
    ask = make(table)
    begun = time.monotonic()
    ask()
    whole = time.monotonic() - begun
    # One of ten attempts must succeed, because other programs may delay some.
    for _ in range(10):
        begun = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, whole / 20)
        with pytest.raises(KeyboardInterrupt):
            ask()
        taken = time.monotonic() - begun
        if taken < whole * 0.6:
            break
    else:
        pytest.fail(f"it took {taken} s of {whole}")
    table["11.0.0.0/8"] = 4
    assert table.lookup_many(["11.0.0.1", "10.1.0.1", "2001:db8::1"]) == [4, 2, 3]


def test_handlers_run_while_rows_are_looked_up() -> None:
    """A handler that does not raise does not end the lookup. It may change the table, and later rows see the
    change."""
    table: Table[int] = Table({"10.0.0.0/8": 1}, values=int)

    def handle(number: int, frame: object) -> None:
        table["2001:db8::/32"] = number

    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        found = table.lookup_many(long_texts())
    finally:
        signal.signal(signal.SIGALRM, before)
    assert (found[0], found[-1]) == (-1, signal.SIGALRM)


def test_other_threads_are_not_interrupted() -> None:
    code = (
        "import numpy, os, signal, threading, time, fingerpost\n"
        "table = fingerpost.Table({'10.0.0.0/8': 1}, values=int)\n"
        f"rows = numpy.broadcast_to(numpy.array(b'10.1.2.3'), ({ROWS},))\n"
        "found = []\n"
        "other = threading.Thread(target=lambda: found.append(table.lookup_many(rows)))\n"
        "other.start()\n"
        "try:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(10)\n"
        "except KeyboardInterrupt:\n"
        "    other.join()\n"
        "    assert (found[0] == 1).all()\n"
        "    print('interrupted')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
