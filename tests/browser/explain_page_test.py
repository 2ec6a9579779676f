#!/usr/bin/env python3
"""The pages of `fingerpost explain --html` in headless Chromium: the controls, and how they look.

No error and no request but the page, and nothing that axe-core finds. What is lit after the last step is what the steps read.
FINGERPOST_SCREENSHOTS names a folder that gets a picture of each look.
"""

import json
import os
import random
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).parent)]
import explain_pages
from explain_pages import ASIDE, AXE, FOUR, READY, random_table, run, told
from scripts import ALL


class OfExplain(explain_pages.ExplainPages):
    def test_the_table_that_the_script_makes_is_that_of_the_program(self) -> None:
        dice = random.Random(os.environ.get("FINGERPOST_SEED", "7"))
        for k in range(6 if ALL else 2):
            family = 4 if k % 2 == 0 else 6
            table = random_table(dice, family, dice.choice([1, 5, 20, 60]))
            addresses = ["10.1.2.3", "11.0.0.0"] if family == 4 else ["2001:db8::1", "::"]
            with self.subTest(table=table):
                path = self.made(f"random-{k}", "packed_leaves,binary_trie,poptrie", *addresses, table="-", stdin=table)
                page = self.opened(path, "#step=1000&schemes=packed_leaves,binary_trie,poptrie")
                self.ends_lit(page)
                # The table of the page, made by its script, is that of the program.
                page_s = page.evaluate(
                    "JSON.stringify(tableOf(question().table.listed.map(r => routeOf(r.prefix, r.next_hop ?? '', question().family)), question().family).intervals, (k, v) => typeof v === 'bigint' ? textOf(v, question().family) : v)"
                )
                program_s = [
                    {"first": one["first"], "last": one["last"], "next_hop": one["next_hop"]}
                    for one in json.loads(run("explain", "--table", "-", "--format", "json", addresses[0], stdin=table))["table"][
                        "intervals"
                    ]
                ]
                self.assertEqual([{key: one[key] for key in ("first", "last", "next_hop")} for one in json.loads(page_s)], program_s)
                depths = page.evaluate("question().table.listed.map(r => [r.depth, r.first_interval, r.last_interval])")
                own = page.evaluate(
                    "tableOf(question().table.listed.map(r => routeOf(r.prefix, r.next_hop ?? '', question().family)), question().family).listed.map(r => [r.depth, r.first_interval, r.last_interval])"
                )
                self.assertEqual(own, depths)
                self.is_quiet(page, path)
                self.close(page)

    def test_keys_play_and_address_bar(self) -> None:
        path = self.made("keys", "binary_trie,planb,packed_leaves", *FOUR)
        page = self.opened(path)
        step = "state.step"
        self.assertEqual(page.evaluate("[state.step, document.querySelectorAll('.panel').length]"), [0, 2])
        for key, wanted in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0)):
            self.press(page, key)
            self.assertEqual(page.evaluate(step), wanted)
        self.press(page, "End")
        self.assertEqual(page.evaluate(step), page.evaluate("shown.longest"))
        self.assertTrue(page.evaluate("document.getElementById('next').disabled"))
        self.assertIn("Step ", page.evaluate("document.getElementById('say').textContent"))
        # Play begins anew at the end, goes on by itself, and stops.
        self.press(page, " ")
        self.assertEqual(page.evaluate("[state.step, document.getElementById('play').getAttribute('aria-label')]"), [0, "Pause"])
        said = page.evaluate("document.getElementById('say').textContent")
        page.evaluate("new Promise(done => { const wait = () => state.step > 0 ? done() : setTimeout(wait, 20); wait(); })")
        self.assertEqual(page.evaluate("document.getElementById('say').textContent"), said)
        self.press(page, " ")
        self.assertEqual(page.evaluate("[state.playing, document.getElementById('play').getAttribute('aria-label')]"), [0, "Play"])
        # The address bar has all of it, and another state may be typed there.
        page.evaluate(f"jump(2); document.querySelector('#addresses input[value={told(FOUR[2])}]').click()")
        self.assertEqual(page.evaluate("location.hash"), f"#address={FOUR[2]}&step=0&schemes=binary_trie,planb")
        page.evaluate("document.documentElement.removeAttribute('data-ready'); location.hash = '#address=8.8.8.8&step=1&schemes=planb'")
        page.evaluate(READY)
        self.assertEqual(page.evaluate("[question().address, state.step, state.schemes]"), ["8.8.8.8", 1, ["planb"]])
        self.is_quiet(page, path)
        self.close(page)

    def test_schemes_side_by_side_or_one_at_a_time(self) -> None:
        path = self.made("schemes", "binary_trie,planb,packed_leaves", *FOUR)
        page = self.opened(path, "#step=1")
        names = "[...document.querySelectorAll('.panel')].map(one => one.dataset.scheme)"
        page.evaluate(
            "document.documentElement.removeAttribute('data-ready'); document.querySelector('#schemes input[value=packed_leaves]').click()"
        )
        page.evaluate(READY)
        self.assertEqual(page.evaluate(names), ["binary_trie", "planb", "packed_leaves"])
        page.evaluate(
            "document.documentElement.removeAttribute('data-ready'); document.querySelector('#schemes input[value=planb]').click()"
        )
        page.evaluate(READY)
        self.assertEqual(page.evaluate(names), ["binary_trie", "packed_leaves"])
        tops = page.evaluate("[...document.querySelectorAll('.panel')].map(one => Math.round(one.getBoundingClientRect().top))")
        self.assertEqual(tops[0], tops[1])
        self.close(page)
        page = self.opened(path, "#step=1", width=400)
        self.assertEqual(page.evaluate(names), ["binary_trie"])
        page.evaluate(
            "document.documentElement.removeAttribute('data-ready'); document.querySelector('#schemes input[value=planb]').click()"
        )
        page.evaluate(READY)
        self.assertEqual(page.evaluate(names), ["planb"])
        self.is_quiet(page, path)
        self.close(page)

    def test_texts_of_a_table_stay_texts(self) -> None:
        table = "0.0.0.0/0 <script>alert(1)</script>\n10.0.0.0/8 </script><img/src=x>\n10.1.0.0/16 a&amp;\u2028b\n"
        path = self.made("texts", "binary_trie,planb", "10.1.2.3", "10.2.2.3", "1.1.1.1", table="-", stdin=table)
        before = path.read_text(encoding="utf-8")
        self.assertNotIn("alert(1)", before)
        for address, hop in (("1.1.1.1", "<script>alert(1)</script>"), ("10.2.2.3", "</script><img/src=x>"), ("10.1.2.3", "a&amp;\u2028b")):
            page = self.opened(path, f"#address={address}&step=1000")
            self.assertIn(hop, page.evaluate("document.title + document.getElementById('title').textContent"))
            self.assertEqual(page.evaluate("[document.scripts.length, document.images.length]"), [2, 0])
            self.is_quiet(page, path)
            self.close(page)

    def test_looks(self) -> None:
        path = self.made("looks", "binary_trie,planb,poptrie,packed_leaves", *FOUR)
        pictures = os.environ.get("FINGERPOST_SCREENSHOTS")
        states = ("#step=3&schemes=binary_trie,planb", "#step=1000&schemes=poptrie", "#step=1000&schemes=packed_leaves,poptrie")
        looks = ((1400, False), (1400, True), (400, False), (400, True), (320, False))
        for at, (width, dark) in enumerate(looks):
            # Each look with one of the states, unless everything is wanted.
            for state in states if ALL or pictures else states[at % 3 :][:1]:
                with self.subTest(width=width, dark=dark, state=state):
                    page = self.opened(path, state, width, dark)
                    self.assertLessEqual(page.evaluate(ASIDE), 0)
                    if pictures:
                        page.look(width, page.evaluate("document.documentElement.scrollHeight"), dark)
                        name = f"explain-{width}-{'dark' if dark else 'light'}-{state.split('=')[-1].replace(',', '-')}.png"
                        (Path(pictures) / name).write_bytes(page.screenshot())
                    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
                    self.assertLessEqual(page.evaluate(ASIDE), 0)
                    page.evaluate(self.axe)
                    self.assertEqual(page.evaluate(AXE), [])
                    self.is_quiet(page, path)
                    self.close(page)


if __name__ == "__main__":
    unittest.main()
