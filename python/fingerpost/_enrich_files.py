"""Files of rows as streams of record batches: Parquet, Arrow IPC, CSV and TSV."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from fingerpost._core import Error
from fingerpost._enrich import BATCH_ROWS, ChoiceError, Kind
from fingerpost._enrich_columns import field_number

if TYPE_CHECKING:
    from typing_extensions import Buffer

_PARQUET = b"PAR1"
_ARROW_FILE = b"ARROW1"
_ARROW_STREAM = b"\xff\xff\xff\xff"
_PACKED = (".gz", ".bz2", ".zst", ".lz4", ".xz")
# Column chunks of Parquet are read in pieces of this size, so that large row groups need no large memory.
_READ_BYTES = 1 << 20
# What may stand before a header: line ends, blanks and a byte order mark.
_BLANK = b"\xef\xbb\xbf \r\n"

BadRow = Callable[[str, "int | None", str, int, int], bool]


@dataclass
class Dialect:
    """How rows of CSV are cut into fields, and whether the first one has the names of the columns."""

    has_header: bool = True
    has_quotes: bool = True


@dataclass
class Reading:
    """How CSV is read: the columns of addresses, whether all columns stay text, and types known already."""

    fields: list[str | int]
    as_text: bool
    on_bad_row: BadRow
    schema: pa.Schema | None
    dialect: Dialect


class Source:
    """An open file of rows."""

    def __init__(
        self, path: str, kind: Kind, schema: pa.Schema, batches: Callable[[], Iterator[pa.RecordBatch]]
    ) -> None:
        self.path = path
        self.kind = kind
        self.schema = schema
        self._batches = batches
        # Of Parquet: the compression of each column by its path, and the rows of the largest row group.
        self.compression: dict[str, str] = {}
        self.group_rows = 0
        # Of Arrow: whether it is the file format, in which a column has one dictionary.
        self.has_one_dictionary = False
        # Of CSV.
        self.dialect = Dialect()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Returns batches of at most BATCH_ROWS rows in order. Raises Error where the file is damaged."""
        row = 0
        with _named(self.path, lambda: f" after row {row}"):
            for batch in self._batches():
                for at in range(0, batch.num_rows, BATCH_ROWS):
                    piece = batch.slice(at, BATCH_ROWS)
                    row += piece.num_rows
                    yield piece


def delimiter_of(kind: Kind) -> str:
    """Returns what stands between the fields of a row of CSV or TSV."""
    return "\t" if kind == "tsv" else ","


def shown(path: str) -> str:
    """Returns the name of a file as messages have it."""
    return "stdin" if path == "-" else path


def suffix_kind(path: str) -> Kind | None:
    """Returns the kind of a file by its name; a suffix of compression before the end does not count."""
    name = path.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
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


def kind_of(path: str, given: Kind | None) -> Kind:
    """Returns the kind of a file by how it begins; of text without tabs by its name, else by what was asked for."""
    begin = _beginning(path)
    if begin.startswith(_PARQUET):
        return "parquet"
    if begin.startswith((_ARROW_FILE, _ARROW_STREAM)):
        return "arrow"
    named = suffix_kind(path)
    if named in ("parquet", "arrow"):
        raise Error(
            f"{path}: it is no file of {'Parquet' if named == 'parquet' else 'Arrow'}: it begins with {begin!r}"
        )
    header = _head(path).partition(b"\n")[0]
    if b"\t" in header and not (named == "csv" and b"," in header):
        return "tsv"
    if named is not None:
        return named
    return "tsv" if given == "tsv" else "csv"


def _beginning(path: str) -> bytes:
    if path == "-":
        return _stdin.peek(lambda head: len(head) >= 8)[:8]
    with open(path, "rb") as file:
        return file.read(8)


def _has_line(head: bytes) -> bool:
    text = head.lstrip(_BLANK)
    return b"\n" in text or len(text) >= _READ_BYTES


def is_empty(path: str, kind: Kind) -> bool:
    """Returns whether a file of text has nothing, not even the names of its columns."""
    return kind in ("csv", "tsv") and not _head(path)


def _head(path: str) -> bytes:
    """Returns how an unpacked file begins, its first line at least if that is not too long, without empty lines."""
    with _named(shown(path), lambda: ""):
        if path == "-":
            return _stdin.peek(_has_line).lstrip(_BLANK)
        with _bytes_of(path) as stream:
            head = b""
            while not head and (more := stream.read(_READ_BYTES)):
                head = more.lstrip(_BLANK)
            return head


@contextmanager
def open_source(path: str, kind: Kind, how: Reading) -> Iterator[Source]:
    """Opens a file of rows."""
    name = shown(path)
    with _named(name, lambda: ""):
        if kind == "parquet":
            if path == "-":
                raise ChoiceError(
                    "stdin: Parquet is read from files only, as its columns are listed at its end"
                )
            opener = _open_parquet(path)
        elif kind == "arrow":
            opener = _open_arrow(path)
        else:
            opener = _open_csv(path, kind, how)
        with opener as source:
            yield source


@contextmanager
def _open_parquet(path: str) -> Iterator[Source]:
    # Without pre_buffer the ranges that were read are not kept.
    with pq.ParquetFile(path, pre_buffer=False, buffer_size=_READ_BYTES) as file:
        source = Source(path, "parquet", file.schema_arrow, lambda: file.iter_batches(BATCH_ROWS))
        facts = file.metadata
        for group in range(facts.num_row_groups):
            source.group_rows = max(source.group_rows, facts.row_group(group).num_rows)
        if facts.num_row_groups:
            columns = facts.row_group(0)
            source.compression = {
                columns.column(i).path_in_schema: columns.column(i).compression
                for i in range(columns.num_columns)
            }
        yield source


@contextmanager
def _open_arrow(path: str) -> Iterator[Source]:
    with _bytes_of(path) as stream:
        if path != "-" and _beginning(path).startswith(_ARROW_FILE):
            file = pa.ipc.open_file(stream)
            batches = (file.get_batch(i) for i in range(file.num_record_batches))
            source = Source(path, "arrow", file.schema, lambda: batches)
            source.has_one_dictionary = True
        else:
            rows = pa.ipc.open_stream(stream)
            source = Source(shown(path), "arrow", rows.schema, lambda: iter(rows))
        yield source


@contextmanager
def _open_csv(path: str, kind: Kind, how: Reading) -> Iterator[Source]:
    dialect = how.dialect
    with _csv_bytes(path, kind, dialect) as (names, stream):
        if not names:
            missing = "CSV begins with the names of its columns"
            if not dialect.has_header:
                missing = "without a header its first row tells how many columns there are"
            raise Error(f"{shown(path)}: it is empty; {missing}")
        text = names if how.as_text else [names[field_number(field, names)] for field in how.fields]
        types = {name: pa.string() for name in text}
        if how.schema is not None:
            types.update((name, how.schema.field(name).type) for name in names if name in how.schema.names)

        def on_bad_row(row: pa_csv.InvalidRow) -> str:
            goes_on = how.on_bad_row(
                shown(path), row.number, row.text, row.expected_columns, row.actual_columns
            )
            return "skip" if goes_on else "error"

        rows = pa_csv.open_csv(
            stream,
            pa_csv.ReadOptions(
                use_threads=True,
                block_size=1 << 20,
                column_names=None if dialect.has_header else names,
            ),
            pa_csv.ParseOptions(
                delimiter=delimiter_of(kind),
                quote_char='"' if dialect.has_quotes else False,
                newlines_in_values=dialect.has_quotes,
                invalid_row_handler=on_bad_row,
            ),
            # Bytes that are no UTF-8 are passed on where the rows stay text.
            pa_csv.ConvertOptions(column_types=types, check_utf8=not how.as_text),
        )
        source = Source(shown(path), kind, rows.schema, lambda: iter(rows))
        source.dialect = dialect
        yield source


def refuse_names(fields: list[str | int]) -> None:
    """Raises ChoiceError if not all fields are numbers of columns."""
    for field in fields:
        if not (str(field).isdecimal() and int(field)):
            raise ChoiceError(f"--field: without a header {str(field)!r} must be the number of a column")


@contextmanager
def _bytes_of(path: str) -> Iterator[pa.NativeFile]:
    """Opens a file, decompressed."""
    if path == "-":
        yield pa.PythonFile(_stdin, mode="r")
        return
    with pa.input_stream(path, compression="detect") if path.endswith(_PACKED) else pa.OSFile(path) as stream:
        yield stream


def column_names(path: str, kind: Kind, dialect: Dialect) -> list[str]:
    """Returns the names of the columns of a file, for messages."""
    with open_source(path, kind, Reading([], True, lambda *row: True, None, dialect)) as source:
        return list(source.schema.names)


@contextmanager
def _csv_bytes(path: str, kind: Kind, dialect: Dialect) -> Iterator[tuple[list[str], pa.NativeFile]]:
    """Opens CSV; returns the names in its header as well, or the numbers of its columns if it has none."""
    with _bytes_of(path) as stream:
        buffered = io.BufferedReader(_stdin if path == "-" else stream)
        head = b""
        # A header ends with the line in which its last quote is closed. Empty lines before it are left out.
        while line := buffered.readline(_READ_BYTES):
            if not head and not line.strip(_BLANK):
                continue
            head += line
            if head.count(b'"') % 2 == 0 or not dialect.has_quotes:
                break
        text = io.StringIO(head.decode("utf-8-sig", "strict" if dialect.has_header else "replace"))
        rows = csv.reader(
            text,
            delimiter=delimiter_of(kind),
            quoting=csv.QUOTE_MINIMAL if dialect.has_quotes else csv.QUOTE_NONE,
        )
        names = next((row for row in rows if row), [])
        if not dialect.has_header:
            names = [str(number) for number in range(1, len(names) + 1)]
        yield names, pa.PythonFile(_Joined(head, buffered), mode="r")


class _Stdin(io.RawIOBase):
    """The standard input without the lock of sys.stdin, for which the interpreter would wait at its end."""

    def __init__(self) -> None:
        self._head = b""

    def readable(self) -> bool:
        return True

    def peek(self, is_enough: Callable[[bytes], bool]) -> bytes:
        """Returns the first bytes, which are read again: as many as are enough, or all that there are."""
        while not is_enough(self._head) and (more := os.read(0, 1 << 16)):
            self._head += more
        return self._head

    def read(self, size: int = -1) -> bytes:
        """Reads some bytes, without a size all of the rest."""
        if size < 0:
            return b"".join(iter(lambda: self.read(_READ_BYTES), b""))
        if self._head:
            given, self._head = self._head[:size], self._head[size:]
            return given
        return os.read(0, size)

    def readinto(self, into: Buffer) -> int:
        """Reads as many bytes as are there."""
        room = memoryview(into).cast("B")
        data = self.read(len(room))
        room[: len(data)] = data
        return len(data)


_stdin = _Stdin()


class _Joined(io.RawIOBase):
    """Bytes that were read already, and the rest of their file."""

    def __init__(self, head: bytes, rest: io.BufferedReader) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Reads some bytes; all of the rest without a size."""
        if size < 0:
            head, self._head = self._head, b""
            return head + self._rest.read()
        if self._head:
            given, self._head = self._head[:size], self._head[size:]
            return given
        return self._rest.read(size)


def check_same_columns(first: Source, other: Source) -> None:
    """Raises Error that names the first difference between the columns of two files."""
    if first.schema.equals(other.schema, check_metadata=False):
        return
    theirs, ours = list(other.schema), list(first.schema)
    for number, (one, two) in enumerate(zip(ours, theirs, strict=False), 1):
        if one != two:
            raise Error(
                f"{other.path}: column {number} is {two.name!r} ({two.type}), but {one.name!r} ({one.type}) "
                f"in {first.path}; all files must have the same columns"
            )
    raise Error(
        f"{other.path}: {len(theirs)} columns, but {len(ours)} in {first.path}; all must have the same"
    )


@contextmanager
def _named(path: str, where: Callable[[], str]) -> Iterator[None]:
    """Puts the name of the file before errors of pyarrow."""
    try:
        yield
    except (Error, ChoiceError):
        raise
    except (pa.ArrowException, EOFError, UnicodeDecodeError) as error:
        raise Error(f"{path}{where()}: {_words_of(error)}") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise Error(f"{path}{where()}: {_words_of(error)}") from error


def _words_of(error: Exception) -> str:
    words = str(error).strip()
    if isinstance(error, pa.ArrowException) and "conversion error to" in words:
        words += "; csv_types='text' (--csv-types text) reads all columns as text"
    return words
