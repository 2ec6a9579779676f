#!/usr/bin/env python3
"""The colours of the report: text has a contrast of 4.5 to 1 on every background, and marks of 3 to 1, in light and dark mode."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "lab"))
from evaluation.report import marks, palette


class Palette(unittest.TestCase):
    def test_the_contrast_is_that_of_wcag(self) -> None:
        self.assertAlmostEqual(palette.contrast("#000000", "#ffffff"), 21)
        self.assertAlmostEqual(palette.contrast("#777777", "#ffffff"), 4.48, places=2)
        self.assertEqual(palette.mixed("#000000", "#ffffff", 0.4), "#999999")

    def test_both_modes_have_the_same_names(self) -> None:
        self.assertEqual(list(palette.LIGHT), list(palette.DARK))

    def test_texts_can_be_read(self) -> None:
        for mode, colours in palette.MODES.items():
            for text in palette.TEXTS:
                for ground in palette.GROUNDS:
                    with self.subTest(mode=mode, text=text, ground=ground):
                        self.assertGreaterEqual(palette.contrast(colours[text], colours[ground]), 4.5)

    def test_numbers_in_the_darkest_cell_of_a_matrix_can_be_read(self) -> None:
        for mode, colours in palette.MODES.items():
            with self.subTest(mode=mode):
                cell = palette.mixed(colours["default"], colours["paper"], palette.STRONGEST_CELL)
                self.assertGreaterEqual(palette.contrast(colours["ink"], cell), 4.5)

    def test_marks_can_be_seen(self) -> None:
        for mode, colours in palette.MODES.items():
            for mark in palette.MARKS:
                with self.subTest(mode=mode, mark=mark):
                    self.assertGreaterEqual(palette.contrast(colours[mark], colours["paper"]), 3)

    def test_colour_and_shape_tell_named_series_apart(self) -> None:
        names = ["packed_leaves", "planb", *(f"other{at}" for at in range(marks.MOST_NAMED + 3))]
        found = marks.Styler("packed_leaves", "planb").styles(names)
        named = [style for style in found.values() if style.is_named]
        self.assertEqual(len(named), marks.MOST_NAMED + 2)
        self.assertEqual(len({(style.colour, style.shape) for style in named}), len(named))
        self.assertEqual(len({style.shape for style in named}), len(marks.SHAPES))

    def test_a_frequent_scheme_has_one_style_in_all_chapters(self) -> None:
        one = marks.Styler("packed_leaves", "planb").styles(["packed_leaves", "dxr", "poptrie", "hbs"])
        other = marks.Styler("packed_leaves", "planb").styles(["hbs", "lulea", "art", "poptrie"])
        self.assertEqual((one["poptrie"], one["hbs"]), (other["poptrie"], other["hbs"]))
        fixed = {marks.fixed_style(at) for at in range(len(marks.FREQUENT))}
        self.assertEqual(len(fixed), len(marks.FREQUENT))
        self.assertNotIn(one["dxr"], fixed)

    def test_a_new_series_has_a_shape_of_its_own_beside_those_of_a_figure_before(self) -> None:
        styler = marks.Styler("packed_leaves", "planb")
        styler.styles(["packed_leaves", "lpc_trie", "fib6_radix", "Linux"])
        before = styler.styles(["full view", "contiguous", "hosts", "scattered"])
        styler.styles(["table", "rules"])
        found = styler.styles(["full view", "IPv4", "hosts", "contiguous", "scattered"])
        self.assertEqual(found["hosts"], before["hosts"])
        self.assertEqual(len({style.shape for style in found.values()}), 5)

    def test_a_new_series_has_a_shape_of_its_own_beside_frequent_ones(self) -> None:
        found = marks.Styler("packed_leaves", "planb").styles(["poptrie", "hbs", "lulea", "art", "dxr"])
        self.assertEqual(len({style.shape for style in found.values()}), 5)


if __name__ == "__main__":
    unittest.main()
