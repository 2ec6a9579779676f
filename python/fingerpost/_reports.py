"""Reports and warnings about tables that were read from files."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass


class TableWarning(UserWarning):
    """Part of a table's file was ignored or changed: `kind` names the kind, `count` the number of cases."""

    def __init__(self, message: str, file: str = "", kind: str = "", count: int = 0) -> None:
        super().__init__(message)
        self.file = file
        self.kind = kind
        self.count = count


@dataclass(frozen=True)
class TableReport:
    """Report of Table.from_file() and similar functions on a file."""

    file: str
    """Name of the file."""
    understood: str
    """Detected format, such as "CSV with column network"; empty for plain text."""
    counts: dict[str, int]
    """Counts by kind, including zeros: "bad", rows that were skipped; "replaced", routes followed by another with
    the same prefix; "not_best", routes omitted in favor of a better one; "masked", prefixes whose host bits were cleared;
    "other_family", routes omitted by family=; "without_network", JSON records; "left_out", routes of other routing
    tables and entries of other kinds; "unused_lengths", 1 if a column looks like lengths but was not used as such. For
    MRT also "damaged" and other records and entries that were skipped."""
    messages: tuple[str, ...]
    """The warnings, as sentences."""


def report(file: str, understood: str, notes: Sequence[tuple[str, int, str]]) -> TableReport:
    """Warns of each nonzero count and of a guessed header, and returns a report. A note is (name, count, text)."""
    messages = [(f"{file}: {text}", name, count) for name, count, text in notes if count]
    if " without a header" in understood:
        messages.insert(0, (f"{file}: read as {understood}", "no_header", 1))
    for message, name, count in messages:
        # The frames between are C++ and do not count: level 2 is the caller.
        warnings.warn(TableWarning(message, file, name, count), stacklevel=2)
    return TableReport(
        file,
        understood,
        {name: count for name, count, _ in notes},
        tuple(message for message, _, _ in messages),
    )


for _class in (TableWarning, TableReport):
    _class.__module__ = "fingerpost"
