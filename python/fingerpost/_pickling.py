"""Functions that pickles of tables call. Do not move or rename them: pickles contain their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from fingerpost._core import Table

T = TypeVar("T", bound=Table[object])


def new_table(table_type: type[T], values: type[object | int] | Sequence[str], scheme: str | None) -> T:
    """Creates an empty table of a class whose __init__ may require other arguments."""
    table = table_type.__new__(table_type)
    # The overloads of __init__ distinguish kinds of values, but any kind is possible here.
    initialise: Callable[..., None] = Table.__init__
    initialise(table, values=values, scheme=scheme)
    return table


def fill_table(table: Table[object], state: tuple[object, ...]) -> None:
    """Adds the pickled routes to the table."""
    table._set_pickled(state)


def fill_frozen_table(table: Table[object], state: tuple[object, ...]) -> None:
    """Adds the pickled routes to the table and freezes it."""
    fill_table(table, state)
    table.freeze()
