#!/usr/bin/env python3
"""`fingerpost serve` as a service: its systemd units, socket activation, and its system calls."""

import fcntl
import json
import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from serving import equal, eventually, read_all, run_cases, skip, table_of, want

ROOT = Path(__file__).resolve().parents[3]
UNITS = ROOT / "packaging/systemd"
MOST_EXPOSURE = 25  # tenths


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        skip(f"{name} is missing (tools/setup test)")
    return found


def units_are_good(folder: Path) -> None:
    """`systemd-analyze` reports no errors and an exposure of at most 2.5."""
    for name in ("fingerpost.service", "fingerpost.socket"):
        text = (UNITS / name).read_text(encoding="utf-8")
        # The program and its manual are not installed here.
        text = text.replace("ExecStart=fingerpost", f"ExecStart={Path(os.environ['FINGERPOST']).resolve()}")
        (folder / name).write_text(re.sub(r"^Documentation=.*\n", "", text, flags=re.MULTILINE), encoding="utf-8")
    files = [str(folder / name) for name in ("fingerpost.service", "fingerpost.socket")]
    done = subprocess.run([tool("systemd-analyze"), "verify", *files], capture_output=True, text=True, check=False)
    found = [line for line in done.stderr.splitlines() if "fingerpost" in line]
    equal((done.returncode, found), (0, []), "systemd-analyze verify")
    words = [tool("systemd-analyze"), "security", "--offline=true", f"--threshold={MOST_EXPOSURE}", "--no-pager"]
    done = subprocess.run([*words, str(UNITS / "fingerpost.service")], capture_output=True, text=True, check=False)
    exposure = re.search(r"Overall exposure level for fingerpost.service: (\d+\.\d)", done.stdout)
    want(done.returncode == 0 and exposure, done.stdout[-500:] + done.stderr)
    assert exposure is not None
    want(float(exposure[1]) * 10 <= MOST_EXPOSURE, exposure[0])
    print(f"serve_unit_test: {exposure[0]}")


def example_is_right(folder: Path) -> None:
    """Every key in the example exists, including those that are commented out."""
    text = (UNITS / "serve.toml").read_text(encoding="utf-8")
    keys = re.findall(r"^(?:# )?([a-z-]+) = ", text, re.MULTILINE)
    want(len(keys) >= 10 and len(set(keys)) == len(keys), keys)
    text = re.sub(r"^# ([a-z-]+ = )", r"\1", text, flags=re.MULTILINE)
    for real, here in (("/var/lib/fingerpost", folder), ("/run/fingerpost", folder), ("/var/log/fingerpost", folder)):
        text = text.replace(real, str(here))
    text = text.replace('"127.0.0.1:8080"', '"127.0.0.1:0"')
    table_of(folder, "10.0.0.0/8 a")
    config = folder / "serve.toml"
    config.write_text(text, encoding="utf-8")
    with subprocess.Popen([os.environ["FINGERPOST"], "serve", "--config", str(config)], stderr=subprocess.PIPE, text=True) as process:
        eventually(lambda: process.poll() is not None or (folder / "lookup.sock").exists(), "the socket of the example")
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(folder / "lookup.sock"))
            client.sendall(b"10.0.0.1\n")
            equal(client.recv(100), b"10.0.0.0/8\ta\n", "an answer")
        process.terminate()
        equal(process.wait(20), 0, "exit code")


def free_port(kind: socket.AddressFamily = socket.AF_INET, host: str = "127.0.0.1") -> int:
    with socket.socket(kind) as one:
        one.bind((host, 0))
        return int(one.getsockname()[1])


def is_started_by_a_client(folder: Path) -> None:
    """systemd's own tool listens, starts the program for the first client, and passes the sockets."""
    table = table_of(folder, "10.0.0.0/8 a")
    path, port = folder / "given.sock", free_port()
    words = [tool("systemd-socket-activate"), "-l", f"127.0.0.1:{port}", "-l", str(path), os.environ["FINGERPOST"], "serve"]
    words += ["-t", str(table), "--http", "127.0.0.1:1", "--socket", str(folder / "other.sock")]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        eventually(path.exists, "systemd-socket-activate listens")
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
                client.sendall(b"GET /lookup/10.0.0.1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                answer = read_all(client)
                equal(json.loads(answer.split(b"\r\n\r\n")[1])[0]["next_hop"], "a", "over HTTP")
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(path))
                client.sendall(b"10.0.0.1\n")
                equal(client.recv(100), b"10.0.0.0/8\ta\n", "on the unix socket")
        with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            want(read_all(client).startswith(b"HTTP/1.1 421"), "other hosts at a given socket of loopback")
        process.terminate()
        assert process.stderr is not None
        said = process.stderr.read()
        equal(process.wait(20), 0, "exit code")
    want(f"HTTP on http://127.0.0.1:{port}\n" in said and f"lines on {path}\n" in said, said)
    want(path.exists() and not (folder / "other.sock").exists(), "the file of a given socket is not ours")


def refuses_wrong_sockets(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    tcp, other, datagram = (socket.socket(socket.AF_INET, kind) for kind in (socket.SOCK_STREAM, socket.SOCK_STREAM, socket.SOCK_DGRAM))
    for one in (tcp, other):
        one.bind(("127.0.0.1", 0))
    tcp.listen()
    silent = socket.socket(socket.AF_INET)

    def start(given: list[socket.socket], process: str = "$$") -> subprocess.CompletedProcess[str]:
        def place() -> None:
            # Outside the range of descriptors that will be passed.
            copies = [fcntl.fcntl(one, fcntl.F_DUPFD, 100) for one in given]
            for at, copy in enumerate(copies):
                os.dup2(copy, 3 + at)

        words = [os.environ["FINGERPOST"], "serve", "-t", str(table), "--http", f"127.0.0.1:{tcp.getsockname()[1]}"]
        return subprocess.run(
            ["sh", "-c", f'export LISTEN_PID={process} LISTEN_FDS={len(given)}; exec "$0" "$@"', *words],
            preexec_fn=place,
            close_fds=False,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )

    for given, mark in (
        ([datagram], "descriptor 3 is not a listening stream socket"),
        ([silent], "descriptor 3 is not a listening stream socket"),
        ([tcp, other], "descriptor 4 is not a listening stream socket"),
        ([tcp, tcp], "two sockets for HTTP; only one can be served"),
    ):
        done = start(given)
        want(done.returncode == 1 and mark in done.stderr, f"{mark}: exit {done.returncode}: {done.stderr}")
    # Variables meant for another process are ignored, so the program opens the port itself and finds it in use.
    done = start([tcp], "1")
    want(done.returncode == 1 and "Address already in use" in done.stderr, f"another process: {done.stderr}")


def system_calls_are_allowed(folder: Path) -> None:
    """The program makes no system call that the unit filters: it runs under strace, with a reload, a log rotation and a shutdown."""
    if shutil.which("strace") is None:
        print("serve_unit_test: system_calls_are_allowed: SKIPPED: strace is missing")
        return
    text = (UNITS / "fingerpost.service").read_text(encoding="utf-8")
    allowed: set[str] = set()
    for line in re.findall(r"^SystemCallFilter=(.+)$", text, re.MULTILINE):
        names = calls_of(line.lstrip("~").split())
        allowed = allowed - names if line.startswith("~") else allowed | names
    want({"read", "epoll_wait"} <= allowed and not {"setrlimit", "mount"} & allowed, "the filter of the unit")
    table = table_of(folder, "10.0.0.0/8 a", "2001:db8::/32 b")
    path, log = folder / "s.sock", folder / "access.log"
    words = ["strace", "-f", "-qq", "-o", str(folder / "calls"), "-e", "signal=none", os.environ["FINGERPOST"], "serve", "-t", str(table)]
    words += ["--http", f"127.0.0.1:{free_port()}", "--socket", str(path), "--access-log", str(log)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = ""
        while "lines on" not in line:
            line = process.stderr.readline()
            want(line, f"the program ended: {process.poll()}")
        server = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()[0])
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            client.sendall(b"10.0.0.1\n")
            equal(client.recv(100), b"10.0.0.0/8\ta\n", "an answer")
        port = int(words[words.index("--http") + 1].rsplit(":", 1)[1])
        for target in ("/", "/metrics", "/version", "/covers/10.0.0.1", "/lookup/2001:db8::1"):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
                client.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n".encode())
                want(read_all(client).startswith(b"HTTP/1.1 200"), target)
        os.kill(server, signal.SIGHUP)
        while "reopened" not in line and "reloaded" not in line:
            line = process.stderr.readline()
        os.kill(server, signal.SIGTERM)
        process.stderr.read()
        process.wait(30)
    calls = set(re.findall(r"^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed)", (folder / "calls").read_text(encoding="utf-8"), re.MULTILINE))
    want(len(calls) > 20, f"few system calls: {calls}")
    # execve is strace's own call; systemd makes it for the service.
    equal(sorted(calls - allowed - {"execve"}), [], "system calls that the unit refuses")


def calls_of(names: list[str]) -> set[str]:
    """Expands systemd's groups of system calls, as listed by `systemd-analyze syscall-filter`."""
    found: set[str] = set()
    for name in names:
        if not name.startswith("@"):
            found.add(name)
            continue
        listed = subprocess.run([tool("systemd-analyze"), "syscall-filter", name], capture_output=True, text=True, check=True).stdout
        found |= calls_of([line.strip() for line in listed.splitlines()[1:] if line.strip() and not line.strip().startswith("#")])
    # Every allow list implies these too.
    return found | (calls_of(["@default"]) if names == ["@system-service"] else set())


if __name__ == "__main__":
    run_cases(units_are_good, example_is_right, is_started_by_a_client, refuses_wrong_sockets, system_calls_are_allowed)
