#!/usr/bin/env python3
"""Tests tools/c_abi: additions to the C interface pass; changes and removals are refused until the version number has risen."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = ("tools/c_abi", "capi/fingerpost.h", "cmake/FingerpostCapi.cmake", "tests/abi/fingerpost.abi")
NEW = "int fingerpost_new_function(int number);\n"
RECLAIM = "void fingerpost_reclaim(fingerpost_table* table);\n"
# The change to the header, and whether it breaks programs.
CHANGES = {
    "nothing": ("", "", False),
    "an addition": (RECLAIM, RECLAIM + NEW, False),
    "a new constant": ("    FINGERPOST_OK = 0,\n", "    FINGERPOST_OK = 0,\n    FINGERPOST_NEW = 99,\n", False),
    "another comment": ("Any thread.", "Any thread at all.", False),
    "a removal": (RECLAIM, "", True),
    "another parameter": (RECLAIM, RECLAIM.replace(")", ", int how)"), True),
    "another member": ("    size_t added;\n", "    size_t added;\n    size_t equal;\n", True),
    "another constant": ("FINGERPOST_DAMAGED = 9", "FINGERPOST_DAMAGED = 10", True),
}


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([folder / "tools/c_abi", *words], capture_output=True, text=True, check=False)


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"c_abi_test: {words}")


def main() -> int:
    if shutil.which("abidiff") is None:
        print("c_abi_test: skipped, as abidiff is missing (tools/setup test)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in FILES:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, folder / file)
        header, number = folder / "capi/fingerpost.h", folder / "cmake/FingerpostCapi.cmake"
        text = header.read_text(encoding="utf-8")
        for what, (before, after, breaks) in CHANGES.items():
            want(before in text, f"{what}: the header has no {before!r}")
            header.write_text(text.replace(before, after, 1) if before else text, encoding="utf-8")
            done = run(folder, "--check")
            want((done.returncode != 0) == breaks, f"{what}: {done.stdout}{done.stderr}")
        # The last change may be recorded after the number has risen, and not before.
        want(run(folder).returncode == 1, "a change is described under the same number")
        number.write_text(re.sub(r"FINGERPOST_ABI \d+", "FINGERPOST_ABI 99", number.read_text(encoding="utf-8")), encoding="utf-8")
        want("does not describe libfingerpost.so.99" in run(folder, "--check").stderr, "the old description serves")
        want(run(folder).returncode == 0 and run(folder, "--check").returncode == 0, "the new description does not serve")
    print(f"c_abi_test: {len(CHANGES)} changes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
