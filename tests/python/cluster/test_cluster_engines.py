"""Spark and Ray give the typed answers of the oracle that all engines are compared with."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "frames"))
from engine_rows import ROWS, TYPES, WANTS, assert_equal, shared_table

TYPES_OF_SPARK = {"city": "string", "asn": "bigint", "lat": "double", "anycast": "boolean"}


def test_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed: `make test-cluster` installs it")
    from pyspark.sql import SparkSession

    import fingerpost.spark

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).getOrCreate()
    rows = spark.createDataFrame(list(enumerate(ROWS)), "row long, ip string").repartition(3)
    enriched = fingerpost.spark.enrich(rows, shared_table(), "ip", add=WANTS, column_prefix="")
    answers = enriched.orderBy("row").collect()
    assert dict(enriched.select(*TYPES).dtypes) == TYPES_OF_SPARK
    assert_equal({want: [row[want] for row in answers] for want in WANTS})
    spark.stop()


def test_ray() -> None:
    pytest.importorskip("ray.data", reason="ray is not installed: `make test-cluster` installs it")
    import ray
    from cluster_data import start_ray

    import fingerpost.ray

    # Socket paths must be short, which tmp_path is not.
    with tempfile.TemporaryDirectory(prefix="fp-") as folder:
        start_ray(2, Path(folder))
        ray.data.DataContext.get_current().enable_progress_bars = False
        rows = ray.data.from_arrow(pa.table({"row": range(len(ROWS)), "ip": pa.array(ROWS, pa.string())}))
        enriched = fingerpost.ray.enrich(rows, shared_table(), "ip", add=WANTS, column_prefix="")
        answers = sorted(enriched.take_all(), key=lambda row: int(row["row"]))
        assert_equal({want: [row[want] for row in answers] for want in WANTS})
        ray.shutdown()
