"""Longest-prefix match for Apache Spark, classic or Spark Connect: columns, SQL functions and data frames.

>>> import fingerpost.spark
>>> table = fingerpost.Table({"10.0.0.0/8": "office", "2001:db8::/32": "lab"})
>>> place = fingerpost.spark.column(table)
>>> flows = flows.withColumn("place", place("src"))
>>> fingerpost.spark.register(spark, "lpm", table)
('lpm', 'lpm_prefix', 'lpm_length')
>>> spark.sql("SELECT lpm(src), count(*) FROM flows GROUP BY 1")

The package fingerpost must be installed where the executors run. Addresses are string, or binary of 4 or 16 bytes in
network order.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pyarrow
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    DoubleType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
)

from fingerpost import _cluster, _frames, _kinds
from fingerpost._frames import OnError
from fingerpost._types import AnyTable

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import Column, DataFrame

__all__ = ["column", "enrich", "register"]

Lookup: TypeAlias = "Callable[[str | Column], Column]"

_NUMBERS = "Convert IPv4 addresses from numbers with unhex(lpad(hex(number), 8, '0'))"
_WITHOUT_PIP = (
    "Or send the executors an environment that has it: spark-submit --archives environment.tar.gz#environment, with "
    "PYSPARK_PYTHON=./environment/bin/python"
)

# From Spark 4.1 on.
_HAS_ARROW = hasattr(F, "arrow_udf")

# Types that Spark has instead of those of lookups, and its names for all of them.
_SIGNED = {pyarrow.uint8(): pyarrow.int16(), pyarrow.uint32(): pyarrow.int64()}
_TYPES: dict[pyarrow.DataType, DataType] = {
    pyarrow.string(): StringType(),
    pyarrow.bool_(): BooleanType(),
    pyarrow.int16(): ShortType(),
    pyarrow.int64(): LongType(),
    pyarrow.float64(): DoubleType(),
}


def column(
    table: AnyTable | str | os.PathLike[str],
    want: str | Sequence[str] = "value",
    *,
    on_error: OnError = "null",
    session: SparkSession | None = None,
) -> Lookup:
    """Returns a function of a column of addresses, which returns a column with the longest match of each address.

    >>> country = fingerpost.spark.column(table, "country")
    >>> flows.withColumn("country", country(flows.src)).where(country("peer.ip") == "CH")

    The address is the name of a column, also of a field of a struct (`peer.ip`), or an expression.

    table: a Table, or the path of an image on this machine. Its image is sent to each executor once; a second
        call with an equal table sends nothing. Each Python worker process maps the image once. Rows are looked up in
        the current state of the table: later changes have no effect.
    want: "value"; "index", the number of the value in the table; "length" of the matched prefix; "prefix", as text; the
        name of a column of the table; or a list of these, which returns a struct.
    on_error: with "null" bad addresses become null; with "raise" the job fails, and the error shows the first one.
    session: the session whose executors receive the table; by default the active one.

    Types: string; short for "length"; long for "index" and the value of integer tables (Spark has no unsigned types);
    long, double, boolean or string for columns of the table, according to their types; and a struct for the value of
    tables with several columns. Null addresses, bad ones and those without a route return null. For such a struct,
    Spark before 4.1 returns one with null fields; it also needs pandas on the executors.

    Raises TypeError for a table that cannot be saved as an image (without columns or values=int, all values must be
    str), ValueError for an unknown want, RuntimeError if there is no active session, and OSError or fingerpost.Error
    for an image that cannot be opened.
    """
    if session is None:
        session = SparkSession.getActiveSession()
    if session is None:
        raise RuntimeError("there is no active Spark session: create one first, or pass session=")
    return _lookup(session, _cluster.image_of(table), want, on_error)


def register(
    session: SparkSession,
    name: str,
    table: AnyTable | str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    on_error: OnError = "null",
) -> tuple[str, ...]:
    """Creates temporary SQL functions that look up addresses in a table, and returns their names.

    name(ip): the value of the longest match; for tables of several columns a struct, so `lpm(ip).country` is a field.
    name_prefix(ip): the matched prefix. name_length(ip): its length.
    name_country(ip) and so on: one column of a table of rows.

    columns: the columns of a table of rows that get a function; all by default. Columns that are named value, index,
        prefix or length are available only through `lpm(ip)`.

    The other arguments, the addresses and the types are those of `column`. Registering again under the same name
    replaces the functions for later queries. `DROP TEMPORARY FUNCTION lpm` removes one.

    Raises ValueError for an invalid name and for unknown columns, and the errors of `column`.
    """
    image = _cluster.image_of(table)
    wants = _frames.sql_functions(_cluster.open_image(str(image)), name, columns)
    for function_name, want in wants.items():
        session.udf.register(function_name, _lookup(session, image, want, on_error))
    return tuple(wants)


def enrich(
    df: DataFrame,
    table: AnyTable | str | os.PathLike[str],
    column: str,
    *,
    add: str | Sequence[str] | None = None,
    column_prefix: str | None = None,
    on_error: OnError = "null",
) -> DataFrame:
    """Adds columns to each row from the longest prefix of the table that contains an address.

    df: any data frame, classic or Spark Connect. All its columns and rows are kept, and nothing is shuffled.
    table, on_error: see `column`.
    column: the name of the column with the addresses, or the path of a field in structs: `src.ip`.
    add: the columns to add: "prefix" (the match, as text), "length" (of the match), "value", "index" (the number of the
        value in the table), the name of a column of the table, or a list of these. The default is the prefix and all
        columns of the table, or its value if it has no columns.
    column_prefix: the start of the names of new columns; by default the name of the column and `_`: `src_prefix`, and
        `src_ip_prefix` for a field.

    The types of the new columns are those of `column`. They are null for null addresses, bad ones and those without a
    route.

    Returns a new data frame. As usual in Spark, nothing is looked up until an action needs rows.

    Raises TypeError for columns of other types, ValueError for an unknown column, an unknown `add` or a new name that
    already exists, and the errors of the function `column`.
    """
    name, addresses = _addresses(df, column)
    image = _cluster.image_of(table)
    wants = _cluster.wants_of(image, add)
    names = _cluster.new_names(wants, name, column_prefix)
    _cluster.refuse_clashes(names, df.columns, case_sensitive=_is_case_sensitive(df.sparkSession))
    answers = _lookup(df.sparkSession, image, wants, on_error, name)(addresses)
    # Spark evaluates equal calls of the function once.
    return df.select(
        "*", *(answers.getField(want).alias(new) for want, new in zip(wants, names, strict=True))
    )


def _addresses(df: DataFrame, column: str) -> tuple[str, Column]:
    """Returns the name of the column or field with the addresses, as the frame spells it, and the column."""
    if not isinstance(column, str):
        raise TypeError(f"column= takes the name of a column, not {type(column).__name__}")
    same = _same_name(df, column)
    if len(same) > 1:
        raise ValueError(f"there are several columns {column!r}; the columns are {', '.join(df.columns)}")
    name = df.columns[same[0]] if same else column
    addresses = F.col(f"`{name.replace('`', '``')}`" if same else name)
    try:
        (field,) = df.select(addresses).schema.fields
    except AnalysisException as error:
        raise ValueError(f"there is no column {column!r}; the columns are {', '.join(df.columns)}") from error
    if not isinstance(field.dataType, (StringType, BinaryType)):
        raise TypeError(
            f"column {column!r} has type {field.dataType.simpleString()}: addresses are string, or binary of 4 or 16 "
            f"bytes in network order. {_NUMBERS}"
        )
    return name, addresses


def _same_name(df: DataFrame, column: str) -> list[int]:
    exact = [i for i, name in enumerate(df.columns) if name == column]
    if exact or _is_case_sensitive(df.sparkSession):
        return exact
    return [i for i, name in enumerate(df.columns) if name.lower() == column.lower()]


def _is_case_sensitive(session: SparkSession) -> bool:
    return bool(session.conf.get("spark.sql.caseSensitive") == "true")


def _lookup(
    session: SparkSession, image: Path, want: str | Sequence[str], on_error: OnError, name: str = ""
) -> Lookup:
    """Returns a user-defined function that looks up batches of rows: Arrow arrays, or Series before Spark 4.1."""
    work, answer_type = _cluster.plan(image, name, want if isinstance(want, str) else tuple(want), on_error)
    _ship(session, image)
    run = _cluster.portable(_arrow_answers if _HAS_ARROW else _pandas_answers, work, hint=_WITHOUT_PIP)
    run.__annotations__ = _annotations(is_struct=pyarrow.types.is_struct(answer_type))
    create = F.arrow_udf if _HAS_ARROW else F.pandas_udf
    function: Lookup = create(run, _spark_type(_signed(answer_type)))
    return function


def _annotations(*, is_struct: bool) -> dict[str, object]:
    """Returns annotations from which Spark determines how to call the function: once per task, with all batches."""
    if _HAS_ARROW:
        return {"rows": Iterator[pyarrow.Array], "return": Iterator[pyarrow.Array]}
    import pandas

    answers = Iterator[pandas.DataFrame] if is_struct else Iterator[pandas.Series]
    return {"rows": Iterator[pandas.Series], "return": answers}


def _signed(kind: pyarrow.DataType) -> pyarrow.DataType:
    """Returns the type that Spark can represent."""
    if pyarrow.types.is_struct(kind):
        return pyarrow.struct([field.with_type(_signed(field.type)) for field in kind])
    return _SIGNED.get(kind, kind)


def _spark_type(kind: pyarrow.DataType) -> DataType:
    if pyarrow.types.is_struct(kind):
        return StructType([StructField(field.name, _spark_type(field.type)) for field in kind])
    return _TYPES[kind]


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


def _arrow_answers(batches: Iterator[pyarrow.Array], work: _cluster.Work) -> Iterator[pyarrow.Array]:
    """Yields the answers for each batch of addresses. Runs in the workers."""
    from pyspark import SparkFiles

    table = _cluster.open_image(SparkFiles.get(work.image))
    rows_before = 0
    for rows in batches:
        try:
            answers = _cluster.look_up(table, rows, work)
        except TypeError as error:
            raise TypeError(f"{_place(work, rows_before)}: {error}. {_NUMBERS}") from error
        except ValueError as error:
            raise ValueError(f"{_place(work, rows_before)}: {error}") from error
        rows_before += len(rows)
        yield answers.cast(_signed(answers.type))


def _pandas_answers(
    batches: Iterator[pandas.Series], work: _cluster.Work
) -> Iterator[pandas.Series | pandas.DataFrame]:
    """Yields the answers for each batch of addresses, which Spark before 4.1 passes as Series."""
    batch: list[pandas.Series] = []

    def arrays() -> Iterator[pyarrow.Array]:
        for rows in batches:
            batch[:] = [rows]
            yield pyarrow.Array.from_pandas(rows)

    for answers in _arrow_answers(arrays(), work):
        frame = _kinds.from_arrow(answers, batch[0])
        if pyarrow.types.is_struct(answers.type):
            for field, values in zip(answers.type, answers.flatten(), strict=True):
                if pyarrow.types.is_struct(field.type):
                    frame[field.name] = values.to_pylist()  # Spark expects dicts
        yield frame


def _place(work: _cluster.Work, rows_before: int) -> str:
    from pyspark import TaskContext

    task = TaskContext.get()
    column = f"column {work.column!r}, " if work.column else ""
    partition = "" if task is None else f"partition {task.partitionId()}, "
    return f"{column}{partition}after its first {rows_before} rows"
