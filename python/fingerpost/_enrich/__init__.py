"""enrich(): adds prefixes and columns of tables to files of rows. pyarrow is imported only by a call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from fingerpost._enrich.tables import TableChoice, open_tables
from fingerpost._enrich.types import (
    ChoiceError,
    CsvTypes,
    EnrichReport,
    Family,
    Kind,
    OnError,
    OnMiss,
    Path,
    Tables,
)

__all__ = ["EnrichReport", "enrich"]


def enrich(
    source: Path | Sequence[Path],
    output: Path,
    tables: Tables,
    fields: str | int | Sequence[str | int],
    *,
    add: str | Sequence[str] | None = None,
    rename: Mapping[str, str] | Sequence[tuple[str, str]] | None = None,
    format: Kind | None = None,
    on_miss: OnMiss = "empty",
    on_error: OnError = "null",
    csv_types: CsvTypes = "infer",
    no_header: bool = False,
    no_quotes: bool = False,
    family: Family | None = None,
    strict: bool = False,
    scheme: str | None = None,
    threads: int = 0,
    report: EnrichReport | None = None,
    progress: Callable[[EnrichReport], None] | None = None,
    tell: Callable[[str], None] | None = None,
) -> EnrichReport:
    """Copies rows and adds matching prefixes and columns of tables. Rows stay in order.

    source: a Parquet, Arrow IPC (file or stream), CSV or TSV file, or several with the same columns. "-" is the
        standard input. Only a few batches of rows are in memory at a time.
    output: the output file. It is replaced only on success. "-" is the standard output.
    tables: a Table, its file (an image or any format that Table.from_file reads), or a dict of several by name.
    fields: the columns of addresses, by name or by number from 1. "source.ip" is the member ip of the struct source. They contain text, binary of 4 or 16 bytes in
        network order, uint32 in host order, or dictionaries of these. Text may include a port or a zone:
        "10.0.0.1:80", "[2001:db8::1]:443", "fe80::1%eth0". IPv4-mapped IPv6 addresses match as in Table.lookup().
    add: the columns to add, in this order: "prefix", "address", or names of table columns. The default is the prefix
        and all columns. A table of integers has the column "next_hop", a table of other objects the column "value".
        Names begin with the name of the field if there are several fields, and with the name of the table if there
        are several tables.
    rename: new names of columns in the output, such as {"prefix": "network"}. The old name is that of an added column,
        with or without the names of field and table before it, or the number of a column of the rows, from "1". If
        several columns match, the first is renamed; the matched prefix comes before the columns of the table. Names
        in the output must be unique.
    format: output format ("parquet", "arrow", "csv", "tsv"). The default depends on the suffix of the output; without a
        suffix it is the format of the first source. Other suffixes, such as .ndjson, are an error.
    on_miss: rows without a match: "empty" adds empty columns, "drop" drops the row, "error" adds empty columns and
        reports the row.
    on_error: rows with a bad address: "null" adds empty columns, "drop" drops the row, "fail" ends the run.
    csv_types: for CSV to Parquet or Arrow: "infer" types from the first mebibyte, or keep all columns as "text". CSV to
        CSV keeps text. Columns of addresses are always text.
    no_header: the first row of CSV is data. Columns are then named by their numbers, from "1", and CSV to CSV has no
        header.
    no_quotes: quotes in CSV are ordinary characters. Fields cannot contain delimiters or line ends.
    family: 4 or 6: read only routes of this family from files of tables.
    strict: reject prefixes with host bits set in files of tables.
    scheme: lookup scheme for tables from files. Images are then read, not mapped. All schemes return the same results.
    threads: number of threads; 0 means one per core.
    report: receives the counts while rows are written, also if the run fails. The default is a new report.
    progress: called with the report after each batch. `tell` is called with each message when it occurs.

    Returns the report. Raises ValueError for invalid arguments; fingerpost.Error for damaged files, bad rows with
    on_error="fail" and columns of other types; OSError for files that cannot be opened or written; and
    ModuleNotFoundError without pyarrow. After an error, an existing output file is unchanged.
    """
    _check_choice("on_miss", on_miss, ("empty", "drop", "error"))
    _check_choice("on_error", on_error, ("null", "drop", "fail"))
    _check_choice("csv_types", csv_types, ("infer", "text"))
    if format is not None:
        _check_choice("format", format, ("parquet", "arrow", "csv", "tsv"))
    if family is not None and family not in (4, 6):
        raise ChoiceError(f"family={family!r}: must be 4 or 6")
    _refuse_two_readers(_paths(source), tables)
    require_pyarrow()
    # Not at the top of the module: these import pyarrow.
    from fingerpost._enrich.rows import Faults
    from fingerpost._enrich.run import Run

    totals = EnrichReport() if report is None else report
    faults = Faults(totals, tell, fails=on_error == "fail")
    run = Run(
        sources=_paths(source),
        output=os.fspath(output),
        tables=open_tables(tables, TableChoice(family, strict, scheme), faults.report),
        fields=_fields(fields),
        add=[add] if isinstance(add, str) else None if add is None else list(add),
        rename=list(rename.items() if isinstance(rename, Mapping) else rename or ()),
        format=format,
        on_miss=on_miss,
        on_error=on_error,
        csv_types=csv_types,
        no_header=no_header,
        no_quotes=no_quotes,
        threads=threads,
        progress=progress,
        faults=faults,
        totals=totals,
    )
    run.run()
    return totals


def require_pyarrow() -> None:
    """Raises ModuleNotFoundError with an instruction if pyarrow is missing."""
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise ModuleNotFoundError(
            "enrich needs pyarrow, which is not installed: pip install 'fingerpost[arrow]'",
            name="pyarrow",
        ) from None


def _refuse_two_readers(sources: Sequence[str], tables: Tables) -> None:
    named_tables = tables.values() if isinstance(tables, Mapping) else [tables]
    if [*sources, *(table for table in named_tables if isinstance(table, str))].count("-") > 1:
        raise ChoiceError("enrich: only one of the tables and the inputs can come from stdin")


def _paths(source: Path | Sequence[Path]) -> list[str]:
    if isinstance(source, (str, os.PathLike)):
        return [os.fspath(source)]
    return [os.fspath(path) for path in source]


def _fields(fields: str | int | Sequence[str | int]) -> list[str | int]:
    return [fields] if isinstance(fields, (str, int)) else list(fields)


def _check_choice(name: str, value: str, accepted: Sequence[str]) -> None:
    if value not in accepted:
        raise ChoiceError(f"{name}={value!r}: must be one of {', '.join(accepted)}")
