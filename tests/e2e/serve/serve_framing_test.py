#!/usr/bin/env python3
"""`fingerpost serve`: requests that two readers could frame differently are refused, and their connection is closed.

Each request is followed by one for /metrics, which must never be answered after a refusal: otherwise requests could be smuggled past a
proxy. The rules are from RFC 9112 and RFC 9110.
"""

import contextlib
import gzip
import http.client
import json
import os
import random
import socket
import subprocess
import zlib
from pathlib import Path

from serving import SEED, Server, equal, eventually, read_all, run_cases, table_of, want

NEXT = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
HEAD = b"POST /lookup HTTP/1.1\r\nHost: localhost\r\n"
BODY = b"10.0.0.1\n"
LENGTH = b"Content-Length: 9\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
CHUNKS = b"9\r\n" + BODY + b"\r\n0\r\n\r\n"

# Refused requests, with the status of each.
REFUSED: list[tuple[int, bytes]] = [
    # Invalid lengths, or more than one.
    *(
        (400, HEAD + b"Content-Length: " + value + b"\r\n\r\n" + BODY)
        for value in (
            *(b"0x9", b"abc", b"", b"+9", b"-9", b"9.0", b"9, 9", b"0, 9", b"9,", b"9;9", b"9\t9"),
            *(b"\xb9", b"18446744073709551625", b"9" * 30),
        )
    ),
    (400, HEAD + LENGTH + LENGTH + b"\r\n" + BODY),
    (400, HEAD + LENGTH + b"Content-Length: 0\r\n\r\n" + BODY),
    (400, HEAD + LENGTH + b"content-length: 9\r\n\r\n" + BODY),
    (400, HEAD + b"Content-Length : 9\r\n\r\n" + BODY),
    (400, HEAD + b"Content-Length\t: 9\r\n\r\n" + BODY),
    (400, HEAD + b" Content-Length: 9\r\n\r\n" + BODY),
    (400, HEAD + b"Content-Length:\r\n 9\r\n\r\n" + BODY),
    # Both a length and a coding, and unknown codings.
    (400, HEAD + LENGTH + CHUNKED + b"\r\n" + CHUNKS),
    (400, HEAD + CHUNKED + LENGTH + b"\r\n" + CHUNKS),
    (400, HEAD + b"Transfer-Encoding: gzip\r\n" + LENGTH + b"\r\n" + BODY),
    (400, HEAD + CHUNKED + CHUNKED + b"\r\n" + CHUNKS),
    (400, HEAD + b"Transfer-Encoding : chunked\r\n\r\n" + CHUNKS),
    (400, HEAD + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + CHUNKS),
    (400, HEAD + b"X: y\r\n Transfer-Encoding: chunked\r\n\r\n" + CHUNKS),
    (400, HEAD + b"Transfer-Encoding: chunked, gzip\r\n\r\n" + CHUNKS),
    (400, HEAD + b"Transfer-Encoding: identity\r\n\r\n" + CHUNKS),
    (400, HEAD + b"Transfer-Encoding: xchunked\r\n\r\n" + CHUNKS),
    (400, HEAD + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + CHUNKS),
    (400, HEAD + b'Transfer-Encoding: "chunked"\r\n\r\n' + CHUNKS),
    (400, HEAD + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + CHUNKS),
    (501, HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKS),
    (400, b"POST /lookup HTTP/1.0\r\nHost: localhost\r\n" + CHUNKED + b"\r\n" + CHUNKS),
    # Chunks.
    *(
        (400, HEAD + CHUNKED + b"\r\n" + chunks)
        for chunks in (
            *(b"g\r\n", b"\r\n\r\n", b"-1\r\n\r\n", b"0x9\r\n" + BODY + b"\r\n0\r\n\r\n", b"+9\r\n\r\n", b" 9\r\n\r\n"),
            *(b"9 \r\n" + BODY + b"\r\n0\r\n\r\n", b"9\n" + BODY + b"\n0\n\n", b"9\r" + BODY + b"\r0\r\r"),
            *(b"9\r\n" + BODY + b"0\r\n\r\n", b"9\r\n" + BODY + b"x\r\n0\r\n\r\n", b"8\r\n" + BODY + b"\r\n0\r\n\r\n"),
            *(b"10000000000000000\r\n" + BODY, b"f" * 40 + b"\r\n" + BODY, b"00x\r\n\r\n", b"9_0\r\n\r\n"),
            *(b"9;\r\n" + BODY + b"\r\n0\r\n\r\n", b'9;a="\n"\r\n' + BODY + b"\r\n0\r\n\r\n"),
            *(b"9;a=b\nx\r\n" + BODY + b"\r\n0\r\n\r\n", b"9;\x00\r\n" + BODY, b"9\r\n" + BODY + b"\r\n0\r\nx\r\n\r\n"),
            b"9\r\n" + BODY + b"\r\n0\r\nContent-Length: 5\r\n\r\n",
            b"9\r\n" + BODY + b"\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"9\r\n" + BODY + b"\r\n0\r\nX: a\r\n b\r\n\r\n",
            b"9\r\n" + BODY + b"\r\n0\r\nX: a\nY: b\r\n\r\n",
            b"9\r\n" + BODY + b"\r\n0\r\nX : a\r\n\r\n",
        )
    ),
    (413, HEAD + CHUNKED + b"\r\nffffffffffffffff\r\n" + BODY),
    (413, HEAD + b"Content-Length: 18446744073709551615\r\n\r\n" + BODY),
    # Lines.
    (400, b"GET /healthz HTTP/1.1\nHost: localhost\n\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: localhost\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX:\r\n\tb\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \x00\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX\x00: y\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \x7f\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n: no name\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\n Host: localhost\r\n\r\n"),
    (400, b"\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (400, b" GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    # The first line.
    (400, b"GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (400, b"GET /healthz  HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1 \r\nHost: localhost\r\n\r\n"),
    (400, b"GET\t/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (400, b"GET /heal\x00thz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (400, b"GET /healthz\r\nHost: localhost\r\n\r\n"),
    (400, b"GET /healthz http/1.1\r\nHost: localhost\r\n\r\n"),
    (400, b"GET /healthz HTTP/1\r\nHost: localhost\r\n\r\n"),
    (400, b"GET /healthz HTTP/11.1\r\nHost: localhost\r\n\r\n"),
    (400, b"GET healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (400, b"GET ftp://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (400, b"G@T /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (501, b"FETCH /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (505, b"GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n"),
    (505, b"GET /healthz HTTP/0.9\r\nHost: localhost\r\n\r\n"),
    (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    # Hosts.
    (400, b"GET /healthz HTTP/1.1\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.0\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: localhost, evil.example\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: localhost:x\r\n\r\n"),
    (400, b"GET /healthz HTTP/1.1\r\nHost: [::1\r\n\r\n"),
    (400, b"GET http://evil.example/healthz HTTP/1.1\r\n\r\n"),
    (417, HEAD + LENGTH + b"Expect: tea\r\n\r\n" + BODY),
]

# Requests that are answered. The connection stays open for the next one.
TAKEN: list[bytes] = [
    HEAD + LENGTH + b"\r\n" + BODY,
    HEAD + b"Content-Length: 009 \t\r\n\r\n" + BODY,
    HEAD + CHUNKED + b"\r\n" + CHUNKS,
    HEAD + b"transfer-encoding:CHUNKED\r\n\r\n" + CHUNKS,
    HEAD + CHUNKED + b'\r\n4;a=b;c="d e"\r\n10.0\r\n005 ; x\r\n.0.1\n\r\n000;y\r\nTrailer: z\r\nX:\r\n\r\n',
    b"\r\n\r\n" + HEAD + LENGTH + b"\r\n" + BODY,
    HEAD.replace(b"Host: localhost", b"hOST:localhost:80  ") + LENGTH + b"\r\n" + BODY,
    HEAD.replace(b"/lookup", b"http://localhost:8080/lookup?x") + LENGTH + b"\r\n" + BODY,
    HEAD + LENGTH + b"Expect: 100-Continue\r\n\r\n" + BODY,
    HEAD + LENGTH + b"Range: bytes=" + b"0-," * 2000 + b"0-\r\n\r\n" + BODY,
    b"GET /lookup/10.0.0.1 HTTP/1.1\r\nHost: 127.9.9.9:1\r\n\r\n",
    b"GET /lookup/10.0%2E0.1?x=y HTTP/1.1\r\nHost: [::1]:1\r\n\r\n",
    b"GET /lookup/10.0.0.1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
]


def exchange(server: Server, sent: bytes) -> bytes:
    with server.tcp() as client:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            client.sendall(sent)
        return read_all(client)


def refuses_what_is_ambiguous(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    with Server(table) as server:
        for status, sent in REFUSED:
            got = exchange(server, sent + NEXT)
            words = f"{sent[:300]!r}: {got[:300]!r}"
            want(got.startswith(b"HTTP/1.1 %d " % status), f"not {status} for {words}")
            equal(got.count(b"\r\n\r\n"), 1, f"answers to {words}")
            head, body = got.split(b"\r\n\r\n", 1)
            want(b"\r\nConnection: close" in head and json.loads(body)["error"], words)
        equal(server.metric('fingerpost_serve_addresses_total{by="http"}'), 0, "addresses answered")


def takes_what_is_right(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    dice = random.Random(SEED)
    with Server(table) as server:
        for sent in TAKEN:
            got = exchange(server, sent + NEXT)
            answers = got.replace(b"HTTP/1.1 100 Continue\r\n\r\n", b"").split(b"HTTP/1.1 200 OK\r\n")[1:]
            equal(len(answers), 2, f"answers to {sent!r}: {got[:500]!r}")
            rows = json.loads(answers[0].split(b"\r\n\r\n", 1)[1])
            equal([row["prefix"] for row in rows], ["10.0.0.0/8"], f"{sent!r}")
        # All of them on one connection, in pieces.
        sent = b"".join(TAKEN) + NEXT
        with server.tcp() as client:
            at = 0
            while at < len(sent):
                size = dice.choice([1, 2, 3, 10, 100, 1000])
                client.sendall(sent[at : at + size])
                at += size
            got = read_all(client)
        equal(got.count(b"HTTP/1.1 200 OK"), len(TAKEN) + 1, "answers to all of them")
        equal(got.count(b"HTTP/1.1 100 Continue"), 1, "requests that wait for a word")


def ignores_ranges(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 " + "a" * 100)
    body = b"10.0.0.1\n" * 900
    head = HEAD + b"Content-Length: %d\r\nConnection: close\r\n" % len(body)
    with Server(table) as server:
        plain = exchange(server, head + b"\r\n" + body)
        equal(exchange(server, head + b"Range: bytes=" + b"0-," * 2700 + b"0-\r\n\r\n" + body), plain, "many ranges")
        equal(exchange(server, head + b"Range: bytes=0-9\r\n\r\n" + body), plain, "one range")


def takes_whole_compressed_bodies_alone(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    plain = b"10.0.0.1\n" * 500
    raw = zlib.compressobj(wbits=-15)
    bodies = {
        "gzip": gzip.compress(plain),
        "x-gzip": gzip.compress(plain[:900]) + gzip.compress(plain[900:]),
        "deflate": zlib.compress(plain),
        "identity": plain,
    }
    with Server(table, "--max-body", "100000") as server:

        def ask(coding: str, body: bytes) -> tuple[int, bytes]:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            connection.request("POST", "/lookup", body, {"Content-Encoding": coding})
            answer = connection.getresponse()
            got = answer.status, answer.read()
            connection.close()
            return got

        for coding, body in bodies.items():
            status, answer = ask(coding, body)
            equal((status, len(json.loads(answer))), (200, 500), coding)
        for coding in ("gzip", "deflate"):
            body = bodies[coding]
            for cut in range(0, len(body), 1):
                equal(ask(coding, body[:cut])[0], 400, f"{coding} cut at {cut}")
            equal(ask(coding, body[:-3] + b"\0\0\0")[0], 400, f"{coding} with a wrong sum")
            equal(ask(coding, body + b"x")[0], 400, f"{coding} with more behind it")
        equal(ask("deflate", raw.compress(plain) + raw.flush())[0], 400, "deflate without zlib's head")
        equal(ask("gzip", gzip.compress(b"\n" * (50 << 20)))[0], 413, "a bomb")
        for coding in ("br", "zstd", "gzip, gzip", "compress", "gzip;q=1"):
            equal(ask(coding, bodies["gzip"])[0], 415, coding)


def compresses_answers(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    with Server(table) as server:
        for accepted, is_compressed in (("gzip", True), ("br, GZIP;q=0.5", True), ("gzip;q=0", False), ("br", False)):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            connection.request("POST", "/lookup", BODY * 100, {"Accept-Encoding": accepted})
            answer = connection.getresponse()
            body = answer.read()
            equal(answer.headers["Content-Encoding"], "gzip" if is_compressed else None, accepted)
            equal(len(json.loads(gzip.decompress(body) if is_compressed else body)), 100, accepted)
            connection.close()


def answers_for_its_hosts(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")

    def ask(server: Server, host: str) -> bytes:
        return exchange(server, b"GET /healthz HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % host.encode())[9:12]

    others = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]", "128.0.0.1"]
    own = ["localhost", "LOCALHOST:1", "localhost.", "127.0.0.1", "127.1.2.3:65535", "[::1]", "[0:0::1]:80"]
    with Server(table) as server:
        equal({host: ask(server, host) for host in own}, dict.fromkeys(own, b"200"), "hosts of this machine")
        equal({host: ask(server, host) for host in others}, dict.fromkeys(others, b"421"), "other hosts")
        target = b"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        equal(exchange(server, target)[9:12], b"421", "another host in the target")
        equal(exchange(server, b"GET /healthz HTTP/1.0\r\n\r\n")[9:12], b"200", "HTTP/1.0 without a host")
    with Server(table, "--allow-host", "fp.example", "--allow-host", "10.0.0.1") as server:
        own = ["localhost", "FP.example:80", "10.0.0.1", "fp.example."]
        equal({host: ask(server, host) for host in own}, dict.fromkeys(own, b"200"), "hosts that are allowed")
        equal(ask(server, "evil.example"), b"421", "another host")


def keeps_connections_as_asked(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    with Server(table) as server:
        old = b"GET /healthz HTTP/1.0\r\n\r\n"
        equal(exchange(server, old + NEXT).count(b"HTTP/1.1 200"), 1, "HTTP/1.0 closes")
        head = exchange(server, b"HEAD /lookup/10.0.0.1 HTTP/1.1\r\nHost: localhost\r\n\r\n" + NEXT)
        first, rest = head.split(b"\r\n\r\n", 1)
        size = len(server.ask("GET", "/lookup/10.0.0.1")[2])
        want(b"Content-Length: %d\r\n" % size in first and rest.startswith(b"HTTP/1.1 200"), head[:400])
        # A client that expects "100 Continue" gets it before it sends its body, or gets the reason of a refusal.
        with server.tcp() as client:
            client.sendall(HEAD + LENGTH + b"Expect: 100-continue\r\n\r\n")
            equal(client.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n", "the word to go on")
            client.sendall(BODY + NEXT)
            equal(read_all(client).count(b"HTTP/1.1 200"), 2, "answers")
        with server.tcp() as client:
            client.sendall(HEAD + b"Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n")
            want(read_all(client).startswith(b"HTTP/1.1 413"), "no word to go on")
        # Pending requests are answered even after the client has closed its side.
        with server.tcp() as client:
            client.sendall(NEXT.replace(b"close", b"keep-alive") * 20)
            client.shutdown(socket.SHUT_WR)
            equal(read_all(client).count(b"HTTP/1.1 200"), 20, "answers after the end of the requests")
        eventually(lambda: server.metric('fingerpost_serve_connections{by="http"}') == 1, "connections end")


def starts_with_names_alone(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    for wrong in ("", "a:80", "[::1]", "a b", "a,b"):
        words = [os.environ["FINGERPOST"], "serve", "-t", str(table), "--allow-host", wrong]
        done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
        want(done.returncode == 2 and "--allow-host" in done.stderr, f"exit {done.returncode}: {done.stderr}")


if __name__ == "__main__":
    run_cases(
        refuses_what_is_ambiguous,
        takes_what_is_right,
        ignores_ranges,
        takes_whole_compressed_bodies_alone,
        compresses_answers,
        answers_for_its_hosts,
        keeps_connections_as_asked,
        starts_with_names_alone,
    )
