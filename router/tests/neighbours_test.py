#!/usr/bin/env python3
"""A host gets another MAC address without announcing it: Linux and fingerpost-router find it again, in the same topology.

Traffic flows in one direction only, and the host knows the router's MAC address, so that only a request from the router can
discover the change. Then the host announces a third MAC address, and the kernel forgets it while packets are on their way.

$FINGERPOST_ROUTER is the router. Exit status 77: skipped.
"""

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from oracle.networks import set_kernel
from wires.network import Network, RouterNetwork, host_address, wait_for, why_not

FAMILIES = (4, 6)
# The kernel's settings, with 1/10 of the times. Half of the first must exceed the second: otherwise a neighbour may
# never become stale, because the kernel asks again too soon.
QUICK = {"base_reachable_time_ms": 2500, "delay_first_probe_time": 1, "retrans_time_ms": 100, "locktime": 0}
FOR_EVER = 3_600_000


class Traffic:
    """Sends numbered packets from host 0 to host 1 without a pause."""

    def __init__(self, network: Network) -> None:
        self.network, self.sent, self.ending = network, 0, False
        self.thread = threading.Thread(target=self.run)
        self.latest = dict.fromkeys(FAMILIES, 0)

    def __enter__(self) -> "Traffic":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ending = True
        self.thread.join()

    def run(self) -> None:
        while not self.ending:
            self.sent += 1
            for family in FAMILIES:
                self.network.hosts[0].send([str(self.sent)], host_address(family, 1))
            time.sleep(0.01)

    def goes_on(self, family: int) -> None:
        """Waits for a packet that is sent from now on."""
        first = self.sent + 1

        def arrived() -> bool:
            new = (int(text) for text in self.network.hosts[1].take(family))
            self.latest[family] = max(self.latest[family], *new, 0)
            return self.latest[family] >= first

        wait_for(f"{self.network.name}: IPv{family} packets", arrived)


def change_mac(network: Network, mac: str, announced: int) -> None:
    host = network.hosts[1]
    set_kernel(
        host.space, {"net.ipv4.conf.eth0.arp_notify": announced, "net.ipv6.conf.eth0.ndisc_notify": announced}
    )
    host.ip("link", "set", "eth0", "address", mac)


def check(network: Network) -> list[str]:
    told = []
    with Traffic(network) as traffic:
        for family in FAMILIES:
            traffic.goes_on(family)
        if isinstance(network, RouterNetwork):
            # By then the kernel has forgotten its own packets to the neighbour; only the router asks.
            wait_for("questions", lambda: network.metrics()["fingerpost_neighbour_confirmations_total"] >= 2)
        change_mac(network, "02:00:00:00:02:aa", announced=0)
        start = time.monotonic()
        for family in FAMILIES:
            traffic.goes_on(family)
            told.append(f"IPv{family} {time.monotonic() - start:.1f} s")
            assert network.neighbour(family, 1).get("lladdr") == "02:00:00:00:02:aa", network.neighbour(family, 1)
        # No further requests from now on.
        network.set_neighbours({"base_reachable_time_ms": FOR_EVER})
        for family in FAMILIES:
            wait_for("a reachable neighbour", lambda: network.neighbour(family, 1).get("state") == ["REACHABLE"])
        change_mac(network, "02:00:00:00:02:bb", announced=1)
        for family in FAMILIES:
            traffic.goes_on(family)
            assert network.neighbour(family, 1).get("lladdr") == "02:00:00:00:02:bb", network.neighbour(family, 1)
        for family in FAMILIES:
            network.change([f"neigh del {host_address(family, 1)} dev fp1"])
            traffic.goes_on(family)
    return told


def main() -> int:
    if reason := why_not(os.environ.get("FINGERPOST_ROUTER", "")):
        print(f"SKIPPED: neighbours_test {reason}", file=sys.stderr)
        return 77
    name = f"fp-nb-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="fp-nb-") as folder:
        with Network(f"{name}-l", 2, QUICK) as linux:
            print("Linux found the silent host's new MAC address after", ", ".join(check(linux)))
        with RouterNetwork(f"{name}-r", 2, QUICK, Path(folder)) as router:
            print("fingerpost-router after", ", ".join(check(router)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
