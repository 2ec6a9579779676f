#!/usr/bin/env python3
"""fingerpost-gpu-bench with the stand-in as users call it: its result file, its counts, its errors.

Environment: FINGERPOST_GPU_BENCH, the program.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["FINGERPOST_GPU_BENCH"]
SHORT = ("--scheme", "packed_leaves", "--rounds", "2", "--round-ms", "1", "--addresses", "5000", "--batch", "1000,5000", "--workloads", "match")


def run(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=120, env=os.environ | environment)


class GpuBench(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.tables = {4: self.folder / "four.txt", 6: self.folder / "six.txt"}
        self.tables[4].write_text("".join(f"20.{i // 256}.{i % 256}.0/24 {i % 7}\n" for i in range(2000)), encoding="utf-8")
        self.tables[6].write_text("".join(f"2001:db8:{i:x}::/48 {i % 7}\n" for i in range(2000)), encoding="utf-8")

    def test_results_are_complete_and_checked(self) -> None:
        for family, table in self.tables.items():
            result = self.folder / "result.json"
            done = run("-t", str(table), *SHORT, "--format", "json", "-o", str(result))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            document = json.loads(result.read_text(encoding="utf-8"))
            self.assertEqual(document["environment"]["gpu"]["name"], "stand-in on the CPU")
            rows = [row for row in document["results"] if row["isa"] == "cuda"]
            cases = {(row["mode"], row["batch"]) for row in rows}
            self.assertEqual(cases, {(place, batch) for place in ("device", "pinned", "pageable") for batch in (1000, 5000)})
            for row in rows:
                self.assertEqual((row["family"], row["wrong"], len(row["mlps_rounds"])), (family, 0, 2))
                self.assertGreater(row["checked"], 5000)
                self.assertGreater(row["ratio"], 0)
            cpu = {(row["mode"], row["threads"]) for row in document["results"] if row["isa"] != "cuda"}
            self.assertIn(("throughput", 1), cpu)
            self.assertIn("ratio to the same scheme on ", done.stdout)
            markdown = [sys.executable, str(ROOT / "bench/report/markdown.py"), str(result)]
            rendered = subprocess.run(markdown, capture_output=True, text=True, check=True).stdout
            self.assertIn("| packed_leaves |", rendered)
            self.assertIn("The GPU is stand-in on the CPU", rendered)

    def test_check_counts_wrong_answers(self) -> None:
        done = run("-t", str(self.tables[6]), "--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        *lines, last = done.stdout.splitlines()
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^IPv6 six\.txt \w+ \((device|pinned|pageable)\): 0 wrong of [1-9]\d+$")
        self.assertRegex(last, r"^stand-in on the CPU: 0 wrong of [1-9]\d+$")

    def test_errors(self) -> None:
        table = str(self.tables[6])
        for words, code, reason in (
            (("--places", "nowhere"), 2, "--places: 'nowhere' is not one of device, pinned, pageable"),
            (("--batch", "0"), 2, "--batch"),
            (("--scheme", "nosuch"), 2, "nosuch"),
            (("--device", "7", "-t", table), 1, "there is no device 7; this machine has 1, numbered from 0"),
            (("-t", str(self.folder / "none")), 1, "none"),
            (("-t", table, *SHORT, "-o", str(self.folder / "none" / "x")), 1, "none"),
        ):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (code, ""), words)
            self.assertRegex(done.stderr, r"^fingerpost-gpu-bench: .*\n$")
            self.assertIn(reason, done.stderr)

    def test_a_machine_without_a_device(self) -> None:
        done = run("-t", str(self.tables[6]), *SHORT, CUDA_VISIBLE_DEVICES="")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "fingerpost-gpu-bench: there is no GPU: CUDA finds no device, or no driver\n")

    def test_a_closed_pipe_is_not_an_error(self) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([PROGRAM, "-t", str(self.tables[6]), "--check"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_help(self) -> None:
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Usage: fingerpost-gpu-bench [OPTION ...]", done.stdout)
        self.assertIn("Examples", done.stdout)


if __name__ == "__main__":
    unittest.main()
