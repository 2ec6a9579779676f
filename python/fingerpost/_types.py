"""Names for annotations."""

from __future__ import annotations

from typing import Any, TypeAlias

from fingerpost._core import Table

# Table is invariant in the type of its values: a Table[int] is not a Table[object]. Functions that accept tables of
# any values therefore take Table[Any].
AnyTable: TypeAlias = Table[Any]
"""A table with values of any type, for functions that only read it."""
