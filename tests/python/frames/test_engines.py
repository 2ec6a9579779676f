"""One table and one column of addresses in all engines: the same answers, with the same types, as an oracle's.

tests/python/cluster/test_cluster_engines.py does the same with Spark and Ray.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine_rows import (
    NETWORKS,
    ROWS,
    TYPES,
    WANTS,
    Columns,
    address_in,
    assert_equal,
    collect_streaming,
    oracle,
    shared_table,
)

import fingerpost
import fingerpost.duckdb
import fingerpost.pandas
import fingerpost.polars

Texts = Sequence[str | None]

PROGRAM = os.environ.get("FINGERPOST", "")
EXTENSION = Path(__file__).parents[3] / "build" / "fingerpost.duckdb_extension"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("engines") / "table.image"
    shared_table().save(path)
    return path


def of_struct(answer: pa.Array | pa.ChunkedArray) -> Columns:
    return dict(zip(WANTS, (part.to_pylist() for part in answer.flatten()), strict=True))


def test_the_oracle_has_all_kinds_of_rows() -> None:
    for want in WANTS:
        assert 0 < oracle()[want].count(None) < len(ROWS)
    assert {network.version for network in NETWORKS} == {4, 6}
    assert sum(text is None or address_in(text) is None for text in ROWS) > len(ROWS) // 20


def test_lists_and_numpy(image: Path) -> None:
    for table in (shared_table(), fingerpost.open(image)):
        assert_equal(table.lookup_many(list(ROWS), WANTS))
        objects = table.lookup_many(np.array(ROWS, dtype=object), WANTS)
        lengths = [None if length == -1 else int(length) for length in objects["length"]]
        assert_equal({**{want: list(cells) for want, cells in objects.items()}, "length": lengths})


def test_single_lookups() -> None:
    def match(text: str | None) -> tuple[str | None, dict[str, object]]:
        try:
            return (shared_table().match(text) if text is not None else None) or (None, {})
        except ValueError:
            return None, {}

    found = [match(text) for text in ROWS]
    answers = {name: [row.get(name) for _, row in found] for name in TYPES}
    answers["prefix"] = [prefix for prefix, _ in found]
    answers["length"] = [prefix and int(prefix.split("/")[1]) for prefix, _ in found]
    assert_equal(answers)


ARROW_COLUMNS: dict[str, Callable[[Texts], pa.Array | pa.ChunkedArray]] = {
    "utf8": lambda rows: pa.array(rows, pa.string()),
    "large_utf8": lambda rows: pa.array(rows, pa.large_string()),
    "utf8_view": lambda rows: pa.array(rows, pa.string_view()),
    "dictionary": lambda rows: pa.array(rows, pa.string()).dictionary_encode(),
    "chunks": lambda rows: pa.chunked_array([rows[:7], [], rows[7:1000], rows[1000:]], pa.string()),
    "slice": lambda rows: pa.array([None, "x", *rows, "y"], pa.string()).slice(2, len(rows)),
}


@pytest.mark.parametrize("kind", ARROW_COLUMNS)
def test_pyarrow(kind: str) -> None:
    assert_equal(of_struct(shared_table().lookup_many(ARROW_COLUMNS[kind](ROWS), WANTS)))


@pytest.mark.parametrize("dtype", ["object", "string[python]", "string[pyarrow]", "arrow", "category"])
def test_pandas(dtype: str) -> None:
    rows = pd.Series(ROWS, dtype=pd.ArrowDtype(pa.string()) if dtype == "arrow" else dtype)
    answers = fingerpost.pandas.lookup(rows, shared_table(), WANTS)
    assert_equal(
        {want: [None if pd.isna(cell) else cell for cell in answers[want].tolist()] for want in WANTS}
    )
    frame = fingerpost.pandas.join_lpm(pd.DataFrame({"ip": rows}), shared_table(), prefix="prefix")
    wants = [*TYPES, "prefix"]
    assert_equal(
        {want: [None if pd.isna(cell) else cell for cell in frame[want].tolist()] for want in wants}, wants
    )


@pytest.mark.parametrize("engine", ["eager", "lazy", "streaming"])
@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_polars(engine: str, dtype: Any) -> None:
    frame = pl.DataFrame({"ip": pl.Series(ROWS, dtype=pl.String).cast(dtype)})
    expression = fingerpost.polars.lookup("ip", shared_table(), WANTS).alias("answer")
    if engine == "eager":
        answers = frame.select(expression).unnest("answer")
    else:
        lazy = frame.lazy().select(expression).unnest("answer")
        answers = lazy.collect() if engine == "lazy" else collect_streaming(lazy)
    assert_equal(answers.to_dict(as_series=False))


def of_duckdb(con: duckdb.DuckDBPyConnection, name: str = "lpm") -> Columns:
    con.execute("CREATE TABLE hits (row INTEGER, ip VARCHAR)")
    con.execute("INSERT INTO hits SELECT row, ip FROM texts")
    calls = ", ".join(f"{name}_{want}(ip)" for want in WANTS)
    cells = con.execute(f"SELECT {calls} FROM hits ORDER BY row").fetchall()
    return dict(zip(WANTS, map(list, zip(*cells, strict=True)), strict=True))


@pytest.mark.parametrize("way", ["in memory", "volatile", "file", "extension"])
def test_duckdb(way: str, tmp_path: Path, image: Path) -> None:
    """In memory, functions are native from DuckDB 2 on; volatile ones, and those in a file, are in Python."""
    path = str(tmp_path / "hits.duckdb") if way == "file" else ":memory:"
    con = duckdb.connect(path, config={"allow_unsigned_extensions": "true"} if way == "extension" else {})
    if way == "extension":
        if not EXTENSION.exists():
            pytest.skip(f"{EXTENSION} is not built (make duckdb-extension)")
        if duckdb.__version__ < "1.2":
            pytest.skip("DuckDB 1.2 is the first with this interface")
        con.execute(f"LOAD '{EXTENSION}'")
        for (statement,) in con.execute("FROM fingerpost_macros(?, 'lpm')", [str(image)]).fetchall():
            con.execute(statement)
    else:
        fingerpost.duckdb.register(con, shared_table(), volatile=way == "volatile")
    con.register("texts", pa.table({"row": range(len(ROWS)), "ip": pa.array(ROWS, pa.string())}))
    with con:
        assert_equal(of_duckdb(con))


FILE_WANTS = ["prefix", *TYPES]


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
def test_enrich_and_its_command(kind: str, tmp_path: Path, image: Path) -> None:
    source, by_call, by_command = (tmp_path / f"{name}.{kind}" for name in ("in", "call", "command"))
    write(pa.table({"ip": pa.array(ROWS, pa.string())}), source)
    fingerpost.enrich(source, by_call, shared_table(), "ip")
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "fingerpost",
        "enrich",
        "-t",
        image,
        "--field",
        "ip",
        "--output",
        by_command,
        source,
    ]
    assert subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 3
    for path in (by_call, by_command):
        answers = read(path)
        assert answers.pop("ip") == ROWS
        assert_equal(answers, FILE_WANTS)


def write(rows: pa.Table, path: Path) -> None:
    if path.suffix == ".parquet":
        pq.write_table(rows, path, row_group_size=1000)
        return
    new = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
    with new(path, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=700)


def read(path: Path) -> Columns:
    if path.suffix == ".parquet":
        return dict(pq.read_table(path).to_pydict())
    source = pa.ipc.open_file(path) if path.suffix == ".arrow" else pa.ipc.open_stream(path)
    return dict(source.read_all().to_pydict())


@pytest.mark.skipif(not PROGRAM, reason="FINGERPOST is the path of the program")
def test_ndjson_in_the_program(tmp_path: Path, image: Path) -> None:
    source = tmp_path / "rows.ndjson"
    source.write_text("".join(json.dumps({"ip": text}) + "\n" for text in ROWS), encoding="utf-8")
    command: list[str | Path] = [PROGRAM, "enrich", "-t", image, "--field", "ip", source]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 3
    objects = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["ip"] for row in objects] == ROWS
    assert_equal({want: [row[want] for row in objects] for want in FILE_WANTS}, FILE_WANTS)
