"""Byte streams of files of rows: compression, and streams that can be read only once."""

from __future__ import annotations

import io
import lzma
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, cast

import pyarrow as pa

from fingerpost._enrich.kinds import PACKINGS

if TYPE_CHECKING:
    from typing_extensions import Buffer

# Magic bytes of the formats. BZh alone could be a CSV header.
_PACKING_BEGINS = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "bz2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "lz4": re.compile(rb"\x04\x22\x4d\x18"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
}
PACKING_BYTES = 10
_READ_BYTES = 1 << 20


def packing_of_name(path: str) -> str | None:
    """Returns the compression format according to the suffix."""
    return next((name for suffix, name in PACKINGS.items() if path.lower().endswith(suffix)), None)


def packing_of_bytes(begin: bytes) -> str | None:
    """Returns the compression format according to the first PACKING_BYTES of the data."""
    return next((name for name, magic in _PACKING_BEGINS.items() if magic.match(begin)), None)


def packed(sink: io.RawIOBase, packing: str) -> pa.NativeFile:
    """Returns a stream that compresses into `sink`."""
    if packing == "xz":
        return pa.PythonFile(lzma.LZMAFile(cast("BinaryIO", sink), "w"), mode="w")
    return pa.CompressedOutputStream(sink, packing)


def unpacked(stream: pa.NativeFile | io.RawIOBase, packing: str) -> pa.NativeFile:
    """Returns a decompressing stream. Compressed files may have several members."""
    if packing == "xz":
        return pa.PythonFile(lzma.LZMAFile(cast("BinaryIO", stream)), mode="r")
    return pa.CompressedInputStream(stream, packing)


class Pipe(io.RawIOBase):
    """A stream that can be read only once: a pipe or the standard input, possibly decompressed."""

    def __init__(self, read: Callable[[int], bytes], close: Callable[[], object]) -> None:
        self._rest = read
        self._close = close
        self._head = b""

    def readable(self) -> bool:
        return True

    def peek(self, is_enough: Callable[[bytes], bool]) -> bytes:
        """Returns the first bytes, up to the end of the stream if they are never enough. They will be read again."""
        while not is_enough(self._head) and (more := self._rest(1 << 16)):
            self._head += more
        return self._head

    def read(self, size: int = -1) -> bytes:
        """Reads up to `size` bytes, or the rest of the stream if `size` is negative."""
        if size < 0:
            return b"".join(iter(lambda: self.read(_READ_BYTES), b""))
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
            return data
        return self._rest(size)

    def readinto(self, into: Buffer) -> int:
        """Reads into a buffer."""
        room = memoryview(into).cast("B")
        data = self.read(len(room))
        room[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Closes the stream, except the standard input."""
        if not self.closed:
            self._close()
        super().close()


class Joined(io.RawIOBase):
    """The first bytes of a file, read earlier, followed by the rest of the file."""

    def __init__(self, head: bytes, rest: io.BufferedReader) -> None:
        self._head = head
        self._rest = rest
        # The last bytes read.
        self.tail = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Reads up to `size` bytes, or the rest of the file if `size` is negative."""
        if size < 0:
            data, self._head = self._head + self._rest.read(), b""
        elif self._head:
            data, self._head = self._head[:size], self._head[size:]
        else:
            data = self._rest.read(size)
        self.tail = data[-64:] or self.tail
        return data
