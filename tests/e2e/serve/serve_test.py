#!/usr/bin/env python3
"""`fingerpost serve`: answers compared with a slow model, invalid requests, and many requests on one connection."""

import contextlib
import gzip
import ipaddress
import json
import os
import random
import socket
import subprocess
import threading
import time
import urllib.parse
from pathlib import Path

from serving import (
    SEED,
    Model,
    Server,
    equal,
    eventually,
    model_of,
    random_addresses,
    read_all,
    run_cases,
    table_of,
    want,
)


def refused(server: Server, status: int, mark: str, method: str, target: str, body: bytes | str | None = None) -> None:
    got, headers, answer = server.ask(method, target, body)
    equal(got, status, f"{method} {target}: {answer[:300]!r}")
    equal(headers["Content-Type"], "application/json", f"{method} {target}")
    want(mark in json.loads(answer)["error"], f"{method} {target}: {answer!r}")


def answers_from_several_tables(folder: Path) -> None:
    """Named tables, one of them from two files, with the columns of a file: one answer for all tables, and one file change is enough for
    a reload."""
    four, six, bgp, places = (folder / name for name in ("v4.csv", "v6.csv", "bgp.txt", "places.csv"))
    four.write_text("network,id\n10.0.0.0/8,7\n", encoding="utf-8")
    six.write_text("network,id\n2001:db8::/32,8\n", encoding="utf-8")
    bgp.write_text("10.1.0.0/16 64500\n", encoding="utf-8")
    places.write_text("id,place\n7,Bern\n", encoding="utf-8")
    more = ["--table", f"geo={six}", "--table", f"bgp={bgp}", "--join", str(places), "--on", "id"]
    with Server(f"geo={four}", *more) as server:
        names = ("address", "prefix", "geo_prefix", "geo_id", "geo_place", "bgp_prefix", "bgp_next_hop")
        equal(
            [tuple(row.items()) for row in server.post(["10.1.2.3", "2001:db8::1", "192.0.2.1"])],
            [
                tuple(zip(names, row, strict=True))
                for row in (
                    ("10.1.2.3", "10.1.0.0/16", "10.0.0.0/8", 7, "Bern", "10.1.0.0/16", 64500),
                    ("2001:db8::1", "2001:db8::/32", "2001:db8::/32", 8, None, None, None),
                    ("192.0.2.1", None, None, None, None, None, None),
                )
            ],
            "columns of each table",
        )
        places.write_text("id,place\n7,Bern\n8,Rome\n", encoding="utf-8")
        eventually(lambda: server.post(["2001:db8::1"])[0]["geo_place"] == "Rome", "the joined file is read again")
        bgp.write_text("10.1.0.0/16 64501\n", encoding="utf-8")
        eventually(lambda: server.post(["10.1.2.3"])[0]["bgp_next_hop"] == 64501, "the second table is read again")


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


def answers_from_an_image(folder: Path) -> None:
    """A mapped image answers like its table, and another image replaces it."""
    dice = random.Random(SEED)
    image = folder / "table.image"
    texts: list[str] = []

    def save(name: str) -> Model:
        model = model_of(dice, 2000, name)
        table = folder / "table.txt"
        table.write_text(model.text(), encoding="utf-8")
        run = [os.environ["FINGERPOST"], "image", "save", "-t", str(table), str(image)]
        subprocess.run(run, check=True, stderr=subprocess.DEVNULL)
        texts[:] = random_addresses(dice, list(model.routes), 3000)
        return model

    first = save("a")
    with Server(image, path=folder / "s.sock") as server:
        equal(server.post(texts), first.rows(texts), "a mapped image")
        equal(server.metric("fingerpost_serve_fib_bytes") >= image.stat().st_size, True, "bytes of the file")
        second = save("b")
        eventually(lambda: server.generation() == 2, "another image")
        equal(server.post(texts), second.rows(texts), "the new image")
        bad = folder / "bad.image"
        bad.write_bytes(image.read_bytes()[:-64])
        bad.rename(image)
        eventually(lambda: server.metric('fingerpost_serve_reloads_total{result="failed"}') >= 1, "a cut image")
        server.says("byte [0-9]+: the file ends before its last section does")
        equal(server.post(texts), second.rows(texts), "the image that was there")
        with server.unix() as client:
            threading.Thread(target=send_and_end, args=(client, "\n".join(texts).encode())).start()
            equal(read_all(client).decode().splitlines(), [second.line(text) for text in texts], "the socket")


def send_and_end(client: socket.socket, sent: bytes) -> None:
    client.sendall(sent)
    client.shutdown(socket.SHUT_WR)


def explains_what_is_no_address(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a", "::ffff:0:0/96 mapped")
    with Server(table, path=folder / "s.sock") as server:
        rows = server.post(["10.1.2.3", "10.1.2", "", '\u001b[2J"\\', "::ffff:10.0.0.1", "10.0.0.0/8"])
        equal([row.get("prefix") for row in rows], ["10.0.0.0/8", None, None, None, "10.0.0.0/8", None], "prefixes")
        equal(rows[3]["address"], '\u001b[2J"\\', "the text comes back as it was")
        equal(["error" in row for row in rows], [False, True, True, True, False, True], "errors")
        with server.unix() as client:
            client.sendall(b"10.1.2\n\n \t10.1.2.3 \r\n\0\x1b[2J\n" + b"1" * 70000 + b"\n11.0.0.1\n10.0.0.1")
            client.shutdown(socket.SHUT_WR)
            lines = read_all(client).split(b"\n")
        wanted = [b"! the text ends too early", b"! there is no address", b"10.0.0.0/8\ta", None]
        wanted += [b"! the line has more than 65536 bytes", b"::ffff:0.0.0.0/96\tmapped", b"10.0.0.0/8\ta", b""]
        equal([line if mark else mark for line, mark in zip(lines, wanted, strict=True)], wanted, "lines")
        want(lines[3].startswith(b"! ") and lines[3].decode().isprintable(), lines[3])


def takes_what_lookup_takes(folder: Path) -> None:
    """Ports, brackets, zones and a byte order mark, over each protocol: the answer is that for the address alone."""
    table = table_of(folder, "192.0.2.0/24 doc", "2001:db8::/32 six", "fe80::/10 link", "::1/128 loop")
    asked = ["192.0.2.4:443", "[2001:db8::1]:53", "[::1]", "fe80::1%eth0", "[fe80::1%eth0]:22", "198.51.100.1:80", "::ffff:192.0.2.1%lo"]
    plain = ["192.0.2.4", "2001:db8::1", "::1", "fe80::1", "fe80::1", "198.51.100.1", "::ffff:192.0.2.1"]
    bad = ["192.0.2.4:", "192.0.2.4:x", "[2001:db8::1", "192.0.2.0/24:80", ":80"]
    with Server(table, path=folder / "s.sock") as server:
        answers = server.post(plain)
        equal([row["next_hop"] for row in answers], ["doc", "six", "loop", "link", "link", None, "doc"], "addresses alone")
        wanted = [{**row, "address": text} for text, row in zip(asked, answers, strict=True)]
        equal(server.post(asked), wanted, "a JSON array")
        equal(["error" in row for row in server.post(bad)], [True] * len(bad), "what is no socket's address")
        text = "\n".join(asked)
        mark = "\ufeff"
        for body in (text, mark + text, mark + "\r\n" + text, mark + json.dumps(asked)):
            equal(json.loads(server.ask("POST", "/lookup", body.encode())[2]), wanted, repr(body[:20]))
        quoted = [urllib.parse.quote(one, safe="") for one in asked]
        equal(json.loads(server.ask("GET", "/lookup?" + "&".join(f"address={one}" for one in quoted))[2]), wanted, "a query")
        for one, row in zip(quoted, wanted, strict=True):
            equal(json.loads(server.ask("GET", f"/lookup/{one}")[2]), [row], f"/lookup/{one}")
            covers = json.loads(server.ask("GET", f"/covers/{one}")[2])
            equal([route["next_hop"] for route in covers[0]["covers"]], [row["next_hop"]] if row["next_hop"] else [], f"/covers/{one}")
            equal(server.ask("GET", f"/explain/{one}")[0], 200, f"/explain/{one}")
        equal(server.ask("GET", "/lookup/[2001:db8::1]:53")[2], server.ask("GET", f"/lookup/{quoted[1]}")[2], "brackets as they are")
        lines = [f"{row['prefix']}\t{row['next_hop']}" if row["prefix"] else "-" for row in wanted]
        for sent in (text, mark + text):
            with server.unix() as client:
                send_and_end(client, sent.encode())
                equal(read_all(client).decode().splitlines(), lines, "the socket")
        with server.unix() as client:
            send_and_end(client, f"{plain[0]}\n{mark}{plain[0]}\n".encode())
            want(read_all(client).startswith(b"192.0.2.0/24\tdoc\n! "), "a mark within the lines is no address")


def refuses(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    with Server(table, "--max-body", "1000", "--max-addresses", "20") as server:
        refused(server, 404, "not found; see /openapi.json", "GET", "/index.html")
        refused(server, 405, "method", "POST", "/covers?address=10.0.0.1", "10.0.0.1")
        refused(server, 400, "no address", "GET", "/covers")
        refused(server, 413, "20 addresses", "GET", "/covers?" + "&".join(["address=10.0.0.1"] * 21))
        refused(server, 404, "not found", "GET", "/lookups")
        refused(server, 405, "method", "DELETE", "/lookup")
        refused(server, 405, "method", "POST", "/metrics", "x")
        refused(server, 400, "no address", "GET", "/lookup")
        refused(server, 400, "invalid JSON at byte", "POST", "/lookup", '["10.0.0.1",')
        refused(server, 400, "invalid JSON", "POST", "/lookup", b'["\xff"]')
        refused(server, 400, "element 2 of the array is a number", "POST", "/lookup", '["10.0.0.1", 7]')
        refused(server, 400, "element 1 of the array is an array", "POST", "/lookup", "[" * 900)
        for body in ('{"address": "10.0.0.1"}', '\ufeff \n{"addresses":["10.0.0.1"]}\n', '{"ip":"10.0.0.1"}\n{"ip":"10.0.0.2"}\n'):
            refused(server, 400, "the body is a JSON object; send an array of strings", "POST", "/lookup", body.encode())
        refused(server, 400, "the body is a JSON string; send an array of strings", "POST", "/lookup", '"10.0.0.1"')
        refused(server, 413, "20 addresses", "POST", "/lookup", json.dumps(["10.0.0.1"] * 21))
        refused(server, 413, "20 addresses", "POST", "/lookup", "10.0.0.1\n" * 21)
        refused(server, 413, "20 addresses", "GET", "/lookup?" + "&".join(["address=10.0.0.1"] * 21))
        refused(server, 413, "1000 bytes", "POST", "/lookup", "1" * 1001)
        refused(server, 413, "1000 bytes", "POST", "/lookup", b"1" * (2 << 20))
        refused(server, 414, "too long", "GET", "/lookup/" + "1" * 9000)
        equal(len(server.post(["10.0.0.1"] * 20)), 20, "as many as there may be")
        equal(server.ask("POST", "/lookup", "[]")[2], b"[]\n", "none at all")
        equal(server.ask("POST", "/lookup", "\n" * 1000)[2], b"[]\n", "a body as long as it may be")
        post = b"POST /lookup HTTP/1.1\r\nHost: localhost\r\n"
        chunked = post + b"Transfer-Encoding: chunked\r\n"
        form = post + b"Content-Type: multipart/form-data; boundary=x\r\n"
        smuggled = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
        raw = {
            post + b"\r\n": b"411",
            post + b"Content-Length: 99999999999999\r\nExpect: 100-continue\r\n\r\n": b"413",
            form + b"Content-Length: 9\r\n\r\n123456789": b"415",
            chunked + b"\r\n3e9\r\n" + b"1" * 1001 + b"\r\n0\r\n\r\n": b"413",
            chunked + b"\r\n" + b"1\r\n1\r\n" * 50000: b"413",
            chunked.replace(b"lookup", b"metrics") + b"\r\nffff\r\n" + b"1" * 400000: b"413",
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(smuggled) + smuggled: b"200",
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


def pipelines(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a", "10.1.0.0/16 b")
    with Server(table, path=folder / "s.sock") as server:
        with server.tcp() as client:
            asked = [f"10.{i % 2}.0.{i}" for i in range(100)]
            host = "HTTP/1.1\r\nHost: localhost\r\n"
            client.sendall("".join(f"GET /lookup/{text} {host}\r\n" for text in asked[:-1]).encode())
            client.sendall(f"GET /lookup/{asked[-1]} {host}Connection: close\r\n\r\n".encode())
            parts = read_all(client).split(b"HTTP/1.1 200 OK\r\n")[1:]
        bodies = [json.loads(part.split(b"\r\n\r\n")[1]) for part in parts]
        equal([body[0]["address"] for body in bodies], asked, "answers in order")
        equal([body[0]["next_hop"] for body in bodies], ["a", "b"] * 50, "answers")
        # Cut anywhere, even inside an address.
        whole = b"10.0.0.1\n10.1.0.1\n11.0.0.1\n"
        for cut in range(len(whole)):
            with server.unix() as client:
                client.sendall(whole[:cut])
                time.sleep(0.002)
                client.sendall(whole[cut:])
                client.shutdown(socket.SHUT_WR)
                equal(read_all(client), b"10.0.0.0/8\ta\n10.1.0.0/16\tb\n-\n", f"cut at {cut}")


if __name__ == "__main__":
    run_cases(
        answers_like_the_model, answers_from_several_tables, answers_from_an_image, explains_what_is_no_address,
        takes_what_lookup_takes, refuses, pipelines
    )
