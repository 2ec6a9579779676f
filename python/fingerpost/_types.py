"""Names for annotations."""

from __future__ import annotations

from typing import Any, TypeAlias

from fingerpost._core import Table

# A table is a mutable mapping, so Table[object] is another type than Table[int]. A function that only reads a table takes any.
AnyTable: TypeAlias = Table[Any]
"""A table of values of any type: what functions take that look addresses up and change nothing."""
