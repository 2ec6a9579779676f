"""enrich(): adds prefixes and columns of tables to files of rows. A call imports pyarrow, the module does not."""

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
    """Copies rows and adds the matching prefix and the columns of tables. Rows stay in order.

    source: a Parquet, Arrow IPC (file or stream) or CSV or TSV file, or several with the same columns; "-" is
        the standard input. Only some batches of rows are in memory at a time.
    output: the file to write, whole or not at all; "-" is the standard output.
    tables: a Table, a file of one (an image or any format that Table.from_file reads), or several by name.
    fields: the columns with addresses, by name or number from 1. They hold text, binary of 4 or 16 bytes in
        network order, uint32 in host order, or dictionaries of these. A text may also be one of a socket:
        "10.0.0.1:80", "[2001:db8::1]:443", "fe80::1%eth0". IPv4-mapped IPv6 addresses are answered as by Table.lookup().
    add: what is added, one or some in this order: "prefix", "address", names of columns of the tables. Without it the
        prefix and all columns. A table of integers has the column "next_hop", one of other objects the column "value".
        Names begin with that of the field if there are several fields, and with that of the table if there
        are several tables.
    rename: other names in the output, {"prefix": "network"}: of added columns, with or without what stands before their
        names, or of columns of the rows by number from "1". Of two equal names the first is meant, the matched prefix
        before a column of the table. No name may come twice in the output.
    format: of the output ("parquet", "arrow", "csv", "tsv"); otherwise its suffix tells, or without one the first source. A
        suffix of another kind, such as .ndjson, is an error.
    on_miss: rows without a match: "empty" columns, "drop" the row, or "error": empty, and told as a bad row.
    on_error: rows with a bad address: "null" adds empty columns, "drop" leaves them out, "fail" ends the run.
    csv_types: columns of CSV that become Parquet or Arrow: "infer" their types from the first mebibyte, or
        keep all "text". CSV that becomes CSV stays text. Columns of addresses are always text.
    no_header: the first row of CSV is one like all others. Columns are then called by their numbers, from "1" on,
        and CSV that becomes CSV has no header afterwards.
    no_quotes: a quote in CSV is a character like any other, and fields cannot have delimiters or line ends.
    family: 4 or 6: only routes of this family are read from files of tables.
    strict: prefixes with bits set past their length are refused in files of tables.
    scheme: of the lookup, for tables from files; an image is read, not mapped, then. All give the same answers.
    threads: how many look up; 0 is one for each core.
    report: gets the counts while rows are written, also when the run fails; without it there is a new one.
    progress: is called with the report after each batch.
    tell: is called with each message as it arises.

    Returns the report. Raises ValueError for arguments that do not fit, fingerpost.Error for damaged files,
    bad rows with on_error="fail", columns of other types, OSError for files that cannot be opened or written,
    ModuleNotFoundError without pyarrow. After any of them, a file that was there before is as it was.
    """
    _check_choice("on_miss", on_miss, ("empty", "drop", "error"))
    _check_choice("on_error", on_error, ("null", "drop", "fail"))
    _check_choice("csv_types", csv_types, ("infer", "text"))
    if format is not None:
        _check_choice("format", format, ("parquet", "arrow", "csv", "tsv"))
    if family is not None and family not in (4, 6):
        raise ChoiceError(f"family={family!r}: it is 4 or 6")
    _refuse_two_readers(_paths(source), tables)
    need_pyarrow()
    # Not at the top: they import pyarrow.
    from fingerpost._enrich.rows import Faults
    from fingerpost._enrich.run import Run

    done = EnrichReport() if report is None else report
    faults = Faults(done, tell, fails=on_error == "fail")
    run = Run(
        sources=_paths(source),
        output=os.fspath(output),
        tables=open_tables(tables, TableChoice(family, strict, scheme), faults.tell),
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
        done=done,
    )
    run.run()
    return done


def need_pyarrow() -> None:
    """Raises ModuleNotFoundError that names what to install."""
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
    given = tables.values() if isinstance(tables, Mapping) else [tables]
    if [*sources, *(one for one in given if isinstance(one, str))].count("-") > 1:
        raise ChoiceError("enrich: only one of the tables and the inputs can come from stdin")


def _paths(given: Path | Sequence[Path]) -> list[str]:
    if isinstance(given, (str, os.PathLike)):
        return [os.fspath(given)]
    return [os.fspath(path) for path in given]


def _fields(given: str | int | Sequence[str | int]) -> list[str | int]:
    return [given] if isinstance(given, (str, int)) else list(given)


def _check_choice(name: str, given: str, accepted: Sequence[str]) -> None:
    if given not in accepted:
        raise ChoiceError(f"{name}={given!r}: it is one of {', '.join(accepted)}")
