"""fingerpost.cuda.Table: values, updates, closing, threads, and errors of CUDA."""

from __future__ import annotations

import functools
import gc
import threading
from pathlib import Path
from typing import Any

import cuda_rows as c
import numpy as np
import pytest
from fake_cuda import FakeCuda, InterfaceArray, on_host

import fingerpost.cuda
from fingerpost.cuda import Column


def cells_of(column: Column) -> list[Any]:
    """Returns the values of a column as Python objects, None where it has none."""
    values, valid = (
        part if isinstance(part, np.ndarray) else on_host(part) for part in (column.values, column.valid)
    )
    assert valid.dtype == np.bool_
    cells = values.tolist()
    if column.categories is not None:
        assert values.dtype == np.int32
        assert (values < 0).tolist() == (~valid).tolist()
        cells = [column.categories[place] if place >= 0 else None for place in cells]
    return [cell if known else None for cell, known in zip(cells, valid.tolist(), strict=True)]


@pytest.mark.parametrize("where", ["device", "host"])
@pytest.mark.parametrize("size", [0, 1, 1025])
@pytest.mark.parametrize("family", [4, 6])
def test_columns_of_all_types(cuda: FakeCuda, family: int, size: int, where: str) -> None:
    rows = c.addresses(family, size)
    array = rows if where == "host" else InterfaceArray(rows, cuda)
    host = c.rows()
    expected = host.lookup_many(rows, list(c.TYPES))
    with fingerpost.cuda.Table(host) as table:
        types = {"asn": np.int64, "city": np.int32, "load": np.float64, "far": np.bool_}
        for name, dtype in types.items():
            column = table.lookup(array, name)
            assert column.values.dtype == dtype
            assert column.values.shape == column.valid.shape == (size,)
            numbers: list[int] = [as_int(row) for row in rows]
            assert cells_of(column) == host.lookup_many(numbers, name, family=4 if family == 4 else 6)
            assert cells_of(column) == expected[name].tolist()
        assert table.lookup(array, "city").categories == ("city 0 é", "city 1 é", "city 2 é")
        everything = table.lookup(array, "value")
        assert list(everything) == list(c.TYPES)
        both = table.lookup(array, ["load", "index", "value"])
        assert list(both) == ["load", "index", "value"]
        assert cells_of(both["load"]) == cells_of(everything["load"]) == cells_of(both["value"]["load"])
        numbers = both["index"] if where == "host" else both["index"].copy_to_host()
        np.testing.assert_array_equal(numbers, c.expected(table.image, rows))


def as_int(row: Any) -> Any:
    """Returns an address of c.addresses() as an int."""
    return int(row) if row.shape == () else int(row[0]) << 64 | int(row[1])


def test_missing_values_have_fixed_items(cuda: FakeCuda) -> None:
    nowhere = np.array([0xFFFFFFFF], np.uint32)
    with fingerpost.cuda.Table(c.rows()) as table:
        for name, item in (("asn", 0), ("city", -1), ("far", False)):
            for array in (nowhere, InterfaceArray(nowhere, cuda)):
                column = table.lookup(array, name)
                assert np.asarray(column.values if array is nowhere else on_host(column.values)).tolist() == [
                    item
                ]
        assert np.isnan(on_host(table.lookup(InterfaceArray(nowhere, cuda), "load").values)).all()


def test_values_of_tables_without_several_columns(cuda: FakeCuda) -> None:
    rows = c.addresses(6, 100)
    array = InterfaceArray(rows, cuda)
    with fingerpost.cuda.Table(c.integers()) as table:
        np.testing.assert_array_equal(on_host(table.lookup(array, "value")), c.expected(c.integers(), rows))
        assert list(table.lookup(array, ["value", "index"])) == ["value", "index"]
    texts: fingerpost.Table[str] = fingerpost.Table({prefix: f"é{hop}" for prefix, hop in c.ROUTES.items()})
    one: fingerpost.Table[Any] = fingerpost.Table(
        {prefix: [hop / 2] for prefix, hop in c.ROUTES.items()}, values={"load": float}
    )
    for host in (texts, one):
        with fingerpost.cuda.Table(host) as table:
            expected = host.lookup_many(rows).tolist()
            assert cells_of(table.lookup(array, "value")) == expected
            assert cells_of(table.lookup(rows, "value")) == expected


def test_columns_with_the_names_of_wants(cuda: FakeCuda) -> None:
    host: fingerpost.Table[Any] = fingerpost.Table(
        {prefix: (f"a{hop}", f"b{hop}") for prefix, hop in c.ROUTES.items()}, values=["index", "prefix"]
    )
    rows = c.addresses(4, 50)
    with fingerpost.cuda.Table(host) as table:
        np.testing.assert_array_equal(table.lookup(rows), c.expected(table.image, rows))
        answers = table.lookup(rows, "value")
        expected = [row or {"index": None, "prefix": None} for row in host.lookup_many(rows).tolist()]
        assert cells_of(answers["index"]) == [row["index"] for row in expected]
        assert cells_of(answers["prefix"]) == [row["prefix"] for row in expected]
        with pytest.raises(ValueError, match=r"want='prefix': use one of index, value; lookup_many\(\)"):
            table.lookup(rows, "prefix")


@pytest.mark.parametrize("want", ["nosuch", ["index", "nosuch"], "length", ""])
def test_unknown_wants(cuda: FakeCuda, want: Any) -> None:
    rows = c.addresses(4, 5)
    with fingerpost.cuda.Table(c.rows()) as table:
        for array in (rows, InterfaceArray(rows, cuda)):
            with pytest.raises(ValueError, match="use one of index, value, asn, city, load, far"):
                table.lookup(array, want)
    assert cuda.called("lookup") == []


def test_a_column_is_copied_to_the_device_once(cuda: FakeCuda) -> None:
    rows = c.addresses(4, 9)
    with fingerpost.cuda.Table(c.rows()) as table:
        for _ in range(3):
            table.lookup(InterfaceArray(rows, cuda), "asn")
        assert len(cuda.called("copy")) == 2
        table.lookup(InterfaceArray(rows, cuda), "city")
        assert len(cuda.called("copy")) == 4


def test_empty_tables_and_tables_of_one_family(cuda: FakeCuda, tmp_path: Path) -> None:
    v4, v6 = c.addresses(4, 20), c.addresses(6, 20)
    for prefixes in ([], ["10.0.0.0/8"], ["2001:db8::/32"]):
        host = fingerpost.Table({prefix: 5 for prefix in prefixes}, values=int)
        with fingerpost.cuda.Table(host) as table:
            for rows in (v4, v6):
                np.testing.assert_array_equal(table.lookup(rows), c.expected(host, rows))
    with fingerpost.cuda.Table(fingerpost.Table[Any](values=["city"])) as table:
        column = table.lookup(InterfaceArray(v4, cuda), "city")
        assert cells_of(column) == [None] * 20
        assert column.categories == ()


def test_images_and_other_objects(cuda: FakeCuda, tmp_path: Path) -> None:
    rows = c.addresses(4, 20)
    path = tmp_path / "table.image"
    c.integers().save(path)
    for source in (path, str(path), fingerpost.Table.open(path)):
        with fingerpost.cuda.Table(source) as table:
            np.testing.assert_array_equal(table.lookup(rows), c.expected(c.integers(), rows))
            assert table.image.stats()["mapped"]
            assert table.memory > 0
    with pytest.raises(FileNotFoundError):
        fingerpost.cuda.Table(tmp_path / "nosuch")
    path.write_bytes(b"x" * 1000)
    with pytest.raises(fingerpost.Error):
        fingerpost.cuda.Table(path)
    with pytest.raises(TypeError, match="must be text or integers, not 5"):
        fingerpost.cuda.Table(fingerpost.Table({"10.0.0.0/8": 5}))
    with pytest.raises(TypeError, match="table takes a fingerpost.Table or the path of an image, not dict"):
        fingerpost.cuda.Table({"10.0.0.0/8": 5})  # type: ignore[arg-type]


def test_devices(cuda: FakeCuda) -> None:
    assert fingerpost.cuda.devices() == 2
    with fingerpost.cuda.Table(c.integers(), device=1) as table:
        assert table.device == 1
        assert repr(table) == "<fingerpost.cuda.Table on device 1: 10 routes>"
    assert cuda.called("upload")[0][2] == 1
    for wrong in (-1, 2):
        with pytest.raises(ValueError, match=f"device={wrong}: the number of CUDA devices is 2"):
            fingerpost.cuda.Table(c.integers(), device=wrong)


def test_closed_tables(cuda: FakeCuda) -> None:
    rows = c.addresses(4, 20)
    table = fingerpost.cuda.Table(c.integers())
    numbers = table.lookup(InterfaceArray(rows, cuda))
    table.close()
    table.close()
    assert repr(table) == "<fingerpost.cuda.Table on device 0: closed>"
    for array in (rows, rows[:0], InterfaceArray(rows, cuda)):
        with pytest.raises(ValueError, match="the table is closed"):
            table.lookup(array)
    with pytest.raises(ValueError, match="the table is closed"):
        table.update(c.integers())
    with pytest.raises(ValueError, match="the table is closed"):
        _ = table.memory
    np.testing.assert_array_equal(on_host(numbers), c.expected(c.integers(), rows))


def test_nothing_stays_on_the_device(cuda: FakeCuda) -> None:
    table = fingerpost.cuda.Table(c.rows())
    answers = table.lookup(InterfaceArray(c.addresses(4, 20), cuda), ["asn", "city", "index"])
    table.update(c.integers())
    assert len(cuda.tables) == 1
    del table
    gc.collect()
    assert not cuda.tables
    assert len(cuda.allocations) == 5
    del answers
    gc.collect()
    assert not cuda.allocations


def test_updates(cuda: FakeCuda, tmp_path: Path) -> None:
    rows = c.addresses(4, 50)
    array = InterfaceArray(rows, cuda)
    host = c.integers()
    with fingerpost.cuda.Table(host) as table:
        host["10.1.2.0/25"] = 77
        assert 77 not in table.lookup(np.array([0x0A010205], np.uint32))
        table.update(host)
        assert table.lookup(np.array([0x0A010205], np.uint32)).tolist() == [77]
        np.testing.assert_array_equal(on_host(table.lookup(array)), c.expected(host, rows))
        table.update(c.rows())
        assert cells_of(table.lookup(array, "city")) == c.rows().lookup_many(rows, "city").tolist()
        c.integers().save(tmp_path / "image")
        table.update(tmp_path / "image")
        np.testing.assert_array_equal(on_host(table.lookup(array)), c.expected(c.integers(), rows))
        with pytest.raises(TypeError):
            table.update(5)  # type: ignore[arg-type]
        with pytest.raises(FileNotFoundError):
            table.update(tmp_path / "nosuch")
        np.testing.assert_array_equal(on_host(table.lookup(array)), c.expected(c.integers(), rows))


def two_versions() -> list[fingerpost.Table[Any]]:
    """Returns two tables with the same values for 10.0.0.0/7, which have other numbers in the second one."""
    first: fingerpost.Table[Any] = fingerpost.Table(values=["name"])
    first.update({"10.0.0.0/8": ["a"], "11.0.0.0/8": ["b"]})
    second = first.copy()
    second["1.0.0.0/8"] = ["c"]
    return [first, second]


def start_and_see_it_wait(thread: threading.Thread) -> None:
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()


def test_values_belong_to_the_version_of_their_numbers(cuda: FakeCuda) -> None:
    rows = np.array([0x0A000001, 0x0B000001], np.uint32)
    first, second = two_versions()
    for name, array in (("lookup_host", rows), ("lookup", InterfaceArray(rows, cuda))):
        with fingerpost.cuda.Table(first) as table:
            assert table.lookup(rows).tolist() == [0, 1]
            update = threading.Thread(target=table.update, args=(second,))
            cuda.before[name] = functools.partial(start_and_see_it_wait, update)
            assert cells_of(table.lookup(array, "name")) == ["a", "b"]
            update.join(60)
            assert table.lookup(rows).tolist() == [1, 2]
            assert cells_of(table.lookup(array, "name")) == ["a", "b"]


def test_values_during_updates_by_another_thread(cuda: FakeCuda) -> None:
    tables = two_versions()
    rows = np.array([0x0A000001] * 5 + [0x0B000001], np.uint32)
    over = threading.Event()
    with fingerpost.cuda.Table(tables[0]) as table:

        def update() -> None:
            place = 0
            while not over.is_set():
                place += 1
                table.update(tables[place % 2])

        thread = threading.Thread(target=update)
        thread.start()
        try:
            for place in range(100):
                array = rows if place % 2 else InterfaceArray(rows, cuda)
                assert cells_of(table.lookup(array, "name")) == ["a"] * 5 + ["b"]
        finally:
            over.set()
            thread.join()


def test_close_waits_for_calls_of_other_threads(cuda: FakeCuda) -> None:
    rows = c.addresses(4, 20)
    table = fingerpost.cuda.Table(c.integers())
    started, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        started.set()
        assert may_end.wait(60)

    cuda.before["lookup_host"] = hold
    answers: list[Any] = []
    lookup = threading.Thread(target=lambda: answers.append(table.lookup(rows)))
    lookup.start()
    assert started.wait(60)
    close = threading.Thread(target=table.close)
    close.start()
    close.join(0.05)
    assert close.is_alive()
    may_end.set()
    close.join(60)
    lookup.join(60)
    np.testing.assert_array_equal(answers[0], c.expected(c.integers(), rows))
    with pytest.raises(ValueError, match="closed"):
        table.lookup(rows)


def test_numbers_do_not_wait_for_updates(cuda: FakeCuda) -> None:
    rows = c.addresses(4, 20)
    with fingerpost.cuda.Table(c.integers()) as table:
        answers: list[Any] = []
        cuda.before["update"] = lambda: answers.append(table.lookup(rows))
        table.update(c.integers())
        np.testing.assert_array_equal(answers[0], c.expected(c.integers(), rows))


def test_errors_of_cuda(cuda: FakeCuda) -> None:
    rows = c.addresses(4, 20)

    with fingerpost.cuda.Table(c.integers()) as table:
        for name in ("lookup", "lookup_host", "update"):
            cuda.fail(name, "cudaErrorIllegalAddress: an illegal memory access was encountered")
        for array in (rows, InterfaceArray(rows, cuda)):
            with pytest.raises(fingerpost.cuda.CudaError, match="cudaErrorIllegalAddress: an illegal"):
                table.lookup(array)
        with pytest.raises(fingerpost.cuda.CudaError, match="cudaErrorIllegalAddress"):
            table.update(c.rows())
        assert table.image.value_kind == "int"
    assert issubclass(fingerpost.cuda.CudaError, RuntimeError)


def test_a_missing_device_memory_is_an_error(cuda: FakeCuda) -> None:
    from fingerpost._cuda.arrays import DeviceArray

    with pytest.raises(fingerpost.cuda.CudaError, match="allocate memory"):
        DeviceArray(cuda, 1 << 58, np.uint64, 0, 1)
    gc.collect()
    assert cuda.called("release") == []
