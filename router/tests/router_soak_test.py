#!/usr/bin/env python3
"""Runs a router for a long time: packets of all kinds, changing routes, and route sources that disappear and come back.

Each round consists of:
  - packets of all kinds (oracle/generator.py), among them some with a fixed path. All of the latter must leave by the right
    port, byte by byte, even while routes change, while their source is away and while stale ones are swept;
  - changes of routes, next-hop objects, neighbours, addresses and links;
  - a restart of the source with another table, and an input that the router must refuse or repair;
  - a pause: the router has exactly the routes that it was given, probes follow them, and its counters add up. Its
    memory, descriptors, threads and packet buffers are then checked.
At the end all routes are withdrawn, nothing may be left of them, and SIGTERM must end the router.

Usage: router_soak_test.py fpm|kernel|file   the source of routes; each is tested with a different run mode

Environment:
    FINGERPOST_ROUTER         the program
    FINGERPOST_SOAK_SECONDS   duration of the rounds, 20 by default
    FINGERPOST_SOAK_SEED      1 by default

Exit status 77: skipped.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from kernel_oracle_test import why_not
from oracle import networks
from soak.feeds import FEEDS, feed
from soak.tables import told
from soak.traffic import STEADY, traffic
from soak.watched_router import sample, wait_for, watched_router

CHANGING_SECONDS = 2.0  # of traffic and changes, before the source's restart
CHANGES_AT_ONCE = 60
FEWEST_ROUNDS = 4
PROBES = 100
# Memory in the pauses of the last third of the rounds is compared with that of the third before; until then it warms
# up. Between pauses it varies with table sizes and with the memory that malloc keeps.
GROWTH_KIB = 1024
SHOWN = 12


class soak:
    def __init__(self, router: watched_router, source: feed, seed: int) -> None:
        self.router, self.source = router, source
        self.packets = traffic(router, seed)
        self.samples: list[sample] = []
        self.changes = self.probes = 0

    def run(self, seconds: float) -> None:
        self.source.begin()
        self.wait_until_it_forwards()
        empty = self.router.metrics()["fingerpost_next_hops"]
        start = time.monotonic()
        while time.monotonic() < start + seconds or len(self.samples) < FEWEST_ROUNDS:
            self.round(len(self.samples))
        if len(self.samples) % 2:
            self.change_the_kernel(len(self.samples))
        self.source.withdraw_all()
        self.wait_for_the_table()
        wait_for("no more next hops than before", lambda: self.router.metrics()["fingerpost_next_hops"] <= empty)
        self.source.end()
        self.router.settled()
        self.report(time.monotonic() - start)
        self.expect_flat()
        self.router.has_left_nothing()

    def wait_until_it_forwards(self) -> None:
        wait_for("link-local addresses", self.router.has_link_local_addresses)
        for to in STEADY:
            wait_for(
                f"a route to {to}", lambda: self.router.telemetry(f"/fingerpost/lookup,{to}")["action"] == "forward"
            )

    def round(self, number: int) -> None:
        end = time.monotonic() + CHANGING_SECONDS
        while time.monotonic() < end:
            self.changes += self.source.change(CHANGES_AT_ONCE)
            self.packets.window()
        self.change_the_kernel(number)
        self.source.restart(self.packets.window)
        if number % 2:
            self.source.disturb(self.packets.window)
        self.wait_for_the_table()
        self.probes += self.packets.probe(self.source.routes, PROBES)
        self.packets.take_the_rest()
        self.samples.append(self.router.sample(self.samples[0].descriptors if self.samples else None))
        if self.samples[-1].packets != self.packets.sent:
            raise AssertionError(f"{self.packets.sent} packets sent, {self.samples[-1].packets} received")

    def change_the_kernel(self, number: int) -> None:
        """Adds or removes an address and a neighbour, and takes a link down and up again, while packets pass."""
        verb = "add" if number % 2 == 0 else "del"
        self.batch(
            [
                f"addr {verb} 10.77.0.1/24 dev fp2",
                f"addr {verb} 2001:db8:77::1/64 dev fp2 nodad",
                f"neigh {verb} 10.0.1.77 lladdr 02:00:00:00:04:77 dev fp1",
                "link set fp3 down",
            ]
        )
        self.packets.window()
        # Linux forgets the routes of a link that went down.
        again = [line for line in networks.ROUTES if line.endswith("via 10.0.3.2")]
        self.batch(
            ["link set fp3 up"]
            + [f"neigh replace 10.0.3.{h} lladdr 02:00:00:00:06:0{h} dev fp3 nud permanent" for h in networks.HOSTS]
            + [f"route replace {line}" for line in again]
        )
        self.packets.window()

    def batch(self, lines: list[str]) -> None:
        networks.batch(self.router.middle, lines)

    def wait_for_the_table(self) -> None:
        wanted = self.source.routes.wording()
        found = {}

        def is_equal() -> bool:
            nonlocal found
            found = told(self.router.ask("routes"))
            return found == wanted

        def are_followed() -> bool:
            metrics = self.router.metrics()
            return not any(metrics[one] for one in metrics if one.startswith("fingerpost_pending_changes"))

        try:
            wait_for("the source's table", is_equal)
            wait_for("packets follow it", are_followed)
        except AssertionError as error:
            differ = sorted(k for k in wanted.keys() | found.keys() if wanted.get(k) != found.get(k))
            shown = "".join(f"\n  {k}: told {wanted.get(k)}, has {found.get(k)}" for k in differ[:SHOWN])
            counts = f"{len(wanted)} routes told, {len(found)} there, {len(differ)} differ"
            raise AssertionError(f"{error}; {counts}{shown}") from None

    def report(self, seconds: float) -> None:
        step = max(1, len(self.samples) // SHOWN)
        for one in self.samples[::step]:
            print(one)
        print(self.samples[-1])
        metrics = self.router.metrics()
        counts = {name.split("_")[1]: int(metrics[name]) for name in metrics if name.endswith("_packets_total")}
        print(f"counted: {counts}, dropped: {({k: v for k, v in self.router.drops().items() if v})}")
        print(
            f"{len(self.samples)} rounds in {seconds:.0f} s: {self.packets.sent} packets sent, {self.packets.came_out} "
            f"came out, {self.packets.steady} of them on ways that never change, {self.probes} probes forwarded; "
            f"{self.changes} changes, {self.source.restarts} restarts, {self.source.faults} faults"
        )

    def expect_flat(self) -> None:
        third = len(self.samples) // 3
        middle, last = self.samples[-2 * third : -third], self.samples[-third:]
        before, after = (statistics.median(one.kib for one in part) for part in (middle, last))
        print(f"memory: {before:.0f} KiB, then {after:.0f} KiB")
        if after - before > GROWTH_KIB:
            raise AssertionError(f"memory grew by {after - before:.0f} KiB")
        for what in ("descriptors", "threads", "buffers"):
            seen = {getattr(one, what) for one in self.samples}
            if len(seen) != 1:
                raise AssertionError(f"{what} vary: {sorted(seen)}")


def test(program: str, source: str, folder: Path) -> bool:
    seconds = float(os.environ.get("FINGERPOST_SOAK_SECONDS", "20"))
    seed = int(os.environ.get("FINGERPOST_SOAK_SEED", "1"))
    router = watched_router(f"fp-so-{os.getpid()}", program, folder, source)
    feeding = FEEDS[source](router, seed)
    print(f"{seconds:.0f} s, source {source}, mode {router.mode}, seed {seed}", flush=True)
    with router:
        try:
            soak(router, feeding, seed).run(seconds)
        except AssertionError as error:
            print(f"counted: {({k: v for k, v in router.metrics().items() if v})}")
            said = router.log.read_text().splitlines()[-SHOWN:]
            print(f"FAILED: {error}\nThe router said last:\n" + "\n".join(said), flush=True)
            return False
    return True


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in FEEDS:
        print(f"usage: router_soak_test.py {'|'.join(FEEDS)}", file=sys.stderr)
        return 2
    if reason := why_not():
        print(f"SKIPPED: router_soak_test {reason}", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-so-") as name:
        return 0 if test(os.environ["FINGERPOST_ROUTER"], sys.argv[1], Path(name)) else 1


if __name__ == "__main__":
    sys.exit(main())
