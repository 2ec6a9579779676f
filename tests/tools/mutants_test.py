#!/usr/bin/env python3
"""tools/mutants plants faults in a small tree that is really built and tested, and reports which of them the tests find."""

import json
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/mutants"
SOURCE = """// Clamps 7 + 7, as comments may say.
#include "fingerpost/limit.hpp"
int calls = 0;
int clamped(int value) {
    ++calls;
    if (value > limit())
        return limit();
    return value;
}
const char* unit() {
    return "1 < 2";
}
long count(const int* begin, const int* end) {
    return end - begin;
}
"""
HEADER = "inline int limit() {\n    return 9;\n}\n"
TEST = '#include "fingerpost/limit.hpp"\nint clamped(int value);\nint main() {\n    return clamped(3) == 3 && CHECKED ? 0 : 1;\n}\n'
RULES = """rule compile
  command = c++ -I.. -MMD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
rule link
  command = c++ $in -o $out
build limit.o: compile ../fingerpost/limit.cpp
build limit_test.o: compile ../tests/limit_test.cpp
build limit_test: link limit.o limit_test.o
"""


class Mutants(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name, "tree")
        self.list = Path(folder.name, "list.json")
        for name, text in {"fingerpost/limit.cpp": SOURCE, "fingerpost/limit.hpp": HEADER, "build/build.ninja": RULES, ".gitignore": "build\n"}.items():
            self.write(name, text)
        self.check("clamped(20) == limit()")
        self.listed(f'add_test(unit/limit "{self.tree}/build/limit_test")\n')

    def write(self, name: str, text: str) -> None:
        (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
        (self.tree / name).write_text(text, encoding="utf-8")

    def check(self, what: str) -> None:
        self.write("tests/limit_test.cpp", TEST.replace("CHECKED", what))

    def listed(self, text: str) -> None:
        self.write("build/CTestTestfile.cmake", text)

    def prepared(self) -> None:
        """Built and committed, as the tool requires."""
        subprocess.run(["ninja", "-C", self.tree / "build"], check=True, capture_output=True)
        who = ["-c", "user.name=a", "-c", "user.email=a@example.net", "-c", "commit.gpgsign=false"]
        for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "--allow-empty", "-m", "tree"]):
            subprocess.run(["git", *command], cwd=self.tree, check=True, capture_output=True)

    def planted(self, *arguments: str) -> str:
        self.prepared()
        done = subprocess.run([TOOL, "--tree", self.tree, "--json", self.list, *arguments], check=True, capture_output=True, text=True)
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=self.tree, check=True, capture_output=True, text=True)
        self.assertEqual(changed.stdout, "", "the tree is as it was")
        return done.stdout

    def results(self) -> set[tuple[str, str, str]]:
        return {(fault["before"], fault["after"], fault["status"]) for fault in json.loads(self.list.read_text(encoding="utf-8"))}

    def test_faults_that_the_test_sees_are_found(self) -> None:
        text = self.planted()
        # A value of 9 is clamped to 9 or kept. Nothing is planted in the comment, the string and the sum of pointers, which would not
        # compile.
        self.assertEqual(
            self.results(),
            {("0", "1", "survived"), ("++", "--", "survived"), ("++calls;", ";", "survived"), (">", ">=", "survived"),
             ("value > limit()", "!(value > limit())", "found"), ("9", "10", "survived")},
        )  # fmt: skip
        self.assertIn("fingerpost/limit.cpp:6: condition: value > limit() -> !(value > limit()) by unit/limit", text)
        self.assertIn("6 faults: 1 found, 5 survived", text)

    def test_only_files_of_few_objects_are_drawn_from(self) -> None:
        self.planted("--objects", "1")
        self.assertNotIn(("9", "10", "survived"), self.results())
        self.assertEqual(len(self.results()), 5)

    def test_the_seed_decides_which_are_drawn(self) -> None:
        lists = []
        for seed in ("1", "1", "2", "3"):
            self.planted("--count", "2", "--seed", seed)
            lists.append(sorted(self.results()))
        self.assertEqual([len(drawn) for drawn in lists], [2] * 4)
        self.assertEqual(lists[0], lists[1])
        self.assertTrue(any(drawn != lists[0] for drawn in lists))

    def test_a_list_is_planted_again_where_lines_and_files_have_moved(self) -> None:
        self.check("clamped(20) == 9")
        self.planted()
        found = {result for result in self.results() if result[2] == "found"}
        self.assertEqual(len(found), 2)
        self.check("clamped(20) == limit()")
        (self.tree / "fingerpost/limit.cpp").unlink()
        self.write("fingerpost/base/limit.cpp", "// New.\n\n" + SOURCE.replace("++calls;", "calls += 2;"))
        self.write("build/build.ninja", RULES.replace("/limit.cpp", "/base/limit.cpp"))
        text = self.planted("--from", str(self.list))
        self.assertIn("of 2 that were found before, 1 are found now (50.0 %)\n  survived: fingerpost/limit.hpp:2", text)
        self.assertIn("fingerpost/base/limit.cpp:8: operator: > -> >=", text)
        self.assertEqual({result for result in self.results() if result[2] == "gone"}, {("++", "--", "gone"), ("++calls;", ";", "gone")})

    def test_a_test_that_fails_without_a_fault_finds_nothing(self) -> None:
        self.check("false")
        text = self.planted()
        self.assertIn("not used, as it fails without a fault or takes too long: unit/limit", text)
        self.assertNotIn("found", {result[2] for result in self.results()})

    def test_an_endless_loop_is_found(self) -> None:
        self.write("fingerpost/limit.cpp", SOURCE.replace("    ++calls;", "    for (long i = 0; i != 3; ++i) {\n    }"))
        self.planted("--cap", "1")
        self.assertIn(("++", "--", "found"), self.results())

    def test_the_tree_is_restored_when_the_run_is_ended(self) -> None:
        source = self.tree / "fingerpost/limit.cpp"
        self.write("same", SOURCE)
        self.listed(f'add_test(unit/slow "/bin/sh" "-c" "cmp {source} {self.tree}/same || sleep 99; {self.tree}/build/limit_test")\n')
        self.prepared()
        with subprocess.Popen([TOOL, "--tree", self.tree, "--objects", "1"], stdout=subprocess.DEVNULL) as run:
            until = time.monotonic() + 60
            while source.read_text(encoding="utf-8") in ("", SOURCE) and time.monotonic() < until:
                time.sleep(0.01)
            self.assertNotEqual(source.read_text(encoding="utf-8"), SOURCE)
            run.send_signal(signal.SIGTERM)
            self.assertEqual(run.wait(30), 143)
        self.assertEqual(source.read_text(encoding="utf-8"), SOURCE)

    def test_a_tree_with_changes_is_left_alone(self) -> None:
        self.prepared()
        self.write("fingerpost/limit.cpp", SOURCE + "\n")
        for tree, message in ((self.tree, "has changes"), (TOOL.parents[1], "not planted in the tree of the tool")):
            done = subprocess.run([TOOL, "--tree", tree], check=False, capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
