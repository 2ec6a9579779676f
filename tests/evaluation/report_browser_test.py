#!/usr/bin/env python3
"""The report of tests/data/evaluation in headless Chromium, at 1280 and 400 pixels, in light and dark mode.

Checks that the charts fit the first screen, that the page reports no error and requests nothing else, that axe-core finds nothing, that
texts stay inside their figures, that the page does not scroll sideways, and that links open the right chapter. FINGERPOST_SCREENSHOTS
names a folder for screenshots. FINGERPOST_REPORT selects another page.
"""

import importlib.util
import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "lab"), str(ROOT / "tests/support"), str(Path(__file__).parent)]
import chromium
from scripts import ALL, skip

DATA = ROOT / "tests/data/evaluation"
PROGRAM = chromium.find()
for missing, words in (
    (PROGRAM is None, "Chromium is missing (tools/setup ci, or apt-get install chromium)"),
    (importlib.util.find_spec("vl_convert") is None, "this Python has no vl-convert-python (tools/python_env report)"),
    (importlib.util.find_spec("axe_core_python") is None, "this Python has no axe-core-python (tools/python_env report)"),
):
    if missing:
        # `tools/setup ci` installs all of it.
        skip(words)
from evaluation.report import command

# Both widths and both modes; with FINGERPOST_TESTS=all every combination.
LOOKS = [(1280, False), (400, True)] + ([(1280, True), (400, False)] if ALL else [])
# The boxes of visible figures, and the texts that stick out by more than a pixel.
OUTSIDE = """
[...document.querySelectorAll('main svg[role=img]')].filter(one => one.getBoundingClientRect().width).flatMap(one => {
    const box = one.getBoundingClientRect();
    return [...one.querySelectorAll('text')].filter(text => {
        const at = text.getBoundingClientRect();
        return at.width && (at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1 || at.bottom > box.bottom + 1);
    }).map(text => one.getAttribute('aria-label') + ': ' + text.textContent);
})"""
TEXTS = "[...document.querySelectorAll('main svg[role=img]')].filter(one => one.getBoundingClientRect().width)" + (
    ".reduce((sum, one) => sum + one.querySelectorAll('text').length, 0)"
)
ASIDE = "document.documentElement.scrollWidth - innerWidth"
OPENED = """
location.hash = '#papers';
new Promise(done => setTimeout(() => done(document.getElementById('papers').parentNode.open), 100))"""
AXE = """
axe.run().then(found => found.violations.map(one => one.id + ': ' + one.nodes.map(node => node.html.slice(0, 200)).join(' ')))"""


class InChromium(unittest.TestCase):
    def test_the_page_at_both_widths_in_both_modes(self) -> None:
        assert PROGRAM is not None
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        given = os.environ.get("FINGERPOST_REPORT")
        path = Path(given).resolve() if given else folder / "report.html"
        if not given:
            words = [str(DATA / "results.json"), "-o", str(path), "--experiments", str(DATA / "experiments")]
            self.assertEqual(command.main(words), 0)
        spec = importlib.util.find_spec("axe_core_python")
        assert spec is not None and spec.origin is not None
        axe = Path(spec.origin).with_name("axe.min.js").read_text(encoding="utf-8")
        pictures = os.environ.get("FINGERPOST_SCREENSHOTS")
        with chromium.browser(PROGRAM) as browser:
            for width, dark in LOOKS:
                with self.subTest(width=width, dark=dark):
                    page = browser.page()
                    page.look(width, 800, dark)
                    page.open(path.as_uri())
                    if pictures:
                        name = f"report-{width}-{'dark' if dark else 'light'}.png"
                        (Path(pictures) / name).write_bytes(page.screenshot())
                    self.assertLessEqual(page.evaluate(ASIDE), 0)
                    if width == 1280:
                        self.assertLessEqual(page.evaluate("document.querySelector('header nav').getBoundingClientRect().bottom"), 800)
                    self.assertTrue(page.evaluate(OPENED))
                    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
                    self.assertEqual(page.evaluate(OUTSIDE), [])
                    self.assertGreater(page.evaluate(TEXTS), 50)
                    self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(21, 24, 28)" if dark else "rgb(255, 255, 255)")
                    self.assertLessEqual(page.evaluate(ASIDE), 0)
                    page.evaluate(axe)
                    self.assertEqual(page.evaluate(AXE), [])
                    self.assertEqual(page.requests, [path.as_uri()])
                    self.assertEqual(page.errors, [])


if __name__ == "__main__":
    unittest.main()
