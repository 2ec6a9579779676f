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
)
from fingerpost._enrich.columns import field_number
from fingerpost._enrich.kinds import ARROW_FILE, ARROW_STREAM, PARQUET, suffix_kind, without_packing
from fingerpost._enrich.types import BATCH_ROWS, ChoiceError, Kind

# Column chunks of Parquet are read in pieces of this size, so that large row groups need no large memory.
_READ_BYTES = 1 << 20
# Suffixes of JSON files, which only the commands of the program read and write.
JSON_SUFFIXES = (".ndjson", ".jsonl", ".json")
# Bytes that may precede a header: line ends, spaces and a byte order mark.
_BLANK = b"\xef\xbb\xbf \r\n"

# Beginnings of JSON and of logs with names in comments.
_OTHER_ROWS = (b'{"', b"[{", b"#separator", b"#fields", b"#Fields:")

BadRow = Callable[[str, "int | None", str, int, int], bool]


@dataclass
class Dialect:
    """Dialect of CSV: whether quotes are special, and whether the first row is a header."""

    has_header: bool = True
    has_quotes: bool = True


@dataclass
class Reading:
    """How to read CSV: the columns of addresses, whether all columns stay text, and the schema if it is known."""

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
        # Parquet: the compression of each column by its path, and the number of rows of the largest row group.
        self.compression: dict[str, str] = {}
        self.group_rows = 0
        # Arrow: whether it is the file format, in which a column has one dictionary.
        self.has_one_dictionary = False
        # CSV only.
        self.dialect = Dialect()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yields batches of at most BATCH_ROWS rows in order. Raises Error if the file is damaged."""
        row = 0
        with _named(self.path, lambda: f" after row {row}"):
            for batch in self._batches():
                for at in range(0, batch.num_rows, BATCH_ROWS):
                    piece = batch.slice(at, BATCH_ROWS)
                    row += piece.num_rows
                    yield piece


def delimiter_of(kind: Kind) -> str:
    """Returns the character between the fields of CSV or TSV."""
    return "\t" if kind == "tsv" else ","


class Input:
    """A file of rows, its kind, and whether it is empty."""

    def __init__(self, path: str, requested: Kind | None) -> None:
        """Detects the kind from the first bytes. `requested` is the kind that the caller chose, if any."""
        self._path = path
        self.name = "stdin" if path == "-" else path
        # Pipes are opened here. Bytes that were peeked at will be read again.
        self._pipe: Pipe | None = None
        # Compression format of the file.
        self._packing: str | None = None
        if path == "-":
            # os.read avoids the lock of sys.stdin, for which the interpreter would wait at exit.
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
            self.kind = self._kind(requested)

    def _kind(self, requested: Kind | None) -> Kind:
        """Returns the kind by the first bytes. For text without tabs, the suffix decides, then the requested kind."""
        begin = self._beginning()
        if begin.startswith(PARQUET):
            return "parquet"
        if begin.startswith((ARROW_FILE, ARROW_STREAM)):
            return "arrow"
        kind_of_name = suffix_kind(self._path)
        if kind_of_name in ("parquet", "arrow"):
            raise Error(
                f"{self.name}: not {'a Parquet' if kind_of_name == 'parquet' else 'an Arrow'} file: "
                f"it begins with {begin!r}"
            )
        head = self._head()
        if head.startswith(_OTHER_ROWS) or without_packing(self._path).endswith(JSON_SUFFIXES):
            raise ChoiceError(
                f"{self.name}: among text, only CSV and TSV can become Parquet or Arrow; "
                "`python -m fingerpost enrich` writes other rows in their own format"
            )
        self.is_empty = not head
        header = head.partition(b"\n")[0]
        if b"\t" in header and not (kind_of_name == "csv" and b"," in header):
            return "tsv"
        if kind_of_name is not None:
            return kind_of_name
        return "tsv" if requested == "tsv" else "csv"

    def _packed_beginning(self) -> bytes:
        if self._pipe is not None:
            return self._pipe.peek(lambda head: len(head) >= PACKING_BYTES)[:PACKING_BYTES]
        # Unlike pyarrow's, the errors of open() have an errno and the name of the file.
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
        """Returns the start of the text without empty lines; at least the first line, unless it is too long."""
        if self._pipe is not None:
            return self._pipe.peek(_has_line).lstrip(_BLANK)
        with self._bytes() as stream:
            head = b""
            while not head and (more := stream.read(_READ_BYTES)):
                head = more.lstrip(_BLANK)
            return head

    @contextmanager
    def _bytes(self) -> Iterator[pa.NativeFile]:
        """Opens the file as a decompressed stream."""
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
        """Opens the file to read its rows. A pipe can be opened only once."""
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
                f"{self.name}: Parquet must be a plain file, not a pipe or a compressed file, "
                "because its footer lists the columns"
            )
        # pre_buffer would keep all ranges read in memory.
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
            is_file = self._beginning().startswith(ARROW_FILE)
            if is_file and self._pipe is None and self._packing is None:
                file = pa.ipc.open_file(stream)
                batches = (file.get_batch(i) for i in range(file.num_record_batches))
                source = Source(self.name, "arrow", file.schema, lambda: batches)
            else:
                if is_file:
                    # The file format is a stream after eight bytes, with a footer.
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
                missing = "CSV needs a header with the names of its columns"
                if not dialect.has_header:
                    missing = "without a header, the first row determines the number of columns"
                raise Error(f"{self.name}: empty file; {missing}")
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
                skips = how.on_bad_row(
                    self.name, row.number, row.text, row.expected_columns, row.actual_columns
                )
                return "skip" if skips else "error"

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
                    # Invalid UTF-8 is passed through if the rows stay text.
                    pa_csv.ConvertOptions(column_types=types, check_utf8=not how.as_text),
                )

            def checked() -> Iterator[pa.RecordBatch]:
                """Raises Error for an unclosed quote, which would turn the rest of the file into one row."""
                count, held = 0, None
                with naming_quotes():
                    for batch in rows:
                        if held is not None:
                            yield held
                        count += batch.num_rows
                        # If this is the last batch, its last field may be unclosed.
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
        """Opens CSV. Yields the column names of its header, or column numbers without a header, and the stream."""
        with self._bytes() as stream:
            buffered = io.BufferedReader(stream if self._pipe is None else self._pipe)
            head = b""
            # A header ends with the line that closes its last quote. Skip empty lines before it.
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
    """Returns whether a row has an unclosed quote."""
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
    """Returns the numbers of columns without a header. "column2" is another name of the second one."""
    numbers: list[str | int] = []
    for field in fields:
        digits = str(field).removeprefix("column")
        if not (digits.isdecimal() and int(digits)):
            raise ChoiceError(
                f"--field: without a header, {str(field)!r} must be a column number or column1, column2, ..."
            )
        numbers.append(digits)
    return numbers


def _has_line(head: bytes) -> bool:
    text = head.lstrip(_BLANK)
    return b"\n" in text or len(text) >= _READ_BYTES


def check_same_columns(first: Source, other: Source) -> None:
    """Raises Error with the first difference between the columns of two files."""
    if first.schema.equals(other.schema, check_metadata=False):
        return
    theirs, ours = list(other.schema), list(first.schema)
    for number, (field, other_field) in enumerate(zip(ours, theirs, strict=False), 1):
        if field != other_field:
            raise Error(
                f"{other.path}: column {number} is {other_field.name!r} ({other_field.type}), but {field.name!r} ({field.type}) "
                f"in {first.path}; all files must have the same columns"
            )
    raise Error(
        f"{other.path}: {len(theirs)} columns, but {len(ours)} in {first.path}; "
        "all files must have the same columns"
    )


@contextmanager
def _named(path: str, where: Callable[[], str]) -> Iterator[None]:
    """Prefixes errors of pyarrow with the name of the file."""
    try:
        yield
    except (Error, ChoiceError):
        raise
    except (pa.ArrowException, EOFError, UnicodeDecodeError, lzma.LZMAError) as error:
        raise Error(f"{path}{where()}: {_message_of(error)}") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise Error(f"{path}{where()}: {_message_of(error)}") from error


def _message_of(error: Exception) -> str:
    message = str(error).strip()
    if isinstance(error, pa.ArrowException) and "conversion error to" in message:
        message += "; csv_types='text' (--csv-types text) reads all columns as text"
    return message
