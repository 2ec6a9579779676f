#!/usr/bin/env python3
"""A real daemon feeds the router a whole table, changes it thousands of times, is killed and comes back, while packets flow.

    feeds_test.py dplane_fpm_nl | fpm | bird        zebra with one of its FPM modules, or BIRD through the kernel's tables
    feeds_test.py bgp                               zebra and bgpd, which are killed; BGP converges late

There are two oracles: the table that the daemon itself shows, and the routes put into it. A route lost by the daemon can thus be
distinguished from one lost by the router. All tables are compared as a whole, and again until they are equal or time is up.

$FINGERPOST_ROUTER is the router. $FINGERPOST_FEED_ROUTES is the number of routes generated for each family, or `all` for the whole
of tier1-v4 and tier1-v6 in $FINGERPOST_DATA/fib. $FINGERPOST_FEED_FLAPS is the number of changes. Exit status 77: skipped.
"""

import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from feeds.bgp_restart import QUIET_SECONDS, bgp_restart
from feeds.network import Network, before_others, wait_for
from feeds.sources import FRR, Bird, Source, Zebra
from feeds.tables import REAL, Model, Table, Target, leaves, made_prefixes, mac_of, real_prefixes

ROUTES = os.environ.get("FINGERPOST_FEED_ROUTES", "3000")
FLAPS = int(os.environ.get("FINGERPOST_FEED_FLAPS", "4000"))
FLAPS_A_TURN = 1000
WHOLE = ROUTES == "all"
SECONDS = 300 if WHOLE else 60
PACKETS_A_SECOND = 1000
# Routes whose packets are counted, for each family; those with several paths have many flows each.
SINGLE, MULTIPLE, FLOWS = 80, 3, 120


def stable_routes(model: Model) -> list[dict]:
    """Gives some routes permanent targets, and returns flows of packets that follow them."""
    flows = []
    for family, targets in model.targets.items():
        of_family = [prefix for prefix in model.all if (":" in prefix) == (family == 6)]
        chosen = model.chance.sample(leaves(of_family), SINGLE + MULTIPLE)
        lasting = dict(zip(chosen, model.chance.sample(targets.multiple, MULTIPLE) + targets.single * 2))
        model.keep_stable(chosen, lasting)
        for prefix, target in lasting.items():
            to = prefix.partition("/")[0]
            ways = [[int(path.port[2:]), mac_of(int(path.port[2:]), host_of(path.gateway))] for path in target.paths]
            for i in range(FLOWS if len(ways) > 1 else 1):
                source = "10.0.0.2" if family == 4 else "2001:db8::2"
                flows.append({"source": source, "to": to, "port": 1024 + i, "ways": ways, "prefix": prefix})
    return flows


def host_of(gateway: str) -> int:
    return int(gateway.rpartition(":")[2], 16) if ":" in gateway else int(gateway.rpartition(".")[2])


class Traffic:
    """Counted packets, sent by another process."""

    def __init__(self, network: Network, flows: list[dict]) -> None:
        program = Path(__file__).parent / "feeds/traffic.py"
        self.flows = flows
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", network.far, sys.executable, str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=before_others,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        wanted = {"rate": PACKETS_A_SECOND, "into": mac_of(0, 1), "flows": flows}
        self.process.stdin.write(json.dumps(wanted) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ready\n", "no traffic"

    def __enter__(self) -> "Traffic":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> dict:
        answer, _ = self.process.communicate(timeout=60)
        return json.loads(answer)


class Test:
    def __init__(self, network: Network, source: Source, model: Model) -> None:
        self.network, self.source, self.model = network, source, model
        self.own = network.table().keys()
        self.compared = self.flapped = 0
        self.started = time.monotonic()

    def say(self, what: str) -> None:
        print(f"{time.monotonic() - self.started:7.1f} s: {what}", flush=True)

    def found(self) -> dict[str, str]:
        return {prefix: text for prefix, text in self.network.table().items() if prefix not in self.own}

    def expect_equal(self, what: str) -> None:
        wanted = len(self.model.table) + len(self.own)
        count = 0

        def as_many() -> bool:
            nonlocal count
            count = self.network.counts()["fingerpost_routes"]
            return count == wanted

        try:
            wait_for(what, as_many, SECONDS)
        except AssertionError as error:
            raise AssertionError(f"{error}: {count} routes instead of {wanted}; {self.differences()}") from None
        end = time.monotonic() + SECONDS
        while wrong := self.differences():
            assert time.monotonic() < end, f"{what}: {wrong}"
            time.sleep(0.5)
        self.compared += 1
        self.say(f"{what}: {len(self.model.table)} routes are equal")

    def differences(self) -> str:
        """Differences between the router and the input, and between the daemon's table and the input; empty if there are none."""
        put = {prefix: target.text for prefix, target in self.model.table.items()}
        sent = {prefix: self.source.as_sent(target).text for prefix, target in self.model.table.items()}
        told = [
            f"{who}: {len(wrong)} routes differ, as {prefix}: {found.get(prefix)}, put in: {put.get(prefix)}"
            for who, found, expected in (("router", self.found(), sent), ("daemon", self.source.table(), put))
            if found != expected
            for wrong in [[p for p in found.keys() | expected.keys() if found.get(p) != expected.get(p)]]
            for prefix in wrong[:3]
        ]
        return "; ".join(told)

    def learn(self) -> None:
        before = self.network.memory()
        self.source.put(self.model.table)
        self.say("put in")
        start = time.monotonic()
        self.source.start()
        goal = len(self.model.table) + len(self.own)
        wait_for("learning", lambda: self.network.counts()["fingerpost_routes"] >= goal, SECONDS)
        self.say(f"{len(self.model.table)} routes learned in {time.monotonic() - start:.1f} s")
        self.expect_swept(1)
        self.expect_equal("learned")
        used = self.network.memory() - before
        self.say(f"{used / len(self.model.table):.0f} bytes of the router's memory a route")

    def expect_swept(self, sweeps: int) -> None:
        if self.source.routes == "fpm":
            wait_for(f"sweep {sweeps}", lambda: self.network.sweeps() >= sweeps, SECONDS)

    def flap(self, turns: int) -> None:
        for _ in range(turns):
            before = dict(self.model.table)
            changes = list(self.model.flaps(FLAPS_A_TURN, self.source.distinct_flaps))
            self.source.change(before, self.model.table, changes)
            self.flapped += len(changes)
            self.expect_equal(f"after {self.flapped} flaps")

    def restart(self) -> None:
        kept = self.found()
        self.source.kill()
        self.say("the daemon is killed")
        before = dict(self.model.table)
        changes = list(self.model.flaps(FLAPS_A_TURN, True))
        self.source.change(before, self.model.table, changes)
        time.sleep(2)
        assert self.found() == kept, "the routes stay while the daemon is away"
        swept = self.network.counts()["fingerpost_swept_routes_total"]
        start = time.monotonic()
        self.source.start()
        self.expect_swept(2)
        self.say(f"it is back, and the router has swept after {time.monotonic() - start:.1f} s")
        self.expect_equal("after a restart with other routes")
        if self.source.routes == "fpm":
            gone = len(kept.keys() - self.model.table.keys())
            swept = self.network.counts()["fingerpost_swept_routes_total"] - swept
            assert swept == gone > 0, f"{swept} routes swept, {gone} were withdrawn while the daemon was away"


def check_traffic(report: dict, flows: list[dict], sent: Callable[[Target], Target], table: Table) -> None:
    assert not report["astray"], f"packets by a wrong way: {report['astray']}"
    assert report["lost"] == report["twice"] == 0, {key: report[key] for key in report if key != "ways"}
    shares: dict[str, dict[tuple[int, str], int]] = {}
    for flow, ways in zip(flows, report["ways"]):
        assert len(ways) == 1, f"a flow to {flow['to']} changed its path: {ways}"
        port, to = next(iter(ways)).split()
        of_route = shares.setdefault(flow["prefix"], {})
        of_route[int(port), to] = of_route.get((int(port), to), 0) + 1
    several = {prefix: ways for prefix, ways in shares.items() if len(table[prefix].paths) > 1}
    assert len(several) == 2 * MULTIPLE
    for prefix, ways in several.items():
        paths = sent(table[prefix]).paths
        total = sum(path.weight for path in paths)
        for path in paths:
            share = path.weight / total
            found = ways.get((int(path.port[2:]), mac_of(int(path.port[2:]), host_of(path.gateway))), 0)
            # Flows are distributed at random: allow five times the usual deviation.
            room = 5 * math.sqrt(FLOWS * share * (1 - share))
            assert abs(found - FLOWS * share) < room, f"{found} of {FLOWS} flows to {prefix} take {path}"


def prefixes() -> list[str]:
    if WHOLE:
        folder = Path(os.environ["FINGERPOST_DATA"]) / "fib"
        return [prefix for family in REAL for prefix in real_prefixes(folder, family)]
    chance = random.Random(17)
    return [prefix for family in REAL for prefix in made_prefixes(family, int(ROUTES), chance)]


def why_not(feed: str) -> str:
    if os.geteuid() != 0:
        return "needs root"
    if not Path(os.environ.get("FINGERPOST_ROUTER", "")).is_file():
        return "needs fingerpost-router ($FINGERPOST_ROUTER)"
    if not os.path.exists("/dev/net/tun"):
        return "needs /dev/net/tun"
    if feed == "bird" and not shutil.which("bird"):
        return "needs BIRD 2"
    if feed != "bird" and not ((FRR / "zebra").exists() and shutil.which("vtysh")):
        return "needs FRR"
    data = Path(os.environ.get("FINGERPOST_DATA", ""))
    if WHOLE and not all((data / "fib" / name).is_file() for name in REAL.values()):
        return f"needs the tables {' and '.join(REAL.values())} in {data}/fib ($FINGERPOST_DATA)"
    return ""


def test_bgp(folder: Path) -> None:
    with Network(os.environ["FINGERPOST_ROUTER"], folder, "fpm", f"{int(QUIET_SECONDS * 1000)}ms", 95) as network:
        print(bgp_restart(network, folder, Traffic), flush=True)


def test(feed: str, folder: Path) -> None:
    model = Model(prefixes(), 17)
    flows = stable_routes(model)
    routes, quiet_time = ("kernel", "") if feed == "bird" else ("fpm", "5s" if WHOLE else "1500ms")
    with Network(os.environ["FINGERPOST_ROUTER"], folder, routes, quiet_time) as network:
        if feed == "bird":
            source: Source = Bird(network, folder / "bird", 60 if WHOLE else 5)
        else:
            source = Zebra(network, folder / "zebra", feed)
        try:
            one = Test(network, source, model)
            one.learn()
            turns = math.ceil(FLAPS / FLAPS_A_TURN)
            with Traffic(network, flows) as traffic:
                one.flap(turns // 2)
                one.restart()
                one.flap(turns - turns // 2)
                report = traffic.stop()
            report["drops"] = network.drops()
            check_traffic(report, flows, source.as_sent, model.table)
            one.say(
                f"{feed}: {one.flapped} flaps, {one.compared} whole tables compared, {report['sent']} packets sent, "
                f"{report['lost']} lost; the router has {network.memory() >> 20} MiB in memory"
            )
        except (AssertionError, RuntimeError):
            print(network.log.read_text()[-3000:], file=sys.stderr)
            raise
        finally:
            source.kill()


def main() -> int:
    feed = sys.argv[1]
    # A test that is stopped early must not leave namespaces.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if reason := why_not(feed):
        print(f"SKIPPED: feeds_test {feed} {reason}", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-feeds-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        try:
            if feed == "bgp":
                test_bgp(folder)
            else:
                test(feed, folder)
        except (AssertionError, RuntimeError) as error:
            print(f"FAILED: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
