"""Small modules with the names and the functions of CuPy, PyTorch and cuDF that fingerpost.cuda uses, in host memory.

The types belong to modules of these names, because lookups choose the library of a result by the type of the addresses.
"""

from __future__ import annotations

import contextlib
import ipaddress
import sys
import types
from typing import Any

import numpy as np
import pyarrow
import pytest
from fake_cuda import DlpackArray, FakeCuda, InterfaceArray


class _Current:
    stream = 5


def cupy(to: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """Installs a module whose arrays have both protocols; its current stream is 5."""
    module = types.ModuleType("cupy")

    class ndarray(InterfaceArray):
        __module__ = "cupy"

        def __init__(self, array: Any, dtype: Any = None) -> None:
            super().__init__(np.asarray(array, dtype), to, stream=_Current.stream)

        def tolist(self) -> Any:
            return self.array.tolist()

        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

        def __dlpack__(self, *, stream: int | None = None) -> object:
            raise AssertionError("the interface has the stream already")

    devices: list[int] = []

    @contextlib.contextmanager
    def device(number: int) -> Any:
        devices.append(number)
        yield

    def stream(*, non_blocking: bool) -> types.SimpleNamespace:
        return types.SimpleNamespace(ptr=7, synchronize=lambda: None)

    module.__dict__.update(
        ndarray=ndarray,
        devices=devices,
        asarray=ndarray,
        uint32=np.uint32,
        empty=lambda count, dtype: ndarray(np.empty(count, dtype)),
        minimum=lambda array, most: ndarray(np.minimum(array.array, most)),
        cuda=types.SimpleNamespace(Device=device, Stream=stream),
    )
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


def torch(to: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """Installs a module whose tensors have version 2 of the interface and DLPack; its current stream is 6."""
    module = types.ModuleType("torch")

    class Tensor(DlpackArray):
        __module__ = "torch"

        @property
        def __cuda_array_interface__(self) -> dict[str, object]:
            return InterfaceArray(self.array, to, version=2).__cuda_array_interface__

    def empty(count: int, *, dtype: Any, device: str) -> Tensor:
        assert device == "cuda:0"
        return Tensor(np.empty(count, dtype))

    dtypes = {name: np.dtype(name) for name in ("uint32", "int64", "int32", "float64", "bool")}
    stream = types.SimpleNamespace(cuda_stream=6)
    module.__dict__.update(
        **dtypes, Tensor=Tensor, empty=empty, cuda=types.SimpleNamespace(current_stream=lambda device: stream)
    )
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


def cudf(to: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """Installs a module whose Series have version 1 of the interface."""
    module = types.ModuleType("cudf")

    class Series:
        __module__ = "cudf.core.series"

        def __init__(self, data: Any, index: Any = None, name: Any = None) -> None:
            self.data = getattr(data, "array", data)
            self.index, self.name = index, name

        @property
        def __cuda_array_interface__(self) -> dict[str, object]:
            return InterfaceArray(self.data, to, version=1).__cuda_array_interface__

        @classmethod
        def from_arrow(cls, column: pyarrow.Array) -> Series:
            return cls(column)

        def take(self, rows: Any) -> Series:
            return type(self)(self.data.take(pyarrow.array(rows.array)))

        def rename(self, name: Any) -> Series:
            return type(self)(self.data, self.index, name)

        @property
        def str(self) -> Any:
            numbers = [int(ipaddress.ip_address(text)) for text in self.data]
            return types.SimpleNamespace(ip2int=lambda: type(self)(np.array(numbers)))

        def astype(self, dtype: Any) -> Series:
            return type(self)(self.data.astype(dtype))

        def to_arrow(self) -> pyarrow.Array:
            return self.data

    class DataFrame(dict[str, Any]):
        def __init__(self, columns: dict[str, Any]) -> None:
            super().__init__({name: Series(column) for name, column in columns.items()})

    module.__dict__.update(Series=Series, DataFrame=DataFrame)
    monkeypatch.setitem(sys.modules, "cudf", module)
    return module
