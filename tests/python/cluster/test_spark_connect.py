"""fingerpost.spark with Spark Connect, whose sessions have no SparkContext: the image is sent as an artifact.

A process has either classic sessions or those of Spark Connect, so the client here is a separate process.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: `make test-cluster` installs it")
pytest.importorskip(
    "grpc_status", reason="pyspark[connect] is not installed: `make test-cluster` installs it"
)

CLIENT = """
from pyspark.sql import SparkSession

import fingerpost
import fingerpost.spark

session = SparkSession.builder.remote("local[2]").getOrCreate()
table = fingerpost.Table({"10.0.0.0/8": "office"})
frame = session.createDataFrame([("10.0.0.1", 1), ("bad", 2), (None, 3)], "src string, n int")
sent = []
send = session.addArtifacts
session.addArtifacts = lambda *paths, **kinds: (sent.extend(paths), send(*paths, **kinds))
enriched = fingerpost.spark.enrich(frame, table, "src")
enriched = fingerpost.spark.enrich(enriched, table.copy(), "SRC", add="length", column_prefix="second_")
print("module", type(enriched).__module__)
for row in enriched.orderBy("n").collect():
    print("row", *row)
fingerpost.spark.register(session, "lpm", table)
frame.createOrReplaceTempView("flows")
print("sql", *session.sql("SELECT lpm(src), lpm_length(src) FROM flows ORDER BY n").collect()[0])
print("sent", len(sent))
session.stop()
"""


def test_table_is_sent_once_as_an_artifact() -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CLIENT],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [
        "module pyspark.sql.connect.dataframe",
        "row 10.0.0.1 1 10.0.0.0/8 office 8",
        "row bad 2 None None None",
        "row None 3 None None None",
        "sql office 8",
        "sent 1",
    ]
