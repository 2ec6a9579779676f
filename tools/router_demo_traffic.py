#!/usr/bin/env python3
"""Traffic of tools/router_demo: as fast as the machine carries it, and where each packet went.

    router_demo_traffic.py TABLE SECONDS WIRES DESTINATION PROGRAM SOCKET

Runs in the source's network namespace. WIRES and DESTINATION are processes in the two others, whose counters it reads.
PROGRAM is fingerpost, SOCKET the router's telemetry socket. Ends with 1 when packets are not accounted for.
"""

import ipaddress
import json
import random
import socket
import subprocess
import sys
import time
from pathlib import Path

STEP = 0.25
SLOWEST, FASTEST = 500, 2_000_000
# Neighbour discovery and the like are in some of the counters, too.
OTHERS = 50


def interface(process: str, name: str) -> dict[str, int]:
    """Counters of an interface in the network namespace of a process."""
    for line in Path(f"/proc/{process}/net/dev").read_text().splitlines():
        where, _, counts = line.strip().partition(":")
        if where == name:
            numbers = list(map(int, counts.split()))
            return {"received": numbers[0 + 1], "sent": numbers[8 + 1], "send_dropped": numbers[8 + 3]}
    sys.exit(f"router_demo: no interface {name}")


def arrived(process: str) -> int:
    """UDP packets that a host took; nothing listens there, and all count as without a port."""
    for line in Path(f"/proc/{process}/net/snmp6").read_text().splitlines():
        name, value = line.split()
        if name == "Udp6NoPorts":
            return int(value)
    sys.exit("router_demo: no counter of UDP over IPv6")


class Demo:
    def __init__(self, table: str, wires: str, destination: str, program: str, socket_path: str) -> None:
        random.seed(1)
        bases = [int(ipaddress.ip_network(line.split()[0]).network_address) for line in Path(table).open()]
        self.targets = [(str(ipaddress.IPv6Address(random.choice(bases) + 1)), 9) for _ in range(2000)]
        self.wires, self.destination, self.program, self.socket_path = wires, destination, program, socket_path
        self.out = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.sent = self.next = 0

    def send(self, count: int) -> None:
        for _ in range(count):
            self.next = (self.next + 1) % len(self.targets)
            try:
                self.out.sendto(b"x" * 18, self.targets[self.next])
                self.sent += 1
            except OSError:  # not sent, so not counted
                pass

    def step(self, rate: float) -> tuple[float, float]:
        """Sends for a moment; returns packets a second that were sent, and the share of them that arrived."""
        sent, there, start = self.sent, arrived(self.destination), time.monotonic()
        while (passed := time.monotonic() - start) < STEP:
            self.send(min(int(rate * passed) - (self.sent - sent), 64))
            time.sleep(0.001)
        sent = self.sent - sent
        self.settle()
        return sent / STEP, (arrived(self.destination) - there) / max(sent, 1)

    def settle(self) -> None:
        """Waits until no more packets arrive."""
        before = -1
        while (now := arrived(self.destination)) != before:
            before = now
            time.sleep(0.02)

    def find_rate(self) -> float:
        """Doubles the rate again and again, until packets are lost or the sender can send no faster."""
        rate = float(SLOWEST)
        best = rate / 2
        while rate <= FASTEST:
            found, share = self.step(rate)
            if share < 0.999:
                break
            best = max(best, found)
            if found < rate * 0.9:
                break
            rate *= 2
        return best

    def run(self, seconds: float, rate: float) -> float:
        """The rate that it had in the end: losses make it slower."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            _, share = self.step(rate)
            if share < 0.99:
                rate = max(rate * 0.7, SLOWEST)
        return rate

    def ask(self, part: str) -> dict:
        command = [self.program, "router", "show", part, "--format", "json", "--socket", self.socket_path]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def counts(self) -> dict[str, int]:
        """Packets sent, and the ends that they may come to, in the order of their way."""
        ports = {port["name"]: port for port in self.ask("ports").values()}
        drops = {f"dropped by the router: {why}": count for why, count in self.ask("drops").items()}
        left, right = ports["left"], ports["right"]
        return {
            "sent": self.sent,
            "lost on the wire to the router, as the kernel's queue was full": interface("self", "host0")["send_dropped"],
            "missed by port left, as the router was too late for its ring": left["missed"],
            "missed by port left for want of a buffer": left["no_buffer"],
            **drops,
            "lost by port right, which could not send them": right["send_errors"],
            "lost on the wire from the router": interface(self.wires, "wire1")["send_dropped"],
            "arrived": arrived(self.destination),
        }


def main() -> int:
    table, seconds, *others = sys.argv[1:]
    demo = Demo(table, *others)
    before = demo.counts()
    found = demo.find_rate()
    rate = demo.run(float(seconds), found * 0.7)
    time.sleep(0.2)
    demo.settle()
    after = demo.counts()
    grown = {name: after[name] - before.get(name, 0) for name in after}
    print(f"A ramp came to {found:,.0f} packets a second without loss; then it was {rate:,.0f} a second.")
    sent = grown.pop("sent")
    print(f"{sent:>10,} sent")
    for name, count in grown.items():
        if count != 0 or name == "arrived":
            print(f"{count:>10,} {name}")
    rest = sent - sum(grown.values())
    print(f"{rest:>10,} not accounted for (other packets, as of neighbour discovery, are in some of the counts)")
    if grown["arrived"] < 100:
        print("router_demo: hardly a packet arrived", file=sys.stderr)
        return 1
    if abs(rest) > OTHERS + sent // 1000:
        print("router_demo: the counts do not add up", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
