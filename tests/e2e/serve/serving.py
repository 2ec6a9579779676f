"""Runs `fingerpost serve` for tests, with tables and a slow model of its answers."""

import http.client
import ipaddress
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from scripts import ALL, skip  # noqa: F401, for the tests

SEED = int(os.environ.get("FINGERPOST_SEED", "18"))

Row = dict[str, str | None]
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def want(holds: object, words: object) -> None:
    if not holds:
        sys.exit(f"{Path(sys.argv[0]).stem}: {words}")


def equal(got: object, wanted: object, words: str) -> None:
    want(got == wanted, f"{words}: {str(got)[:2000]!r} instead of {str(wanted)[:2000]!r}")


def eventually(holds: Callable[[], object], words: str, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not holds():
        want(time.monotonic() < end, f"not within {seconds} s: {words}")
        time.sleep(0.01)


class Model:
    """Longest match by definition: tries every length, the longest first."""

    def __init__(self, routes: dict[Network, str]) -> None:
        self.routes = routes
        self.by_length: dict[tuple[int, int], dict[int, Network]] = {}
        for network in routes:
            self.by_length.setdefault((network.version, network.prefixlen), {})[int(network.network_address)] = network
        self.lengths = sorted(self.by_length, reverse=True)

    def row(self, text: str) -> Row:
        address = ipaddress.ip_address(text)
        for version, length in self.lengths:
            if version == address.version:
                host = address.max_prefixlen - length
                found = self.by_length[version, length].get(int(address) >> host << host)
                if found is not None:
                    return {"address": text, "prefix": str(found), "next_hop": self.routes[found] or None}
        return {"address": text, "prefix": None, "next_hop": None}

    def rows(self, texts: list[str]) -> list[Row]:
        return [self.row(text) for text in texts]

    def line(self, text: str) -> str:
        row = self.row(text)
        return f"{row['prefix']}\t{row['next_hop'] or ''}" if row["prefix"] else "-"

    def text(self) -> str:
        return "".join(f"{network} {hop}".rstrip() + "\n" for network, hop in self.routes.items())


def random_networks(dice: random.Random, count: int) -> list[Network]:
    """Returns networks of both families, many of them nested."""
    found: dict[Network, None] = {}
    while len(found) < count:
        bits, base = (32, 10 << 24) if dice.random() < 0.5 else (128, 0x20010DB8 << 96)
        length = dice.choice([8, 12, 16, 20, 24, 28, 32] if bits == 32 else [32, 40, 48, 56, 64, 128])
        number = base | dice.getrandbits(bits - (8 if bits == 32 else 32)) >> dice.choice([0, 0, 8])
        number = number >> (bits - length) << (bits - length)
        network = ipaddress.IPv4Network((number, length)) if bits == 32 else ipaddress.IPv6Network((number, length))
        found[network] = None
    return list(found)


def random_addresses(dice: random.Random, networks: list[Network], count: int) -> list[str]:
    """Returns addresses: most are in some network, at its ends or inside; a few are in none."""
    texts = []
    for _ in range(count):
        network = dice.choice(networks)
        last = network.num_addresses - 1
        number = int(network.network_address) + dice.choice([0, last, dice.randint(0, last), -1, last + 1])
        number %= 1 << network.max_prefixlen
        texts.append(str(type(network.network_address)(number)))
    return texts


class Server:
    """Runs the program; `port` and `path` are its addresses. Without a table, the options name one."""

    def __init__(self, table: Path | str | None, *options: str, path: Path | None = None, http: bool = True) -> None:
        words = [os.environ["FINGERPOST"], "serve", *(["-t", str(table)] if table else []), *options]
        words += ["--http", "127.0.0.1:0"] if http else []
        words += ["--socket", str(path)] if path else []
        self.path = path
        self.port = 0
        self.said: list[str] = []
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        marks = ([r"HTTP on http://127\.0\.0\.1:(\d+)$"] if http else []) + ([r"lines on "] if path else [])
        eventually(
            lambda: self.process.poll() is not None or all(self.finds(mark) for mark in marks), "the program listens"
        )
        want(self.process.poll() is None, f"the program ended: {self.said}")
        if http:
            self.port = int(self.finds(marks[0])[0])

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.process.kill() if kind else self.stop()

    def listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line.rstrip("\n"))

    def finds(self, mark: str) -> list[str]:
        return [match[match.lastindex or 0] for line in self.said if (match := re.search(mark, line))]

    def says(self, mark: str) -> None:
        """Waits for a message. An answer may arrive before the message about an earlier event is read here."""
        eventually(lambda: self.finds(mark), f"the program says {mark!r}")

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def stop(self, number: signal.Signals = signal.SIGTERM, seconds: float = 20) -> None:
        self.send(number)
        self.ends(seconds)

    def ends(self, seconds: float = 20) -> None:
        equal(self.process.wait(seconds), 0, f"exit code after {self.said[-3:]}")
        self.listener.join(seconds)
        want(self.path is None or not self.path.exists(), "the socket's file is still there")

    def ask(
        self, method: str, target: str, body: bytes | str | None = None, fields: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, target, body, fields or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def post(self, addresses: list[str]) -> list[Row]:
        status, _, body = self.ask("POST", "/lookup", json.dumps(addresses))
        equal(status, 200, body.decode())
        rows: list[Row] = json.loads(body)
        return rows

    def tcp(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def unix(self) -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(30)
        made.connect(str(self.path))
        return made

    def get(self, target: str) -> object:
        """Returns the JSON answer of a target."""
        status, _, body = self.ask("GET", target)
        equal(status, 200, f"{target}: {body[:300]!r}")
        return json.loads(body)

    def metric(self, name: str) -> float:
        """Returns the value of one sample, with its labels."""
        text = self.ask("GET", "/metrics")[2].decode()
        found = [line.rsplit(" ", 1)[1] for line in text.splitlines() if line.rsplit(" ", 1)[0] == name]
        return float(found[0]) if found else 0.0

    def generation(self) -> int:
        facts: dict[str, int] = json.loads(self.ask("GET", "/healthz")[2])
        return facts["generation"]


def read_all(from_socket: socket.socket) -> bytes:
    """Reads until the other side closes."""
    parts = []
    while part := from_socket.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def replace(path: Path, text: str) -> None:
    """Replaces a file atomically, like programs that never leave an incomplete one."""
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def model_of(dice: random.Random, count: int, hop: str) -> Model:
    hops = [f"{hop}-plain", f"{hop}-\N{LATIN SMALL LETTER E WITH ACUTE}", ""]
    return Model({network: dice.choice(hops) for network in random_networks(dice, count)})


def table_of(folder: Path, *lines: str) -> Path:
    path = folder / "table.txt"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def read_answer(client: socket.socket) -> bytes:
    """Reads one answer from a connection that stays open."""
    got = b""
    while b"\r\n\r\n" not in got:
        part = client.recv(1 << 16)
        want(part, f"closed within the head of an answer: {got!r}")
        got += part
    head, body = got.split(b"\r\n\r\n", 1)
    want(head.startswith(b"HTTP/1.1 200"), head)
    size = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    while len(body) < size:
        part = client.recv(1 << 16)
        want(part, "closed within the body of an answer")
        body += part
    return body


def hop(server: Server) -> str | None:
    return server.post(["10.0.0.1"])[0]["next_hop"]


def refuses_to_start(code: int, mark: str, *options: str, given: str | None = None) -> None:
    words = [os.environ["FINGERPOST"], "serve", *options]
    done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=20, check=False)
    want(done.returncode == code and mark in done.stderr, f"{options}: exit {done.returncode}: {done.stderr}")


def run_cases(*cases: Callable[[Path], None]) -> None:
    """Runs each case in a temporary folder and prints its duration."""
    name = Path(sys.argv[0]).stem
    for case in cases:
        with tempfile.TemporaryDirectory() as scratch:
            begin = time.monotonic()
            case(Path(scratch))
            print(f"{name}: {case.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
    print(f"{name}: {len(cases)} cases")
