#!/usr/bin/env python3
"""The files of the tree have one version, and tools/version sets it in copies of them."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*words: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, ROOT / "tools/version", *words], check=False, capture_output=True, text=True)


class Version(unittest.TestCase):
    def test_the_tree_has_one_version(self) -> None:
        result = run("--check")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_setting(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            for file in ("CMakeLists.txt", "CHANGELOG.md", "capi/fingerpost.h", "packaging/vcpkg/fingerpost/vcpkg.json", "man/man1/fingerpost.1"):
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / file, root / file)
            self.assertEqual(run("12.34.56", root).stdout, "12.34.56\n")
            faults = run("--check", root).stderr.splitlines()
            self.assertEqual([fault.split()[1] for fault in faults], ["CHANGELOG.md", "man/man1/fingerpost.1"])
            header = (root / "capi/fingerpost.h").read_text()
            for part in ("MAJOR 12", "MINOR 34", "PATCH 56"):
                self.assertIn(f"#define FINGERPOST_VERSION_{part}\n", header)

    def test_malformed_versions(self) -> None:
        for word in ("1.2", "1.2.3-rc1", "01.2.3", "v1.2.3"):
            self.assertEqual(run(word).returncode, 2, word)


if __name__ == "__main__":
    unittest.main()
