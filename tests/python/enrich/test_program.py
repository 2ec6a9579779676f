"""`python -m fingerpost` is the program: the pages of the program's tests have the same results, and `enrich` of rows
that the program reads has the same bytes. Only Parquet and Arrow go another way."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from enrich_rows import write
from sizes import sized

ROOT = Path(__file__).parents[3]
PAGES = sized(["info", "enrich-kinds"], ["info", "enrich-kinds", "enrich-json", "enrich-logs", "enrich-rows", "lookup", "convert"])
ZEEK = "#separator \\x09\n#fields\tts\tid.orig_h\n#types\ttime\taddr\n1.5\t10.1.2.3\n2.5\t-\n#close\t3\n"
CLOUD_TRAIL = '{"Records":[{"eventName":"a","sourceIPAddress":"10.1.2.3"},{"sourceIPAddress":"x.amazonaws.com"}]}\n'
NESTED = '{"source":{"ip":"10.1.2.3"},"hops":[{"ip":"10.9.9.9"}]}\n'
ROWS = {
    "conn.log": (ZEEK, "id.orig_h"),
    "flow.log": ("version srcaddr action\n2 10.1.2.3 ACCEPT\n2 - -\n", "srcaddr"),
    "trail.json": (CLOUD_TRAIL, "sourceIPAddress"),
    "nested.ndjson": (NESTED, "source.ip"),
    "list.ndjson": (NESTED, "hops[].ip"),
    "rows.csv": ('ip,x\n10.1.2.3,"q"\nbad,\n', "ip"),
}


@pytest.fixture
def program() -> str:
    """Returns the path of the program, or skips the test."""
    path = os.environ.get("FINGERPOST")
    if not path:
        pytest.skip("FINGERPOST does not name the program")
    return path


def run(command: list[str], *words: object, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    done = subprocess.run([*command, *map(str, words)], input=stdin, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


MODULE = [sys.executable, "-m", "fingerpost"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_the_program(page: str, program: str, tmp_path: Path) -> None:
    script = tmp_path / "fingerpost"
    path = os.environ.get("PYTHONPATH", "")
    script.write_text(
        "#!/bin/sh\ncase $1 in lookup|enrich|info|convert) ;; *) exec " + program + ' "$@";; esac\n'
        f'PYTHONPATH={path} exec {sys.executable} -m fingerpost "$@"\n'
    )
    script.chmod(0o755)
    done = subprocess.run(
        [sys.executable, ROOT / "tests/pages/run.py", ROOT / f"tests/pages/{page}.md"],
        env=os.environ | {"FINGERPOST": str(script)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_every_kind(name: str, program: str, tmp_path: Path, table_file: Path) -> None:
    text, field = ROWS[name]
    rows = tmp_path / name
    rows.write_text(text)
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    for file, stdin in ((rows, b""), (packed, b""), ("-", text.encode()), ("-", packed.read_bytes())):
        words = ["enrich", "-t", table_file, "-f", field, file]
        expected = run([program], *words, stdin=stdin)
        assert run(MODULE, *words, stdin=stdin) == expected
        assert expected[0] in (0, 3) and b"10." in expected[1]


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["lookup", "--help"],
        ["help", "lookup"],
        ["10.1.2.3"],
        ["lookup", "10.1.2.3", "nonsense"],
        ["lookup", "--no-such-option"],
        ["info", "--format", "json"],
        ["convert", "--to", "csv"],
        ["--version"],
    ],
    ids=" ".join,
)
def test_words_and_exit_codes(
    words: list[str], program: str, table_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FINGERPOST_TABLE", str(table_file))
    expected = run([program], *words)
    found = run(MODULE, *words)
    # The list of commands is shorter.
    assert found == expected or (words == ["--help"] and found[0] == 0 and b"  lookup" in found[1])


def test_the_help_has_the_options_of_parquet(program: str) -> None:
    code, found, _ = run(MODULE, "enrich", "--help")
    before, _, more = found.partition(b"\nParquet and Arrow, which need pyarrow:\n")
    assert (code, before) == (0, run([program], "enrich", "--help")[1])
    assert b"--csv-types infer|text" in more


def test_commands_that_only_the_program_has() -> None:
    assert run(MODULE, "grep", "10.0.0.0/8") == (
        2,
        b"",
        b"fingerpost: grep: only the program `fingerpost` has this command\n",
    )
    code, _, words = run(MODULE, "lokup")
    assert (code, b"lookup" in words) == (2, True)


def test_parquet_and_arrow_from_any_place(tmp_path: Path, table_file: Path) -> None:
    rows = pa.table({"source": [{"ip": "10.1.2.3"}, None, {"ip": "bad"}]})
    write(rows, tmp_path / "rows.parquet")
    (tmp_path / "rows").write_bytes((tmp_path / "rows.parquet").read_bytes())
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, rows.schema) as writer:
        writer.write_table(rows)
    out = tmp_path / "out.parquet"
    for file, stdin in (("rows.parquet", b""), ("rows", b""), ("-", bytes(stream.getvalue()))):
        place = tmp_path / file if file != "-" else "-"
        code, _, words = run(
            MODULE, "enrich", "-t", table_file, "-f", "source.ip", "-o", out, place, stdin=stdin
        )
        assert (code, b"column 'source.ip': 'bad'" in words) == (3, True)
        assert pq.read_table(out)["prefix"].to_pylist() == ["10.1.2.3/32", None, None]
        # Standard input is recognised by its bytes.
        code, text, _ = run(
            MODULE, "enrich", "-t", table_file, "-f", "source.ip", "--format=arrow", place, stdin=stdin
        )
        assert pa.ipc.open_stream(text).read_all()["next_hop"][0].as_py() == 'a "b", c'
    with tmp_path.joinpath("stdin").open("wb") as to:
        to.write(bytes(stream.getvalue()))
    with tmp_path.joinpath("stdin").open("rb") as stdin_file:
        words_of = [*MODULE, "enrich", "-t", str(table_file), "-f", "source.ip"]
        done = subprocess.run(words_of, stdin=stdin_file, capture_output=True, check=False)
    assert pa.ipc.open_stream(done.stdout).read_all().num_rows == 3


def test_an_output_of_another_kind_is_refused(program: str, tmp_path: Path, table_file: Path) -> None:
    write(pa.table({"ip": ["10.1.2.3"]}), tmp_path / "rows.parquet")
    (tmp_path / "rows.csv").write_text("ip\n10.1.2.3\n")
    (tmp_path / "rows.ndjson").write_text(json.dumps({"ip": "10.1.2.3"}) + "\n")
    (tmp_path / "conn.log").write_text(ZEEK)
    common = ["enrich", "-t", table_file, "-f", "ip"]
    for rows, out, reason in (
        ("rows.parquet", "x.ndjson", b".ndjson is not one of .parquet, .arrow, .csv and .tsv"),
        ("rows.csv", "x.ndjson", b"the output is csv, as the rows are"),
        ("rows.csv", "x.json.gz", b"the output is csv, as the rows are"),
        ("rows.ndjson", "x.parquet", b"rows.ndjson: among text, only CSV and TSV can become Parquet"),
        ("conn.log", "x.parquet", b"conn.log: among text, only CSV and TSV can become Parquet"),
    ):
        code, _, words = run(MODULE, *common, "-o", tmp_path / out, tmp_path / rows)
        assert (code, reason in words, (tmp_path / out).exists()) == (2, True, False), words
    for rows, out in (("rows.csv", "x.parquet"), ("rows.parquet", "x.csv")):
        assert run([program], *common, "-o", tmp_path / out, tmp_path / rows)[0] in (1, 2)
        assert run(MODULE, *common, "-o", tmp_path / out, tmp_path / rows)[0] == 0


def test_the_program_needs_no_pyarrow(tmp_path: Path, table_file: Path) -> None:
    (tmp_path / "pyarrow.py").write_text("raise ModuleNotFoundError('gone', name='pyarrow')")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run(
        [*MODULE, "enrich", "-t", table_file, "-f", "ip"],
        input=b"ip\n10.9.9.9\n",
        capture_output=True,
        env=os.environ | {"PYTHONPATH": path},
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"ip,prefix,next_hop\n10.9.9.9,10.0.0.0/8,192.0.2.1\n")
