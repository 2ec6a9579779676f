#!/usr/bin/env python3
"""Compiles good and bad kernel objects and expects tools/check_kernels to refuse only the bad ones."""

import platform
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from scripts import run_tool

ENTRANCE = """#include <type_traits>
namespace fingerpost::simd {{ enum class isa {{ scalar, avx2 }}; }}
namespace fingerpost::trie {{
const int& kernels_for(std::integral_constant<simd::isa, simd::isa::{0}>);
static int kernels = 1;
const int& kernels_for(std::integral_constant<simd::isa, simd::isa::{0}>) {{ return kernels; }}
}}
"""
SCALAR = "fingerpost_kernels_scalar.dir/fingerpost/schemes/trie/kernels"
AVX2 = "fingerpost_kernels_avx2.dir/fingerpost/schemes/trie/kernels"
BASELINE = "fingerpost.dir/fingerpost/registry/registry"
WEAK = "template <class T> __attribute__((noinline)) T twice(T x) { return x + x; } template int twice(int);\n"


@unittest.skipUnless(platform.machine() == "x86_64", "the planted objects are x86-64")
class CheckKernels(unittest.TestCase):
    def run_on(self, sources: dict[str, tuple[str, str]]) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            for name, (text, flag) in sources.items():
                path = Path(folder) / "CMakeFiles" / (name + ".cpp.o")
                path.parent.mkdir(parents=True, exist_ok=True)
                command = ["g++", "-std=c++20", "-O2", flag, "-x", "c++", "-c", "-", "-o", str(path)]
                subprocess.run(command, input=text, text=True, check=True)
            return run_tool("check_kernels", folder)

    def expect(self, name: str, text: str, flag: str, message: str) -> None:
        sources = {SCALAR: (ENTRANCE.format("scalar"), "-O2"), name: (text, flag)}
        result = self.run_on(sources)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(message, result.stderr)

    def test_good_objects_pass(self):
        sources = {
            SCALAR: (ENTRANCE.format("scalar"), "-O2"),
            AVX2: (ENTRANCE.format("avx2") + "static void add(float* a) { for (int i = 0; i < 64; ++i) a[i] *= 2; }\n"
                   "namespace fingerpost { static void (*volatile used)(float*) = &add; }\n", "-mavx2"),
            BASELINE: ("int f(unsigned x) { return __builtin_popcount(x) + __builtin_ctz(x); }\n", "-O2"),
        }
        result = self.run_on(sources)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("2 of avx2, scalar; 1 other objects", result.stdout)

    def test_missing_entrance(self):
        self.expect(AVX2, "static int x;\n", "-mavx2", "defines no function kernels_for")

    def test_two_entrances(self):
        twice = ENTRANCE.format("avx2") + ENTRANCE.format("scalar").split("\n", 2)[2].replace(
            "static int kernels = 1;", "static int others = 1;"
        ).replace("return kernels", "return others")
        self.expect(AVX2, twice, "-mavx2", "defines 2 functions trie::kernels_for")

    def test_an_entrance_for_each_namespace(self):
        other = ENTRANCE.format("avx2").split("\n", 2)[2].replace("trie", "tree")
        both = {SCALAR: (ENTRANCE.format("scalar"), "-O2"), AVX2: (ENTRANCE.format("avx2") + other, "-mavx2")}
        result = self.run_on(both)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_weak_symbol(self):
        self.expect(AVX2, ENTRANCE.format("avx2") + WEAK, "-mavx2", "weak symbol: int twice<int>(int)")

    def test_other_global_symbol(self):
        leaking = ENTRANCE.format("avx2") + "int leak() { return 1; }\n"
        self.expect(AVX2, leaking, "-mavx2", "besides kernels_for: leak()")

    def test_wide_code_outside_an_isa(self):
        wide = "void add(float* a) { for (int i = 0; i < 64; ++i) a[i] *= 2; }\n"
        self.expect(BASELINE, wide, "-mavx2", "in add(float*)")
        self.expect(BASELINE, "int f(unsigned x) { return __builtin_popcount(x); }\n", "-mpopcnt", "popcnt")

    def test_nothing_to_check_is_a_failure(self):
        self.assertEqual(self.run_on({BASELINE: ("int x;\n", "-O2")}).returncode, 1)


if __name__ == "__main__":
    unittest.main()
