#!/usr/bin/env python3
"""Measures rows per second of fingerpost.spark and fingerpost.ray with one and two workers of one core each.

    cluster_speed.py [--rows N] [--routes N] [--runs N] [spark] [ray]

The rows are a Parquet file of addresses as text. The results are discarded. The best runs count: of reading the rows,
of passing them to Python and back, and of enriching them. Two workers need two free cores. Each cluster is a separate
process.
"""

from __future__ import annotations

import argparse
import functools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from ray.data import Dataset

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "python" / "cluster"))

WANTS = ["prefix", "country", "asn", "length"]
MODES = ("read", "pass", "enrich")


def best(runs: int, job: Callable[[], object]) -> float:
    job()  # starts processes and sends files, which happens only once
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def write_nowhere(rows: DataFrame) -> None:
    rows.write.format("noop").mode("overwrite").save()


def run_through(rows: Dataset) -> None:
    for _ in rows.iter_internal_ref_bundles():
        pass


def measure_spark(workers: int, flows: Path, image: Path, runs: int) -> list[float]:
    from pyspark.sql import SparkSession

    import fingerpost.spark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local-cluster[{workers},1,1024]").config(
        "spark.ui.enabled", False
    )
    # Tasks of equal size, more than workers.
    builder = builder.config("spark.sql.files.maxPartitionBytes", str(max(1, flows.stat().st_size // 8)))
    session = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    rows = session.read.parquet(str(flows))
    through = rows.mapInArrow(lambda batches: batches, rows.schema)
    jobs = (rows, through, fingerpost.spark.enrich(rows, image, "src", add=WANTS))
    times = [best(runs, functools.partial(write_nowhere, job)) for job in jobs]
    session.stop()
    return times


def measure_ray(workers: int, flows: Path, image: Path, runs: int) -> list[float]:
    import ray
    from cluster_data import start_ray

    import fingerpost.ray

    start_ray(workers, flows.parent)
    ray.data.DataContext.get_current().enable_progress_bars = False
    rows = ray.data.read_parquet(str(flows), override_num_blocks=8)
    through = rows.map_batches(lambda batch: batch, batch_format="pyarrow", batch_size=None)
    jobs = (rows, through, fingerpost.ray.enrich(rows, image, "src", add=WANTS))
    times = [best(runs, functools.partial(run_through, job)) for job in jobs]
    ray.shutdown()
    return times


def report(kind: str, rows: int, with_one: list[float], two: list[float]) -> None:
    print(f"{kind}, {rows} rows")
    for mode, alone, both in zip(MODES, with_one, two, strict=True):
        speeds = f"1 worker {rows / alone / 1e6:6.2f} M rows/s, 2 workers {rows / both / 1e6:6.2f} M rows/s"
        print(f"  {mode:7} {speeds}: {alone / both:.2f} times")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kinds", nargs="*", default=["spark", "ray"])
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--routes", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--child", nargs=3, metavar=("WORKERS", "FLOWS", "IMAGE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    measures = {"spark": measure_spark, "ray": measure_ray}
    if unknown := [kind for kind in options.kinds if kind not in measures]:
        parser.error(f"{unknown[0]!r} is neither spark nor ray")
    if options.child:
        workers, flows, image = int(options.child[0]), Path(options.child[1]), Path(options.child[2])
        print(*measures[options.kinds[0]](workers, flows, image, options.runs))
        return
    from cluster_data import make_table, write_flows

    with tempfile.TemporaryDirectory(prefix="fp-") as folder:
        flows, image = Path(folder) / "flows.parquet", Path(folder) / "table.image"
        table = make_table(options.routes)
        table.save(image)
        column = write_flows(flows, options.rows, table)["src"]
        alone = best(options.runs, lambda: table.lookup_many(column, WANTS))
        print(f"lookup_many here, 1 core: {options.rows / alone / 1e6:.2f} M rows/s, {', '.join(WANTS)}")
        for kind in options.kinds:
            command = [sys.executable, __file__, kind, "--runs", str(options.runs), "--child"]
            seconds = []
            for workers in (1, 2):
                ran = subprocess.run(
                    [*command, str(workers), flows, image], stdout=subprocess.PIPE, text=True, check=True
                )
                seconds.append([float(word) for word in ran.stdout.splitlines()[-1].split()])
            report(kind, options.rows, *seconds)


if __name__ == "__main__":
    main()
