"""Measurements of the benchmark."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Measured:
    """A measurement: operations in each turn, per second of CPU time of all threads, or of another clock."""

    name: str
    group: str
    count: int
    work: Callable[[], object]
    clock: Callable[[], float] = time.process_time
    rates: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Runs one turn."""
        start = self.clock()
        self.work()
        self.rates.append(self.count / (self.clock() - start))

    @property
    def best(self) -> float:
        return max(self.rates)


def each(get: Callable[[str], object], texts: list[str]) -> Callable[[], object]:
    """Returns a function that looks up texts one after the other."""
    return lambda: [get(text) for text in texts]


def ratios(measured: list[Measured]) -> dict[tuple[str, str], float]:
    """Returns the speed of each measurement relative to the fastest of its group without fingerpost, by group and name.

    Only groups with both kinds have ratios.
    """
    fastest: dict[str, float] = {}
    for entry in measured:
        if not entry.name.startswith("fingerpost"):
            fastest[entry.group] = max(fastest.get(entry.group, 0.0), entry.best)
    ours = {entry.group for entry in measured if entry.name.startswith("fingerpost")}
    return {
        (entry.group, entry.name): entry.best / fastest[entry.group]
        for entry in measured
        if entry.group in ours & fastest.keys()
    }
