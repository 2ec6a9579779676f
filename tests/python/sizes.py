"""How much the tests do: `make test` the least that still finds a fault, FINGERPOST_TESTS=all (`make test-all`) more."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")

ALL = os.environ.get("FINGERPOST_TESTS") == "all"


def sized(least: T, more: T) -> T:
    """Returns the size of this run."""
    return more if ALL else least
