#!/usr/bin/env python3
"""The router ends and comes back while FRR runs with a whole table: sessions, routes and packets recover by themselves.

    h0 ── fp0, the router by af_xdp, fp1 ── h1: BIRD, which announces 100,000 routes by BGP and one by OSPF
                     FRR in "middle": zebra with FPM, bgpd, ospfd

The router is killed once, and terminated once. $FINGERPOST_ROUTER is the router. Needs root, FRR and BIRD; exit status 77: skipped.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from frr_fpm_test import DAEMONS, Router, wait_for
from oracle.networks import batch
from wires.network import RouterNetwork, why_not
from xdp_test import has_xdp

ROUTES = 100_000
SECONDS = 240
BY_BGP, BY_OSPF = "20.1.2.3", "203.0.113.5"
BIRD = """router id 10.0.1.2;
protocol device {{ }}
protocol static table_of_bgp {{ ipv4;
include "{0}/routes";
}}
protocol static table_of_ospf {{ ipv4; route 203.0.113.0/24 blackhole; }}
protocol bgp {{
  local 10.0.1.2 as 65002; neighbor 10.0.1.1 as 65001; connect retry time 1; connect delay time 1; error wait time 1, 2;
  ipv4 {{ import none; export where proto = "table_of_bgp"; next hop self; }};
}}
protocol ospf v2 {{
  ipv4 {{ import none; export where proto = "table_of_ospf"; }};
  area 0 {{ interface "eth0" {{ hello 1; dead count 4; }}; }};
}}
"""
BGPD = """router bgp 65001
 bgp router-id 10.0.1.1
 no bgp ebgp-requires-policy
 neighbor 10.0.1.2 remote-as 65002
 neighbor 10.0.1.2 timers 3 9
 neighbor 10.0.1.2 timers connect 1
"""
OSPFD = """interface fp1
 ip ospf hello-interval 1
 ip ospf dead-interval 4
router ospf
 ospf router-id 10.0.1.1
 network 10.0.1.0/24 area 0
"""


class FrrNetwork(RouterNetwork):
    device = "net_af_xdp{0},iface=w{0}"

    def settings(self) -> str:
        text = super().settings().replace('routes = "kernel"', 'routes = "fpm"')
        return text.replace("megabytes = 256\nmbufs = 8192\n", "") + '[fpm]\nquiet_time = "2s"\n'

    def own_routes(self) -> int:
        return sum(n for name, n in self.metrics().items() if name.startswith('fingerpost_routes{family="IPv4"'))


class Daemons:
    def __init__(self, network: FrrNetwork, folder: Path) -> None:
        self.network, self.folder = network, folder
        self.frr = Router(network.middle, folder / "frr")
        self.bird: subprocess.Popen | None = None

    def __enter__(self) -> "Daemons":
        far = self.network.hosts[1].space
        batch(far, ["route add local 20.0.0.0/7 dev lo", "route add local 203.0.113.0/24 dev lo"])
        prefixes = (f"{20 + i // 65536}.{i // 256 % 256}.{i % 256}.0/24" for i in range(ROUTES))
        (self.folder / "routes").write_text("".join(f"route {one} blackhole;\n" for one in prefixes))
        (self.folder / "bird.conf").write_text(BIRD.format(self.folder))
        command = ["ip", "netns", "exec", far, "bird", "-f", "-c", str(self.folder / "bird.conf")]
        with (self.folder / "bird.out").open("w") as out:
            self.bird = subprocess.Popen([*command, "-s", str(self.folder / "bird.ctl")], stdout=out, stderr=out)
        self.frr.start("zebra", "fpm address 127.0.0.1 port 2620\n", "-M", "dplane_fpm_nl")
        self.frr.start("bgpd", BGPD, "-p", "0")
        self.frr.start("ospfd", OSPFD)
        return self

    def __exit__(self, *_: object) -> None:
        self.frr.stop(signal.SIGKILL)
        if self.bird is not None:
            self.bird.kill()
            self.bird.wait()

    def has_bgp(self) -> bool:
        peers = self.frr.show("show bgp ipv4 unicast summary json").get("peers", {})
        return [one["state"] for one in peers.values()] == ["Established"]

    def has_ospf(self) -> bool:
        all_of_them = self.frr.show("show ip ospf neighbor json").get("neighbors", {})
        states = [one for entries in all_of_them.values() for one in entries]
        return any("Full" in str(one.get("nbrState", one.get("state", ""))) for one in states)


def arrives(network: FrrNetwork, to: str, text: str) -> bool:
    network.hosts[0].send([text], to)
    return text in network.hosts[1].take(4, 0.2)


def forwards(network: FrrNetwork, daemons: Daemons, when: str) -> None:
    def waits(what: str, holds: Callable[[], bool]) -> None:
        try:
            wait_for(f"{what} {when}", holds, SECONDS)
        except AssertionError as error:
            shown = daemons.frr.show("show interface fp1 json")
            raise AssertionError(f"{error}: {network.own_routes()} routes, {shown}\n{network.log.read_text()}") from None

    waits("BGP", daemons.has_bgp)
    waits("OSPF", daemons.has_ospf)
    waits(f"{ROUTES} routes", lambda: network.own_routes() > ROUTES)
    waits("fresh routes", lambda: network.metrics()['fingerpost_stale_routes{source="fpm"}'] == 0)
    for to in (BY_BGP, BY_OSPF):
        waits(f"packets to {to}", lambda to=to: arrives(network, to, f"{when} {to}"))


def ends_and_returns(network: FrrNetwork, daemons: Daemons, how: int) -> None:
    assert network.process is not None
    network.process.send_signal(how)
    network.process.wait(60)
    wait_for("the end of BGP's session", lambda: not daemons.has_bgp(), SECONDS)
    wait_for("the end of OSPF's adjacency", lambda: not daemons.has_ospf(), SECONDS)
    links = {one["ifname"]: one for one in network.shown("link", "show")}
    assert {"fp0", "fp1"} <= links.keys() and "UP" in links["fp1"]["flags"], links
    network.start()
    forwards(network, daemons, f"after signal {how}")
    assert network.shown("link", "show", "fp1")[0]["ifindex"] == links["fp1"]["ifindex"]


def removes_taps(network: FrrNetwork) -> None:
    """Follows the steps of the guide."""
    assert network.process is not None
    network.process.terminate()
    network.process.wait(60)
    network.change(["link del fp0", "link del fp1"])
    assert not {one["ifname"] for one in network.shown("link", "show")} & {"fp0", "fp1"}


def main() -> int:
    reason = why_not(os.environ.get("FINGERPOST_ROUTER", "")) or ("" if has_xdp() else "needs af_xdp")
    if not (DAEMONS / "ospfd").exists() or shutil.which("bird") is None:
        reason = reason or "needs FRR and BIRD (tools/setup router)"
    if reason:
        print(f"SKIPPED: frr_restart_test {reason}", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-fr-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        network = FrrNetwork(f"fp-fr-{os.getpid()}", 2, {}, folder)
        with network, Daemons(network, folder) as daemons:
            forwards(network, daemons, "at first")
            for how in (signal.SIGKILL, signal.SIGTERM):
                ends_and_returns(network, daemons, how)
            removes_taps(network)
    print(f"frr_restart_test: {ROUTES} routes came back twice")
    return 0


if __name__ == "__main__":
    sys.exit(main())
