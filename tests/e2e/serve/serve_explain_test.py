#!/usr/bin/env python3
"""`GET /explain/ADDRESS` of `fingerpost serve`: the page shows the covers, the interval and the table of `fingerpost explain`, for
tables from text and from images. Addresses that cannot be explained are refused, and one address is explained at a time.
"""

import base64
import json
import os
import random
import re
import subprocess
import threading
import time
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import quote

from serving import SEED, Server, equal, eventually, model_of, random_addresses, replace, run_cases, table_of, want

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
EVIL = "</script><script>alert(1)</script>"


def run(*words: str) -> str:
    return subprocess.run([os.environ["FINGERPOST"], *words], capture_output=True, text=True, check=True).stdout


def explained(server: Server, address: str) -> dict[str, Any]:
    status, fields, body = server.ask("GET", f"/explain/{quote(address, safe='')}")
    equal(status, 200, f"{address}: {body[:300]!r}")
    equal(fields["Content-Type"], "text/html; charset=utf-8", "the type")
    for name, value in (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-cache")):
        equal(fields[name], value, name)
    want("frame-ancestors 'none'" in fields["Content-Security-Policy"], "the policy")
    given = json.loads(DATA.findall(body.decode())[0])
    equal((given["neighbours"], given["offers"]), ([], []), "tables one route away")
    questions: list[dict[str, Any]] = json.loads(zlib.decompress(base64.b64decode(given["packed"])))["questions"]
    equal(len(questions), 1, "questions of a page")
    return questions[0]


def is_that_of_explain(folder: Path) -> None:
    dice = random.Random(SEED)
    for count, asked in ((20, 4), (100, 2)):
        model = model_of(dice, count, "hop")
        table, image = folder / f"{count}.txt", folder / f"{count}.image"
        table.write_text(model.text(), encoding="utf-8")
        run("image", "save", "-t", str(table), str(image))
        addresses = [*random_addresses(dice, list(model.routes), asked), "::", "::ffff:10.1.2.3"]
        for path, scheme in ((table, []), (table, ["--scheme", "poptrie"]), (table, ["--scheme", "planb"]), (image, []), (image, ["--scheme", "bart"])):
            with Server(path, *scheme) as server:
                for address in addresses:
                    got = explained(server, address)
                    wanted = json.loads(run("explain", "-t", str(path), *scheme, "--format", "json", address))
                    for name in set(wanted) - {"schemes"}:
                        equal(got[name], wanted[name], f"{path.name} {scheme} {address}: {name}")
                    schemes = [one["scheme"] for one in got["schemes"]]
                    equal(schemes, [one["scheme"] for one in wanted["schemes"]], f"{address}: schemes")
                    # The served FIB stores routes by number, so its nodes may differ, but not its answers.
                    steps = got["schemes"][0]["steps"]
                    want(steps and got["schemes"][0]["drawing"] is not None, f"{path.name} {address}: no steps or no drawing")


def has_columns_of_all_tables(folder: Path) -> None:
    """Renamed tables are explained, and after a reload the new table."""
    geo = folder / "geo.csv"
    geo.write_text("network,id\n10.0.0.0/8,7\n", encoding="utf-8")
    bgp = table_of(folder, f'10.1.0.0/16 "{EVIL}"', "10.0.0.0/8 core")
    with Server(None, "-t", f"geo={geo}", "-t", f"bgp={bgp}", "--rename", "geo_id=place") as server:
        for number in (7, 8):
            replace(geo, f"network,id\n10.0.0.0/8,{number}\n")
            eventually(lambda: server.get("/lookup/10.1.2.3")[0]["place"] == number, "the table is read again")  # noqa: B023
            cover = explained(server, "10.1.2.3")["covers"][-1]
            values = {"geo_prefix": "10.0.0.0/8", "place": number, "bgp_prefix": "10.1.0.0/16", "bgp_next_hop": EVIL}
            equal((cover["prefix"], cover["values"]), ("10.1.0.0/16", values), "the longest match")
            want(EVIL not in server.ask("GET", "/explain/10.1.2.3")[2].decode(), "a text of the table is markup")
        refused(server, 400, "/explain/10.1.2.3?table=geo", "leave out table=")


def refused(server: Server, code: int, target: str, words: str) -> None:
    status, fields, body = server.ask("GET", target)
    equal((status, fields["Content-Type"]), (code, "application/json"), target)
    want(words in json.loads(body)["error"], f"{target}: {body!r}")


def refuses_with_a_reason(folder: Path) -> None:
    with Server(table_of(folder, "10.0.0.0/8 a")) as server:
        refused(server, 400, "/explain/10.1", "'10.1' is not an address: the text ends too early")
        refused(server, 400, "/explain/", "'' is not an address")
        refused(server, 400, "/explain/10.0.0.0/8", "is not an address")
        refused(server, 400, "/explain/%3Cb%3E%00", "is not an address")
        refused(server, 404, "/explain/2001:db8::1", "no routes of the family of 2001:db8::1")
        refused(server, 404, "/explain", "not found; see /openapi.json")
        equal(server.ask("POST", "/explain/10.0.0.1", "")[0], 405, "POST")
        equal(server.ask("HEAD", "/explain/10.0.0.1")[2], b"", "HEAD")
        equal(explained(server, "11.0.0.1")["covers"], [], "an address without a route")


def explains_one_at_a_time(folder: Path) -> None:
    """Concurrent clients either get their page or are refused, and lookups are answered meanwhile."""
    dice = random.Random(SEED)
    table = folder / "table.txt"
    lines = {f"{10 + i % 90}.{dice.randrange(256)}.{dice.randrange(256)}.0/24 h{i % 7}" for i in range(60_000)}
    table.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    answers: dict[int, set[str]] = {}
    end = time.monotonic() + 60

    def ask() -> None:
        while set(answers) < {200, 503} and time.monotonic() < end:
            status, fields, body = server.ask("GET", "/explain/20.1.2.3")
            answers.setdefault(status, set()).add(fields.get("Retry-After", "") + fields["Content-Type"])
            want(status != 503 or b"another address is being explained" in body, f"{status}: {body[:200]!r}")

    with Server(table, "--threads", "6") as server:
        clients = [threading.Thread(target=ask) for _ in range(4)]
        for client in clients:
            client.start()
        while any(client.is_alive() for client in clients):
            equal(len(server.post(["20.1.2.3"])), 1, "a lookup meanwhile")
        for client in clients:
            client.join()
        equal(answers, {200: {"text/html; charset=utf-8"}, 503: {"1application/json"}}, "answers to clients at once")
        equal(explained(server, "20.1.2.3")["address"], "20.1.2.3", "an explanation afterwards")


if __name__ == "__main__":
    run_cases(is_that_of_explain, has_columns_of_all_tables, refuses_with_a_reason, explains_one_at_a_time)
