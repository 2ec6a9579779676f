"""Random IPv6 packets."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from oracle import networks
from oracle.packets import (
    AUTHENTICATION,
    DESTINATION,
    FRAGMENT,
    HOP_BY_HOP,
    ICMPV6,
    IPV6,
    NO_NEXT,
    ROUTING,
    TCP,
    UDP,
    find_token,
    icmpv6,
    ipv6,
    ipv6_packet,
    tcp,
    token,
    udp,
)
from oracle.samples import ROUTED, number_in, sample

if TYPE_CHECKING:
    from oracle.generator import generator


class ipv6_maker:
    def __init__(self, owner: "generator", made: sample) -> None:
        self.owner, self.made, self.random = owner, made, owner.random
        self.traits = made.traits

    def make(self) -> None:
        source, to = self.source(), self.destination()
        self.is_special = number_in(source) is None
        room = max(0, self.owner.length(self.made.port) - 40)
        protocol, payload = self.payload(source, to, room)
        if self.owner.chance(0.2):
            protocol, payload = self.extensions(protocol, payload)
        packet = ipv6_packet(
            source,
            to,
            protocol,
            payload,
            hops=self.random.choice([64] * 12 + [0, 1, 1, 2, 2, 3, 128, 254]),
            traffic_class=self.random.choice([0, 0, 0xB8, self.random.randrange(256)]),
            flow=self.random.choice([0, 0, self.random.randrange(1 << 20)]),
        )
        if self.owner.chance(0.08) and not self.is_special:
            packet = self.spoil(packet)
        elif self.owner.chance(0.1):
            packet += self.owner.bytes(self.random.randrange(1, 47))[: max(0, 1500 - len(packet))]
            self.traits.add("trailer")
        self.made.frame = self.owner.ethernet_faults(self.made, packet[: networks.MTUS[self.made.port]], IPV6)

    def source(self) -> bytes:
        if self.owner.chance(0.06):
            special = self.random.choice(
                [
                    "::",
                    "::1",
                    "::2",
                    "ff02::1",
                    "ff0e::1",
                    "fe80::1234",
                    "fe80::ff:fe00:100",
                    "fec0::7",
                    "::ffff:1.2.3.4",
                    "::1.2.3.4",
                    "fd00::1",
                    "2001:db8:1::3",
                    "2001:db8:1::3",
                    "2001:db8::4",
                    "2001:db8::1",
                    "2001:db8:2::1",
                    "2001:db8:1::",
                    "2001:db8:5010::1",
                    "2001:db8:5011::1",
                    "64:ff9b::102:304",
                ]
            )
            self.traits.add(f"from {special}")
            return ipv6(special)
        return self.owner.ipv6_home(self.made.number, self.random.choice(ROUTED * 8 + [23, 24]))

    def destination(self) -> bytes:
        low = self.random.randrange(1, 255)
        draw = self.random.random()
        if draw < 0.58:
            return ipv6(
                self.random.choice(
                    [
                        f"2001:db8:5000:{low:x}::1",
                        f"2001:db8:5001:{low:x}::9",
                        f"2001:db8:5001:8{low:03x}::7",
                        "2001:db8:5001:c8::7",
                        f"2001:db8:5002:{low:x}::2",
                        f"2001:db8:5004::{2 + low % 8}",
                        f"2001:db8:5006:{low:x}::5",
                        f"2001:db8:{low % 3}::{2 + low % 8}",
                        f"2001:db8:5010:99::{low:x}",
                    ]
                )
            )
        if draw < 0.70:
            self.traits.add("to router")
            return networks.OWN_IPV6[low % 3]
        if draw < 0.90:
            return ipv6(
                self.random.choice(
                    [
                        f"3001:{low:x}::1",
                        f"2001:db8:5010:{low % 0x99:x}::1",
                        f"2001:db8:5011:{low:x}::1",
                        f"2001:db8:5012:{low:x}::1",
                    ]
                )
            )
        special = self.random.choice(
            [
                "::",
                "::1",
                "::3",
                "ff00::1",
                "ff01::1",
                "ff02::1",
                "ff02::2",
                "ff02::5",
                "ff05::2",
                "ff0e::9",
                "ff32::1",
                f"fe80::ff:fe00:10{self.made.port}",
                "fec0::3",
                "::ffff:4.3.2.1",
                "::4.3.2.1",
                "2001:db8:1::",
                "2001:db8:0:0::",
                "fd77::1",
            ]
        )
        self.traits.add(f"to {special}")
        return ipv6(special)

    def payload(self, source: bytes, to: bytes, room: int) -> tuple[int, bytes]:
        ports = self.random.randrange(1, 65536), self.random.randrange(1, 65536)
        tail = token(self.made.number) + self.owner.bytes(room)
        if self.is_special:
            return self.short_payload(source, to, ports, tail[:200])
        tail = tail[: max(0, room - 8)]
        protocol = self.random.choice([UDP] * 7 + [TCP] * 4 + [ICMPV6] * 6 + [NO_NEXT, 1, 4, 41, 47, 132, 253, 255])
        if protocol == UDP:
            return protocol, udp(source, to, ports, tail)
        if protocol == TCP:
            flags = self.random.choice([2, 16, 18, 4, 1, 0, 63])
            return protocol, tcp(source, to, ports, (self.random.randrange(1 << 32), 0), flags, tail)
        if protocol != ICMPV6:
            return protocol, self.owner.bytes(self.random.randrange(8)) + tail
        kind = self.random.choice([128] * 8 + [129, 129, 1, 2, 3, 4, 100, 127, 137, 138, 160, 200, 255])
        self.traits.add(f"icmpv6 {kind}")
        if kind < 128:
            quoted = ipv6_packet(to, source, UDP, udp(to, source, ports, tail))
            tail = quoted[: max(56, room - 8)]
        message = icmpv6(source, to, kind, 0, self.owner.bytes(4), tail)
        if self.owner.chance(0.05):
            message = (
                message[: self.random.randrange(8)] if find_token(tail) is None else b"\x80\x00\x12\x34" + message[4:]
            )
        return protocol, message

    def short_payload(self, source: bytes, to: bytes, ports: tuple[int, int], tail: bytes) -> tuple[int, bytes]:
        if self.owner.chance(0.5):
            return UDP, udp(source, to, ports, tail)
        return ICMPV6, icmpv6(source, to, 128, 0, self.owner.bytes(4), tail)

    def hop_by_hop_options(self) -> bytes:
        makers: list[Callable[[], bytes]] = [
            lambda: b"\x01" + bytes([size := self.random.randrange(6)]) + bytes(size),
            lambda: bytes(self.random.randrange(1, 7)),
            lambda: b"\x01\x08" + bytes(8),
            lambda: b"\x01\x02\x00\x07",
            lambda: b"\x05\x02\x00\x00",  # router alert
            lambda: b"\x05\x02\x00\x05",
            lambda: b"\x1e\x02ab",  # to be skipped when not known
            lambda: b"\x3e\x00",
            lambda: b"\x5e\x02ab",  # to be dropped
            lambda: b"\x9e\x02ab",  # to be answered
            lambda: b"\xde\x02ab",  # to be answered unless multicast
            lambda: b"\xc2\x04\x00\x01\x00\x00",  # jumbo
            lambda: b"\x1e\xff",
        ]
        built = b""
        for _ in range(self.random.choice([1, 1, 2, 3, 10])):
            built += self.random.choice(makers[:7] * 2 + makers)()
        padding = -(len(built) + 2) % 8
        return built + (bytes([1, padding - 2]) + bytes(padding - 2) if padding > 1 else bytes(padding))

    def extensions(self, protocol: int, payload: bytes) -> tuple[int, bytes]:
        """Puts headers in front; a hop-by-hop header is the first, mostly."""
        for _ in range(self.random.choice([1, 1, 2, 3])):
            kind = self.random.choice([DESTINATION, DESTINATION, FRAGMENT, FRAGMENT, ROUTING, AUTHENTICATION])
            self.traits.add(f"extension {kind}")
            if kind == DESTINATION:
                options = self.hop_by_hop_options()
                header = bytes([protocol, (len(options) + 2) // 8 - 1]) + options
            elif kind == FRAGMENT:
                field_ = self.random.choice([0, 1, 0, 1, 8, 9, 1448, self.random.randrange(65536)])
                header = bytes([protocol, 0]) + field_.to_bytes(2) + self.owner.bytes(4)
            elif kind == ROUTING:
                left = self.random.choice([0, 0, 1, 2])
                header = (
                    bytes([protocol, 2, self.random.choice([0, 2, 3, 4, 99]), left])
                    + bytes(4)
                    + ipv6("2001:db8:5000::1")
                )
            else:
                header = bytes([protocol, 4]) + self.owner.bytes(22)
            payload, protocol = header + payload, kind
        if self.owner.chance(0.5):
            self.traits.add("extension 0")
            options = self.hop_by_hop_options()
            payload = bytes([protocol, (len(options) + 2) // 8 - 1]) + options + payload
            protocol = HOP_BY_HOP
        return protocol, payload

    def spoil(self, packet: bytes) -> bytes:
        fault = self.random.choice(["version", "short_length", "long_length", "cut"])
        self.traits.add(f"bad {fault}")
        if fault == "version":
            return bytes([self.random.choice([0, 4, 5, 15]) << 4 | packet[0] & 15]) + packet[1:]
        length = len(packet) - 40
        if fault == "short_length":
            return packet[:4] + self.random.choice([0, 0, 0, 1, 8, max(0, length - 1)]).to_bytes(2) + packet[6:]
        if fault == "long_length":
            return packet[:4] + min(65535, length + self.random.choice([1, 8, 60, 30000])).to_bytes(2) + packet[6:]
        return packet[: self.random.randrange(1, len(packet))]
