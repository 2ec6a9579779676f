"""Addresses in numpy arrays."""

from __future__ import annotations

from typing import Any

import numpy

from fingerpost._cuda import arrays, library


def addresses(array: numpy.ndarray[Any, Any]) -> tuple[numpy.ndarray[Any, Any], int]:
    """Returns the addresses as the C interface takes them, and its `address_bits`. Copies only what differs.

    Raises TypeError for other arrays.
    """
    if isinstance(array, numpy.ma.MaskedArray):
        raise TypeError("array cannot be a masked array: remove or replace the masked rows first")
    if array.dtype.kind in "SUO":
        raise TypeError(
            f"array cannot be text or objects ({array.dtype}): lookup_many() of a fingerpost.Table parses text"
        )
    if array.dtype == numpy.uint8 and array.ndim == 2 and array.shape[1] == 4:
        numbers = numpy.ascontiguousarray(array).view(">u4")[:, 0]
        return numbers.astype(numpy.uint32), library.IPV4
    if array.dtype.names is not None and array.ndim == 1:
        fields = [array[name] for name in array.dtype.names]
        if len(fields) == 2 and all(field.dtype.newbyteorder("=") == numpy.uint64 for field in fields):
            return numpy.stack(fields, axis=1).astype(numpy.uint64, copy=False), library.IPV6_HALVES
    native = array.dtype.newbyteorder("=")
    bits = arrays.address_bits(array.shape, native, "array")
    addresses = numpy.ascontiguousarray(array, native)
    # Bytes can be anywhere; new arrays are aligned.
    return (addresses if addresses.ctypes.data % arrays.alignment(bits) == 0 else addresses.copy()), bits
