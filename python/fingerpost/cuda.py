"""Longest-prefix match on a GPU, for arrays of CuPy, PyTorch, cuDF, Numba and others.

>>> import cupy, fingerpost, fingerpost.cuda
>>> table = fingerpost.Table({"10.0.0.0/8": 64500, "10.1.0.0/16": 64501}, values=int)
>>> with fingerpost.cuda.Table(table) as on_device:
...     on_device.lookup(cupy.asarray([0x0A010203, 0x0A020304], dtype=cupy.uint32))
array([64501, 64500], dtype=uint32)

The package does not depend on CUDA. Importing this module loads nothing; the first Table loads the library
libfingerpost_cuda.so, from the path in the environment variable FINGERPOST_CUDA_LIBRARY, from the folder of the package,
or by the loader's search path.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy

from fingerpost._cuda import arrays, frames, host, library, values
from fingerpost._cuda.arrays import DeviceArray
from fingerpost._cuda.library import CudaError
from fingerpost._cuda.values import Column, Image
from fingerpost._types import AnyTable

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Column", "CudaError", "DeviceArray", "Table", "devices"]

for _class in (Column, DeviceArray):
    _class.__module__ = "fingerpost.cuda"


def devices() -> int:
    """Returns the number of CUDA devices, 0 without a driver. Raises ImportError if the library is missing."""
    return library.load().number("devices")


class Table:
    """A table in the memory of a device: a copy of a fingerpost.Table or of an image, for lookups only.

    Later changes of the routes have no effect until `update()`. All methods can be called from several threads.
    """

    def __init__(self, table: AnyTable | str | os.PathLike[str], device: int = 0) -> None:
        """Copies a table to a device.

        table: a Table whose values can be saved as an image (values=int, columns, or only str), or the path of an image.
        device: number of the CUDA device, from 0.

        Raises ImportError if libfingerpost_cuda.so is missing; CudaError if CUDA fails or the scheme of the image has no
        lookup on a GPU; ValueError if there is no such device; TypeError for values that cannot be saved as an image;
        OSError or fingerpost.Error for an image that cannot be opened.
        """
        self._handle: int | None = None
        self._library = library.load()
        count = self._library.number("devices")
        if not 0 <= device < count:
            raise ValueError(f"device={device}: the number of CUDA devices is {count}")
        self.device: int = device
        """Number of the device."""
        self._state = threading.Condition()  # guards _handle and _calls
        self._calls = 0  # calls that use _handle
        # Held by updates, and by lookups whose numbers are replaced by values of the image.
        self._publication = threading.Lock()
        self._image = Image(table)
        data = self._image.bytes
        self._handle = self._library.new("upload", data.ctypes.data, data.nbytes, device)

    def lookup(
        self,
        array: Any,
        want: str | Sequence[str] = "index",
        *,
        stream: Any = None,
        out: Any = None,
    ) -> Any:
        """Looks up the longest match of each address of an array, without a copy to the host.

        array: the addresses, contiguous and on the device of the table, with `__cuda_array_interface__` or DLPack:
            uint32 (n,)     IPv4 addresses as numbers, in the byte order of the machine.
            uint8 (n, 16)   IPv6 addresses in network order.
            uint64 (n, 2)   high half, then low half, of IPv6 addresses, in the byte order of the machine. A structure
                            of two uint64 is also accepted.
            A numpy array of one of these forms, or of uint8 (n, 4), is copied to the device in pieces, and the result is
            a numpy array. It may be strided and in any byte order.
        want: "index", the number of the value in the image; "value"; the name of a column; or a list of these. In an
            image of both families whose values are not integers, each family has numbers of its own, from 0.
        stream: the stream to run on: of CuPy, PyTorch or Numba, an object with `__cuda_stream__`, or a handle as an int.
            By default the current stream of the array's library, or the legacy default stream if that is unknown. The
            lookup waits for earlier work on the array, but the host does not wait for the lookup: if you pass a stream,
            use the result and free the array in the order of this stream. Not for numpy arrays.
        out: array for the numbers, uint32 (n,), contiguous, on the same device; only with want="index", and "value" of
            integer tables. It is returned.

        Returns for "index", and for "value" of a table with values=int, an array (n,) of uint32: the number, or
        4294967295 for an address without a route. For a column, and for "value" of a table with one column, it returns
        a Column; for "value" of several columns, and for a list, a dict by name. Arrays belong to the library of the
        addresses if that is CuPy or PyTorch, and are DeviceArrays for others. For a cuDF Series, numbers and columns
        are Series with its index; columns have nulls, and text is categorical.

        The whole array is looked up in one version of the table. Lookups of the index wait for nothing. Others wait for an
        `update()` and, with numpy arrays, for each other.

        Raises TypeError for other objects, dtypes and shapes, and for nulls; ValueError for arrays that are not
        contiguous, not aligned or on another device, for an unknown want and after close(); CudaError if CUDA fails.
        """
        if isinstance(array, numpy.ndarray):
            return self._lookup_host(array, want, stream, out)
        return self._lookup_device(array, want, stream, out)

    def update(self, table: AnyTable | str | os.PathLike[str]) -> None:
        """Replaces the routes and values by those of a table or an image, in one step.

        Lookups that have started finish in the old version. If this fails, the old version stays.

        Raises the errors of Table(), and ValueError after close().
        """
        image = Image(table)
        with self._publication:
            self._call("update", image.bytes.ctypes.data, image.bytes.nbytes)
            self._image = image

    def close(self) -> None:
        """Frees the memory on the device, after the calls of other threads. Arrays that were returned stay valid.

        The end of a `with` block calls it. Another call has no effect.
        """
        with self._state:
            handle, self._handle = self._handle, None
            self._state.wait_for(lambda: self._calls == 0)
        if handle is not None:
            self._library.close(handle)

    @property
    def image(self) -> AnyTable:
        """The table in host memory, read-only.

        Its `lookup_many(want="index")` returns the same numbers. If values are not integers and both families have
        routes, it adds the number of IPv4 rows to those of IPv6.
        """
        return self._image.table

    @property
    def memory(self) -> int:
        """Memory on the device in bytes, without columns. Raises ValueError after close()."""
        with self._open_handle() as handle:
            return self._library.memory_bytes(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def __del__(self) -> None:
        # No thread is in a call. At the end of the process the driver frees everything, and the library may be gone.
        handle = getattr(self, "_handle", None)
        if handle is not None and not sys.is_finalizing():
            self._library.close(handle)

    def __repr__(self) -> str:
        state = "closed" if self._handle is None else f"{len(self.image)} routes"
        return f"<fingerpost.cuda.Table on device {self.device}: {state}>"

    @contextmanager
    def _open_handle(self) -> Iterator[int]:
        """Prevents close() from freeing the table meanwhile."""
        with self._state:
            if self._handle is None:
                raise ValueError("the table is closed")
            handle = self._handle
            self._calls += 1
        try:
            yield handle
        finally:
            with self._state:
                self._calls -= 1
                self._state.notify_all()

    def _call(self, name: str, *arguments: Any) -> None:
        with self._open_handle() as handle:
            self._library.call(name, handle, *arguments)

    def _numbers(self, want: str | Sequence[str], out: Any, look_up: Any) -> tuple[Image, Any]:
        """Returns the next hops, and the image that they belong to."""
        names = _names(want)
        if all(name == "index" for name in names):
            return self._image, look_up()
        with self._publication:
            image = self._image
            columns = [image.columns_of(name) for name in names]
            if out is not None and any(columns):
                raise ValueError("out= takes numbers: look up the index, and columns in another call")
            return image, look_up()

    def _lookup_device(self, array: Any, want: str | Sequence[str], stream: Any, out: Any) -> Any:
        to, device = self._library, self.device
        handle = arrays.current_stream(array, device) if stream is None else arrays.stream_handle(stream)
        view = arrays.prepared(array, "array", to, device, handle)
        bits = arrays.address_bits(view.shape, view.dtype, "array")
        if view.pointer % arrays.alignment(bits) != 0:
            raise ValueError(f"array is not aligned to {arrays.alignment(bits)} bytes: copy it first")
        count = view.shape[0]

        def look_up() -> Any:
            numbers = out
            if out is None:
                numbers = arrays.empty_like(array, to, count, numpy.uint32, device, handle)
            target = arrays.prepared(numbers, "out", to, device, handle)
            _require_out(target.shape, target.dtype, target.read_only, count)
            self._call("lookup", bits, view.pointer, target.pointer, count, handle)
            return numbers

        image, numbers = self._numbers(want, out, look_up)
        if arrays.library_of(array) != "cudf":

            def column_of(image: Image, column: str, numbers: Any) -> Column:
                first = image.first_index(bits)
                return values.gather(image, column, numbers, first, array, to, device, handle)

            return _results(image, want, numbers, numbers, column_of)

        def series_of(image: Image, column: str, numbers: Any) -> Any:
            return frames.series_of_cells(array, image.cells(column), numbers)

        # cuDF uses its own stream, the default one.
        if handle != arrays.LEGACY_STREAM:
            to.call("order", device, handle, arrays.LEGACY_STREAM)
        return _results(image, want, numbers, frames.series_of_numbers(array, numbers), series_of)

    def _lookup_host(
        self, array: numpy.ndarray[Any, Any], want: str | Sequence[str], stream: Any, out: Any
    ) -> Any:
        if stream is not None:
            raise ValueError(
                "stream= is for arrays on the device: lookups of numpy arrays use streams of their own"
            )
        addresses, bits = host.addresses(array)
        count = len(addresses)

        def look_up() -> Any:
            numbers = numpy.empty(count, numpy.uint32) if out is None else out
            if not isinstance(numbers, numpy.ndarray) or not numbers.flags.c_contiguous:
                raise TypeError("out takes a contiguous numpy array, as the addresses are a numpy array")
            _require_out(numbers.shape, numbers.dtype, not numbers.flags.writeable, count)
            self._call("lookup_host", bits, addresses.ctypes.data, numbers.ctypes.data, count)
            return numbers

        image, numbers = self._numbers(want, out, look_up)

        def column_of(image: Image, column: str, numbers: Any) -> Column:
            return image.cells(column).at(numbers, image.first_index(bits))

        return _results(image, want, numbers, numbers, column_of)


def _names(want: str | Sequence[str]) -> tuple[str, ...]:
    return (want,) if isinstance(want, str) else tuple(want)


def _require_out(shape: tuple[int, ...], dtype: numpy.dtype[Any], read_only: bool, count: int) -> None:
    if shape != (count,) or dtype != numpy.uint32:
        raise ValueError(f"out must be uint32 of shape ({count},), not {dtype} of shape {shape}")
    if read_only:
        raise ValueError("out is read-only")


def _results(image: Image, want: str | Sequence[str], next_hops: Any, numbers: Any, values_of: Any) -> Any:
    """Returns the result of a lookup. `numbers` are the next hops as a user sees them."""

    def result(name: str) -> Any:
        columns = image.columns_of(name)
        if columns is None:
            return numbers
        by_name = {column: values_of(image, column, next_hops) for column in columns}
        return by_name[columns[0]] if len(columns) == 1 else by_name

    return result(want) if isinstance(want, str) else {name: result(name) for name in want}
