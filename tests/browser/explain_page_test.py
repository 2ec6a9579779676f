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
from explain_pages import ASIDE, AXE, FOUR, READY, ROOT, random_table, run, told
from scripts import ALL

TEACHING = ROOT / "docs/gallery/explain.txt"
TEACHING_SCHEMES = ["planb", "poptrie", "patricia", "bsd_radix"]
TEACHING_ADDRESSES = ["2001:db8:1480::1", "2001:db8:5000::1"]
# For each panel, whether the window shows the node that the step reads, or the found cell of one that is too large.
IN_VIEW = """
shown.panels.map(panel => {
    const t = Math.min(state.step, panel.lookup.steps.length), box = panel.node.querySelector('.drawing');
    const node = box.querySelector(`.node[data-steps~="${t}"]`), view = box.getBoundingClientRect();
    const cells = [...(node ?? box).querySelectorAll(`[data-step="${t}"]`)];
    return [node, cells.pop()].filter(Boolean).map(one => one.getBoundingClientRect()).some(at =>
        at.top >= Math.max(view.top, 0) - 1 && at.bottom <= Math.min(view.bottom, bottom()) + 1);
})"""


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

    def test_up_to_four_schemes_side_by_side_or_below_each_other(self) -> None:
        path = self.made("schemes", "binary_trie,planb,packed_leaves,poptrie,patricia", *FOUR)
        page = self.opened(path, "#step=1")
        names = "[...document.querySelectorAll('.panel')].map(one => one.dataset.scheme)"
        places = "[...document.querySelectorAll('.panel')].map(one => one.getBoundingClientRect()).map(at => [Math.round(at.left), Math.round(at.top)])"
        choose = "document.querySelector('#schemes input[value={}]').click()"
        for scheme in ("packed_leaves", "poptrie"):
            self.change(page, choose.format(scheme))
        self.assertEqual(page.evaluate(names), ["binary_trie", "planb", "packed_leaves", "poptrie"])
        lefts, tops = zip(*page.evaluate(places), strict=True)
        self.assertEqual((len(set(lefts)), len(set(tops))), (4, 1))
        # The fifth is refused in the words of `picture`.
        page.evaluate(choose.format("patricia"))
        self.assertEqual(page.evaluate("document.getElementById('limit').textContent"), "5 schemes are more than 4 panels")
        self.assertEqual(page.evaluate("[state.schemes.length, document.querySelector('#schemes input[value=patricia]').checked]"), [4, False])
        self.change(page, choose.format("planb"))
        self.assertEqual(page.evaluate(names), ["binary_trie", "packed_leaves", "poptrie"])
        self.change(page, "document.querySelector('#layouts input[value=vertical]').click()")
        lefts, tops = zip(*page.evaluate(places), strict=True)
        self.assertEqual((len(set(lefts)), len(set(tops))), (1, 3))
        self.assertIn("&layout=vertical", page.evaluate("location.hash"))
        self.close(page)
        # Two in a row where there is less room; below each other on a telephone, where one is the default.
        page = self.opened(path, "#schemes=binary_trie,planb,poptrie,patricia", width=1012)
        lefts, tops = zip(*page.evaluate(places), strict=True)
        self.assertEqual((len(set(lefts)), len(set(tops))), (2, 2))
        self.close(page)
        page = self.opened(path, "#step=1", width=400)
        self.assertEqual(page.evaluate(f"[{names}, document.getElementById('layouts').hidden]"), [["binary_trie"], True])
        self.change(page, choose.format("planb"))
        lefts, tops = zip(*page.evaluate(places), strict=True)
        self.assertEqual((len(set(lefts)), len(set(tops))), (1, 2))
        self.is_quiet(page, path)
        self.close(page)

    def test_what_is_read_is_in_view(self) -> None:
        """The structure is there without scrolling, and each step is, forwards and backwards, by keys and while playing."""
        path = self.made("view", ",".join(TEACHING_SCHEMES), *TEACHING_ADDRESSES, table=str(TEACHING))
        states = (("", 1280, 800), ("&layout=vertical", 1280, 800), ("", 1012, 800), ("", 400, 800))
        for at, count in enumerate((1, 2, 4)):
            # Each number of schemes in one or two of the states, unless everything is wanted.
            for more, width, height in states if ALL and count > 1 else states[at % 2 :: 3]:
                page = self.opened(path, f"#schemes={','.join(TEACHING_SCHEMES[:count])}{more}", width, height=height)
                with self.subTest(count=count, state=more, width=width):
                    self.assertLess(page.evaluate("document.querySelector('.drawing').getBoundingClientRect().top"), height / 2)
                    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
                    longest = page.evaluate("shown.longest")
                    for key in ["ArrowRight"] * longest + ["ArrowLeft"] * (longest - 1):
                        self.press(page, key)
                        parts = page.evaluate(IN_VIEW)
                        # The height of the window limits the rows in view.
                        self.assertTrue(all(parts) if count <= 2 or width == 1280 and not more else parts[0], (page.evaluate("state.step"), parts))
                self.close(page)
        page = self.opened(path, "#schemes=poptrie,patricia", 1280, height=700)
        page.evaluate("play(); clearInterval(state.playing); state.playing = setInterval(() => go(state.step + 1), 60)")
        page.evaluate("new Promise(done => { const wait = () => state.playing ? setTimeout(wait, 20) : setTimeout(done, 900); wait(); })")
        self.assertEqual(page.evaluate(f"[state.step === shown.longest, ({IN_VIEW}).every(Boolean)]"), [True, True])
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
        states = (
            "#step=3&schemes=binary_trie,planb",
            "#step=1000&schemes=poptrie",
            "#step=1000&layout=vertical&schemes=packed_leaves,poptrie",
            "#step=2&schemes=binary_trie,planb,poptrie,packed_leaves",
        )
        looks = ((1280, False), (1280, True), (1012, False), (400, False), (400, True), (320, False))
        for at, (width, dark) in enumerate(looks):
            # Each look with one of the states, unless everything is wanted.
            for state in states if ALL or pictures else states[at % 4 :][:1]:
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
