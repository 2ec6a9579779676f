#!/usr/bin/env python3
"""Judges made-up results, and requires a sentence for each verdict on the committed results."""

import sys
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab"))
sys.dont_write_bytecode = True

from evaluation import experiments, results, verdicts

KEPT = ROOT / "docs/evaluation/results.json"
PAPERS = {"p": {"id": "p", "values": [{"table": "one", "share": {"48": 40}}, {"table": "two", "share": {"48": 50}}]}}
ROWS = [
    {"case": "one", "table": "one", "series": "a", "batch": 1, "mlps": 10.0, "bytes": 100},
    {"case": "one", "table": "one", "series": "a", "batch": 64, "mlps": 60.0, "bytes": 100},
    {"case": "one", "table": "one", "series": "b", "batch": 1, "mlps": 20.0, "bytes": 400},
    {"case": "two", "table": "two", "series": "a", "batch": 1, "mlps": 8.0, "bytes": 200},
    {"case": "two", "table": "two", "series": "a", "batch": 64, "mlps": 40.0, "bytes": 200},
    {"case": "two", "table": "two", "series": "b", "batch": 1, "mlps": 10.0, "bytes": 500},
    {"case": "two", "table": "two", "series": "wrong", "batch": 1, "wrong": 3},
]


def numbers(ours: dict[str, Any]) -> dict[str, float]:
    return verdicts.numbers_of({"paper": "p", "ours": ours}, ROWS, PAPERS)


def judged(our_numbers: list[float], **compare: Any) -> str:
    return verdicts.judged(compare, our_numbers)


class Numbers(unittest.TestCase):
    def test_a_ratio_of_two_selections_for_each_case(self) -> None:
        ours = {"ratio": ["a", "b"], "field": "mlps", "rows": {"batch": 64}, "rows_of_second": {"batch": 1}, "over": "cases"}
        self.assertEqual(numbers(ours), {"one": 3.0, "two": 4.0})

    def test_how_many_percent_less(self) -> None:
        self.assertEqual(numbers({"less_percent": ["a", "b"], "field": "bytes"}), {"one": 75.0, "two": 60.0})

    def test_a_value_with_a_factor_over_all(self) -> None:
        self.assertEqual(numbers({"value": "a", "field": "mlps", "over": "all", "pick": "max", "times": 2}), {"all": 120.0})

    def test_one_case_over_another(self) -> None:
        ours = {"ratio": ["a", "a"], "field": "mlps", "rows": {"case": "two", "batch": 1}, "rows_of_second": {"case": "one"}, "over": "all"}
        self.assertEqual(numbers(ours), {"all": 0.8})

    def test_over_two_fields_with_a_list_of_series(self) -> None:
        ours = {"value": "", "field": "mlps", "rows": {"batch": 1, "series": ["a", "b"]}, "over": "series,table"}
        self.assertEqual(list(numbers(ours)), ["a, one", "b, one", "a, two", "b, two"])

    def test_cells_of_a_printed_table(self) -> None:
        ours = {"value": "b", "field": "mlps", "paper_path": "values.{table}.share.48"}
        self.assertEqual(numbers(ours), {"one": 0.5, "two": 0.2})

    def test_wrong_answers_and_missing_rows_give_no_number(self) -> None:
        self.assertEqual(numbers({"value": "wrong", "field": "mlps"}), {})
        self.assertEqual(numbers({"ratio": ["a", "absent"], "field": "mlps"}), {})


class Judged(unittest.TestCase):
    def test_reproduced_within_the_range_widened_by_the_tolerance(self) -> None:
        self.assertEqual(judged([1.6, 6.9], papers_range=[2, 5.6]), "reproduced")
        self.assertEqual(judged([1.4, 5], papers_range=[2, 5.6]), "different")
        self.assertEqual(judged([1.9], papers_range=[2, 5.6], tolerance=0.01), "different")

    def test_reproduced_within_25_percent_of_a_value(self) -> None:
        self.assertEqual(judged([18 * 1.24], papers_value=18), "reproduced")
        self.assertEqual(judged([18 * 1.26], papers_value=18), "different")

    def test_the_tolerance_of_an_effect(self) -> None:
        self.assertEqual(judged([0.97, 1.01], papers_range=[1.15, 1.3]), "reproduced")
        self.assertEqual(judged([0.97, 1.01], papers_range=[1.15, 1.3], no_effect=1, direction="above 1"), "different")
        self.assertEqual(judged([1.12, 1.37], papers_range=[1.15, 1.3], no_effect=1), "reproduced")
        self.assertEqual(judged([1.1], papers_range=[1.15, 1.3], no_effect=1, direction="above 1"), "same direction")
        self.assertEqual(judged([0.79, 0.91], papers_range=[0.8, 0.9], no_effect=1), "reproduced")
        self.assertEqual(judged([0.74], papers_range=[0.8, 0.9], no_effect=1), "different")

    def test_same_direction(self) -> None:
        self.assertEqual(judged([1.1, 9], papers_range=[2, 5.6], direction="above 1"), "same direction")
        self.assertEqual(judged([0.9, 9], papers_range=[2, 5.6], direction="above 1"), "different")
        self.assertEqual(judged([0.5], papers_value=0.1, direction="below 1"), "same direction")
        self.assertEqual(judged([1, 5, 3], papers_value=100, direction="grows"), "same direction")
        self.assertEqual(judged([1, 5, 3], papers_value=100, direction="falls"), "different")

    def test_a_direction_alone_is_never_more_than_that(self) -> None:
        self.assertEqual(judged([2], direction="above 1"), "same direction")

    def test_nothing_to_compare(self) -> None:
        self.assertEqual(judged([], papers_value=1), "not comparable")


class OfAnExperiment(unittest.TestCase):
    def verdict(self, compare: dict[str, Any], own: dict[str, Any]) -> verdicts.Verdict:
        experiment = experiments.Experiment("e", "", "", 1, 1, 1, 1, [], ["p"], [], [], [], [], Path())
        whole = {"paper": "p", "what": "speed", "sentences": {"reproduced": "Yes."}} | compare
        return verdicts.verdict_of(experiment, whole, {"experiments": {"e": own}}, PAPERS)

    def test_range_and_sentence(self) -> None:
        ours = {"ratio": ["a", "b"], "field": "mlps", "rows": {"batch": 64}, "rows_of_second": {"batch": 1}}
        one = self.verdict({"ours": ours, "papers_range": [2.5, 4]}, {"rows": ROWS})
        self.assertEqual((one.verdict, one.ours, one.theirs, one.within, one.sentence), ("reproduced", (3.0, 4.0), (2.5, 4), 2, "Yes."))

    def test_a_verdict_without_a_sentence_has_none(self) -> None:
        one = self.verdict({"ours": {"value": "a", "field": "bytes"}, "papers_value": 7}, {"rows": ROWS})
        self.assertEqual((one.verdict, one.sentence), ("different", None))

    def test_what_was_skipped_says_why(self) -> None:
        one = self.verdict({"ours": {"value": "a", "field": "bytes"}, "papers_value": 7}, {"rows": [], "skipped": {"one": "root is needed"}})
        self.assertEqual((one.verdict, one.sentence), ("not comparable", "There is no result: root is needed."))


class Kept(unittest.TestCase):
    def test_every_verdict_of_the_kept_results_has_a_sentence(self) -> None:
        if not KEPT.exists():
            self.skipTest(f"{KEPT} is not there")
        lacking = verdicts.without_sentence(experiments.load_all(), results.read(KEPT))
        self.assertEqual(lacking, [], "write a sentence for these verdicts in lab/experiments")


if __name__ == "__main__":
    unittest.main()
