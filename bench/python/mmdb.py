"""Writes a MaxMind DB of prefixes and numbers, so that the benchmark can measure its reader with the same table.

The format is public: https://maxmind.github.io/MaxMind-DB/
"""

from __future__ import annotations

import array
import sys
from collections.abc import Iterable
from pathlib import Path

_MARKER = b"\xab\xcd\xefMaxMind.com"
_SEPARATOR = 16
# Types of the data section.
_TEXT, _UINT16, _UINT32, _MAP, _UINT64, _ARRAY = 2, 5, 6, 7, 9, 11


def write_mmdb(path: Path, version: int, routes: Iterable[tuple[int, int, int]], field: str = "") -> None:
    """Writes routes: address as a number, length of the prefix, value below 2^32. version: 4 or 6.

    With the name of a field, each record is a map with this field instead of the number alone.
    """
    bits = 32 if version == 4 else 128
    # A node has two records: 0 for nothing, a positive node index, or a negative value number, counted down from -1.
    records = array.array("q", [0, 0])
    values: list[int] = []
    # Insert shorter prefixes first, so that longer ones split them.
    for address, length, value in sorted(routes, key=lambda route: route[1]):
        values.append(value)
        _insert(records, address, length, bits, -len(values))
    nodes = len(records) // 2
    data, places = _values(values, _control(_MAP, 1) + _text(field) if field else b"")
    words = array.array("I", bytes(4 * len(records)))
    for at, record in enumerate(records):
        words[at] = (
            nodes if record == 0 else record if record > 0 else nodes + _SEPARATOR + places[-1 - record]
        )
    if sys.byteorder == "little":
        words.byteswap()
    with path.open("wb") as to:
        to.write(words.tobytes() + bytes(_SEPARATOR) + data + _MARKER + _metadata(nodes, version))


def _insert(records: array.array[int], address: int, length: int, bits: int, leaf: int) -> None:
    if length == 0:
        records[0] = records[1] = leaf
        return
    at = address >> (bits - 1) & 1
    for depth in range(1, length):
        below = records[at]
        if below <= 0:
            # Both halves of the new node inherit the record of the cover.
            records.extend((below, below))
            below = len(records) // 2 - 1
            records[at] = below
        at = 2 * below + (address >> (bits - 1 - depth) & 1)
    records[at] = leaf


def _values(values: list[int], before: bytes) -> tuple[bytes, list[int]]:
    data = bytearray()
    places = []
    for value in values:
        places.append(len(data))
        data += before + _number(_UINT32, value)
    return bytes(data), places


def _control(type_: int, size: int) -> bytes:
    if size >= 29:
        raise ValueError(f"{size}: fields of this size are not supported")
    return bytes([type_ << 5 | size]) if type_ <= 7 else bytes([size, type_ - 7])


def _number(type_: int, value: int) -> bytes:
    size = (value.bit_length() + 7) // 8
    return _control(type_, size) + value.to_bytes(size, "big")


def _text(text: str) -> bytes:
    return _control(_TEXT, len(text)) + text.encode()


def _metadata(nodes: int, version: int) -> bytes:
    fields = {
        "node_count": _number(_UINT32, nodes),
        "record_size": _number(_UINT16, 32),
        "ip_version": _number(_UINT16, version),
        "database_type": _text("benchmark"),
        "languages": _control(_ARRAY, 1) + _text("en"),
        "binary_format_major_version": _number(_UINT16, 2),
        "binary_format_minor_version": _number(_UINT16, 0),
        # Readers reject 0.
        "build_epoch": _number(_UINT64, 1),
        "description": _control(_MAP, 1) + _text("en") + _text("benchmark"),
    }
    return _control(_MAP, len(fields)) + b"".join(_text(name) + value for name, value in fields.items())
