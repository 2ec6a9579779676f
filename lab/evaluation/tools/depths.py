"""Prints how deep walks in the binary trie of an IPv4 table go, for the whole address space and for skewed traffic.

    python3 -m evaluation.tools.depths TABLE...

A walk is deeper than N when it follows more than N bits. `count = "levels"` counts the root as the first level, so a walk that
follows N bits is deeper than N.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from .tables import nodes_by_depth, read, walk_depth, zipf_addresses

ADDRESSES = 100_000


def rows(path: Path) -> list[dict[str, object]]:
    width, prefixes = read(path)
    nodes = nodes_by_depth(prefixes, width)
    drawn = [walk_depth(prefixes, address, width) for address in zipf_addresses(prefixes, width, ADDRESSES, 1)]
    result: list[dict[str, object]] = []
    for counted, first in (("bits", 1), ("levels", 0)):
        for limit in (18, 24):
            depth = limit + first
            same = {"table": path.name.split(".txt")[0], "routes": len(prefixes), "counted": counted, "deeper_than": limit}
            result.append(same | {"series": "address space", "walks_percent": 100 * nodes[depth] / 2**depth})
            result.append(same | {"series": "skewed traffic", "walks_percent": 100 * sum(walk >= depth for walk in drawn) / ADDRESSES})
    return result


def main() -> int:
    json.dump({"rows": [row for name in sys.argv[1:] for row in rows(Path(name))]}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
