"""The image of a table on a device, and the values of its columns."""

from __future__ import annotations

import os
import struct
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from fingerpost._core import Table
from fingerpost._cuda import arrays, library
from fingerpost._cuda.arrays import DeviceArray
from fingerpost._cuda.library import Library
from fingerpost._frames import ANSWERS
from fingerpost._types import AnyTable

# The kind of the section of an image that has the cells.
_CELLS_SECTION = 65536

# Types of the items of a column, and the item for a missing cell.
_ITEMS: Mapping[type, tuple[Any, Any]] = {
    int: (numpy.int64, 0),
    float: (numpy.float64, numpy.nan),
    bool: (numpy.bool_, False),
    str: (numpy.int32, -1),
}


@dataclass(frozen=True)
class Column:
    """The values of one column, one for each address. The arrays have the shape (n,) and the kind of the addresses."""

    values: Any
    """int64, float64 or bool, according to the type of the column; for text int32, a position in `categories`.

    For an address without a route and for a missing cell: 0, NaN, False, or -1.
    """
    valid: Any
    """bool: False for an address without a route and for a missing cell."""
    categories: tuple[str, ...] | None
    """The distinct strings of a column of text; None for other types."""


@dataclass(frozen=True)
class Cells:
    """A column of the table, in host memory: one item for each next hop."""

    items: numpy.ndarray[Any, Any]
    valid: numpy.ndarray[Any, Any]
    missing: numpy.ndarray[Any, Any]  # one item
    categories: tuple[str, ...] | None

    def at(self, next_hops: numpy.ndarray[Any, Any], first: int) -> Column:
        """Returns the values for next hops in host memory. The cell of next hop 0 is the one at `first`."""
        rows = numpy.minimum(next_hops, len(self.items) - first) + first
        values = numpy.concatenate([self.items, self.missing])[rows]
        return Column(values, numpy.append(self.valid, False)[rows], self.categories)


class Image:
    """An image of a table, mapped on the host. The cells of its columns are read, and copied to a device, on first use."""

    def __init__(self, table: AnyTable | str | os.PathLike[str]) -> None:
        """Opens the image at a path, or saves the table as a temporary image."""
        if isinstance(table, Table):
            with tempfile.TemporaryDirectory(prefix="fingerpost-cuda-") as folder:
                path = Path(folder) / "table.image"
                table.save(path)
                self._open(path)
        elif isinstance(table, (str, os.PathLike)):
            self._open(Path(table))
        else:
            raise TypeError(
                f"table takes a fingerpost.Table or the path of an image, not {type(table).__name__}"
            )
        self._lock = threading.Lock()
        self._cells: dict[str, Cells] = {}
        self._on_device: dict[str, tuple[DeviceArray, DeviceArray]] = {}

    def _open(self, path: Path) -> None:
        self.table: AnyTable = Table.open(path)
        self.bytes: numpy.ndarray[Any, Any] = numpy.memmap(path, numpy.uint8, "r")
        self._rows_before_ipv6 = _rows_before_ipv6(self.bytes)

    def first_index(self, address_bits: int) -> int:
        """Returns the index, in the table, of next hop 0 of a family."""
        return 0 if address_bits == library.IPV4 else self._rows_before_ipv6

    def columns_of(self, want: str) -> tuple[str, ...] | None:
        """Returns the columns of a want; None for the next hops themselves. Raises ValueError for an unknown want."""
        if want in self.table.columns and want not in ANSWERS:
            return (want,)
        if want == "index":
            return None
        if want == "value":
            return self.table.columns or None
        known = ", ".join(("index", "value", *(name for name in self.table.columns if name not in ANSWERS)))
        also = ""
        if want in ("length", "prefix"):
            also = "; lookup_many() of a fingerpost.Table finds prefixes and their lengths"
        raise ValueError(f"want={want!r}: use one of {known}{also}")

    def cells(self, column: str) -> Cells:
        with self._lock:
            return self._cells_of(column)

    def on_device(
        self, column: str, to: Library, device: int
    ) -> tuple[Cells, tuple[DeviceArray, DeviceArray]]:
        """Returns the cells, and their items and validity on the device."""
        with self._lock:
            cells = self._cells_of(column)
            if column not in self._on_device:
                self._on_device[column] = (
                    arrays.to_device(to, cells.items, device),
                    arrays.to_device(to, cells.valid, device),
                )
            return cells, self._on_device[column]

    def _cells_of(self, column: str) -> Cells:
        if column not in self._cells:
            self._cells[column] = _cells_of(self.table, column)
        return self._cells[column]


def _rows_before_ipv6(image: Any) -> int:
    """Returns the number of IPv4 rows in an image of both families; 0 for other images.

    Each family has its own rows (docs/inside/image_format.md). Indices of a table count those of both families.
    """
    is_last = struct.unpack_from("<Q", image, 104)[0] == 0
    (sections,) = struct.unpack_from("<I", image, 28)
    for place in range(0 if is_last else sections):
        kind, columns, _, size = struct.unpack_from("<IIQQ", image, 128 + 32 * place)
        if kind == _CELLS_SECTION:
            # Cells have 4 bytes, and the first row has the names of the columns.
            return int(size // 4 // columns - 1)
    return 0


def _cells_of(table: AnyTable, column: str) -> Cells:
    """Reads a column: the cell of each next hop, from a route that has it."""
    want = "value" if column in ANSWERS else column
    answers = table.lookup_many(list(table), ["index", want], prefixes=True)
    cells = answers[want]
    if want == "value" and len(table.columns) > 1:
        cells = [row[column] for row in cells]
    cell_of: dict[int, Any] = dict(zip(answers["index"], cells))
    count = max(cell_of, default=-1) + 1
    type_of_items, missing = _ITEMS[table.types[column]]
    items = numpy.full(count, missing, type_of_items)
    valid = numpy.zeros(count, numpy.bool_)
    places: dict[str, int] | None = {} if table.types[column] is str else None
    for index, cell in cell_of.items():
        if cell is not None:
            items[index] = cell if places is None else places.setdefault(cell, len(places))
            valid[index] = True
    categories = None if places is None else tuple(places)
    return Cells(items, valid, numpy.array([missing], type_of_items), categories)


def gather(
    image: Image, column: str, next_hops: Any, first: int, like: object, to: Library, device: int, stream: int
) -> Column:
    """Returns the values for next hops on the device, in arrays of the library that `like` belongs to.

    The cell of next hop 0 is the one at `first`.
    """
    cells, on_device = image.on_device(column, to, device)
    source = arrays.prepared(next_hops, "next_hops", to, device, stream)
    count = source.shape[0]
    results = []
    for items, missing in zip(on_device, (cells.missing, numpy.zeros(1, numpy.bool_))):
        result = arrays.empty_like(like, to, count, items.dtype, device, stream)
        if count > 0:
            target = arrays.prepared(result, "result", to, device, stream)
            size = items.dtype.itemsize
            cells_of_family = (items.pointer + first * size, size, len(items) - first)
            pointers = (missing.ctypes.data, source.pointer, target.pointer)
            to.call("gather", device, *cells_of_family, *pointers, count, stream)
        results.append(result)
    return Column(results[0], results[1], cells.categories)
