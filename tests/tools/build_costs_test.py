#!/usr/bin/env python3
"""tools/build_costs finds the expensive source, target, header, template and test of a small project."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/build_costs"
FILES = {
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.25)
project(small CXX)
enable_testing()
add_library(words STATIC dear.cpp cheap.cpp)
add_executable(tool main.cpp)
target_link_libraries(tool words)
add_test(NAME a/busy COMMAND sh -c "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
add_test(NAME a/idle COMMAND sleep 0.2)
add_test(NAME b/tool COMMAND tool)
set_tests_properties(b/tool PROPERTIES ENVIRONMENT "A=one;B=no" ENVIRONMENT_MODIFICATION "B=set:two" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
add_test(NAME b/skipped COMMAND sh -c "exit 77")
set_tests_properties(b/skipped PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME c/wrong COMMAND false)
add_test(NAME c/absent COMMAND sh -c "exit 1")
set_tests_properties(c/absent PROPERTIES WILL_FAIL TRUE)
""",
    "dear.cpp": '#include <regex>\nbool dear() { return std::regex_search("aab", std::regex("a+b")); }\n',
    "cheap.cpp": "int cheap() { return 1; }\n",
    "main.cpp": """
#include <cstdio>
#include <cstdlib>
#include <cstring>
bool dear();
bool is(const char* name, const char* value) { return std::getenv(name) && !std::strcmp(std::getenv(name), value); }
int main() { return std::fopen("dear.cpp", "r") && is("A", "one") && is("B", "two") && dear() ? 0 : 1; }
""",
}


def tables(text: str) -> dict[str, dict[str, float]]:
    """Returns the seconds of each name, grouped by the title of the table."""
    found: dict[str, dict[str, float]] = {}
    for part in text.split("\n\n"):
        title, _, rows = part.strip("\n").partition("\n")
        found[title] = {row[2]: float(row[1]) for row in re.finditer(r"^ +(\d+\.\d\d) (?: +\d+%)? +(.+)$", rows, re.MULTILINE)}
    return found


class BuildCosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for name, text in FILES.items():
            (cls.folder / name).write_text(text, encoding="utf-8")
        cls.built = cls.run_tool(
            str(cls.folder / "out"), "--source", str(cls.folder), *(["--trace"] if shutil.which("clang++-16") else []), "--", "-DCMAKE_BUILD_TYPE=Debug"
        )

    @staticmethod
    def run_tool(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([TOOL, *words], capture_output=True, text=True, check=False)

    def test_build(self) -> None:
        self.assertEqual(self.built.returncode, 0, self.built.stderr + self.built.stdout)
        found = tables(self.built.stdout)
        sources, targets = found["by source"], found["by target"]
        self.assertEqual(next(iter(sources)), "dear.cpp")
        self.assertEqual(sources.keys(), {"dear.cpp", "cheap.cpp", "main.cpp", "link tool"})
        self.assertGreater(sources["dear.cpp"], 5 * sources["cheap.cpp"])
        self.assertEqual(next(iter(targets)), "words")
        self.assertAlmostEqual(targets["words"], sources["dear.cpp"] + sources["cheap.cpp"], delta=0.02)
        self.assertAlmostEqual(targets["tool"], sources["main.cpp"] + sources["link tool"], delta=0.02)
        total = re.search(r"^([\d.]+) processor seconds to build all$", self.built.stdout, re.MULTILINE)
        self.assertAlmostEqual(float(total[1]), sum(targets.values()), delta=0.1)
        self.assertIn("CMAKE_BUILD_TYPE:STRING=Debug", (self.folder / "out/CMakeCache.txt").read_text(encoding="utf-8"))

    @unittest.skipUnless(shutil.which("clang++-16"), "no clang++-16")
    def test_trace(self) -> None:
        found = tables(self.built.stdout)
        header = next(cost for name, cost in found["by header"].items() if name.endswith("/string"))
        self.assertTrue(0 < header < found["by source"]["dear.cpp"] * 5, header)
        self.assertIn("std::basic_regex", found["by template"])

    def test_tests(self) -> None:
        done = self.run_tool("--tests", str(self.folder / "out"))
        found = tables(done.stdout)["by test"]
        self.assertEqual(found.keys(), {"a/busy", "a/idle", "b/tool", "b/skipped  skipped", "c/wrong  FAILED", "c/absent"})
        self.assertEqual(next(iter(found)), "a/busy")
        self.assertLess(found["a/idle"], 0.1)
        self.assertEqual((done.returncode, done.stderr), (1, "build_costs: 1 failed: c/wrong\n"))
        done = self.run_tool("--tests", str(self.folder / "out"), "--", "-R", "^b/")
        self.assertEqual((done.returncode, tables(done.stdout)["by test"].keys()), (0, {"b/tool", "b/skipped  skipped"}))

    def test_no_other_folder_is_replaced(self) -> None:
        done = self.run_tool(str(self.folder), "--source", str(self.folder))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("not a build folder", done.stderr)
        self.assertTrue((self.folder / "dear.cpp").exists())

    def test_a_build_that_fails(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            Path(name, "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(bad NONE)\nadd_custom_target(bad ALL COMMAND false)\n", encoding="utf-8"
            )
            done = self.run_tool(f"{name}/out", "--source", name)
            self.assertEqual((done.returncode, done.stderr), (1, "build_costs: the build failed\n"), done.stdout)


if __name__ == "__main__":
    unittest.main()
