"""Random IPv6 packets."""

from collections.abc import Callable

from oracle.maker import maker
from oracle.packets import (
    AUTHENTICATION,
    DESTINATION,
    FRAGMENT,
    HOP_BY_HOP,
    ICMPV6,
    IPV6,
    NO_NEXT,
    ROUTING,
    UDP,
    icmpv6,
    ipv6,
    ipv6_packet,
)
from oracle.samples import ROUTED


class ipv6_maker(maker):
    KIND = IPV6
    SPOILT = 0.08
    SPECIAL_SOURCES = (
        ":: ::1 ::2 ff02::1 ff0e::1 fe80::1234 fe80::ff:fe00:100 fec0::7 ::ffff:1.2.3.4 ::1.2.3.4 fd00::1 "
        "2001:db8:1::3 2001:db8:1::3 2001:db8::4 2001:db8::1 2001:db8:2::1 2001:db8:1:: 2001:db8:5010::1 "
        "2001:db8:5011::1 64:ff9b::102:304"
    ).split()
    ICMP = ICMPV6
    ICMP_NAME = "icmpv6"
    ICMP_TYPES = [128] * 8 + [129, 129, 1, 2, 3, 4, 100, 127, 137, 138, 160, 200, 255]
    WRONG_ECHO = b"\x80\x00\x12\x34"
    QUOTED = 56
    OTHER_PROTOCOLS = [NO_NEXT, 1, 4, 41, 47, 132, 253, 255]

    def address(self, text: str) -> bytes:
        return ipv6(text)

    def home(self) -> bytes:
        return self.owner.ipv6_home(self.made.number, self.random.choice(ROUTED * 8 + [23, 24]))

    def forwarded(self, low: int) -> list[str]:
        return [
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

    def own(self, low: int) -> str:
        return f"2001:db8:{low % 3}::1"

    def refused(self, low: int) -> list[str]:
        return [
            f"3001:{low:x}::1",
            f"2001:db8:5010:{low % 0x99:x}::1",
            f"2001:db8:5011:{low:x}::1",
            f"2001:db8:5012:{low:x}::1",
        ]

    def special_destinations(self) -> list[str]:
        return [
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

    def packet(self, source: bytes, to: bytes) -> bytes:
        room = max(0, self.owner.length(self.made.port) - 40)
        protocol, payload = self.payload(source, to, room)
        if self.owner.chance(0.2):
            protocol, payload = self.extensions(protocol, payload)
        return ipv6_packet(
            source,
            to,
            protocol,
            payload,
            hops=self.random.choice([64] * 12 + [0, 1, 1, 2, 2, 3, 128, 254]),
            traffic_class=self.random.choice([0, 0, 0xB8, self.random.randrange(256)]),
            flow=self.random.choice([0, 0, self.random.randrange(1 << 20)]),
        )

    def echo(self, source: bytes, to: bytes, tail: bytes) -> bytes:
        return icmpv6(source, to, 128, 0, self.owner.bytes(4), tail)

    def is_error(self, kind: int) -> bool:
        return kind < 128

    def message(self, source: bytes, to: bytes, kind: int, tail: bytes) -> bytes:
        return icmpv6(source, to, kind, 0, self.owner.bytes(4), tail)

    def around(self, source: bytes, to: bytes, segment: bytes) -> bytes:
        return ipv6_packet(source, to, UDP, segment)

    def hop_by_hop_options(self) -> bytes:
        makers: list[Callable[[], bytes]] = [
            lambda: b"\x01" + bytes([size := self.random.randrange(6)]) + bytes(size),
            lambda: bytes(self.random.randrange(1, 7)),
            lambda: b"\x01\x08" + bytes(8),
            lambda: b"\x01\x02\x00\x07",
            lambda: b"\x05\x02\x00\x00",  # router alert
            lambda: b"\x05\x02\x00\x05",
            lambda: b"\x1e\x02ab",  # to be skipped if unknown
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
        """Inserts extension headers; a hop-by-hop header is usually the first."""
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
