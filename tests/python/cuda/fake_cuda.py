"""Two CUDA devices in host memory, and arrays of CUDA's libraries.

The functions are those of the stand-in of libfingerpost_cuda.so, which the build makes for tests. Which device an array
is on, and the order of calls, are recorded here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

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


class FakeCuda(library.Library):
    """The stand-in. Records its calls."""

    def __init__(self, standin: str) -> None:
        super().__init__(ctypes.CDLL(standin))
        self.calls: list[tuple[Any, ...]] = []
        self.placed: dict[int, int] = {}  # devices of arrays, by their addresses
        self.tables: set[int] = set()
        self.allocations: set[int] = set()
        self.before: dict[str, Callable[[], None]] = {}  # run by the next call of this name

    def call(self, name: str, *arguments: Any) -> None:
        self.calls.append((name, *arguments))
        if name in self.before:
            self.before.pop(name)()
        place = DEVICE_ARGUMENTS.get(name)
        if place is not None:
            # The stand-in has one device.
            arguments = (*arguments[:place], 0, *arguments[place + 1 :])
        super().call(name, *arguments)
        if name == "release":
            self.allocations.remove(arguments[1])

    def new(self, name: str, *arguments: Any) -> int | None:
        pointer = super().new(name, *arguments)
        if pointer is not None:
            (self.tables if name == "upload" else self.allocations).add(pointer)
        return pointer

    def close(self, table: int) -> None:
        super().close(table)
        self.tables.remove(table)

    def fail(self, name: str, reason: str) -> None:
        """Makes the following calls of a function fail."""
        self._functions[name] = lambda *_: 5
        self._error = lambda: reason.encode()

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
