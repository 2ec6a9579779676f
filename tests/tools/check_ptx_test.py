#!/usr/bin/env python3
"""Writes PTX with and without planted faults and expects tools/check_ptx to refuse only the faulty files."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from scripts import run_tool

HEAD = ".version 7.8\n.target sm_90\n.address_size 64\n\n"
EXTERN = """.extern .func  (.param .b32 func_retval0) {0}
(
\t.param .b64 {0}_param_0
)
;
"""
ENTRY = """.visible .entry {0}(
\t.param .u64 {0}_param_0,
\t.param .u64 {0}_param_1
)
{{
\t.reg .b64 \t%rd<3>;
{1}\tret;

}}
"""
ARGUMENTS = "\tld.param.u64 \t%rd1, [find_param_0];\n\tst.param.b64 \t[param0+0], %rd1;\n"
LOAD = "\tld.global.u32 \t%r1, [%rd1];\n"
STORE = "\tst.global.u32 \t[%rd2], %r1;\n"


class CheckPtx(unittest.TestCase):
    def run_on(self, *texts: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / f"{number}.ptx" for number in range(len(texts))]
            for path, text in zip(paths, texts):
                path.write_text(HEAD + text)
            return run_tool("check_ptx", *map(str, paths))

    def expect(self, text: str, *faults: str) -> None:
        good = ENTRY.format("find", ARGUMENTS + LOAD + STORE)
        result = self.run_on(good, text)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertEqual([line.split(": ", 1)[1] for line in result.stdout.splitlines()], list(faults))

    def test_kernels_that_load_and_store_pass(self):
        generic = ENTRY.format("own", "\tld.v4.u32 \t{%r1, %r2, %r3, %r4}, [%rd1];\n\tst.u32 \t[%rd2], %r1;\n")
        result = self.run_on(ENTRY.format("find", LOAD + STORE) + generic)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_empty_kernel(self):
        self.expect(ENTRY.format("find", ""), "find loads nothing", "find stores nothing")

    def test_kernel_that_stores_nothing(self):
        self.expect(ENTRY.format("find", ARGUMENTS + LOAD), "find stores nothing")

    def test_kernel_that_loads_nothing(self):
        self.expect(ENTRY.format("find", ARGUMENTS + STORE), "find loads nothing")

    def test_memory_of_threads_and_blocks_does_not_count(self):
        body = (LOAD + STORE).replace("ld.global", "ld.shared").replace("st.global", "st.local")
        self.expect(ENTRY.format("find", body), "find loads nothing", "find stores nothing")

    def test_one_bad_kernel_of_two(self):
        kernels = ENTRY.format("find", LOAD + STORE) + ENTRY.format("own", LOAD)
        self.expect(kernels, "own stores nothing")

    def test_undefined_function(self):
        kernel = ENTRY.format("find", LOAD + STORE)
        self.expect(EXTERN.format("vprintf") + kernel, "calls vprintf, which is not defined")

    def test_file_without_kernels(self):
        self.expect("", "has no kernel")


if __name__ == "__main__":
    unittest.main()
