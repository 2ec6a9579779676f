"""Draws a scheme's structure with `fingerpost lab picture` and measures the time.

    python3 -m evaluation.tools.picture TABLE SCHEME FOLDER NAME

The row names the file relative to FOLDER, which is the folder of the results.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    table, scheme, folder, name = sys.argv[1:]
    program = os.environ["FINGERPOST"]
    known = subprocess.run([program, "lab", "picture", "--help"], capture_output=True, check=False)
    if known.returncode != 0:
        json.dump({"skipped": "this program has no command `lab picture`"}, sys.stdout)
        return 0
    path = Path(folder) / "pictures" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    done = subprocess.run([program, "lab", "picture", table, "--scheme", scheme, "-o", str(path)], stdout=sys.stderr, check=False)
    if done.returncode != 0:
        return 2
    row = {"series": scheme, "table": Path(table).name.split(".txt")[0], "picture": f"pictures/{name}"}
    json.dump({"rows": [row | {"draw_seconds": time.monotonic() - begun, "file_bytes": path.stat().st_size}]}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
