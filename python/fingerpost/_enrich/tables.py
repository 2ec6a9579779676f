"""Opens and names the tables of enrich()."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fingerpost._core import Table
from fingerpost._enrich.types import ChoiceError, Family, Path, Tables
from fingerpost._reports import TableWarning
from fingerpost._types import AnyTable


@dataclass
class TableChoice:
    """Options for reading files of tables."""

    family: Family | None = None
    strict: bool = False
    scheme: str | None = None

    def is_default(self) -> bool:
        """Returns whether all options have their defaults."""
        return self == TableChoice()


def open_tables(
    tables: Tables, choice: TableChoice | None = None, tell: Callable[[str], None] = lambda message: None
) -> dict[str, AnyTable]:
    """Opens the files and returns the tables by name. `tell` receives each warning."""
    if isinstance(tables, (str, os.PathLike)):
        tables = {table_name(os.fspath(tables)): tables}
    elif isinstance(tables, Table):
        tables = {"table": tables}
    if not isinstance(tables, Mapping):
        raise TypeError(
            "tables= takes a fingerpost.Table, a path, or a dict of these by name, not "
            f"{type(tables).__name__}"
        )
    if not tables:
        raise ChoiceError("enrich needs a table")
    return {name: _open_table(table, choice or TableChoice(), tell) for name, table in tables.items()}


def table_name(path: str) -> str:
    """Returns the name of a table in a file: the file name up to the first dot."""
    if path == "-":
        return "stdin"
    name = os.path.basename(path)
    return name[: max(name.find("."), 1)] if "." in name else name


def _open_table(table: AnyTable | Path, choice: TableChoice, tell: Callable[[str], None]) -> AnyTable:
    if isinstance(table, Table):
        if not choice.is_default():
            raise ChoiceError(
                "family=, strict= and scheme= are for tables from files, not for a fingerpost.Table"
            )
        return table
    is_image = False
    if os.path.isfile(table):
        # Map images, because copying them would take memory.
        with open(table, "rb") as file:
            is_image = file.read(4) == b"\x89FPI"
    if is_image and choice.family is None and choice.scheme is None:
        return Table.open(table)
    if choice.scheme is not None:
        _refuse_unknown_scheme(choice.scheme)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        opened = Table.from_file(table, strict=choice.strict, family=choice.family, scheme=choice.scheme)
    for message in opened.report.messages if opened.report is not None else ():
        tell(message)
    if choice.scheme is not None:
        _refuse_other_family(opened, choice.scheme)
    return opened


def _refuse_unknown_scheme(name: str) -> None:
    try:
        Table(scheme=name)
    except ValueError as error:
        raise ChoiceError(f"--scheme: {error}") from None


def _refuse_other_family(table: AnyTable, scheme: str) -> None:
    """Raises ChoiceError if the table has routes of a family that the scheme does not support."""
    default = Table[Any]().scheme
    with_scheme = Table[Any](scheme=scheme)
    for family, name, other in (("ipv4", "IPv4", 6), ("ipv6", "IPv6", 4)):
        # Families that the scheme does not support use the default scheme.
        is_supported = scheme == default or _fact(with_scheme, family, "scheme") != default
        if not is_supported and _fact(table, family, "routes") != 0:
            raise ChoiceError(
                f"--scheme: {scheme} does not serve {name}; use --family {other} to ignore these routes"
            )


def _fact(table: AnyTable, family: str, name: str) -> object:
    facts = table.stats()[family]
    return facts[name] if isinstance(facts, dict) else None
