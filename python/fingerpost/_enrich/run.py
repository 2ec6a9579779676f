"""One call of enrich(): reads the files in order, looks up their rows and writes the output."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TypeVar

import pyarrow as pa

from fingerpost._enrich.columns import Plan, make_plan, refuse_unknown
from fingerpost._enrich.files import Dialect, Input, Reading, Source, check_same_columns, column_numbers
from fingerpost._enrich.output import open_output, output_kind, write_nothing
from fingerpost._enrich.rows import Faults, enrich_batch
from fingerpost._enrich.types import ChoiceError, CsvTypes, EnrichReport, Kind, OnError, OnMiss
from fingerpost._types import AnyTable

_T = TypeVar("_T")


@dataclass
class Run:
    """The files and options of one call."""

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
    totals: EnrichReport

    def run(self) -> None:
        """Reads, looks up and writes all rows."""
        if not self.sources:
            raise ChoiceError("enrich needs a file to read")
        inputs = [Input(path, self.format) for path in self.sources]
        self._refuse_idle_options(inputs)
        if self.no_header:
            self.fields = column_numbers(self.fields)
        refuse_unknown(self.tables, self.add, self.rename)
        kind, is_stream = output_kind(self.output, self.format, inputs[0].kind)
        filled = [file for file in inputs if not file.is_empty]
        if not filled:
            if self.fields and kind in ("csv", "tsv"):
                write_nothing(self.output)
                return
            # Opening the empty file raises the right error.
            filled = inputs[:1]
        if not self.fields:
            self._refuse_no_fields(filled[0].column_names(self._dialect()))
        reading = Reading(
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
                # CSV without a header stays without a header.
                writes_names=not (self.no_header and kind in ("csv", "tsv")),
            )
            output = stack.enter_context(open_output(self.output, kind, is_stream, first, plan.schema))
            reading.schema = first.schema
            self._copy(first, plan, output.write)
            for file in filled[1:]:
                with file.open(reading) as source:
                    check_same_columns(first, source)
                    self._copy(source, plan, output.write)
            output.finish()
        self.faults.report_rest()

    def _dialect(self) -> Dialect:
        return Dialect(has_header=not self.no_header, has_quotes=not self.no_quotes)

    def _refuse_idle_options(self, inputs: list[Input]) -> None:
        """Raises ChoiceError for options that would have no effect."""
        other = next((file.kind for file in inputs if file.kind not in ("csv", "tsv")), None)
        for is_set, name in ((self.no_header, "--no-header"), (self.no_quotes, "--no-quotes")):
            if is_set and other is not None:
                raise ChoiceError(f"{name} does not apply to {other}")

    def _refuse_no_fields(self, names: list[str]) -> None:
        if self.no_header:
            raise ChoiceError("--field: give the number of the column with the address")
        raise ChoiceError(f"--field: name the column with the address; columns: {', '.join(names)}")

    def _copy(self, source: Source, plan: Plan, write: Callable[[pa.RecordBatch], None]) -> None:
        row = 1
        for batch in _read_ahead(source.batches(), source.is_pipe):
            result = enrich_batch(
                batch, source.path, row, plan, self.on_miss, self.on_error, self.faults, self.totals
            )
            row += batch.num_rows
            if result.num_rows:
                write(result)
                self.totals.written += result.num_rows
            if self.progress is not None:
                self.progress(self.totals)


def _read_ahead(batches: Iterator[_T], is_pipe: bool) -> Iterator[_T]:
    """Yields batches, reading the next one in another thread meanwhile."""
    nothing = object()
    reader = ThreadPoolExecutor(1, "fingerpost-read")
    try:
        next_batch = reader.submit(next, batches, nothing)
        while (batch := next_batch.result()) is not nothing:
            next_batch = reader.submit(next, batches, nothing)
            yield batch  # type: ignore[misc]
    finally:
        # A read from a pipe may never return.
        reader.shutdown(wait=not is_pipe, cancel_futures=True)
