"""Prints the share of the addresses of workload `uniform` that have a route.

    python3 -m evaluation.tools.coverage TABLE...

The workload draws from 2000::/3, or from 1.0.0.0 to 223.255.255.255.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from .tables import read

RANGES = {128: (0x2 << 124, (0x4 << 124) - 1), 32: (1 << 24, (224 << 24) - 1)}


def covered(prefixes: list[tuple[int, int]], width: int, low: int, high: int) -> int:
    """Returns how many addresses of a range have a route. A prefix inside an earlier one adds none."""
    total = 0
    end = low - 1
    for value, length in prefixes:
        last = min(value | ((1 << (width - length)) - 1), high)
        first = max(value, end + 1)
        if last >= first:
            total += last - first + 1
            end = last
    return total


def row(path: Path) -> dict[str, object]:
    width, prefixes = read(path)
    low, high = RANGES[width]
    percent = 100 * covered(prefixes, width, low, high) / (high - low + 1)
    return {"series": "uniform", "table": path.name.split(".txt")[0], "routes": len(prefixes), "answered_percent": percent}


def main() -> int:
    json.dump({"rows": [row(Path(name)) for name in sys.argv[1:]]}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
