#!/usr/bin/env python3
"""`fingerpost serve`: slow clients, many clients, clients that do not read, and its limits."""

import contextlib
import json
import os
import random
import select
import socket
import threading
import time
from pathlib import Path

from serving import (
    SEED,
    Server,
    equal,
    eventually,
    hop,
    model_of,
    random_addresses,
    read_all,
    read_answer,
    run_cases,
    table_of,
    want,
)


def slow_clients_hold_up_nobody(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    post = b"POST /lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\n10.0"
    halves = [b"", b"GET /lookup/10.0.0.1 HT", post]
    with Server(table, "--timeout", "2", "--threads", "1") as server, contextlib.ExitStack() as open_ones:
        start = time.monotonic()
        clients = [(half, open_ones.enter_context(server.tcp())) for half in halves * 30]
        for half, client in clients:
            client.sendall(half)
        # A client that never pauses for long and never finishes.
        dripping = open_ones.enter_context(server.tcp())
        ended = threading.Event()
        threading.Thread(target=drip, args=(dripping, ended), daemon=True).start()
        for _ in range(20):
            begin = time.monotonic()
            equal(server.post(["10.0.0.1"])[0]["next_hop"], "a", "between slow clients")
            want(time.monotonic() - begin < 1, "slow clients hold others up")
        for half, client in clients:
            got = read_all(client)
            want(got.startswith(b"HTTP/1.1 408") if half else got == b"", f"{half!r}: {got!r}")
        want(read_all(dripping).startswith(b"HTTP/1.1 408"), "a request that drips in")
        ended.set()
        want(1.5 < time.monotonic() - start < 15, f"half requests ended after {time.monotonic() - start} s")
        eventually(lambda: server.metric('fingerpost_serve_connections{by="http"}') == 1, "connections end")
        equal(server.metric('fingerpost_serve_http_requests_total{code="408"}'), 61, "408 counted")


def drip(client: socket.socket, ended: threading.Event) -> None:
    with contextlib.suppress(OSError):
        client.sendall(b"GET /lookup/10.0.0.1 HTTP/1.1\r\n")
        while not ended.wait(0.1):
            client.sendall(b"X: y\r\n")


def clients_that_do_not_read_are_bounded(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 " + "a" * 200)
    with Server(table, "--timeout", "2", "--max-addresses", "100000", path=folder / "s.sock") as server:
        before = memory_of(server)
        with server.unix() as client, server.tcp() as other:
            client.settimeout(1)
            sent = 0
            with contextlib.suppress(TimeoutError):
                while sent < 100 << 20:
                    sent += client.send(b"10.0.0.1\n" * 10000)
            want(sent < 16 << 20, f"{sent} bytes were taken of a client that does not read")
            want(memory_of(server) - before < 32 << 20, f"{memory_of(server) - before} bytes for one client")
            # An answer of 24 MB that the client does not read.
            body = b"10.0.0.1\n" * 90000
            head = b"POST /lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
            other.sendall(head % len(body) + body)
            with server.unix() as quick:
                quick.sendall(b"11.0.0.1\n")
                equal(quick.recv(100), b"-\n", "another client")
            eventually(lambda: server.metric('fingerpost_serve_connections{by="http"}') == 1, "it is dropped")
            # Every line is answered once the client reads.
            client.settimeout(30)
            threading.Thread(target=client.shutdown, args=(socket.SHUT_WR,)).start()
            got = read_all(client)
            whole, rest = divmod(sent, 9)
            equal(got.count(b"\n"), whole + (rest != 0), "lines answered")


def memory_of(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmRSS:"))


def many_at_once(folder: Path) -> None:
    dice = random.Random(SEED + 1)
    model = model_of(dice, 500, "a")
    table = folder / "table.txt"
    table.write_text(model.text(), encoding="utf-8")
    options = ("--max-connections", "210")
    with Server(table, *options, path=folder / "s.sock") as server, contextlib.ExitStack() as open_ones:
        http_ones = [open_ones.enter_context(server.tcp()) for _ in range(200)]
        line_ones = [open_ones.enter_context(server.unix()) for _ in range(200)]
        for _ in range(3):
            texts = random_addresses(dice, list(model.routes), 200)
            for text, one, other in zip(texts, http_ones, line_ones, strict=True):
                one.sendall(f"GET /lookup/{text} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                other.sendall(f"{text}\n".encode())
            for text, one, other in zip(texts, http_ones, line_ones, strict=True):
                equal(json.loads(read_answer(one)), [model.row(text)], "one of 200 connections")
                equal(other.recv(1000).decode(), model.line(text) + "\n", "one of 200 clients")
        # Clients above the limit get an error immediately.
        more = [open_ones.enter_context(server.tcp()) for _ in range(15)]
        tell_refusal(more, 5, b"HTTP/1.1 503")
        more = [open_ones.enter_context(server.unix()) for _ in range(15)]
        tell_refusal(more, 5, b"! too many clients\n")
        for one in http_ones:
            one.close()
        eventually(lambda: len(refused_or_not(server)) == 1, "there is room again")
        equal(server.metric('fingerpost_serve_refused_connections_total{by="socket"}'), 5, "refusals counted")


def refused_or_not(server: Server) -> list[int]:
    with contextlib.suppress(OSError):
        return [1] if server.ask("GET", "/healthz")[0] == 200 else []
    return []


def tell_refusal(clients: list[socket.socket], count: int, mark: bytes) -> None:
    eventually(lambda: len(select.select(clients, [], [], 0)[0]) >= count, f"{count} clients are refused")
    refused_ones = select.select(clients, [], [], 0.2)[0]
    equal(len(refused_ones), count, "clients refused")
    equal([client.recv(1000)[: len(mark)] for client in refused_ones], [mark] * count, "words for refused clients")


def few_descriptors(folder: Path) -> None:
    """The server keeps running when the system has no descriptors left, and logs this."""
    table = table_of(folder, "10.0.0.0/8 a")
    program = folder / "few"
    program.write_text(f'#!/bin/sh\nexec prlimit --nofile=40:40 {os.environ["FINGERPOST"]} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    given = os.environ["FINGERPOST"]
    os.environ["FINGERPOST"] = str(program)
    try:
        with Server(table) as server, contextlib.ExitStack() as open_ones:
            server.says("is too low for --max-connections")
            for _ in range(60):
                open_ones.enter_context(server.tcp())
            server.says("cannot accept connections: Too many open files")
            open_ones.close()
            equal(hop(server), "a", "afterwards")
    finally:
        os.environ["FINGERPOST"] = given


if __name__ == "__main__":
    run_cases(slow_clients_hold_up_nobody, clients_that_do_not_read_are_bounded, many_at_once, few_descriptors)
