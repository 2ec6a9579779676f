#!/usr/bin/env python3
"""Tests tools/man_pages: pages of section 3 match the header, groff accepts all pages, and a stale page is reported."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def check_stale(faults: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for part in ("tools/man_pages", "tools/version", "capi/fingerpost.h", "CMakeLists.txt"):
            (copy / part).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / part, copy / part)
        shutil.copytree(ROOT / "man", copy / "man")
        header = copy / "capi/fingerpost.h"
        text = header.read_text(encoding="utf-8")
        header.write_text(text.replace("Wait-free.", "Never waits."), encoding="utf-8")
        done = run(copy / "tools/man_pages", "--check")
        if done.returncode != 1 or "man/man3/fingerpost_lookup.3 is stale" not in done.stderr:
            faults.append(f"a changed comment was not found: {done.stderr}")
        if run(copy / "tools/man_pages").returncode != 0 or run(copy / "tools/man_pages", "--check").returncode != 0:
            faults.append("pages written anew are stale")


def main() -> int:
    faults: list[str] = []
    done = run(ROOT / "tools/man_pages", "--check")
    if done.returncode != 0:
        faults.append(done.stderr)
    check_stale(faults)
    if shutil.which("groff"):
        for page in sorted((ROOT / "man").rglob("*.[13]")):
            done = run("groff", "-man", "-Tascii", "-ww", "-z", page)
            if done.returncode != 0 or done.stderr:
                faults.append(f"{page.name}: {done.stderr}")
    for fault in faults:
        print(f"man_pages_test: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
