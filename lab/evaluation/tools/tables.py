"""Reads and writes tables of prefixes as integers, and counts the nodes of a table's binary trie."""

from __future__ import annotations

import bisect
import bz2
import gzip
import ipaddress
import lzma
import random
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

# The bits of an address as an integer, and the length of the prefix.
Prefix = tuple[int, int]
OPENERS: dict[str, Callable[..., TextIO]] = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}


def read(path: Path) -> tuple[int, list[Prefix]]:
    """Returns the width of the addresses (32 or 128) and the distinct prefixes in order. Lines are `prefix ...`."""
    with OPENERS.get(path.suffix, open)(path, "rt", encoding="ascii") as lines:
        texts = [line.split(None, 1)[0] for line in lines if line.strip() and not line.startswith("#")]
    is_v6 = ":" in texts[0]
    return (128 if is_v6 else 32), sorted({parsed_v6(text) if is_v6 else parsed_v4(text) for text in texts})


def parsed_v4(text: str) -> Prefix:
    address, _, length = text.partition("/")
    a, b, c, d = address.split(".")
    return int(a) << 24 | int(b) << 16 | int(c) << 8 | int(d), int(length)


def parsed_v6(text: str) -> Prefix:
    network = ipaddress.IPv6Network(text)
    return int(network.network_address), network.prefixlen


def text_v4(prefix: Prefix) -> str:
    value, length = prefix
    return f"{value >> 24}.{value >> 16 & 255}.{value >> 8 & 255}.{value & 255}/{length}"


def write_v4(path: Path, prefixes: Iterable[Prefix]) -> None:
    path.write_text("".join(f"{text_v4(prefix)}\n" for prefix in sorted(prefixes)), encoding="ascii")


def common_bits(first: int, other: int, width: int) -> int:
    return width - (first ^ other).bit_length()


def nodes_by_depth(prefixes: list[Prefix], width: int) -> Counter[int]:
    """Returns the number of nodes of the binary trie at each depth, the root at 0. The prefixes must be in order."""
    nodes: Counter[int] = Counter({0: 1})
    before: Prefix | None = None
    for value, length in prefixes:
        shared = 0 if before is None else min(common_bits(value, before[0], width), before[1])
        for depth in range(shared + 1, length + 1):
            nodes[depth] += 1
        before = (value, length)
    return nodes


def walk_depth(prefixes: list[Prefix], address: int, width: int) -> int:
    """Returns the number of address bits that a descent of the binary trie follows.

    The longest common path is the one with the preceding or following prefix in prefix order.
    """
    at = bisect.bisect_right(prefixes, (address, width))
    depth = 0
    if at > 0:
        value, length = prefixes[at - 1]
        depth = min(length, common_bits(value, address, width))
    if at < len(prefixes):
        depth = max(depth, common_bits(prefixes[at][0], address, width))
    return depth


def zipf_addresses(prefixes: list[Prefix], width: int, count: int, seed: int) -> list[int]:
    """Draws addresses like workload zipf: Zipf(1) over addresses below uniformly drawn routes."""
    draw = random.Random(seed)
    population = 1 << 16
    hosts = []
    for _ in range(population):
        value, length = prefixes[draw.randrange(len(prefixes))]
        hosts.append(value | draw.getrandbits(width - length) if length < width else value)
    sums = []
    total = 0.0
    for rank in range(1, population + 1):
        total += 1 / rank
        sums.append(total)
    return [hosts[min(bisect.bisect(sums, draw.random() * total), population - 1)] for _ in range(count)]
