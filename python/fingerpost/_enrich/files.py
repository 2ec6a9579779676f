"""Files of rows as streams of record batches: Parquet, Arrow IPC, CSV and TSV."""

from __future__ import annotations

import csv
import io
import lzma
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from fingerpost._core import Error
from fingerpost._enrich.byte_streams import (
    PACKING_BYTES,
    Joined,
    Pipe,
    packing_of_bytes,
    unpacked,
    without_packing,
)
from fingerpost._enrich.columns import field_number
from fingerpost._enrich.types import BATCH_ROWS, ChoiceError, Kind

_PARQUET = b"PAR1"
_ARROW_FILE = b"ARROW1"
_ARROW_STREAM = b"\xff\xff\xff\xff"
# Column chunks of Parquet are read in pieces of this size, so that large row groups need no large memory.
_READ_BYTES = 1 << 20
# Names of rows of JSON, which only the program reads and writes.
JSON_SUFFIXES = (".ndjson", ".jsonl", ".json")
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
        # Whether a read may wait for a writer.
        self.is_pipe = False
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


def suffix_kind(path: str) -> Kind | None:
    """Returns the kind of a file by its name; a suffix of compression at the end does not count."""
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


class Input:
    """A file of rows: what kind of file it is, and whether it has any text."""

    def __init__(self, path: str, given: Kind | None) -> None:
        """Looks at how the file begins. `given` is the kind that was asked for."""
        self._path = path
        self.name = "stdin" if path == "-" else path
        # What can be read only once is opened here, and what was seen of it is read again.
        self._pipe: Pipe | None = None
        # How the file is compressed.
        self._packing: str | None = None
        if path == "-":
            # Without the lock of sys.stdin, for which the interpreter would wait.
            self._pipe = Pipe(lambda size: os.read(0, size), lambda: None)
        elif not (os.path.isfile(path) or os.path.isdir(path)):
            descriptor = os.open(path, os.O_RDONLY)
            self._pipe = Pipe(lambda size: os.read(descriptor, size), lambda: os.close(descriptor))
        begin = self._packed_beginning()
        self._packing = packing_of_bytes(begin)
        with _named(self.name, lambda: ""):
            if self._pipe is not None and self._packing is not None:
                stream = unpacked(self._pipe, self._packing)
                self._pipe = Pipe(stream.read, stream.close)
            self.is_empty = False
            self.kind = self._kind(given)

    def _kind(self, given: Kind | None) -> Kind:
        """Returns the kind by how the file begins; of text without tabs by its name, else by what was asked for."""
        begin = self._beginning()
        if begin.startswith(_PARQUET):
            return "parquet"
        if begin.startswith((_ARROW_FILE, _ARROW_STREAM)):
            return "arrow"
        named = suffix_kind(self._path)
        if named in ("parquet", "arrow"):
            raise Error(
                f"{self.name}: it is no file of {'Parquet' if named == 'parquet' else 'Arrow'}: "
                f"it begins with {begin!r}"
            )
        head = self._head()
        if head.startswith((b'{"', b"[{")) or without_packing(self._path).endswith(JSON_SUFFIXES):
            raise ChoiceError(
                f"{self.name}: these are rows of JSON, which the program `fingerpost enrich` reads"
            )
        self.is_empty = not head
        header = head.partition(b"\n")[0]
        if b"\t" in header and not (named == "csv" and b"," in header):
            return "tsv"
        if named is not None:
            return named
        return "tsv" if given == "tsv" else "csv"

    def _packed_beginning(self) -> bytes:
        if self._pipe is not None:
            return self._pipe.peek(lambda head: len(head) >= PACKING_BYTES)[:PACKING_BYTES]
        # Unlike that of pyarrow, its errors have a number and the name of the file.
        with open(self._path, "rb") as file:
            return file.read(PACKING_BYTES)

    def _beginning(self) -> bytes:
        """Returns the first bytes, decompressed."""
        if self._pipe is not None:
            return self._pipe.peek(lambda head: len(head) >= 8)[:8]
        with self._bytes() as stream:
            begin: bytes = stream.read(8)
            return begin

    def _head(self) -> bytes:
        """Returns how the text begins, its first line at least if that is not too long, without empty lines."""
        if self._pipe is not None:
            return self._pipe.peek(_has_line).lstrip(_BLANK)
        with self._bytes() as stream:
            head = b""
            while not head and (more := stream.read(_READ_BYTES)):
                head = more.lstrip(_BLANK)
            return head

    @contextmanager
    def _bytes(self) -> Iterator[pa.NativeFile]:
        """Opens the file, decompressed."""
        if self._pipe is not None:
            yield pa.PythonFile(self._pipe, mode="r")
        else:
            with pa.OSFile(self._path) as file:
                if self._packing is None:
                    yield file
                else:
                    with unpacked(file, self._packing) as stream:
                        yield stream

    @contextmanager
    def open(self, how: Reading) -> Iterator[Source]:
        """Opens the file to read its rows, a pipe once."""
        with _named(self.name, lambda: ""):
            if self.kind == "parquet":
                opener = self._open_parquet()
            elif self.kind == "arrow":
                opener = self._open_arrow()
            else:
                opener = self._open_csv(how)
            with opener as source:
                source.is_pipe = self._pipe is not None
                yield source

    def column_names(self, dialect: Dialect) -> list[str]:
        """Returns the names of the columns, for messages."""
        with self.open(Reading([], True, lambda *row: True, None, dialect)) as source:
            return list(source.schema.names)

    @contextmanager
    def _open_parquet(self) -> Iterator[Source]:
        if self._pipe is not None or self._packing is not None:
            raise ChoiceError(
                f"{self.name}: Parquet is read from files only that are not compressed as a whole, "
                "as its columns are listed at its end"
            )
        # Without pre_buffer the ranges that were read are not kept.
        with pq.ParquetFile(self._path, pre_buffer=False, buffer_size=_READ_BYTES) as file:
            source = Source(self.name, "parquet", file.schema_arrow, lambda: file.iter_batches(BATCH_ROWS))
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
    def _open_arrow(self) -> Iterator[Source]:
        with self._bytes() as stream:
            is_file = self._beginning().startswith(_ARROW_FILE)
            if is_file and self._pipe is None and self._packing is None:
                file = pa.ipc.open_file(stream)
                batches = (file.get_batch(i) for i in range(file.num_record_batches))
                source = Source(self.name, "arrow", file.schema, lambda: batches)
            else:
                if is_file:
                    # Eight bytes before it and a list of its parts behind it make a file of a stream.
                    stream.read(8)
                rows = pa.ipc.open_stream(stream)
                source = Source(self.name, "arrow", rows.schema, lambda: iter(rows))
            source.has_one_dictionary = is_file
            yield source

    @contextmanager
    def _open_csv(self, how: Reading) -> Iterator[Source]:
        dialect = how.dialect
        with self._csv_bytes(dialect) as (names, stream_end):
            stream = pa.PythonFile(stream_end, mode="r")
            if not names:
                missing = "CSV begins with the names of its columns"
                if not dialect.has_header:
                    missing = "without a header its first row tells how many columns there are"
                raise Error(f"{self.name}: it is empty; {missing}")
            text = names if how.as_text else [names[field_number(field, names)] for field in how.fields]
            types = {name: pa.string() for name in text}
            if how.schema is not None:
                types.update(
                    (name, how.schema.field(name).type) for name in names if name in how.schema.names
                )

            open_rows: list[str] = []

            def on_bad_row(row: pa_csv.InvalidRow) -> str:
                if (
                    dialect.has_quotes
                    and "\n" in row.text
                    and _has_open_quote(row.text, delimiter_of(self.kind))
                ):
                    open_rows.append(row.text)
                    return "error"
                goes_on = how.on_bad_row(
                    self.name, row.number, row.text, row.expected_columns, row.actual_columns
                )
                return "skip" if goes_on else "error"

            @contextmanager
            def naming_quotes() -> Iterator[None]:
                try:
                    yield
                except pa.ArrowInvalid:
                    if not open_rows:
                        raise
                    raise Error(
                        f"{self.name}: {_first_line(open_rows[0])!r}: a quote is not closed"
                    ) from None

            with naming_quotes():
                rows = pa_csv.open_csv(
                    stream,
                    pa_csv.ReadOptions(
                        use_threads=True,
                        block_size=1 << 20,
                        column_names=None if dialect.has_header else names,
                    ),
                    pa_csv.ParseOptions(
                        delimiter=delimiter_of(self.kind),
                        quote_char='"' if dialect.has_quotes else False,
                        newlines_in_values=dialect.has_quotes,
                        invalid_row_handler=on_bad_row,
                    ),
                    # Bytes that are no UTF-8 are passed on where the rows stay text.
                    pa_csv.ConvertOptions(column_types=types, check_utf8=not how.as_text),
                )

            def checked() -> Iterator[pa.RecordBatch]:
                """Refuses a quote without an end, which makes one row of all that is behind it."""
                count, held = 0, None
                with naming_quotes():
                    for batch in rows:
                        if held is not None:
                            yield held
                        count += batch.num_rows
                        # Whether its last field has an end shows when there is nothing behind it.
                        held = batch if dialect.has_quotes and "\n" in _last_text(batch) else None
                        if held is None:
                            yield batch
                if held is not None:
                    if not stream_end.tail.rstrip(b"\r\n").endswith(b'"'):
                        text = _first_line(_last_text(held))
                        raise Error(f"{self.name}: row {count}: {text!r}: a quote is not closed")
                    yield held

            source = Source(self.name, self.kind, rows.schema, checked)
            source.dialect = dialect
            yield source

    @contextmanager
    def _csv_bytes(self, dialect: Dialect) -> Iterator[tuple[list[str], Joined]]:
        """Opens CSV; returns the names in its header as well, or the numbers of its columns if it has none."""
        with self._bytes() as stream:
            buffered = io.BufferedReader(stream if self._pipe is None else self._pipe)
            head = b""
            # A header ends with the line in which its last quote is closed. Empty lines before it are left out.
            while line := buffered.readline(_READ_BYTES):
                if not head and not line.strip(_BLANK):
                    continue
                head += line
                if head.count(b'"') % 2 == 0 or not dialect.has_quotes:
                    break
            if b"\r" in head.rstrip(b"\r") and b"\n" not in head:
                raise Error(
                    f"{self.name}: its lines end in a carriage return alone; make it a line feed (tr '\\r' '\\n')"
                )
            text = io.StringIO(head.decode("utf-8-sig", "strict" if dialect.has_header else "replace"))
            rows = csv.reader(
                text,
                delimiter=delimiter_of(self.kind),
                quoting=csv.QUOTE_MINIMAL if dialect.has_quotes else csv.QUOTE_NONE,
            )
            names = next((row for row in rows if row), [])
            if not dialect.has_header:
                names = [str(number) for number in range(1, len(names) + 1)]
            yield names, Joined(head, buffered)


def _first_line(text: str) -> str:
    line = text.partition("\n")[0]
    return line if len(line) <= 80 else line[:77] + "..."


def _has_open_quote(text: str, delimiter: str) -> bool:
    """Returns whether a field of a row is in quotes that have no end."""
    fields = re.finditer(rf'(?:^|{delimiter})("(?:[^"]|"")*("?))?[^{delimiter}]*', text)
    return any(field[1] and not field[2] for field in fields)


def _last_text(batch: pa.RecordBatch) -> str:
    """Returns the last field of the last row, if it is text."""
    column = batch.column(batch.num_columns - 1)
    if not (len(column) and pa.types.is_string(column.type)):
        return ""
    last = column.slice(len(column) - 1).cast(pa.binary())[0].as_py()
    return "" if last is None else bytes(last).decode(errors="replace")


def column_numbers(fields: list[str | int]) -> list[str | int]:
    """Returns the numbers of columns without a header, of which the second is also called "column2"."""
    numbers: list[str | int] = []
    for field in fields:
        digits = str(field).removeprefix("column")
        if not (digits.isdecimal() and int(digits)):
            raise ChoiceError(
                f"--field: without a header {str(field)!r} must be the number of a column, or column1, column2, ..."
            )
        numbers.append(digits)
    return numbers


def _has_line(head: bytes) -> bool:
    text = head.lstrip(_BLANK)
    return b"\n" in text or len(text) >= _READ_BYTES


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
    except (pa.ArrowException, EOFError, UnicodeDecodeError, lzma.LZMAError) as error:
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
