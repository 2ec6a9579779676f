"""Shared by the tests of `fingerpost explain --html`: a browser, the pages, and the highlighted parts."""

import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, ClassVar

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/evaluation"), str(ROOT / "tests/support")]
import chromium
from scripts import skip

PROGRAM = os.environ.get("FINGERPOST", "")
CHROMIUM = chromium.find()
AXE_PACKAGE = importlib.util.find_spec("axe_core_python")
for missing, words in (
    (not PROGRAM, "FINGERPOST does not name the program"),
    (CHROMIUM is None, "Chromium is missing (tools/setup ci, or apt-get install chromium)"),
    (AXE_PACKAGE is None, "this Python has no axe-core-python (tools/python_env report)"),
):
    if missing:
        # tools/setup ci installs all of it.
        skip(words)

CAMPUS = ROOT / "tests/data/explain/campus.txt"
FOUR = ["10.20.4.200", "10.20.6.7", "192.168.32.70", "8.8.8.8"]
LARGEST = 400_000  # bytes of a page
READY = """
new Promise((done, fail) => { const since = Date.now(); (function look() {
    if (document.documentElement.dataset.ready) done(true);
    else if (Date.now() - since > 20000) fail(new Error('the page is not ready'));
    else setTimeout(look, 10); })(); })"""
AXE = "axe.run().then(found => found.violations.map(one => one.id + ': ' + one.nodes.map(node => node.html.slice(0, 200)).join(' ')))"
ASIDE = "document.documentElement.scrollWidth - innerWidth"
# The nodes that are lit in each panel, and those that its steps read and that are drawn.
LIT = """
shown.panels.map(panel => {
    const drawn = [...panel.node.querySelectorAll('.drawing .node[data-node]')];
    const numbers = new Set(drawn.map(one => +one.dataset.node));
    return {scheme: panel.lookup.scheme, drawn: drawn.length,
        lit: [...new Set(drawn.filter(one => one.classList.contains('lit')).map(one => +one.dataset.node))].sort((a, b) => a - b),
        read: [...new Set(panel.lookup.steps.map(step => step.node))].filter(one => numbers.has(one)).sort((a, b) => a - b),
        all: panel.lookup.steps.every(step => step.node === null || numbers.has(step.node)),
        ended: panel.node.querySelector('.words').classList.contains('done'),
        words: panel.node.querySelector('.words').textContent};
})"""


def run(*words: str, stdin: str = "") -> str:
    return subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, text=True, check=True).stdout


def random_table(dice: random.Random, family: int, count: int) -> str:
    lines = {}
    for _ in range(count):
        if family == 4:
            length = dice.choice([0, 8, 12, 16, 19, 24, 25, 30, 32])
            value = (10 << 24 | dice.getrandbits(24)) >> (32 - length) << (32 - length)
            prefix = ".".join(str(value >> s & 255) for s in (24, 16, 8, 0)) + f"/{length}"
        else:
            length = dice.choice([0, 29, 32, 40, 48, 56, 64, 127, 128])
            value = (0x20010DB8 << 96 | dice.getrandbits(96)) >> (128 - length) << (128 - length)
            prefix = ":".join(f"{value >> s & 0xFFFF:x}" for s in range(112, -1, -16)) + f"/{length}"
        lines[prefix] = dice.choice("abcdef")
    return "".join(f"{prefix} {hop}\n" for prefix, hop in lines.items())


def told(value: Any) -> str:
    return json.dumps(value)


class ExplainPages(unittest.TestCase):
    folder: ClassVar[Path]
    browser: ClassVar[chromium.Browser]

    @classmethod
    def setUpClass(cls) -> None:
        assert CHROMIUM is not None
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.browser = cls.enterClassContext(chromium.browser(CHROMIUM))
        assert AXE_PACKAGE is not None and AXE_PACKAGE.origin is not None
        cls.axe = Path(AXE_PACKAGE.origin).with_name("axe.min.js").read_text(encoding="utf-8")

    def made(self, name: str, schemes: str, *addresses: str, table: str = str(CAMPUS), stdin: str = "") -> Path:
        path = self.folder / f"{name}.html"
        run("explain", "--table", table, "--scheme", schemes, "--html", str(path), *addresses, stdin=stdin)
        self.assertLess(path.stat().st_size, LARGEST)
        return path

    def opened(self, path: Path, state: str = "", width: int = 1400, dark: bool = False, height: int = 900) -> chromium.Page:
        page = self.browser.page()
        page.look(width, height, dark)
        page.open(path.as_uri() + state)
        page.evaluate(READY)
        return page

    def is_quiet(self, page: chromium.Page, path: Path) -> None:
        self.assertEqual([one.split("#")[0] for one in page.requests], [path.as_uri()])
        self.assertEqual(page.errors, [])

    def close(self, page: chromium.Page) -> None:
        page.call("Page.close")

    def press(self, page: chromium.Page, key: str) -> None:
        code = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, " ": 32}[key]
        for kind in ("keyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=kind, key=key, code="Space" if key == " " else key, windowsVirtualKeyCode=code)

    def ends_lit(self, page: chromium.Page) -> int:
        drawn = 0
        for one in page.evaluate(LIT):
            with self.subTest(scheme=one["scheme"]):
                self.assertEqual(one["lit"], one["read"])
                self.assertTrue(one["ended"], one["words"])
                drawn += one["drawn"]
        return drawn

    def change(self, page: chromium.Page, script: str) -> None:
        page.evaluate(f"document.documentElement.removeAttribute('data-ready'); {script}")
        page.evaluate(READY)
