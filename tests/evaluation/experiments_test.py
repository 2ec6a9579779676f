#!/usr/bin/env python3
"""Loads every declared experiment, and checks that each error in a declaration names the file and the key."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab"))
sys.dont_write_bytecode = True

from evaluation import experiments

GOOD = """name = "good"
title = "A title"
question = "A question?"
budget_seconds = 10
papers = ["planb-fig14"]
[[case]]
name = "{table} {scheme}"
kind = "info"
table = "{table}"
arguments = ["--scheme", "{scheme}", "{made}"]
each.table = ["a", "b"]
together = { scheme = ["planb", "poptrie"], year = [1, 2] }
each_full.table = ["a", "b", "c"]
[[figure]]
name = "one"
title = "One"
kind = "bars"
x = "table"
x_title = "table"
y = "bytes"
y_title = "memory"
[[compare]]
paper = "planb-fig14"
what = "memory"
ours = { less_percent = ["planb", "poptrie"], field = "bytes" }
papers_range = [60, 80]
sentences.reproduced = "As printed."
"""


class Declared(unittest.TestCase):
    def test_every_file_loads_for_both_kinds_of_run(self) -> None:
        for one in experiments.load_all().values():
            for full in (False, True):
                self.assertTrue(one.cases(full), one.name)

    def test_every_printed_figure_has_an_experiment_or_a_sentence(self) -> None:
        declared = experiments.load_all()
        reproduced = {paper for one in declared.values() for paper in one.papers}
        missing = set(experiments.paper_figures()) - reproduced - set(experiments.not_reproduced())
        self.assertEqual(missing, set(), "name these ids in papers of an experiment, or in not_reproduced.toml")

    def test_every_paper_of_an_experiment_is_compared(self) -> None:
        for one in experiments.load_all().values():
            compared = {compare["paper"] for compare in one.compares}
            self.assertEqual(set(one.papers) - compared, set(), one.name)

    def test_sentences_end(self) -> None:
        sentences = list(experiments.not_reproduced().values())
        sentences += [text for one in experiments.load_all().values() for compare in one.compares for text in compare["sentences"].values()]
        for sentence in sentences:
            self.assertRegex(sentence, r"^[A-Z0-9].*[.]$")

    def test_quick_budgets_together_stay_below_half_an_hour(self) -> None:
        self.assertLess(sum(one.budget(False) for one in experiments.load_all().values()), 30 * 60)


class Loading(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "good.toml"

    def load(self, text: str) -> experiments.Experiment:
        self.path.write_text(text, encoding="utf-8")
        return experiments.load(self.path)

    def refuses(self, old: str, new: str, words: str) -> None:
        self.assertIn(old, GOOD)
        with self.assertRaises(experiments.ExperimentError) as caught:
            self.load(GOOD.replace(old, new, 1))
        self.assertIn(str(self.path), str(caught.exception))
        self.assertIn(words, str(caught.exception))

    def test_each_gives_all_combinations_and_together_gives_rows(self) -> None:
        cases = self.load(GOOD).cases()
        self.assertEqual([one.name for one in cases], ["a planb", "a poptrie", "b planb", "b poptrie"])
        self.assertEqual(cases[3].arguments, ["--scheme", "poptrie", "{made}"])
        self.assertEqual(cases[3].fields, {"table": "b", "scheme": "poptrie", "year": 2})
        self.assertEqual(len(self.load(GOOD).cases(full=True)), 6)

    def test_faults_name_the_file_and_the_key(self) -> None:
        self.refuses("title =", "titel =", "titel: is not known")
        self.refuses('question = "A question?"', "", "question: is missing")
        self.refuses('papers = ["planb-fig14"]', 'papers = ["planb-fig99"]', "papers: 'planb-fig99' is not an id")
        self.refuses('name = "good"', 'name = "other"', "name: 'other' is not the name of the file")
        self.refuses('kind = "info"', 'kind = "magic"', "kind: 'magic' is none of lookup")
        self.refuses('kind = "bars"', 'kind = "pie"', "figure one: kind: 'pie' is none of bars")
        self.refuses('y_title = "memory"', "", "figure one: y_title: is missing")
        without = GOOD[GOOD.index('kind = "bars"') : GOOD.index("[[compare]]")]
        self.refuses(without, 'kind = "table"\n', "figure one: columns: is missing")
        self.refuses("less_percent =", "lesspercent =", "ours.lesspercent: is not known")
        self.refuses("papers_range = [60, 80]", "papers_range = [60]", "papers_range: must be a list of two numbers")
        self.refuses("papers_range = [60, 80]", 'direction = "up"', "direction: 'up' is none of")
        self.refuses("sentences.reproduced", "sentences.perfect", "'perfect' is none of reproduced")
        self.refuses("budget_seconds = 10", 'budget_seconds = "10"', "budget_seconds: must be a number")
        self.refuses("year = [1, 2]", "year = [1]", "together: must have lists of one length")
        self.refuses('name = "{table} {scheme}"', 'name = "{table}"', "case: 'a' is there twice")
        self.refuses('paper = "planb-fig14"', 'paper = "planb-fig15"', "does not stand in papers")
        self.refuses("[[case]]", "[[case]", "good.toml")

    def test_a_figure_is_there_once(self) -> None:
        figure = GOOD[GOOD.index("[[figure]]") : GOOD.index("[[compare]]")]
        self.refuses(figure, figure + figure, "figure: 'one' is there twice")


if __name__ == "__main__":
    unittest.main()
