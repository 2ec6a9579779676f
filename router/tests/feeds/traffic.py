#!/usr/bin/env python3
"""Sends numbered packets into the router and checks where each one leaves, until its standard input ends.

The first line of the input is {"rate": packets per second, "flows": [{"source", "to", "port", "ways": [[port, MAC], ...]}]}. The
answer is one line: packets sent, lost and astray, and the number of packets on each way of each flow.
"""

import collections
import ipaddress
import json
import select
import struct
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from oracle.networks import far_end  # noqa: E402
from oracle.packets import IPV4, IPV6, UDP, ethernet, ipv4_packet, ipv6_packet, mac  # noqa: E402

MARK = b"fingerpost-feeds"
# Longer than any delay between the sender and the router's last ring, on a busy machine.
LAST_WAIT = 3.0


def frame_maker(flow: dict, number: int, into: str):
    source, to = ipaddress.ip_address(flow["source"]).packed, ipaddress.ip_address(flow["to"]).packed
    make, kind = (ipv4_packet, IPV4) if len(to) == 4 else (ipv6_packet, IPV6)
    # The checksum is zero, because receivers of these packets ignore it.
    udp = struct.pack("!HHHH", flow["port"], 9, 8 + len(MARK) + 12, 0) + MARK + struct.pack("!I", number)
    head = ethernet(mac(into), mac("02:00:00:00:ff:01"), kind, make(source, to, UDP, udp + bytes(8)))[:-8]
    return lambda sequence: head + struct.pack("!Q", sequence)


class Traffic:
    def __init__(self, wanted: dict) -> None:
        self.rate = wanted["rate"]
        self.flows = wanted["flows"]
        self.frames = [frame_maker(flow, i, wanted["into"]) for i, flow in enumerate(self.flows)]
        self.allowed = [{(port, mac(to)) for port, to in flow["ways"]} for flow in self.flows]
        self.ends = [far_end(f"n{i}") for i in range(4)]
        self.sent_at: dict[int, float] = {}
        self.sent = self.received = self.twice = 0
        self.astray: list[str] = []
        self.ways = [collections.Counter() for _ in self.flows]

    def send(self) -> None:
        self.sent_at[self.sent] = time.monotonic()
        self.ends[0].send(self.frames[self.sent % len(self.frames)](self.sent))
        self.sent += 1

    def take(self) -> None:
        for port, end in enumerate(self.ends):
            for frame in end.take():
                at = frame.find(MARK)
                if at >= 0:
                    self.judge(port, frame, *struct.unpack_from("!IQ", frame, at + len(MARK)))

    def judge(self, port: int, frame: bytes, flow: int, sequence: int) -> None:
        if self.sent_at.pop(sequence, None) is None:
            self.twice += 1
            return
        self.received += 1
        way = port, frame[:6]
        self.ways[flow][f"{port} {frame[:6].hex(':')}"] += 1
        if way not in self.allowed[flow] and len(self.astray) < 5:
            self.astray.append(f"{self.flows[flow]['to']} left by n{port} to {frame[:6].hex(':')}")

    def run(self) -> None:
        start = time.monotonic()
        while not select.select([sys.stdin], [], [], 0.002)[0]:
            due = int((time.monotonic() - start) * self.rate)
            # Late packets are sent later, but never in a burst that fills a queue.
            for _ in range(min(due - self.sent, 64)):
                self.send()
            if due - self.sent > 1000:
                start += (due - self.sent) / self.rate
            self.take()
        end = time.monotonic() + LAST_WAIT
        while self.sent_at and time.monotonic() < end:
            time.sleep(0.01)
            self.take()

    def report(self) -> dict:
        lost = sorted(self.sent_at.values())
        return {
            "sent": self.sent,
            "lost": len(lost),
            "lost_at": [round(at, 2) for at in lost[:10]],
            "lost_flows": sorted({n % len(self.flows) for n in self.sent_at})[:10],
            "twice": self.twice,
            "astray": self.astray,
            "ways": self.ways,
        }


def main() -> None:
    traffic = Traffic(json.loads(sys.stdin.readline()))
    print("ready", flush=True)
    traffic.run()
    print(json.dumps(traffic.report()), flush=True)


if __name__ == "__main__":
    main()
