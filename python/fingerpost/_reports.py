"""What is to be said of a table that was read from a file."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass


class TableWarning(UserWarning):
    """A file of a table was not taken as it is: `file`, `kind` and `count` say which, what and how often; str() is a sentence."""

    def __init__(self, message: str, file: str = "", kind: str = "", count: int = 0) -> None:
        super().__init__(message)
        self.file = file
        self.kind = kind
        self.count = count


@dataclass(frozen=True)
class TableReport:
    """What Table.from_file() and the like found in a file."""

    file: str
    """Its name."""
    understood: str
    """How it was understood: "CSV with column network"; empty for plain text."""
    counts: dict[str, int]
    """How many of each kind there were, also 0: "bad" rows that were skipped; "replaced" routes, by a later one of the same
    prefix; "not_best" routes, left out for a better one; "masked", with bits past the length, which were cleared;
    "other_family", left out by family=; "without_network", records of JSON; "left_out", routes of other routing tables and
    entries of other kinds; "unused_lengths", 1 if a column looks like lengths but was not used as such. Of MRT also
    "damaged" and other records and entries that were skipped."""
    messages: tuple[str, ...]
    """The warnings, in words."""


def report(file: str, understood: str, notes: Sequence[tuple[str, int, str]]) -> TableReport:
    """Warns of what was counted, and of a guess, and returns all of it. A note has a name, a count and words."""
    told = [(f"{file}: {words}", name, count) for name, count, words in notes if count]
    if " without a header" in understood:
        told.insert(0, (f"{file}: read as {understood}", "no_header", 1))
    for message, name, count in told:
        # The frames above this one are in C++ and not seen: the next one is the caller's.
        warnings.warn(TableWarning(message, file, name, count), stacklevel=2)
    return TableReport(
        file,
        understood,
        {name: count for name, count, _ in notes},
        tuple(message for message, _, _ in told),
    )


for _class in (TableWarning, TableReport):
    _class.__module__ = "fingerpost"
