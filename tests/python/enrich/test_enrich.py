"""enrich(): the added columns compared with single lookups, and rows without an answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from enrich_rows import BAD, ODD, ROUTES, answer, read, write
from sizes import sized

import fingerpost
from fingerpost import EnrichReport, Error, Table, enrich
from fingerpost._enrich.types import BATCH_ROWS


@pytest.mark.parametrize("text", [*ODD, *BAD, "10.1.2.3", "::", "2001:db8:1::5"])
@pytest.mark.parametrize("default_route", [False, True])
def test_socket_texts_are_read_as_the_program_does(text: str, default_route: bool, tmp_path: Path) -> None:
    table: Table[object] = Table(ROUTES | ({"::/0": "all"} if default_route else {}))
    write(pa.table({"ip": [text, "10.9.9.9"]}), tmp_path / "in.parquet")
    enrich(tmp_path / "in.parquet", tmp_path / "out.parquet", table, "ip")
    found = read(tmp_path / "out.parquet")
    assert (found["prefix"][0], found["value"][0]) == answer(table, text)
    assert (text in BAD) == (found["prefix"][0] is None and not (text == "::" and not default_route))


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    write(pa.table({"ip": ["10.0.0.1"], "value": ["mine"]}), tmp_path / "in.parquet")
    table: Table[Any] = Table(ROUTES)
    for kind in ("parquet", "arrow", "csv"):
        with pytest.raises(
            ValueError, match="already have a column 'value'; rename value=NAME renames the added"
        ):
            enrich(tmp_path / "in.parquet", tmp_path / f"out.{kind}", table, "ip")
        assert not (tmp_path / f"out.{kind}").exists()
    enrich(tmp_path / "in.parquet", tmp_path / "prefix.parquet", table, "ip", add=["prefix"])
    assert read(tmp_path / "prefix.parquet")["value"] == ["mine"]
    enrich(
        tmp_path / "in.parquet", tmp_path / "out.csv", table, "ip", rename={"value": "theirs", "2": "mine"}
    )
    assert (tmp_path / "out.csv").read_text().startswith("ip,mine,prefix,theirs\n")


def test_several_columns_and_tables(tmp_path: Path) -> None:
    write(
        pa.table({"src": ["10.1.2.3", None], "n": [1, 2], "dst": ["x", "2001:db8::9"]}),
        tmp_path / "in.parquet",
    )
    Table({"10.0.0.0/8": ("DE", "1")}, values=["country", "as"]).save(tmp_path / "geo.image")
    tables: dict[str, Table[Any] | Path] = {
        "geo": tmp_path / "geo.image",
        "n": Table({"::/0": 7}, values=int),
    }
    report = enrich(tmp_path / "in.parquet", tmp_path / "out.parquet", tables, ["src", 3])
    assert pq.read_table(tmp_path / "out.parquet").to_pydict() == {
        "src": ["10.1.2.3", None],
        "n": [1, 2],
        "dst": ["x", "2001:db8::9"],
        "src_geo_prefix": ["10.0.0.0/8", None],
        "src_geo_country": ["DE", None],
        "src_geo_as": ["1", None],
        "src_n_prefix": [None, None],
        "src_n_next_hop": [None, None],
        "dst_geo_prefix": [None, None],
        "dst_geo_country": [None, None],
        "dst_geo_as": [None, None],
        "dst_n_prefix": [None, "::/0"],
        "dst_n_next_hop": [None, 7],
    }
    assert (report.matched, report.bad) == (1, 1)
    chosen = enrich(
        tmp_path / "in.parquet",
        tmp_path / "out.parquet",
        tables,
        "src",
        add=["country", "next_hop", "address"],
    )
    assert pq.read_schema(tmp_path / "out.parquet").names[3:] == ["geo_country", "n_next_hop", "address"]
    assert chosen.matched == 1


def test_columns_with_names_that_lookups_have_too(tmp_path: Path) -> None:
    columns = ["value", "length", "index"]
    table: Table[object] = Table({"10.0.0.0/8": ("v", "l", "i")}, values=columns)  # type: ignore[assignment]
    write(pa.table({"ip": ["10.1.1.1", "11.1.1.1", "::ffff:10.0.0.1"]}), tmp_path / "in.parquet")
    enrich(tmp_path / "in.parquet", tmp_path / "out.parquet", table, "ip")
    found = read(tmp_path / "out.parquet")
    assert [found[name] for name in columns] == [["v", None, "v"], ["l", None, "l"], ["i", None, "i"]]


@pytest.mark.parametrize(
    ("on_miss", "on_error", "kept"),
    [
        ("empty", "null", [0, 1, 2, 3]),
        ("drop", "null", [0, 2]),
        ("empty", "drop", [0, 1, 3]),
        ("drop", "drop", [0]),
        ("error", "null", [0, 1, 2, 3]),
    ],
)
def test_rows_without_an_answer(
    on_miss: str, on_error: str, kept: list[int], tmp_path: Path, table_file: Path
) -> None:
    rows = ["10.1.1.1", "8.8.8.8", "what", None]
    write(pa.table({"ip": rows, "n": [0, 1, 2, 3]}), tmp_path / "in.parquet")
    report = enrich(
        tmp_path / "in.parquet",
        tmp_path / "out.parquet",
        table_file,
        "ip",
        on_miss=on_miss,  # type: ignore[arg-type]
        on_error=on_error,  # type: ignore[arg-type]
    )
    assert read(tmp_path / "out.parquet")["n"] == kept
    assert (report.matched, report.missed, report.no_address, report.bad) == (1, 1, 1, 1)
    assert report.refused == (2 if on_miss == "error" else 0)
    name = tmp_path / "in.parquet"
    assert f"{name}: row 3, column 'ip': 'what': unexpected 'w' at column 1" in report.messages[0]
    assert (f"{name}: row 2: '8.8.8.8': has no match" in report.messages) == (on_miss == "error")


def test_the_first_bad_row_can_end_the_run(tmp_path: Path, table_file: Path) -> None:
    addresses = ["10.0.0.1"] * (BATCH_ROWS + 10)
    addresses[BATCH_ROWS + 4] = "nonsense"
    write(pa.table({"ip": addresses}), tmp_path / "in.parquet")
    (tmp_path / "out.csv").write_text("before")
    with pytest.raises(
        Error, match=rf"in.parquet: row {BATCH_ROWS + 5}, column 'ip': 'nonsense': unexpected"
    ):
        enrich(tmp_path / "in.parquet", tmp_path / "out.csv", table_file, "ip", on_error="fail")
    assert (tmp_path / "out.csv").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.parquet", "out.csv", "table.csv"]


def test_bad_rows_are_told_five_times_and_counted(tmp_path: Path, table_file: Path) -> None:
    write(pa.table({"ip": ["bad"] * 100 + ["10.0.0.1"]}), tmp_path / "in.csv")
    told: list[str] = []
    report = enrich(tmp_path / "in.csv", tmp_path / "out.csv", table_file, "ip", tell=told.append)
    assert report.bad == 100
    assert told == report.messages
    assert len(told) == 7
    assert told[5].endswith("further rows with an invalid address are not shown")
    assert told[6] == "100 bad rows, 95 of them not shown: 95 with an invalid address"


def test_wrong_arguments(tmp_path: Path, table_file: Path) -> None:
    path, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    write(pa.table({"ip": ["10.0.0.1"], "n": [1]}), path)
    with pytest.raises(ValueError, match="no column 'up'; columns: ip, n"):
        enrich(path, out, table_file, "up")
    with pytest.raises(ValueError, match="name the column with the address; columns: ip, n"):
        enrich(path, out, table_file, [])
    with pytest.raises(ValueError, match="no column 'hop'; columns: address, prefix, next_hop"):
        enrich(path, out, table_file, "ip", add=["hop"])
    with pytest.raises(ValueError, match="on_miss='keep': must be one of empty, drop, error"):
        enrich(path, out, table_file, "ip", on_miss="keep")  # type: ignore[arg-type]
    with pytest.raises(Error, match="column 'n' is int64; addresses are text"):
        enrich(path, out, table_file, "n")
    with pytest.raises(TypeError, match="tables= takes a fingerpost.Table, a path, or a dict"):
        enrich(path, out, 7, "ip")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        enrich(tmp_path / "none.parquet", out, table_file, "ip")
    with pytest.raises(Error, match="'l' is list<.*which CSV cannot represent"):
        pq.write_table(pa.table({"ip": ["10.0.0.1"], "l": [[1]]}), path)
        enrich(path, tmp_path / "out.csv", table_file, "ip")
    assert not out.exists()


def test_millions_of_rows_in_little_memory(tmp_path: Path, table_file: Path) -> None:
    """Memory does not grow with the size of the file."""
    draw = numpy.random.default_rng(1)
    group, groups = sized((1 << 17, 15), (1 << 18, 20))
    schema = pa.schema([("id", pa.int64()), ("ip", pa.string()), ("rest", pa.binary(120))])
    octets = draw.integers(0, 256, (group, 3)).tolist()
    ip = pa.array([f"10.{a}.{b}.{c}" for a, b, c in octets])

    def size_and_peak(groups: int) -> tuple[int, int]:
        with pq.ParquetWriter(tmp_path / "in.parquet", schema, use_dictionary=False) as to:
            for i in range(groups):
                ids = pa.array(numpy.arange(i * group, (i + 1) * group))
                rest = pa.FixedSizeBinaryArray.from_buffers(
                    pa.binary(120), group, [None, pa.py_buffer(draw.bytes(group * 120))]
                )
                to.write_table(pa.table([ids, ip, rest], schema=schema))
        code = (
            "import sys, fingerpost\n"
            "report = fingerpost.enrich(sys.argv[1], sys.argv[2], sys.argv[3], 'ip')\n"
            # The memory of this program alone; getrusage() also counts the process before it.
            "status = open('/proc/self/status').read().split()\n"
            "print(report.matched, int(status[status.index('VmHWM:') + 1]) * 1024)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path / "in.parquet", tmp_path / "out.parquet", table_file],
            capture_output=True,
            check=True,
        )
        matched, peak = map(int, done.stdout.split())
        assert matched == group * groups
        return (tmp_path / "in.parquet").stat().st_size, peak

    # Peaks for the same file differ by up to 60 MB, depending on how many batches are in flight. A run that kept the
    # file in memory would grow by the whole difference.
    small, small_peak = size_and_peak(sized(5, 4))
    large, large_peak = size_and_peak(groups)
    assert large - small > sized(170_000_000, 500_000_000)
    assert large_peak - small_peak < (large - small) / 2
    ids = pq.ParquetFile(tmp_path / "out.parquet").read(["id"])["id"].to_numpy()
    assert (ids == numpy.arange(group * groups)).all()
    table = Table.from_file(table_file)
    rows = (
        pq.ParquetFile(tmp_path / "out.parquet")
        .read_row_group(3, ["ip", "prefix", "next_hop"])
        .slice(0, 2000)
    )
    for row in rows.to_pylist():
        assert (row["prefix"], row["next_hop"]) == table.match(row["ip"])


def test_progress_and_report_are_of_the_run(tmp_path: Path, table_file: Path) -> None:
    write(pa.table({"ip": ["10.0.0.1"] * (BATCH_ROWS * 2 + 1)}), tmp_path / "in.parquet")
    seen: list[int] = []
    mine = EnrichReport()
    given = enrich(
        tmp_path / "in.parquet",
        tmp_path / "out.arrow",
        fingerpost.Table.from_file(table_file),
        "ip",
        report=mine,
        progress=lambda report: seen.append(report.rows),
    )
    assert given is mine
    assert seen[-1] == mine.rows == BATCH_ROWS * 2 + 1
    assert seen == sorted(seen)
    assert len(seen) >= 3
