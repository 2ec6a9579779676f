"""lookup_many with objects as values, returned as Arrow columns: the values in the table determine the type."""

from __future__ import annotations

import threading

import pytest
from sizes import sized

from fingerpost import Table

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("want", ["value", ["value", "index"], ["value", "prefix"]])
def test_objects_that_have_left_the_table_do_not_matter(want: str | list[str]) -> None:
    table: Table[object] = Table({"10.0.0.0/8": object(), "11.0.0.0/8": 2.5, "12.0.0.0/8": "kept"})
    rows = pa.array(["10.0.0.1", "11.0.0.1", "12.0.0.1", "13.0.0.1"])
    # While an iterator over the routes lives, none of their objects is released.
    walk = iter(table.items())
    table["10.0.0.0/8"] = "text"
    with pytest.raises(TypeError, match="some are text and some are numbers"):
        table.lookup_many(rows, want)
    del table["11.0.0.0/8"]
    found = table.lookup_many(rows, want)
    if want != "value":
        found = found.field("value")
    assert found.to_pylist() == ["text", None, "kept", None]
    assert found.type == pa.string()
    assert [prefix for prefix, _ in walk] == ["10.0.0.0/8", "11.0.0.0/8", "12.0.0.0/8"]
    # The slots of both are free now.
    found = table.lookup_many(rows)
    assert (found.to_pylist(), found.type) == (["text", None, "kept", None], pa.string())
    table.clear()
    table["::/0"] = 7
    assert table.lookup_many(rows).type == pa.int64()


def test_what_is_known_of_the_objects_ends_with_a_change() -> None:
    """For many small columns the objects are examined once, until the table changes."""
    rows = pa.array(["10.0.0.1", "11.0.0.1"])
    table: Table[object] = Table({"10.0.0.0/8": 1, "11.0.0.0/8": 2})
    steps: list[tuple[str, object, list[object], pa.DataType]] = [
        ("11.0.0.0/8", 3, [1, 3], pa.int64()),
        ("11.0.0.0/8", 2.5, [1.0, 2.5], pa.float64()),
        ("11.0.0.0/8", None, [1, None], pa.int64()),
        ("10.0.0.0/8", "a", ["a", None], pa.string()),
        ("12.0.0.0/8", "unused", ["a", None], pa.string()),
    ]
    for prefix, value, values, of in steps:
        table[prefix] = value
        for _ in range(3):
            found = table.lookup_many(rows)
            assert (found.to_pylist(), found.type) == (values, of)
            assert table.lookup_many(rows, ["value", "length"]).field("value").to_pylist() == values
    table["13.0.0.0/8"] = 5
    for _ in range(2):
        with pytest.raises(TypeError, match="some are text and some are numbers"):
            table.lookup_many(rows)
    del table["13.0.0.0/8"]
    assert table.lookup_many(rows).to_pylist() == ["a", None]


@pytest.mark.parametrize("want", ["value", "prefix"])
def test_objects_that_leave_while_rows_are_looked_up(want: str) -> None:
    """An answer contains the value that the route had at that moment, even when no route has it any more."""
    table: Table[object] = Table({"10.0.0.0/8": "a0"})
    rows = pa.array(["10.0.0.1"] * 200_000)
    ended = threading.Event()

    def change() -> None:
        number = 0
        while not ended.is_set():
            number += 1
            table["10.0.0.0/8"] = f"a{number}"

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(sized(6, 30)):
            found = table.lookup_many(rows, ["value", want] if want != "value" else "value")
            values = found if want == "value" else found.field("value")
            numbers = [int(text[1:]) for text in values.unique().to_pylist()]
            assert numbers == sorted(numbers)
    finally:
        ended.set()
        changer.join()
