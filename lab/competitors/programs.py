"""The competitors, and a running competitor: it builds its table once and then looks up addresses in rounds on request."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

# The slowest competitor takes half a minute to build and check the largest tables.
MOST_SECONDS = 600


class FailedError(Exception):
    """A competitor exited or printed something unexpected."""


@dataclass(frozen=True)
class Competitor:
    """A package with a function that finds the longest match."""

    name: str
    language: str
    # Its name in its program.
    argument: str
    # 0 means any number. With more routes, building takes minutes, for the reason in words.
    most_routes: int = 0
    why_not_more: str = ""

    def refusal(self, routes: int) -> str:
        """Returns why a table is too large, or an empty string."""
        if not self.most_routes or routes <= self.most_routes:
            return ""
        return f"not tried with more than {self.most_routes:,} routes: {self.why_not_more}"


# Competitors that start slowly come last, so that all others get their turns within the budget.
COMPETITORS = (
    Competitor("bart Table", "Go", "Table"),
    Competitor("bart Fast", "Go", "Fast"),
    Competitor("prefix-trie", "Rust", "prefix-trie"),
    Competitor("iptrie LC-trie", "Rust", "iptrie LC-trie"),
    Competitor("iptrie Patricia", "Rust", "iptrie Patricia"),
    Competitor("ip_network_table", "Rust", "ip_network_table"),
    Competitor("pytricia", "Python", "pytricia"),
    Competitor("py-radix", "Python", "py-radix"),
    Competitor("maxminddb", "Python", "maxminddb"),
    Competitor(
        "poptrie crate",
        "Rust",
        "poptrie",
        250_000,
        "the time of its insert() grows with the routes, 17 s for 160,147 in all",
    ),
)
# packed_leaves in the same form. Its program also has rounds of batches.
BASELINE = Competitor("packed_leaves", "C", "packed_leaves")
# Returns the command of a competitor's program. Raises MissingError.
Build = Callable[[Competitor], list[str]]


def chosen(names: list[str]) -> list[Competitor]:
    """Returns the competitors with these names or languages, or all without a name. Raises ValueError."""
    if not names:
        return list(COMPETITORS)
    known = {word.lower() for entry in COMPETITORS for word in (entry.name, entry.language)}
    for name in names:
        if name.lower() not in known:
            raise ValueError(f"no competitor {name!r}; there are: {', '.join(entry.name for entry in COMPETITORS)}")
    requested = {name.lower() for name in names}
    return [entry for entry in COMPETITORS if requested & {entry.name.lower(), entry.language.lower()}]


class Running:
    """A program that has built its table and checked every answer. `facts` is its report."""

    def __init__(self, command: list[str], cpu: int) -> None:
        self.command = command
        # Unbuffered binary pipes, because each line is requested and answered separately.
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.stdin, self.stdout, self.stderr = self.process.stdin, self.process.stdout, self.process.stderr
        try:
            self.facts = self.answer()
            # The first thread does the lookups. Others, such as a garbage collector's, may run anywhere.
            with contextlib.suppress(OSError):
                os.sched_setaffinity(self.process.pid, {cpu})
        except BaseException:
            self.close()
            raise

    def round(self, call: str, ms: float) -> float:
        """Returns the millions of lookups per second of one round."""
        try:
            self.stdin.write(f"{call} {ms:g}\n".encode())
        except OSError:
            pass
        return float(self.answer()["mlps"])

    def answer(self) -> dict[str, Any]:
        line = b""
        give_up = time.monotonic() + MOST_SECONDS
        with selectors.DefaultSelector() as ready:
            ready.register(self.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not ready.select(max(give_up - time.monotonic(), 0)):
                    raise FailedError(f"no answer for {MOST_SECONDS} s")
                got = self.stdout.read(4096)
                if not got:
                    raise FailedError(self.last_words())
                line += got
        try:
            reply: dict[str, Any] = json.loads(line)
        except ValueError:
            raise FailedError(f"not understood: {line.decode(errors='replace').strip()}") from None
        return reply

    def last_words(self) -> str:
        messages = self.stderr.read().decode(errors="replace").strip().splitlines()
        status = self.process.wait()
        return messages[-1] if messages else f"ended with {status}"

    def close(self) -> None:
        self.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.stdout.close()
        self.stderr.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
