#!/usr/bin/env python3
"""The page of `fingerpost serve` in headless Chromium: wide and narrow, in light and dark mode, with the keyboard only, and on paper.

Checks that the page requests nothing elsewhere and reports no errors, that axe-core finds nothing, and that texts of tables remain
texts. FINGERPOST_SCREENSHOTS names a folder for screenshots.
"""

import base64
import hashlib
import json
import os
import re
import sys
from pathlib import Path
from urllib.parse import quote

from serving import ALL, Server, equal, eventually, replace, run_cases, skip, table_of, want

ROOT = Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "tests/evaluation"))
import chromium

PROGRAM = chromium.find()
AXE = next(iter(ROOT.glob("build/python-report/lib/python*/site-packages/axe_core_python/axe.min.js")), None)
for missing, words in (
    (PROGRAM is None, "Chromium is missing (tools/setup ci)"),
    (AXE is None, "axe-core is missing (tools/python_env report)"),
):
    if missing:
        skip(words)

EVIL = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(2)>"
AXE_RUN = "axe.run().then(found => found.violations.map(one => one.id + ': ' + one.nodes.map(node => node.html.slice(0, 200)).join(' ')))"
ASIDE = "document.documentElement.scrollWidth - innerWidth"
STATUS = "document.getElementById('status').textContent"
TITLE = "document.getElementById('answer').hidden ? null : document.getElementById('answer-title').textContent"
ROWS = "[...document.querySelectorAll('#rows tr')].map(row => [...row.cells].map(cell => cell.textContent))"
MATCH = "[...document.querySelectorAll('#match > *')].map(one => one.textContent)"
KEYS = {"Tab": 9, "Enter": 13, " ": 32, "ArrowDown": 40}


class Reader:
    """A user with a keyboard at one page."""

    def __init__(self, page: chromium.Page) -> None:
        self.page = page

    def press(self, key: str) -> None:
        text = {"Enter": "\r", " ": " "}.get(key)
        facts = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": KEYS[key]}
        self.page.call("Input.dispatchKeyEvent", type="keyDown", **facts, **({"text": text} if text else {}))
        self.page.call("Input.dispatchKeyEvent", type="keyUp", **facts)

    def type(self, text: str) -> None:
        self.page.call("Input.insertText", text=text)

    def focused(self) -> str:
        return str(self.page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))

    def tab_to(self, name: str) -> None:
        """Presses Tab until this element has the focus, which must be visible."""
        for _ in range(30):
            self.press("Tab")
            if self.focused() == name:
                want(self.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", f"{name}: no visible focus")
                return
        want(False, f"Tab never comes to {name}")

    def answers(self, words: str) -> None:
        eventually(lambda: self.page.evaluate(STATUS) != "", f"{words}: an answer", 10)

    def reads(self, script: str, wanted: object, words: str) -> None:
        eventually(lambda: self.page.evaluate(script) == wanted, f"{words}: {self.page.evaluate(script)!r} instead of {wanted!r}", 10)


def open_page(server: Server, query: str = "", width: int = 1400, dark: bool = False) -> Reader:
    page = BROWSER.page()
    page.look(width, 900, dark)
    page.open(f"http://127.0.0.1:{server.port}/{query}")
    eventually(lambda: "route" in page.evaluate("document.getElementById('facts').textContent"), "the page knows the tables", 10)
    return Reader(page)


def is_clean(reader: Reader, server: Server) -> None:
    """The page has requested only this server, and has reported nothing."""
    origin = f"http://127.0.0.1:{server.port}/"
    equal([url for url in reader.page.requests if not url.startswith(origin)], [], "requests elsewhere")
    paths = {url.removeprefix(origin).split("?")[0] for url in reader.page.requests}
    want(paths <= {"", "tables", "covers", "lookup"}, f"requests: {paths}")
    equal(reader.page.errors, [], "errors")


def sample(folder: Path) -> Path:
    return table_of(
        folder,
        "0.0.0.0/0 upstream",
        "10.0.0.0/8 core",
        "10.1.0.0/16 edge",
        f'10.1.2.0/24 "{EVIL}"',
        "10.9.0.0/16",
        "2001:db8::/32 six",
        "2001:db8:1:2:3:4:5:6/128 host-with-a-long-name.example.net",
    )


def looks_right_everywhere(folder: Path) -> None:
    assert AXE is not None
    pictures = os.environ.get("FINGERPOST_SCREENSHOTS")
    axe = AXE.read_text(encoding="utf-8")
    (folder / "geo.csv").write_text(f"network,id,country,name\n10.0.0.0/8,7,CH,{IMAGE}\n2001:db8::/32,8,DE,Berlin\n", encoding="utf-8")
    table = sample(folder)
    listed = "10.1.2.3\\n10.9.0.1\\n2001:db8:1:2:3:4:5:6\\n192.0.2.1, 10.1"
    states = {
        "empty": ("", "1"),
        "one": ("?address=10.1.2.3", "1"),
        "long": ("?address=2001:db8:1:2:3:4:5:6", "1"),
        "wrong": ("?address=10.1", "1"),
        "list": (
            "",
            f"document.getElementById('many').open = true, document.getElementById('addresses').value = '{listed}',"
            "document.getElementById('list').requestSubmit(), 1",
        ),
    }
    for kind, words in (("plain", ["-t", str(table)]), ("named", ["-t", f"geo={folder}/geo.csv", "-t", f"bgp={table}"])):
        with Server(None, *words) as server:
            looks = ((1400, False), (1400, True), (400, False), (400, True), (320, False))
            for at, (width, dark) in enumerate(looks):
                # Each state is tested with one width and mode, different for the two kinds of server. FINGERPOST_TESTS=all tests all pairs.
                chosen = list(states.items()) if ALL or pictures else [list(states.items())[(at + 2 * (kind == "named")) % 5]]
                for state, (query, script) in chosen:
                    reader = open_page(server, query, width=width, dark=dark)
                    page, name = reader.page, f"{kind}-{state}-{width}-{'dark' if dark else 'light'}"
                    page.evaluate(script)
                    if state != "empty":
                        reader.answers(name)
                    if pictures:
                        (Path(pictures) / f"{name}.png").write_bytes(page.screenshot())
                    want(page.evaluate(ASIDE) <= 0, f"{name}: the page scrolls to the side")
                    is_clean(reader, server)
                    equal(page.evaluate("document.querySelectorAll('img, script').length"), 1, f"{name}: elements out of a table")
                    # axe-core modifies the page, which the content security policy forbids.
                    reader = open_page(server, query, width=width, dark=dark)
                    reader.page.call("Page.setBypassCSP", enabled=True)
                    reader.page.open(f"http://127.0.0.1:{server.port}/{query}")
                    reader.page.evaluate(script)
                    if state != "empty":
                        reader.answers(name)
                    reader.page.evaluate(axe)
                    equal(reader.page.evaluate(AXE_RUN), [], f"{name}: axe-core")


def is_driven_by_keyboard(folder: Path) -> None:
    with Server(sample(folder)) as server:
        reader = open_page(server)
        reader.tab_to("address")
        reader.type("10.1.2.3")
        reader.press("Enter")
        reader.reads(STATUS, f"10.1.2.3 matches 10.1.2.0/24: next_hop {EVIL}", "the answer, as a screen reader tells it")
        equal(reader.focused(), "address", "the focus stays for the next question")
        equal(reader.page.evaluate(MATCH), ["longest match", "10.1.2.0/24", "next_hop", EVIL], "the match")
        wanted = [["prefix", "next_hop"], ["10.1.2.0/24", EVIL], ["10.1.0.0/16", "edge"], ["10.0.0.0/8", "core"], ["0.0.0.0/0", "upstream"]]
        equal(reader.page.evaluate(ROWS), wanted, "the covering prefixes")
        want(reader.page.evaluate("location.search") == "?address=10.1.2.3", "the address of the page")
        # Pasted lists in every form.
        reader.tab_to("Look up a list")
        reader.press("Enter")
        reader.tab_to("addresses")
        reader.type("10.1.2.3, 10.9.0.1;2001:db8::1\n\n  ::1 10.1")
        reader.press("Tab")
        equal(reader.focused(), "Look up the list", "the button after the list")
        reader.press("Enter")
        reader.reads(STATUS, "5 addresses: 3 with a match, 1 without, 1 that is none.", "what the list gave")
        wanted = [
            ["address", "prefix", "next_hop"],
            ["10.1.2.3", "10.1.2.0/24", EVIL],
            ["10.9.0.1", "10.9.0.0/16", "\u2013"],
            ["2001:db8::1", "2001:db8::/32", "six"],
            ["::1", "\u2013", "\u2013"],
            ["10.1", "the text ends too early"],
        ]
        equal(reader.page.evaluate(ROWS), wanted, "the rows of the list")
        reader.tab_to("2001:db8::1")
        reader.press("Enter")
        reader.reads(STATUS, "2001:db8::1 matches 2001:db8::/32: next_hop six", "an address of the list")
        equal(reader.focused(), "address", "the focus goes where the address is")
        # An address without a route, and text that is none.
        for text, said in (("::1", "No route contains ::1."), (EVIL, f"{EVIL} is not an address: unexpected '<' at column 1.")):
            reader.page.evaluate("document.getElementById('address').select()")
            reader.type(text)
            reader.press("Enter")
            reader.reads(STATUS, said, "the answer")
            equal(reader.page.evaluate(TITLE), None, "no rows")
        is_clean(reader, server)


def tells_screen_readers(folder: Path) -> None:
    """Chromium's accessibility tree has names for the inputs, and the answer is a live region."""
    with Server(sample(folder)) as server:
        reader = open_page(server, "?address=10.1.2.3")
        reader.reads(TITLE, "10.1.2.3", "the answer to the address of the page")
        nodes = reader.page.call("Accessibility.getFullAXTree")["nodes"]
        named = {(node["role"]["value"], node["name"]["value"]) for node in nodes if "role" in node and "name" in node}
        for wanted in (
            ("textbox", "IPv4 or IPv6 address"),
            ("button", "Look up"),
            ("heading", "fingerpost"),
            ("heading", "10.1.2.3"),
            ("table", "Prefixes that contain this address, longest first"),
            ("columnheader", "next_hop"),
            ("rowheader", "10.1.0.0/16"),
            ("region", "10.1.2.3"),
            ("navigation", "For programs"),
        ):
            want(wanted in named, f"{wanted} is not among {sorted(named)}")
        live = [
            node for node in nodes if any(part["name"] == "live" and part["value"]["value"] == "polite" for part in node.get("properties", []))
        ]
        want(live, "no live region")


def chooses_among_tables(folder: Path) -> None:
    """Changes by keyboard and by the page's address. A reload with other columns is noticed."""
    geo = folder / "geo.csv"
    geo.write_text("network,id\n10.0.0.0/8,7\n", encoding="utf-8")
    with Server(None, "-t", f"geo={geo}", "-t", f"bgp={sample(folder)}") as server:
        reader = open_page(server)
        reader.tab_to("address")
        reader.type("10.1.2.3")
        reader.press("Enter")
        reader.reads(MATCH, ["longest match", "10.1.2.0/24", "geo_prefix", "10.0.0.0/8", "geo_id", "7", "bgp_prefix", "10.1.2.0/24", "bgp_next_hop", EVIL], "all")
        reader.tab_to("table")
        reader.press("ArrowDown")
        equal(reader.page.evaluate("document.getElementById('table').value"), "geo", "the chosen table")
        reader.press("Tab")
        reader.press(" ")
        reader.reads(MATCH, ["longest match", "10.0.0.0/8", "id", "7"], "one table")
        equal(reader.page.evaluate("location.search"), "?address=10.1.2.3&table=geo", "the address of the page")
        replace(geo, "network,id,name\n10.0.0.0/8,7,Bern\n")
        eventually(lambda: server.generation() == 2, "the table is read again")
        reader.press("Enter")
        reader.reads(MATCH, ["longest match", "10.0.0.0/8", "id", "7", "name", "Bern"], "another column")
        is_clean(reader, server)
        reader = open_page(server, "?address=10.1.2.3&table=bgp")
        reader.reads(MATCH, ["longest match", "10.1.2.0/24", "next_hop", EVIL], "the table of the page's address")


def keeps_its_policy(folder: Path) -> None:
    """The hashes match the served bytes, and the browser refuses markup from strings."""
    with Server(sample(folder)) as server:
        _, headers, body = server.ask("GET", "/")
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        equal(policy["default-src"], "'none'", "what may be loaded")
        html = body.decode()
        for kind, name in (("script", "script-src"), ("style", "style-src")):
            texts = re.findall(rf"<{kind}>(.*?)</{kind}>", html, re.DOTALL)
            equal(len(texts), 1, f"elements {kind}")
            digest = base64.b64encode(hashlib.sha256(texts[0].encode()).digest()).decode()
            equal(policy[name], f"'sha256-{digest}'", name)
        equal(re.findall(r"\s(?:on\w+|style)=", html), [], "handlers and styles in attributes")
        equal(re.findall(r"(?:src|href|action)=\"(?!data:,|[a-z.]+\")[^\"]*", html), [], "addresses elsewhere")
        for name in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            want(name not in html, f"the script uses {name}")
        equal(headers["X-Content-Type-Options"], "nosniff", "types")
        equal(server.ask("HEAD", "/")[2], b"", "HEAD")
        reader = open_page(server, "?address=10.1.2.3")
        reader.reads(TITLE, "10.1.2.3", "an answer")
        for script in (
            "document.body.insertAdjacentHTML('beforeend', '<b>x</b>')",
            "document.body.append(Object.assign(document.createElement('script'), {text: 'window.hit = 1'}))",
        ):
            try:
                reader.page.evaluate(script)
            except RuntimeError as error:
                want("TrustedHTML" in str(error) or "TrustedScript" in str(error), str(error))
            else:
                want(False, f"the policy lets through: {script}")
        reader.page.evaluate("document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.2/x.png'})), 1")
        eventually(lambda: reader.page.evaluate("1") and any("Content Security Policy" in one for one in reader.page.errors), "a refused image", 10)
        equal(reader.page.evaluate("window.hit === undefined"), True, "scripts of strings")


def leads_to_the_explanation(folder: Path) -> None:
    """The link next to the answer leads to a page that plays the lookup, requests nothing, and shows texts of the table as text."""
    with Server(sample(folder)) as server:
        for address, hop in (("10.1.2.3", EVIL), ("2001:db8::7", "six")):
            reader = open_page(server, f"?address={address}")
            reader.reads(TITLE, address, "the answer")
            reader.tab_to("explain")
            link = reader.page.evaluate("document.activeElement.href")
            equal(link, f"http://127.0.0.1:{server.port}/explain/{quote(address, safe='')}", "the link")
            is_clean(reader, server)
            shown = BROWSER.page()
            shown.open(link)
            eventually(lambda: hop in shown.evaluate("document.getElementById('lead').textContent"), f"{address}: the explanation", 10)  # noqa: B023
            eventually(lambda: shown.evaluate("document.querySelectorAll('svg .node').length") > 0, "a drawing", 10)  # noqa: B023
            equal([url for url in shown.requests if url != link and not url.startswith("data:")], [], "requests of the explanation")
            equal(shown.errors, [], "errors of the explanation")
            equal(shown.evaluate("document.querySelectorAll('img').length"), 0, "elements out of a table")
            equal(shown.evaluate("[...document.scripts].filter(one => one.textContent.includes('alert')).length"), 0, "scripts out of a table")
        # A list and an address without a route have no link.
        reader = open_page(server, "?address=10.1.2.3")
        reader.reads(TITLE, "10.1.2.3", "the answer")
        submit = "document.getElementById('addresses').value = '10.1.2.3', document.getElementById('list').requestSubmit(), 1"
        reader.page.evaluate(submit)
        reader.reads(TITLE, "The list", "the answer to a list")
        equal(reader.page.evaluate("document.getElementById('how').hidden"), True, "the link beside a list")


def prints_its_table(folder: Path) -> None:
    with Server(sample(folder)) as server:
        reader = open_page(server, "?address=10.1.2.3")
        reader.reads(TITLE, "10.1.2.3", "an answer")
        reader.page.call("Emulation.setEmulatedMedia", media="print")
        shown = "[...document.querySelectorAll('form, nav, #rows, #match')].map(one => one.getBoundingClientRect().height > 0)"
        equal(reader.page.evaluate(shown), [False, False, True, True, False], "what is printed: forms, the match, the rows, links")
        pdf = base64.b64decode(reader.page.call("Page.printToPDF")["data"])
        want(pdf.startswith(b"%PDF-"), "a PDF")


def tells_when_it_is_refused(folder: Path) -> None:
    with Server(sample(folder), "--max-addresses", "2") as server:
        reader = open_page(server)
        submit = "document.getElementById('addresses').value = {}, document.getElementById('list').requestSubmit(), 1"
        reader.page.evaluate(submit.format(json.dumps("1.1.1.1 1.1.1.2 1.1.1.3")))
        reader.reads(STATUS, "The server refuses this: a request has at most 2 addresses (--max-addresses).", "too many")
        reader.page.evaluate(submit.format(json.dumps(" , ;\n")))
        reader.reads(STATUS, "The list has no address.", "an empty list")
        server.stop()
        reader.page.evaluate("document.getElementById('address').value = '10.0.0.1', document.getElementById('one').requestSubmit(), 1")
        reader.reads(STATUS, "The server does not answer.", "a server that has gone")


if __name__ == "__main__":
    with chromium.browser(str(PROGRAM)) as BROWSER:
        run_cases(
            looks_right_everywhere,
            is_driven_by_keyboard,
            tells_screen_readers,
            chooses_among_tables,
            keeps_its_policy,
            leads_to_the_explanation,
            prints_its_table,
            tells_when_it_is_refused,
        )
