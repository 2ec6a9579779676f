#!/usr/bin/env python3
"""50,000 packets of a port reach the kernel, with each driver for kernel interfaces, and the port keeps receiving.

Memory is in ordinary pages. The kernel of the middle namespace counts the packets that it has received. $FINGERPOST_ROUTER is
the router. Exit status 77: skipped.
"""

import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from oracle.networks import inside
from oracle.packets import ethernet, ipv4_packet, ipv6_packet, mac, udp
from wires.network import HOST_MACS, ROUTER_MACS, RouterNetwork, host_address, why_not
from xdp_test import forwards, has_xdp

PACKETS = 50_000
BATCH = 400  # fewer than the host thread's ring has room for
UDP, OSPF = 17, 89
DEVICES = {
    "af_xdp": "net_af_xdp{0},iface=w{0}",
    "af_packet": "net_af_packet{0},iface=w{0}",
    "pcap": "net_pcap{0},iface=w{0},phy_mac=1",
}


class PlainNetwork(RouterNetwork):
    """Provides as many buffers as the router itself considers necessary, and no limit that the test would reach."""

    def settings(self) -> str:
        return super().settings().replace("megabytes = 256\nmbufs = 8192\n", "").replace("neighbour_queue = 1024\n", "port_rate = 0\n")


def frames() -> list[bytes]:
    """Packets that any sender can send: to the router's own addresses, and to a multicast group."""
    here, there = host_address(4, 0), "10.0.0.1"
    sources = socket.inet_aton(here), socket.inet_aton(there)
    six = [socket.inet_pton(socket.AF_INET6, one) for one in (host_address(6, 0), "2001:db8:0::1")]
    station, own = mac(ROUTER_MACS[0]), mac(HOST_MACS[0])
    return [
        ethernet(station, own, 0x0800, ipv4_packet(*sources, UDP, udp(*sources, (4000, 7), b"x"))),
        ethernet(station, own, 0x86DD, ipv6_packet(*six, UDP, udp(*six, (4000, 7), b"x"))),
        ethernet(mac("01:00:5e:00:00:05"), own, 0x0800, ipv4_packet(sources[0], socket.inet_aton("224.0.0.5"), OSPF, b"x", ttl=1)),
        ethernet(b"\xff" * 6, own, 0x88B5, bytes(46)),
    ]


def received_by_kernel(network: RouterNetwork) -> int:
    with inside(network.middle):
        lines = Path("/proc/thread-self/net/dev").read_text().splitlines()
    return next(int(line.split()[2]) for line in lines if line.strip().startswith("fp0:"))


def missing_after(seconds: float, missing: Callable[[], int]) -> int:
    """Waits until nothing is missing, for at most `seconds`; returns the remaining number."""
    end = time.monotonic() + seconds
    while (left := missing()) > 0 and time.monotonic() < end:
        time.sleep(0.05)
    return left


def reaches_the_kernel(name: str, folder: Path) -> None:
    network = PlainNetwork(f"fp-tk-{os.getpid()}", 2, {}, folder)
    network.device = DEVICES[name]
    with network:
        forwards(network)
        with inside(network.hosts[0].space):
            out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
            out.bind(("eth0", 0))
        before, kinds = received_by_kernel(network), frames()
        # An overloaded machine drops some before the router receives them; these are sent again. Lost buffers would
        # stop all packets permanently.
        spare = PACKETS // 100
        for wanted in range(BATCH, PACKETS + 1, BATCH):
            missing = BATCH
            while missing > 0:
                for number in range(missing):
                    out.send(kinds[number % len(kinds)])
                missing = missing_after(10, lambda: wanted - (received_by_kernel(network) - before))
                spare -= max(missing, 0)
                if spare < 0:
                    raise AssertionError(f"{name}: {wanted - missing} of {wanted} reached the kernel")
        out.close()
        forwards(network)
        assert network.ask("healthz") == "ok\n"


def main() -> int:
    if reason := why_not(os.environ.get("FINGERPOST_ROUTER", "")):
        print(f"SKIPPED: to_kernel_test {reason}", file=sys.stderr)
        return 77
    names = [name for name in DEVICES if name != "af_xdp" or has_xdp()]
    for name in names:
        with tempfile.TemporaryDirectory(prefix="fp-tk-") as folder:
            reaches_the_kernel(name, Path(folder))
    print(f"to_kernel_test: {PACKETS} packets by each of {', '.join(names)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
