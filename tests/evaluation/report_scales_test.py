#!/usr/bin/env python3
"""Axis marks are round numbers that cover the data, and numbers have their usual notation."""

import math
import random
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "lab"))
from evaluation.report import scales, text


class Scales(unittest.TestCase):
    def test_linear_marks_cover_the_values_and_zero(self) -> None:
        self.assertEqual(scales.steps_of_linear(0, 163, 8), [0, 25, 50, 75, 100, 125, 150, 175])
        self.assertEqual(scales.steps_of_linear(-3, 40, 8), [-10, 0, 10, 20, 30, 40])
        draw = random.Random(1)
        for _ in range(2000):
            low, high = sorted(draw.choice((-1, 1)) * 10 ** draw.uniform(-6, 12) for _ in range(2))
            marks = scales.steps_of_linear(low, high, 6)
            self.assertTrue(2 <= len(marks) <= 8, marks)
            slack = 1e-6 * (marks[-1] - marks[0])
            self.assertTrue(marks[0] <= min(low, 0) + slack and marks[-1] >= max(high, 0) - slack, (low, high, marks))
            self.assertIn(0, marks)

    def test_logarithmic_marks_lie_within_and_are_few(self) -> None:
        self.assertEqual(scales.steps_of_log(0.9, 110, 7), [1, 2, 5, 10, 20, 50, 100])
        draw = random.Random(1)
        for _ in range(2000):
            low = 10 ** draw.uniform(-6, 9)
            low, high = scales.log_domain(low, low * 10 ** draw.uniform(0, 6))
            self.assertGreaterEqual(math.log(high / low), math.log(3) - 1e-9)
            marks = scales.steps_of_log(low, high, 6)
            self.assertTrue(1 <= len(marks) <= 6 and low / 1.001 <= marks[0] and marks[-1] <= high * 1.001, (low, high, marks))

    def test_numbers(self) -> None:
        self.assertEqual([text.measured(value) for value in (1234.5, 16.0, 1.5, 0.0376)], ["1,234", "16.0", "1.50", "0.0376"])
        self.assertEqual([text.measured(value) for value in (99.96, 9.996, 0.9996, 0.09996)], ["100", "10.0", "1.00", "0.100"])
        self.assertEqual([scales.short_text(value) for value in (2.7e6, 11.35e6, 138.9e6, 683_600, 12)], ["2.70M", "11.4M", "139M", "684k", "12"])
        self.assertEqual([text.number(value) for value in (160147, 3.0, True, None, "x")], ["160,147", "3", "yes", "–", "x"])
        self.assertEqual([text.span(1, 1), text.span(2, 5.6), text.span(41.8, 48)], ["1", "2.00 to 5.60", "41.8 to 48.0"])
        self.assertEqual([text.key_text(value) for value in (2025, 64, 160147)], ["2025", "64", "160,147"])
        self.assertEqual(text.listed(["a", "b", "c"]), "a, b and c")
        self.assertEqual([scales.axis_text(value) for value in (0, 0.5, 5000, 50000, 2.5e6)], ["0", "0.5", "5000", "50k", "2.5M"])
        self.assertEqual(scales.wrapped("one two three", 8), "one two\nthree")


if __name__ == "__main__":
    unittest.main()
