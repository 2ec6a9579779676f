"""`python -m fingerpost enrich`: its messages, exit codes, pipes and signals, and the examples in its guide."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pytest
from enrich_rows import command, write
from sizes import sized

from fingerpost._enrich.types import BATCH_ROWS


def test_exit_codes_and_words_of_the_command(tmp_path: Path, table_file: Path) -> None:
    rows = b"src,dst\n10.1.7.7,8.8.8.8\n9.9.9.9,\n"
    done = command(
        "-t", table_file, "-f", "src", "--field", "dst", "--columns", "prefix", "--stats", stdin=rows
    )
    assert (done.returncode, done.stdout) == (
        0,
        b"src,dst,src_prefix,dst_prefix\n10.1.7.7,8.8.8.8,10.1.0.0/16,\n9.9.9.9,,,\n",
    )
    assert b"2 rows: 1 matched, 1 missed, 0 without an address, 0 bad" in done.stderr
    assert command("-t", table_file, "-f", "src", stdin=b"src\nx\n").returncode == 3
    assert (
        command("-t", table_file, "-f", "src", "--on-miss", "error", stdin=b"src\n9.9.9.9\n").returncode == 3
    )
    failed = command("-t", table_file, "-f", "src", "--on-error", "fail", stdin=b"src\nx\n")
    assert failed.returncode == 1
    assert b"fingerpost: stdin: row 1, column 'src': 'x': unexpected 'x' at column 1" in failed.stderr
    missing = command("-t", table_file, "-f", "1", tmp_path / "none.csv")
    assert (missing.returncode, b"none.csv: No such file or directory" in missing.stderr) == (1, True)
    folder = command("-t", table_file, "-f", "1", tmp_path)
    assert (folder.returncode, b"Is a directory" in folder.stderr) == (1, True)
    assert command("-t", table_file, "-f", "nothing", stdin=rows).returncode == 2
    assert command("-t", table_file, stdin=rows).returncode == 2
    assert command("-f", "src", stdin=rows).returncode == 2
    assert command("-t", table_file, "-t", table_file, "-f", "src", stdin=rows).returncode == 2
    stream = command("-t", f"a={table_file}", "-f", "src", "--format", "arrow", stdin=rows)
    assert pa.ipc.open_stream(stream.stdout).read_all()["prefix"].to_pylist() == ["10.1.0.0/16", None]
    back = command(
        "-t",
        table_file,
        "-f",
        "src",
        "--format",
        "tsv",
        "--columns",
        "next_hop",
        "--rename",
        "next_hop=again",
        stdin=stream.stdout,
    )
    assert back.stdout.split(b"\n")[1] == b"10.1.7.7\t8.8.8.8\t10.1.0.0/16\tpeer-7\tpeer-7"
    (tmp_path / "pyarrow.py").write_text("raise ModuleNotFoundError('gone', name='pyarrow')")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    without = command("-t", table_file, "-f", "src", stdin=rows, PYTHONPATH=path)
    assert (without.returncode, b"pip install 'fingerpost[arrow]'" in without.stderr) == (1, True)


def test_pipes_by_name(tmp_path: Path, table_file: Path) -> None:
    def through_pipes(*contents: bytes) -> subprocess.CompletedProcess[bytes]:
        names, writers = [], []
        for number, content in enumerate(contents):
            names.append(tmp_path / f"pipe{number}")
            os.mkfifo(names[-1])
            writers.append(threading.Thread(target=_write_quietly, args=(names[-1], content), daemon=True))
            writers[-1].start()
        done = command("-t", table_file, "-f", "ip", "--columns", "prefix", *names)
        for writer in writers:
            writer.join(timeout=60)
        for name in names:
            name.unlink()
        return done

    rows = b"".join(b"10.1.7.7,%d\n" % i for i in range(100_000))
    done = through_pipes(b"ip,n\n" + rows, b"ip,n\n9.9.9.9,1\n")
    lines = done.stdout.splitlines()
    assert (done.returncode, len(lines), lines[:2]) == (
        0,
        100_002,
        [b"ip,n,prefix", b"10.1.7.7,0,10.1.0.0/16"],
    )
    assert lines[-2:] == [b"10.1.7.7,99999,10.1.0.0/16", b"9.9.9.9,1,"]
    assert through_pipes(b"ip\tn\n10.1.7.7\t1\n").stdout == b"ip\tn\tprefix\n10.1.7.7\t1\t10.1.0.0/16\n"
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, pa.schema({"ip": pa.string()})) as writer:
        writer.write_batch(pa.record_batch({"ip": ["10.1.7.7"]}))
    back = pa.ipc.open_stream(through_pipes(stream.getvalue()).stdout).read_all()
    assert back.to_pylist() == [{"ip": "10.1.7.7", "prefix": "10.1.0.0/16"}]
    write(pa.table({"ip": ["10.1.7.7"]}), tmp_path / "rows.parquet")
    refused = through_pipes((tmp_path / "rows.parquet").read_bytes())
    assert refused.returncode == 2
    assert b"pipe0: Parquet must be a plain file" in refused.stderr
    empty = through_pipes(b"")
    assert (empty.returncode, empty.stdout, empty.stderr) == (0, b"", b"")


def _write_quietly(path: Path, content: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):
        path.write_bytes(content)


@pytest.fixture(params=["columns", "program"])
def engine(request: pytest.FixtureRequest) -> list[str]:
    """Returns the option that chooses the reader for Parquet and Arrow, or nothing for the program."""
    return ["--csv-types=infer"] if request.param == "columns" else []


def test_a_closed_pipe_is_quiet(engine: list[str], tmp_path: Path, table_file: Path) -> None:
    write(pa.table({"ip": ["10.0.0.1"] * 200_000}), tmp_path / "in.csv")
    with subprocess.Popen(
        [sys.executable, "-m", "fingerpost", "enrich", *engine, "-t", table_file, "-f", "ip", tmp_path / "in.csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stdout is not None and run.stderr is not None
        run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait(60) == 0


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_it_leaves_nothing(
    sent: signal.Signals, engine: list[str], tmp_path: Path, table_file: Path
) -> None:
    out = tmp_path / "out.csv"
    with subprocess.Popen(
        [sys.executable, "-m", "fingerpost", "enrich", *engine, "-t", table_file, "-f", "ip", "-o", out],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stdin is not None and run.stderr is not None
        run.stdin.write(b"ip\n" + b"10.0.0.1\n" * 500_000)
        run.stdin.flush()
        limit = time.monotonic() + 60
        while not any(one.name.endswith((".part", ".tmp")) for one in tmp_path.iterdir()):
            assert time.monotonic() < limit
            time.sleep(0.02)
        # The pipe stays open, so a command that waited for more rows would not end.
        run.send_signal(sent)
        assert run.wait(60) == -sent
        assert b"Traceback" not in run.stderr.read()
        run.stdin.close()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["table.csv"]


# The file exists, but the call that created it has not returned yet. The signal must wait for that.
SIGNAL_WITHIN_OPEN = """
import os, signal, sys, time
from fingerpost.__main__ import main
from fingerpost._enrich import types

plain = os.open

def open_slowly(path, *rest):
    made = plain(path, *rest)
    if str(path).endswith(".part"):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.3)
        assert path not in types.unfinished
    return made

os.open = open_slowly
main(sys.argv[1:])
"""


def test_a_signal_while_the_file_is_made_leaves_nothing(tmp_path: Path, table_file: Path) -> None:
    arguments = ["enrich", "--csv-types=infer", "-t", table_file, "-f", "ip", "-o", tmp_path / "out.csv"]
    done = subprocess.run(
        [sys.executable, "-c", SIGNAL_WITHIN_OPEN, *map(str, arguments)],
        input=b"ip\n10.0.0.1\n",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, b"")
    assert [one.name for one in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("rows", [0, 500_000])
def test_an_open_pipe_does_not_keep_it_alive(rows: int, engine: list[str], table_file: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "fingerpost", "enrich", *engine, "-t", table_file, "-f", "ip", "--on-error", "fail"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stdin is not None and run.stderr is not None
        if rows:
            # It may end before all rows are written.
            with contextlib.suppress(BrokenPipeError):
                run.stdin.write(b"ip\nwrong\n" + b"10.0.0.1\n" * rows)
                run.stdin.flush()
            assert run.wait(60) == 1
            assert (b"row 1, column 'ip': 'wrong'" if engine else b"stdin:2: 'wrong'") in run.stderr.read()
        else:
            time.sleep(1)
            run.send_signal(signal.SIGTERM)
            assert run.wait(60) == -signal.SIGTERM
        with contextlib.suppress(BrokenPipeError):
            run.stdin.close()


def test_a_full_disk_is_told(table_file: Path) -> None:
    failed = command("-t", table_file, "-f", "ip", "-o", "/dev/full", stdin=b"ip\n10.0.0.1\n")
    assert (failed.returncode, failed.stderr) == (1, b"fingerpost: /dev/full: No space left on device\n")


def test_progress_is_for_terminals(tmp_path: Path, table_file: Path) -> None:
    write(pa.table({"ip": ["10.0.0.1"] * (BATCH_ROWS * sized(12, 40))}), tmp_path / "in.arrow")
    ours, theirs = os.openpty()
    arguments = ["-t", table_file, "-f", "ip", "-o", tmp_path / "out.parquet", tmp_path / "in.arrow"]
    run = [sys.executable, "-m", "fingerpost", "enrich", *map(str, arguments)]
    subprocess.run(run, stderr=theirs, check=True)
    os.close(theirs)
    assert b" rows/s" in os.read(ours, 10_000)
    os.close(ours)
    assert subprocess.run(run, capture_output=True, check=True).stderr == b""


def test_the_examples_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = Path(__file__).parents[3] / "docs" / "use" / "python_files.md"
    (tmp_path / "bin").mkdir()
    # The examples use the Python that runs the tests.
    script = tmp_path / "bin" / "python"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    blocks = guide.read_text().split("```console\n")[1:]
    assert blocks
    for block in blocks:
        commands = ("\n" + block.split("```")[0]).split("\n$ ")[1:]
        for one in commands:
            line, _, expected = one.partition("\n")
            shell = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True)
            assert shell.stdout.rstrip("\n") == expected.rstrip("\n")
    result = doctest.testfile(str(guide), module_relative=False, encoding="utf-8")
    assert (result.failed, result.attempted > 8) == (0, True)
