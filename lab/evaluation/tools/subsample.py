"""Draws a smaller IPv4 table from a larger one, with a given share of /24 and without longer prefixes.

    python3 -m evaluation.tools.subsample TABLE ROUTES PERCENT_OF_24 OUTPUT [--seed N] [--blocks]

The other lengths keep their relative shares. With --blocks whole /16 are drawn, so that the routes are as dense as in the larger table.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from .tables import read, write_v4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("routes", type=int)
    parser.add_argument("percent_of_24", type=float, help="a negative one keeps the table's own share")
    parser.add_argument("output", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--blocks", action="store_true", help="take all routes of a /16 before those of the next one")
    arguments = parser.parse_args()
    width, prefixes = read(arguments.table)
    if width != 32:
        parser.error(f"{arguments.table} is not an IPv4 table")
    draw = random.Random(arguments.seed)
    long = [prefix for prefix in prefixes if prefix[1] == 24]
    short = [prefix for prefix in prefixes if prefix[1] < 24]
    share = len(long) / (len(long) + len(short)) if arguments.percent_of_24 < 0 else arguments.percent_of_24 / 100
    of_24 = round(arguments.routes * share)
    if of_24 > len(long) or arguments.routes - of_24 > len(short):
        parser.error(f"{arguments.table} has {len(long)} routes of length 24 and {len(short)} shorter ones: too few")
    if arguments.blocks:
        blocks = sorted({value >> 16 for value, _ in prefixes})
        order = {block: at for at, block in enumerate(draw.sample(blocks, len(blocks)))}
        long.sort(key=lambda prefix: order[prefix[0] >> 16])
        short.sort(key=lambda prefix: order[prefix[0] >> 16])
        write_v4(arguments.output, long[:of_24] + short[: arguments.routes - of_24])
        return 0
    write_v4(arguments.output, draw.sample(long, of_24) + draw.sample(short, arguments.routes - of_24))
    return 0


if __name__ == "__main__":
    sys.exit(main())
