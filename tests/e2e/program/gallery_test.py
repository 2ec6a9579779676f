#!/usr/bin/env python3
"""The gallery, the links to it on the schemes' pages and the pictures in README.md match the program's drawings."""

import os
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parent.parent.parent.parent / "lab/gallery/draw"


def main() -> None:
    done = subprocess.run([TOOL, "--check", os.environ["FINGERPOST"]], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"gallery_test: {done.stdout}{done.stderr}")
    print(f"gallery_test: {done.stdout.strip()}")


if __name__ == "__main__":
    main()
