"""fingerpost.cuda.Table.lookup: arrays of addresses and numbers, compared with Table.lookup_many."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import cuda_rows as c
import numpy as np
import pytest
from fake_cuda import DlpackArray, FakeCuda, InterfaceArray, on_host

import fingerpost.cuda
from fingerpost._cuda import dlpack

SIZES = [0, 1, 7, 1025]
FORMS: dict[str, tuple[int, Callable[[c.Array], c.Array]]] = {
    "numbers of IPv4": (4, lambda rows: rows),
    "bytes of IPv6": (6, c.network_order),
    "halves of IPv6": (6, lambda rows: rows),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("form", [*FORMS, "structure of IPv6"])
@pytest.mark.parametrize("version", [2, 3])
def test_arrays_with_the_interface(cuda: FakeCuda, form: str, size: int, version: int) -> None:
    family, shaped = FORMS.get(form, (6, c.structure))
    rows = c.addresses(family, size)
    with fingerpost.cuda.Table(c.integers()) as table:
        answers = table.lookup(InterfaceArray(shaped(rows), cuda, version=version))
        assert answers.dtype == np.uint32
        assert answers.shape == (size,)
        assert len(answers) == size
        expected = c.expected(c.integers(), rows)
        np.testing.assert_array_equal(answers.copy_to_host(), expected)
        np.testing.assert_array_equal(on_host(answers), expected)
    assert size < 1000 or len(set(expected.tolist())) >= 4


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [dlpack.CUDA, dlpack.CUDA_MANAGED])
def test_arrays_with_dlpack(cuda: FakeCuda, form: str, size: int, kind: int) -> None:
    family, shaped = FORMS[form]
    rows = c.addresses(family, size)
    with fingerpost.cuda.Table(c.integers()) as table:
        array = DlpackArray(shaped(rows), kind=kind)
        answers = table.lookup(array)
        np.testing.assert_array_equal(answers.copy_to_host(), c.expected(c.integers(), rows))
        assert array.streams == [1]


@pytest.mark.parametrize("size", SIZES)
def test_numpy_arrays_of_all_forms(cuda: FakeCuda, size: int) -> None:
    v4, v6 = c.addresses(4, size), c.addresses(6, size)
    bytes4 = v4.astype(">u4").view(np.uint8).reshape(-1, 4)
    bytes6 = c.network_order(v6)
    structure = c.structure(v6)
    expected4, expected6 = c.expected(c.integers(), v4), c.expected(c.integers(), v6)
    with fingerpost.cuda.Table(c.integers()) as table:
        for form in (v4, v4.astype(">u4"), np.repeat(v4, 3)[1::3], bytes4, np.asfortranarray(bytes4)):
            answers = table.lookup(form)
            assert isinstance(answers, np.ndarray)
            assert answers.dtype == np.uint32
            np.testing.assert_array_equal(answers, expected4)
        np.testing.assert_array_equal(table.lookup(v4[::-2]), expected4[::-2])
        for form in (
            v6,
            v6.astype(">u8"),
            np.asfortranarray(v6),
            bytes6,
            np.hstack([bytes6, bytes6])[:, 16:],
        ):
            np.testing.assert_array_equal(table.lookup(form), expected6)
        for order in "<>":
            swapped = structure.astype([("a", order + "u8"), ("b", order + "u8")])
            np.testing.assert_array_equal(table.lookup(swapped), expected6)
        out = np.empty(size, np.uint32)
        assert table.lookup(v4, out=out) is out
        np.testing.assert_array_equal(out, expected4)


def test_results_are_addresses_for_other_libraries(cuda: FakeCuda) -> None:
    """A result is read by its own protocols, as a consumer would, and each export keeps it alive."""
    rows = np.array([0x0A010203, 0x0A010200, 0xC0000201], np.uint32)
    with fingerpost.cuda.Table(c.integers()) as table:
        numbers = table.lookup(InterfaceArray(rows, cuda))
        assert repr(numbers) == "<uint32 array of 3 items on device 0>"
        assert on_host(numbers).tolist() == [4, 0, 2**32 - 2]
        assert numbers.__dlpack_device__() == (2, 0)
        again = table.lookup(numbers)
        np.testing.assert_array_equal(again.copy_to_host(), c.expected(c.integers(), on_host(numbers)))
        capsule = numbers.__dlpack__()
        del numbers
        gc.collect()
        tensor = dlpack.read(capsule)
        assert dlpack.shape_of(tensor) == (3,)
        assert dlpack.dtype_of(tensor) == np.uint32
        assert (tensor.device.kind, tensor.device.number) == (2, 0)
        assert len(cuda.called("release")) == 0
        del capsule
        gc.collect()
        assert len(cuda.called("release")) == 1
    again.__dlpack__(max_version=(1, 0), dl_device=(2, 0), copy=False)
    for wrong in ({"copy": True}, {"dl_device": (1, 0)}, {"dl_device": (2, 1)}):
        with pytest.raises(BufferError, match="on its own device"):
            again.__dlpack__(**wrong)


class OnCpu:
    """An array of the fake device for numpy, which accepts only memory of the CPU."""

    def __init__(self, array: fingerpost.cuda.DeviceArray) -> None:
        self.array = array

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self, **_: object) -> object:
        capsule = self.array.__dlpack__()
        dlpack.read(capsule).device.kind = dlpack.CPU
        return capsule


def test_a_consumer_that_takes_a_capsule_releases_the_array(cuda: FakeCuda) -> None:
    with fingerpost.cuda.Table(c.integers()) as table:
        numbers = table.lookup(InterfaceArray(np.array([1, 2], np.uint32), cuda))

    taken = np.from_dlpack(OnCpu(numbers))  # type: ignore[arg-type]
    address = numbers.pointer
    assert taken.ctypes.data == address
    del numbers
    gc.collect()
    assert taken.tolist() == [3, 3]
    assert len(cuda.called("release")) == 0
    del taken
    gc.collect()
    assert cuda.called("release") == [(0, address)]


@pytest.mark.parametrize(
    ("array", "error", "words"),
    [
        (
            np.zeros(3, np.int32),
            TypeError,
            r"int32 and shape \(3,\); accepted arrays: uint32 .*; view signed",
        ),
        (np.zeros(3, np.uint64), TypeError, r"uint64 and shape \(3,\)"),
        (np.zeros((3, 5), np.uint8), TypeError, r"shape \(3, 5\)"),
        (np.zeros((3, 1), np.uint32), TypeError, r"shape \(3, 1\)"),
        (np.zeros(3, np.float32), TypeError, "float32"),
        (np.zeros(3, [("a", np.uint64), ("b", np.uint32)]), TypeError, "accepted arrays"),
        (np.uint32(5), TypeError, r"numpy array, not uint32|shape \(\)"),
    ],
)
def test_arrays_that_are_not_addresses(
    cuda: FakeCuda, array: c.Array, error: type[Exception], words: str
) -> None:
    with fingerpost.cuda.Table(c.integers()) as table:
        with pytest.raises(error, match=words):
            table.lookup(array)
        if isinstance(array, np.ndarray):
            with pytest.raises(error, match=words):
                table.lookup(InterfaceArray(array, cuda))
    assert cuda.called("lookup") == []


def test_objects_that_are_not_on_the_device(cuda: FakeCuda) -> None:
    rows = c.addresses(4, 8)
    with fingerpost.cuda.Table(c.integers(), device=0) as table:
        for wrong in (["10.1.2.3"], "10.1.2.3", None, 5):
            with pytest.raises(TypeError, match="array takes an array on the device, .* numpy array, not"):
                table.lookup(wrong)
        with pytest.raises(TypeError, match="masked array"):
            table.lookup(np.ma.masked_array(rows))
        with pytest.raises(TypeError, match=r"text or objects .*lookup_many\(\)"):
            table.lookup(np.array(["10.1.2.3"]))
        with pytest.raises(TypeError, match=r"not on a CUDA device \(DLPack device type 1\)"):
            table.lookup(DlpackArray(rows, kind=dlpack.CPU))
        with pytest.raises(ValueError, match="in host memory"):
            table.lookup(InterfaceArray(rows, cuda, device=-1))
        with pytest.raises(TypeError, match="array has nulls"):
            table.lookup(InterfaceArray(rows, cuda, mask=object()))


def test_arrays_on_another_device(cuda: FakeCuda) -> None:
    rows = c.addresses(4, 8)
    with fingerpost.cuda.Table(c.integers(), device=1) as table:
        for array in (InterfaceArray(rows, cuda, device=0), DlpackArray(rows, device=0)):
            with pytest.raises(ValueError, match="array is on device 0, but the table is on device 1"):
                table.lookup(array)
        answers = table.lookup(DlpackArray(rows, device=1))
        assert answers.device == 1
        assert answers.__dlpack_device__() == (2, 1)
        with pytest.raises(ValueError, match="out is on device 0"):
            table.lookup(DlpackArray(rows, device=1), out=DlpackArray(np.empty(8, np.uint32), device=0))


def test_arrays_that_are_not_contiguous(cuda: FakeCuda) -> None:
    v4, v6 = c.addresses(4, 8), c.addresses(6, 8)
    with fingerpost.cuda.Table(c.integers()) as table:
        for rows in (
            v4[::2],
            v4[::-1],
            np.lib.stride_tricks.as_strided(v4, (5,), (0,)),
            np.asfortranarray(v6),
            v6[::2],
        ):
            for array in (InterfaceArray(rows, cuda), DlpackArray(rows)):
                with pytest.raises(ValueError, match=r"array is not contiguous \(shape .*copy it first"):
                    table.lookup(array)
        # Strides of one item have no effect.
        one = np.lib.stride_tricks.as_strided(v4, (1,), (12,))
        assert len(table.lookup(InterfaceArray(one, cuda, strides=(12,)))) == 1
        assert len(table.lookup(InterfaceArray(v4[:0], cuda, strides=(8,)))) == 0
        assert len(table.lookup(InterfaceArray(v4, cuda, strides=(4,)))) == 8


def test_addresses_that_are_not_aligned(cuda: FakeCuda) -> None:
    rows = c.addresses(6, 9)
    apart = np.empty(16 * 9 + 1, np.uint8)
    odd = apart[1:].reshape(9, 16)
    odd[:] = c.network_order(rows)
    with fingerpost.cuda.Table(c.integers()) as table:
        np.testing.assert_array_equal(table.lookup(odd), c.expected(c.integers(), rows))
        with pytest.raises(ValueError, match="array is not aligned to 8 bytes: copy it first"):
            table.lookup(InterfaceArray(odd, cuda))


def test_arrays_for_the_result(cuda: FakeCuda) -> None:
    rows = c.addresses(4, 9)
    numbers = np.empty(9, np.uint32)
    read_only = np.empty(9, np.uint32)
    read_only.flags.writeable = False
    with fingerpost.cuda.Table(c.integers()) as table:
        array = InterfaceArray(rows, cuda)
        for out in (InterfaceArray(numbers, cuda), DlpackArray(numbers)):
            numbers[:] = 0
            assert table.lookup(array, out=out) is out
            np.testing.assert_array_equal(numbers, c.expected(c.integers(), rows))
            assert table.lookup(array, "value", out=out) is out
        wrong: list[tuple[Any, type[Exception], str]] = [
            (
                InterfaceArray(numbers[:8], cuda),
                ValueError,
                r"out must be uint32 of shape \(9,\), not .*\(8,\)",
            ),
            (InterfaceArray(numbers.view(np.int32), cuda), ValueError, "out must be uint32 .* not int32"),
            (InterfaceArray(np.empty(18, np.uint32)[::2], cuda), ValueError, "out is not contiguous"),
            (InterfaceArray(read_only, cuda), ValueError, "out is read-only"),
            (numbers, TypeError, "out is not on a CUDA device"),
        ]
        for out, error, words in wrong:
            with pytest.raises(error, match=words):
                table.lookup(array, out=out)
        for other in (InterfaceArray(numbers, cuda), np.empty(18, np.uint32)[::2]):
            with pytest.raises(TypeError, match="out takes a contiguous numpy array"):
                table.lookup(rows, out=other)
        with pytest.raises(ValueError, match="out must be uint32"):
            table.lookup(rows, out=np.empty(9, np.uint64))
    with fingerpost.cuda.Table(c.rows()) as table, pytest.raises(ValueError, match="out= takes numbers"):
        table.lookup(array, "city", out=InterfaceArray(numbers, cuda))


class Stream:
    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


class ProtocolStream:
    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 71


class Handle:
    value = 72


@pytest.mark.parametrize(
    ("stream", "handle"),
    [(7, 7), (0, 1), (2, 2), (ProtocolStream(), 71), (Stream(ptr=73), 73), (Stream(ptr=0), 1)]
    + [(Stream(cuda_stream=74), 74), (Stream(handle=Handle()), 72)],
)
def test_streams_of_all_libraries(cuda: FakeCuda, stream: Any, handle: int) -> None:
    rows = c.addresses(4, 9)
    with fingerpost.cuda.Table(c.rows()) as table:
        array = DlpackArray(rows)
        table.lookup(array, ["index", "city"], stream=stream)
        assert array.streams == [handle]
        assert [call[-1] for call in cuda.called("lookup")] == [handle]
        assert [call[-1] for call in cuda.called("gather")] == [handle, handle]


def test_wrong_streams(cuda: FakeCuda) -> None:
    rows = c.addresses(4, 9)
    with fingerpost.cuda.Table(c.integers()) as table:
        for wrong in ("7", 1.5, True, object()):
            with pytest.raises(TypeError, match="stream= takes a CUDA stream .* not"):
                table.lookup(InterfaceArray(rows, cuda), stream=wrong)
        with pytest.raises(ValueError, match="stream= is for arrays on the device"):
            table.lookup(rows, stream=7)


def test_lookups_wait_for_the_work_on_their_arrays(cuda: FakeCuda) -> None:
    rows, numbers = c.addresses(4, 9), np.empty(9, np.uint32)
    with fingerpost.cuda.Table(c.integers()) as table:

        def orders(array: Any, **more: Any) -> tuple[list[Any], Any]:
            cuda.calls.clear()
            table.lookup(array, **more)
            names = [call[0] for call in cuda.calls]
            assert "order" not in names or names.index("order") < names.index("lookup")
            return cuda.called("order"), cuda.called("lookup")[0][-1]

        # Without stream=, the stream of the array.
        assert orders(InterfaceArray(rows, cuda, stream=7)) == ([], 7)
        assert orders(InterfaceArray(rows, cuda, stream=None)) == ([], 1)
        assert orders(InterfaceArray(rows, cuda, version=2)) == ([], 1)
        assert orders(InterfaceArray(rows, cuda, stream=7), stream=8) == ([(0, 7, 8)], 8)
        assert orders(InterfaceArray(rows, cuda, stream=None), stream=8) == ([], 8)
        assert orders(InterfaceArray(rows, cuda, version=2), stream=8) == ([(0, 1, 8)], 8)
        out = InterfaceArray(numbers, cuda, stream=9)
        assert orders(InterfaceArray(rows, cuda, stream=7), out=out) == ([(0, 9, 7)], 7)


def test_consumers_wait_for_the_lookup(cuda: FakeCuda) -> None:
    with fingerpost.cuda.Table(c.integers()) as table:
        numbers = table.lookup(InterfaceArray(c.addresses(4, 9), cuda, stream=7))
        assert numbers.__cuda_array_interface__["stream"] == 7
        cuda.calls.clear()
        for stream in (7, -1, None, 8):
            numbers.__dlpack__(stream=stream)
        assert cuda.called("order") == [(0, 7, 1), (0, 7, 8)]
        table.lookup(numbers)
        assert cuda.called("lookup")[0][-1] == 7
