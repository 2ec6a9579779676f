"""The views that Table.keys(), values() and items() return. Each iteration uses a snapshot of the routes."""

from __future__ import annotations

from collections.abc import ItemsView as _ItemsView
from collections.abc import Iterator
from collections.abc import KeysView as _KeysView
from collections.abc import ValuesView as _ValuesView
from typing import TypeVar

import fingerpost

V = TypeVar("V")


class KeysView(_KeysView[str]):
    """The prefixes of a table, as str."""

    _mapping: fingerpost.Table[object]

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._mapping)

    def __repr__(self) -> str:
        return f"<keys of {self._mapping!r}>"


class ValuesView(_ValuesView[V]):
    """The values of a table, in the order of its prefixes."""

    _mapping: fingerpost.Table[V]

    def __iter__(self) -> Iterator[V]:
        return self._mapping._iterate_values()

    def __reversed__(self) -> Iterator[V]:
        return self._mapping._iterate_values(reverse=True)

    def __contains__(self, value: object) -> bool:
        return any(item is value or item == value for item in self)

    def __repr__(self) -> str:
        return f"<values of {self._mapping!r}>"


class ItemsView(_ItemsView[str, V]):
    """The pairs (prefix, value) of a table."""

    _mapping: fingerpost.Table[V]

    def __iter__(self) -> Iterator[tuple[str, V]]:
        return self._mapping._iterate_items()

    def __reversed__(self) -> Iterator[tuple[str, V]]:
        return self._mapping._iterate_items(reverse=True)

    def __repr__(self) -> str:
        return f"<items of {self._mapping!r}>"
