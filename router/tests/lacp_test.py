#!/usr/bin/env python3
"""Two routers connected by two cables with LACP: they negotiate, and packets of many flows use both cables.

    host ── router A ══ m0, m1 ══ p0, p1 ══ router B ── host

$FINGERPOST_ROUTER is the router. Exit status 77: skipped.
"""

import os
import socket
import sys
import tempfile
from pathlib import Path

from oracle.networks import inside
from wires.network import RouterNetwork, run, wait_for, why_not

BOND = """[[port]]
name = "bond"
device = "net_bonding0,xmit_policy=l34"
members = ["net_af_packet8,iface={0}0", "net_af_packet9,iface={0}1"]
addresses = ["192.0.2.{1}/24", "2001:db8:b::{1}/64"]
"""
STATE = 32  # the actor's state in the frame
COLLECTS_AND_DISTRIBUTES = 0x30


class End(RouterNetwork):
    """One of the routers, with its host 198.18.N.1."""

    def __init__(self, name: str, number: int, folder: Path, other: "End | None") -> None:
        super().__init__(name, 1, {}, folder)
        self.number, self.other = number, other
        self.more_ports = BOND.format("m" if other is None else "p", number)

    def before_start(self) -> None:
        for i in range(2):
            if self.other is None:
                run("ip", "-n", self.wires, "link", "add", f"m{i}", "type", "veth", "peer", "name", f"p{i}")
            else:
                run("ip", "-n", self.other.wires, "link", "set", f"p{i}", "netns", self.wires)
            run("ip", "-n", self.wires, "link", "set", f"m{i}" if self.other is None else f"p{i}", "up")

    def configure(self) -> None:
        super().configure()
        far = 3 - self.number
        own = f"198.18.{self.number}.1"
        self.change(
            [
                "link set bond up",
                f"route add {own}/32 via 10.0.0.2",
                f"route add 198.18.{far}.0/24 via 192.0.2.{far}",
            ]
        )
        self.hosts[0].ip("addr", "add", f"{own}/32", "dev", "lo")
        self.hosts[0].ip("route", "replace", "default", "via", "10.0.0.1", "src", own)

    def received(self, member: str) -> int:
        with inside(self.wires):
            lines = Path("/proc/thread-self/net/dev").read_text().splitlines()
        return next(int(line.split()[2]) for line in lines if line.strip().startswith(f"{member}:"))


def agrees(network: End, member: str) -> None:
    """LACP frames received by the member report that the other side collects and distributes."""
    with inside(network.wires):
        wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x8809))
        wire.bind((member, 0x8809))
    wire.settimeout(0.5)

    def collects() -> bool:
        try:
            frame, where = wire.recvfrom(2048)
        except TimeoutError:
            return False
        is_outgoing = where[2] == socket.PACKET_OUTGOING
        return not is_outgoing and frame[STATE] & COLLECTS_AND_DISTRIBUTES == COLLECTS_AND_DISTRIBUTES

    wait_for(f"LACP on {member}", collects)
    wire.close()


def crosses(first: End, second: End) -> None:
    def arrives() -> bool:
        first.hosts[0].send(["first"], f"198.18.{second.number}.1")
        return "first" in second.hosts[0].take(4, 0.2)

    wait_for(f"a packet from router {first.number}", arrives)


def main() -> int:
    if reason := why_not(os.environ.get("FINGERPOST_ROUTER", "")):
        print(f"SKIPPED: lacp_test {reason}", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-la-") as name:
        folders = [Path(name) / "a", Path(name) / "b"]
        for one in folders:
            one.mkdir()
        first = End(f"fp-la-{os.getpid()}", 1, folders[0], None)
        second = End(f"fp-lb-{os.getpid()}", 2, folders[1], first)
        try:
            with first, second:
                for network, letter in ((first, "m"), (second, "p")):
                    for i in range(2):
                        agrees(network, f"{letter}{i}")
                crosses(first, second)
                crosses(second, first)
                before = [second.received(f"p{i}") for i in range(2)]
                texts = [f"flow {i}" for i in range(400)]
                first.hosts[0].send(texts, "198.18.2.1")
                seen: set[str] = set()

                def all_came() -> bool:
                    seen.update(second.hosts[0].take(4, 0.2))
                    return set(texts) <= seen

                wait_for("packets of all flows", all_came)
                grown = [second.received(f"p{i}") - was for i, was in enumerate(before)]
                assert min(grown) > len(texts) // 10, f"not over both cables: {grown}"
        except AssertionError as error:
            logs = "\n".join((one / "router.log").read_text()[-2000:] for one in folders if (one / "router.log").exists())
            print(f"FAILED: {error}\n{logs}", file=sys.stderr)
            return 1
    print(f"lacp_test: {grown[0]} and {grown[1]} packets over the two cables")
    return 0


if __name__ == "__main__":
    sys.exit(main())
