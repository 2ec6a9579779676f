"""The C library libfingerpost_cuda.so. Its interface is gpu/fingerpost_cuda.h and gpu/fingerpost_cuda_arrays.h."""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path
from typing import Any

VARIABLE = "FINGERPOST_CUDA_LIBRARY"
NAME = "libfingerpost_cuda.so"

# Values of `address_bits` in the C interface.
IPV4 = 32
IPV6 = 128
IPV6_HALVES = 64

_POINTER = ctypes.c_void_p
_SIZE = ctypes.c_size_t
_INT = ctypes.c_int
_OUT = ctypes.POINTER(ctypes.c_void_p)

# Arguments of the functions that return an error code.
PROTOTYPES: dict[str, tuple[Any, ...]] = {
    "devices": (ctypes.POINTER(_INT),),
    "upload": (_POINTER, _SIZE, _INT, _OUT),
    "update": (_POINTER, _POINTER, _SIZE),
    "lookup": (_POINTER, _INT, _POINTER, _POINTER, _SIZE, _POINTER),
    "lookup_host": (_POINTER, _INT, _POINTER, _POINTER, _SIZE),
    "allocate": (_INT, _SIZE, _OUT),
    "release": (_INT, _POINTER),
    "copy": (_INT, _POINTER, _POINTER, _SIZE, _POINTER),
    "order": (_INT, _POINTER, _POINTER),
    "device_of": (_POINTER, ctypes.POINTER(_INT)),
    "gather": (_INT, _POINTER, _SIZE, _SIZE, _POINTER, _POINTER, _POINTER, _SIZE, _POINTER),
}


class CudaError(RuntimeError):
    """A call of CUDA failed. The text is CUDA's reason: no device, no memory, a fault of an earlier kernel."""


CudaError.__module__ = "fingerpost.cuda"


class Library:
    """Functions of the C library. Each one releases the GIL."""

    def __init__(self, functions: Any) -> None:
        """`functions` has the C functions as attributes, as ctypes.CDLL does.

        Raises AttributeError if one is missing.
        """
        self._functions = {}
        for name, arguments in PROTOTYPES.items():
            self._functions[name] = _typed(functions, name, _INT, arguments)
        self._error = _typed(functions, "error", ctypes.c_char_p, ())
        self._memory_bytes = _typed(functions, "memory_bytes", _SIZE, (_POINTER,))
        self._close = _typed(functions, "close", None, (_POINTER,))

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function of PROTOTYPES. Raises CudaError if it fails."""
        if self._functions[name](*arguments) != 0:
            reason = self._error() or b"unknown error"
            raise CudaError(reason.decode(errors="replace"))

    def new(self, name: str, *arguments: Any) -> int | None:
        """Calls a function whose last argument receives a pointer, and returns the pointer."""
        pointer = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(pointer))
        return pointer.value

    def number(self, name: str, *arguments: Any) -> int:
        """Calls a function whose last argument receives an int, and returns the int."""
        number = ctypes.c_int()
        self.call(name, *arguments, ctypes.byref(number))
        return number.value

    def memory_bytes(self, table: int) -> int:
        return int(self._memory_bytes(table))

    def close(self, table: int) -> None:
        self._close(table)


def _typed(functions: Any, name: str, result: Any, arguments: tuple[Any, ...]) -> Any:
    function = getattr(functions, f"fingerpost_cuda_{name}")
    function.argtypes, function.restype = arguments, result
    return function


@functools.cache
def load() -> Library:
    """Returns the library of this process. Raises ImportError if it is missing or incomplete."""
    path, functions = _open()
    try:
        return Library(functions)
    except AttributeError as error:
        raise ImportError(f"{path} is from another version of fingerpost: {error}") from error


def _open() -> tuple[str, ctypes.CDLL]:
    """Returns the first library that exists: named by the variable, beside the package, or found by the loader."""
    named = os.environ.get(VARIABLE)
    if named:
        try:
            return named, ctypes.CDLL(named)
        except OSError as error:
            raise ImportError(f"{VARIABLE}={named}: {error}") from error
    beside = Path(__file__).parent.parent / NAME
    path = str(beside) if beside.exists() else NAME
    try:
        return path, ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"lookups on a GPU need {NAME}, which the package fingerpost does not contain ({error}). Build it from "
            f"the sources of this version, as docs/use/gpu.md describes, and set {VARIABLE} to its path, or copy it "
            f"to {beside.parent}"
        ) from error
