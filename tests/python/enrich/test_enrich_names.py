"""enrich(): order and names of added columns, which are unique, and cells that must not move to another column."""

from __future__ import annotations

from pathlib import Path

import pytest
from enrich_rows import command

from fingerpost import Error, enrich
from fingerpost._enrich.names import read_renamings


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table whose columns have the names of columns that the command adds."""
    path = tmp_path / "t.csv"
    path.write_text("network,prefix,address,b\n10.0.0.0/8,p,a,bb\n")
    return path


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text("src,dst\n10.1.1.1,11.1.1.1\n")
    return path


def enriched(rows: Path, table: Path, *options: object) -> list[str]:
    """Returns the output lines of the command."""
    done = command("-t", f"t={table}", *options, rows)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().splitlines()


def test_order_is_that_of_add(rows: Path, table: Path) -> None:
    lines = enriched(rows, table, "-f", "src", "--columns", "b,address,prefix")
    assert lines == ["src,dst,b,address,prefix", "10.1.1.1,11.1.1.1,bb,10.1.1.1,10.0.0.0/8"]
    lines = enriched(
        rows, table, "-t", f"x={table}", "-f", "src", "-f", "dst", "--columns", "b,address,prefix"
    )
    assert lines[0] == (
        "src,dst,src_t_b,src_x_b,src_address,src_t_prefix,src_x_prefix,dst_t_b,dst_x_b,dst_address,dst_t_prefix,dst_x_prefix"
    )


def test_columns_called_as_our_own_are_kept(rows: Path, table: Path) -> None:
    lines = enriched(rows, table, "-f", "src", "--rename", "prefix=net")
    assert lines == ["src,dst,net,prefix,address,b", "10.1.1.1,11.1.1.1,10.0.0.0/8,p,a,bb"]
    lines = enriched(
        rows,
        table,
        "-f",
        "src",
        "--rename",
        "prefix=net,address=asked",
        "--columns",
        "address,asked,prefix,net",
    )
    assert lines == ["src,dst,address,asked,prefix,net", "10.1.1.1,11.1.1.1,a,10.1.1.1,p,10.0.0.0/8"]
    lines = enriched(
        rows,
        table,
        "-f",
        "1",
        "-f",
        "2",
        "--columns",
        "b,prefix",
        "--rename",
        "prefix=net",
        "--rename",
        "dst_b=x,1=from",
    )
    assert lines[0] == "from,dst,src_b,src_prefix,x,dst_prefix"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "two of the added columns would be called 'prefix'; --rename prefix=NAME renames the first"),
        (
            ["--columns", "b", "--rename", "b=src"],
            "the rows already have a column 'src'; --rename src=NAME renames the added",
        ),
        (
            ["--columns", "b", "--rename", "2=src"],
            "the rows have two columns 'src'; --rename 1=NAME renames the first",
        ),
        (["--columns", "b,b"], "two of the added columns would be called 'b'"),
        (["--rename", "c=d"], "--rename: no column 'c'; columns: prefix, prefix, address, b"),
        (["--rename", "c"], "--rename: 'c' is not OLD=NEW,..."),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_no_name_comes_twice(
    options: list[str], words: str, kind: str, rows: Path, table: Path, tmp_path: Path
) -> None:
    done = command("-t", table, "-f", "src", *options, "-o", tmp_path / f"out.{kind}", rows)
    assert done.returncode == 2
    assert words in done.stderr.decode()
    assert not (tmp_path / f"out.{kind}").exists()


def test_lists_of_renamings() -> None:
    assert read_renamings("a=b,c=d=e") == [("a", "b"), ("c", "d=e")]
    assert read_renamings(r"a\,\=\\=b") == [("a,=\\", "b")]
    for text in ("", "a", "a=", "=a", "a=b,", ",a=b"):
        with pytest.raises(ValueError, match="is not OLD=NEW"):
            read_renamings(text)


@pytest.mark.parametrize(
    "text", ['ip,n\n10.0.0.1,"x\n10.0.0.2,y\n', 'ip,n\n10.0.0.9,z\n"10.0.0.1,x\n10.0.0.2,y\n']
)
def test_a_quote_without_an_end_swallows_no_rows(text: str, table: Path, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(text)
    with pytest.raises(Error, match="in.csv.*a quote is not closed"):
        enrich(tmp_path / "in.csv", tmp_path / "out.csv", table, "ip", add="b")
    assert not (tmp_path / "out.csv").exists()
    assert b'"x' not in command("-t", table, "-f", "ip", "--columns", "b", tmp_path / "in.csv").stdout


def test_lines_in_quotes_and_rows_of_other_sizes(table: Path, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('ip,n\n10.0.0.1\n10.0.0.2,"x\ny"\n10.0.0.3,1,2\n10.0.0.4,"x\ny"')
    report = enrich(tmp_path / "in.csv", tmp_path / "out.csv", table, "ip", add="b")
    assert (tmp_path / "out.csv").read_text() == 'ip,n,b\n10.0.0.2,"x\ny",bb\n10.0.0.4,"x\ny",bb\n'
    assert (report.rows, report.bad, report.written) == (4, 2, 2)


def test_carriage_returns_alone(table: Path) -> None:
    done = command("-t", table, "-f", "ip", stdin=b"ip,n\r10.0.0.1,x\r")
    assert done.returncode == 1
    assert b"its lines end in a carriage return alone" in done.stderr


@pytest.mark.parametrize(
    ("text", "address"), [("network,b\n10.0.0.0/8,bb\n", "::1"), ("network,b\n", "10.1.1.1")]
)
def test_absent_families_and_empty_tables_have_no_match(text: str, address: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    rows = tmp_path / "rows.csv"
    rows.write_text(f"src\n{address}\n")
    assert enriched(rows, path, "-f", "src") == ["src,prefix,b", f"{address},,"]
