"""Times `fingerpost lookup` from a file of addresses to a file of answers.

    python3 -m evaluation.tools.program_rate TABLE ADDRESSES

The addresses are within random routes of the table, and each must get an answer. The result is the time of the whole process minus that
of one that answers a single address, so loading the table does not count.
"""

from __future__ import annotations

import ipaddress
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .tables import read


def seconds(program: str, table: str, addresses: Path, answers: Path) -> float:
    begun = time.monotonic()
    with addresses.open() as queries, answers.open("w") as out:
        subprocess.run([program, "lookup", "--table", table, "--format", "csv", "-"], stdin=queries, stdout=out, check=True)
    return time.monotonic() - begun


def main() -> int:
    table, count = sys.argv[1], int(sys.argv[2])
    width, prefixes = read(Path(table))
    draw = random.Random(1)
    text = ipaddress.IPv6Address if width == 128 else ipaddress.IPv4Address
    with tempfile.TemporaryDirectory() as folder:
        addresses, entry, answers = (Path(folder) / name for name in ("addresses", "one", "answers"))
        with addresses.open("w") as out:
            for _ in range(count):
                value, length = prefixes[draw.randrange(len(prefixes))]
                out.write(f"{text(value | draw.getrandbits(width - length) if length < width else value)}\n")
        entry.write_text(f"{text(prefixes[0][0])}\n")
        program = os.environ["FINGERPOST"]
        start = seconds(program, table, entry, answers)
        used = seconds(program, table, addresses, answers) - start
        with answers.open() as lines:
            arguments = sum(1 for _ in lines) - 1  # without the header
    row = {"series": "fingerpost lookup", "table": Path(table).name.split(".txt")[0], "rows": count, "checked": count}
    json.dump({"rows": [row | {"wrong": abs(count - arguments), "rows_per_second": count / used}]}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
