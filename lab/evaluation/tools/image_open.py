"""Times the program from its start to the first answer, with a table as text and as a saved image.

    python3 -m evaluation.tools.image_open TABLE ADDRESS

The times are of the whole process, the medians of nine starts; both answers must be equal.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STARTS = 9


def timed(program: str, table: str, address: str) -> tuple[list[float], str]:
    times = []
    answer = ""
    for _ in range(STARTS):
        begun = time.monotonic()
        done = subprocess.run([program, "lookup", "--table", table, address], capture_output=True, text=True, check=True)
        times.append(1000 * (time.monotonic() - begun))
        answer = done.stdout
    return times, answer


def main() -> int:
    table, address = sys.argv[1:]
    program = os.environ["FINGERPOST"]
    with tempfile.TemporaryDirectory() as folder:
        image = str(Path(folder) / "table.image")
        begun = time.monotonic()
        subprocess.run([program, "image", "save", "-t", table, image], stdout=sys.stderr, check=True)
        saved = 1000 * (time.monotonic() - begun)
        rows = []
        answers = {}
        for series, path in (("text", table), ("image", image)):
            times, answers[series] = timed(program, path, address)
            low, middle, high = statistics.quantiles(times, n=4)
            row = {"series": series, "table": Path(table).name.split(".txt")[0], "rounds": STARTS, "file_bytes": Path(path).stat().st_size}
            rows.append(row | {"first_answer_ms": middle, "first_answer_ms_q1": low, "first_answer_ms_q3": high})
        rows[-1]["save_ms"] = saved
        wrong = int(answers["text"] != answers["image"])
        json.dump({"rows": [row | {"checked": 1, "wrong": wrong} for row in rows]}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
