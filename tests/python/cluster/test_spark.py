"""fingerpost.spark on a local Spark with two executors, which are processes with one core each."""

from __future__ import annotations

import datetime
import decimal
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: `make test-cluster` installs it")

import pyarrow
import pyarrow.parquet
from cluster_data import ROWS, expected, make_table, write_flows
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

import fingerpost.spark
from fingerpost import _cluster

WANTS = ["prefix", "country", "asn", "length"]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("fingerpost tests")
        .config("spark.ui.enabled", False)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executor.memory", "1g")
        .config("spark.sql.shuffle.partitions", 2)
        .config("spark.sql.files.maxPartitionBytes", "4m")
        .config("spark.task.maxFailures", 1)
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def table() -> fingerpost.Table[str | dict[str, str]]:
    return make_table()


def frame(spark: SparkSession, *sources: object) -> DataFrame:
    return spark.createDataFrame([Row(src=source) for source in sources])


def first(df: DataFrame) -> dict[str, object]:
    row = df.first()
    assert row is not None
    return row.asDict()


def shipped(spark: SparkSession) -> list[str]:
    return [path for path in spark.sparkContext.listFiles if "fingerpost-" in path.rpartition("/")[2]]


def test_parquet_equals_one_machine(
    spark: SparkSession, table: fingerpost.Table[str | dict[str, str]], tmp_path: Path
) -> None:
    flows = write_flows(tmp_path / "flows.parquet", ROWS, table)
    df = fingerpost.spark.enrich(spark.read.parquet(str(tmp_path / "flows.parquet")), table, "src", add=WANTS)
    assert df.dtypes[2:] == [
        ("src_prefix", "string"),
        ("src_country", "string"),
        ("src_asn", "string"),
        ("src_length", "smallint"),
    ]
    df.write.parquet(str(tmp_path / "enriched.parquet"))
    got = pyarrow.parquet.read_table(tmp_path / "enriched.parquet").sort_by("row")
    want = expected(flows, table)
    assert want["src_prefix"].null_count < ROWS / 2
    want = want.cast(pyarrow.schema([got.schema.field(name) for name in want.column_names]))
    assert got.select(want.column_names).equals(want)


def worker_facts(spark: SparkSession, image: str) -> list[tuple[int, int, int, int]]:
    """Returns facts about each worker process: its id, opened images, tasks that requested one, and mappings of
    the image."""

    def facts(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        from fingerpost import _cluster

        for _ in batches:
            time.sleep(1)  # so that one worker cannot take both tasks
            cache = _cluster.open_image.cache_info()
            maps = sum(image in line for line in Path("/proc/self/maps").read_text().splitlines())
            row = {
                "pid": os.getpid(),
                "opens": cache.misses,
                "asked": cache.misses + cache.hits,
                "maps": maps,
            }
            yield pyarrow.RecordBatch.from_pylist([row])

    rows = (
        spark.range(2, numPartitions=2)
        .mapInArrow(facts, "pid long, opens long, asked long, maps long")
        .collect()
    )
    return sorted({(row.pid, row.opens, row.asked, row.maps) for row in rows})


def test_each_worker_process_maps_the_image_once(
    spark: SparkSession, table: fingerpost.Table[str | dict[str, str]]
) -> None:
    before = {pid: (opens, asked) for pid, opens, asked, _ in worker_facts(spark, "none")}
    assert len(before) == 2
    one_route = fingerpost.Table({"10.0.0.0/8": "once"}, values=["name"])
    numbers = spark.range(0, 16_000, numPartitions=16)
    df = numbers.select(F.concat(F.lit("10.0.0."), (F.col("id") % 256).cast("string")).alias("src"))
    enriched = fingerpost.spark.enrich(df, one_route, "src", add="name")
    for _ in range(2):
        assert enriched.where("src_name = 'once'").count() == 16_000
    after = worker_facts(spark, _cluster.image_of(one_route).name)
    assert {pid for pid, _, _, _ in after} == set(before)
    for pid, opens, asked, maps in after:
        opened_before, asked_before = before[pid]
        assert opens - opened_before == 1
        assert asked - asked_before > 1
        assert maps >= 1
    assert sum(asked for _, _, asked, _ in after) - sum(asked for _, asked in before.values()) == 32
    print(f"\n2 workers, 32 tasks: (pid, opens, asked, maps) {before} -> {after}")


def test_equal_tables_are_sent_once(spark: SparkSession, tmp_path: Path) -> None:
    table = fingerpost.Table({"192.0.2.0/24": "sent once"}, values=["name"])
    df = frame(spark, "192.0.2.1")
    already = len(shipped(spark))
    assert first(fingerpost.spark.enrich(df, table, "src"))["src_name"] == "sent once"
    assert len(shipped(spark)) == already + 1
    table.save(tmp_path / "table.image")
    for same in (table, table.copy(), tmp_path / "table.image", str(tmp_path / "table.image")):
        assert first(fingerpost.spark.enrich(df, same, "src"))["src_name"] == "sent once"
        assert len(shipped(spark)) == already + 1
    table["192.0.2.0/24"] = "changed"
    assert first(fingerpost.spark.enrich(df, table, "src"))["src_name"] == "changed"
    assert len(shipped(spark)) == already + 2


def test_image_outlives_the_table_and_its_file(spark: SparkSession, tmp_path: Path) -> None:
    fingerpost.Table({"192.0.2.0/24": "kept"}, values=["name"]).save(tmp_path / "table.image")
    df = fingerpost.spark.enrich(frame(spark, "192.0.2.1"), tmp_path / "table.image", "src")
    (tmp_path / "table.image").unlink()
    assert first(df)["src_name"] == "kept"


def test_kinds_of_values(spark: SparkSession) -> None:
    df = frame(spark, "10.0.0.1", "11.0.0.1", None, "bad")
    numbers = fingerpost.spark.enrich(df, fingerpost.Table({"10.0.0.0/8": 2**32 - 2}, values=int), "src")
    assert numbers.dtypes[1:] == [("src_prefix", "string"), ("src_value", "bigint")]
    assert [tuple(row)[1:] for row in numbers.collect()] == [("10.0.0.0/8", 2**32 - 2), *[(None, None)] * 3]
    texts = fingerpost.spark.enrich(
        df, fingerpost.Table({"10.0.0.0/8": "office"}), "src", add=["value", "index"]
    )
    assert texts.dtypes[1:] == [("src_value", "string"), ("src_index", "bigint")]
    assert first(texts)["src_value"] == "office"
    with pytest.raises(TypeError, match="image must be text or integers"):
        fingerpost.spark.enrich(df, fingerpost.Table({"10.0.0.0/8": object()}), "src")


def test_binary_addresses_and_numbers(spark: SparkSession) -> None:
    table = fingerpost.Table({"10.0.0.0/8": "four", "2001:db8::/32": "six"})
    df = frame(spark, bytes([10, 1, 2, 3]), bytes.fromhex("20010db8" + "00" * 12), b"123", None)
    got = fingerpost.spark.enrich(df, table, "src", add="value", column_prefix="")
    assert [row["value"] for row in got.collect()] == ["four", "six", None, None]
    numbers = frame(spark, 0x0A010203, 1)
    with pytest.raises(TypeError, match="unhex") as told:
        fingerpost.spark.enrich(numbers, table, "src")
    assert "bigint" in str(told.value)
    binary = numbers.withColumn("src", F.expr("unhex(lpad(hex(src), 8, '0'))"))
    assert [row["src_value"] for row in fingerpost.spark.enrich(binary, table, "src").collect()] == [
        "four",
        None,
    ]


def test_other_columns_pass_unchanged(spark: SparkSession) -> None:
    rows: list[tuple[object, ...]] = [
        (
            "10.0.0.1",
            1.5,
            [1, 2],
            {"a": 1},
            decimal.Decimal("1.25"),
            datetime.datetime(2026, 1, 2, 3),
            (1, "x"),
            b"b",
        ),
        (None, None, None, None, None, None, None, None),
    ]
    schema = (
        "src string, f double, a array<int>, m map<string,int>, d decimal(10,2), t timestamp, "
        "s struct<n: int, t: string>, b binary"
    )
    df = spark.createDataFrame(rows, schema).withColumn("one", F.lit(1)).withColumn("day", F.current_date())
    got = fingerpost.spark.enrich(df, fingerpost.Table({"10.0.0.0/8": "x"}), "src", add="value")
    assert got.drop("src_value").collect() == df.collect()
    assert got.where("src_value = 'x'").count() == 1
    empty = fingerpost.spark.enrich(df.limit(0), fingerpost.Table(values=int), "src")
    assert empty.collect() == []


def test_bad_rows_can_fail_the_job(spark: SparkSession) -> None:
    table = fingerpost.Table({"10.0.0.0/8": "x"})
    df = frame(spark, "10.0.0.1", None, "10.0.0.999").coalesce(1)
    good = fingerpost.spark.enrich(df.limit(2), table, "src", on_error="raise")
    assert [row["src_value"] for row in good.collect()] == ["x", None]
    bad = fingerpost.spark.enrich(df, table, "src", on_error="raise")
    with pytest.raises(
        Exception, match=r"column 'src', partition 0, after its first \d+ rows: .*10\.0\.0\.999"
    ):
        bad.collect()


def test_wrong_calls_are_told_at_once(spark: SparkSession, tmp_path: Path) -> None:
    table = fingerpost.Table({"10.0.0.0/8": {"country": "de"}}, values=["country"])
    df = frame(spark, "10.0.0.1").withColumn("bytes", F.lit(1))
    with pytest.raises(ValueError, match=r"no column 'scr'; the columns are src, bytes"):
        fingerpost.spark.enrich(df, table, "scr")
    with pytest.raises(ValueError, match="several columns 'src'"):
        fingerpost.spark.enrich(
            df.withColumn("other", F.col("src")).toDF("src", "bytes", "src"), table, "src"
        )
    with pytest.raises(TypeError, match="column= takes the name of a column, not Column"):
        fingerpost.spark.enrich(df, table, F.col("src"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="did you mean country"):
        fingerpost.spark.enrich(df, table, "src", add=["contry"])
    with pytest.raises(ValueError, match="already a column 'BYTES'"):
        named = fingerpost.Table({"10.0.0.0/8": {"BYTES": "1"}}, values=["BYTES"])
        fingerpost.spark.enrich(df, named, "src", add="BYTES", column_prefix="")
    with pytest.raises(ValueError, match="'null' or 'raise'"):
        fingerpost.spark.enrich(df, table, "src", on_error="ignore")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"a fingerpost\.Table or the path of an image, not dict"):
        fingerpost.spark.enrich(df, {"10.0.0.0/8": "x"}, "src")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        fingerpost.spark.enrich(df, tmp_path / "none.image", "src")
    (tmp_path / "text.image").write_text("not an image")
    with pytest.raises(fingerpost.Error, match=r"text\.image"):
        fingerpost.spark.enrich(df, tmp_path / "text.image", "src")
    assert fingerpost.spark.enrich(df, table, "SRC").columns == ["src", "bytes", "src_prefix", "src_country"]


def test_two_columns_in_sql(spark: SparkSession) -> None:
    table = fingerpost.Table({"10.0.0.0/8": "office", "10.1.0.0/16": "lab"})
    df = spark.createDataFrame(
        [("10.1.2.3", "10.2.0.1"), ("10.1.2.4", "192.0.2.1")], "src string, dst string"
    )
    for column in ("src", "dst"):
        df = fingerpost.spark.enrich(df, table, column, add=["value", "length"])
    df.createOrReplaceTempView("flows")
    rows = spark.sql(
        "select src_value, dst_value, sum(src_length) from flows group by all order by all"
    ).collect()
    assert [tuple(row) for row in rows] == [("lab", None, 16), ("lab", "office", 16)]
