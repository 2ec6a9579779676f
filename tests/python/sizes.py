"""The amount of work in tests: `make test` runs the minimum that still finds faults, FINGERPOST_TESTS=all (`make
test-all`) more."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")

ALL = os.environ.get("FINGERPOST_TESTS") == "all"


def sized(least: T, more: T) -> T:
    """Returns the size for this run."""
    return more if ALL else least
