"""Generates packets from a seed: mostly valid ones, each with a few unusual features."""

import random

from oracle import networks
from oracle.ipv4_maker import ipv4_maker
from oracle.ipv6_maker import ipv6_maker
from oracle.packets import IPV4, IPV6, QINQ, UDP, VLAN, ethernet, ipv4, ipv4_packet, ipv6, ipv6_packet, mac, token, udp
from oracle.samples import HOMES, ROUTED, SIZES, sample


class generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.noise = self.random.randbytes(4096)

    def sample(self, number: int) -> sample:
        made = sample(number, self.random.choice([0, 0, 0, 1, 1, 1, 2]))
        made.family = 4 if self.random.random() < 0.55 else 6
        if made.family == 4:
            ipv4_maker(self, made).make()
        else:
            ipv6_maker(self, made).make()
        return made

    def unanswered(self, number: int) -> sample:
        """For a neighbour that never answers: Linux reports it three seconds later."""
        made = sample(number, self.random.randrange(2), traits={"unresolved"})
        payload = token(number) + self.bytes(self.random.choice([0, 30, 700, 1300]))
        ttl = self.random.choice([64, 64, 2, 1])
        if self.random.random() < 0.5:
            to = self.random.choice(["50.9.0.1", "50.9.77.3", "10.0.1.99", "50.4.0.77", "10.0.2.0"])
            source, target = self.ipv4_home(number, self.random.choice(ROUTED)), ipv4(to)
            packet = ipv4_packet(source, target, UDP, udp(source, target, (9, 9), payload), ttl=ttl)
            made.frame = self.frame(made.port, IPV4, packet)
        else:
            made.family = 6
            to = self.random.choice(
                ["2001:db8:5009::1", "2001:db8:5009:7::", "2001:db8:1::99", "2001:db8:5004::77", "fe80::9"]
            )
            source, target = self.ipv6_home(number, self.random.choice(ROUTED)), ipv6(to)
            packet = ipv6_packet(source, target, UDP, udp(source, target, (9, 9), payload), hops=ttl)
            made.frame = self.frame(made.port, IPV6, packet)
        made.traits.add(f"to {to}")
        return made

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def bytes(self, count: int) -> bytes:
        at = self.random.randrange(len(self.noise) - 1600)
        return self.noise[at : at + count]

    def ipv4_home(self, number: int, home: int) -> bytes:
        return bytes([home]) + number.to_bytes(3)

    def ipv6_home(self, number: int, home: int) -> bytes:
        return b"\x20\x01\x0d\xb8" + bytes([HOMES[home] << 4 | 7, 0, 0, 0]) + number.to_bytes(8)

    def frame(self, port: int, kind: int, packet: bytes) -> bytes:
        return ethernet(networks.OWN_MACS[port], networks.FAR_MACS[port], kind, packet)

    def length(self, port: int) -> int:
        draw = self.random.random()
        if draw < 0.35:
            return self.random.randrange(20, 128)
        longest = networks.MTUS[port]
        return min(longest, self.random.choice(SIZES) if draw < 0.7 else self.random.randrange(28, longest + 1))

    def ethernet_faults(self, made: sample, packet: bytes, kind: int) -> bytes:
        """The frame of a packet; one in twelve is unusual."""
        frame = self.frame(made.port, kind, packet)
        if not self.chance(0.08):
            return frame
        fault = self.random.choice(
            (
                "other_mac broadcast_mac multicast_mac wrong_type odd_type length_field vlan vlan vlan_zero "
                "vlan_zero double_tag cut_frame cut_frame"
            ).split()
        )
        made.traits.add(fault)
        source, to = frame[6:12], frame[:6]
        if fault == "other_mac":
            return mac("02:00:00:00:09:09") + frame[6:]
        if fault == "broadcast_mac":
            return b"\xff" * 6 + frame[6:]
        if fault == "multicast_mac":
            return mac(self.random.choice(["01:00:5e:01:02:03", "33:33:00:00:00:05", "01:80:c2:00:00:30"])) + frame[6:]
        if fault == "wrong_type":
            return ethernet(to, source, IPV4 + IPV6 - kind, packet)
        if fault == "odd_type":
            return ethernet(to, source, self.random.choice([0x88B5, 0x0600, 0x9100]), packet)
        if fault == "length_field":
            return ethernet(to, source, min(len(packet), 1500), packet)
        if fault == "cut_frame":
            return frame[: self.random.randrange(14, min(len(frame), 80))]
        priority = self.random.randrange(16) << 12
        tag = (priority | (0 if fault == "vlan_zero" else self.random.choice([1, 5, 100, 4094, 4095]))).to_bytes(2)
        if fault == "double_tag":
            inner = tag + VLAN.to_bytes(2) + b"\0\0" + kind.to_bytes(2) + packet
            return ethernet(to, source, self.random.choice([VLAN, QINQ]), inner)[: 14 + networks.MTUS[made.port]]
        return ethernet(to, source, VLAN, tag + kind.to_bytes(2) + packet)
