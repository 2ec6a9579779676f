"""Ctrl-C while an image is saved: the file is complete, old or new, and no temporary file remains."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from fingerpost import Table

CODE = """
import signal, sys, fingerpost
# What runs in the background of a shell has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
table = fingerpost.Table((((i << 8, 24, 4), i) for i in range(50_000)), values=int)
print("ready", flush=True)
try:
    while True:
        table.save(sys.argv[1])
except KeyboardInterrupt:
    sys.exit(5)
"""


def hidden(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(".fingerpost-")]


def test_ctrl_c_leaves_a_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "table.image"
    Table({"0.0.0.0/8": 7}, values=int).save(file)
    with subprocess.Popen([sys.executable, "-c", CODE, file], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"ready\n"
        end = time.monotonic() + 60
        while not hidden(tmp_path):
            assert time.monotonic() < end and run.poll() is None
            time.sleep(0.0005)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == 5
    assert os.listdir(tmp_path) == [file.name]
    assert Table.open(file).lookup("0.0.1.1") in (7, 1)
