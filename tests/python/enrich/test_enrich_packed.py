"""enrich() of compressed rows: in files of any name, from pipes, and output compressed by name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from enrich_rows import command
from sizes import sized

from fingerpost import Error, enrich
from fingerpost._enrich.types import ChoiceError

ROWS = sized(20_000, 100_000)
CSV = b"ip,n\n" + b"".join(b"10.1.7.%d,%d\n" % (i % 256, i) for i in range(ROWS))
ANSWERS = b"ip,n,prefix\n" + b"".join(b"10.1.7.%d,%d,10.1.0.0/16\n" % (i % 256, i) for i in range(ROWS))


def by_arrow(packing: str) -> Callable[[bytes], bytes]:
    def pack(data: bytes) -> bytes:
        packed = pa.BufferOutputStream()
        with pa.CompressedOutputStream(packed, packing) as to:
            to.write(data)
        return bytes(packed.getvalue())

    return pack


PACK = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": by_arrow("zstd"),
    "lz4": by_arrow("lz4"),
}


def unpack(path: Path) -> bytes:
    """Returns the contents of a file, decompressed according to its name."""
    packed = path.read_bytes()
    if path.suffix == ".xz":
        return lzma.decompress(packed)
    kinds = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
    with pa.CompressedInputStream(io.BytesIO(packed), kinds[path.suffix]) as stream:
        text: bytes = stream.read()
        return text


def members(pack: Callable[[bytes], bytes], data: bytes) -> bytes:
    """Returns the data as two members. The second one starts inside a row."""
    half = len(data) // 2 + 3
    return pack(data[:half]) + pack(data[half:])


@pytest.mark.parametrize("packing", PACK)
def test_the_content_tells_the_compression(packing: str, tmp_path: Path, table_file: Path) -> None:
    packed = members(PACK[packing], CSV)
    for name in (f"rows.csv.{packing}", "rows.csv", "rows", "rows.csv.gz"):
        (tmp_path / name).write_bytes(packed)
        report = enrich(tmp_path / name, tmp_path / "out.csv", table_file, "ip", add="prefix")
        assert (report.rows, report.matched) == (ROWS, ROWS)
        assert (tmp_path / "out.csv").read_bytes() == ANSWERS
    piped = command("-t", table_file, "-f", "ip", "--columns", "prefix", stdin=packed)
    assert (piped.returncode, piped.stderr) == (0, b"")
    assert piped.stdout == ANSWERS


@pytest.mark.parametrize("make", [pa.ipc.new_file, pa.ipc.new_stream])
def test_compressed_arrow(
    make: Callable[..., pa.RecordBatchWriter], tmp_path: Path, table_file: Path
) -> None:
    rows = pa.record_batch({"ip": pa.array(["10.1.7.7", "9.9.9.9", "10.1.7.7"]).dictionary_encode()})
    stream = io.BytesIO()
    with make(stream, rows.schema) as writer:
        writer.write_batch(rows)
        writer.write_batch(rows)
    (tmp_path / "rows.gz").write_bytes(gzip.compress(stream.getvalue()))
    for given, data in (
        (tmp_path / "rows.gz", b""),
        ("-", stream.getvalue()),
        ("-", gzip.compress(stream.getvalue())),
    ):
        done = command("-t", table_file, "-f", "ip", "--columns", "prefix", given, stdin=data)
        assert (done.returncode, done.stderr) == (0, b"")
        found = pa.ipc.open_stream(done.stdout).read_all()
        assert found.to_pydict() == {
            "ip": ["10.1.7.7", "9.9.9.9", "10.1.7.7"] * 2,
            "prefix": ["10.1.0.0/16", None, "10.1.0.0/16"] * 2,
        }


@pytest.mark.parametrize("packing", PACK)
def test_the_name_of_the_output_tells_its_compression(packing: str, tmp_path: Path, table_file: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(CSV)
    enrich(tmp_path / "rows.csv", tmp_path / f"out.csv.{packing}", table_file, "ip", add="prefix")
    assert unpack(tmp_path / f"out.csv.{packing}") == ANSWERS
    for kind, read in (("arrow", pa.ipc.open_file), ("arrows", pa.ipc.open_stream)):
        out = tmp_path / f"out.{kind}.{packing}"
        enrich(tmp_path / "rows.csv", out, table_file, "ip", add="prefix")
        found = read(io.BytesIO(unpack(out))).read_all()
        assert found["prefix"].to_pylist() == ["10.1.0.0/16"] * ROWS
        again = enrich(out, tmp_path / "again.csv", table_file, "ip", add="next_hop")
        assert again.matched == ROWS
    (tmp_path / "rows.csv").write_bytes(b"")
    enrich(tmp_path / "rows.csv", tmp_path / f"out.csv.{packing}", table_file, "ip")
    assert unpack(tmp_path / f"out.csv.{packing}") == b""


@pytest.mark.parametrize("packing", PACK)
def test_damaged_compression_leaves_no_output(packing: str, tmp_path: Path, table_file: Path) -> None:
    rows, out = tmp_path / "rows.csv", tmp_path / "out.csv"
    packed = PACK[packing](CSV)
    damaged = [packed[: len(packed) // 2], packed[:12], packed[:-1]]
    # The other formats have no checksums as pyarrow writes them.
    if packing in ("gz", "bz2", "xz"):
        changed = bytearray(packed)
        changed[len(packed) // 2] ^= 0xFF
        damaged.append(bytes(changed))
    for data in damaged:
        rows.write_bytes(data)
        with pytest.raises(Error, match=r"rows\.csv"):
            enrich(rows, out, table_file, "ip")
        assert not out.exists()
    piped = command("-t", table_file, "-f", "ip", stdin=damaged[0])
    assert piped.returncode == 1, piped.stderr
    assert b"fingerpost: stdin" in piped.stderr
    assert b"Traceback" not in piped.stderr


def test_what_only_looks_compressed(tmp_path: Path, table_file: Path) -> None:
    (tmp_path / "rows.csv.gz").write_bytes(b"ip\n10.1.7.7\n")
    enrich(tmp_path / "rows.csv.gz", tmp_path / "out.csv", table_file, "ip", add="prefix")
    assert (tmp_path / "out.csv").read_bytes() == b"ip,prefix\n10.1.7.7,10.1.0.0/16\n"
    (tmp_path / "rows.csv").write_bytes(b"BZh9,ip\nx,10.1.7.7\n")
    enrich(tmp_path / "rows.csv", tmp_path / "out.csv", table_file, "ip", add="prefix")
    assert (tmp_path / "out.csv").read_bytes() == b"BZh9,ip,prefix\nx,10.1.7.7,10.1.0.0/16\n"


def test_parquet_is_compressed_by_columns_only(tmp_path: Path, table_file: Path) -> None:
    pq.write_table(pa.table({"ip": ["10.1.7.7"]}), tmp_path / "rows.parquet")
    (tmp_path / "rows.parquet.gz").write_bytes(gzip.compress((tmp_path / "rows.parquet").read_bytes()))
    with pytest.raises(ChoiceError, match=r"rows\.parquet\.gz: Parquet must be a plain file"):
        enrich(tmp_path / "rows.parquet.gz", tmp_path / "out.csv", table_file, "ip")
    with pytest.raises(ChoiceError, match=r"out\.parquet\.gz: Parquet compresses its columns itself"):
        enrich(tmp_path / "rows.parquet", tmp_path / "out.parquet.gz", table_file, "ip")
    assert list(tmp_path.glob("out*")) == []
