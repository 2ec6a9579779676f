"""Recognises Parquet and Arrow by names and first bytes, without pyarrow."""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Sequence

from fingerpost._enrich.types import Kind

PARQUET = b"PAR1"
ARROW_FILE = b"ARROW1"
ARROW_STREAM = b"\xff\xff\xff\xff"
# Compression formats by suffix.
PACKINGS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4", ".xz": "xz"}


def without_packing(path: str) -> str:
    """Returns the path in lower case, without the suffix of a compression format."""
    name = path.lower()
    return next((name.removesuffix(suffix) for suffix in PACKINGS if name.endswith(suffix)), name)


def suffix_kind(path: str) -> Kind | None:
    """Returns the kind of a file by its suffix, ignoring a suffix of compression."""
    name = without_packing(path)
    kinds: dict[str, Kind] = {
        ".parquet": "parquet",
        ".pq": "parquet",
        ".arrow": "arrow",
        ".arrows": "arrow",
        ".feather": "arrow",
        ".ipc": "arrow",
        ".csv": "csv",
        ".tsv": "tsv",
        ".tab": "tsv",
    }
    return next((kind for suffix, kind in kinds.items() if name.endswith(suffix)), None)


def has_columns(path: str) -> bool:
    """Returns whether a file is Parquet or Arrow by its name or its first bytes. "-" is the standard input."""
    if path == "-":
        return _begins_columns(_peek(0))
    if suffix_kind(path) in ("parquet", "arrow"):
        return True
    # Opening a pipe would take it away from its writer.
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            return _begins_columns(file.read(8))
    except OSError:
        return False


def _begins_columns(begin: bytes) -> bool:
    return begin.startswith((PARQUET, ARROW_FILE, ARROW_STREAM))


def _peek(descriptor: int) -> bytes:
    """Returns the first bytes of a file or pipe, which stay in it."""
    try:
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            return os.pread(descriptor, 8, os.lseek(descriptor, 0, os.SEEK_CUR))
        reader, writer = os.pipe()
        try:
            # Copies what the pipe holds, and waits if it holds nothing yet.
            count: int = ctypes.CDLL(None).tee(descriptor, writer, ctypes.c_size_t(8), 0)
            return os.read(reader, count) if count > 0 else b""
        finally:
            os.close(reader)
            os.close(writer)
    except OSError:
        return b""


def asks_for_columns(words: Sequence[str], reads_stdin: bool) -> bool:
    """Returns whether a command line names Parquet or Arrow files, or has an option that only these have."""
    values = [word.partition("=")[2] if word.startswith("--") else word for word in words]
    pairs = {*zip(words, words[1:], strict=False), *((word.partition("=")[0], word.partition("=")[2]) for word in words)}
    return (
        any(name == "--csv-types" for name, _ in pairs)
        or any(("--format", kind) in pairs for kind in ("parquet", "arrow"))
        or any(has_columns(value) for value in values if value != "-")
        or (reads_stdin and has_columns("-"))
    )
