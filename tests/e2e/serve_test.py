#!/usr/bin/env python3
"""`fingerpost serve`: answers against a slow model, limits, clients that are slow or many, reloads, and the end."""

import contextlib
import gzip
import ipaddress
import json
import os
import random
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from serving import Model, Server, equal, eventually, random_addresses, random_networks, read_all, replace, want

SEED = int(os.environ.get("FINGERPOST_SEED", "18"))


def model_of(dice: random.Random, count: int, hop: str) -> Model:
    hops = [f"{hop}-plain", f"{hop}-\N{LATIN SMALL LETTER E WITH ACUTE}", ""]
    return Model({network: dice.choice(hops) for network in random_networks(dice, count)})


def table_of(folder: Path, *lines: str) -> Path:
    path = folder / "table.txt"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def refused(server: Server, status: int, mark: str, method: str, target: str, body: bytes | str | None = None) -> None:
    got, headers, answer = server.ask(method, target, body)
    equal(got, status, f"{method} {target}: {answer[:300]!r}")
    equal(headers["Content-Type"], "application/json", f"{method} {target}")
    want(mark in json.loads(answer)["error"], f"{method} {target}: {answer!r}")


def answers_like_the_model(folder: Path) -> None:
    dice = random.Random(SEED)
    model = model_of(dice, 3000, "a")
    table = folder / "table.txt"
    table.write_text(model.text(), encoding="utf-8")
    texts = random_addresses(dice, list(model.routes), 6000)
    with Server(table, path=folder / "s.sock") as server:
        wanted = model.rows(texts)
        want(1000 < sum(row["prefix"] is not None for row in wanted) < 6000, "few addresses match, or all")
        equal(server.post(texts), wanted, "a JSON array of several batches")
        lines = "\r\n".join(texts[:2500]) + "\n\n"
        equal(json.loads(server.ask("POST", "/lookup", lines)[2]), wanted[:2500], "lines")
        query = "&".join(f"address={text}" for text in texts[:150])
        status, headers, body = server.ask("GET", f"/lookup?{query}")
        equal((status, json.loads(body), headers["Fingerpost-Generation"]), (200, wanted[:150], "1"), "a query")
        for text, row in zip(texts[:100], wanted[:100], strict=True):
            equal(json.loads(server.ask("GET", f"/lookup/{text}")[2]), [row], f"/lookup/{text}")
        with server.unix() as client:
            threading.Thread(target=send_and_end, args=(client, "\n".join(texts).encode())).start()
            equal(read_all(client).decode().splitlines(), [model.line(text) for text in texts], "the socket")
        asked = 6000 + 2500 + 150 + 100
        equal(server.metric('fingerpost_serve_addresses_total{by="http"}'), asked, "addresses counted")
        equal(server.metric('fingerpost_serve_addresses_total{by="socket"}'), 6000, "addresses counted on the socket")
        equal(server.metric("fingerpost_serve_answer_seconds_count"), 103, "answers timed")
        four = sum(isinstance(network, ipaddress.IPv4Network) for network in model.routes)
        equal(server.metric('fingerpost_serve_routes{family="ipv4"}'), four, "routes")
        equal(server.metric('fingerpost_serve_routes{family="ipv6"}'), 3000 - four, "routes")


def send_and_end(client: socket.socket, sent: bytes) -> None:
    client.sendall(sent)
    client.shutdown(socket.SHUT_WR)


def explains_what_is_no_address(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a", "::ffff:0:0/96 mapped")
    with Server(table, path=folder / "s.sock") as server:
        rows = server.post(["10.1.2.3", "10.1.2", "", "\u001b[2J\"\\", "::ffff:10.0.0.1", "10.0.0.0/8"])
        equal([row.get("prefix") for row in rows], ["10.0.0.0/8", None, None, None, "10.0.0.0/8", None], "prefixes")
        equal(rows[3]["address"], "\u001b[2J\"\\", "the text comes back as it was")
        equal(["error" in row for row in rows], [False, True, True, True, False, True], "errors")
        with server.unix() as client:
            client.sendall(b"10.1.2\n\n \t10.1.2.3 \r\n\0\x1b[2J\n" + b"1" * 70000 + b"\n11.0.0.1\n10.0.0.1")
            client.shutdown(socket.SHUT_WR)
            lines = read_all(client).split(b"\n")
        wanted = [b"! it ends too early", b"! there is no address", b"10.0.0.0/8\ta", None]
        wanted += [b"! the line has more than 65536 bytes", b"-", b"10.0.0.0/8\ta", b""]
        equal([line if mark else mark for line, mark in zip(lines, wanted, strict=True)], wanted, "lines")
        want(lines[3].startswith(b"! ") and lines[3].decode().isprintable(), lines[3])


def refuses(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    with Server(table, "--max-body", "1000", "--max-addresses", "20") as server:
        refused(server, 404, "/lookup", "GET", "/")
        refused(server, 404, "/lookup", "GET", "/lookups")
        refused(server, 405, "method", "DELETE", "/lookup")
        refused(server, 405, "method", "POST", "/metrics", "x")
        refused(server, 400, "no address", "GET", "/lookup")
        refused(server, 400, "no JSON from byte", "POST", "/lookup", '["10.0.0.1",')
        refused(server, 400, "no JSON", "POST", "/lookup", b'["\xff"]')
        refused(server, 400, "element 2 of the array is a number", "POST", "/lookup", '["10.0.0.1", 7]')
        refused(server, 400, "element 1 of the array is an array", "POST", "/lookup", "[" * 900)
        refused(server, 413, "20 addresses", "POST", "/lookup", json.dumps(["10.0.0.1"] * 21))
        refused(server, 413, "20 addresses", "POST", "/lookup", "10.0.0.1\n" * 21)
        refused(server, 413, "20 addresses", "GET", "/lookup?" + "&".join(["address=10.0.0.1"] * 21))
        refused(server, 413, "1000 bytes", "POST", "/lookup", "1" * 1001)
        refused(server, 413, "1000 bytes", "POST", "/lookup", b"1" * (2 << 20))
        refused(server, 414, "too long", "GET", "/lookup/" + "1" * 9000)
        equal(len(server.post(["10.0.0.1"] * 20)), 20, "as many as there may be")
        equal(server.ask("POST", "/lookup", "[]")[2], b"[]\n", "none at all")
        equal(server.ask("POST", "/lookup", "\n" * 1000)[2], b"[]\n", "a body as long as it may be")
        post = b"POST /lookup HTTP/1.1\r\n"
        chunked = post + b"Transfer-Encoding: chunked\r\n"
        form = post + b"Content-Type: multipart/form-data; boundary=x\r\n"
        smuggled = b"GET /metrics HTTP/1.1\r\n\r\n"
        raw = {
            post + b"\r\n": b"411",
            post + b"Content-Length: 99999999999999\r\nExpect: 100-continue\r\n\r\n": b"413",
            form + b"Content-Length: 9\r\n\r\n123456789": b"415",
            chunked + b"\r\n3e9\r\n" + b"1" * 1001 + b"\r\n0\r\n\r\n": b"413",
            chunked + b"\r\n" + b"1\r\n1\r\n" * 50000: b"413",
            b"POST /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"ffff\r\n" + b"1" * 400000: b"413",
            b"GET /healthz HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(smuggled) + smuggled: b"200",
            b"nonsense\r\n\r\n": b"400",
            b"GET /lookup HTTP/1.1\r\n" + b"X: y\r\n" * 20000: b"431",
            b"x" * 100000: b"431",
        }
        for sent, code in raw.items():
            with server.tcp() as client:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    client.sendall(sent)
                got = read_all(client)
                want(got.startswith(b"HTTP/1.1 " + code), f"{sent[:80]!r}: {got[:300]!r} instead of {code!r}")
                equal(got.count(b"HTTP/1.1"), 1, f"answers to {sent[:80]!r}")
        with server.tcp() as client:
            client.sendall(chunked + b"Connection: close\r\n\r\n4\r\n10.0\r\n4\r\n.0.1\r\n0\r\n\r\n")
            want(b'"prefix":"10.0.0.0/8"' in read_all(client), "chunks")
        for size, code in ((900, b"200"), (50 << 20, b"413")):
            body = gzip.compress(b"\n" * size)
            with server.tcp() as client:
                head = b"Content-Encoding: gzip\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body[:1000])
                client.sendall(post + head + body[:1000])
                got = read_all(client)
                want(got.startswith(b"HTTP/1.1 " + code), f"{size} bytes compressed: {got[:300]!r}")
        want(server.metric('fingerpost_serve_http_requests_total{code="413"}') >= 9, "413 counted")
        equal(server.metric('fingerpost_serve_http_requests_total{code="431"}'), 2, "431 counted")
        equal(server.metric('fingerpost_serve_http_requests_total{code="500"}'), 0, "500 counted")


def slow_clients_hold_up_nobody(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    halves = [b"", b"GET /lookup/10.0.0.1 HT", b"POST /lookup HTTP/1.1\r\nContent-Length: 8\r\n\r\n10.0"]
    with Server(table, "--timeout", "2", "--threads", "1") as server, contextlib.ExitStack() as open_ones:
        start = time.monotonic()
        clients = [(half, open_ones.enter_context(server.tcp())) for half in halves * 30]
        for half, client in clients:
            client.sendall(half)
        # One that is never silent for long, and never done.
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
            # An answer of 24 MB that nobody reads.
            body = b"10.0.0.1\n" * 90000
            other.sendall(b"POST /lookup HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
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
                one.sendall(f"GET /lookup/{text} HTTP/1.1\r\n\r\n".encode())
                other.sendall(f"{text}\n".encode())
            for text, one, other in zip(texts, http_ones, line_ones, strict=True):
                equal(json.loads(read_answer(one)), [model.row(text)], "one of 200 connections")
                equal(other.recv(1000).decode(), model.line(text) + "\n", "one of 200 clients")
        # More than there may be are told so at once.
        more = [open_ones.enter_context(server.tcp()) for _ in range(15)]
        tell_refusal(more, 5, b"HTTP/1.1 503")
        more = [open_ones.enter_context(server.unix()) for _ in range(15)]
        tell_refusal(more, 5, b"! there are as many")
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


def read_answer(client: socket.socket) -> bytes:
    """One answer of a connection that stays open."""
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


def pipelines(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a", "10.1.0.0/16 b")
    with Server(table, path=folder / "s.sock") as server:
        with server.tcp() as client:
            asked = [f"10.{i % 2}.0.{i}" for i in range(100)]
            client.sendall("".join(f"GET /lookup/{text} HTTP/1.1\r\n\r\n" for text in asked[:-1]).encode())
            client.sendall(f"GET /lookup/{asked[-1]} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
            parts = read_all(client).split(b"HTTP/1.1 200 OK\r\n")[1:]
        bodies = [json.loads(part.split(b"\r\n\r\n")[1]) for part in parts]
        equal([body[0]["address"] for body in bodies], asked, "answers in order")
        equal([body[0]["next_hop"] for body in bodies], ["a", "b"] * 50, "answers")
        # Cut anywhere, also within an address.
        whole = b"10.0.0.1\n10.1.0.1\n11.0.0.1\n"
        for cut in range(len(whole)):
            with server.unix() as client:
                client.sendall(whole[:cut])
                time.sleep(0.002)
                client.sendall(whole[cut:])
                client.shutdown(socket.SHUT_WR)
                equal(read_all(client), b"10.0.0.0/8\ta\n10.1.0.0/16\tb\n-\n", f"cut at {cut}")


def hop(server: Server) -> str | None:
    return server.post(["10.0.0.1"])[0]["next_hop"]


def reloads(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 first")
    with Server(table) as server:
        replace(table, "10.0.0.0/8 renamed\n")
        eventually(lambda: hop(server) == "renamed", "a renamed file is read")
        with table.open("w", encoding="utf-8") as file:
            # While it is written it is not complete.
            file.write("10.0.0.0/8 ")
            file.flush()
            time.sleep(0.3)
            equal(hop(server), "renamed", "a file that is being written")
            file.write("written\n")
        eventually(lambda: hop(server) == "written", "a written file is read")
        table.unlink()
        with table.open("w", encoding="utf-8") as file:
            file.write("10.0.0.0/8 ")
            file.flush()
            (folder / "other").write_text("x", encoding="utf-8")
            time.sleep(0.3)
            file.write("made\n")
        eventually(lambda: hop(server) == "made", "a file that is made anew is read")
        generation = server.generation()
        equal(server.finds("written$|incomplete|made$"), [], "words about half files")
        replace(table, "10.0.0.0/8 good\n10.0.0.0/33 bad\n")
        failed = 'fingerpost_serve_reloads_total{result="failed"}'
        eventually(lambda: server.metric(failed) == 1, "a bad file is counted")
        equal((hop(server), server.generation()), ("made", generation), "a bad file changes nothing")
        want(server.finds(r"table\.txt:2: '10\.0\.0\.0/33': "), f"no place of the error: {server.said}")
        equal(server.metric("fingerpost_serve_last_reload_successful"), 0, "the last reload failed")
        equal(json.loads(server.ask("GET", "/healthz")[2])["last_reload_failed"], True, "and /healthz says so")
        table.unlink()
        server.send(signal.SIGHUP)
        eventually(lambda: server.metric(failed) == 2, "a missing file is counted")
        equal(hop(server), "made", "a missing file changes nothing")
        replace(table, "10.0.0.0/8 last\n")
        eventually(lambda: hop(server) == "last", "the file is back")
        equal(server.metric("fingerpost_serve_last_reload_successful"), 1, "the last reload worked")


def reloads_when_asked_only(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 first")
    with Server(table, "--no-watch") as server:
        replace(table, "10.0.0.0/8 second\n")
        time.sleep(0.5)
        equal(hop(server), "first", "without watching")
        server.send(signal.SIGHUP)
        eventually(lambda: hop(server) == "second", "SIGHUP reads the table again")


def follows_links(folder: Path) -> None:
    """As container platforms put files: a link to a link to a folder, which is exchanged."""
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "table.txt").write_text(f"10.0.0.0/8 {name}\n", encoding="utf-8")
    (folder / "now").symlink_to("one")
    (folder / "table.txt").symlink_to("now/table.txt")
    with Server(folder / "table.txt") as server:
        (folder / "next").symlink_to("two")
        (folder / "next").replace(folder / "now")
        eventually(lambda: hop(server) == "two", "the link leads elsewhere")
        replace(folder / "two" / "table.txt", "10.0.0.0/8 three\n")
        eventually(lambda: hop(server) == "three", "what the link leads to is replaced")


def never_mixes(folder: Path) -> None:
    """Requests of several batches, from several clients, while tables change as fast as they can."""
    dice = random.Random(SEED + 2)
    networks = random_networks(dice, 2000)
    texts = random_addresses(dice, networks, 9000)
    models = {name: Model({network: f"{name}{i}" for i, network in enumerate(networks)}) for name in "ab"}
    wanted = {json.dumps(model.rows(texts)): name for name, model in models.items()}
    table = folder / "table.txt"
    table.write_text(models["a"].text(), encoding="utf-8")
    seen: dict[str, set[str]] = {}
    faults: list[str] = []
    with Server(table, path=folder / "s.sock") as server:
        end = time.monotonic() + 4

        def ask() -> None:
            body = json.dumps(texts)
            while time.monotonic() < end:
                status, headers, answer = server.ask("POST", "/lookup", body)
                name = wanted.get(json.dumps(json.loads(answer))) if status == 200 else None
                if name is None:
                    faults.append(f"{status}: {answer[:200]!r}")
                    return
                seen.setdefault(headers["Fingerpost-Generation"], set()).add(name)

        clients = [threading.Thread(target=ask) for _ in range(3)]
        for client in clients:
            client.start()
        while time.monotonic() < end:
            for name in "ba":
                replace(table, models[name].text())
                time.sleep(0.02)
        for client in clients:
            client.join()
        equal(faults, [], "answers that are those of neither table")
        want(all(len(names) == 1 for names in seen.values()), f"a generation answered as two tables: {seen}")
        want(len(seen) >= 10, f"answers of {len(seen)} generations only")
        want({"a"} in seen.values() and {"b"} in seen.values(), "answers of one table only")


def ends_when_busy(folder: Path) -> None:
    dice = random.Random(SEED + 3)
    model = model_of(dice, 500, "a")
    table = folder / "table.txt"
    table.write_text(model.text(), encoding="utf-8")
    texts = random_addresses(dice, list(model.routes), 2000)
    wanted = [model.line(text) for text in texts]
    body = "\n".join(texts).encode()
    for number in (signal.SIGTERM, signal.SIGINT):
        with Server(table, path=folder / "s.sock") as server, contextlib.ExitStack() as open_ones:
            idle = open_ones.enter_context(server.tcp())
            lines = [open_ones.enter_context(server.unix()) for _ in range(20)]
            asks = [open_ones.enter_context(server.tcp()) for _ in range(20)]
            for one in asks:
                one.sendall(b"POST /lookup HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            for one in lines:
                one.sendall(body + b"\n")
            server.send(number)
            for one in asks:
                equal(json.loads(read_answer(one)), model.rows(texts), "a request before the end")
            for one in lines:
                equal(read_all(one).decode().splitlines(), wanted, "lines before the end")
            equal(read_all(idle), b"", "an idle connection")
            server.ends()
            with contextlib.suppress(ConnectionRefusedError):
                server.tcp()
                want(False, "it still listens")


def keeps_sockets_of_others(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    path = folder / "s.sock"
    with Server(table, path=path):
        refuses_to_start(table, path, "another program answers there")
        want(path.exists(), "the socket of the other is gone")
    # What a program leaves behind that was killed.
    with Server(table, path=path) as server:
        server.process.kill()
        server.process.wait()
        want(path.exists(), "a killed program leaves its socket")
    with Server(table, path=path, http=False) as server, server.unix() as client:
        client.sendall(b"10.0.0.1\n")
        equal(client.recv(100), b"10.0.0.0/8\ta\n", "after a killed program")
        # Whoever takes the path meanwhile keeps it.
        path.unlink()
        path.write_text("mine", encoding="utf-8")
        server.send(signal.SIGTERM)
        equal(server.process.wait(20), 0, "exit code")
    equal(path.read_text(encoding="utf-8"), "mine", "a file in the place of the socket")
    refuses_to_start(table, path, "this is no socket")
    equal(path.read_text(encoding="utf-8"), "mine", "a file in the place of the socket")
    refuses_to_start(table, folder / ("x" * 200), "has 1 to 107 bytes")
    refuses_to_start(table, folder / "none" / "s.sock", "No such file")
    equal(sorted(file.name for file in folder.iterdir()), ["s.sock", "table.txt"], "files left behind")


def refuses_to_start(table: Path, path: Path, mark: str) -> None:
    words = [os.environ["FINGERPOST"], "serve", "-t", str(table), "--socket", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    want(done.returncode == 1 and mark in done.stderr, f"exit {done.returncode}: {done.stderr}")


def wrong_starts(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")

    def fails(code: int, mark: str, *options: str, given: str | None = None) -> None:
        words = [os.environ["FINGERPOST"], "serve", *options]
        done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=20, check=False)
        want(done.returncode == code and mark in done.stderr, f"{options}: exit {done.returncode}: {done.stderr}")

    with Server(table) as server:
        fails(1, "Address already in use", "-t", str(table), "--http", f"127.0.0.1:{server.port}")
    for wrong in ("nowhere:80", "1.2.3.4", "127.0.0.1:70000", "::1:80", "[127.0.0.1]:80", ":80"):
        fails(2, "is no ADDRESS:PORT", "-t", str(table), "--http", wrong)
    fails(2, "--threads", "-t", str(table), "--threads", "0")
    fails(1, "is no file", "-t", "-", "--watch", given="10.0.0.0/8 a\n")
    fails(2, "--no-watch", "-t", str(table), "--watch", "--no-watch")
    table.write_text("10.0.0.0/8 a\nbad\n", encoding="utf-8")
    fails(1, "table.txt:2: 'bad'", "-t", str(table))


def few_descriptors(folder: Path) -> None:
    """It goes on when the system has no more for it, and says so."""
    table = table_of(folder, "10.0.0.0/8 a")
    program = folder / "few"
    program.write_text(f"#!/bin/sh\nexec prlimit --nofile=40:40 {os.environ['FINGERPOST']} \"$@\"\n", encoding="utf-8")
    program.chmod(0o755)
    given = os.environ["FINGERPOST"]
    os.environ["FINGERPOST"] = str(program)
    try:
        with Server(table) as server, contextlib.ExitStack() as open_ones:
            want(server.finds("fewer than the connections"), server.said)
            for _ in range(60):
                open_ones.enter_context(server.tcp())
            eventually(lambda: server.finds("no connection can be accepted: Too many open files"), "it says so")
            open_ones.close()
            equal(hop(server), "a", "afterwards")
    finally:
        os.environ["FINGERPOST"] = given


def cases() -> Iterator[object]:
    yield from (answers_like_the_model, explains_what_is_no_address, refuses, slow_clients_hold_up_nobody)
    yield from (clients_that_do_not_read_are_bounded, many_at_once, pipelines, reloads, reloads_when_asked_only)
    yield from (follows_links, never_mixes, ends_when_busy, keeps_sockets_of_others, wrong_starts, few_descriptors)


def main() -> None:
    count = 0
    for case in cases():
        with tempfile.TemporaryDirectory() as scratch:
            begin = time.monotonic()
            case(Path(scratch))
            count += 1
            print(f"serve_test: {case.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
    print(f"serve_test: {count} cases")


if __name__ == "__main__":
    main()
