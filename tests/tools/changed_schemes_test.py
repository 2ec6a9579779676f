#!/usr/bin/env python3
"""Creates small repositories and expects tools/changed_schemes to list the schemes that changed in them."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DAY = 86400
BEGIN = 1_700_000_000  # git does not accept small numbers as dates
NAMES = ["art", "lulea", "planb", "poptrie"]


class ChangedSchemes(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "tools").mkdir()
        for tool in ("changed_files", "changed_schemes"):
            shutil.copy(ROOT / "tools" / tool, self.root / "tools")
        self.git("init", "-q", "-b", "main")
        for name in NAMES:
            self.write(name)
        self.commit(when=10 * DAY)

    def git(self, *arguments: str, when: int = 10 * DAY) -> None:
        dates = {"GIT_AUTHOR_DATE": f"@{BEGIN + when} +0000", "GIT_COMMITTER_DATE": f"@{BEGIN + when} +0000"}
        who = ["-c", "user.name=a", "-c", "user.email=a@example.net", "-c", "commit.gpgsign=false"]
        command = ["git", *who, *arguments]
        subprocess.run(command, cwd=self.root, check=True, env={**os.environ, **dates}, capture_output=True)

    def write(self, scheme: str, text: str = "", below: str = "fingerpost") -> None:
        folder = self.root / below / "schemes" / scheme
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{scheme}.hpp").write_text(text)

    def commit(self, when: int) -> None:
        self.git("add", "-A", when=when)
        self.git("commit", "-q", "-m", "a change", when=when)

    def changed(self, *arguments: str) -> list[str]:
        command = ["tools/changed_schemes", *arguments]
        done = subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True)
        return [name for name in done.stdout.strip().split(",") if name]

    def test_on_main_the_last_day_counts(self) -> None:
        self.write("art", "older")
        self.commit(when=20 * DAY)
        self.write("planb", "newer")
        self.commit(when=30 * DAY)
        self.write("poptrie", "newest", below="tests")
        self.commit(when=30 * DAY + 60)
        self.assertEqual(self.changed(), ["planb", "poptrie"])

    def test_on_a_branch_what_main_has_not(self) -> None:
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.git("checkout", "-q", "-b", "branch")
        self.assertEqual(self.changed(), NAMES, "the branch is where main is, whose first day this is")
        self.write("lulea", "changed")
        self.commit(when=90 * DAY)
        self.assertEqual(self.changed(), ["lulea"])
        self.write("art", "not committed")
        self.write("new", "not even known to git")
        self.assertEqual(self.changed(), ["art", "lulea", "new"])

    def test_what_has_gone_is_not_named(self) -> None:
        self.commit_nothing(when=30 * DAY)
        shutil.rmtree(self.root / "fingerpost/schemes/art")
        self.commit(when=40 * DAY)
        self.assertEqual(self.changed(), [])

    def test_the_rotation_covers_all(self) -> None:
        seen = set()
        for i in range(3):
            self.commit_nothing(when=30 * DAY + i)
            third = self.changed("1/3")
            self.assertTrue(1 <= len(third) <= 2, third)
            seen |= set(third)
        self.assertEqual(seen, set(NAMES))

    def test_wrong_calls(self) -> None:
        for arguments in (["2"], ["1/0"], ["1/3", "1/3"]):
            done = subprocess.run(
                ["tools/changed_schemes", *arguments], cwd=self.root, capture_output=True, text=True
            )
            self.assertEqual(done.returncode, 2)
            self.assertIn("usage", done.stderr)

    def commit_nothing(self, when: int) -> None:
        self.git("commit", "-q", "--allow-empty", "-m", "nothing", when=when)


if __name__ == "__main__":
    unittest.main()
