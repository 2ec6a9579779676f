"""The bytes of files of rows: kinds of compression, and streams that can be read only once."""

from __future__ import annotations

import io
import lzma
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, cast

import pyarrow as pa

if TYPE_CHECKING:
    from typing_extensions import Buffer

# Kinds of compression by the ends of names.
_PACKINGS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4", ".xz": "xz"}
# How compressed data begins; bzip2's three letters may be a header of CSV as well.
_PACKING_BEGINS = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "bz2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "lz4": re.compile(rb"\x04\x22\x4d\x18"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
}
PACKING_BYTES = 10
_READ_BYTES = 1 << 20


def without_packing(path: str) -> str:
    """Returns a name in small letters without the suffix of a compression."""
    name = path.lower()
    return next((name.removesuffix(suffix) for suffix in _PACKINGS if name.endswith(suffix)), name)


def packing_of_name(path: str) -> str | None:
    """Returns the compression that the end of a name tells."""
    return next((name for suffix, name in _PACKINGS.items() if path.lower().endswith(suffix)), None)


def packing_of_bytes(begin: bytes) -> str | None:
    """Returns the compression of data by its first PACKING_BYTES."""
    return next((name for name, magic in _PACKING_BEGINS.items() if magic.match(begin)), None)


def packed(sink: io.RawIOBase, packing: str) -> pa.NativeFile:
    """Returns a stream that compresses what is written to it into `sink`."""
    if packing == "xz":
        return pa.PythonFile(lzma.LZMAFile(cast("BinaryIO", sink), "w"), mode="w")
    return pa.CompressedOutputStream(sink, packing)


def unpacked(stream: pa.NativeFile | io.RawIOBase, packing: str) -> pa.NativeFile:
    """Returns a stream of what was compressed; it may have several members."""
    if packing == "xz":
        return pa.PythonFile(lzma.LZMAFile(cast("BinaryIO", stream)), mode="r")
    return pa.CompressedInputStream(stream, packing)


class Pipe(io.RawIOBase):
    """What can be read only once: a pipe or the standard input, decompressed or as it is."""

    def __init__(self, read: Callable[[int], bytes], close: Callable[[], object]) -> None:
        self._rest = read
        self._close = close
        self._head = b""

    def readable(self) -> bool:
        return True

    def peek(self, is_enough: Callable[[bytes], bool]) -> bytes:
        """Returns the first bytes, which are read again: as many as are enough, or all that there are."""
        while not is_enough(self._head) and (more := self._rest(1 << 16)):
            self._head += more
        return self._head

    def read(self, size: int = -1) -> bytes:
        """Reads some bytes, without a size all of the rest."""
        if size < 0:
            return b"".join(iter(lambda: self.read(_READ_BYTES), b""))
        if self._head:
            given, self._head = self._head[:size], self._head[size:]
            return given
        return self._rest(size)

    def readinto(self, into: Buffer) -> int:
        """Reads as many bytes as are there."""
        room = memoryview(into).cast("B")
        data = self.read(len(room))
        room[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Closes what is read, but for the standard input."""
        if not self.closed:
            self._close()
        super().close()


class Joined(io.RawIOBase):
    """Bytes that were read already, and the rest of their file."""

    def __init__(self, head: bytes, rest: io.BufferedReader) -> None:
        self._head = head
        self._rest = rest
        # The last bytes that were read.
        self.tail = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Reads some bytes; all of the rest without a size."""
        if size < 0:
            given, self._head = self._head + self._rest.read(), b""
        elif self._head:
            given, self._head = self._head[:size], self._head[size:]
        else:
            given = self._rest.read(size)
        self.tail = given[-64:] or self.tail
        return given
