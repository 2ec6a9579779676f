"""The tables of enrich(): opened by their paths, and named."""

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
    """What is read of files of tables, and how."""

    family: Family | None = None
    strict: bool = False
    scheme: str | None = None

    def is_usual(self) -> bool:
        """Returns whether nothing was chosen."""
        return self == TableChoice()


def open_tables(
    tables: Tables, choice: TableChoice | None = None, tell: Callable[[str], None] = lambda message: None
) -> dict[str, AnyTable]:
    """Returns the tables by name; files are opened. tell: is called with what there is to say of them."""
    if isinstance(tables, (str, os.PathLike)):
        tables = {table_name(os.fspath(tables)): tables}
    elif isinstance(tables, Table):
        tables = {"table": tables}
    if not isinstance(tables, Mapping):
        raise TypeError(
            "tables= takes a fingerpost.Table, the path of one, or a dict of these by name, not "
            f"{type(tables).__name__}"
        )
    if not tables:
        raise ChoiceError("enrich needs a table")
    return {name: _open_table(one, choice or TableChoice(), tell) for name, one in tables.items()}


def table_name(path: str) -> str:
    """Returns the name that a table has by its file: up to the first dot."""
    if path == "-":
        return "stdin"
    name = os.path.basename(path)
    return name[: max(name.find("."), 1)] if "." in name else name


def _open_table(table: AnyTable | Path, choice: TableChoice, tell: Callable[[str], None]) -> AnyTable:
    if isinstance(table, Table):
        if not choice.is_usual():
            raise ChoiceError(
                "family=, strict= and scheme= are for tables from files, not for a fingerpost.Table"
            )
        return table
    is_image = False
    if os.path.isfile(table):
        # Images are mapped; copying them would take memory.
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
    """Raises ChoiceError if the scheme does not serve a family of which there are routes."""
    default = Table[Any]().scheme
    served = Table[Any](scheme=scheme)
    for family, name, other in (("ipv4", "IPv4", 6), ("ipv6", "IPv6", 4)):
        # A family that a scheme does not serve has the default one.
        serves = scheme == default or _fact(served, family, "scheme") != default
        if not serves and _fact(table, family, "routes") != 0:
            raise ChoiceError(
                f"--scheme: {scheme} does not serve {name}; use --family {other} to ignore these routes"
            )


def _fact(table: AnyTable, family: str, name: str) -> object:
    facts = table.stats()[family]
    return facts[name] if isinstance(facts, dict) else None
