"""lookup_many of chunked dictionaries: entries that several chunks share are looked up once."""

from __future__ import annotations

import subprocess
import sys

import pytest
import vector_rows as v
from sizes import sized

from fingerpost import Report

pa = pytest.importorskip("pyarrow")

# A lookup keeps the answers for dictionary entries until it ends. For a million entries they take 5 MB when computed
# once, and 2.5 GB when computed for each chunk.
MEMORY = """
import sys
import numpy
import pyarrow as pa
import fingerpost

def peak():
    status = open("/proc/self/status").read().split()
    return int(status[status.index("VmHWM:") + 1]) * 1024

count = int(sys.argv[2])
layout = {"utf8": pa.string(), "utf8_view": pa.string_view(), "fixed": pa.binary(4)}[sys.argv[1]]
if sys.argv[1] == "fixed":
    bytes_of_entries = numpy.arange(count, dtype="u4") + (10 << 24)
    entries = pa.Array.from_buffers(layout, count, [None, pa.py_buffer(bytes_of_entries.astype(">u4"))])
else:
    entries = pa.array([f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}" for i in range(count)], layout)
indices = pa.array(numpy.arange(500, dtype="int32"))
chunks = [pa.DictionaryArray.from_arrays(indices.slice(i, 1), entries) for i in range(500)]
column = pa.chunked_array(chunks)
table = fingerpost.Table({"10.0.0.0/9": 1, "10.0.0.100/32": 2}, values=int)
table.lookup_many(pa.chunked_array(chunks[:1]))
before = peak()
found = table.lookup_many(column)
assert found.to_pylist() == [1] * 100 + [2] + [1] * 399
assert found.num_chunks == 500
print(peak() - before)
"""


@pytest.mark.parametrize("layout", ["utf8", "utf8_view", "fixed"])
def test_entries_are_looked_up_once(layout: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, layout, str(sized(1 << 18, 1 << 20))], capture_output=True, check=True
    )
    assert int(done.stdout) < 100_000_000


def test_dictionaries_that_look_alike_stay_apart() -> None:
    table = v.integers()
    texts = pa.array(["10.1.9.9", "10.1.2.9", "x", None, "192.0.2.1", "8.8.8.8"])
    # Texts of equal length in one buffer, which differ only in where they begin.
    parts = [texts.slice(0, 3), texts.slice(3, 3), texts.slice(0, 3), texts.slice(0, 2), texts.slice(1, 2)]
    indices = pa.array([0, 1, None, 2], pa.int8())
    chunks = [pa.DictionaryArray.from_arrays(indices, part, safe=False) for part in parts]
    report = Report()
    found = table.lookup_many(pa.chunked_array(chunks), report=report)
    assert [part.to_pylist() for part in found.chunks] == [
        [2, 0, None, None],
        [None, 2**32 - 2, None, None],
        [2, 0, None, None],
        [2, 0, None, None],
        [0, None, None, None],
    ]
    assert (report.rows, report.nulls, report.bad) == (20, 6, 5)
    assert [row for row, _, _ in report.first_bad] == [3, 11, 15, 17, 19]
