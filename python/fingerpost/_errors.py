"""Exceptions with messages of their own."""

from __future__ import annotations


class MissingPrefix(KeyError):
    """A table has no route with exactly this prefix. `args[0]` is the prefix as the caller passed it."""

    def __str__(self) -> str:
        return (
            f"{self.args[0]!r}: the table has no route with exactly this prefix; use lookup() or match() to find "
            "the longest prefix that contains an address"
        )


MissingPrefix.__module__ = "fingerpost"
