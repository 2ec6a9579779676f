#!/usr/bin/env python3
"""`fingerpost serve` under wrk while its table changes: every answer is right for one of two tables, and none is lost.

Runs at least $FINGERPOST_SERVE_REQUESTS requests of 100 addresses and $FINGERPOST_SERVE_RELOADS reloads: 5,000 and 10 with
FINGERPOST_TESTS=all, 100,000 and 50 in `make test-serve-load`. The tables share most of their prefixes, but no next hop. wrk checks each
answer as a whole (serve_load.lua). Other clients query the socket, and HTTP with requests of many batches, at the same time.
"""

import json
import os
import random
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from serving import ALL, Model, Server, equal, eventually, random_addresses, random_networks, replace, skip, want

REQUESTS = int(os.environ.get("FINGERPOST_SERVE_REQUESTS", "5000" if ALL else "1000"))
RELOADS = int(os.environ.get("FINGERPOST_SERVE_RELOADS", "10" if ALL else "4"))
ROUTES = 20_000 if REQUESTS >= 5000 else 3000
ADDRESSES = 100
BODIES = 300
CONNECTIONS = 32
SECONDS_A_ROUND = 4 if REQUESTS >= 5000 else 1


def answer_text(model: Model, texts: list[str]) -> str:
    rows = [json.dumps(row, separators=(",", ":")) for row in model.rows(texts)]
    return "[" + ",\n".join(rows) + "]\n"


def lua_string(text: str) -> str:
    want("]==]" not in text, "a text that Lua would cut")
    return f"[==[{text}]==]"


class Changes(threading.Thread):
    """Alternates between the two tables, each time after the previous one was loaded."""

    def __init__(self, server: Server, table: Path, models: list[Model]) -> None:
        super().__init__()
        self.server, self.table, self.texts = server, table, [model.text() for model in models]
        self.count = 0
        self.ending = threading.Event()

    def run(self) -> None:
        while not self.ending.is_set():
            before = self.server.generation()
            replace(self.table, self.texts[(self.count + 1) % 2])
            eventually(lambda before=before: self.server.generation() > before, "the table is read again", 60)
            self.count += 1
            self.ending.wait(0.05)


class Asker(threading.Thread):
    """Repeats the same requests and compares each answer with the two right ones."""

    def __init__(self) -> None:
        super().__init__()
        self.ending = threading.Event()
        self.rights = [0, 0]
        self.fault = ""

    def judge(self, got: object, wanted: list[object]) -> None:
        if got in wanted:
            self.rights[wanted.index(got)] += 1
        else:
            self.fault = self.fault or str(got)[:500]


class HttpAsker(Asker):
    def __init__(self, server: Server, texts: list[str], models: list[Model]) -> None:
        super().__init__()
        self.server, self.body = server, "\n".join(texts)
        self.wanted: list[object] = [answer_text(model, texts).encode() for model in models]

    def run(self) -> None:
        while not self.ending.is_set() and not self.fault:
            try:
                self.judge(self.server.ask("POST", "/lookup", self.body)[2], self.wanted)
            except OSError as error:
                self.fault = str(error)


class LineAsker(Asker):
    """Consecutive lines may come from different tables, but each must come from one of the two."""

    def __init__(self, server: Server, texts: list[str], models: list[Model]) -> None:
        super().__init__()
        self.server, self.texts = server, texts
        self.wanted: list[list[object]] = [[model.line(text) for model in models] for text in texts]

    def run(self) -> None:
        with self.server.unix() as client, client.makefile("rw", encoding="utf-8", newline="\n") as lines:
            while not self.ending.is_set() and not self.fault:
                lines.write("".join(f"{text}\n" for text in self.texts))
                lines.flush()
                for wanted in self.wanted:
                    self.judge(lines.readline().rstrip("\n"), wanted)


def load(server: Server, script: Path) -> dict[str, float]:
    words = ["wrk", "-t2", f"-c{CONNECTIONS}", f"-d{SECONDS_A_ROUND}s", "--timeout", "20s", "-s", str(script)]
    done = subprocess.run([*words, f"http://127.0.0.1:{server.port}"], capture_output=True, text=True, check=True)
    result = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    want(len(result) == 1 and "WRONG" not in done.stdout, done.stdout + done.stderr)
    got: dict[str, float] = json.loads(result[0].removeprefix("RESULT "))
    return got


def run(folder: Path) -> None:
    dice = random.Random(18)
    networks = random_networks(dice, ROUTES)
    # 1 % of the prefixes are in one table only.
    models = [
        Model({network: f"{name}{i}" for i, network in enumerate(networks) if i % 200 != skipped})
        for name, skipped in (("a", 0), ("b", 1))
    ]
    bodies = []
    while len(bodies) < BODIES:
        texts = random_addresses(dice, networks, ADDRESSES)
        if all(texts[0] != other[0] for other in bodies):
            bodies.append(texts)
    script = folder / "load.lua"
    table = folder / "table.txt"
    with script.open("w", encoding="utf-8") as out:
        out.write("requests = {\n")
        out.writelines(lua_string(json.dumps(texts)) + ",\n" for texts in bodies)
        out.write("}\nwanted = {\n")
        for texts in bodies:
            pair = [answer_text(model, texts) for model in models]
            want(pair[0] != pair[1], "a request that both tables answer alike")
            out.write(f'["{texts[0]}"] = {{{lua_string(pair[0])}, {lua_string(pair[1])}}},\n')
        out.write("}\n" + Path(__file__).with_name("serve_load.lua").read_text(encoding="utf-8"))
    table.write_text(models[0].text(), encoding="utf-8")
    with Server(table, path=folder / "s.sock") as server:
        changes = Changes(server, table, models)
        askers = [
            HttpAsker(server, random_addresses(dice, networks, 9000), models),
            LineAsker(server, random_addresses(dice, networks, 500), models),
        ]
        total: dict[str, float] = {}
        begin = time.monotonic()
        for thread in (changes, *askers):
            thread.start()
        try:
            while total.get("requests", 0) < REQUESTS or changes.count < RELOADS:
                want(changes.is_alive() and all(asker.is_alive() for asker in askers), f"{[a.fault for a in askers]}")
                for name, value in load(server, script).items():
                    # The worst round counts, not the sum of the times.
                    is_time = name in ("p50", "p99", "longest")
                    total[name] = max(total.get(name, 0), value) if is_time else total.get(name, 0) + value
        finally:
            for thread in (changes, *askers):
                thread.ending.set()
                thread.join()
        equal([asker.fault for asker in askers], ["", ""], "answers to clients of ours")
        for name in ("wrong", "mixed", "connect", "read", "write", "status", "timeout"):
            equal(total[name], 0, f"{name} of {total}")
        # wrk counts the answers that it checked. Requests in flight at the end of a round are neither lost nor checked.
        equal(total["right_a"] + total["right_b"], total["requests"], "answers judged")
        want(min(total["right_a"], total["right_b"]) * 20 > total["requests"], f"answers of one table mostly: {total}")
        want(all(min(asker.rights) > 0 for asker in askers), f"answers of one table: {[a.rights for a in askers]}")
        seconds = time.monotonic() - begin
        failed = server.metric('fingerpost_serve_reloads_total{result="failed"}')
        equal(failed, 0, "failed reloads")
        done = server.metric('fingerpost_serve_reloads_total{result="ok"}')
        answered = server.metric('fingerpost_serve_http_requests_total{code="200"}')
        want(answered >= total["requests"], f"{answered} answers counted, {total['requests']} seen")
    print(
        f"serve_load_test: {total['requests']:.0f} requests of {ADDRESSES} addresses by wrk, "
        f"{total['requests'] / total['seconds']:.0f} a second, during {done:.0f} reloads in {seconds:.0f} s: "
        f"{total['right_a']:.0f} answers of one table, {total['right_b']:.0f} of the other, 0 wrong, 0 mixed, 0 lost; "
        f"median {total['p50']:.1f} ms, 99 % within {total['p99']:.1f} ms, longest {total['longest']:.1f} ms; "
        f"{sum(askers[0].rights)} requests of 9,000 addresses and {sum(askers[1].rights)} lines beside"
    )


def main() -> None:
    if shutil.which("wrk") is None:
        skip("wrk is missing (tools/setup test)")
    with tempfile.TemporaryDirectory() as scratch:
        run(Path(scratch))


if __name__ == "__main__":
    main()
