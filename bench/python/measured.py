"""Measurements of the benchmark."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Measured:
    """A measurement: operations per second in each turn."""

    name: str
    group: str
    count: int
    work: Callable[[], object]
    rates: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Runs one turn."""
        begun = time.perf_counter()
        self.work()
        self.rates.append(self.count / (time.perf_counter() - begun))

    @property
    def best(self) -> float:
        return max(self.rates)


def each(get: Callable[[str], object], texts: list[str]) -> Callable[[], object]:
    """Returns a function that looks up texts one after the other."""
    return lambda: [get(text) for text in texts]
