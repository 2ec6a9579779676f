#!/usr/bin/env python3
"""`fingerpost serve`: tables that are rewritten in place, truncated or emptied never give answers from an incomplete table."""

import os
import random
import signal
import threading
import time
from pathlib import Path

from serving import SEED, Server, equal, eventually, hop, replace, run_cases, table_of, want

FAILED = 'fingerpost_serve_reloads_total{result="failed"}'
DONE = 'fingerpost_serve_reloads_total{result="ok"}'


def counted(server: Server, failures: int) -> None:
    eventually(lambda: server.metric(FAILED) == failures, f"{failures} reloads that failed")


def keeps_its_table_when_the_file_is_empty(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 first")
    with Server(table) as server:
        for count, text in enumerate(("", "# nothing\n\n", "prefix,next_hop\n"), 1):
            with table.open("w", encoding="utf-8") as file:
                file.write(text)
            counted(server, count)
            equal((hop(server), server.generation()), ("first", 1), f"{text!r} changes nothing")
        replace(table, "")
        eventually(lambda: server.metric(FAILED) == 4, "an empty file in its place")
        server.says("no routes now, 1 before; keeping the old table .see --allow-empty")
        equal(server.metric("fingerpost_serve_last_reload_successful"), 0, "the last reload failed")
        replace(table, "2001:db8::/32 second\n")
        eventually(lambda: server.generation() == 2, "routes are back")
    with Server(table, "--allow-empty") as server:
        replace(table, "")
        eventually(lambda: server.generation() == 2, "an empty table that is allowed")
        equal(hop(server), None, "no route")
        # Replacing an empty table by another one loses nothing, so it is accepted.
        replace(table, "# still nothing\n")
        eventually(lambda: server.generation() == 3, "an empty table after another")


def waits_for_the_writer(folder: Path) -> None:
    """A half-written open file is not read: neither on SIGHUP, nor when another program closes the file."""
    whole = "".join(f"10.{i}.0.0/16 whole\n" for i in range(200))
    for options in ((), ("--no-watch",)):
        table = table_of(folder, "10.0.0.0/8 first")
        with Server(table, *options) as server:
            with table.open("w", encoding="utf-8") as file:
                file.write(whole[:1000])
                file.flush()
                for _ in range(3):
                    server.send(signal.SIGHUP)
                    equal(hop(server), "first", "half a file")
                    time.sleep(0.2)
                equal((hop(server), server.generation()), ("first", 1), f"half a file, {options}")
                file.write(whole[1000:])
            eventually(lambda: hop(server) == "whole", "the rest is written")
            equal(server.metric(FAILED), 0, f"reloads that failed: {server.said[-5:]}")


def never_answers_from_half(folder: Path) -> None:
    """Repeated rewrites in place, with pauses anywhere: an address that every version contains always has a route."""
    dice = random.Random(SEED)
    table = folder / "table.txt"
    routes = 2000

    def text(version: int) -> str:
        # The queried route is at the end, so an incomplete file lacks it.
        lines = [f"11.{i >> 8}.{i & 255}.0/24 v{version}" for i in range(routes)]
        return "\n".join([*lines, f"10.0.0.0/8 v{version}", ""])

    table.write_text(text(0), encoding="utf-8")
    wrong: list[str | None] = []
    seen: set[str | None] = set()
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            found = hop(server)
            seen.add(found)
            if found is None or not found.startswith("v"):
                wrong.append(found)

    def rewrite(version: int) -> None:
        content = text(version).encode()
        with table.open("r+b" if version % 3 == 0 else "wb", buffering=0) as file:
            at = 0
            while at < len(content):
                size = dice.choice([4096, 10000, 1 << 20])
                file.write(content[at : at + size])
                at += size
                if dice.random() < 0.3:
                    time.sleep(dice.choice([0.001, 0.01]))
            file.truncate(len(content))

    with Server(table) as server:
        clients = [threading.Thread(target=ask) for _ in range(2)]
        for client in clients:
            client.start()
        for version in range(1, 61):
            rewrite(version)
            # Some rewrites are followed immediately by the next one.
            if dice.random() < 0.5:
                os.kill(server.process.pid, signal.SIGHUP)
            if dice.random() < 0.5:
                time.sleep(0.03)
        eventually(lambda: hop(server) == "v60", "the last version is read")
        ended.set()
        for client in clients:
            client.join()
        equal(wrong, [], "answers from half a table")
        want(len(seen) >= 5, f"answers of {len(seen)} versions only")
        # On a slow machine the file may change during each of the 20 reads.
        known = ("reloaded", " IPv4 and ", "it changes while it is read")
        faults = [line for line in server.said if line.startswith(f"fingerpost: {table}: ") and not any(words in line for words in known)]
        equal(faults, [], "reloads that failed")
        want(server.metric(DONE) >= 5, "reloads")


if __name__ == "__main__":
    run_cases(keeps_its_table_when_the_file_is_empty, waits_for_the_writer, never_answers_from_half)
