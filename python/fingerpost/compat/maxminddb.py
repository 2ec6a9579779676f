"""The interface of maxminddb for MaxMind DBs, images and other tables: `import fingerpost.compat.maxminddb as maxminddb`.

Records are rebuilt from columns: the column `country.iso_code` becomes `{"country": {"iso_code": ...}}`.
"""

from __future__ import annotations

import enum
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from fingerpost._core import Error, Table
from fingerpost._reports import TableWarning

if TYPE_CHECKING:
    from typing_extensions import Self

Record: TypeAlias = Any
Address: TypeAlias = str | IPv4Address | IPv6Address

__all__ = ["InvalidDatabaseError", "Metadata", "Mode", "Reader", "open_database"]


class Mode(enum.IntEnum):
    """How to open a file. All modes except FD do the same here."""

    AUTO = 0
    MMAP_EXT = 1
    MMAP = 2
    FILE = 4
    MEMORY = 8
    FD = 16


MODE_AUTO, MODE_MMAP_EXT, MODE_MMAP, MODE_FILE, MODE_MEMORY, MODE_FD = Mode

_MARK = b"\xab\xcd\xefMaxMind.com"
# The metadata is within the last 128 KiB.
_METADATA_SIZE = 128 * 1024
_MISSING: Any = object()


class InvalidDatabaseError(RuntimeError):
    """The file is not a table, or it is damaged."""


@dataclass(frozen=True)
class Metadata:
    """Metadata of a MaxMind DB. For other tables, most members are empty."""

    binary_format_major_version: int = 2
    binary_format_minor_version: int = 0
    build_epoch: int = 0
    database_type: str = "fingerpost"
    description: dict[str, str] = field(default_factory=dict)
    ip_version: int = 6
    languages: list[str] = field(default_factory=list)
    node_count: int = 0
    record_size: int = 0

    @property
    def node_byte_size(self) -> int:
        return self.record_size // 4

    @property
    def search_tree_size(self) -> int:
        return self.node_count * self.node_byte_size


class Reader:
    """A table that is queried like a MaxMind DB."""

    def __init__(self, database: str | os.PathLike[str] | IO[bytes], mode: int = Mode.AUTO) -> None:
        if mode not in list(Mode):
            raise ValueError(f"Unsupported open mode ({mode})")
        self.closed = False
        try:
            self._table, self._metadata = _read(database)
        except Error as error:
            raise InvalidDatabaseError(str(error)) from None
        self._lookup: Callable[..., Any] = self._table.lookup
        self._fields = _fields_of(self._table.columns)

    def metadata(self) -> Metadata:
        return self._metadata

    def get(self, ip_address: Address) -> Record | None:
        """Returns the record of an address, or None."""
        try:
            row = self._lookup(ip_address, _MISSING)
        except (AttributeError, TypeError, ValueError):
            raise self._address_error(ip_address) from None
        if row is _MISSING:
            self._require_family(ip_address)
            return None
        return self._record(row)

    def get_with_prefix_len(self, ip_address: Address) -> tuple[Record | None, int]:
        """Returns the record and the length of its network. Without a record, it is the largest network without any."""
        try:
            match = self._table.match(ip_address)
        except (AttributeError, TypeError, ValueError):
            raise self._address_error(ip_address) from None
        if match is None:
            self._require_family(ip_address)
            return None, _empty_length(self._table, ip_address)
        prefix, row = match
        length = int(prefix[prefix.index("/") + 1 :])
        is_mapped = _is_ipv6(ip_address) and ":" not in prefix
        return self._record(row), length + (96 if is_mapped else 0)

    def __iter__(self) -> Iterator[tuple[IPv4Network | IPv6Network, Record]]:
        for prefix, row in self._table.items():
            yield ip_network(prefix), self._record(row)

    def close(self) -> None:
        """Frees the table. Lookups then raise ValueError."""
        self.closed = True
        # Any lookup then raises TypeError, because the table has gone.
        self._table = self._lookup = None  # type: ignore[assignment]

    def __enter__(self) -> Self:
        if self.closed:
            raise ValueError("Attempt to reopen a closed MaxMind DB")
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _record(self, row: Any) -> Record:
        if not self._fields:
            return row
        cells = row if isinstance(row, dict) else {self._table.columns[0]: row}
        return _nested(self._fields, cells)

    def _address_error(self, address: object) -> Exception:
        if self.closed:
            return ValueError("Attempt to read from a closed MaxMind DB")
        if not isinstance(address, (str, IPv4Address, IPv6Address)):
            return TypeError("argument 1 must be a string or ipaddress object")
        return ValueError(f"{str(address)!r} does not appear to be an IPv4 or IPv6 address")

    def _require_family(self, address: Address) -> None:
        if self._metadata.ip_version == 4 and _is_ipv6(address):
            raise ValueError(f"{address} is an IPv6 address, but the database has only IPv4")


def open_database(database: str | os.PathLike[str] | IO[bytes], mode: int = Mode.AUTO) -> Reader:
    """Opens a table in any format. Images are mapped. Raises OSError and InvalidDatabaseError."""
    return Reader(database, mode)


def _is_ipv6(address: Address) -> bool:
    # An IPv4 address may have one colon before its port.
    return str(address).count(":") > 1


def _read(database: str | os.PathLike[str] | IO[bytes]) -> tuple[Table[Any], Metadata]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        if not isinstance(database, (str, os.PathLike)):
            start = database.tell()
            table = Table.from_file(database)
            database.seek(start)
            return table, _metadata(database.read()[-_METADATA_SIZE:])
        try:
            return Table.open(database), Metadata()
        except Error:
            table = Table.from_file(database)
    with open(database, "rb") as file:
        file.seek(max(0, os.path.getsize(database) - _METADATA_SIZE))
        return table, _metadata(file.read())


def _metadata(end: bytes) -> Metadata:
    """Reads the metadata from the end of a MaxMind DB. Other files have none."""
    mark = end.rfind(_MARK)
    if mark < 0:
        return Metadata()
    try:
        values, _ = _decode(end[mark + len(_MARK) :], 0)
        known = Metadata.__dataclass_fields__
        return Metadata(**{name: value for name, value in values.items() if name in known})
    except (AttributeError, IndexError, RecursionError, TypeError, UnicodeDecodeError) as error:
        raise InvalidDatabaseError(f"invalid metadata: {error}") from None


def _decode(data: bytes, at: int) -> tuple[Any, int]:
    """Decodes the value at a byte, and returns it with the position after it. Only types that metadata has."""
    control = data[at]
    kind, size, at = control >> 5, control & 31, at + 1
    if kind == 1:
        width = (size >> 3) + 1
        number = int.from_bytes(data[at : at + width], "big") + (0 if width == 4 else (size & 7) << 8 * width)
        value, _ = _decode(data, number + (0, 0, 2048, 526336, 0)[width])
        return value, at + width
    if kind == 0:
        kind, at = data[at] + 7, at + 1
    if size > 28:
        width = size - 28
        size = int.from_bytes(data[at : at + width], "big") + (29, 285, 65821)[width - 1]
        at += width
    if kind in (7, 11):
        values = []
        for _ in range(size * 2 if kind == 7 else size):
            value, at = _decode(data, at)
            values.append(value)
        return (dict(zip(values[::2], values[1::2])) if kind == 7 else values), at
    content = data[at : at + size]
    if kind == 2:
        return content.decode(), at + size
    if kind in (5, 6, 9):
        return int.from_bytes(content, "big"), at + size
    raise TypeError(f"type {kind}")


# Names of the members of a record. A member is the name of a column or has members itself.
_Fields: TypeAlias = "dict[str, str | _Fields]"


def _fields_of(columns: tuple[str, ...]) -> _Fields:
    fields: _Fields = {}
    for column in columns:
        *path, name = column.split(".")
        members = fields
        for part in path:
            inner = members.setdefault(part, {})
            if isinstance(inner, str):
                # Another column has the name of this path.
                members, name = fields, column
                break
            members = inner
        members.setdefault(name, column)
    return fields


def _nested(fields: _Fields, cells: dict[str, Any]) -> Any:
    """Builds a record, or a list if the names are numbers. Missing cells are left out."""
    members: dict[str, Any] = {}
    for name, field_ in fields.items():
        value = cells[field_] if isinstance(field_, str) else _nested(field_, cells)
        if value is not None and value != {} and value != []:
            members[name] = value
    if members and all(name.isdigit() for name in members):
        return [members[name] for name in sorted(members, key=int)]
    return members


def _empty_length(table: Table[Any], address: Address) -> int:
    """Returns the length of the largest network that contains the address and no route."""
    number = ip_address(str(address).partition("%")[0])
    length: int = number.max_prefixlen
    while length and not table.covered((number.packed, length - 1)):
        length -= 1
    return length
