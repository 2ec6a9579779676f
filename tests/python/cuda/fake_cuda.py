"""A CUDA device in host memory: the C interface of fingerpost_cuda over fingerpost.Table, and arrays of its libraries.

The functions are C functions, so the types of arguments are converted as for the real library. A stand-in built from
gpu/ replaces them if FINGERPOST_CUDA_STANDIN is its path; which device an array is on, and the order of calls, are then
still recorded here.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import fingerpost
from fingerpost._cuda import dlpack, library

DEVICES = 2
# Which argument is a device.
DEVICE_ARGUMENTS = {"upload": 2, "allocate": 0, "release": 0, "copy": 0, "order": 0, "gather": 0}
Array = np.ndarray[Any, np.dtype[Any]]


def memory(pointer: int | None, count: int, dtype: Any) -> Array:
    """Returns memory as an array."""
    if count == 0:
        return np.empty(0, dtype)
    assert pointer is not None and pointer > 4096
    size = count * np.dtype(dtype).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(pointer), dtype)


def families_of(image: bytes) -> list[fingerpost.Table[Any]]:
    """Returns tables for IPv4 and IPv6. The image of IPv6 is opened alone, so its numbers start at 0."""
    (second,) = struct.unpack_from("<Q", image, 104)
    return [opened(image), opened(image[second:])]


def opened(image: bytes) -> fingerpost.Table[Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "image"
        path.write_bytes(image)
        return fingerpost.Table.open(path)


class FakeFunctions:
    """The functions of the C library, as attributes."""

    def __init__(self) -> None:
        self.tables: dict[int, list[fingerpost.Table[Any]]] = {}
        self.allocations: dict[int, Any] = {}
        self.reason = b""
        self._handles = itertools.count(1)
        for name, arguments in library.PROTOTYPES.items():
            function = self._checked(getattr(self, f"_{name}"))
            setattr(self, f"fingerpost_cuda_{name}", ctypes.CFUNCTYPE(ctypes.c_int, *arguments)(function))
        self.fingerpost_cuda_error = ctypes.CFUNCTYPE(ctypes.c_void_p)(self._error)
        bytes_of = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p)
        self.fingerpost_cuda_memory_bytes = bytes_of(
            lambda table: sum(part.memory for part in self.tables[table])
        )
        self.fingerpost_cuda_close = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._close)

    def _checked(self, function: Callable[..., None]) -> Callable[..., int]:
        def call(*arguments: Any) -> int:
            try:
                function(*arguments)
            except (AssertionError, KeyError, OSError, MemoryError, TypeError, ValueError) as error:
                self.reason = f"{type(error).__name__}: {error}".encode()
                return 1
            return 0

        return call

    def _error(self) -> int:
        self._reason = ctypes.create_string_buffer(self.reason)
        return ctypes.addressof(self._reason)

    def _devices(self, count: Any) -> None:
        count[0] = DEVICES

    def _upload(self, image: int, size: int, device: int, out: Any) -> None:
        assert 0 <= device < DEVICES
        handle = next(self._handles)
        self._update(handle, image, size)
        out[0] = handle

    def _update(self, table: int, image: int, size: int) -> None:
        self.tables[table] = families_of(ctypes.string_at(image, size))

    def _close(self, table: int) -> None:
        del self.tables[table]

    def _lookup(
        self, table: int, bits: int, addresses: int | None, out: int, count: int, stream: int | None
    ) -> None:
        dtype, width = {library.IPV4: (np.uint32, 1), library.IPV6: (np.uint8, 16)}.get(bits, (np.uint64, 2))
        assert width != 2 or bits == library.IPV6_HALVES
        assert addresses is None or addresses % (4 if bits == library.IPV4 else 8) == 0
        rows = memory(addresses, width * count, dtype)
        family = self.tables[table][0 if bits == library.IPV4 else -1]
        numbers: Any = family.lookup_many(rows.reshape(-1, width) if width > 1 else rows, "index")
        memory(out, count, np.uint32)[:] = np.where(numbers < 0, 2**32 - 1, numbers)

    def _lookup_host(self, table: int, bits: int, addresses: int | None, out: int, count: int) -> None:
        self._lookup(table, bits, addresses, out, count, None)

    def _allocate(self, device: int, size: int, out: Any) -> None:
        assert 0 <= device < DEVICES
        if size > 1 << 40:
            raise MemoryError("cudaErrorMemoryAllocation: out of memory")
        buffer = ctypes.create_string_buffer(size)
        self.allocations[ctypes.addressof(buffer)] = buffer
        out[0] = ctypes.addressof(buffer)

    def _release(self, device: int, pointer: int) -> None:
        del self.allocations[pointer]

    def _copy(self, device: int, to: int, source: int, size: int, stream: int) -> None:
        ctypes.memmove(to, source, size)

    def _order(self, device: int, first: int, second: int) -> None:
        pass

    def _device_of(self, pointer: int, out: Any) -> None:
        out[0] = 0

    def _gather(
        self,
        device: int,
        items: int,
        item_bytes: int,
        item_count: int,
        missing: int,
        rows: int,
        out: int,
        count: int,
        stream: int,
    ) -> None:
        dtype = f"V{item_bytes}"
        known = np.concatenate([memory(items, item_count, dtype), memory(missing, 1, dtype)])
        numbers = np.minimum(memory(rows, count, np.uint32), item_count)
        memory(out, count, dtype)[:] = known[numbers]


class FakeCuda(library.Library):
    """The library over fake functions, or over those of a stand-in. Records its calls."""

    def __init__(self) -> None:
        standin = os.environ.get("FINGERPOST_CUDA_STANDIN")
        self.functions = None if standin else FakeFunctions()
        super().__init__(ctypes.CDLL(standin) if standin else self.functions)
        self.calls: list[tuple[Any, ...]] = []
        self.placed: dict[int, int] = {}  # devices of arrays, by their addresses
        self.before: dict[str, Callable[[], None]] = {}  # run by the next call of this name

    def call(self, name: str, *arguments: Any) -> None:
        self.calls.append((name, *arguments))
        if name in self.before:
            self.before.pop(name)()
        place = DEVICE_ARGUMENTS.get(name)
        if self.functions is None and place is not None:
            # A stand-in has one device.
            arguments = (*arguments[:place], 0, *arguments[place + 1 :])
        super().call(name, *arguments)

    def number(self, name: str, *arguments: Any) -> int:
        if name == "device_of":
            return self.placed.get(arguments[0], 0)
        return DEVICES if name == "devices" else super().number(name, *arguments)

    def called(self, name: str) -> list[tuple[Any, ...]]:
        return [call[1:] for call in self.calls if call[0] == name]

    def place(self, array: Array, device: int) -> None:
        if array.size > 0:
            self.placed[array.ctypes.data] = device


class InterfaceArray:
    """An array with only __cuda_array_interface__, as Numba has them."""

    def __init__(
        self,
        array: Array,
        to: FakeCuda,
        *,
        device: int = 0,
        stream: int | None = 1,
        version: int = 3,
        **more: Any,
    ) -> None:
        self.array = array
        to.place(array, device)
        is_contiguous = array.flags.c_contiguous
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "descr": array.dtype.descr,
            "data": (array.ctypes.data if array.size > 0 else 0, not array.flags.writeable),
            "strides": None if is_contiguous else array.strides,
            "version": version,
            **({"stream": stream} if version >= 3 else {}),
            **more,
        }


class DlpackArray:
    """An array with only DLPack. Records the streams that it was ordered before."""

    def __init__(self, array: Array, *, device: int = 0, kind: int = dlpack.CUDA) -> None:
        self.array, self.device, self.kind = array, device, kind
        self.streams: list[int | None] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, self.device

    def __dlpack__(self, *, stream: int | None = None) -> object:
        self.streams.append(stream)
        return self.array.__dlpack__()


def on_host(array: Any) -> Array:
    """Returns a result on the fake device as a numpy array, read as a consumer of the interface does."""
    interface = array.__cuda_array_interface__
    count = int(np.prod(interface["shape"]))
    items = memory(interface["data"][0], count, interface["typestr"])
    return np.array(items.reshape(interface["shape"]))
