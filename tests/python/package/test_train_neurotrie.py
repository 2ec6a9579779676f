"""The script that fits the learned chooser of `neurotrie`: its numbers are reproducible, and the library can read
them."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "lab" / "training" / "train_neurotrie.py"
HEADER = ROOT / "fingerpost" / "schemes" / "neurotrie" / "learned_weights.hpp"


def write_table(path: Path, seed: int) -> None:
    draw = random.Random(seed)
    prefixes = set()
    while len(prefixes) < 200:
        length = draw.randint(6, 20)
        prefixes.add((draw.getrandbits(length) << (32 - length), length))
    lines = (f"{'.'.join(str(a >> s & 255) for s in (24, 16, 8, 0))}/{n}\n" for a, n in sorted(prefixes))
    path.write_text("".join(lines))


def train(folder: Path, to: str) -> subprocess.CompletedProcess[str]:
    tables = [str(folder / "a.txt"), "--", str(folder / "b.txt")]
    command = [sys.executable, str(SCRIPT), "--write", str(folder / to), *tables]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_same_tables_give_the_same_numbers(tmp_path: Path) -> None:
    write_table(tmp_path / "a.txt", 1)
    write_table(tmp_path / "b.txt", 2)
    runs = [train(tmp_path, to) for to in ("one.cpp", "two.cpp")]
    for run in runs:
        assert run.returncode == 0, run.stderr
    assert runs[0].stdout == runs[1].stdout
    assert "b.txt: 200 routes, least memory" in runs[0].stdout
    written = (tmp_path / "one.cpp").read_text()
    assert written == (tmp_path / "two.cpp").read_text()
    assert "with seed 1, fitted to a." in written
    # The header declares the count of numbers.
    sizes = {name: int(size) for name, size in re.findall(r"size_t (\w+) = (\d+);", HEADER.read_text())}
    declared = re.findall(r"extern const (?:float|double) (\w+)((?:\[\w+\])+);", HEADER.read_text())
    assert len(declared) == 7
    for name, dimensions in declared:
        count = 1
        for size in re.findall(r"\[(\w+)\]", dimensions):
            count *= sizes.get(size) or int(size)
        body = re.search(rf"constinit const \w+ {name}\[.*?= \{{(.*?)\}};", written, re.DOTALL)
        assert body is not None, name
        assert len(re.findall(r"-?\d[\d.]*(?:e[-+]?\d+)?f?", body[1])) == count, name
