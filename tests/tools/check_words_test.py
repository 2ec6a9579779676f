#!/usr/bin/env python3
"""Plants each habit of translated prose and expects tools/check_words to report it, and plain prose to pass."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from scripts import run_tool

GOOD = r"""// A node whose bits are set, for users who need few sizes; see fingerpost/net/there.hpp and net/there.hpp.
//
//     who        a picture is an example
//
// Half of an address, the third one, a third party, a second time, 1/16 more, in hundredths of a percent.
// `nobody` and "a third of it" are examples. What building makes: build/bin/x.py.
const char* text = "nobody reads docs/missing.md, a third of it";
int who; // the operators of a network, who know their routes
"""


class CheckWords(unittest.TestCase):
    def run_on(self, files: dict[str, str], *names: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return run_tool("check_words", "--root", folder, *names)

    def expect(self, sentence: str, message: str, name: str = "io/x.cpp") -> None:
        marker = "//" if name.endswith("pp") else "#" if not name.endswith(".md") else ""
        files = {name: f"{marker} A file.\n\n{marker} {sentence}\n", "fingerpost/net/there.hpp": "// It is there.\n", "docs/use/a.md": "A page.\n"}
        result = self.run_on(files)
        self.assertEqual(result.returncode, 1, f"not found: {sentence}")
        self.assertIn(f"{name}:3: ", result.stderr)
        self.assertIn(message, result.stderr)

    def expect_good(self, sentence: str) -> None:
        result = self.run_on({"io/x.cpp": f"// {sentence}\n", "fingerpost/net/there.hpp": "// It is there.\n"})
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_plain_prose_passes(self) -> None:
        result = self.run_on({"io/x.hpp": GOOD, "fingerpost/net/there.hpp": "// It is there.\n"})
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_words_for_people(self) -> None:
        for sentence in (
            "Returns who goes on, a bit each.", "A thread who waits.", "Whoever asks for it.", "The node is nobody's.",
            "It waits until somebody\n// reads.", "Anybody may call it.", "For who builds.",
        ):  # fmt: skip
            self.expect(sentence, "`")
        for sentence in ("A person who knows the key.", "Users of the program who measure.", "The author, who measured it, says so."):
            self.expect_good(sentence)

    def test_whose_needs_a_noun(self) -> None:
        for sentence in ("They tell which entries are whose.", "Whose half a lookup asks for.", "Two tables: whose, and how many."):
            self.expect(sentence, "without a noun")
        for sentence in ("A bit v, whose number is the place.", "Those whose address is known.", "The arrays (on disk) whose sum fits."):
            self.expect_good(sentence)

    def test_fractions(self) -> None:
        for sentence in (
            "It grows by a sixteenth.", "Two thirds of it.", "An eighth more.", "The hundredth of all.", "Three quarters full.",
            "A half faster than that.", "It is a 32nd above.", "One fifth of them.", "Less than a twenty-fourth of it.",
        ):  # fmt: skip
            self.expect(sentence, "is a fraction in words")
        for sentence in ("A third party.", "The third of the policies.", "Every sixth change.", "A fourth namespace.", "A half line."):
            self.expect_good(sentence)

    def test_paths(self) -> None:
        for sentence in (
            "See fingerpost/net/gone.hpp.", "See net/gone.hpp.", "As fingerpost/unit has them.", "See use/gone.md.", "See io/*_test.cpp.",
        ):  # fmt: skip
            self.expect(sentence, "does not exist")
        for sentence in (
            "See net/there.hpp:12.", "See io/x.cpp, x/y.cpp and linux/if_link.h.", "See net/<name>.hpp and net/{there,here}.hpp.",
            "https://example.net/net/gone.hpp and /etc/net/gone.txt",
        ):  # fmt: skip
            self.expect_good(sentence)

    def test_all_kinds_of_files(self) -> None:
        sentence = "It waits until nobody reads."
        for name in ("x.h", "x.py", "x.sh", "x.cmake", "Makefile", "docs/page.md", "README.md", "CONTRIBUTING.md"):
            if name.endswith(".h"):
                result = self.run_on({name: f"// A file.\n\n// {sentence}\n"})
                self.assertIn(f"{name}:3: `nobody`", result.stderr)
            else:
                self.expect(sentence, "`nobody`", name)
        docstring = f'"""A module."""\n\n\ndef f():\n    """First.\n\n    {sentence}\n    """\n'
        self.assertIn("x.py:7: `nobody`", self.run_on({"x.py": docstring}).stderr)
        self.assertEqual(self.run_on({"CHANGELOG.md": sentence, "man/x.md": sentence}).returncode, 0)

    def test_fences_are_examples(self) -> None:
        page = "A page.\n\n```\nnobody\n```\n\nIt is `nobody`.\n"
        self.assertEqual(self.run_on({"docs/page.md": page}).returncode, 0)

    def test_chosen_folders(self) -> None:
        files = {"io/x.cpp": "// Plain.\n", "cli/y.cpp": "// Nobody reads.\n"}
        self.assertEqual(self.run_on(files, "io").returncode, 0)
        self.assertEqual(self.run_on(files, "io", "cli/y.cpp").returncode, 1)
        self.assertEqual(self.run_on(files, "gone").returncode, 2)


if __name__ == "__main__":
    unittest.main()
