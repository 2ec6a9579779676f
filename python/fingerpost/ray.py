"""Longest-prefix match for Ray Data.

>>> import ray
>>> import fingerpost.ray
>>> table = fingerpost.Table({"10.0.0.0/8": "office", "2001:db8::/32": "lab"})
>>> flows = fingerpost.ray.enrich(ray.data.read_parquet("flows.parquet"), table, "src")

The package fingerpost must be installed on all nodes, by the image of the cluster or by `runtime_env`.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import tempfile
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pyarrow
import pyarrow.compute
import ray

from fingerpost import _cluster
from fingerpost._frames import OnError
from fingerpost._types import AnyTable

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["enrich"]


# When a node stores a new image, it removes images that have not been used for this long.
_UNUSED_SECONDS = 24 * 3600

_WITHOUT_PIP = "Or let Ray install it: ray.init(runtime_env={'pip': ['fingerpost']})"


def enrich(
    dataset: Dataset,
    table: AnyTable | str | os.PathLike[str],
    column: str,
    *,
    add: str | Sequence[str] | None = None,
    column_prefix: str | None = None,
    on_error: OnError = "null",
    concurrency: int | None = None,
) -> Dataset:
    """Adds columns to each row from the longest prefix of the table that contains an address.

    dataset: its blocks are passed as Arrow tables. All columns and rows are kept, in order.
    table: a Table, or the path of an image on this machine. Its image is put into the object store once per job.
        Each node fetches it once and keeps it as a file in its temporary folder, and each worker process maps that
        file once. Rows are looked up in the current state of the table: later changes have no effect.
    column: the name of the column with the addresses, or the path of a field in structs: `src.ip`. They are strings,
        binary of 4 or 16 bytes in network order, uint32 (an IPv4 address as a number), or dictionaries of these.
    add: the columns to add: "prefix" (the match, as text), "length" (of the match), "value", "index" (the number of the
        value in the table), the name of a column of the table, or a list of these. The default is the prefix and all
        columns of the table, or its value if it has no columns.
    column_prefix: the start of the names of new columns; by default the name of the column and `_`: `src_prefix`, and
        `src_ip_prefix` for a field.
    on_error: with "null" the new columns are null for a bad address; with "raise" the run fails, and the error shows
        the first bad address.
    concurrency: maximum number of concurrent tasks; by default as many as the cluster can run.

    Types of the new columns: utf8; uint8 for "length"; uint32 for "index" and the value of integer tables; int64,
    double, bool or utf8 for columns of the table, according to their types; and a struct for the value of tables with
    several columns. They are null for null addresses, bad ones and those without a route.

    Returns a new dataset. Nothing is looked up until its rows are needed.

    Raises ValueError for an unknown `add`, TypeError for a table that cannot be saved as an image (without columns or
    values=int, all values must be str), and OSError or fingerpost.Error for an image that cannot be opened. Raises
    ValueError if there is no such column or a new name already exists, and TypeError if the column has another type. If
    the schema of the dataset is not known yet (for pandas blocks only the names are), these two make the run fail.
    """
    if not isinstance(column, str):
        raise TypeError(f"column= takes the name of a column, not {type(column).__name__}")
    image = _cluster.image_of(table)
    wants = _cluster.wants_of(image, add)
    work, _ = _cluster.plan(image, column, wants, on_error)
    names = _cluster.new_names(wants, column, column_prefix)
    schema = dataset.schema(fetch_if_missing=False)
    if schema is not None and isinstance(schema.base_schema, pyarrow.Schema):
        _with_answers(schema.base_schema.empty_table(), _cluster.open_image(str(image)), work, names)
    elif schema is not None:  # blocks of pandas have no types before their conversion
        _check(column, names, schema.names)
    task = _cluster.portable(_add_columns, work, names, hint=_WITHOUT_PIP, attached=[_put(image)])
    return dataset.map_batches(task, batch_size=None, batch_format="pyarrow", concurrency=concurrency)


class _Content:
    """The bytes of an image in the object store, which frees them with the last dataset that uses them."""

    def __init__(self, path: Path) -> None:
        self.reference = ray.put(numpy.fromfile(path, dtype=numpy.uint8))

    def __reduce__(self) -> tuple[object, ...]:
        # Workers receive a tuple with the reference, because they may not be able to import this class.
        return tuple, ((self.reference,),)


# By job and name of the image. The name depends on the content only, so equal tables are stored once.
_contents: weakref.WeakValueDictionary[tuple[str, str], _Content] = weakref.WeakValueDictionary()


def _put(image: Path) -> _Content:
    key = (ray.get_runtime_context().get_job_id(), image.name)
    content = _contents.get(key)
    if content is None:
        content = _contents[key] = _Content(image)
    return content


def _add_columns(
    batch: pyarrow.Table, work: _cluster.Work, names: tuple[str, ...], content: tuple[ray.ObjectRef]
) -> pyarrow.Table:
    """Returns the batch with the columns added. Runs in the workers."""
    table = _cluster.open_image(str(_image_on_node(work.image, content[0])))
    return _with_answers(batch, table, work, names)


def _with_answers(
    batch: pyarrow.Table, table: AnyTable, work: _cluster.Work, names: tuple[str, ...]
) -> pyarrow.Table:
    """Returns the batch with the columns added. Errors name the column of addresses."""
    _check(work.column, names, batch.column_names)
    name, *path = _path(work.column, batch.column_names)
    try:
        rows = pyarrow.compute.struct_field(batch.column(name), path) if path else batch.column(name)
        answers = _cluster.look_up(table, rows, work)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"column {work.column!r}: {error}") from error
    for new, values in zip(names, answers.flatten(), strict=True):
        batch = batch.append_column(new, values)
    return batch


def _check(column: str, names: Sequence[str], present: Sequence[str]) -> None:
    if _path(column, present)[0] not in present:
        raise ValueError(f"there is no column {column!r}; the columns are {', '.join(present)}")
    _cluster.refuse_clashes(names, present)


def _path(column: str, present: Sequence[str]) -> list[str]:
    """Returns the name of the column of addresses, or those of a column of structs and of the fields in it."""
    return [column] if column in present else column.split(".")


def _image_on_node(name: str, content: ray.ObjectRef) -> Path:
    """Returns the path of the image on this node. The first process writes the file, the others wait for it."""
    folder = _folder_of_node()
    path = folder / name
    try:
        os.utime(path)  # marks it as in use
        return path
    except FileNotFoundError:
        pass
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            _remove_unused(folder)
            fresh = folder / f"{secrets.token_hex(8)}.new"
            ray.get(content).tofile(fresh)
            fresh.replace(path)
    return path


def _folder_of_node() -> Path:
    """Returns a folder that only this user can write to, so files mapped from there can be trusted."""
    folder = Path(tempfile.gettempdir()) / f"fingerpost-ray-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise PermissionError(f"{folder} must be a folder that only user {os.getuid()} can access")
    return folder


def _remove_unused(folder: Path) -> None:
    # A process that has mapped a file keeps its contents after the file is deleted.
    for path in folder.iterdir():
        if path.name != "lock" and path.stat().st_mtime < time.time() - _UNUSED_SECONDS:
            path.unlink()
