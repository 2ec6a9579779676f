"""Common parts of the Spark and Ray modules: tables as files for the workers, and the functions that workers run.

Workers never receive a pickled Table. They receive its image, a file named by a hash of its content, and each worker
process maps that file once, however many tasks it runs.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import secrets
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from fingerpost import _frames
from fingerpost._core import Table, __version__
from fingerpost._frames import OnError
from fingerpost._types import AnyTable

if TYPE_CHECKING:
    import pyarrow

Result = TypeVar("Result")


@dataclass(frozen=True)
class Work:
    """The instructions for a worker. They are pickled into each task, so they contain only names."""

    image: str  # file name, without a folder
    column: str  # column of addresses, for messages
    want: str | tuple[str, ...]  # argument of lookup_many
    on_error: OnError


def portable(
    function: Callable[..., Result], *arguments: object, hint: str, attached: Sequence[object] = ()
) -> Callable[[object], Result]:
    """Returns a function for workers: it passes the rows and these arguments to a function of this package.

    Workers can unpickle it without this package. It then raises RuntimeError with the worker, its interpreter and the
    command that installs the package; `hint` names another way to provide it.

    attached: more arguments, which the engine pickles, not this function.
    """
    # cloudpickle pickles `run` by value, but classes and functions of this package by name.
    content = pickle.dumps((function, arguments))
    version = __version__

    def run(rows: object) -> Result:
        import pickle

        try:
            function, arguments = pickle.loads(content)
        except (AttributeError, ImportError) as error:
            import platform
            import sys

            raise RuntimeError(
                f"the Python on worker {platform.node()}, {sys.executable}, does not have fingerpost {version} "
                f"({error}). Install it there: {sys.executable} -m pip install fingerpost=={version}. {hint}"
            ) from error
        result: Result = function(rows, *arguments, *attached)
        return result

    run.__name__ = "fingerpost_lookup"
    return run


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
    image: Path, column: str, want: str | tuple[str, ...], on_error: OnError
) -> tuple[Work, pyarrow.DataType]:
    """Returns the instructions for the workers, and the type of their answers: a struct if there are several wants.

    Raises ValueError for unknown wants and for an unknown on_error.
    """
    import pyarrow

    work = Work(image.name, column, want, on_error)
    return work, look_up(open_image(str(image)), pyarrow.array([], pyarrow.utf8()), work).type


def wants_of(image: Path, add: str | Sequence[str] | None) -> tuple[str, ...]:
    """Returns the wants of an enrichment: by default the prefix, and all columns of the table or its value."""
    if isinstance(add, str):
        return (add,)
    if add is not None:
        return tuple(add)
    return ("prefix", *(open_image(str(image)).columns or ("value",)))


def new_names(wants: Sequence[str], column: str, column_prefix: str | None) -> tuple[str, ...]:
    """Returns the names of the added columns."""
    if column_prefix is None:
        column_prefix = f"{column.replace('.', '_')}_"
    return tuple(column_prefix + want for want in wants)


def refuse_clashes(names: Sequence[str], present: Sequence[str], *, case_sensitive: bool = True) -> None:
    """Raises ValueError if a column to be added already exists."""
    existing = {name if case_sensitive else name.lower() for name in present}
    for name in names:
        if (name if case_sensitive else name.lower()) in existing:
            raise ValueError(
                f"there is already a column {name!r}: choose another column_prefix= for the new columns"
            )


def look_up(
    table: AnyTable, rows: pyarrow.Array | pyarrow.ChunkedArray, work: Work
) -> pyarrow.Array | pyarrow.ChunkedArray:
    """Returns the answers for these rows. Several wants return a struct."""
    want = work.want if isinstance(work.want, str) else list(work.want)
    return cast("pyarrow.Array", _frames.look_up(table, rows, want, on_error=work.on_error))


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
