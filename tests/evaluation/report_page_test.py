#!/usr/bin/env python3
"""The report of tests/data/evaluation: one self-contained file, reproducible byte for byte, with everything that a reader needs."""

import copy
import functools
import json
import os
import re
import sys
import tempfile
import time
import unittest
import unittest.mock
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "lab"), str(ROOT / "tests/support")]
from scripts import skip

try:
    import vl_convert
except ImportError:
    skip("this Python has no vl-convert-python (tools/python_env report)")
from evaluation import verdicts
from evaluation.report import chapter, charts, command, drawing, glossary, model, page
from evaluation.results import read

DATA = ROOT / "tests/data/evaluation"
DECLARED = DATA / "experiments"
RESULTS = DATA / "results.json"
PICTURES = """
name = "pictures"
title = "Pictures"
question = "What do they show?"
budget_seconds = 1
papers = []
[[case]]
name = "one"
kind = "program"
command = ["true"]
[[figure]]
name = "pictures"
title = "All"
kind = "picture"
"""
SVG = "%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%229%22 height=%229%22%3E%3Ctext%3E50 %25 %22%3C/text%3E%3C/svg%3E"
RATES = {"packed_leaves": 800_000.0, "planb": 100.0, "bart": 590_000.0, "art": 200_000.0}  # changes per second
VOID = {"meta", "link", "img", "path", "line", "br", "wbr"}


class Reader(HTMLParser):
    """Parses a page: open tags, ids, texts of elements, and all addresses in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open += [] if tag in VOID else [tag]
        for name, value in attrs:
            self.ids += [value or ""] if name == "id" else []
            self.addresses += [value or ""] if name in ("href", "src", "srcset", "data", "action") else []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        self.words += [data] if "style" not in self.open else []


def results() -> dict[str, Any]:
    return dict(read(RESULTS))


class Converter:
    """Caches drawings: most reports here differ in few figures, and drawing takes most of the time."""

    def __init__(self) -> None:
        self.vegalite_to_svg = functools.cache(vl_convert.vegalite_to_svg)


CONVERTER = Converter()


class ReportPage(unittest.TestCase):
    def setUp(self) -> None:
        self.enterContext(unittest.mock.patch.object(drawing, "converter", lambda: CONVERTER))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def render(self, *documents: dict[str, Any]) -> str:
        paths = []
        for at, document in enumerate(documents):
            paths.append(self.root / f"{at}.json")
            paths[-1].write_text(json.dumps(document), encoding="utf-8")
        return page.render(model.read(paths, DECLARED))

    def figures(self, text: str) -> list[str]:
        return re.findall(r'<section class="figure">.*?</section>', text, re.DOTALL)

    def test_it_is_one_small_file_that_asks_for_nothing(self) -> None:
        begin = time.monotonic()
        text = self.render(results())
        self.assertLess(time.monotonic() - begin, 30)
        self.assertLess(len(text.encode()), 1_000_000)
        reader = Reader(text)
        self.assertEqual(reader.open, [])
        self.assertEqual(len(reader.ids), len(set(reader.ids)))
        for address in reader.addresses:
            self.assertTrue(address.startswith("data:") or address.removeprefix("#") in reader.ids, address)
        self.assertNotRegex(text, r"<script|url\(|@import|https?://")

    def test_the_same_results_give_the_same_bytes(self) -> None:
        text = self.render(results())
        CONVERTER.vegalite_to_svg.cache_clear()
        self.assertEqual(self.render(results()), text)

    def test_every_figure_has_axes_with_units_conditions_and_a_table(self) -> None:
        drawn = [one for one in self.figures(self.render(results())) if "<svg viewBox=\"0 0" in one and "The paper’s ratios" not in one]
        self.assertGreaterEqual(len(drawn), 7)
        for one in drawn:
            name = re.search(r"</span> (.*?)</h3>", one)
            with self.subTest(figure=name and name[1]):
                self.assertRegex(one, r">(lookups a second, million/s|time of a lookup, ns|time, ms)( \(log scale\))?</text>")
                self.assertRegex(one, r'<p class="conditions">[^<]*AMD EPYC[^<]*g\+\+(?:(?!</p>).)*rounds[^<]*median and quartiles[^<]*commit')
                self.assertRegex(one, r"<small>(more|less) is better</small></h3>")
                self.assertRegex(one, r"<details><summary>The numbers")
                self.assertIn("<table>", one)

    def test_the_papers_numbers_stand_beside_ours_with_verdict_and_sentence(self) -> None:
        text = self.render(results())
        words = " ".join(Reader(text).words)
        for wanted in ("The paper’s ratios and ours", "3.80 to 4.60", "same direction", "reproduced", "All that the papers print on it", "Only one kernel is here"):
            self.assertIn(wanted, words)

    def test_the_first_screen_has_three_charts_and_names_its_colours(self) -> None:
        document = results()
        rate = {"case": "tier1-v6", "table": "tier1-v6", "workload": "churn"}
        rows = [rate | {"series": name, "burst": 1024, "changes_per_second": speed, "visible_us": 1e6 / speed} for name, speed in RATES.items()]
        document["experiments"]["ours-changes"] = {"passes": {}, "skipped": {}, "failed": {}, "rows": rows}
        text = self.render(document)
        head = text[text.index("<header") : text.index("</header>")]
        words = " ".join(" ".join(Reader(head).words).split())
        wanted = ["Lookups million a second, more is better", "Memory bytes a route, less is better", "Changes thousand a second, more is better"]
        wanted += ["IPv6, AMD EPYC with AVX-512", "IPv4, AMD EPYC with AVX-512", "bart 590", "visible after 1.25 µs ( planb : 10.0 ms)"]
        self.assertEqual([one for one in wanted if one not in words], [])
        self.assertEqual(charts.trio({"planb": 2.0, "poptrie": 3.0, "packed_leaves": 1.0, "dxr": 4.0}, more=False)[2], ("poptrie", 3.0))
        self.assertRegex(words, r"best of 6 others: (\w+(, )?)+ ")
        self.assertRegex(words, r"Green: reproduced , every .* \(\d+ of 47 figures\). Red: different , at least .* \(\d+ of 47 figures\).")
        self.assertEqual(len(re.findall(r'<svg viewBox="0 0 [^>]* role="img" aria-label="[^"]+"', head)), 5)
        self.assertIn('<a href="#not-fastest">Where another scheme is faster than the default</a>', head)

    def test_chapters_are_folded(self) -> None:
        text = self.render(results())
        self.assertEqual(len(re.findall(r'<details class="chapter"><summary><h2>.*?</summary><div class="inside" id="[^"]+">', text)), 5)
        words = " ".join(" ".join(Reader(text).words).split())
        self.assertRegex(words, r"is faster than the default \d+ of \d+ cells .* packed_leaves , is the fastest in \d+ of \d+ cells")
        for wanted in ("Compare speeds within one figure only.", "Variants for study", "A round measures", "A turn measures", "A pass repeats"):
            self.assertIn(wanted, words)

    def test_the_schemes_are_explained_by_the_documents(self) -> None:
        text = self.render(results())
        folded = text[text.index("What the schemes are") :]
        for name in ("packed_leaves", "planb", "poptrie"):
            summary = glossary.summaries()[name]
            code = (ROOT / f"fingerpost/schemes/{name}/entries.hpp").read_text(encoding="utf-8")
            self.assertIn(summary, re.sub(r'"\s+"', "", code))
            self.assertIn(page.escape(summary), folded)
        self.assertEqual(set(glossary.summaries()), {path.stem for path in (ROOT / "docs/schemes").glob("*.md")} - {"README"})
        self.assertEqual(glossary.summaries(self.root / "none.md"), {})

    def test_a_comparison_states_its_tolerance(self) -> None:
        self.assertRegex(self.render(results()), r"<small>(\d+ of \d+ \w+|within|not within) (within )?\d+\s% of the printed (range|value)</small>")

        def words(numbers: list[float], within: int, tolerance: float, no_effect: float | None, *theirs: float) -> str:
            found = {str(at): number for at, number in enumerate(numbers)}
            verdict = verdicts.Verdict("one", "paper", "what", "reproduced", theirs=(theirs[0], theirs[-1]), numbers=found, within=within)
            return chapter.how_near(model.Judged(verdict, True, tolerance, no_effect, "table", "tables"))

        self.assertEqual(words([1, 2, 3], 2, 0.25, None, 1.5, 2.5), "2 of 3 tables within 25\u00a0% of the printed range")
        self.assertEqual(words([1], 0, 0.1, None, 2), "not within 10\u00a0% of the printed value")
        self.assertEqual(words([2], 1, 0, None, 1, 3), "within the printed range")
        self.assertEqual(words([1.2], 1, 0.25, 1, 1.15, 1.3), "within the printed range, widened by 25\u00a0% of its distance from\u00a01")

    def test_figures_are_numbered_without_gaps(self) -> None:
        found = [int(one) for one in re.findall(r'<span class="count">Figure (\d+)</span>', self.render(results()))]
        self.assertEqual(found, list(range(1, len(found) + 1)))

    def test_load_beside_and_an_unfinished_run_are_warned_of(self) -> None:
        document = results()
        document["run"] |= {"load_at_start": 0.1, "largest_load_beside": 0.2}
        self.assertNotIn("Other programs ran beside", self.render(document))
        document["run"] |= {"largest_load_beside": 0.6, "finished": None}
        text = self.render(document)
        self.assertIn("Other programs ran beside this measurement:", text)
        self.assertIn("0.60 of a CPU", text)
        self.assertIn("This run was not finished:", text)

    def test_wrong_answers_have_no_numbers_and_are_told(self) -> None:
        document = results()
        for row in document["experiments"]["lookups"]["rows"]:
            if row["series"] == "poptrie":
                for field in [field for field in row if field.startswith(("mlps", "ns", "ratio"))]:
                    del row[field]
                row["wrong"] = 7
        words = " ".join(Reader(self.render(document)).words)
        self.assertIn("Wrong answers, so no numbers: poptrie.", words)
        self.assertIn("7 wrong answers: no numbers", words)

    def test_what_was_skipped_is_told_with_its_reason(self) -> None:
        document = results()
        document["experiments"]["lookups"]["skipped"] = {"rust": "cargo is not <installed>", "go": "cargo is not <installed>"}
        self.assertIn("Skipped: rust and go: cargo is not &lt;installed&gt;.", self.render(document))

    def test_what_did_not_settle_is_hollow_and_marked(self) -> None:
        document = results()
        for row in document["experiments"]["lookups"]["rows"]:
            row["settled"] = True
        self.assertNotIn("did not settle: two passes", self.figures(self.render(document))[0])
        for row in document["experiments"]["lookups"]["rows"]:
            row["settled"] = row["series"] != "planb"
        text = self.render(document)
        self.assertIn("Hollow marks did not settle", text)
        self.assertRegex(text, r"planb <abbr")

    def test_two_results_are_set_side_by_side_with_ratios(self) -> None:
        one, other = results(), results()
        other["run"]["machine"]["cpu"] = "AMD Ryzen 9 370HX"
        for row in other["experiments"]["lookups"]["rows"]:
            if "mlps" in row:
                row["mlps"] *= 2
        text = self.render(one, other)
        words = " ".join(Reader(text).words)
        self.assertIn("AMD EPYC (2 cores, 32 MB of cache) and AMD Ryzen 9 370HX (2 cores, 32 MB of cache).", words)
        self.assertIn("Both, and their ratio", words)
        self.assertIn(">2.00</td>", text)
        first = next(one for one in self.figures(text) if "Figure" in one)
        self.assertEqual(len(re.findall(r'<p class="source">AMD EPYC</p>', first)), 1)

    def test_results_of_one_cpu_are_named_by_instruction_set_and_one_may_have_a_part(self) -> None:
        one, other, part = results(), results(), results()
        other["run"]["machine"]["isas"] = ["scalar", "avx2"]
        part["run"]["machine"] |= {"cpu": "Intel Xeon", "caches": ["L3 Unified 307200K"]}
        part["experiments"] = {"ablation": part["experiments"]["ablation"]}
        text = self.render(one, other, part)
        words = " ".join(Reader(text).words).replace("\u2011", "-")
        self.assertIn("AMD EPYC with AVX-512 (2 cores, 32 MB of cache), AMD EPYC with AVX2 (2 cores, 32 MB of cache) and Intel Xeon with AVX-512 (2 cores, 300 MB of cache)", words)
        self.assertIn('<p class="source">Intel Xeon with AVX-512</p>', text)

    def test_pictures_beside_results_are_held_by_the_page(self) -> None:
        document = results()
        names = ["one.svg", "none.svg", "../out.svg", "one.txt"]
        rows = [{"case": name, "series": "poptrie", "table": name, "picture": name} for name in names]
        document["experiments"]["pictures"] = {"passes": {}, "skipped": {}, "failed": {}, "rows": rows}
        (self.root / "experiments").mkdir()
        for path in DECLARED.glob("*.toml"):
            (self.root / "experiments" / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        (self.root / "experiments/pictures.toml").write_text(PICTURES, encoding="utf-8")
        (self.root / "run").mkdir()
        for name in ("run/one.svg", "out.svg", "run/one.txt"):
            (self.root / name).write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>50 % "</text></svg>', encoding="utf-8")
        (self.root / "run/results.json").write_text(json.dumps(document), encoding="utf-8")
        text = page.render(model.read([self.root / "run/results.json"], self.root / "experiments"))
        self.assertEqual(re.findall(r'<img src="([^"]*)" alt="poptrie of one.svg">', text), ["data:image/svg+xml," + SVG])
        self.assertEqual(text.count("does not lie beside these results"), 3)

    def test_an_experiment_of_another_version_is_a_table(self) -> None:
        document = results()
        document["experiments"]["later"] = copy.deepcopy(document["experiments"]["lookups"])
        document["experiments"]["later"]["rows"] = document["experiments"]["later"]["rows"][:3]
        self.assertIn("All rows of later", self.render(document))

    def test_the_command_writes_a_file_or_says_what_is_wrong(self) -> None:
        out = self.root / "report.html"
        self.assertEqual(command.main([str(RESULTS), "-o", str(out), "--experiments", str(DECLARED)]), 0)
        self.assertTrue(out.read_text(encoding="utf-8").startswith("<!doctype html>"))
        self.assertEqual(out.stat().st_mode & 0o777, 0o666 & ~command.umask())
        self.assertEqual(sorted(os.listdir(self.root)), ["report.html"])
        self.assertEqual(command.main([str(self.root / "nothing.json"), "-o", str(out)]), 1)
        self.assertEqual(command.main([str(RESULTS), "-o", str(self.root / "no/folder.html"), "--experiments", str(DECLARED)]), 1)


if __name__ == "__main__":
    unittest.main()
