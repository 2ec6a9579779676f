"""Memory does not grow with the number of rows: 2 million, or FINGERPOST_MEMORY_ROWS (docs/results.md: 100 million)."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine_rows import collect_streaming
from frame_rows import prefixes, texts
from sizes import sized

import fingerpost
import fingerpost.duckdb
import fingerpost.polars
from fingerpost.polars import lookup

ROWS = int(os.environ.get("FINGERPOST_MEMORY_ROWS", sized(2_000_000, 20_000_000)))
BATCH = 50_000
# A leak of a byte in each of 100 million rows, and of 48 bytes in each of 2 million, exceeds it. Buffers of Polars vary.
ALLOWED = 90 << 20


@cache
def shared_table() -> fingerpost.Table[Any]:
    rows = ((prefix, (f"owner {row}" if row % 5 else None, row)) for row, prefix in enumerate(prefixes(2000)))
    return fingerpost.Table(rows, values={"owner": str, "asn": int})


@cache
def batch() -> list[str | None]:
    return texts(BATCH)


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 10 batches, in row groups of one batch."""
    path = tmp_path_factory.mktemp("memory") / "rows.parquet"
    pq.write_table(pa.table({"ip": pa.array(batch() * 10, pa.string())}), path, row_group_size=BATCH)
    return path


def memory(what: str) -> int:
    """Returns a size from the status of this process: VmRSS, or its maximum VmHWM."""
    line = re.search(rf"{what}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert line is not None
    return int(line[1]) << 10


def assert_steady(work: Callable[[int], object]) -> None:
    """Calls work(batches) for 1/10 of the rows, then for all of them, and asserts that memory grows little."""
    batches = ROWS // BATCH
    work(batches // 10)
    gc.collect()
    before = memory("VmRSS")
    # Resets VmHWM.
    Path("/proc/self/clear_refs").write_text("5")
    work(batches)
    growth = memory("VmHWM") - before
    print(f"{ROWS:,} rows: {before / 1e6:.0f} MB, and at most {growth / 1e6:.1f} MB more")
    assert growth < ALLOWED


def test_lists() -> None:
    def look_up(batches: int) -> None:
        for _ in range(batches):
            shared_table().lookup_many(batch(), ["owner", "asn", "prefix"])

    assert_steady(look_up)


@pytest.mark.parametrize("kind", ["numpy", "utf8", "utf8_view", "dictionary"])
def test_columns(kind: str) -> None:
    text = pa.array(batch(), pa.string())
    columns = {
        "numpy": np.arange(BATCH, dtype=np.uint32) + (10 << 24),
        "utf8": text,
        "utf8_view": pa.array(batch(), pa.string_view()),
        "dictionary": text.dictionary_encode(),
    }
    look_up_many: Callable[..., object] = shared_table().lookup_many

    def look_up(batches: int) -> None:
        for _ in range(batches):
            look_up_many(columns[kind], ["owner", "asn", "prefix"])

    assert_steady(look_up)


@pytest.mark.skipif(
    tuple(int(part) for part in pl.__version__.split(".")[:2]) < (1, 31), reason="its streams had larger buffers"
)
def test_polars_streaming(parquet: Path) -> None:
    def query(batches: int) -> None:
        rows = pl.scan_parquet([parquet] * max(1, batches // 10))
        answer = lookup("ip", shared_table(), ["owner", "asn"]).alias("answer")
        grouped = rows.select(answer).unnest("answer").group_by("owner").agg(pl.len(), pl.col("asn").max())
        result = collect_streaming(grouped)
        assert result["len"].sum() == max(1, batches // 10) * 10 * BATCH

    assert_steady(query)


@pytest.mark.parametrize("volatile", [False, True])
def test_duckdb(volatile: bool, parquet: Path) -> None:
    """Volatile functions are in Python, others native from DuckDB 2 on."""
    con = duckdb.connect()
    fingerpost.duckdb.register(con, shared_table(), volatile=volatile)

    def query(batches: int) -> None:
        files = [str(parquet)] * max(1, batches // 10)
        grouped = (
            "SELECT lpm_owner(ip) AS owner, count(*), max(lpm_asn(ip)) FROM read_parquet(?) GROUP BY ALL"
        )
        assert sum(row[1] for row in con.execute(grouped, [files]).fetchall()) == len(files) * 10 * BATCH

    with con:
        assert_steady(query)


def test_enrich(parquet: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"

    def copy(batches: int) -> None:
        sources = [str(parquet)] * max(1, batches // 10)
        report = fingerpost.enrich(sources, out, shared_table(), "ip")
        assert report.rows == len(sources) * 10 * BATCH

    assert_steady(copy)
