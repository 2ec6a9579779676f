"""Adds made-up routes of an interior gateway protocol to an IPv4 table: /25 to /32 in a few /16 of one network.

    python3 -m evaluation.tools.igp_routes TABLE ROUTES OUTPUT [--seed N] [--networks N]

A backbone router has routes for links and hosts of its own network besides those of the Internet: point-to-point links (/30, /31), hosts
and loopbacks (/32), and small subnets (/25 to /29). Recorded Internet tables have almost none.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from .tables import Prefix, read, write_v4

LENGTHS = {25: 4, 26: 8, 27: 8, 28: 10, 29: 15, 30: 25, 31: 5, 32: 25}


def made_up(networks: list[Prefix], count: int, draw: random.Random) -> set[Prefix]:
    routes: set[Prefix] = set()
    lengths = list(LENGTHS)
    while len(routes) < count:
        length = draw.choices(lengths, weights=list(LENGTHS.values()))[0]
        value, shorter = networks[draw.randrange(len(networks))]
        bits = draw.getrandbits(length - shorter) << (32 - length)
        routes.add((value | bits, length))
    return routes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("routes", type=int)
    parser.add_argument("output", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", type=int, default=16, help="routes of length 16 below which the new ones lie")
    arguments = parser.parse_args()
    width, prefixes = read(arguments.table)
    own = [prefix for prefix in prefixes if prefix[1] == 16]
    if width != 32 or len(own) < arguments.networks:
        parser.error(f"{arguments.table} is not an IPv4 table with {arguments.networks} routes of length 16")
    draw = random.Random(arguments.seed)
    write_v4(arguments.output, set(prefixes) | made_up(draw.sample(own, arguments.networks), arguments.routes, draw))
    return 0


if __name__ == "__main__":
    sys.exit(main())
