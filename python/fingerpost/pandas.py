"""Longest-prefix match in pandas: accessors of Series and frames, and joins with tables of networks.

>>> import pandas as pd
>>> import fingerpost, fingerpost.pandas
>>> table = fingerpost.Table({"10.0.0.0/8": "office", "10.1.0.0/16": "lab"})
>>> frame = pd.DataFrame({"ip": ["10.1.2.3", "10.9.9.9"]}, index=[7, 8])
>>> frame["ip"].lpm.lookup(table)
7       lab
8    office
Name: ip, dtype: str

Importing this module gives pandas Series and DataFrames the accessor `lpm`. Columns of addresses can hold text of
any pandas dtype (object, str, "string[python]", "string[pyarrow]", ArrowDtype), Categorical text (one lookup per
category), `ipaddress` objects, uint32 (IPv4 addresses as numbers), or binary ArrowDtype (4 or 16 bytes per row, in
network order). Missing values stay missing. Addresses without a route and text that is not an address become
missing.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
import pandas as pd

from fingerpost import _frames
from fingerpost._core import Report
from fingerpost._frames import Columns, How, OnError
from fingerpost._types import AnyTable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FrameAccessor", "SeriesAccessor", "join_lpm", "lookup"]

Values: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.generic]]"
Answer: TypeAlias = "pd.api.extensions.ExtensionArray | np.ndarray[tuple[int], np.dtype[np.object_]]"

# Types of numbers for rows that are not Arrow data. They can represent missing values, so -1 is not needed.
_NUMBER, _LENGTH = pd.UInt32Dtype(), pd.UInt8Dtype()
# Dtypes for table columns that are not text, by the class of their cells.
_CELLS: dict[type, pd.api.extensions.ExtensionDtype] = {
    int: pd.Int64Dtype(),
    float: pd.Float64Dtype(),
    bool: pd.BooleanDtype(),
}


def lookup(
    rows: pd.Series,
    table: AnyTable,
    want: str | Sequence[str] = "value",
    *,
    default: object = None,
    on_error: OnError = "null",
    threads: int = 1,
    report: Report | None = None,
) -> pd.Series | pd.DataFrame:
    """Returns the longest match of each address of a Series, with the index and the name of the Series.

    want: "value"; "index", the number of the value in the table; "length" of the matched prefix; "prefix", as text; the
        name of a column of the table; or a list of these. A list returns a DataFrame, and so does "value" if the
        table has several columns.
    default: the result for addresses without a route. With a list of wants, a dict from wants to results.
    on_error: "null" makes bad rows missing. "raise" raises ValueError with the first bad row, its text and the reason.
    threads: number of threads that share the rows; 0 means one per core.
    report: receives the counts of matched, missed, null and bad rows, and the first bad rows.

    Types: numbers are UInt32, lengths UInt8, both nullable. Columns of a table are Int64, Float64, boolean or text.
    Text has the string dtype of the rows, or the default string dtype of pandas if the rows are not strings. Values
    that are Python objects have dtype object, or the dtype that pandas infers from them. Rows of an ArrowDtype return
    an ArrowDtype.

    Raises TypeError if `rows` is not a Series of addresses or `table` is not a Table, and ValueError for an unknown
    want.
    """
    if not isinstance(rows, pd.Series):
        raise TypeError(f"lookup takes a pandas Series, not {type(rows).__name__}: pass one column of it")
    _frames.require_table(table)
    wants = [want] if isinstance(want, str) else list(want)
    is_frame = not isinstance(want, str)
    if want == "value" and len(table.columns) > 1:
        wants, is_frame = list(_frames.columns_of_table(table, None)), True
    defaults = default if is_frame or default is None else {wants[0]: default}
    answers = _look_up(rows, table, wants, defaults, on_error, threads, report)
    if is_frame:
        return pd.DataFrame(answers, index=rows.index, columns=wants)
    return pd.Series(answers[wants[0]], index=rows.index, name=rows.name)


@pd.api.extensions.register_series_accessor("lpm")
class SeriesAccessor(_frames.Lookups[pd.Series]):
    """Longest-prefix match of the addresses of a Series: `series.lpm`."""

    def __init__(self, rows: pd.Series) -> None:
        self._rows = rows

    def lookup(
        self,
        table: AnyTable,
        want: str | Sequence[str] = "value",
        *,
        default: object = None,
        on_error: OnError = "null",
        threads: int = 1,
        report: Report | None = None,
    ) -> pd.Series | pd.DataFrame:
        """Longest match of each address: see fingerpost.pandas.lookup."""
        return lookup(
            self._rows, table, want, default=default, on_error=on_error, threads=threads, report=report
        )

    def _one(self, table: AnyTable, want: str, on_error: OnError, threads: int) -> pd.Series:
        answer = lookup(self._rows, table, [want], on_error=on_error, threads=threads)[want]
        return answer.rename(self._rows.name)


@pd.api.extensions.register_dataframe_accessor("lpm")
class FrameAccessor:
    """Joins of a frame by the longest prefix that contains an address: `frame.lpm`."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def join(
        self,
        table: AnyTable | pd.DataFrame,
        on: str = "ip",
        columns: Columns | None = None,
        prefix: str | None = "prefix",
        how: How = "left",
        suffix: str = "_right",
        *,
        network: str | None = None,
        on_error: OnError = "null",
        threads: int = 1,
    ) -> pd.DataFrame:
        """Adds the longest match of each row's address: see fingerpost.pandas.join_lpm."""
        return join_lpm(
            self._frame,
            table,
            on,
            columns,
            prefix,
            how,
            suffix,
            network=network,
            on_error=on_error,
            threads=threads,
        )


def join_lpm(
    frame: pd.DataFrame,
    table: AnyTable | pd.DataFrame,
    on: str = "ip",
    columns: Columns | None = None,
    prefix: str | None = "prefix",
    how: How = "left",
    suffix: str = "_right",
    *,
    network: str | None = None,
    on_error: OnError = "null",
    threads: int = 1,
) -> pd.DataFrame:
    """Returns the frame with columns added from the longest prefix that contains the address of each row.

    table: a Table, or a frame with a column of networks, from which a table is built. Networks must be unique.
    on: the column of addresses.
    columns: the columns to add: a name, a list of names, or a mapping from names to new names. For a Table, any want
        of `lookup`; by default all columns of a table of rows, otherwise "value". For a frame, its columns; by
        default all except the networks.
    prefix: the name of the column for the matched prefix; None adds no such column.
    how: "left" keeps all rows and leaves unmatched ones with missing values; "inner" keeps only matched rows; "anti"
        keeps only the others, also missing and bad addresses, and adds no columns.
    suffix: appended to names of new columns that the frame already has.
    network: the column of networks; by default the first column called network, prefix, cidr, subnet or similar.
    on_error, threads: see `lookup`.

    The index and the order of the rows are kept. Each row has at most one match. Columns keep their types, but
    integers and bool become nullable: Int64, boolean and so on.

    Raises KeyError if there is no column `on`; ValueError for invalid or repeated networks and for unknown or
    ambiguous column names; TypeError for other kinds of frames and tables.
    """
    _frames.require_how(how, columns)
    if how == "anti":
        columns, prefix = [], None
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"join_lpm takes a pandas DataFrame, not {type(frame).__name__}")
    if on not in frame.columns:
        raise KeyError(f"on={on!r}: the columns of the frame are {', '.join(map(str, frame.columns))}")
    _refuse_twice("frame", frame, [on])
    rows = frame[on]
    if isinstance(table, pd.DataFrame):
        added, matched = _rows_of_frame(rows, table, network, columns, prefix, on_error, threads)
    else:
        also = " or a DataFrame with a column of networks"
        wants = _frames.wants_of_join(table, also, network, columns, prefix)
        lookup_wants = list(dict.fromkeys([*wants, "index"]))
        answers = _look_up(rows, table, lookup_wants, None, on_error, threads, None)
        matched = ~np.asarray(pd.isna(answers["index"]))
        added = [(name, answers[want]) for want, name in wants.items()]
    names = _frames.unused_names([name for name, _ in added], [str(name) for name in frame.columns], suffix)
    joined = frame.assign(
        **{name: pd.Series(values, index=frame.index) for name, (_, values) in zip(names, added)}
    )
    return joined if how == "left" else joined[matched if how == "inner" else ~matched]


def _rows_of_frame(
    rows: pd.Series,
    networks: pd.DataFrame,
    network: str | None,
    columns: Columns | None,
    prefix: str | None,
    on_error: OnError,
    threads: int,
) -> tuple[list[tuple[str, Answer]], np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Returns the columns of the matched rows of a frame of networks, and a mask of the rows that match."""
    names = [str(name) for name in networks.columns]
    key = _frames.network_column(names, network)
    chosen = _frames.columns_of_frame([name for name in names if name != key], columns)
    _refuse_twice("frame of networks", networks, [key, *chosen])
    table = _frames.table_of_networks([None if pd.isna(value) else value for value in networks[key]])
    wants = ["value", "prefix"] if prefix is not None else ["value"]
    answers = _look_up(rows, table, wants, None, on_error, threads, None)
    numbers = pd.array(answers["value"]).to_numpy(dtype="int64", na_value=-1)
    rows_of_networks = networks[list(chosen)].reset_index(drop=True)
    matched_rows = rows_of_networks.astype(_nullable(rows_of_networks)).reindex(numbers)
    added: list[tuple[str, Answer]] = [(name, matched_rows[column].array) for column, name in chosen.items()]
    if prefix is not None:
        added.append((prefix, answers["prefix"]))
    return added, numbers >= 0


def _nullable(frame: pd.DataFrame) -> dict[str, pd.api.extensions.ExtensionDtype]:
    """Returns nullable dtypes for the columns of integers and bool, which cannot represent missing values."""
    return {
        name: pd.array(np.empty(0, dtype)).dtype
        for name, dtype in frame.dtypes.items()
        if isinstance(dtype, np.dtype) and dtype.kind in "iub"
    }


def _refuse_twice(what: str, frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Raises ValueError if the frame has two columns with one of these names."""
    present = [str(name) for name in frame.columns]
    for name in names:
        if present.count(name) > 1:
            raise ValueError(f"the {what} has {present.count(name)} columns {name!r}: rename all but one")


def _look_up(
    rows: pd.Series,
    table: AnyTable,
    wants: Sequence[str],
    default: object,
    on_error: OnError,
    threads: int,
    report: Report | None,
) -> dict[str, Answer]:
    """Returns an array of results for each want, one element per row."""
    _check_defaults(table, default)
    if "value" in wants and table.value_kind == "object" and not isinstance(rows.dtype, pd.ArrowDtype):
        return _look_up_objects(rows, table, wants, default, on_error, threads, report)
    column = _numpy_of(rows)
    if column is None:
        answer = _frames.look_up(
            table, _arrow_of(rows), wants, default=default, on_error=on_error, threads=threads, report=report
        )
        parts = cast("pa.StructArray", answer).flatten()
        return {want: _from_arrow(part, rows) for want, part in zip(wants, parts, strict=True)}
    answers = _frames.look_up(
        table, column, wants, default=default, on_error=on_error, threads=threads, report=report
    )
    return _all_from_numpy(cast("dict[str, Values]", answers), table, rows)


def _look_up_objects(
    rows: pd.Series,
    table: AnyTable,
    wants: Sequence[str],
    default: object,
    on_error: OnError,
    threads: int,
    report: Report | None,
) -> dict[str, Answer]:
    """Looks up values that are Python objects, which Arrow cannot represent."""
    others = [want for want in wants if want != "value"]
    defaults: Mapping[str, object] = default if isinstance(default, Mapping) else {}
    missed = defaults.get("value")
    rest = {want: value for want, value in defaults.items() if want != "value"} or None
    if isinstance(rows.dtype, pd.CategoricalDtype):
        # Look up the rows for the other wants, for errors and for the report.
        answers = _look_up(rows, table, others or ["index"], rest, on_error, threads, report)
        categories = rows.cat.categories.to_numpy(dtype=object)
        category_values = cast("Values", _frames.look_up(table, categories, "value", default=missed))
        codes = rows.cat.codes.to_numpy()
        # A missing row has code -1, which selects the appended None.
        return {**answers, "value": np.append(category_values, [None])[codes]}
    column = _numpy_of(rows)
    if column is None:
        column = rows.to_numpy(dtype=object, na_value=None)
    values = _frames.look_up(
        table, column, wants, default=default, on_error=on_error, threads=threads, report=report
    )
    return _all_from_numpy(cast("dict[str, Values]", values), table, rows)


def _check_defaults(table: AnyTable, default: object) -> None:
    """Raises ValueError for defaults that do not fit: results are unsigned, and -1 marks missing rows."""
    for want, value in default.items() if isinstance(default, Mapping) else ():
        is_number = want in ("index", "length") or (want == "value" and table.value_kind == "int")
        limit = 2**8 if want == "length" else 2**32
        if is_number and not (isinstance(value, (int, np.integer)) and 0 <= value < limit):
            raise ValueError(f"default={value!r} for {want!r}: must be a number from 0 to {limit - 1}")


def _numpy_of(rows: pd.Series) -> Values | None:
    """Returns the rows as a numpy array, or None if converting them to Arrow is cheaper."""
    if isinstance(rows.dtype, np.dtype):
        # Texts of results are faster in Arrow, and numbers become Arrow data without a copy.
        return None if rows.dtype == np.uint32 and _has_arrow() else cast("Values", rows.to_numpy())
    if isinstance(rows.dtype, pd.StringDtype) and rows.dtype.storage == "python":
        return cast("Values", rows.to_numpy(dtype=object, na_value=None))
    return None


@functools.cache
def _has_arrow() -> bool:
    return importlib.util.find_spec("pyarrow") is not None


def _arrow_of(rows: pd.Series) -> pa.Array | pa.ChunkedArray:
    """Returns the rows as an Arrow column."""
    import pyarrow as pa

    column = pa.array(rows)
    # A column of missing values only has no type.
    null_types = (pa.null(), pa.dictionary(pa.int8(), pa.null()))
    return pa.nulls(len(rows), pa.string()) if column.type in null_types else column


def _text_type(rows: pd.Series) -> object:
    """Returns the dtype of text in the result."""
    dtype = rows.cat.categories.dtype if isinstance(rows.dtype, pd.CategoricalDtype) else rows.dtype
    return dtype if isinstance(dtype, pd.StringDtype) else pd.Series(["text"]).dtype


def _all_from_numpy(answers: Mapping[str, Values], table: AnyTable, rows: pd.Series) -> dict[str, Answer]:
    """Converts arrays to pandas dtypes, except values that are objects or whole rows."""
    as_is = table.value_kind == "object" or len(table.columns) > 1
    return {
        want: values if want == "value" and as_is else _from_numpy(values, want, table, rows)
        for want, values in answers.items()
    }


def _from_numpy(values: Values, want: str, table: AnyTable, rows: pd.Series) -> Answer:
    if values.dtype == np.dtype(object):
        column = table.columns[0] if want == "value" else want
        return pd.array(values, dtype=_CELLS.get(table.types.get(column, str)) or _text_type(rows))
    missing = values == -1
    numbers = np.where(missing, 0, values)
    if want == "length":
        return pd.arrays.IntegerArray(numbers.astype(np.uint8), missing)
    return pd.arrays.IntegerArray(numbers.astype(np.uint32), missing)


def _from_arrow(column: pa.Array | pa.ChunkedArray, rows: pd.Series) -> Answer:
    import pyarrow as pa

    if isinstance(rows.dtype, pd.ArrowDtype):
        return pd.arrays.ArrowExtensionArray(column)
    cells = {pa.int64(): int, pa.float64(): float, pa.bool_(): bool}.get(column.type)
    if cells is not None:
        return _CELLS[cells].__from_arrow__(column)
    if pa.types.is_integer(column.type):
        return (_LENGTH if column.type == pa.uint8() else _NUMBER).__from_arrow__(column)
    dtype = _text_type(rows)
    if isinstance(dtype, pd.StringDtype) and not pa.types.is_struct(column.type):
        return dtype.__from_arrow__(column)
    return column.to_numpy(zero_copy_only=False)
