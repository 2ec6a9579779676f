"""Longest-prefix match for Apache Spark data frames, classic or Spark Connect.

>>> import fingerpost.spark
>>> table = fingerpost.Table({"10.0.0.0/8": "office", "2001:db8::/32": "lab"})
>>> flows = fingerpost.spark.enrich(flows, table, "src")
>>> flows.columns
['src', 'bytes', 'src_prefix', 'src_value']

The package fingerpost must be installed where the executors run.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow
from pyspark.sql.types import BinaryType, DataType, LongType, ShortType, StringType, StructField, StructType

from fingerpost import _cluster
from fingerpost._types import AnyTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["enrich"]


def enrich(
    df: DataFrame,
    table: AnyTable | str | os.PathLike[str],
    column: str,
    *,
    add: str | Sequence[str] | None = None,
    column_prefix: str | None = None,
    on_error: _cluster.OnError = "null",
) -> DataFrame:
    """Adds columns to each row from the longest prefix of the table that contains an address.

    df: any data frame, classic or Spark Connect. All its columns and rows are kept, and nothing is shuffled.
    table: a Table, or the path of an image on this machine. Its image is sent to each executor once; a second
        call with an equal table sends nothing. Each Python worker process maps the image once. Rows are looked up in
        the current state of the table: later changes have no effect.
    column: the name of the column with the addresses: strings, or binary of 4 or 16 bytes in network order.
    add: the columns to add: "prefix" (the match, as text), "length" (of the match), "value", "index" (the number of the
        value in the table), the name of a column of the table, or a list of these. The default is the prefix and all
        columns of the table, or its value if it has no columns.
    column_prefix: the start of the names of new columns; by default the name of the column and `_`: `src_prefix`.
    on_error: with "null" the new columns are null for a bad address; with "raise" the job fails, and the error shows
        the first bad address.

    Types of the new columns: string, but short for "length" and long for "index" and the value of integer tables
    (Spark has no unsigned types). They are null for null addresses, bad ones and those without a route.

    Returns a new data frame. As usual in Spark, nothing is looked up until an action needs rows.

    Raises TypeError for columns of other types and for a table that cannot be saved as an image (without columns or
    values=int, all values must be str), ValueError for an unknown column, an unknown `add` or a new name that already
    exists, and OSError or fingerpost.Error for an image that cannot be opened.
    """
    position = _position(df, column)
    image = _cluster.image_of(table)
    work, fields = _cluster.plan(image, df.columns[position], add, column_prefix, on_error)
    _cluster.refuse_clashes(work, df.columns, case_sensitive=_is_case_sensitive(df.sparkSession))
    _ship(df.sparkSession, image)
    schema = StructType(
        [*df.schema.fields, *(StructField(field.name, _spark_type(field.type)) for field in fields)]
    )

    # Spark pickles this closure by value, but the module that it imports by name, so images are cached per process.
    def add_columns(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        from fingerpost.spark import _add_columns

        return _add_columns(batches, position, work)

    return df.mapInArrow(add_columns, schema)


def _position(df: DataFrame, column: str) -> int:
    """Returns the position of the column with the addresses."""
    if not isinstance(column, str):
        raise TypeError(f"column= takes the name of a column, not {type(column).__name__}")
    same = _same_name(df, column)
    if len(same) != 1:
        what = "several columns" if same else "no column"
        raise ValueError(f"there is {what} {column!r}; the columns are {', '.join(df.columns)}")
    kind = df.schema.fields[same[0]].dataType
    if not isinstance(kind, (StringType, BinaryType)):
        raise TypeError(
            f"column {column!r} has type {kind.simpleString()}: addresses are string, or binary of 4 or 16 bytes in "
            "network order. Convert IPv4 addresses from numbers with unhex(lpad(hex(number), 8, '0'))"
        )
    return same[0]


def _same_name(df: DataFrame, column: str) -> list[int]:
    exact = [i for i, name in enumerate(df.columns) if name == column]
    if exact or _is_case_sensitive(df.sparkSession):
        return exact
    return [i for i, name in enumerate(df.columns) if name.lower() == column.lower()]


def _is_case_sensitive(session: SparkSession) -> bool:
    return bool(session.conf.get("spark.sql.caseSensitive") == "true")


def _spark_type(kind: pyarrow.DataType) -> DataType:
    if pyarrow.types.is_uint32(kind):
        return LongType()
    return ShortType() if pyarrow.types.is_uint8(kind) else StringType()


# Spark Connect sessions do not list the files that they have received.
_sent: weakref.WeakKeyDictionary[SparkSession, set[str]] = weakref.WeakKeyDictionary()


def _ship(session: SparkSession, image: Path) -> None:
    """Sends the image to all executors, once per context or session."""
    try:
        context = session.sparkContext
    except Exception as refused:  # each version of Spark Connect raises another class
        if not hasattr(session, "addArtifacts"):
            raise RuntimeError(
                "this session has neither SparkContext.addFile nor SparkSession.addArtifacts: the table cannot be sent"
            ) from refused
        sent = _sent.setdefault(session, set())
        if image.name not in sent:
            session.addArtifacts(str(image), file=True)
            sent.add(image.name)
        return
    if not any(path.rpartition("/")[2] == image.name for path in context.listFiles):
        context.addFile(str(image))


def _add_columns(
    batches: Iterator[pyarrow.RecordBatch], position: int, work: _cluster.Work
) -> Iterator[pyarrow.RecordBatch]:
    """Yields each batch with the columns added. Runs in the workers."""
    from pyspark import SparkFiles

    table = _cluster.open_image(SparkFiles.get(work.image))
    rows_before = 0
    for batch in batches:
        try:
            added = _cluster.look_up(table, batch.column(position), work)
        except ValueError as error:
            raise ValueError(f"column {work.column!r}, {_place(rows_before)}: {error}") from error
        rows_before += batch.num_rows
        yield _with_columns(batch, added, work)


def _place(rows_before: int) -> str:
    from pyspark import TaskContext

    task = TaskContext.get()
    partition = "" if task is None else f"partition {task.partitionId()}, "
    return f"{partition}after its first {rows_before} rows"


def _with_columns(
    batch: pyarrow.RecordBatch, added: list[pyarrow.Array], work: _cluster.Work
) -> pyarrow.RecordBatch:
    # Keep the fields of the batch unchanged: Spark compares them with its schema, including nullability.
    columns = [_signed(column) for column in added]
    fields = [pyarrow.field(name, column.type) for name, column in zip(work.names, columns, strict=True)]
    schema = pyarrow.schema([*batch.schema, *fields], metadata=batch.schema.metadata)
    return pyarrow.RecordBatch.from_arrays([*batch.columns, *columns], schema=schema)


def _signed(column: pyarrow.Array) -> pyarrow.Array:
    if pyarrow.types.is_uint32(column.type):
        return column.cast(pyarrow.int64())
    return column.cast(pyarrow.int16()) if pyarrow.types.is_uint8(column.type) else column
