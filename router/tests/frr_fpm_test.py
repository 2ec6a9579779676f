#!/usr/bin/env python3
"""Real FRR feeds the FPM server: the decoded routes equal those that zebra shows, for both modules, after changes and restarts.

Everything is in two network namespaces and a temporary folder, with separate sockets and process ids. Needs root,
FRR, and the program print_routes ($FINGERPOST_PRINT_ROUTES). Exit status 77: skipped.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

DAEMONS = Path("/usr/lib/frr")
PORT = 2620
QUIET_MS = 1500
LIMIT_MS = 30000
ROUTES = 600
# The IPv4 gateway that zebra uses in place of an IPv6 one if it does not use a next-hop group.
STAND_IN = "169.254.0.1"

Table = dict[str, tuple[str, list[tuple[str | None, int, int]]]]


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def wait_for(what: str, holds: Callable[[], bool], seconds: float = 150) -> None:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.2)


class Server:
    """The FPM server, controlled over its standard input."""

    def __init__(self, program: str, space: str, log: Path) -> None:
        self.process = subprocess.Popen(
            [program, "fpm", str(PORT), str(QUIET_MS), str(LIMIT_MS), space],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log.open("w"),
            text=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == str(PORT)

    def ask(self, word: str = "all") -> dict:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def table(self) -> Table:
        routes = self.ask()["routes"]
        return {k: (v["what"], sorted((tuple(p) for p in v["paths"]), key=str)) for k, v in routes.items()}

    def statistics(self) -> dict:
        return self.ask("count")["statistics"]


class Router:
    """The daemons of one namespace, in a separate folder."""

    def __init__(self, space: str, folder: Path) -> None:
        self.space, self.folder = space, folder
        folder.mkdir()
        shutil.chown(folder, "frr", "frr")
        self.processes: dict[str, subprocess.Popen] = {}

    def start(self, daemon: str, configuration: str, *options: str) -> None:
        file = self.folder / f"{daemon}.conf"
        file.write_text(configuration)
        # Files left by a killed daemon.
        for rest in [self.folder / f"{daemon}.vty", self.folder / f"{daemon}.pid"]:
            rest.unlink(missing_ok=True)
        paths = ["-i", self.folder / f"{daemon}.pid", "-z", self.folder / "zserv.api", "--vty_socket", self.folder]
        identity = ["-u", "frr", "-g", "frr", "-P", "0", "--log", f"file:{self.folder}/{daemon}.log", "-f", file]
        command = ["ip", "netns", "exec", self.space, DAEMONS / daemon, *paths, *identity, *options]
        with (self.folder / f"{daemon}.out").open("w") as out:
            self.processes[daemon] = subprocess.Popen(list(map(str, command)), stdout=out, stderr=out)
        wait_for(f"{daemon} of {self.space}", (self.folder / f"{daemon}.vty").exists)

    def stop(self, how: int = signal.SIGTERM) -> None:
        for process in self.processes.values():
            process.send_signal(how)
        for process in self.processes.values():
            process.wait(20)
        self.processes.clear()

    def show(self, command: str) -> dict:
        return json.loads(run("vtysh", "--vty_socket", str(self.folder), "-c", command))

    def configure(self, lines: list[str]) -> None:
        file = self.folder / "changes.conf"
        file.write_text("\n".join(lines) + "\n")
        run("vtysh", "--vty_socket", str(self.folder), "-f", str(file))

    def table(self) -> Table:
        """The routes in use, as printed by the FPM server."""
        found: Table = {}
        for family in ("ip", "ipv6"):
            for where, entries in self.show(f"show {family} route json").items():
                chosen = [entry for entry in entries if entry.get("selected")]
                if chosen and not where.startswith("fe80:"):
                    found[where] = destination(chosen[0])
        return found


def destination(entry: dict) -> tuple[str, list[tuple[str | None, int, int]]]:
    hops = [hop for hop in entry["nexthops"] if hop.get("fib")]
    if any(hop.get("unreachable") for hop in hops):
        kind = "blackhole" if hops[0].get("blackhole") else "unreachable" if hops[0].get("reject") else "prohibit"
        return kind, []
    paths = [(hop.get("ip"), hop["interfaceIndex"], hop.get("weight", 1)) for hop in hops]
    return "forward", sorted(paths, key=str)


def static_routes(count: int, shift: int = 0) -> list[str]:
    """Routes of both families and of every kind that staticd supports; `shift` gives each another gateway."""
    lines = []
    for i in range(count // 2):
        four, six = f"30.{i // 256}.{i % 256}.0/24", f"2001:db8:{i + 0x1000:x}::/48"
        gateway = 2 + (i + shift) % 9
        kinds = {
            0: [(f"10.0.0.{gateway}", f"2001:db8:1::{gateway}")],
            1: [(f"10.0.0.{gateway + more}", f"2001:db8:1::{gateway + more}") for more in (0, 20)],
            2: [("blackhole", "blackhole")],
            3: [("reject", "reject")],
            4: [("left", "left")],
            5: [(f"10.0.0.{gateway} left", f"fe80::{gateway} left")],
        }
        for by_four, by_six in kinds[i % 6]:
            lines += [f"ip route {four} {by_four}", f"ipv6 route {six} {by_six}"]
    return lines


def bgp(own: int, other: int, networks: list[str]) -> str:
    """A speaker of IPv4 over IPv6, so that IPv4 routes get IPv6 gateways."""
    neighbour = f"neighbor 2001:db8:1::{other}"
    return "\n".join(
        [
            f"router bgp 6500{own}",
            f" bgp router-id 10.0.0.{own}",
            " no bgp ebgp-requires-policy",
            " no bgp network import-check",
            f" {neighbour} remote-as 6500{other}",
            f" {neighbour} capability extended-nexthop",
            f" {neighbour} timers connect 1",
            f" {neighbour} update-source 2001:db8:1::{own}",
            " address-family ipv4 unicast",
            *(f"  network {one}" for one in networks),
            f"  {neighbour} activate",
            " exit-address-family",
            "",
        ]
    )


class Test:
    def __init__(self, program: str, folder: Path) -> None:
        self.near, self.far = f"fp-frr-{os.getpid()}", f"fp-frr-{os.getpid()}-b"
        self.program, self.folder = program, folder
        self.compared = 0

    def __enter__(self) -> "Test":
        for space in (self.near, self.far):
            run("ip", "netns", "add", space)
            self.ip("link set lo up", space)
            # An address from zebra's router advertisements would become the source of BGP's connections.
            run("ip", "netns", "exec", space, "sysctl", "-qw", "net.ipv6.conf.default.accept_ra=0")
        self.ip("link add left type veth peer name right")
        self.ip(f"link set right netns {self.far}")
        for space, link, own in ((self.near, "left", 1), (self.far, "right", 2)):
            run("ip", "netns", "exec", space, "sysctl", "-qw", f"net.ipv6.conf.{link}.accept_ra=0")
            self.ip(f"link set {link} up", space)
            self.ip(f"addr add 10.0.0.{own}/24 dev {link}", space)
            self.ip(f"addr add 2001:db8:1::{own}/64 dev {link} nodad", space)
        self.ip("link add spare type veth peer name other")
        self.ip("link set other up")
        self.ip("link set spare up")
        self.ip("addr add 10.2.0.1/24 dev spare")
        self.server = Server(self.program, self.near, self.folder / "server.log")
        self.router, self.peer = Router(self.near, self.folder / "near"), Router(self.far, self.folder / "far")
        self.peer.start("zebra", "")
        self.peer.start("bgpd", bgp(2, 1, ["50.0.0.0/24", "50.0.1.0/24"]))
        return self

    def __exit__(self, *_: object) -> None:
        for router in (self.router, self.peer):
            router.stop(signal.SIGKILL)
        self.server.process.kill()
        self.server.process.wait()
        for space in (self.near, self.far):
            run("ip", "netns", "del", space)

    def ip(self, words: str, space: str = "") -> None:
        run("ip", "-n", space or self.near, *words.split())

    def start(self, module: str, configuration: str, routes: list[str]) -> None:
        self.router.start("zebra", configuration, "-M", module)
        self.router.start("staticd", "\n".join(routes) + "\n")
        self.router.start("bgpd", bgp(1, 2, []))

    def expect_equal(self, what: str, least: int, seen: Callable[[Table], Table] = lambda table: table) -> None:
        """`seen` converts zebra's table to the messages that its module is known to send."""
        expected: Table = {}
        found: Table = {}

        def equal() -> bool:
            nonlocal expected, found
            expected, found = seen(self.router.table()), self.server.table()
            return expected == found and len(found) >= least and "50.0.0.0/24" in found

        try:
            wait_for(what, equal)
        except AssertionError as error:
            differ = sorted(k for k in expected.keys() | found.keys() if expected.get(k) != found.get(k))
            shown = "".join(f"\n  {k}: zebra {expected.get(k)}, server {found.get(k)}" for k in differ[:5])
            if differ:
                shown += f"\n{json.dumps(self.router.show(f'show ip route {differ[0]} json'))}"
            shown += f"\n{self.server.statistics()}"
            counts = f"{len(expected)} and {len(found)} routes, {len(differ)} differ"
            raise AssertionError(f"{error}; {counts}{shown}") from None
        self.compared += len(found)
        print(f"ok: {what}: {len(found)} routes")

    def expect_swept(self, sweeps: int) -> None:
        wait_for(f"sweep {sweeps}", lambda: self.server.statistics()["sweeps"] == sweeps)

    def next_hop_groups(self) -> None:
        self.start("dplane_fpm_nl", f"fpm address 127.0.0.1 port {PORT}\n", static_routes(ROUTES))
        # Only the kernel can give zebra weights.
        self.ip("route add 60.0.0.0/8 nexthop via 10.0.0.7 weight 3 nexthop via 10.0.0.8 weight 200")
        self.ip("route add prohibit 61.0.0.0/8")
        self.expect_equal("dplane_fpm_nl, with next-hop groups", ROUTES)
        table = self.server.table()
        (gateway, _, _), *others = table["50.0.0.0/24"][1]
        assert gateway is not None and gateway.startswith("fe80:") and not others, "an IPv4 route by an IPv6 gateway"
        assert table["60.0.0.0/8"][1][0][2] == 3
        self.expect_swept(1)
        assert self.server.statistics()["groups"] > 10

    def changes(self) -> None:
        for turn in range(5):
            before, after = static_routes(ROUTES, turn), static_routes(ROUTES, turn + 1)
            changed = [line for line in before if line not in after]
            self.router.configure([f"no {line}" for line in changed] + [line for line in after if line not in before])
            self.expect_equal(f"{len(changed)} routes replaced", ROUTES)
        self.router.configure([f"no {line}" for line in static_routes(ROUTES, 5)[:200]])
        self.expect_equal("200 lines withdrawn", ROUTES - 200)
        spare = [f"ip route 70.0.{i}.0/24 10.2.0.{9 + i}" for i in range(20)]
        self.router.configure(spare)
        self.expect_equal("routes by the spare link", ROUTES - 180)
        self.ip("link set spare down")
        self.expect_equal("the spare link went down", ROUTES - 200)
        assert "70.0.3.0/24" not in self.server.table()
        self.ip("link set spare up")
        self.expect_equal("it came up", ROUTES - 180)

    def restart(self) -> None:
        before = self.server.table()
        sweeps = self.server.statistics()["sweeps"]
        self.router.stop(signal.SIGKILL)
        time.sleep(QUIET_MS / 1000 + 1)
        assert self.server.table() == before, "routes stay while zebra is away"
        assert not self.server.statistics()["connected"]
        fewer = static_routes(ROUTES // 3, 3)
        self.start("dplane_fpm_nl", f"fpm address 127.0.0.1 port {PORT}\n", fewer)
        self.expect_equal("after zebra was killed and started with fewer routes", ROUTES // 3)
        self.expect_swept(sweeps + 1)
        self.expect_equal("the same after the sweep", ROUTES // 3)
        # zebra finds old routes in the kernel and keeps some of them, so their number varies.
        assert len(self.server.table()) < len(before) - 50

    def without_groups(self) -> None:
        sweeps = self.server.statistics()["sweeps"]
        self.router.configure(["no fpm use-next-hop-groups"])
        wait_for("a new connection", lambda: self.server.statistics()["in_refresh"])
        self.expect_swept(sweeps + 1)
        self.expect_equal("dplane_fpm_nl, without next-hop groups", ROUTES // 3, without_ipv6_gateways)
        assert self.server.ask("count")["groups"] == 0

    def older_module(self) -> None:
        sweeps = self.server.statistics()["sweeps"]
        self.router.stop()
        self.start("fpm:netlink", "", static_routes(ROUTES, 2))
        wait_for("a connection", lambda: self.server.statistics()["connected"])
        self.expect_swept(sweeps + 1)
        self.expect_equal("the older module fpm", ROUTES, as_the_older_module_sends)


def without_ipv6_gateways(table: Table) -> Table:
    def seen(where: str, gateway: str | None) -> str | None:
        return STAND_IN if ":" not in where and gateway is not None and ":" in gateway else gateway

    return {
        where: (what, sorted(((seen(where, g), i, w) for g, i, w in paths), key=str))
        for where, (what, paths) in table.items()
    }


def as_the_older_module_sends(table: Table) -> Table:
    """The module writes the weight of one of several paths where netlink expects the weight minus one."""
    plain = without_ipv6_gateways(table)
    return {
        where: (what, sorted(((g, i, w + 1 if len(paths) > 1 else w) for g, i, w in paths), key=str))
        for where, (what, paths) in plain.items()
    }


def main() -> int:
    program = os.environ.get("FINGERPOST_PRINT_ROUTES", "")
    if os.geteuid() != 0 or not (DAEMONS / "zebra").exists() or not shutil.which("vtysh"):
        print("SKIPPED: FRR feeds no FPM server here: that needs root and FRR", file=sys.stderr)
        return 77
    if not Path(program).is_file():
        print("FINGERPOST_PRINT_ROUTES names no program", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="fp-frr-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with Test(program, folder) as test:
            try:
                test.next_hop_groups()
                test.changes()
                test.restart()
                test.without_groups()
                test.older_module()
                statistics = test.server.statistics()
                assert statistics["errors"] == 0 and statistics["unsupported"] == 0, statistics
            except (AssertionError, RuntimeError) as error:
                print(f"FAILED: {error}\n{(folder / 'server.log').read_text()}", file=sys.stderr)
                return 1
            print(f"{test.compared} routes compared with zebra's; {statistics}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
