"""Batches of rows through the lookup: which are kept, what they get, and what is told about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from fingerpost._core import Error
from fingerpost._enrich.columns import Answers, Plan
from fingerpost._enrich.types import EnrichReport, OnError, OnMiss

_TOLD_EACH = 5
_WORDS = {
    "address": "with an invalid address",
    "row": "that cannot be read",
    "match": "without a match",
}
_Fault = Literal["address", "row", "match"]


class Faults:
    """Bad rows: the first of each kind are told, the others counted."""

    def __init__(self, done: EnrichReport, tell: Callable[[str], None] | None, fails: bool) -> None:
        self._done = done
        self._tell = tell
        self._fails = fails
        self._counts: dict[_Fault, int] = dict.fromkeys(_WORDS, 0)  # type: ignore[arg-type]

    def tell(self, message: str) -> None:
        """Tells one message."""
        self._done.messages.append(message)
        if self._tell is not None:
            self._tell(message)

    def wants_more(self, kind: _Fault) -> int:
        """Returns of how many more faults of a kind the message is wanted."""
        return max(0, _TOLD_EACH - self._counts[kind])

    def add(self, kind: _Fault, path: str, messages: list[str], count: int) -> None:
        """Counts bad rows; the messages are those of the first of them."""
        for message in messages:
            self.tell(message)
        before = self._counts[kind]
        self._counts[kind] += count
        if before <= _TOLD_EACH < self._counts[kind]:
            self.tell(f"{path}: further rows {_WORDS[kind]} are not shown")

    def add_bad_row(self, path: str, row: int | None, text: str, expected: int, actual: int) -> bool:
        """Takes a line of CSV with a wrong number of fields; returns whether the run goes on without it."""
        where = path if row is None else f"{path}: line {row}"
        if self._fails:
            return False
        shown = text if len(text) <= 80 else text[:77] + "..."
        message = f"{where}: {shown!r}: {actual} fields instead of {expected}; the row is left out"
        self._done.rows += 1
        self._done.bad += 1
        self.add("row", path, [message] if self.wants_more("row") else [], 1)
        return True

    def tell_rest(self) -> None:
        """Tells how many bad rows were not told."""
        rest = {kind: count - _TOLD_EACH for kind, count in self._counts.items() if count > _TOLD_EACH}
        if rest:
            words = ", ".join(f"{count} {_WORDS[kind]}" for kind, count in rest.items())
            total = sum(self._counts.values())
            self.tell(f"{total} bad rows, {sum(rest.values())} of them not shown: {words}")


def enrich_batch(
    batch: pa.RecordBatch,
    path: str,
    first_row: int,
    plan: Plan,
    on_miss: OnMiss,
    on_error: OnError,
    faults: Faults,
    done: EnrichReport,
) -> pa.RecordBatch:
    """Returns the rows that are kept, with the added columns. first_row: of the batch in its file, from 1."""
    answers = [field.look_up(batch.column(field.number)) for field in plan.fields]
    bad = _any([one.bad for one in answers])
    matched = _any([one.matched for one in answers])
    present = _any([one.present for one in answers])
    good = pc.invert(bad)
    missed = pc.and_not(good, matched)

    done.rows += batch.num_rows
    done.bad += _count(bad)
    done.matched += _count(pc.and_(good, matched))
    done.missed += _count(pc.and_(missed, present))
    done.no_address += _count(pc.and_not(missed, present))
    _tell_bad(batch, path, first_row, plan, answers, bad, on_error, faults)
    if on_miss == "error":
        _tell_missed(batch, path, first_row, plan, missed, faults)
        done.refused += _count(missed)

    columns = [*batch.columns, *(column for one in answers for column in one.columns)]
    made = pa.RecordBatch.from_arrays(columns, schema=plan.schema)
    kept = good if on_error == "drop" else None
    if on_miss == "drop":
        found = pc.invert(missed)
        kept = found if kept is None else pc.and_(kept, found)
    if kept is None or pc.all(kept, min_count=0).as_py():
        return made
    return pa.RecordBatch.from_arrays([_filtered(one, kept) for one in made.columns], schema=plan.schema)


def _filtered(column: pa.Array, kept: pa.BooleanArray) -> pa.Array:
    # Views have no filter of their own in pyarrow.
    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string()).filter(kept).cast(column.type)
    if pa.types.is_binary_view(column.type):
        return column.cast(pa.large_binary()).filter(kept).cast(column.type)
    return column.filter(kept)


def _tell_bad(
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
    wanted = 1 if on_error == "fail" else faults.wants_more("address")
    for row in pc.indices_nonzero(bad)[:wanted].to_pylist():
        for field, one in zip(plan.fields, answers, strict=True):
            if one.bad[row].as_py():
                text, reason = field.reason(batch.column(field.number), row)
                messages.append(f"{path}: row {first_row + row}, column {field.name!r}: {text!r}: {reason}")
                break
    if on_error == "fail":
        raise Error(messages[0])
    faults.add("address", path, messages, count)


def _tell_missed(
    batch: pa.RecordBatch, path: str, first_row: int, plan: Plan, missed: pa.BooleanArray, faults: Faults
) -> None:
    count = _count(missed)
    if not count:
        return
    messages = []
    for row in pc.indices_nonzero(missed)[: faults.wants_more("match")].to_pylist():
        texts = ", ".join(repr(batch.column(field.number)[row].as_py()) for field in plan.fields)
        messages.append(f"{path}: row {first_row + row}: {texts}: has no match")
    faults.add("match", path, messages, count)


def _any(masks: list[pa.BooleanArray]) -> pa.BooleanArray:
    made = masks[0]
    for mask in masks[1:]:
        made = pc.or_(made, mask)
    return made


def _count(mask: pa.BooleanArray) -> int:
    return int(mask.true_count)
