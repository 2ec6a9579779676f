"""Lookups of batches: selects rows, adds columns, and reports bad rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from fingerpost._core import Error
from fingerpost._enrich.columns import Answers, Plan
from fingerpost._enrich.types import EnrichReport, OnError, OnMiss

_MAX_SHOWN = 5
_WORDS = {
    "address": "with an invalid address",
    "row": "that cannot be read",
    "match": "without a match",
}
_Fault = Literal["address", "row", "match"]


class Faults:
    """Bad rows: reports the first ones of each kind, and counts the others."""

    def __init__(self, totals: EnrichReport, on_message: Callable[[str], None] | None, fails: bool) -> None:
        self._totals = totals
        self._on_message = on_message
        self._fails = fails
        self._counts: dict[_Fault, int] = dict.fromkeys(_WORDS, 0)  # type: ignore[arg-type]

    def report(self, message: str) -> None:
        """Reports a message."""
        self._totals.messages.append(message)
        if self._on_message is not None:
            self._on_message(message)

    def remaining(self, kind: _Fault) -> int:
        """Returns how many more faults of a kind will be reported."""
        return max(0, _MAX_SHOWN - self._counts[kind])

    def add(self, kind: _Fault, path: str, messages: list[str], count: int) -> None:
        """Counts bad rows and reports the messages, which are about the first of them."""
        for message in messages:
            self.report(message)
        before = self._counts[kind]
        self._counts[kind] += count
        if before <= _MAX_SHOWN < self._counts[kind]:
            self.report(f"{path}: further rows {_WORDS[kind]} are not shown")

    def add_bad_row(self, path: str, row: int | None, text: str, expected: int, actual: int) -> bool:
        """Handles a CSV row with a wrong number of fields. Returns whether to skip it and continue."""
        where = path if row is None else f"{path}: line {row}"
        if self._fails:
            return False
        shown = text if len(text) <= 80 else text[:77] + "..."
        message = f"{where}: {shown!r}: {actual} fields instead of {expected}; the row is left out"
        self._totals.rows += 1
        self._totals.bad += 1
        self.add("row", path, [message] if self.remaining("row") else [], 1)
        return True

    def report_rest(self) -> None:
        """Reports the number of bad rows that were not shown."""
        hidden = {kind: count - _MAX_SHOWN for kind, count in self._counts.items() if count > _MAX_SHOWN}
        if hidden:
            counts = ", ".join(f"{count} {_WORDS[kind]}" for kind, count in hidden.items())
            total = sum(self._counts.values())
            self.report(f"{total} bad rows, {sum(hidden.values())} of them not shown: {counts}")


def enrich_batch(
    batch: pa.RecordBatch,
    path: str,
    first_row: int,
    plan: Plan,
    on_miss: OnMiss,
    on_error: OnError,
    faults: Faults,
    totals: EnrichReport,
) -> pa.RecordBatch:
    """Returns the selected rows with the added columns. first_row: number of the first row in its file, from 1."""
    answers = [field.look_up(field.column_of(batch)) for field in plan.fields]
    bad = _any([answer.bad for answer in answers])
    matched = _any([answer.matched for answer in answers])
    present = _any([answer.present for answer in answers])
    good = pc.invert(bad)
    missed = pc.and_not(good, matched)

    totals.rows += batch.num_rows
    totals.bad += _count(bad)
    totals.matched += _count(pc.and_(good, matched))
    totals.missed += _count(pc.and_(missed, present))
    totals.no_address += _count(pc.and_not(missed, present))
    _report_bad(batch, path, first_row, plan, answers, bad, on_error, faults)
    if on_miss == "error":
        _report_missed(batch, path, first_row, plan, missed, faults)
        totals.refused += _count(missed)

    columns = [*batch.columns, *(column for answer in answers for column in answer.columns)]
    result = pa.RecordBatch.from_arrays(columns, schema=plan.schema)
    selected = good if on_error == "drop" else None
    if on_miss == "drop":
        has_match = pc.invert(missed)
        selected = has_match if selected is None else pc.and_(selected, has_match)
    if selected is None or pc.all(selected, min_count=0).as_py():
        return result
    return pa.RecordBatch.from_arrays([_filtered(c, selected) for c in result.columns], schema=plan.schema)


def _filtered(column: pa.Array, selected: pa.BooleanArray) -> pa.Array:
    # pyarrow cannot filter views.
    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string()).filter(selected).cast(column.type)
    if pa.types.is_binary_view(column.type):
        return column.cast(pa.large_binary()).filter(selected).cast(column.type)
    return column.filter(selected)


def _report_bad(
    batch: pa.RecordBatch,
    path: str,
    first_row: int,
    plan: Plan,
    answers: list[Answers],
    bad: pa.BooleanArray,
    on_error: OnError,
    faults: Faults,
) -> None:
    count = _count(bad)
    if not count:
        return
    messages = []
    limit = 1 if on_error == "fail" else faults.remaining("address")
    for row in pc.indices_nonzero(bad)[:limit].to_pylist():
        for field, answer in zip(plan.fields, answers, strict=True):
            if answer.bad[row].as_py():
                text, reason = field.reason(field.column_of(batch), row)
                messages.append(f"{path}: row {first_row + row}, column {field.name!r}: {text!r}: {reason}")
                break
    if on_error == "fail":
        raise Error(messages[0])
    faults.add("address", path, messages, count)


def _report_missed(
    batch: pa.RecordBatch, path: str, first_row: int, plan: Plan, missed: pa.BooleanArray, faults: Faults
) -> None:
    count = _count(missed)
    if not count:
        return
    messages = []
    for row in pc.indices_nonzero(missed)[: faults.remaining("match")].to_pylist():
        texts = ", ".join(repr(field.column_of(batch)[row].as_py()) for field in plan.fields)
        messages.append(f"{path}: row {first_row + row}: {texts}: has no match")
    faults.add("match", path, messages, count)


def _any(masks: list[pa.BooleanArray]) -> pa.BooleanArray:
    union = masks[0]
    for mask in masks[1:]:
        union = pc.or_(union, mask)
    return union


def _count(mask: pa.BooleanArray) -> int:
    return int(mask.true_count)
