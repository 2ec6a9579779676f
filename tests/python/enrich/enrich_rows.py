"""Test data for enrich(): rows with addresses in every form, files of every kind, and the answers of single
lookups."""

from __future__ import annotations

import atexit
import contextlib
import csv
import functools
import gzip
import io
import ipaddress
import os
import pickle
import random
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from sizes import ALL

from fingerpost import Table

ROUTES = {
    "10.0.0.0/8": "192.0.2.1",
    "10.1.0.0/16": "peer-7",
    "10.1.2.3/32": 'a "b", c',
    "2001:db8::/32": "core",
    "2001:db8:1::/48": "édge",
}
ODD = [
    "10.1.2.3:80",
    "[2001:db8::1]:443",
    "2001:db8::1%eth0",
    " 10.1.9.9\t",
    "::ffff:10.1.0.1",
    "::FfFf:a01:203",
]
ODD += ["0:0:0:0:0:ffff:10.2.0.1", "[::ffff:10.1.0.1]:9", "0:0::0:ffff:10.1.0.7", "[10.1.2.3]"]
BAD = "x 10.0.0.256 10.0.0.1:999999 [10.0.0.1 0:0:ffff:10.1.0.1 2001:db8::1% 1.2.3.4%a:80 é :80".split()


def texts(count: int, seed: int = 1) -> list[str | None]:
    """Returns addresses as text; some are null, blank, invalid, or have a port or zone."""
    draw = random.Random(seed)

    def one() -> str | None:
        kind = draw.randrange(20)
        if kind == 0:
            return None
        if kind == 1:
            return draw.choice(["", "  "])
        if kind == 2:
            return draw.choice(BAD)
        if kind < 6:
            return draw.choice(ODD)
        if kind < 10:
            return str(ipaddress.IPv6Address((0x20010DB8 << 96) | draw.randrange(1 << 82)))
        return f"{draw.choice([10, 10, 11])}.{draw.randrange(4)}.{draw.randrange(4)}.{draw.randrange(5)}"

    return [one() for _ in range(count)]


def plain(text: str) -> str:
    """Returns the address without a port or zone. An IPv4-mapped address becomes IPv4."""
    text = text.strip(" \t")
    host = text
    if text.startswith("["):
        inside, closing, behind = text[1:].partition("]")
        if closing and (not behind or (behind[0] == ":" and behind[1:].isascii() and behind[1:].isdecimal())):
            host = inside.split("%")[0] if not inside.endswith("%") else inside
    else:
        before, colon, port = text.partition(":")
        if colon and "." in before and port.isdecimal() and len(port) <= 5:
            host = before
        elif "%" in text and not text.endswith("%"):
            host = text.split("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def answer(table: Table[Any], text: str | None) -> tuple[str | None, object]:
    """Returns prefix and value for one text, from a single lookup."""
    if text is None or not text.strip(" \t"):
        return None, None
    try:
        found = table.match(plain(text))
    except ValueError:
        return None, None
    return found or (None, None)


def write(rows: pa.Table, path: Path) -> None:
    suffix = path.name.split(".", 1)[1]
    if suffix == "parquet":
        pq.write_table(rows, path, row_group_size=1000)
    elif suffix == "arrow":
        with pa.ipc.new_file(path, rows.schema) as to:
            to.write_table(rows, max_chunksize=700)
    elif suffix == "arrows":
        with pa.ipc.new_stream(path, rows.schema) as to:
            to.write_table(rows, max_chunksize=700)
    else:
        plain_file = io.StringIO()
        writer = csv.writer(plain_file, delimiter="\t" if "tsv" in suffix else ",")
        writer.writerow(rows.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in rows.columns), strict=True))
        data = plain_file.getvalue().encode()
        path.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)


def read(path: Path) -> dict[str, list[object]]:
    suffix = path.name.split(".", 1)[1]
    if suffix == "parquet":
        return dict(pq.read_table(path).to_pydict())
    if suffix == "arrow":
        return dict(pa.ipc.open_file(path).read_all().to_pydict())
    if suffix == "arrows":
        return dict(pa.ipc.open_stream(path).read_all().to_pydict())
    data = path.read_bytes()
    text = (gzip.decompress(data) if suffix.endswith("gz") else data).decode()
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "tsv" in suffix else ","))
    return {name: [row[i] or None for row in rows[1:]] for i, name in enumerate(rows[0])}


@functools.cache
def command_server() -> socket.socket:
    """Returns the socket of command_server.py, which ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    script = Path(__file__).with_name("command_server.py")
    server = subprocess.Popen([sys.executable, script, str(theirs.fileno())], pass_fds=[theirs.fileno()])
    theirs.close()
    atexit.register(server.wait)
    atexit.register(ours.close)
    return ours


def command(*arguments: object, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Runs `python -m fingerpost enrich` in a child of command_server.py, or alone when all tests run.

    Rows of text are read for Parquet and Arrow, not by the program.
    """
    words = ["enrich", "--csv-types=infer", *map(str, arguments)]
    if ALL or environment:
        return subprocess.run(
            [sys.executable, "-m", "fingerpost", *words],
            input=stdin,
            capture_output=True,
            env=os.environ | environment,
            check=False,
        )
    reader, writer = os.pipe()

    def feed() -> None:
        with contextlib.suppress(BrokenPipeError), open(writer, "wb", buffering=0) as to:
            to.write(stdin)

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        server = command_server()
        socket.send_fds(server, [pickle.dumps(words)], [reader, out.fileno(), err.fileno()])
        os.close(reader)
        feeder = threading.Thread(target=feed)
        feeder.start()
        code = pickle.loads(server.recv(1 << 10))
        feeder.join()
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, code, out.read(), err.read())
