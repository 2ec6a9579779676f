#!/usr/bin/env python3
"""`fingerpost serve`: start, reload and shutdown."""

import contextlib
import json
import random
import signal
import threading
import time
from pathlib import Path

from serving import (
    ALL,
    SEED,
    Model,
    Server,
    equal,
    eventually,
    hop,
    model_of,
    random_addresses,
    random_networks,
    read_all,
    read_answer,
    refuses_to_start,
    replace,
    run_cases,
    table_of,
    want,
)


def reloads(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 first")
    with Server(table) as server:
        replace(table, "10.0.0.0/8 renamed\n")
        eventually(lambda: hop(server) == "renamed", "a renamed file is read")
        with table.open("w", encoding="utf-8") as file:
            # While it is being written, the file is incomplete.
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
        server.says(r"table\.txt:2: '10\.0\.0\.0/33': ")
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
    """Replaces a file like container platforms do: the path is a link to a link to a folder, and that folder is exchanged."""
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
    """Several clients send requests of several batches while tables change as fast as possible."""
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
        begin = time.monotonic()

        def is_enough() -> bool:
            """Enough generations have answered, or the deadline has passed."""
            seconds = time.monotonic() - begin
            return seconds > 20 or bool(faults) or (seconds > (4 if ALL else 0) and len(seen) >= 10 and {"a"} in seen.values() and {"b"} in seen.values())

        def ask() -> None:
            body = json.dumps(texts)
            while not is_enough():
                status, headers, answer = server.ask("POST", "/lookup", body)
                name = wanted.get(json.dumps(json.loads(answer))) if status == 200 else None
                if name is None:
                    faults.append(f"{status}: {answer[:200]!r}")
                    return
                seen.setdefault(headers["Fingerpost-Generation"], set()).add(name)

        clients = [threading.Thread(target=ask) for _ in range(3)]
        for client in clients:
            client.start()
        while not is_enough():
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
                one.sendall(b"POST /lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
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
        refuses_to_start(1, "another program answers there", "-t", str(table), "--socket", str(path))
        want(path.exists(), "the socket of the other is gone")
    # A killed program leaves its socket.
    with Server(table, path=path) as server:
        server.process.kill()
        server.process.wait()
        want(path.exists(), "a killed program leaves its socket")
    with Server(table, path=path, http=False) as server, server.unix() as client:
        client.sendall(b"10.0.0.1\n")
        equal(client.recv(100), b"10.0.0.0/8\ta\n", "after a killed program")
        # A file that has replaced the socket in the meantime is not removed.
        path.unlink()
        path.write_text("mine", encoding="utf-8")
        server.send(signal.SIGTERM)
        equal(server.process.wait(20), 0, "exit code")
    equal(path.read_text(encoding="utf-8"), "mine", "a file in the place of the socket")
    refuses_to_start(1, "it exists and is not a socket", "-t", str(table), "--socket", str(path))
    equal(path.read_text(encoding="utf-8"), "mine", "a file in the place of the socket")
    refuses_to_start(1, "has 1 to 107 bytes", "-t", str(table), "--socket", str(folder / ("x" * 200)))
    refuses_to_start(1, "No such file", "-t", str(table), "--socket", str(folder / "none" / "s.sock"))
    equal(sorted(file.name for file in folder.iterdir()), ["s.sock", "table.txt"], "files left behind")


def wrong_starts(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")

    with Server(table) as server:
        refuses_to_start(1, "Address already in use", "-t", str(table), "--http", f"127.0.0.1:{server.port}")
    for wrong in ("nowhere:80", "1.2.3.4", "127.0.0.1:70000", "::1:80", "[127.0.0.1]:80", ":80"):
        refuses_to_start(2, "is not ADDRESS:PORT, such as", "-t", str(table), "--http", wrong)
    refuses_to_start(2, "--threads", "-t", str(table), "--threads", "0")
    # --check reads what a start reads, and does not serve.
    refuses_to_start(0, "1 IPv4 and 0 IPv6 routes\nfingerpost: configuration and tables are valid\n", "-t", str(table), "--check")
    config = folder / "serve.toml"
    config.write_text(f'table = "{table}"\nsocket = "{folder}/s.sock"\nmax-body = 5\n', encoding="utf-8")
    refuses_to_start(0, "configuration and tables are valid", "--config", str(config), "--check")
    want(not (folder / "s.sock").exists(), "--check makes a socket")
    config.write_text(f'table = "{table}"\nmax-bodies = 5\n', encoding="utf-8")
    refuses_to_start(2, "serve.toml:2: ", "--config", str(config), "--check")
    refuses_to_start(2, "unknown option '--watch'", "-t", str(table), "--watch")
    table.write_text("10.0.0.0/8 a\nbad\n", encoding="utf-8")
    refuses_to_start(1, "table.txt:2: 'bad'", "-t", str(table))
    refuses_to_start(1, "table.txt:2: 'bad'", "-t", str(table), "--check")


if __name__ == "__main__":
    run_cases(
        reloads,
        reloads_when_asked_only,
        follows_links,
        never_mixes,
        ends_when_busy,
        keeps_sockets_of_others,
        wrong_starts,
    )
