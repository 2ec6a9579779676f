"""lookup_first64: IPv6 addresses by their first 64 bits, with and without the last 64."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import vector_rows as v
from sizes import sized

import fingerpost

# Around the size of a block, 1,024 rows.
SIZES = sized([0, 1, 9, 1024, 1025], [0, 1, 7, 8, 9, 1023, 1024, 1025, 2100])
UP_TO_64 = {where: hop for where, hop in v.ROUTES.items() if int(where.split("/")[1]) <= 64}
UP_TO_64["2001:db8:1:2::/64"] = 12

Halves = npt.NDArray[np.uint64]


def halves(rows: list[str | None]) -> tuple[Halves, Halves]:
    numbers = v.numbers(rows)
    return (
        np.array([n >> 64 for n in numbers], np.uint64),
        np.array([n & 2**64 - 1 for n in numbers], np.uint64),
    )


def minus_one(answers: list[object]) -> list[object]:
    return [-1 if one is None else one for one in answers]


@pytest.mark.parametrize("size", SIZES)
def test_both_halves_answer_every_table(size: int) -> None:
    rows = v.sample(size, 5, family=6)
    first, low = halves(rows)
    for table in (v.integers(), v.texts(), v.rows_of_two_columns()):
        for want in ("value", "prefix", "length", "index"):
            joined = table.lookup_many(np.stack([first, low], axis=1), want)
            answers = table.lookup_first64(first, low, want=want)
            assert answers.dtype == joined.dtype
            assert answers.tolist() == joined.tolist()
    table = v.integers()
    assert table.lookup_first64(first, low).tolist() == minus_one(v.one_by_one(table, rows))


@pytest.mark.parametrize("size", SIZES)
def test_first_halves_answer_tables_without_longer_routes(size: int) -> None:
    table = fingerpost.Table(UP_TO_64, values=int)
    rows = v.sample(size, 6, family=6)
    first, _ = halves(rows)
    assert table.lookup_first64(first).tolist() == minus_one(v.one_by_one(table, rows))
    for want in ("prefix", "length"):
        expected = v.one_by_one(table, rows, want)
        assert table.lookup_first64(first, want=want).tolist() == (
            minus_one(expected) if want == "length" else expected
        )
    both = table.lookup_first64(first, want=["value", "length"], default={"value": 5})
    assert both["value"].tolist() == [5 if one is None else one for one in v.one_by_one(table, rows)]


@pytest.mark.parametrize("order", ["<", ">"])
def test_byte_orders_strides_and_alignments(order: str) -> None:
    table = v.integers()
    rows = v.sample(1500, 7, family=6)
    first, low = (column.astype(order + "u8") for column in halves(rows))
    expected = table.lookup_first64(*halves(rows))
    assert table.lookup_first64(first, low).tolist() == expected.tolist()
    assert table.lookup_first64(first[::-2], low[::-2]).tolist() == expected[::-2].tolist()
    assert table.lookup_first64(np.repeat(first, 3)[1::3], low).tolist() == expected.tolist()
    odd = np.frombuffer(b"x" + first.tobytes(), order + "u8", offset=1)
    assert table.lookup_first64(odd, low).tolist() == expected.tolist()
    one = np.broadcast_to(first[:1], (40,))
    assert set(table.lookup_first64(one, np.broadcast_to(low[:1], (40,))).tolist()) == {int(expected[0])}


def test_a_longer_route_makes_first_halves_undecided_until_it_goes() -> None:
    table = fingerpost.Table(UP_TO_64, values=int)
    first, low = halves(["2001:db8:1:2::9", "2001:db8:1:2:8000::9"])
    assert table.lookup_first64(first).tolist() == [12, 12]
    table["2001:db8:1:2:8000::/65"] = 13
    with pytest.raises(ValueError, match="routes longer than /64: first halves are not enough; pass low="):
        table.lookup_first64(first)
    with pytest.raises(ValueError, match="routes longer than /64"):
        table.lookup_first64(first, want="prefix")
    assert table.lookup_first64(first, low).tolist() == [12, 13]
    del table["2001:db8:1:2:8000::/65"]
    assert table.lookup_first64(first).tolist() == [12, 12]


def test_images_and_tables_of_one_family(tmp_path: Path) -> None:
    first, low = halves(v.sample(300, 8, family=6))
    for routes in (v.ROUTES, UP_TO_64):
        table = fingerpost.Table(routes, values=int)
        table.save(tmp_path / "image")
        mapped = fingerpost.Table.open(tmp_path / "image")
        assert mapped.lookup_first64(first, low).tolist() == table.lookup_first64(first, low).tolist()
        if routes is UP_TO_64:
            assert mapped.lookup_first64(first).tolist() == table.lookup_first64(first).tolist()
        else:
            with pytest.raises(ValueError, match="longer than /64"):
                mapped.lookup_first64(first)
    only4 = fingerpost.Table({"10.0.0.0/8": 1}, values=int)
    assert set(only4.lookup_first64(first).tolist()) == {-1}


def test_reports_and_threads() -> None:
    table = fingerpost.Table(UP_TO_64, values=int)
    rows = v.sample(1000, 9, family=6)
    first, _ = halves(rows * 70)
    report = fingerpost.Report()
    answers = table.lookup_first64(first, threads=3, report=report)
    expected = minus_one(v.one_by_one(table, rows))
    assert answers.tolist() == expected * 70
    assert report.rows == 70_000
    assert report.missed == 70 * expected.count(-1)


@pytest.mark.parametrize(
    ("first", "low", "error", "words"),
    [
        ([1, 2], None, TypeError, "first takes a numpy array, uint64 .* not list"),
        (np.zeros(2, np.int64), None, TypeError, "first takes an array of uint64 .* not of int64"),
        (np.zeros(2, np.uint32), None, TypeError, "not of uint32 and shape"),
        (np.zeros(2, np.float64), None, TypeError, "not of float64"),
        (np.zeros((2, 2), np.uint64), None, TypeError, r"shape \(n,\), not of uint64 and shape \(2, 2\)"),
        (np.uint64(5), None, TypeError, r"shape \(\)"),
        (np.ma.masked_array(np.zeros(2, np.uint64), [False, True]), None, TypeError, "masked array"),
        (None, None, TypeError, "not NoneType"),
        (np.zeros(2, np.uint64), [1, 2], TypeError, "low takes a numpy array"),
        (np.zeros(2, np.uint64), np.zeros(2, np.int64), TypeError, "low takes an array of uint64"),
        (np.zeros(2, np.uint64), np.zeros(3, np.uint64), ValueError, "not 2 and 3 rows"),
        (np.zeros(0, np.uint64), np.zeros(1, np.uint64), ValueError, "not 0 and 1 rows"),
    ],
)
def test_what_is_no_array_of_halves_is_refused(
    first: object, low: object, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        v.integers().lookup_first64(first, low)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="nosuch"):
        v.integers().lookup_first64(np.zeros(1, np.uint64), np.zeros(1, np.uint64), want="nosuch")


def test_others_run_meanwhile_and_answers_are_right_or_refused() -> None:
    """A /65 route comes and goes in another thread, which needs the GIL for this."""
    table = fingerpost.Table(UP_TO_64, values=int)
    first, _ = halves(["2001:db8:1:2::"] * 4000)
    over = threading.Event()
    changes = 0

    def change() -> None:
        nonlocal changes
        while not over.is_set():
            table["2001:db8:1:2::/65"] = 13
            del table["2001:db8:1:2::/65"]
            changes += 1

    thread = threading.Thread(target=change)
    thread.start()
    answered = refused = 0
    try:
        while (answered < 5 or refused < 5 or changes < 5) and answered + refused < 200_000:
            try:
                assert set(table.lookup_first64(first).tolist()) == {12}
                answered += 1
            except ValueError:
                refused += 1
    finally:
        over.set()
        thread.join()
    assert answered >= 5
    assert refused >= 1
