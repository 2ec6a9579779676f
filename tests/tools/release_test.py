#!/usr/bin/env python3
"""Releases made-up trees with tools/release, checks their commits with tools/each_commit, and sums and signs with tools/dist."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPIED = (
    *("tools/release", "tools/version", "tools/each_commit", "tools/dist", "CMakeLists.txt", "capi/fingerpost.h"),
    *("packaging/vcpkg/fingerpost/vcpkg.json", "packaging/conan/conanfile.py", "packaging/container/Containerfile"),
)
MAKEFILE = """generate:
	@printf '.TH A 1 "" "fingerpost %s" "fingerpost"\\n' $$(tools/version) >man/man1/a.1
release:
	@mkdir -p dist && touch dist/files
"""
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [0.0.1] - 2026-01-01\n\n- Old.\n"
# Builds, unless a source contains the word.
CMAKE = """#!/bin/sh
case "$*" in *--build*) ! grep -q BROKEN source.txt ;; esac
"""


class Release(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "tree"
        self.home = Path(folder.name)
        for name in COPIED:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        (self.root / "man/man1").mkdir(parents=True)
        for name, text in {"Makefile": MAKEFILE, "CHANGELOG.md": CHANGELOG, "source.txt": "", ".gitignore": "/build/\n/dist/\n"}.items():
            (self.root / name).write_text(text)
        (self.home / "cmake").write_text(CMAKE)
        (self.home / "cmake").chmod(0o755)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("Begin")

    def run_it(self, *words: str, **settings: str) -> subprocess.CompletedProcess:
        names = {f"GIT_{role}_{what}": f"a{role}@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environment = {**os.environ, **names, "PATH": f"{self.home}:{os.environ['PATH']}", **settings}
        return subprocess.run(words, check=False, capture_output=True, text=True, cwd=self.root, env=environment)

    def git(self, *words: str) -> str:
        result = self.run_it("git", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def test_a_release(self) -> None:
        result = self.run_it("tools/release", "2.3.4")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex((self.root / "CHANGELOG.md").read_text(), r"\n## \[2\.3\.4\] - \d{4}-\d\d-\d\d\n\n- New")
        self.assertEqual(self.git("log", "-1", "--format=%s", "v2.3.4"), "Release 2.3.4\n")
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertTrue((self.root / "dist/files").exists())
        self.assertIn("v2.3.4 has been released", self.run_it("tools/release", "2.3.4").stderr)
        self.assertIn("no unreleased section", self.run_it("tools/release", "2.3.5").stderr)

    def test_nothing_is_released_from_a_dirty_tree(self) -> None:
        (self.root / "source.txt").write_text("more\n")
        self.assertIn("uncommitted changes", self.run_it("tools/release", "2.3.4").stderr)
        self.assertEqual(self.run_it("tools/release", "2.3").returncode, 2)

    def test_commits_that_do_not_build(self) -> None:
        self.git("tag", "v1.0.0")
        self.assertIn("1 commits, 0 failures", self.run_it("tools/each_commit").stdout)
        for text in ("first\n", "BROKEN\n", "last\n"):
            (self.root / "source.txt").write_text(text)
            self.commit(f"Write {text.strip()}")
        result = self.run_it("tools/each_commit")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"(?s)ok: \w+ Write first\n.*FAILED: \w+ Write BROKEN\n.*ok: \w+ Write last\n.*3 commits, 1 failures")
        self.assertIn("1 commits, 0 failures", self.run_it("tools/each_commit", "--count", "1").stdout)
        self.assertEqual(self.git("worktree", "list").count("\n"), 1)

    def test_archive_recipes_and_sums(self) -> None:
        made = []
        for url in ("https://example.org/a", "https://example.org/a"):
            result = self.run_it("tools/dist", "source", "recipes", "sums", FINGERPOST_URL=url)
            self.assertEqual(result.returncode, 0, result.stderr)
            made.append((self.root / "dist/SHA256SUMS").read_text())
        self.assertEqual(made[0], made[1])
        version = self.run_it("tools/version").stdout.strip()
        names = {line.split()[1] for line in made[0].splitlines()}
        self.assertEqual(names, {"Containerfile", f"fingerpost-{version}-recipes.tar.gz", f"fingerpost-{version}-source.tar.gz"})
        recipe = self.run_it("tar", "xzOf", f"dist/fingerpost-{version}-recipes.tar.gz", "conan/conandata.yml").stdout
        self.assertIn(f'url: "https://example.org/a/fingerpost-{version}-source.tar.gz"\n', recipe)
        self.assertIn(next(line for line in made[0].splitlines() if line.endswith("-source.tar.gz")).split()[0], recipe)
        self.assertEqual(self.run_it("tools/dist", "everything").returncode, 2)


if __name__ == "__main__":
    unittest.main()
