#!/usr/bin/env python3
"""Specifications of figures: each mark has a place on its axis, and no series hides another one."""

import sys
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "lab"))
from evaluation.report import figures
from evaluation.report.conditions import conditions
from evaluation.report.marks import Styler
from evaluation.report.model import Source
from evaluation.report.rows import points_of

FIGURE = {"name": "f", "title": "F", "kind": "lines", "x": "levels", "x_title": "levels", "y": "mlps", "y_title": "speed"}


def made(values: dict[str, list[float]], **more: str) -> tuple[dict[str, Any], list[Any], figures.Plot]:
    """Returns the specification, the points and the plot of a figure whose series have the values 2, 3, ..."""
    figure = FIGURE | more
    rows = [{"series": name, "levels": 2 + at, "mlps": value} for name, own in values.items() for at, value in enumerate(own)]
    points = points_of(figure, rows)
    styles = Styler("packed_leaves", "planb").styles(list(values))
    plot = figures.Plot(figure, styles, figures.extent_of(points), figures.order_of_places(figure, points), str)
    return figures.spec_of(plot, points), points, plot


class Places(unittest.TestCase):
    def test_numbers_on_an_axis_of_places_stand_at_their_place(self) -> None:
        for kind in ("lines", "points"):
            spec, _, _ = made({"planb": [1, 2, 3], "poptrie": [9, 8, 7]}, x_scale="ordinal", kind=kind)
            encodings = [layer["encoding"] for layer in spec["layer"]] + [spec["encoding"]]
            axes = [axis for one in encodings for axis in one.values() if isinstance(axis, dict) and axis.get("field") == "place"]
            domains = [axis["scale"]["domain"] for axis in axes if "domain" in (axis.get("scale") or {})]
            self.assertTrue(domains)
            for domain in domains:
                self.assertEqual({datum["place"] for datum in spec["data"]["values"]}, set(domain))


class Coinciding(unittest.TestCase):
    def shifts(self, values: dict[str, list[float]], **more: str) -> dict[str, float]:
        _, points, plot = made(values, **more)
        return figures.shifts_of_coinciding(plot, points, 330)

    def test_series_with_the_same_values_stand_aside(self) -> None:
        shifts = self.shifts({"poptrie": [1, 5, 100], "packed_leaves": [1, 5, 100], "planb": [50, 60, 70]})
        self.assertEqual((shifts["packed_leaves"], shifts["planb"]), (0, 0))
        self.assertNotEqual(shifts["poptrie"], 0)

    def test_one_place_where_they_meet_is_enough(self) -> None:
        shifts = self.shifts({"planb": [1, 50, 100], "poptrie": [90, 50.1, 3], "hbs": [20, 50.2, 60]})
        self.assertEqual(len(set(shifts.values())), 3)

    def test_near_by_the_logarithm_is_not_near_by_the_value(self) -> None:
        values = {"planb": [1, 1000], "poptrie": [2, 900]}
        self.assertNotEqual(len(set(self.shifts(values).values())), 1)
        self.assertEqual(set(self.shifts(values, y_scale="log").values()), {0})

    def test_marks_lines_and_quartiles_move_together(self) -> None:
        spec, _, _ = made({"packed_leaves": [1, 5], "poptrie": [1, 5]})
        moved = [layer["mark"]["xOffset"] for layer in spec["layer"] if layer["transform"][0]["filter"]["equal"] == "poptrie"]
        self.assertEqual(len(moved), 3)
        self.assertEqual(set(moved), {-figures.ASIDE} if moved[0] < 0 else {figures.ASIDE})

    def test_more_series_than_lanes_do_not_hide_each_other(self) -> None:
        spec, _, _ = made({f"s{at}": [at // 2 * 10, 70 + at] for at in range(6)}, kind="points", x_scale="ordinal")
        offsets = {layer["transform"][0]["filter"]["equal"]: layer["mark"]["yOffset"] for layer in spec["layer"] if layer["mark"]["type"] == "point"}
        for first, second in (("s0", "s1"), ("s2", "s3"), ("s4", "s5")):
            self.assertNotEqual(offsets[first], offsets[second])


class Conditions(unittest.TestCase):
    def line(self, part: dict[str, Any], **more: Any) -> str:
        source = Source("", Path("results.json"), {"run": {}, "experiments": {}})
        return conditions(source, part, [{"case": "a", "table": "tier1-v6", "mlps": 1, "rounds": 9} | more], ["mlps"])

    def test_recorded_tables_have_their_source_and_date(self) -> None:
        part = {"passes": {"a": 2}, "processes": {"a": 3}}
        self.assertIn("date unknown", self.line(part, generated=False))
        self.assertNotIn("date unknown", self.line(part, generated=True))

    def test_processes_of_a_pass_are_told(self) -> None:
        self.assertIn("9 rounds in 2 passes of 3 processes", self.line({"passes": {"a": 2}, "processes": {"a": 3}}))
        self.assertIn("9 rounds in 2 passes ·", self.line({"passes": {"a": 2}}))


if __name__ == "__main__":
    unittest.main()
