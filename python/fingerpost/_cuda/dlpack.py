"""DLPack capsules: reading those of other libraries, and exporting arrays of this one."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy

CPU = 1
CUDA = 2
CUDA_MANAGED = 13
_NAME = b"dltensor"

_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}


class _Device(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int32), ("number", ctypes.c_int32))


class _DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("dimensions", ctypes.c_int32),
        ("type", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))


_api = ctypes.PyDLL(None)
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_api.PyCapsule_IsValid.restype = ctypes.c_int
_api.PyCapsule_IsValid.argtypes = (ctypes.c_void_p, ctypes.c_char_p)
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = (ctypes.c_void_p, ctypes.c_char_p)


def read(capsule: object) -> Tensor:
    """Returns the tensor of a capsule, which stays unused: the memory is valid while the capsule exists."""
    pointer = _api.PyCapsule_GetPointer(id(capsule), _NAME)
    tensor: Tensor = ctypes.cast(pointer, ctypes.POINTER(_Managed)).contents.tensor
    return tensor


def shape_of(tensor: Tensor) -> tuple[int, ...]:
    return tuple(tensor.shape[: tensor.dimensions])


def strides_of(tensor: Tensor, item_bytes: int) -> tuple[int, ...] | None:
    """Returns the strides in bytes; None for a contiguous tensor that has none."""
    if not tensor.strides:
        return None
    return tuple(stride * item_bytes for stride in tensor.strides[: tensor.dimensions])


def dtype_of(tensor: Tensor) -> numpy.dtype[Any]:
    """Returns the dtype. Raises TypeError for types that numpy does not have."""
    kind = _KINDS.get(tensor.type.code)
    if kind is None or tensor.type.lanes != 1 or tensor.type.bits % 8 != 0:
        raise TypeError(
            f"addresses cannot have the DLPack type {tensor.type.code} with {tensor.type.bits} bits and "
            f"{tensor.type.lanes} lanes"
        )
    return numpy.dtype(f"{kind}{tensor.type.bits // 8}")


# Exported arrays and their descriptions, by the address of the description, until the consumer releases them.
_exported: dict[int, tuple[object, ...]] = {}


def _delete(managed: int) -> None:
    _exported.pop(managed, None)


def _destroy_capsule(capsule: int) -> None:
    # A consumer renames the capsule and calls the deleter itself.
    if _api.PyCapsule_IsValid(capsule, _NAME):
        _delete(_api.PyCapsule_GetPointer(capsule, _NAME))


_deleter = _Deleter(_delete)
_capsule_destructor = _Deleter(_destroy_capsule)


def export(owner: object, pointer: int, count: int, dtype: numpy.dtype[Any], device: int) -> object:
    """Returns a capsule of a contiguous array of one dimension. It keeps the owner of the memory alive."""
    shape = (ctypes.c_int64 * 1)(count)
    strides = (ctypes.c_int64 * 1)(1)
    managed = _Managed()
    managed.tensor.data = pointer
    managed.tensor.device = _Device(CUDA, device)
    managed.tensor.dimensions = 1
    managed.tensor.type = _DataType(_CODES[dtype.kind], dtype.itemsize * 8, 1)
    managed.tensor.shape = shape
    managed.tensor.strides = strides
    managed.deleter = _deleter
    address = ctypes.addressof(managed)
    _exported[address] = (owner, managed, shape, strides)
    capsule: object = _api.PyCapsule_New(address, _NAME, ctypes.cast(_capsule_destructor, ctypes.c_void_p))
    return capsule
