#!/usr/bin/env python3
"""The answers of `fingerpost serve` match its OpenAPI document, and the document is valid.

Needs openapi-spec-validator and jsonschema from tests/python/requirements.txt, in $FINGERPOST_PYTHON.
"""

import importlib.util
import json
import os
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from scripts import skip

MODULES = ("openapi_spec_validator", "jsonschema", "rfc3339_validator")
if any(importlib.util.find_spec(name) is None for name in MODULES):
    python = os.environ.get("FINGERPOST_PYTHON", "")
    if Path(python).exists() and Path(python).absolute() != Path(sys.executable).absolute():
        os.execv(python, [python, *sys.argv])
    skip(f"no {', '.join(MODULES)} (tools/python_env)")

import jsonschema
import openapi_spec_validator
from serving import Server, equal, run_cases, table_of, want

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "docs/use/serve-openapi.json"


class Contract:
    """The document. It validates answers and counts them."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.seen: set[tuple[str, str, str]] = set()

    def resolve(self, part: Any) -> Any:
        while isinstance(part, dict) and "$ref" in part:
            found: Any = self.document
            for name in part["$ref"].removeprefix("#/").split("/"):
                found = found[name]
            part = found
        return part

    def path_of(self, target: str) -> str:
        plain = target.split("?", 1)[0]
        for path in self.document["paths"]:
            if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), plain):
                return str(path)
        raise AssertionError(f"{target} is in no path of the document")

    def validate(self, schema: Any, value: Any, words: str) -> None:
        # References start at the root of the document.
        whole = {**self.document, "$ref": "#/x-asked", "x-asked": schema}
        checker = jsonschema.Draft202012Validator(whole, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
        faults = [f"{'/'.join(map(str, fault.path))}: {fault.message}" for fault in checker.iter_errors(value)]
        equal(faults, [], words)

    def judge(self, method: str, target: str, status: int, headers: dict[str, str], body: bytes) -> Any:
        words = f"{method} {target}: {status}"
        path = self.path_of(target)
        operation = self.document["paths"][path][method.lower()]
        want(str(status) in operation["responses"], f"{words} is no answer of the document: {body[:200]!r}")
        answer = self.resolve(operation["responses"][str(status)])
        kind = headers["Content-Type"].split(";")[0]
        want(kind in answer["content"], f"{words} has the type {kind}")
        value = json.loads(body) if kind == "application/json" else body.decode()
        self.validate(answer["content"][kind]["schema"], value, words)
        for name, part in answer.get("headers", {}).items():
            header = self.resolve(part)
            want(name in headers or not header["required"], f"{words} has no {name}")
            is_number = header["schema"]["type"] == "integer"
            self.validate(header["schema"], int(headers[name]) if is_number else headers[name], f"{words}: {name}")
        self.seen.add((method.lower(), path, str(status)))
        return value

    def ask(self, server: Server, method: str, target: str, body: bytes | str | None = None, fields: dict[str, str] | None = None) -> Any:
        return self.judge(method, target, *server.ask(method, target, body, fields))


def document_is_valid(folder: Path) -> None:
    """Validates the document as OpenAPI, as served and as stored. Each example must fit its schema, and each $ref must lead to an
    object."""
    kept = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    with Server(table_of(folder, "10.0.0.0/8 a")) as server:
        equal(server.get("/openapi.json"), kept, "the served document")
    openapi_spec_validator.validate(kept)
    broken = json.loads(json.dumps(kept))
    del broken["info"]["title"]
    want(list(openapi_spec_validator.OpenAPIV31SpecValidator(broken).iter_errors()), "the validator finds nothing wrong")
    contract = Contract(kept)
    count = 0
    for schema in kept["components"]["schemas"].values():
        for example in schema.get("examples", []):
            contract.validate(schema, example, "an example")
            count += 1
    want(count >= 3, "few examples")
    wrong = {"address": "10.0.0.1", "prefix": 7}
    checker = jsonschema.Draft202012Validator({**kept, "$ref": "#/components/schemas/Answer"})
    want(list(checker.iter_errors(wrong)), "a wrong answer is valid")


def answers_are_as_described(folder: Path) -> None:
    contract = Contract(json.loads(DOCUMENT.read_text(encoding="utf-8")))
    (folder / "geo.csv").write_text("network,id,empty\n10.0.0.0/8,7,\n2001:db8::/32,8,\n", encoding="utf-8")
    table = table_of(folder, "10.0.0.0/8 <b>", "10.1.0.0/16", '0.0.0.0/0 "q"')
    options = ["--max-addresses", "20", "--max-body", "2000", "--timeout", "1"]
    for words in (["-t", str(table)], ["-t", f"geo={folder}/geo.csv", "-t", f"bgp={table}"], ["-t", f"only={table}"]):
        names = [word.split("=")[0] for word in words if "=" in word]
        with Server(None, *words, *options) as server:
            for end in ("", *(f"table={name}" for name in names)):
                more, first = ("&" + end, "?" + end) if end else ("", "")
                asked = "address=10.1.2.3&address=2001:db8::1&address=x&address=&address=192.0.2.1"
                equal(len(contract.ask(server, "GET", f"/lookup?{asked}{more}")), 5, "answers")
                equal(len(contract.ask(server, "GET", f"/covers?{asked}{more}")), 5, "answers")
                for address in ("10.1.2.3", "x", "2001:db8::1", "%00%ff"):
                    contract.ask(server, "GET", f"/lookup/{address}{first}")
                    contract.ask(server, "GET", f"/covers/{address}{first}")
                contract.ask(server, "POST", f"/lookup{first}", '["10.1.2.3", "y"]')
                contract.ask(server, "POST", f"/lookup{first}", "10.1.2.3\ny\n")
            contract.ask(server, "GET", "/explain/10.1.2.3")
            for path in ("/", "/tables", "/healthz", "/version", "/metrics", "/openapi.json"):
                contract.ask(server, "GET", path)
                contract.ask(server, "GET", path, None, {"Host": "evil.example"})
            refusals: list[tuple[int, str, str, bytes | str | None, dict[str, str]]] = []
            for path in ("/lookup", "/covers"):
                refusals += [
                    (400, "GET", path, None, {}),
                    (400, "GET", f"{path}?address=10.0.0.1&table=none", None, {}),
                    (400, "GET", f"{path}/10.0.0.1?table=none", None, {}),
                    (413, "GET", path + "?" + "&".join(["address=1"] * 21), None, {}),
                    (414, "GET", f"{path}?address=" + "1" * 9000, None, {}),
                    (414, "GET", f"{path}/" + "1" * 9000, None, {}),
                    (421, "GET", f"{path}?address=1", None, {"Host": "evil.example"}),
                    (421, "GET", f"{path}/1", None, {"Host": "evil.example"}),
                ]
            refusals += [
                (400, "GET", "/explain/x", None, {}),
                (400, "GET", "/explain/10.0.0.1?table=none", None, {}),
                (414, "GET", "/explain/" + "1" * 9000, None, {}),
                (421, "GET", "/explain/10.0.0.1", None, {"Host": "evil.example"}),
                (400, "POST", "/lookup", "[1]", {}),
                (400, "POST", "/lookup?table=none", "[]", {}),
                (413, "POST", "/lookup", "1" * 3000, {}),
                (415, "POST", "/lookup", "1", {"Content-Encoding": "br"}),
                (421, "POST", "/lookup", "1", {"Host": "evil.example"}),
            ]
            for code, method, target, body, fields in refusals:
                contract.ask(server, method, target, body, fields)
                want((method.lower(), contract.path_of(target), str(code)) in contract.seen, f"{method} {target[:80]}: no {code}")
            judge_raw(contract, server, b"POST /lookup HTTP/1.1\r\nHost: localhost\r\n\r\n", 411)
            judge_raw(contract, server, b"POST /lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1", 408)
    with Server(table, "--threads", "4") as server:
        contract.ask(server, "GET", "/explain/2001:db8::1")
        refuse_busy(contract, server)
    described = {
        (method, path, code)
        for path, operations in contract.document["paths"].items()
        for method, operation in operations.items()
        for code in operation["responses"]
    }
    equal(sorted(described - contract.seen), [], "answers of the document that were never seen")


def refuse_busy(contract: Contract, server: Server) -> None:
    """Requests explanations concurrently until one is refused."""
    answers: list[tuple[int, dict[str, str], bytes]] = []
    end = time.monotonic() + 60

    def ask() -> None:
        while time.monotonic() < end and not any(answer[0] == 503 for answer in answers):
            answers.append(server.ask("GET", "/explain/10.1.2.3"))

    clients = [threading.Thread(target=ask) for _ in range(4)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    for answer in answers:
        contract.judge("GET", "/explain/10.1.2.3", *answer)


def judge_raw(contract: Contract, server: Server, sent: bytes, code: int) -> None:
    with server.tcp() as client:
        client.sendall(sent)
        got, end = b"", time.monotonic() + 20
        while time.monotonic() < end and (part := client.recv(1 << 16)):
            got += part
    head, body = got.split(b"\r\n\r\n", 1)
    lines = head.decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines[1:])
    equal(lines[0].split()[1], str(code), lines[0])
    contract.judge("POST", "/lookup", code, fields, body)


if __name__ == "__main__":
    run_cases(document_is_valid, answers_are_as_described)
