#!/usr/bin/env python3
"""Ports follow the MAC addresses of kernel interfaces: the TAP gets another one, and a virtual router (VRRP) a second one.

    h0 ── fp0, the router ── fp1 ── h1      vrrp1, a macvlan device above fp0, is 10.0.0.254 and 2001:db8:0::fe

$FINGERPOST_ROUTER is the router. Exit status 77: skipped.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from oracle.networks import batch, inside, run, set_kernel
from wires.network import SECONDS, RouterNetwork, host_address, wait_for, why_not

FAMILIES = (4, 6)
NEW_MAC = "02:00:00:00:07:07"
VIRTUAL_MAC = "00:00:5e:00:01:01"
VIRTUAL = {4: "10.0.0.254", 6: "2001:db8::fe"}
NOT_FOR_US = 'fingerpost_dropped_packets_total{reason="not_for_us"}'


class Test:
    def __init__(self, network: RouterNetwork) -> None:
        self.network, self.sent = network, 0
        with inside(network.hosts[0].space):
            self.frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            self.frames.bind(("eth0", 3))  # ETH_P_ALL

    def expect_forwarded(self, sender: int, what: str) -> None:
        """Packets sent from now on arrive at the other host."""
        for family in FAMILIES:
            came: set[str] = set()
            end = time.monotonic() + SECONDS
            while not came:
                assert time.monotonic() < end, f"{what}: IPv{family} packets of h{sender} are lost"
                self.sent += 1
                text = f"{what} {self.sent}"
                self.network.hosts[sender].send([text], host_address(family, 1 - sender))
                came = self.network.hosts[1 - sender].take(family, 0.2) & {text}

    def expect_dropped(self, sender: int, what: str) -> None:
        """Frames for a MAC address that no interface has any more are counted, and do not arrive."""
        before = self.network.metrics()[NOT_FOR_US]
        for family in FAMILIES:
            self.network.hosts[sender].send([what], host_address(family, 1 - sender))
        wait_for(f"{what}: drops", lambda: self.network.metrics()[NOT_FOR_US] >= before + 2)
        for family in FAMILIES:
            assert what not in self.network.hosts[1 - sender].take(family), what

    def expect_source(self, mac: str, what: str) -> None:
        """Packets to h0 come from that MAC address."""
        self.expect_forwarded(1, what)
        self.frames.settimeout(SECONDS)
        while True:
            frame = self.frames.recv(65536)
            if what.encode() in frame:
                assert frame[6:12].hex(":") == mac, f"{what}: from {frame[6:12].hex(':')}"
                return

    def set_gateway(self, mac: str) -> None:
        lines = [f"neigh replace 10.0.0.1 lladdr {mac} dev eth0 nud permanent"]
        lines.append(f"neigh replace 2001:db8:0::1 lladdr {mac} dev eth0 nud permanent")
        batch(self.network.hosts[0].space, lines)

    def expect_answers(self, address: str) -> None:
        command = ["ip", "netns", "exec", self.network.hosts[0].space, "ping", "-c1", "-W1", address]
        wait_for(f"ping {address}", lambda: subprocess.run(command, capture_output=True).returncode == 0)

    def tap_gets_another(self) -> None:
        self.expect_forwarded(0, "before")
        self.network.change([f"link set fp0 address {NEW_MAC}"])
        self.set_gateway(NEW_MAC)
        self.expect_forwarded(0, "by the new MAC address")
        self.expect_source(NEW_MAC, "from the new MAC address")
        self.expect_answers("10.0.0.1")
        self.set_gateway("02:00:00:00:01:00")
        self.expect_dropped(0, "by the old MAC address")
        self.set_gateway(NEW_MAC)

    def virtual_router(self) -> None:
        host = self.network.hosts[0]
        # The TAP does not answer for the address of the device on top of it.
        set_kernel(self.network.middle, {"net.ipv4.conf.fp0.arp_ignore": 1})
        lines = [f"link add vrrp1 link fp0 address {VIRTUAL_MAC} type macvlan mode bridge", "link set vrrp1 up"]
        lines += [f"addr add {VIRTUAL[4]}/32 dev vrrp1", f"addr add {VIRTUAL[6]}/128 dev vrrp1 nodad"]
        self.network.change(lines)
        batch(host.space, [f"route replace default via {address}" for address in VIRTUAL.values()])
        for address in VIRTUAL.values():
            self.expect_answers(address)
            shown = subprocess.run(
                ["ip", "-n", host.space, "neigh", "show", address], check=True, capture_output=True, text=True
            ).stdout
            assert VIRTUAL_MAC in shown, shown
        self.expect_forwarded(0, "by the virtual router")
        self.expect_source(NEW_MAC, "back from the TAP's MAC address")
        # Routes by the virtual router's interface use its MAC address.
        self.network.change(
            ["route add 10.0.0.2/32 dev vrrp1", "route add 2001:db8::2/128 dev vrrp1"]
        )
        self.expect_source(VIRTUAL_MAC, "back from the virtual MAC address")
        self.network.change(["route del 10.0.0.2/32 dev vrrp1", "route del 2001:db8::2/128 dev vrrp1"])
        self.network.change(["link set vrrp1 down"])
        for address in VIRTUAL.values():
            run("ip", "-n", host.space, "neigh", "replace", address, "lladdr", VIRTUAL_MAC, "dev", "eth0")
        self.expect_dropped(0, "by a virtual router in reserve")


def has_macvlan() -> bool:
    space = f"fp-pm-{os.getpid()}"
    try:
        run("ip", "netns", "add", space)
        run("ip", "-n", space, "link", "add", "left", "type", "veth", "peer", "name", "right")
        run("ip", "-n", space, "link", "add", "above", "link", "left", "type", "macvlan")
    except RuntimeError as error:
        print(f"no virtual router, as the kernel has no macvlan devices: {error}", file=sys.stderr)
        return False
    finally:
        subprocess.run(["ip", "netns", "del", space], capture_output=True)
    return True


def main() -> int:
    if reason := why_not(os.environ.get("FINGERPOST_ROUTER", "")):
        print(f"SKIPPED: port_macs_test {reason}", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-pm-") as folder:
        with RouterNetwork(f"fp-pm-{os.getpid()}", 2, {}, Path(folder)) as network:
            test = Test(network)
            test.tap_gets_another()
            if has_macvlan():
                test.virtual_router()
            print(f"{test.sent} packets")
    return 0


if __name__ == "__main__":
    sys.exit(main())
