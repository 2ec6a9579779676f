"""Arrays on a device: those of callers, and those that lookups return."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from typing import Any

import numpy

from fingerpost._cuda import dlpack, library
from fingerpost._cuda.library import CudaError, Library

LEGACY_STREAM = 1

_ACCEPTED = (
    "uint32 (n,): IPv4 addresses as numbers; uint8 (n, 16): IPv6 addresses in network order; uint64 (n, 2) or a "
    "structure of two uint64: high and low half of IPv6 addresses"
)


class DeviceArray:
    """An array in the memory of a device, of shape (n,).

    Other libraries use it without a copy by `__cuda_array_interface__` (version 3) or DLPack: `cupy.asarray(array)`,
    `torch.from_dlpack(array)`, `numba.cuda.as_cuda_array(array)`. They keep it alive. When it is garbage, its memory is
    freed after all work on the device; to look up in a loop, pass `out=` instead.
    """

    def __init__(self, to: Library, count: int, dtype: Any, device: int, stream: int) -> None:
        self._memory: int | None = None
        self._library = to
        self._stream = stream
        self.dtype: numpy.dtype[Any] = numpy.dtype(dtype)
        """Type of the items, in the byte order of the machine."""
        self.shape: tuple[int] = (count,)
        self.device: int = device
        """Number of the device."""
        if count > 0:
            self._memory = to.new("allocate", device, count * self.dtype.itemsize)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def pointer(self) -> int:
        """Address in the memory of the device; 0 if the array is empty."""
        return self._memory or 0

    def __repr__(self) -> str:
        return f"<{self.dtype} array of {len(self)} items on device {self.device}>"

    def __del__(self) -> None:
        # At the end of the process the driver frees everything, and the library may be gone.
        if self._memory is not None and not sys.is_finalizing():
            # An error of an earlier kernel is reported by the next lookup.
            with contextlib.suppress(CudaError):
                self._library.call("release", self.device, self._memory)

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.pointer, False),
            "strides": None,
            "stream": self._stream,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CUDA, self.device

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """Returns a capsule. Work on `stream` (by default the legacy default stream) waits until the array is ready.

        With stream=-1 it does not wait. Raises BufferError for another device and for copy=True.
        """
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("a DeviceArray is exported without a copy, on its own device")
        consumer = LEGACY_STREAM if stream is None else stream
        if consumer not in (-1, self._stream):
            self._library.call("order", self.device, self._stream, consumer)
        return dlpack.export(self, self.pointer, len(self), self.dtype, self.device)

    def copy_to_host(self) -> numpy.ndarray[Any, numpy.dtype[Any]]:
        """Returns a copy as a numpy array, after the work that fills this array."""
        copy = numpy.empty(self.shape, self.dtype)
        if self._memory is not None:
            self._library.call("copy", self.device, copy.ctypes.data, self._memory, copy.nbytes, self._stream)
        return copy


def to_device(to: Library, items: numpy.ndarray[Any, Any], device: int) -> DeviceArray:
    """Returns a copy of a numpy array of one dimension. It is ready for all streams."""
    items = numpy.ascontiguousarray(items)
    array = DeviceArray(to, len(items), items.dtype, device, LEGACY_STREAM)
    if array._memory is not None:
        to.call("copy", device, array._memory, items.ctypes.data, items.nbytes, LEGACY_STREAM)
    return array


@dataclass(frozen=True)
class View:
    """An array of a caller."""

    pointer: int
    shape: tuple[int, ...]
    dtype: numpy.dtype[Any]
    strides: tuple[int, ...] | None  # in bytes; None if contiguous
    read_only: bool
    device: int | None  # None if unknown
    stream: int | None  # stream of pending work; None if there is nothing to wait for
    owner: object  # keeps the memory alive


def current_stream(array: object, device: int) -> int:
    """Returns the current stream of the library of an array, or the default stream where that is not known."""
    if library_of(array) == "torch":
        return stream_handle(sys.modules["torch"].cuda.current_stream(device))
    interface = getattr(array, "__cuda_array_interface__", None) or {}
    return interface.get("stream") or LEGACY_STREAM


def library_of(array: object) -> str:
    """Returns the name of the package that defines the type of an array."""
    return type(array).__module__.partition(".")[0]


def stream_handle(stream: object) -> int:
    """Returns the handle of a stream of any library, 1 for the default stream. Raises TypeError for other objects."""
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream or LEGACY_STREAM
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int((protocol() if callable(protocol) else protocol)[1]) or LEGACY_STREAM
    # The names in CuPy, PyTorch and Numba.
    for name in ("ptr", "cuda_stream", "handle"):
        handle = getattr(stream, name, None)
        if handle is not None:
            return int(getattr(handle, "value", handle) or LEGACY_STREAM)
    raise TypeError(
        "stream= takes a CUDA stream of CuPy, PyTorch or Numba, an object with __cuda_stream__, or the handle of a "
        f"stream as an int, not {type(stream).__name__}"
    )


def prepared(array: object, name: str, to: Library, device: int, stream: int) -> View:
    """Returns a view of an array that work on `stream` can use.

    name: the argument, for messages. Raises TypeError for objects that are not arrays on a CUDA device, and ValueError
    for arrays that are not contiguous or on another device.
    """
    view = _view_of(array, name, stream)
    _require_usable(view, name, to, device)
    if view.stream not in (None, stream):
        to.call("order", device, view.stream, stream)
    return view


def _view_of(array: object, name: str, stream: int) -> View:
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None and (interface["version"] >= 3 or not hasattr(array, "__dlpack__")):
        return _view_of_interface(array, interface, name)
    if not hasattr(array, "__dlpack__") or not hasattr(array, "__dlpack_device__"):
        raise TypeError(
            f"{name} takes an array on the device, with __cuda_array_interface__ or __dlpack__ (CuPy, PyTorch, "
            f"cuDF, Numba), or a numpy array, not {type(array).__name__}"
        )
    kind, device = array.__dlpack_device__()
    if int(kind) not in (dlpack.CUDA, dlpack.CUDA_MANAGED):
        raise TypeError(
            f"{name} is not on a CUDA device (DLPack device type {int(kind)}): move it there, or pass a numpy array"
        )
    capsule = array.__dlpack__(stream=stream)
    tensor = dlpack.read(capsule)
    dtype = dlpack.dtype_of(tensor)
    return View(
        pointer=(tensor.data or 0) + tensor.byte_offset,
        shape=dlpack.shape_of(tensor),
        dtype=dtype,
        strides=dlpack.strides_of(tensor, dtype.itemsize),
        read_only=False,
        device=int(device),
        stream=None,
        owner=(array, capsule),
    )


def _view_of_interface(array: object, interface: dict[str, Any], name: str) -> View:
    if interface.get("mask") is not None:
        raise TypeError(f"{name} has nulls: remove or replace them first")
    typestr, descr = interface["typestr"], interface.get("descr")
    pointer, read_only = interface["data"]
    strides = interface.get("strides")
    return View(
        pointer=int(pointer or 0),
        shape=tuple(interface["shape"]),
        dtype=numpy.dtype(descr if typestr[1] == "V" and descr else typestr),
        strides=None if strides is None else tuple(strides),
        read_only=bool(read_only),
        device=_device_of(array),
        # Before version 3 there is no stream: such libraries use the default stream.
        stream=interface.get("stream") if interface["version"] >= 3 else LEGACY_STREAM,
        owner=array,
    )


def _device_of(array: object) -> int | None:
    """Returns the device of an array, if it has DLPack too."""
    if not hasattr(array, "__dlpack_device__"):
        return None
    kind, device = array.__dlpack_device__()
    return int(device) if int(kind) in (dlpack.CUDA, dlpack.CUDA_MANAGED) else None


def _require_usable(view: View, name: str, to: Library, device: int) -> None:
    """Raises ValueError unless an array is contiguous and on this device."""
    if view.strides is not None and 0 not in view.shape:
        expected = view.dtype.itemsize
        for length, stride in zip(reversed(view.shape), reversed(view.strides)):
            if length != 1 and stride != expected:
                raise ValueError(
                    f"{name} is not contiguous (shape {view.shape}, strides {view.strides}): copy it first, for "
                    "example with cupy.ascontiguousarray() or contiguous() of PyTorch"
                )
            expected *= length
    if view.pointer == 0:
        return
    actual = view.device if view.device is not None else to.number("device_of", view.pointer)
    if actual < 0:
        raise ValueError(f"{name} is in host memory: move it to the device, or pass a numpy array")
    if actual != device:
        raise ValueError(f"{name} is on device {actual}, but the table is on device {device}")


def address_bits(shape: tuple[int, ...], dtype: numpy.dtype[Any], name: str) -> int:
    """Returns `address_bits` of the C interface for addresses of this shape and type. Raises TypeError for others."""
    if dtype.isnative:
        if dtype == numpy.uint32 and len(shape) == 1:
            return library.IPV4
        if dtype == numpy.uint8 and len(shape) == 2 and shape[1] == 16:
            return library.IPV6
        if dtype == numpy.uint64 and len(shape) == 2 and shape[1] == 2:
            return library.IPV6_HALVES
        if dtype.fields is not None and len(shape) == 1 and dtype.itemsize == 16:
            fields = [dtype.fields[field] for field in dtype.names or ()]
            if [field[1] for field in fields] == [0, 8] and all(field[0] == numpy.uint64 for field in fields):
                return library.IPV6_HALVES
    signed = "; view signed integers as unsigned ones" if dtype.kind == "i" else ""
    raise TypeError(
        f"{name} cannot be an array of {dtype} and shape {shape}; accepted arrays: {_ACCEPTED}{signed}"
    )


def alignment(bits: int) -> int:
    """Returns the alignment in bytes of addresses."""
    return 4 if bits == library.IPV4 else 8


def empty_like(array: object, to: Library, count: int, dtype: Any, device: int, stream: int) -> Any:
    """Returns a new array of the library that an array belongs to; a DeviceArray for libraries without an allocator."""
    kind = library_of(array)
    if kind in ("cupy", "cudf"):
        import cupy

        with cupy.cuda.Device(device):
            return cupy.empty(count, numpy.dtype(dtype))
    if kind == "torch":
        torch = sys.modules["torch"]
        return torch.empty(count, dtype=getattr(torch, numpy.dtype(dtype).name), device=f"cuda:{device}")
    return DeviceArray(to, count, dtype, device, stream)
