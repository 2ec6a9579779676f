#!/usr/bin/env python3
"""Compares the tables and counts of the evaluation's small tools with slow and simple implementations."""

import random
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab"))
sys.dont_write_bytecode = True

from evaluation.tools import coverage, tables


def random_table(draw: random.Random, width: int, count: int) -> list[tuple[int, int]]:
    made = set()
    while len(made) < count:
        length = draw.randrange(width + 1)
        made.add((draw.getrandbits(width) >> (width - length) << (width - length), length))
    return sorted(made)


def trie_of(prefixes: list[tuple[int, int]], width: int) -> set[tuple[int, int]]:
    """Returns the nodes as (bits, depth)."""
    return {(value >> (width - depth), depth) for value, length in prefixes for depth in range(length + 1)}


class Counts(unittest.TestCase):
    def test_nodes_walks_and_coverage_are_those_of_the_plain_trie(self) -> None:
        draw = random.Random(1)
        for _ in range(60):
            width = 10
            prefixes = random_table(draw, width, draw.randrange(1, 40))
            trie = trie_of(prefixes, width)
            nodes = tables.nodes_by_depth(prefixes, width)
            self.assertEqual({depth: n for depth, n in nodes.items() if n}, dict(Counter(depth for _, depth in trie)))
            answered = 0
            for address in range(1 << width):
                depth = max(d for d in range(width + 1) if (address >> (width - d), d) in trie)
                self.assertEqual(tables.walk_depth(prefixes, address, width), depth, (prefixes, address))
                answered += any(address >> (width - length) == value >> (width - length) for value, length in prefixes)
            self.assertEqual(coverage.covered(prefixes, width, 0, (1 << width) - 1), answered)


class Tables(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        draw = random.Random(2)
        lengths = [16] * 40 + [20] * 300 + [24] * 900
        prefixes = {(draw.getrandbits(length) << (32 - length), length) for length in lengths}
        self.table = self.folder / "table.txt"
        tables.write_v4(self.table, prefixes)

    def tool(self, name: str, *words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", f"evaluation.tools.{name}", *words]
        return subprocess.run(command, cwd=ROOT / "lab", capture_output=True, text=True, check=False)

    def test_a_subsample_has_its_size_and_its_share_each_time(self) -> None:
        for more in ([], ["--blocks"]):
            made = [self.folder / "a", self.folder / "b"]
            for path in made:
                self.assertEqual(self.tool("subsample", str(self.table), "200", "60", str(path), *more).returncode, 0)
            self.assertEqual(made[0].read_bytes(), made[1].read_bytes())
            width, prefixes = tables.read(made[0])
            self.assertEqual((width, len(prefixes), sum(length == 24 for _, length in prefixes)), (32, 200, 120))
        self.assertEqual(self.tool("subsample", str(self.table), "9000", "60", str(self.folder / "c")).returncode, 2)

    def test_made_up_routes_lie_below_routes_of_16(self) -> None:
        path = self.folder / "igp"
        done = self.tool("igp_routes", str(self.table), "500", str(path))
        self.assertEqual(done.returncode, 0, done.stderr)
        _, before = tables.read(self.table)
        _, after = tables.read(path)
        new = set(after) - set(before)
        self.assertEqual(len(new), 500)
        short = {value for value, length in before if length == 16}
        self.assertTrue(all(25 <= length <= 32 and value >> 16 << 16 in short for value, length in new))


if __name__ == "__main__":
    unittest.main()
