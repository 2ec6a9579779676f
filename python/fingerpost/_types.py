"""Names for annotations."""

from __future__ import annotations

from typing import Any, TypeAlias

from fingerpost._core import Table

# Table is invariant in the type of its values: no Table[int] is a Table[object]. So a function that takes tables of all
# values takes Table[Any].
AnyTable: TypeAlias = Table[Any]
"""A table with values of any type, for functions that only look up in it."""
