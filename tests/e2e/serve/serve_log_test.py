#!/usr/bin/env python3
"""`fingerpost serve`: the access log in both forms, its rotation, a full disk, a slow reader, and log levels."""

import datetime
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

from serving import Server, equal, eventually, read_all, refuses_to_start, replace, run_cases, table_of, want

COMBINED = re.compile(
    r'(?P<client>\S+) - - \[(?P<time>[^]]+)\] "(?P<asked>(?:[^"\\]|\\.)*)" (?P<code>\d+) (?P<bytes>\d+) '
    r'"(?P<referer>(?:[^"\\]|\\.)*)" "(?P<agent>(?:[^"\\]|\\.)*)" (?P<seconds>\d+\.\d{6}) (?P<addresses>\d+)'
)


def lines_of(path: Path, count: int) -> list[str]:
    """Waits until the log has this many lines, which are written a moment after the answers."""
    eventually(lambda: path.exists() and len(path.read_bytes().splitlines()) >= count, f"{count} lines in {path}")
    text = path.read_bytes()
    want(text.endswith(b"\n"), f"a line is cut: {text[-200:]!r}")
    return text.decode("ascii").splitlines()


def writes_both_forms(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    evil = '" 200\\n\x7f\xe9\x9b[2J'.encode("latin-1")
    for form in ("text", "json"):
        log = folder / f"{form}.log"
        with Server(table, "--access-log", str(log), "--access-log-format", form) as server:
            server.post(["10.0.0.1", "11.0.0.1", "x"])
            server.ask("GET", "/lookup/10.0.0.1", fields={"Referer": "http://127.0.0.1/", "User-Agent": "a\tb"})
            server.ask("HEAD", "/healthz")
            server.ask("GET", "/nothing?a=" + "b" * 3000)
            with server.tcp() as client:
                # Control characters in headers are refused; other bytes are not.
                client.sendall(b"GET /lookup/%22\\ HTTP/1.0\r\nUser-Agent: " + evil.replace(b"\x7f", b"") + b"\r\n\r\n")
                read_all(client)
            with server.tcp() as client:
                client.sendall(b"nonsense\r\n\r\n")
                read_all(client)
            lines = lines_of(log, 6)
            equal(len(lines), 6, "a line an answer")
            equal(server.metric('fingerpost_serve_access_log_lines_total{result="lost"}'), 0, "lost lines")
        want(all(line.isprintable() for line in lines), f"a log that moves a terminal's cursor: {lines}")
        if form == "text":
            matches = [COMBINED.fullmatch(line) for line in lines]
            want(all(matches), f"not the combined format: {lines}")
            rows = [match.groupdict() for match in matches if match]
            when = datetime.datetime.strptime(rows[0]["time"], "%d/%b/%Y:%H:%M:%S %z")
            equal(rows[0]["asked"], "POST /lookup HTTP/1.1", "the request")
            equal((rows[1]["referer"], rows[1]["agent"]), ("http://127.0.0.1/", "a\\x09b"), "fields")
            equal((rows[2]["bytes"], rows[5]["asked"], rows[5]["agent"]), ("0", "-", "-"), "no body, no head")
            equal(rows[3]["asked"][-8:], "bbbbb...", "a long path is cut")
            equal(rows[4]["asked"], "GET /lookup/%22\\\\ HTTP/1.0", "a backslash")
            equal(rows[4]["agent"], '\\" 200\\\\n\\xe9\\x9b[2J', "other bytes")
        else:
            rows = [json.loads(line) for line in lines]
            when = datetime.datetime.fromisoformat(rows[0]["time"])
            equal((rows[0]["method"], rows[0]["target"], rows[0]["protocol"]), ("POST", "/lookup", "HTTP/1.1"), "the request")
            equal(rows[0]["host"], f"127.0.0.1:{server.port}", "the host")
            want(0 < int(rows[0]["port"]) < 65536 and 0 < float(rows[0]["seconds"]) < 10, f"port and time: {rows[0]}")
            equal((rows[1]["referer"], rows[1]["agent"], rows[0]["referer"]), ("http://127.0.0.1/", "a\tb", None), "fields")
            equal((rows[2]["bytes"], rows[5]["method"], rows[5]["target"]), (0, None, None), "no body, no head")
            equal((len(rows[3]["target"]), rows[3]["target"][-4:]), (1027, "b..."), "a long path is cut")
            equal(rows[4]["agent"], '" 200\\n\ufffd[2J', "other bytes")
        equal([row["client"] for row in rows], ["127.0.0.1"] * 6, "clients")
        equal([int(row["code"]) for row in rows], [200, 200, 200, 404, 200, 400], "codes")
        equal([int(row["addresses"]) for row in rows], [3, 1, 0, 0, 1, 0], "addresses")
        want(abs(when.timestamp() - time.time()) < 60, f"the time {when}")
        equal(log.stat().st_mode & 0o777 & ~0o640, 0, "others cannot read the log")


def is_rotated(folder: Path) -> None:
    """No line is lost or duplicated while the file is renamed repeatedly."""
    table = table_of(folder, "10.0.0.0/8 a")
    log = folder / "access.log"
    with Server(table, "--access-log", str(log), "--access-log-format", "json") as server:
        asked: list[str] = []
        ending = threading.Event()

        def ask() -> None:
            while not ending.is_set():
                asked.append(f"/lookup/10.0.0.{len(asked) % 250}?n={len(asked)}")
                server.ask("GET", asked[-1])

        client = threading.Thread(target=ask)
        client.start()
        for number in range(10):
            eventually(log.exists, "the log is opened again")
            log.rename(folder / f"access.{number}")
            server.send(signal.SIGUSR1 if number % 2 else signal.SIGHUP)
        eventually(log.exists, "the log is opened again")
        ending.set()
        client.join()
        # When a folder has its name, the log continues in the previous file.
        log.rename(folder / "access.10")
        log.mkdir()
        server.send(signal.SIGUSR1)
        server.says("access.log: Is a directory; still writing to the former file")
        asked.append("/last")
        server.ask("GET", asked[-1])
    files = [folder / f"access.{number}" for number in range(11)]
    seen = [json.loads(line)["target"] for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    equal(seen, asked, "lines of all files")
    want(sum(file.stat().st_size > 0 for file in files) > 2, "lines in few of the files")
    with Server(table) as server:
        server.send(signal.SIGUSR1)
        server.post(["10.0.0.1"])


def outlives_a_full_disk(folder: Path) -> None:
    """/dev/full accepts nothing, a file with a size limit accepts part of a line, and an unread pipe fills up."""
    table = table_of(folder, "10.0.0.0/8 a")
    with Server(table, "--access-log", "/dev/full") as server:
        server.post(["10.0.0.1"])
        server.says("/dev/full: No space left on device; lines wait; those beyond 4194304 bytes are lost")
        for _ in range(20):
            equal(server.post(["10.0.0.1"])[0]["next_hop"], "a", "answers with a full disk")
        equal(len(server.finds("No space left")), 1, "one message")
        begin = time.monotonic()
    want(time.monotonic() - begin < 10, "a full disk keeps the program from its end")
    # A file-size limit cuts a line in the middle. The rest follows when there is room again.
    log = folder / "access.log"
    words = ["prlimit", "--fsize=1000:unlimited", os.environ["FINGERPOST"], "serve", "-t", str(table), "--http", "127.0.0.1:0"]
    words += ["--access-log", str(log), "--access-log-format", "json"]
    if shutil.which("prlimit"):
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            port = 0
            while not port:
                port = int((re.findall(r"HTTP on http://127.0.0.1:(\d+)", process.stderr.readline()) or [0])[0])
            def ask(number: int) -> None:
                with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
                    client.sendall(f"GET /lookup/10.0.0.1?n={number} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                    want(read_all(client).startswith(b"HTTP/1.1 200"), "an answer with a full disk")
            for number in range(30):
                ask(number)
            want("File too large" in process.stderr.readline(), "the message of a full disk")
            equal(log.stat().st_size, 1000, "the file is full")
            subprocess.run(["prlimit", f"--pid={process.pid}", "--fsize=unlimited:unlimited"], check=True)
            eventually(lambda: len(log.read_bytes().splitlines()) == 30, "all lines once there is room")
            want("writing again; 0 lines were lost" in process.stderr.readline(), "the message of its end")
            process.terminate()
            equal(process.wait(20), 0, "exit code")
        numbers = [json.loads(line)["target"].split("=")[1] for line in log.read_text(encoding="utf-8").splitlines()]
        equal(numbers, [str(number) for number in range(30)], "no line is cut, lost or doubled")
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    refuses_to_start(1, "pipe: No such device or address", "-t", str(table), "--access-log", str(pipe))
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with Server(table, "--access-log", str(pipe)) as server:
        for _ in range(1500):
            server.ask("GET", "/nothing?" + "x" * 900)
        want(server.metric('fingerpost_serve_access_log_lines_total{result="written"}') < 1500, "the pipe takes all")
        equal(server.post(["10.0.0.1"])[0]["next_hop"], "a", "answers with a full pipe")
    os.close(reader)


def says_as_much_as_is_asked(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    said: dict[str, list[str]] = {}
    for level in ("error", "warning", "info", "debug"):
        path = folder / f"{level}.sock"
        words = [os.environ["FINGERPOST"], "serve", "-t", str(table), "--http", "0.0.0.0:0", "--socket", str(path)]
        with subprocess.Popen([*words, "--log-level", level], stderr=subprocess.PIPE, text=True) as process:
            eventually(path.exists, "the program answers")
            port = next(line.split()[1].rsplit(":", 1)[1] for line in ports_of(process.pid))
            with socket.create_connection(("127.0.0.1", int(port)), timeout=30) as client:
                client.sendall(b"GET /no\x1b HTTP/1.1\r\nHost: x\r\n\r\n")
                read_all(client)
            replace(table, "wrong\n")
            assert process.stderr is not None
            lines: list[str] = []
            while not lines or "reload failed" not in lines[-1]:
                lines.append(process.stderr.readline())
                want(lines[-1], f"the program ended: {lines}")
            process.terminate()
            said[level] = "".join([*lines, process.stderr.read()]).splitlines()
            replace(table, "10.0.0.0/8 a\n")
    marks = {"error": "reload failed", "warning": "is not a loopback address", "info": "HTTP on http://", "debug": ": 400 "}
    for place, level in enumerate(marks):
        for other, mark in enumerate(marks.values()):
            found = any(mark in line for line in said[level])
            equal(found, other <= place, f"{mark!r} at the level {level}: {said[level]}")
    want(all(line.isprintable() for lines in said.values() for line in lines), f"printable: {said}")


def ports_of(process: int) -> list[str]:
    """The listening TCP sockets of a process, as `PROTOCOL ADDRESS:PORT`."""
    inodes = set()
    for entry in Path(f"/proc/{process}/fd").iterdir():
        try:
            inodes.update(re.findall(r"socket:\[(\d+)\]", str(entry.readlink())))
        except FileNotFoundError:
            continue
    rows = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return [f"tcp 0.0.0.0:{int(row[1].split(':')[1], 16)}" for row in rows if row[3] == "0A" and row[9] in inodes]


if __name__ == "__main__":
    run_cases(writes_both_forms, is_rotated, outlives_a_full_disk, says_as_much_as_is_asked)
