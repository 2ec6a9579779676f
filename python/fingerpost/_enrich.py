"""enrich(): adds prefixes and columns of tables to files of rows. A call imports pyarrow, the module does not."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from fingerpost._core import Error, Table
from fingerpost._types import AnyTable

if TYPE_CHECKING:
    import pyarrow

    from fingerpost._enrich_columns import Plan
    from fingerpost._enrich_rows import Faults

Path: TypeAlias = "str | os.PathLike[str]"
Kind: TypeAlias = Literal["parquet", "arrow", "csv", "tsv"]
OnMiss: TypeAlias = Literal["empty", "drop", "error"]
OnError: TypeAlias = Literal["null", "drop", "fail"]
CsvTypes: TypeAlias = Literal["infer", "text"]
Family: TypeAlias = Literal[4, 6]
# Tables of all kinds of values, one beside the other; their type does not say more.
Tables: TypeAlias = "AnyTable | Path | Mapping[str, AnyTable | Path]"

# What is read, looked up and written at once.
BATCH_ROWS = 1 << 16

# Temporary files of outputs that are being written, for a process that ends at once.
unfinished: set[str] = set()


class ChoiceError(ValueError):
    """An argument that does not fit the others or the file: for the command a wrong usage.

    Its first argument has the words of the command, with options; as text they are those of enrich().
    """

    def __str__(self) -> str:
        words = str(self.args[0])
        for option, argument in (("table", "tables"), ("field", "fields")):
            words = re.sub(rf"--{option}\b", argument, words)
        words = re.sub(r"--(family|format|on-miss|on-error) (\w+)", _as_argument, words)
        return re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda found: found[1].replace("-", "_"), words)


def _as_argument(found: re.Match[str]) -> str:
    value = found[2] if found[2].isdigit() else repr(found[2])
    return f"{found[1].replace('-', '_')}={value}"


@dataclass
class EnrichReport:
    """What enrich() did: rows == matched + missed + no_address + bad."""

    rows: int = 0
    """Rows read."""
    matched: int = 0
    """Rows of which an address has a route."""
    missed: int = 0
    """Rows with addresses, none of which has a route."""
    no_address: int = 0
    """Rows whose address fields are all null or blank."""
    bad: int = 0
    """Rows with a field that is no address, or that are no rows of their file (CSV with fields missing)."""
    refused: int = 0
    """Rows without a match where on_miss is "error"; they are counted under missed or no_address as well."""
    written: int = 0
    """Rows written."""
    messages: list[str] = field(default_factory=list)
    """File, row, text and reason of the first five bad rows of each kind, and warnings."""


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
        "10.0.0.1:80", "[2001:db8::1]:443", "fe80::1%eth0". An IPv4-mapped IPv6 address is an IPv4 one.
    add: what is added, one or some in this order: "prefix", "address", names of columns of the tables. Without it the
        prefix and all columns. A table of integers has the column "next_hop", one of other objects the column "value".
        Names begin with that of the field if there are several fields, and with that of the table if there
        are several tables.
    rename: other names in the output, {"prefix": "network"}: of added columns, with or without what stands before their
        names, or of columns of the rows by number from "1". Of two equal names the first is meant, the matched prefix
        before a column of the table. No name may come twice in the output.
    format: of the output ("parquet", "arrow", "csv", "tsv"); otherwise its suffix tells, or the first source.
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
    from fingerpost._enrich_rows import Faults

    done = EnrichReport() if report is None else report
    run = _Run(
        sources=_paths(source),
        output=os.fspath(output),
        tables=open_tables(tables, TableChoice(family, strict, scheme)),
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
        faults=Faults(done, tell, fails=on_error == "fail"),
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


@dataclass
class TableChoice:
    """What is read of files of tables, and how."""

    family: Family | None = None
    strict: bool = False
    scheme: str | None = None

    def is_usual(self) -> bool:
        """Returns whether nothing was chosen."""
        return self == TableChoice()


def open_tables(tables: Tables, choice: TableChoice | None = None) -> dict[str, AnyTable]:
    """Returns the tables by name; files are opened."""
    if isinstance(tables, (str, os.PathLike)):
        tables = {table_name(os.fspath(tables)): tables}
    elif isinstance(tables, Table):
        tables = {"table": tables}
    if not isinstance(tables, Mapping):
        raise TypeError(
            "tables= takes a fingerpost.Table, the path of one, or a dict of these by name, not "
            f"{type(tables).__name__}"
        )
    if not tables:
        raise ChoiceError("enrich needs a table")
    return {name: _open_table(one, choice or TableChoice()) for name, one in tables.items()}


def table_name(path: str) -> str:
    """Returns the name that a table has by its file: up to the first dot."""
    if path == "-":
        return "stdin"
    name = os.path.basename(path)
    return name[: max(name.find("."), 1)] if "." in name else name


def _open_table(table: AnyTable | Path, choice: TableChoice) -> AnyTable:
    if isinstance(table, Table):
        if not choice.is_usual():
            raise ChoiceError(
                "family=, strict= and scheme= are for tables from files, not for a fingerpost.Table"
            )
        return table
    is_image = False
    if os.path.isfile(table):
        # Images are mapped; copying them would take memory.
        with open(table, "rb") as file:
            is_image = file.read(4) == b"\x89FPI"
    if is_image and choice.family is None and choice.scheme is None:
        return Table.open(table)
    if choice.scheme is not None:
        _refuse_unknown_scheme(choice.scheme)
    opened = Table.from_file(table, strict=choice.strict, family=choice.family, scheme=choice.scheme)
    if choice.scheme is not None:
        _refuse_other_family(opened, choice.scheme)
    return opened


def _refuse_unknown_scheme(name: str) -> None:
    try:
        Table(scheme=name)
    except ValueError as error:
        raise ChoiceError(f"--scheme: {error}") from None


def _refuse_other_family(table: AnyTable, scheme: str) -> None:
    """Raises ChoiceError if the scheme does not serve a family of which there are routes."""
    default = Table[Any]().scheme
    served = Table[Any](scheme=scheme)
    for family, name, other in (("ipv4", "IPv4", 6), ("ipv6", "IPv6", 4)):
        # A family that a scheme does not serve has the default one.
        serves = scheme == default or _fact(served, family, "scheme") != default
        if not serves and _fact(table, family, "routes") != 0:
            raise ChoiceError(
                f"--scheme: {scheme} does not serve {name}, of which the table has routes; "
                f"choose --family {other}"
            )


def _fact(table: AnyTable, family: str, name: str) -> object:
    facts = table.stats()[family]
    return facts[name] if isinstance(facts, dict) else None


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


_T = TypeVar("_T")


def _check_choice(name: str, given: str, accepted: Sequence[str]) -> None:
    if given not in accepted:
        raise ChoiceError(f"{name}={given!r}: it is one of {', '.join(accepted)}")


@dataclass
class _Run:
    sources: list[str]
    output: str
    tables: dict[str, AnyTable]
    fields: list[str | int]
    add: list[str] | None
    rename: list[tuple[str, str]]
    format: Kind | None
    on_miss: OnMiss
    on_error: OnError
    csv_types: CsvTypes
    no_header: bool
    no_quotes: bool
    threads: int
    progress: Callable[[EnrichReport], None] | None
    faults: Faults
    done: EnrichReport

    def run(self) -> None:
        from fingerpost import _enrich_files as files
        from fingerpost._enrich_columns import make_plan, refuse_unknown
        from fingerpost._enrich_output import open_output, output_kind, write_nothing

        if not self.sources:
            raise ChoiceError("enrich needs a file to read")
        inputs = [files.Input(path, self.format) for path in self.sources]
        self._refuse_idle_options(inputs)
        if self.no_header:
            files.refuse_names(self.fields)
        refuse_unknown(self.tables, self.add, self.rename)
        kind, is_stream = output_kind(self.output, self.format, inputs[0].kind)
        filled = [one for one in inputs if not one.is_empty]
        if not filled:
            if self.fields and kind in ("csv", "tsv"):
                write_nothing(self.output)
                return
            # Opening it tells what is missing.
            filled = inputs[:1]
        if not self.fields:
            self._refuse_no_fields(filled[0].column_names(self._dialect()))
        reading = files.Reading(
            fields=self.fields,
            as_text=self.csv_types == "text" or kind in ("csv", "tsv"),
            on_bad_row=self.faults.add_bad_row,
            schema=None,
            dialect=self._dialect(),
        )
        with ExitStack() as stack:
            first = stack.enter_context(filled[0].open(reading))
            plan = make_plan(
                first.schema,
                first.path,
                self.tables,
                self.fields,
                self.add,
                self.rename,
                self.threads,
                # CSV that becomes CSV has no header afterwards if it had none.
                writes_names=not (self.no_header and kind in ("csv", "tsv")),
            )
            to = stack.enter_context(open_output(self.output, kind, is_stream, first, plan.schema))
            reading.schema = first.schema
            self._copy(first, plan, to.write)
            for one in filled[1:]:
                with one.open(reading) as source:
                    files.check_same_columns(first, source)
                    self._copy(source, plan, to.write)
            to.finish()
        self.faults.tell_rest()

    def _dialect(self) -> Dialect:
        from fingerpost._enrich_files import Dialect

        return Dialect(has_header=not self.no_header, has_quotes=not self.no_quotes)

    def _refuse_idle_options(self, inputs: list[Input]) -> None:
        """Options that would do nothing are mistakes."""
        other = next((one.kind for one in inputs if one.kind not in ("csv", "tsv")), None)
        for given, name in ((self.no_header, "--no-header"), (self.no_quotes, "--no-quotes")):
            if given and other is not None:
                raise ChoiceError(f"{name}: means nothing for {other}")

    def _refuse_no_fields(self, names: list[str]) -> None:
        there = "" if self.no_header else f"; there are {', '.join(names)}"
        raise ChoiceError(f"--field: say which column is an address{there}")

    def _copy(self, source: files_source, plan: Plan, write: Callable[[pyarrow.RecordBatch], None]) -> None:
        from fingerpost._enrich_rows import enrich_batch

        row = 1
        for batch in _read_ahead(source.batches(), source.is_pipe):
            made = enrich_batch(
                batch, source.path, row, plan, self.on_miss, self.on_error, self.faults, self.done
            )
            row += batch.num_rows
            if made.num_rows:
                write(made)
                self.done.written += made.num_rows
            if self.progress is not None:
                self.progress(self.done)


def _read_ahead(batches: Iterator[_T], is_pipe: bool) -> Iterator[_T]:
    """Reads the next batch in another thread while the caller works on this one."""
    from concurrent.futures import ThreadPoolExecutor

    nothing = object()
    reader = ThreadPoolExecutor(1, "fingerpost-read")
    try:
        coming = reader.submit(next, batches, nothing)
        while (batch := coming.result()) is not nothing:
            coming = reader.submit(next, batches, nothing)
            yield batch  # type: ignore[misc]
    finally:
        # Does not wait for a pipe without a writer.
        reader.shutdown(wait=not is_pipe, cancel_futures=True)


if TYPE_CHECKING:
    from fingerpost._enrich_files import Dialect, Input
    from fingerpost._enrich_files import Source as files_source

__all__ = ["ChoiceError", "EnrichReport", "Error", "enrich"]
