"""Writers of Parquet, Arrow IPC, CSV and TSV. A file appears only when it is complete."""

from __future__ import annotations

import io
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fingerpost._core import Error
from fingerpost._enrich.byte_streams import packed, packing_of_name
from fingerpost._enrich.files import JSON_SUFFIXES, Source, delimiter_of
from fingerpost._enrich.kinds import suffix_kind, without_packing
from fingerpost._enrich.types import ChoiceError, Kind, unfinished, unfinished_lock

if TYPE_CHECKING:
    from typing_extensions import Buffer

# A row group is written when it has as many rows as those of the source, or _GROUP_BYTES.
_GROUP_ROWS = 1 << 20
_GROUP_BYTES = 32 << 20


class _Writer(Protocol):
    def write(self, batch: pa.RecordBatch) -> None: ...
    def close(self) -> None: ...


class Output:
    """An open output."""

    def __init__(self, writer: _Writer, commit: Callable[[], None]) -> None:
        self.write = writer.write
        self._writer = writer
        self._commit = commit

    def finish(self) -> None:
        """Completes the file and moves it into place."""
        self._writer.close()
        self._commit()


def output_kind(path: str, requested: Kind | None, source: Kind) -> tuple[Kind, bool]:
    """Returns the format of an output, and whether Arrow is written as a stream.

    Raises ChoiceError if the suffix does not fit the format.
    """
    kind = requested or (None if path == "-" else suffix_kind(path))
    if kind is None:
        kind = source
        _check_suffix(path, kind)
    return kind, path == "-" or without_packing(path).endswith(".arrows")


def _check_suffix(path: str, kind: Kind) -> None:
    """Refuses suffixes of JSON and, for binary formats, unknown suffixes."""
    suffix = os.path.splitext(without_packing(path))[1]
    if not suffix or (kind in ("csv", "tsv") and suffix not in JSON_SUFFIXES):
        return
    raise ChoiceError(
        f"{path}: {suffix} is not one of .parquet, .arrow, .csv and .tsv: rename it, or choose --format {kind}"
    )


@contextmanager
def open_output(path: str, kind: Kind, is_stream: bool, like: Source, schema: pa.Schema) -> Iterator[Output]:
    """Opens an output. Output.finish() moves the file into place; without it, the file is removed."""
    if path == "-" and kind in ("parquet", "arrow") and sys.stdout.isatty():
        raise ChoiceError(f"cannot write {kind} to a terminal: choose a file with --output, or --format csv")
    if kind == "parquet" and packing_of_name(path) is not None:
        raise ChoiceError(f"{path}: Parquet compresses its columns itself; use the suffix .parquet")
    with _target(path) as (file, commit):
        sink = _Sink(file)
        try:
            yield Output(_writer(_packed(sink, path), kind, is_stream, like, schema), commit)
        finally:
            sink.discard()


def write_nothing(path: str) -> None:
    """Writes an empty text file."""
    with _target(path) as (file, commit):
        _packed(_Sink(file), path).close()
        commit()


def _packed(sink: _Sink, path: str) -> _Sink | pa.NativeFile:
    packing = packing_of_name(path)
    return sink if packing is None else packed(sink, packing)


class _Sink(io.RawIOBase):
    """A file that stays open when pyarrow closes it. Drops data that destructors write after discard()."""

    def __init__(self, file: BinaryIO) -> None:
        self._file: BinaryIO | None = file

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int:
        """Writes all of the data."""
        if self._file is not None:
            self._file.write(data)
        return memoryview(data).nbytes

    def flush(self) -> None:
        """Leaves flushing to the file."""

    def discard(self) -> None:
        """Drops all further data."""
        self._file = None


def _writer(
    sink: _Sink | pa.NativeFile, kind: Kind, is_stream: bool, like: Source, schema: pa.Schema
) -> _Writer:
    if kind == "parquet":
        return _ParquetWriter(sink, like, schema)
    if kind == "arrow":
        return _ArrowWriter(sink, is_stream, like.has_one_dictionary, schema)
    # Fields read without quotes are written without them if the delimiter is the same.
    raw = len(like.schema) if like.kind == kind and not like.dialect.has_quotes else 0
    return _TextWriter(sink, kind, schema, like.dialect.has_header, raw)


@contextmanager
def _target(path: str) -> Iterator[tuple[BinaryIO, Callable[[], None]]]:
    if path == "-":
        yield sys.stdout.buffer, sys.stdout.buffer.flush
        return
    # Devices and pipes are written in place.
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "wb") as file:
                yield file, file.flush
            return
    place = os.path.realpath(path)
    try:
        with unfinished_lock:
            handle, temporary = tempfile.mkstemp(
                ".part", f".{os.path.basename(place)}.", os.path.dirname(place) or "."
            )
            unfinished.add(temporary)
    except OSError as error:
        error.filename = path
        raise
    try:
        with os.fdopen(handle, "wb") as file:

            def commit() -> None:
                file.flush()
                os.fchmod(file.fileno(), _mode_of(place))
                os.fsync(file.fileno())
                os.replace(temporary, place)

            yield file, commit
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        unfinished.discard(temporary)


def _mode_of(path: str) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


class _ParquetWriter:
    def __init__(self, sink: _Sink, like: Source, schema: pa.Schema) -> None:
        self._rows = like.group_rows or _GROUP_ROWS
        self._schema = schema
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = 0
        self._waiting_bytes = 0
        self._writer = pq.ParquetWriter(sink, schema, compression=_parquet_compression(like, schema))

    def write(self, batch: pa.RecordBatch) -> None:
        """Collects rows until there are enough for a row group."""
        while batch.num_rows:
            piece = batch.slice(0, self._rows - self._waiting_rows)
            batch = batch.slice(piece.num_rows)
            self._waiting.append(piece)
            self._waiting_rows += piece.num_rows
            self._waiting_bytes += piece.nbytes
            if self._waiting_rows == self._rows or self._waiting_bytes >= _GROUP_BYTES:
                self._flush()

    def _flush(self) -> None:
        self._writer.write_table(pa.Table.from_batches(self._waiting, self._schema), self._rows)
        self._waiting = []
        self._waiting_rows = self._waiting_bytes = 0

    def close(self) -> None:
        """Writes the remaining rows and the footer."""
        if self._waiting:
            self._flush()
        self._writer.close()


def _parquet_compression(like: Source, schema: pa.Schema) -> str | dict[str, str]:
    if not like.compression:
        return "snappy"
    names = {"UNCOMPRESSED": "NONE", "LZ4_RAW": "LZ4"}
    chosen = {path: names.get(codec, codec) for path, codec in like.compression.items()}
    usual = max(chosen.values(), key=list(chosen.values()).count)
    for name in schema.names[len(like.schema) :]:
        chosen.setdefault(name, usual)
    return chosen


class _ArrowWriter:
    def __init__(
        self, sink: _Sink | pa.NativeFile, is_stream: bool, has_one_dictionary: bool, schema: pa.Schema
    ) -> None:
        # In the file format a column has one dictionary, but batches of different inputs have different ones.
        decodes = not is_stream and not has_one_dictionary
        self._schema = _without_dictionaries(schema) if decodes else schema
        options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
        make = pa.ipc.new_stream if is_stream else pa.ipc.new_file
        self._sink = sink
        self._writer = make(sink, self._schema, options=options)
        self._decodes = self._schema is not schema

    def write(self, batch: pa.RecordBatch) -> None:
        """Writes a batch."""
        if self._decodes:
            columns = [
                column.cast(field.type) for column, field in zip(batch.columns, self._schema, strict=True)
            ]
            batch = pa.RecordBatch.from_arrays(columns, schema=self._schema)
        self._writer.write_batch(batch)

    def close(self) -> None:
        """Ends the file or stream."""
        self._writer.close()
        self._sink.close()


def _without_dictionaries(schema: pa.Schema) -> pa.Schema:
    if not any(pa.types.is_dictionary(field.type) for field in schema):
        return schema
    fields = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in schema
    ]
    return pa.schema(fields, schema.metadata)


class _TextWriter:
    """Writes CSV with quotes only where necessary. pyarrow's writer quotes all text or none."""

    def __init__(
        self, sink: _Sink | pa.NativeFile, kind: Kind, schema: pa.Schema, has_header: bool, raw: int
    ) -> None:
        """raw: number of leading columns to write unchanged. If it is not 0, quotes have no special meaning."""
        self._sink = sink
        self._kind = kind
        self._delimiter = delimiter_of(kind).encode()
        self._raw = raw
        for field in schema:
            self._check(field)
        if has_header:
            self._write_columns([pa.array([name]) for name in schema.names])

    def write(self, batch: pa.RecordBatch) -> None:
        """Writes a batch."""
        self._write_columns([_as_text(column) for column in batch.columns])

    def _write_columns(self, texts: list[pa.Array]) -> None:
        encode = self._escaped if self._raw and self._kind == "tsv" else self._quoted
        raw = [column.cast(pa.large_binary()) for column in texts[: self._raw]]
        self._write_rows([*raw, *map(encode, texts[self._raw :])])

    def close(self) -> None:
        """Ends the compressed stream."""
        self._sink.close()

    @staticmethod
    def _check(field: pa.Field) -> None:
        try:
            _as_text(pa.array([], field.type))
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
            raise Error(f"column {field.name!r} is {field.type}, which CSV cannot represent") from None

    @staticmethod
    def _escaped(texts: pa.Array) -> pa.Array:
        """Returns texts as bytes with escaped tabs and line ends, like the program's TSV without quotes."""
        escaped = texts.cast(pa.large_binary())
        for character, name in ((b"\\", b"\\\\"), (b"\t", b"\\t"), (b"\n", b"\\n"), (b"\r", b"\\r")):
            escaped = pc.replace_substring(escaped, character, name)
        return escaped

    def _quoted(self, texts: pa.Array) -> pa.Array:
        """Returns texts as bytes, quoted if they contain delimiters, quotes or line ends."""
        texts = texts.cast(pa.binary() if not pa.types.is_large_string(texts.type) else pa.large_binary())
        special = pc.match_substring_regex(texts, '["\r\n' + self._delimiter.decode() + "]")
        if not pc.any(special, min_count=0).as_py():
            return texts
        quoted = pc.replace_substring(texts.filter(special), b'"', b'""')
        quote = pa.scalar(b'"', texts.type)
        quoted = pc.binary_join_element_wise(quote, quoted, quote, pa.scalar(b"", texts.type))
        return pc.replace_with_mask(texts, pc.fill_null(special, False), quoted)

    def _write_rows(self, columns: list[pa.Array]) -> None:
        if not len(columns[0]):
            return
        columns = [column.cast(pa.large_binary()) for column in columns]

        def scalar(value: bytes) -> pa.Scalar:
            return pa.scalar(value, pa.large_binary())

        # A row with one empty field would be an empty line, which readers skip.
        if len(columns) == 1 and not self._raw:
            empty = pc.equal(pc.fill_null(pc.binary_length(columns[0]), 0), 0)
            columns = [pc.if_else(empty, scalar(b'""'), columns[0])]
        row = pc.binary_join_element_wise(
            *columns, scalar(self._delimiter), null_handling="replace", null_replacement=b""
        )
        rows = pc.binary_join_element_wise(row, scalar(b""), scalar(b"\n"))
        # The data buffer contains the rows without gaps.
        _, offsets, data = rows.buffers()
        ends = memoryview(offsets).cast("q")
        self._sink.write(memoryview(data)[ends[rows.offset] : ends[rows.offset + len(rows)]])


def _as_text(column: pa.Array) -> pa.Array:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _as_text(column.cast(kind.value_type))
    if pa.types.is_large_string(kind) or pa.types.is_string(kind):
        return column
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind) or pa.types.is_large_binary(kind):
        raise pa.ArrowNotImplementedError("binary")
    return column.cast(pa.string())
