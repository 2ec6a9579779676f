#!/usr/bin/env python3
"""A cable is cut and repaired: the TAP loses its carrier, and all flows of a next-hop group use the other port.

    h0 ── fp0, the router ── fp1 ── h1      198.18.0.1 and 2001:db8:f::1 are on h1 and on h2
                            fp2 ── h2
                            fp3: net_null, which always has a link

The cable of h2 is cut before the router starts. Each cut is made in two ways: at the host, and at the port's own interface.
$FINGERPOST_ROUTER is the router. Exit status 77: skipped.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from oracle.networks import batch, run
from wires.network import RouterNetwork, wait_for, why_not

SERVICE = {4: "198.18.0.1", 6: "2001:db8:f::1"}
FLOWS = 64
FLICKERS = 10


class Cables(RouterNetwork):
    def before_start(self) -> None:
        self.hosts[2].ip("link", "set", "eth0", "down")

    def configure(self) -> None:
        super().configure()
        for host in self.hosts[1:]:
            batch(host.space, [f"addr add {address} dev lo" for address in SERVICE.values()])
        self.change(
            [
                "route add 198.18.0.0/24 nexthop via 10.0.1.2 dev fp1 nexthop via 10.0.2.2 dev fp2",
                "route add 2001:db8:f::/64 nexthop via 2001:db8:1::2 dev fp1 nexthop via 2001:db8:2::2 dev fp2",
            ]
        )

    def cut(self, host: int, at_host: bool) -> None:
        self.switch(host, at_host, "down")

    def mend(self, host: int, at_host: bool) -> None:
        self.switch(host, at_host, "up")

    def switch(self, host: int, at_host: bool, state: str) -> None:
        space, interface = (self.hosts[host].space, "eth0") if at_host else (self.wires, f"w{host}")
        run("ip", "-n", space, "link", "set", interface, state)

    def shares(self, family: int, name: str) -> list[int]:
        """Returns how many of the new flows arrive at h1 and at h2; waits until all have arrived."""
        texts = {f"{name} {i}" for i in range(FLOWS)}
        found: list[set[str]] = [set(), set()]
        self.hosts[0].send(texts, SERVICE[family])

        def all_came() -> bool:
            for host, came in zip(self.hosts[1:], found):
                came |= host.take(family) & texts
            return found[0] | found[1] == texts

        try:
            wait_for(f"flows of IPv{family}, {name}", all_came)
        except AssertionError as error:
            dropped = {key: n for key, n in self.metrics().items() if "dropped" in key and n}
            raise AssertionError(f"{error}: {[len(came) for came in found]} came, {dropped}") from None
        return [len(came) for came in found]

    def expect_both(self, name: str) -> None:
        """Waits until both hosts receive flows: members of a group come back together with their links."""
        for family in SERVICE:
            wait_for(f"both next hops of IPv{family}, {name}", lambda: min(self.shares(family, name)) > 0)

    def expect_one(self, host: int, name: str) -> None:
        """From now on no packet may go to the dead port."""
        for family in SERVICE:
            wanted = [FLOWS if host == number else 0 for number in (1, 2)]
            got = self.shares(family, name)
            assert got == wanted, f"{name}: IPv{family} flows to h1 and h2 are {got}"

    def expect_carrier(self, port: int, there: bool) -> None:
        wait_for(f"carrier of fp{port} is {there}", lambda: self.has_carrier(port) == there)
        assert self.metrics()[f'fingerpost_port_up{{port="fp{port}"}}'] == there


def flicker(network: Cables) -> None:
    """Links that go down and up within a millisecond: the kernel counts the losses, and the TAP shows them as well."""

    def losses(space: str, interface: str) -> int:
        command = ["ip", "netns", "exec", space, "cat", f"/sys/class/net/{interface}/carrier_down_count"]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    for _ in range(FLICKERS):
        before = losses(network.wires, "w1"), losses(network.middle, "fp1")
        batch(network.hosts[1].space, ["link set eth0 down", "link set eth0 up"])
        wait_for("a loss of the cable", lambda: losses(network.wires, "w1") > before[0])
        wait_for("a loss of the TAP's carrier", lambda: losses(network.middle, "fp1") > before[1])
        network.expect_carrier(1, True)
    network.expect_both("h1 has had a bad cable")


def check(network: Cables) -> None:
    network.expect_carrier(2, False)
    network.expect_carrier(1, True)
    network.expect_carrier(3, True)
    network.expect_one(1, "h2 has had no cable yet")
    network.mend(2, at_host=True)
    network.expect_carrier(2, True)
    network.expect_both("h2 has a cable")
    for at_host in (True, False):
        for host, other in ((1, 2), (2, 1)):
            where = f"cable of h{host} cut at {'it' if at_host else 'the port'}"
            network.cut(host, at_host)
            network.expect_carrier(host, False)
            network.expect_one(other, where)
            network.mend(host, at_host)
            network.expect_carrier(host, True)
            network.expect_both(f"{where} is mended")
    network.expect_carrier(3, True)
    flicker(network)


def main() -> int:
    if reason := why_not(os.environ.get("FINGERPOST_ROUTER", "")):
        print(f"SKIPPED: carrier_test {reason}", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-cb-") as folder:
        with Cables(f"fp-cb-{os.getpid()}", 3, {}, Path(folder), ["net_null0,no-rx=1"]) as network:
            network.change(["link set fp3 up"])
            check(network)
    return 0


if __name__ == "__main__":
    sys.exit(main())
