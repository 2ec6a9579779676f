"""Conversions of columns of other libraries. Imported only when such a column is looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas
    import polars
    import pyarrow

    from fingerpost._core import ArrowColumn, Report
from fingerpost._types import AnyTable


def like(library: str, rows: object, answer: ArrowColumn) -> object:
    """Returns the answer as a column of the library: a pyarrow array, chunked or not, or a Polars Series."""
    return _like_polars(rows, answer) if library == "polars" else _like_pyarrow(answer)


def exportable(library: str, rows: object) -> object:
    """Returns the rows, a column or a frame, as an object with a readable Arrow stream."""
    if library == "pandas":
        import pyarrow

        return pyarrow.Table.from_pandas(rows)
    if library != "polars":
        return rows
    import polars

    # Before 1.31, the stream of a column with categories lacked the dictionary that its type declares.
    version = tuple(int(part) for part in polars.__version__.split(".")[:2])
    if version >= (1, 31) or not isinstance(rows, (polars.Series, polars.DataFrame)):
        return rows
    encoded = (polars.Categorical, polars.Enum)
    if isinstance(rows, polars.Series):
        return rows.cast(polars.String) if rows.dtype in encoded else rows
    return rows.with_columns(polars.col(*encoded).cast(polars.String))


def _like_pyarrow(answer: ArrowColumn) -> pyarrow.Array | pyarrow.ChunkedArray:
    import pyarrow

    return pyarrow.chunked_array(answer) if answer.chunked else pyarrow.array(answer)


def _like_polars(rows: object, answer: ArrowColumn) -> polars.Series:
    import polars

    name = rows.name if isinstance(rows, polars.Series) else ""
    return polars.Series(answer).alias(name)


def lookup_pandas(
    table: AnyTable,
    rows: pandas.Series[object],
    want: str | list[str] | tuple[str, ...],
    default: object,
    on_error: Literal["null", "raise"],
    threads: int,
    family: Literal[4, 6] | None,
    report: Report | None,
    prefixes: bool,
) -> pandas.Series[object] | pandas.DataFrame:
    """Looks up a Series as a numpy array, or as Arrow data if its dtype is a pandas extension type.

    The result has the index and the name of the Series. With a list of wants it is a DataFrame.
    """
    import pandas

    if not isinstance(rows, pandas.Series):
        raise TypeError(
            f"lookup_many takes a pandas Series, not {type(rows).__name__}: pass one column of it"
        )
    column, is_arrow = _values_of(rows)
    answer = table.lookup_many(
        column,
        want,
        default=default,
        on_error=on_error,
        threads=threads,
        family=family,
        report=report,
        prefixes=prefixes,
    )
    if isinstance(answer, dict):
        return pandas.DataFrame(answer, index=rows.index)
    if not is_arrow:
        return pandas.Series(answer, index=rows.index, name=rows.name)
    return from_arrow(answer, rows)


def _values_of(rows: pandas.Series[object]) -> tuple[object, bool]:
    """Returns the rows as a numpy or pyarrow array, and whether it is a pyarrow array."""
    import numpy

    if isinstance(rows.dtype, numpy.dtype):
        return rows.to_numpy(), False
    import pyarrow

    return pyarrow.array(rows), True


def from_arrow(
    answer: pyarrow.Array | pyarrow.ChunkedArray, rows: pandas.Series[object]
) -> pandas.Series[object] | pandas.DataFrame:
    """Returns the answer with the index of the rows, as a Series of an ArrowDtype, or a DataFrame if it is a struct."""
    import pandas
    import pyarrow

    def series(column: pyarrow.Array | pyarrow.ChunkedArray, name: object) -> pandas.Series[object]:
        values = pandas.arrays.ArrowExtensionArray(column)
        return pandas.Series(values, index=rows.index, name=name)

    if not pyarrow.types.is_struct(answer.type):
        return series(answer, rows.name)
    fields: Mapping[str, pandas.Series[object]] = {
        field.name: series(pyarrow.compute.struct_field(answer, [field.name]), field.name)
        for field in answer.type
    }
    return pandas.DataFrame(fields, index=rows.index)
