"""Common parts of the Spark and Ray modules: tables as files for the workers, and the columns that workers add.

Workers never receive a pickled Table. They receive its image, a file named by a hash of its content, and each worker
process maps that file once, however many tasks it runs.
"""

from __future__ import annotations

import functools
import hashlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from fingerpost._core import Table
from fingerpost._types import AnyTable

if TYPE_CHECKING:
    import pyarrow

OnError = Literal["null", "raise"]


@dataclass(frozen=True)
class Work:
    """The instructions for a worker. They are pickled into each task, so they contain only names."""

    image: str  # file name, without a folder
    column: str  # column of addresses
    wants: tuple[str, ...]  # arguments of lookup_many
    names: tuple[str, ...]  # names of the added columns, one per want
    on_error: OnError


def image_of(table: AnyTable | str | os.PathLike[str]) -> Path:
    """Returns the path of a table's image, which is named by its content: equal tables have the same name.

    Cluster managers fetch files when they first need them, so the file exists until this process ends.
    Raises TypeError if `table` is neither a table nor a path, and the errors of Table.open and Table.save.
    """
    if not isinstance(table, (Table, str, os.PathLike)):
        raise TypeError(f"expected a fingerpost.Table or the path of an image, not {type(table).__name__}")
    fresh = _folder() / f"{secrets.token_hex(8)}.new"
    try:
        if isinstance(table, Table):
            table.save(fresh)
        else:
            Table.open(table)  # its errors name the caller's path
            _link_or_copy(Path(table), fresh)
        return fresh.replace(_folder() / f"fingerpost-{_digest(fresh)}.image")
    finally:
        fresh.unlink(missing_ok=True)


@functools.lru_cache(maxsize=16)
def open_image(path: str) -> Table[int | str | dict[str, str]]:
    """Returns the image at a path, which this process maps at the first call.

    The content of a path must not change. The tables of the last 16 paths stay mapped.
    """
    return Table.open(path)


def plan(
    image: Path, column: str, add: str | Sequence[str] | None, column_prefix: str | None, on_error: OnError
) -> tuple[Work, list[pyarrow.Field]]:
    """Returns the instructions for the workers, and the columns that they add, as Arrow fields.

    Raises ValueError for unknown wants and for an unknown on_error.
    """
    import pyarrow

    table = open_image(str(image))
    wants = _wants(table, add)
    none = table.lookup_many(pyarrow.array([], pyarrow.utf8()), list(wants), on_error=on_error)
    if column_prefix is None:
        column_prefix = f"{column}_"
    work = Work(image.name, column, wants, tuple(column_prefix + want for want in wants), on_error)
    fields = [pyarrow.field(name, field.type) for name, field in zip(work.names, none.type, strict=True)]
    return work, fields


def refuse_clashes(work: Work, present: Sequence[str], *, case_sensitive: bool = True) -> None:
    """Raises ValueError if a column to be added already exists."""
    existing = {name if case_sensitive else name.lower() for name in present}
    for name in work.names:
        if (name if case_sensitive else name.lower()) in existing:
            raise ValueError(
                f"there is already a column {name!r}: choose another column_prefix= for the new columns; "
                f"it is now {work.names[0].removesuffix(work.wants[0])!r}"
            )


def look_up(
    table: AnyTable, rows: pyarrow.Array | pyarrow.ChunkedArray, work: Work
) -> list[pyarrow.Array | pyarrow.ChunkedArray]:
    """Returns the columns to add to these rows, in the order of the wants."""
    answer = table.lookup_many(rows, list(work.wants), on_error=work.on_error)
    columns: list[pyarrow.Array | pyarrow.ChunkedArray] = answer.flatten()
    return columns


def _wants(table: AnyTable, add: str | Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(add, str):
        return (add,)
    if add is not None:
        return tuple(add)
    return ("prefix", *(table.columns or ("value",)))


@functools.cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="fingerpost-")


def _folder() -> Path:
    """Returns the temporary folder of this process, which is removed when the process ends."""
    return Path(_temporary_folder().name)


def _link_or_copy(source: Path, target: Path) -> None:
    # A link keeps the old content when a newer image replaces the source. Not every file system has links.
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copyfile(source, target)


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:32]
