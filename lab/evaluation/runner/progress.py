"""Prints on stderr what has been measured and how many seconds remain, one line per case."""

from __future__ import annotations

import sys
from typing import TextIO


class Progress:
    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self.total = total
        self.done = 0
        self.stream = stream or sys.stderr

    def say(self, words: str) -> None:
        print(f"evaluation: {words}", file=self.stream, flush=True)

    def case(self, name: str, number: int, outcome: str, seconds: float, load: float | None, left: float) -> None:
        self.done += 1
        beside = "" if load is None else f", {load:.2f} CPUs busy beside it"
        more = f" (pass {number})" if number > 1 else ""
        self.say(f"[{self.done}/{max(self.total, self.done)}] {name}{more}: {outcome} in {seconds:.1f} s{beside}; about {left:.0f} s left")
