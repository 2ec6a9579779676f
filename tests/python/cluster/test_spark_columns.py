"""fingerpost.spark.column and register, in a local Spark with one core. Needs no more than pyspark and Java.

`make test-cluster` runs this with the newest Spark, `make test-python-lowest` with the oldest.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: `make test-cluster` installs it")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java: install openjdk-17-jre-headless", allow_module_level=True)

import pyarrow
from pyspark.sql import DataFrame, SparkSession

import fingerpost.spark

ADDRESSES = ["10.1.2.3", "11.0.0.1", None, "2001:db8::1", "192.0.2.1", "bad", "10.0.0.1/33", ""]
COLUMNS = ["country", "asn", "score", "anycast"]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", False)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", 1)
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", 3)
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def table() -> fingerpost.Table[dict[str, object]]:
    """Returns a table whose columns have all types, with nulls."""
    routes = {
        "network": ["10.0.0.0/8", "10.1.0.0/16", "11.0.0.0/8", "2001:db8::/32"],
        "country": ["CH", "DE", None, ""],
        "asn": [64500, 2**62, None, -1],
        "score": [0.5, None, -1.25, 2.0],
        "anycast": [True, False, None, True],
    }
    return fingerpost.Table.from_arrow(pyarrow.table(routes))


@pytest.fixture(scope="module")
def flows(spark: SparkSession) -> DataFrame:
    """Returns rows with an address as text, as bytes, and in structs, some of which are null."""
    rows = [
        (number, address, None if number == 3 else ((address,),)) for number, address in enumerate(ADDRESSES)
    ]
    return spark.createDataFrame(rows, "row int, ip string, src struct<peer: struct<ip: string>>").coalesce(1)


def values(df: DataFrame, column: str = "got") -> list[object]:
    return [row[column] for row in df.orderBy("row").select(column).collect()]


def expected(table: fingerpost.Table[dict[str, object]], want: str) -> list[object]:
    return table.lookup_many(pyarrow.array(ADDRESSES), want).to_pylist()  # type: ignore[attr-defined]


@pytest.mark.parametrize("want", [*COLUMNS, "prefix", "length", "index"])
def test_column_equals_lookup_many(
    flows: DataFrame, table: fingerpost.Table[dict[str, object]], want: str
) -> None:
    look_up = fingerpost.spark.column(table, want)
    got = flows.withColumn("got", look_up(flows.ip)).withColumn("named", look_up("ip"))
    types = {
        "asn": "bigint",
        "score": "double",
        "anycast": "boolean",
        "length": "smallint",
        "index": "bigint",
    }
    assert dict(got.dtypes)["got"] == types.get(want, "string")
    assert values(got) == values(got, "named") == expected(table, want)


def test_several_wants_are_a_struct(flows: DataFrame, table: fingerpost.Table[dict[str, object]]) -> None:
    wants = ["prefix", "asn", "anycast"]
    got = flows.select("row", fingerpost.spark.column(table, wants)("ip").alias("m")).select("row", "m.*")
    assert got.columns == ["row", *wants]
    for want in wants:
        assert values(got, want) == expected(table, want)


def test_fields_of_structs(flows: DataFrame, table: fingerpost.Table[dict[str, object]]) -> None:
    want = [None if row == 3 else value for row, value in enumerate(expected(table, "asn"))]
    assert values(flows.withColumn("got", fingerpost.spark.column(table, "asn")("src.peer.ip"))) == want
    enriched = fingerpost.spark.enrich(flows, table, "src.peer.ip", add=["asn", "value"])
    assert enriched.columns == ["row", "ip", "src", "src_peer_ip_asn", "src_peer_ip_value"]
    assert values(enriched, "src_peer_ip_asn") == want
    assert values(enriched.select("row", "src_peer_ip_value.asn"), "asn") == want
    dotted = flows.withColumnRenamed("ip", "src.peer.ip")
    assert values(
        fingerpost.spark.enrich(dotted, table, "src.peer.ip", add="asn"), "src_peer_ip_asn"
    ) == expected(table, "asn")
    with pytest.raises(ValueError, match=r"no column 'src\.peer\.port'; the columns are row, ip, src"):
        fingerpost.spark.enrich(flows, table, "src.peer.port")
    with pytest.raises(TypeError, match=r"column 'src\.peer' has type struct<ip:string>"):
        fingerpost.spark.enrich(flows, table, "src.peer")


def test_sql_functions(
    spark: SparkSession, flows: DataFrame, table: fingerpost.Table[dict[str, object]]
) -> None:
    names = fingerpost.spark.register(spark, "lpm", table)
    assert names == ("lpm", "lpm_prefix", "lpm_length", *(f"lpm_{column}" for column in COLUMNS))
    flows.createOrReplaceTempView("flows")
    for name in names[1:]:
        got = spark.sql(f"SELECT row, {name}(ip) AS got, {name}(unhex(hex(NULL))) AS nothing FROM flows")
        assert values(got) == expected(table, name.removeprefix("lpm_"))
        assert values(got, "nothing") == [None] * len(ADDRESSES)
    fields = spark.sql("SELECT row, lpm(ip).asn AS got FROM flows WHERE lpm_prefix(src.peer.ip) IS NOT NULL")
    assert values(fields) == [2**62, None]
    grouped = spark.sql(
        "SELECT lpm_country(ip) AS c, count(*) AS n FROM flows GROUP BY 1 ORDER BY 1 NULLS FIRST"
    )
    assert [tuple(row) for row in grouped.collect()] == [(None, 6), ("", 1), ("DE", 1)]


def test_registering_again_replaces_the_table(spark: SparkSession, tmp_path: Path) -> None:
    texts = fingerpost.Table({"10.0.0.0/8": "office"})
    assert fingerpost.spark.register(spark, "net", texts) == ("net", "net_prefix", "net_length")
    query = "SELECT net('10.1.1.1') AS v, net_length(unhex('0A010203')) AS n"
    assert tuple(spark.sql(query).collect()[0]) == ("office", 8)
    fingerpost.Table({"10.1.0.0/16": 2**32 - 2}, values=int).save(tmp_path / "numbers.image")
    fingerpost.spark.register(spark, "net", tmp_path / "numbers.image")
    assert tuple(spark.sql(query).collect()[0]) == (2**32 - 2, 16)


def test_wrong_arguments(spark: SparkSession, table: fingerpost.Table[dict[str, object]]) -> None:
    with pytest.raises(ValueError, match="did you mean country"):
        fingerpost.spark.column(table, "contry")
    with pytest.raises(ValueError, match="'null' or 'raise'"):
        fingerpost.spark.column(table, on_error="ignore")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"'contry', but the columns of the table are: country, asn"):
        fingerpost.spark.register(spark, "lpm", table, columns=["contry"])
    with pytest.raises(ValueError, match="needs no quotes"):
        fingerpost.spark.register(spark, "my lpm", table)
    with pytest.raises(TypeError, match="image must be text or integers"):
        fingerpost.spark.column(fingerpost.Table({"10.0.0.0/8": object()}))


def test_bad_rows_and_types_fail_the_job(
    flows: DataFrame, table: fingerpost.Table[dict[str, object]]
) -> None:
    strict = fingerpost.spark.column(table, "asn", on_error="raise")
    assert values(flows.where("row < 5").withColumn("got", strict("ip"))) == expected(table, "asn")[:5]
    with pytest.raises(Exception, match=r"partition 0, after its first 3 rows: .*bad"):
        flows.select(strict("ip")).collect()
    with pytest.raises(Exception, match=r"Arrow type int32.*unhex"):
        flows.select(strict("row")).collect()


WITHOUT_PACKAGE = """
from pyspark.sql import SparkSession

import fingerpost.spark

session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).getOrCreate()
look_up = fingerpost.spark.column(fingerpost.Table({"10.0.0.0/8": "office"}))
session.createDataFrame([("10.0.0.1",)], "ip string").select(look_up("ip")).collect()
"""


def test_a_worker_without_the_package_names_itself_and_the_remedy(tmp_path: Path) -> None:
    # Spark passes its own PYTHONPATH on to the workers, with its folders added.
    worker = tmp_path / "python"
    package = Path(fingerpost.__file__).parents[1]
    worker.write_text(
        f'#!/bin/sh\nPYTHONPATH=$(echo "$PYTHONPATH" | sed "s|{package}||g")\nexport PYTHONPATH\n'
        f'exec "{sys.executable}" "$@"\n'
    )
    worker.chmod(0o755)
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WITHOUT_PACKAGE],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(package),
            "PYSPARK_PYTHON": str(worker),
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode != 0
    version = fingerpost.__version__
    assert f"does not have fingerpost {version} (No module named 'fingerpost')" in ran.stderr
    assert f"Install it there: {sys.executable} -m pip install fingerpost=={version}. Or send" in ran.stderr
