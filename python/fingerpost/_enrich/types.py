"""Types shared by all parts of enrich(): choices of arguments, its report, its errors."""

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
# A mapping may mix tables with different kinds of values.
Tables: TypeAlias = "AnyTable | Path | Mapping[str, AnyTable | Path]"

# Number of rows that are read, looked up and written together.
BATCH_ROWS = 1 << 16

# Temporary files of unfinished outputs, to be removed when the process is killed. Threads hold the lock while they create
# and list a file. The thread that ends the process never releases it, so that no file is created after the removal.
unfinished: set[str] = set()
unfinished_lock = threading.Lock()


class ChoiceError(ValueError):
    """An argument that does not fit the others or the file; wrong usage of the command.

    args[0] is the message of the command, with option names. str() has the argument names of enrich() instead.
    """

    def __str__(self) -> str:
        text = str(self.args[0])
        for option, argument in (("table", "tables"), ("field", "fields"), ("columns", "add")):
            text = re.sub(rf"--{option}\b", argument, text)
        text = re.sub(r"--(family|format|on-miss|on-error) (\w+)", _as_argument, text)
        return re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda match: match[1].replace("-", "_"), text)


def _as_argument(match: re.Match[str]) -> str:
    value = match[2] if match[2].isdigit() else repr(match[2])
    return f"{match[1].replace('-', '_')}={value}"


@dataclass
class EnrichReport:
    """Counts and messages of a run of enrich(): rows == matched + missed + no_address + bad."""

    rows: int = 0
    """Rows read."""
    matched: int = 0
    """Rows with an address that has a route."""
    missed: int = 0
    """Rows with addresses but without a route for any of them."""
    no_address: int = 0
    """Rows whose address fields are all null or blank."""
    bad: int = 0
    """Rows with an invalid address, and malformed rows (CSV with missing fields)."""
    refused: int = 0
    """Rows without a match if on_miss is "error". They are also counted as missed or no_address."""
    written: int = 0
    """Rows written."""
    messages: list[str] = field(default_factory=list)
    """File, row, text and reason of the first five bad rows of each kind, and warnings."""
