"""Exceptions that say more than their class."""

from __future__ import annotations


class MissingPrefix(KeyError):
    """A table has no route of exactly this prefix, which is `args[0]` as it was given."""

    def __str__(self) -> str:
        return (
            f"{self.args[0]!r}: the table has no route of exactly this prefix; lookup() and match() take an address "
            "and find the longest prefix that contains it"
        )


MissingPrefix.__module__ = "fingerpost"
