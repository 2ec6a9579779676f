"""Objects as values: when they are released, and the special methods that Python calls."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref

import pytest
from sizes import sized

from fingerpost import Table


class Value:
    """An object that supports weak references."""


def test_values_are_let_go_of() -> None:
    table = Table()
    value = Value()
    refs = sys.getrefcount(value)
    for i in range(100):
        table[f"10.{i}.0.0/16"] = value
    # One object for all, because they share a slot.
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
    with pytest.raises(ValueError, match="unexpected 'x'"):
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
for megabytes in range(1, 400, int(sys.argv[1])):
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
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("the address sanitizer takes more memory than any limit")
    # Runs in a separate process, in which one allocation after the other fails.
    told = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", SHORT_OF_MEMORY, str(sized(6, 3))],
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
    # A freed slot is not reused while an iteration may refer to it.
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
    """An object that changes the table whenever Python calls one of its methods."""

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
    """An address that raises a custom exception."""

    def __index__(self) -> int:
        raise LookupError("no index today")


def test_errors_of_objects_pass_through() -> None:
    table = Table(values=int)
    with pytest.raises(LookupError, match="no index today"):
        table.lookup(BadKey(), family=4)
    with pytest.raises(LookupError, match="no index today"):
        table["10.0.0.0/8"] = BadKey()
    assert len(table) == 0
