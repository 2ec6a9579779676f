"""What the benchmark measures, and how often a second it was done."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Measured:
    """How often a second something was done, in each turn."""

    name: str
    group: str
    count: int
    work: Callable[[], object]
    rates: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Takes a turn."""
        begun = time.perf_counter()
        self.work()
        self.rates.append(self.count / (time.perf_counter() - begun))

    @property
    def best(self) -> float:
        return max(self.rates)


def each(get: Callable[[str], object], texts: list[str]) -> Callable[[], object]:
    """Returns what asks for one text after the other."""
    return lambda: [get(text) for text in texts]
