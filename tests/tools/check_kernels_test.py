#!/usr/bin/env python3
"""Compiles small kernel objects, good and bad, and expects tools/check_kernels to tell them apart."""

import platform
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TABLE = "namespace fingerpost::simd {{ extern const int kernels_{0}[1]; constexpr int kernels_{0}[1] = {{1}}; }}\n"
WEAK = "template <class T> __attribute__((noinline)) T twice(T x) { return x + x; } template int twice(int);\n"


@unittest.skipUnless(platform.machine() == "x86_64", "the planted objects are x86-64")
class CheckKernels(unittest.TestCase):
    def run_on(self, sources: dict[str, tuple[str, str]]) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            for name, (text, flag) in sources.items():
                path = Path(folder) / "CMakeFiles/fingerpost.dir/fingerpost" / (name + ".cpp.o")
                path.parent.mkdir(parents=True, exist_ok=True)
                command = ["g++", "-std=c++20", "-O2", flag, "-x", "c++", "-c", "-", "-o", str(path)]
                subprocess.run(command, input=text, text=True, check=True)
            command = [sys.executable, str(ROOT / "tools/check_kernels"), folder]
            return subprocess.run(command, capture_output=True, text=True)

    def expect(self, name: str, text: str, flag: str, message: str) -> None:
        sources = {"simd/scalar": (TABLE.format("scalar"), "-O2"), name: (text, flag)}
        result = self.run_on(sources)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(message, result.stderr)

    def test_good_objects_pass(self):
        body = "static void add(float* a) { for (int i = 0; i < 64; ++i) a[i] *= 2; }\n"
        table = "namespace fingerpost::simd { using f = void (*)(float*); extern const f kernels_avx2; "
        table += "const f kernels_avx2 = &add; }\n"
        sources = {
            "simd/scalar": (TABLE.format("scalar"), "-O2"),
            "simd/avx2": (body + table, "-mavx2"),
            "base/count": ("int f(unsigned x) { return __builtin_popcount(x) + __builtin_ctz(x); }\n", "-O2"),
        }
        result = self.run_on(sources)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("kernels avx2, scalar; 3 objects", result.stdout)

    def test_missing_table(self):
        self.expect("simd/avx2", "static int x;\n", "-mavx2", "does not define fingerpost::simd::kernels_avx2")

    def test_weak_symbol(self):
        self.expect("simd/avx2", TABLE.format("avx2") + WEAK, "-mavx2", "weak symbol: int twice<int>(int)")

    def test_other_global_symbol(self):
        self.expect("simd/avx2", TABLE.format("avx2") + "int leak() { return 1; }\n", "-mavx2", "besides the table: leak()")

    def test_wide_code_outside_an_isa(self):
        wide = "void add(float* a) { for (int i = 0; i < 64; ++i) a[i] *= 2; }\n"
        self.expect("fib/registry", wide, "-mavx2", "in add(float*)")
        self.expect("fib/registry", "int f(unsigned x) { return __builtin_popcount(x); }\n", "-mpopcnt", "popcnt")

    def test_nothing_to_check_is_a_failure(self):
        self.assertEqual(self.run_on({"base/x": ("int x;\n", "-O2")}).returncode, 1)


if __name__ == "__main__":
    unittest.main()
