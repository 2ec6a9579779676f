#!/usr/bin/env python3
"""Reads gigabytes of input with damage in the middle, in bounded memory. For `make test-large`.

- an MRT file of 2 GB: real updates, repeated, with noise between two records and a truncated record in the middle:
  `convert` writes all other rows and reports the offsets of both;
- 2 GB of NDJSON with a line of 2 MiB and noise in the middle: `enrich` writes all other lines and reports these.

Usage: large_input.py [GIGABYTES]       default: 2
"""

import gzip
import os
import resource
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
DATA = Path(os.environ.get("FINGERPOST_DATA") or "../shared/data")
MOST_KIB = 300 * 1024


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"large_input: {words}")


def count_lines(stream, into: list[int]) -> None:
    count = 0
    while block := stream.read(1 << 20):
        count += block.count(b"\n")
    into.append(count)


def run(write: Callable, *words: str) -> tuple[int, int, str, float]:
    """Returns exit code, number of output lines, messages and seconds. `write(stdin)` writes the input."""
    start = time.monotonic()
    child = subprocess.Popen([PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdin and child.stdout and child.stderr
    lines: list[int] = []
    counting = threading.Thread(target=count_lines, args=(child.stdout, lines))
    counting.start()
    write(child.stdin)
    child.stdin.close()
    counting.join()
    said = child.stderr.read().decode(errors="replace")
    return child.wait(), lines[0], said, time.monotonic() - start


def peak_kib() -> int:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def mrt(size: int) -> None:
    stream = gzip.decompress((DATA / "mrt/updates.20100227.1600.gz").read_bytes())
    with tempfile.NamedTemporaryFile() as one:
        one.write(stream)
        one.flush()
        done = subprocess.run([PROGRAM, "convert", one.name], capture_output=True, check=True)
    rows, half = done.stdout.count(b"\n") - 1, size // len(stream) // 2
    first = 12 + struct.unpack_from(">I", stream, 8)[0]

    def write(to) -> None:
        for _ in range(half):
            to.write(stream)
        to.write(b"\xa5" * 1000 + stream + stream[: first - 3])
        for _ in range(half - 1):
            to.write(stream)

    code, lines, said, seconds = run(write, "convert", "-")
    middle = half * len(stream)
    print(f"MRT: {2 * half * len(stream) / 1e6 / seconds:.0f} MB/s, {lines - 1} rows, peak {peak_kib()} KiB")
    want(code == 3, f"MRT: exit {code}: {said}")
    cut = middle + 1000 + len(stream)
    want(f"byte {middle}: " in said and f"byte {cut}: " in said, f"MRT: damage at bytes {middle} and {cut}: {said}")
    # The truncated record may swallow the next one.
    want(0 <= 2 * half * rows - (lines - 1) <= 2, f"MRT: {lines - 1} rows instead of {2 * half * rows}")
    want(peak_kib() < MOST_KIB, f"MRT: {peak_kib()} KiB")


def ndjson(size: int) -> None:
    line = b'{"time":"2026-11-23T12:00:00Z","client":{"ip":"10.%d.%d.7"},"path":"/index.html","agent":"' + b"x" * 100 + b'"}\n'
    block = b"".join(line % (i % 256, i // 256) for i in range(10_000))
    half = size // len(block) // 2

    def write(to) -> None:
        for _ in range(half):
            to.write(block)
        to.write(b'{"client":{"ip":"' + b"y" * (2 << 20) + b'"}}\n{"client":\0\xff}\n{"client":{"ip":"10.1.2"}}\n')
        for _ in range(half):
            to.write(block)

    with tempfile.NamedTemporaryFile("w", suffix=".txt") as table:
        table.write("10.0.0.0/8 a\n10.1.0.0/16 b\n")
        table.flush()
        code, lines, said, seconds = run(write, "enrich", "-t", table.name, "--format", "ndjson", "--field", "client.ip")
    bad = 2 * half * 10_000
    print(f"NDJSON: {bad / seconds / 1e6:.2f} M lines/s, {lines} lines, peak {peak_kib()} KiB")
    want(code == 3, f"NDJSON: exit {code}: {said}")
    for number in range(1, 4):
        want(f"stdin:{bad // 2 + number}: " in said, f"NDJSON: line {bad // 2 + number}: {said}")
    want(bad <= lines <= bad + 3, f"NDJSON: {lines} lines of {bad}")
    want(peak_kib() < MOST_KIB, f"NDJSON: {peak_kib()} KiB")


def main() -> int:
    size = int(float(sys.argv[1] if len(sys.argv) > 1 else "2") * 1e9)
    mrt(size)
    ndjson(size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
