"""What pickles of tables call. Their names are part of the pickles: they stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from fingerpost._core import Table

T = TypeVar("T", bound=Table[object])


def new_table(wanted: type[T], values: type[object | int] | Sequence[str], scheme: str | None) -> T:
    """Makes an empty table of a class whose own __init__ may want more arguments."""
    made = wanted.__new__(wanted)
    # The overloads tell kinds of values apart, and here any may come.
    initialise: Callable[..., None] = Table.__init__
    initialise(made, values=values, scheme=scheme)
    return made


def fill_table(table: Table[object], state: tuple[object, ...]) -> None:
    """Gives the table the routes that were pickled."""
    table._set_pickled(state)
