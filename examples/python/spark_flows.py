"""Spark: bytes of each autonomous system from flows that are distributed over executors.

    spark_flows.py

Prints:

    64496 1200
    64499 88
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import fingerpost
import fingerpost.spark

FILES = Path(__file__).resolve().parents[2] / "docs" / "use" / "tasks"


def main() -> None:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False)
    spark = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    table = fingerpost.Table.from_csv(FILES / "GeoLite2-ASN-Blocks-IPv4.csv")
    flows = spark.read.csv(
        str(FILES / "flows.csv"), header=True, schema="start STRING, src STRING, dst STRING, bytes LONG"
    )
    enriched = fingerpost.spark.enrich(flows, table, "src", add="autonomous_system_number")
    by_system = enriched.groupBy("src_autonomous_system_number").sum("bytes")
    for number, total in sorted(map(tuple, by_system.collect())):
        print(number, total)
    spark.stop()


if __name__ == "__main__":
    main()
