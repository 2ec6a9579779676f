#!/usr/bin/env python3
"""The pages of all schemes in headless Chromium: for a small table, random tables, the gallery and a large table.

The parts highlighted after the last step are those that the steps read; there is no error, and no request but the page.
FINGERPOST_EXHAUSTIVE=full takes 20 random tables, and each page of the gallery wide and narrow.
FINGERPOST_SCREENSHOTS names a folder that gets a picture of each scheme, wide and narrow, light and dark.
"""

import json
import os
import random
import sys
import unittest
from collections.abc import Sequence
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).parent)]
import explain_pages
from explain_pages import ASIDE, AXE, CAMPUS, FOUR, READY, ROOT, random_table, run
from scripts import ALL, every, real_table

PICTURES = os.environ.get("FINGERPOST_SCREENSHOTS")
IS_FULL = os.environ.get("FINGERPOST_EXHAUSTIVE") == "full"
MOST_PANELS = 4
LOOKS = ((1400, False), (1400, True), (400, False), (400, True))
ADDRESSES = {4: ["10.1.2.3", "11.0.0.0"], 6: ["2001:db8::1", "::"]}


def looks_at(number: int) -> Sequence[tuple[int, bool]]:
    """How the page of a scheme with this number is looked at: narrow and wide by turns, unless all is wanted."""
    if PICTURES:
        return LOOKS
    return LOOKS[1:3] if IS_FULL else LOOKS[1 + number % 2 : 2 + number % 2]


def schemes_of(family: int) -> list[str]:
    return [one["name"] for one in json.loads(run("schemes", "--format", "json")) if family in one["families"]]


class OfSchemes(explain_pages.ExplainPages):
    def lights_what_is_read(self, name: str, schemes: list[str], *addresses: str, table: str = str(CAMPUS), stdin: str = "") -> int:
        drawn = 0
        for at in range(0, len(schemes), MOST_PANELS):
            some = schemes[at : at + MOST_PANELS]
            path = self.made(f"{name}-{at}", ",".join(some), *addresses, table=table, stdin=stdin)
            page = self.opened(path, f"#step=1000&schemes={','.join(some)}")
            self.assertEqual(page.evaluate("shown.panels.length"), len(some))
            drawn += self.ends_lit(page)
            self.is_quiet(page, path)
            self.close(page)
        return drawn

    def test_a_small_table(self) -> None:
        schemes = schemes_of(4)
        self.assertGreater(len(schemes), 30)
        self.assertGreater(self.lights_what_is_read("campus", schemes, FOUR[0]), 100)

    def test_random_tables(self) -> None:
        dice = random.Random(os.environ.get("FINGERPOST_SEED", "7"))
        for k in range(20 if IS_FULL else 4 if ALL else 2):
            family = 4 if k % 2 == 0 else 6
            table = random_table(dice, family, dice.choice([1, 5, 20, 60]))
            with self.subTest(table=table):
                self.assertGreater(
                    self.lights_what_is_read(f"random-{k}", list(every(3, schemes_of(family), k)), *ADDRESSES[family], table="-", stdin=table), 0
                )

    def test_the_gallery(self) -> None:
        pages = sorted((ROOT / "docs/gallery").glob("*.html"))
        self.assertGreater(len(pages), 6)
        for at, path in enumerate(pages):
            page = self.opened(path, "", *LOOKS[1 + at % 2])
            offered = page.evaluate("[...document.querySelectorAll('#schemes input')].map(one => one.value)")
            self.assertGreater(len(offered), 0)
            if not (ALL or IS_FULL or PICTURES):
                self.shows_each_scheme(page, path, offered)
                continue
            self.close(page)
            for number, scheme in enumerate(offered):
                for width, dark in looks_at(number):
                    page = self.opened(path, f"#step=1000&schemes={scheme}", width, dark)
                    with self.subTest(page=path.name, scheme=scheme, width=width):
                        self.assertGreater(self.ends_lit(page), 0)
                        self.assertLessEqual(page.evaluate(ASIDE), 0)
                        self.is_quiet(page, path)
                        if not PICTURES and width > 400:
                            page.evaluate(self.axe)
                            self.assertEqual(page.evaluate(AXE), [])
                    if PICTURES:
                        page.look(width, page.evaluate("document.documentElement.scrollHeight"), dark)
                        name = f"{path.stem}-{scheme.replace(':', '_')}-{width}-{'dark' if dark else 'light'}.png"
                        (Path(PICTURES) / name).write_bytes(page.screenshot())
                    self.close(page)

    def shows_each_scheme(self, page: explain_pages.chromium.Page, path: Path, schemes: list[str]) -> None:
        """One after the other in the page that is open, as by its address bar."""
        for scheme in schemes:
            page.evaluate(f"document.documentElement.removeAttribute('data-ready'); location.hash = '#step=1000&schemes={scheme}'")
            page.evaluate(READY)
            with self.subTest(page=path.name, scheme=scheme):
                self.ends_lit(page)
                self.assertLessEqual(page.evaluate(ASIDE), 0)
        self.is_quiet(page, path)
        page.evaluate(self.axe)
        self.assertEqual(page.evaluate(AXE), [])
        self.close(page)

    def test_a_window_of_a_large_table(self) -> None:
        path = self.made("real", ",".join(every(4, schemes_of(6))), "2c0f:f000:a12::8", table=str(real_table(6)))
        page = self.opened(path)
        self.assertIn("those around the address", page.evaluate("document.getElementById('line-hint').textContent"))
        self.shows_each_scheme(page, path, page.evaluate("[...document.querySelectorAll('#schemes input')].map(one => one.value)"))


if __name__ == "__main__":
    unittest.main()
