"""What all parts of enrich() know: the words of its arguments, its report, its errors."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fingerpost._types import AnyTable

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

# Temporary files of outputs that are being written, for a process that ends at once. A thread makes and lists files while it
# holds the lock; the thread that ends the process keeps it for good, so that no file is made after the last was removed.
unfinished: set[str] = set()
unfinished_lock = threading.Lock()


class ChoiceError(ValueError):
    """An argument that does not fit the others or the file: for the command a wrong usage.

    Its first argument has the words of the command, with options; as text they are those of enrich().
    """

    def __str__(self) -> str:
        words = str(self.args[0])
        for option, argument in (("table", "tables"), ("field", "fields"), ("columns", "add")):
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
