"""Options that the program and `python -m fingerpost enrich` share have the same rows, messages and exit codes."""

from __future__ import annotations

import gzip
import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from enrich_rows import command, write

from fingerpost import Error, Table, enrich

TABLE = 'network,v\n10.0.0.0/8,a\n2001:db8::/32,b\n10.1.1.1/16,"c,\td\\"\n'
ROWS = 'ip,x\n10.1.2.3,"q\n2001:db8::1,z\n10.9.9.9,a"b"\nwhat,"\n8.8.8.8,\n'


@pytest.fixture
def program() -> str:
    """Returns the path of the program, or skips the test."""
    path = os.environ.get("FINGERPOST")
    if not path:
        pytest.skip("FINGERPOST does not name the program")
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Returns a table with a prefix that has host bits."""
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


def theirs(program: str, *arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    run = [program, "enrich", *map(str, arguments)]
    return subprocess.run(run, input=stdin, capture_output=True, check=False)


@pytest.mark.parametrize(
    "options",
    [
        ["-f", "ip", "--no-quotes"],
        ["-f", "1", "--no-header", "--no-quotes"],
        ["-f", "1", "--no-header", "--no-quotes", "-f", "2"],
        ["-f", "column1", "--no-header", "--no-quotes"],
        ["-f", "ip", "--no-quotes", "--family", "4"],
        ["-f", "ip", "--no-quotes", "--family", "6"],
        ["-f", "ip", "--no-quotes", "--scheme", "poptrie"],
        ["-f", "ip", "--no-quotes", "--family", "4", "--scheme", "dir_24_8"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_rows_are_those_of_the_program(
    kind: str, options: list[str], program: str, table: Path, tmp_path: Path
) -> None:
    rows = tmp_path / f"rows.{kind}"
    rows.write_text(ROWS if kind == "csv" else ROWS.replace(",", "\t"))
    expected = theirs(program, "-t", table, "--format", kind, *options, rows)
    done = command("-t", table, *options, rows)
    assert (done.returncode, done.stdout) == (expected.returncode, expected.stdout)
    assert done.returncode == 3


@pytest.mark.parametrize(
    ("name", "between"),
    [(name, between) for name in ("rows.txt", "rows.csv", "rows.log.gz", "-") for between in "\t,"]
    + [("rows.tsv", "\t")],
)
def test_the_first_line_tells_what_is_between_fields(
    name: str, between: str, program: str, table: Path, tmp_path: Path
) -> None:
    text = f"a b{between}ip\nx{between}10.1.2.3\n"
    rows = tmp_path / name if name != "-" else name
    if name.endswith(".gz"):
        tmp_path.joinpath(name).write_bytes(gzip.compress(text.encode()))
    elif name != "-":
        tmp_path.joinpath(name).write_text(text, newline="")
    expected = theirs(program, "-t", table, "-f", "ip", rows, stdin=text.encode())
    done = command("-t", table, "-f", "ip", rows, stdin=text.encode())
    assert (done.returncode, done.stdout) == (expected.returncode, expected.stdout)
    assert b"10.1.2.3" in done.stdout and b"10.1.0.0/16" in done.stdout


@pytest.mark.parametrize(
    "options",
    [
        ["-f", "ip", "--strict"],
        ["-f", "ip", "--no-header"],
        ["--no-header"],
        [],
        ["-f", "none"],
        ["-f", "ip", "--scheme", "dir_24_8"],
        ["-f", "ip", "--family", "5"],
        ["-f", "ip", "--threads", "2000"],
        ["-f", "ip", "--on-error", "never"],
        ["-f", "ip", "--columns", "prefix,,v"],
        ["-f", "ip", "--columns", "w"],
    ],
    ids=" ".join,
)
def test_words_are_those_of_the_program(
    options: list[str], program: str, table: Path, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text(ROWS.replace('"', ""))
    expected = theirs(program, "-t", table, "--format", "csv", *options, rows)
    done = command("-t", table, *options, rows)
    last = expected.stderr.splitlines()[-1]
    assert (done.returncode, done.stderr.splitlines()[-1]) == (expected.returncode, last)
    assert done.returncode in (1, 2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--regex", "x"], "--regex does not apply to Parquet and Arrow"),
        (["--where=a=b"], "--where does not apply to Parquet and Arrow"),
        (["--on-miss", "keep"], "--on-miss: 'keep' is not one of empty, drop, error"),
        (["--format", "ndjson"], "--format: 'ndjson' is not one of parquet, arrow, csv, tsv"),
        (["--no-header"], "--no-header does not apply to parquet"),
        (["--no-quotes"], "--no-quotes does not apply to parquet"),
        (["--scheme", "poptri"], "did you mean poptrie?"),
        (["-t", "-", "-"], "--table: several tables need names; use NAME="),
        (["-", "-"], "enrich: only one of the tables and the inputs can come from stdin"),
    ],
)
def test_options_without_a_meaning(options: list[str], words: str, table: Path, tmp_path: Path) -> None:
    write(pa.table({"ip": ["10.0.0.1"]}), tmp_path / "in.parquet")
    done = command("-t", table, "-f", "1", *options, tmp_path / "in.parquet")
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()


def test_without_a_header_columns_have_numbers(table: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_bytes(b"\xef\xbb\xbf10.1.2.3,7\n8.8.8.8,8\n")
    for _ in range(2):
        enrich([rows, rows], tmp_path / "out.parquet", table, 1, no_header=True, add=["prefix"])
        assert pq.read_table(tmp_path / "out.parquet").to_pydict() == {
            "1": ["10.1.2.3", "8.8.8.8"] * 2,
            "2": [7, 8] * 2,
            "prefix": ["10.1.0.0/16", None] * 2,
        }
        rows.write_bytes(b"10.1.2.3,7\n8.8.8.8,8")
    rows.write_bytes(b"")
    with pytest.raises(Error, match="rows.csv: empty file; without a header, the first row"):
        enrich(rows, tmp_path / "out.parquet", table, 1, no_header=True)


def test_empty_files_add_nothing(program: str, table: Path, tmp_path: Path) -> None:
    rows, empty, out = tmp_path / "rows.csv", tmp_path / "empty.csv", tmp_path / "out.csv.gz"
    rows.write_bytes(b"ip\n10.1.2.3\n")
    empty.write_bytes(b"")
    for files in ([empty], [empty, rows], [rows, empty], ["-"], ["-", rows, empty]):
        for more in (["-f", "ip"], ["-f", "1", "--no-header"], ["-f", "ip", "--no-header"]):
            expected = theirs(program, "-t", table, *more, *files)
            done = command("-t", table, *more, *files)
            assert (done.returncode, done.stdout) == (expected.returncode, expected.stdout), (files, more)
    blank = tmp_path / "blank.csv"
    blank.write_bytes(b"\xef\xbb\xbf" + b" \r\n" * 1_000_000)
    report = enrich([blank, empty], out, table, "ip")
    assert (report.rows, report.written, gzip.decompress(out.read_bytes())) == (0, 0, b"")
    blank.write_bytes(blank.read_bytes() + b"ip\n10.1.2.3\n")
    enrich([empty, blank], out, table, "ip", add=["v"])
    assert gzip.decompress(out.read_bytes()) == b'ip,v\n10.1.2.3,"c,\td\\"\n'
    with pytest.raises(ValueError, match="^add: no column 'w'"):
        enrich(empty, out, table, "ip", add=["w"])
    with pytest.raises(Error, match="empty.csv: empty file"):
        enrich(empty, out, table, [])


def test_a_table_can_come_from_stdin(table: Path, tmp_path: Path) -> None:
    write(pa.table({"ip": ["10.0.0.1"]}), tmp_path / "in.csv")
    done = command(
        "-t", "u=-", "-t", f"t={table}", "-f", "ip", tmp_path / "in.csv", stdin=b"10.0.0.0/8 hop\n"
    )
    assert done.stdout == b"ip,u_prefix,u_next_hop,t_prefix,t_v\n10.0.0.1,10.0.0.0/8,hop,10.0.0.0/8,a\n"


def test_readers_of_tables_have_the_same_choices(table: Path, tmp_path: Path) -> None:
    assert list(Table.from_csv(table, family=6)) == ["2001:db8::/32"]
    assert list(Table.from_file(table, family=4)) == ["10.0.0.0/8", "10.1.0.0/16"]
    assert Table.from_file(table, scheme="poptrie").scheme == "poptrie"
    with pytest.raises(Error, match=r"bits past the prefix length are set \(the prefix is 10.1.0.0/16\)"):
        Table.from_csv(table, strict=True)
    with pytest.raises(TypeError, match="strict must be True or False, not 'yes'"):
        Table.from_csv(table, strict="yes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="family must be 4 or 6, not 5"):
        Table.from_csv(table, family=5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'none' is not one of "):
        Table.from_csv(table, scheme="none")
    whole = Table.from_csv(table)
    whole.save(tmp_path / "image")
    image = Table.from_file(tmp_path / "image", family=6, scheme="poptrie")
    assert (list(image.items()), image.scheme) == ([("2001:db8::/32", "b")], "poptrie")
    text = tmp_path / "text"
    text.write_text("10.0.0.1/8 a\n::/0 b\n")
    assert dict(Table.from_text(text, family=6, scheme="art").items()) == {"::/0": "b"}
    with pytest.raises(ValueError, match="are for tables from files, not for a fingerpost.Table"):
        enrich(table, tmp_path / "out.csv", whole, "network", family=4)
    with pytest.raises(ValueError, match="family=5: must be 4 or 6"):
        enrich(table, tmp_path / "out.csv", tmp_path / "image", "network", family=5)  # type: ignore[arg-type]
