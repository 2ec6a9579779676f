"""Random IPv4 packets."""

from collections.abc import Callable

from oracle.maker import maker
from oracle.packets import ICMP, IPV4, UDP, icmp, ipv4, ipv4_packet, with_ipv4_checksum
from oracle.samples import ROUTED


class ipv4_maker(maker):
    KIND = IPV4
    SPOILT = 0.1
    SPECIAL_SOURCES = (
        "0.0.0.0 0.1.2.3 127.0.0.1 127.9.9.9 224.0.0.1 239.1.2.3 255.255.255.255 240.1.2.3 255.0.0.1 169.254.3.4 "
        "10.0.0.3 10.0.1.2 10.0.0.1 10.0.2.1 10.0.1.255 10.0.1.0 50.10.1.1 50.11.1.1"
    ).split()
    ICMP = ICMP
    ICMP_NAME = "icmp"
    ICMP_TYPES = [8] * 8 + [0, 0, 3, 3, 11, 12, 4, 5, 9, 10, 13, 14, 15, 17, 30, 40, 255]
    WRONG_ECHO = b"\x08\x00\x12\x34"
    QUOTED = 28
    OTHER_PROTOCOLS = [0, 4, 41, 47, 50, 89, 132, 253, 255]

    def address(self, text: str) -> bytes:
        return ipv4(text)

    def home(self) -> bytes:
        return self.owner.ipv4_home(self.made.number, self.random.choice(ROUTED * 8 + [26, 23, 24]))

    def forwarded(self, low: int) -> list[str]:
        return [
            f"50.0.{low}.1",
            f"50.1.{low // 3}.9",
            f"50.1.{128 + low // 2}.7",
            "50.1.200.7",
            f"50.2.{low}.2",
            f"50.3.{low}.3",
            f"50.4.0.{2 + low % 8}",
            f"50.5.{low}.4",
            f"50.6.{low}.5",
            f"10.0.{low % 4}.{2 + low % 8}",
            f"50.10.99.{low}",
        ]

    def own(self, low: int) -> str:
        return f"10.0.{low % 4}.1"

    def refused(self, low: int) -> list[str]:
        return [f"99.{low}.0.1", f"50.10.{low % 99}.1", f"50.11.{low}.1", f"50.12.{low}.1", f"50.1.64.{low}"]

    def special_destinations(self) -> list[str]:
        return (
            "0.0.0.0 0.5.6.7 127.0.0.1 127.3.4.5 224.0.0.5 224.0.0.1 239.5.5.5 232.1.1.1 255.255.255.255 240.9.9.9 "
            "255.1.1.1 169.254.7.7 10.0.1.255 10.0.0.255"
        ).split()

    def packet(self, source: bytes, to: bytes) -> bytes:
        options = self.options() if self.owner.chance(0.12) else b""
        room = max(0, self.owner.length(self.made.port) - 20 - len(options))
        protocol, payload = self.payload(source, to, room)
        return ipv4_packet(
            source,
            to,
            protocol,
            payload,
            ttl=self.random.choice([64] * 12 + [0, 1, 1, 2, 2, 3, 128, 255]),
            tos=self.random.choice([0, 0, 0x10, 0x1E, 0xB8, self.random.randrange(256)]),
            identification=self.random.randrange(65536),
            flags_and_offset=self.flags_and_offset(),
            options=options,
        )

    def echo(self, source: bytes, to: bytes, tail: bytes) -> bytes:
        return icmp(8, 0, self.owner.bytes(4), tail)

    def is_error(self, kind: int) -> bool:
        return kind in (3, 4, 5, 11, 12)

    def message(self, source: bytes, to: bytes, kind: int, tail: bytes) -> bytes:
        code = self.random.randrange(16) if kind == 3 else 0
        return icmp(kind, code, self.owner.bytes(4), tail)

    def around(self, source: bytes, to: bytes, segment: bytes) -> bytes:
        return ipv4_packet(source, to, UDP, segment)

    def flags_and_offset(self) -> int:
        dont_fragment = 0x4000 if self.owner.chance(0.4) else 0
        draw = self.random.random()
        if draw < 0.02:
            self.traits.add("reserved flag")
            return dont_fragment | 0x8000
        if draw < 0.05:
            self.traits.add("first fragment")
            return dont_fragment | 0x2000
        if draw < 0.09:
            self.traits.add("later fragment")
            more = 0x2000 if self.owner.chance(0.5) else 0
            return (
                dont_fragment
                | more
                | self.random.choice([1, 10, 185, 8000, 8150, 8191, self.random.randrange(1, 8192)])
            )
        return dont_fragment

    def options(self) -> bytes:
        makers: list[Callable[[], bytes]] = [
            lambda: b"\x01" * self.random.randrange(1, 8),
            lambda: b"\x94\x04\x00\x00",  # router alert
            lambda: b"\x94\x04\x00\x01",
            lambda: b"\x94\x04",
            lambda: b"\x07" + bytes([7, self.random.choice([4, 4, 4, 8, 3, 5])]) + bytes(4),  # record route
            lambda: b"\x07" + bytes([11, self.random.choice([4, 8, 12])]) + bytes(8),
            lambda: b"\x44\x0c" + bytes([self.random.choice([5, 9, 13, 4]), self.random.choice([0, 1, 3])]) + bytes(8),
            lambda: b"\x83\x07\x04" + ipv4("50.0.0.1"),  # loose source route
            lambda: b"\x89\x07\x04" + ipv4("50.0.0.1"),
            lambda: b"\x82\x0b" + bytes(9),  # security
            lambda: b"\x88\x04\x12\x34",  # stream
            lambda: b"\x5e\x06abcd",  # not assigned
            lambda: b"\xde\x06abcd",
            lambda: b"\x00" + self.owner.bytes(3),  # end of list
            lambda: bytes([7, self.random.choice([0, 1, 2, 3, 40, 255])]),  # bad lengths
            lambda: bytes([0x5E, self.random.choice([0, 1, 41, 200])]),
            lambda: b"\x44\x04\x05\x00",
        ]
        built = b""
        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3])):
            built += self.random.choice(makers)()
        built = built[:40]
        self.traits.add("options")
        return built + self.random.choice([b"\x00", b"\x01"]) * (-len(built) % 4)

    def spoil(self, packet: bytes) -> bytes:
        fault = self.random.choice(
            ["checksum", "checksum", "version", "header_length", "short_total", "long_total", "cut"]
        )
        self.traits.add(f"bad {fault}")
        if fault == "checksum":
            old = int.from_bytes(packet[10:12])
            new = self.random.choice([old ^ 1 << self.random.randrange(16), 0, 0xFFFF])
            return packet[:10] + new.to_bytes(2) + packet[12:]
        if fault == "version":
            changed = bytes([self.random.choice([0, 5, 6, 15]) << 4 | packet[0] & 15]) + packet[1:]
        elif fault == "header_length":
            changed = bytes([0x40 | self.random.choice([0, 4, 6, 10, 15])]) + packet[1:]
        elif fault == "short_total":
            changed = packet[:2] + self.random.choice([0, 10, 19, 20, 24, len(packet) - 1]).to_bytes(2) + packet[4:]
        elif fault == "long_total":
            longer = min(65535, len(packet) + self.random.choice([1, 8, 60, 30000]))
            changed = packet[:2] + longer.to_bytes(2) + packet[4:]
        else:
            return packet[: self.random.randrange(1, len(packet))]
        return with_ipv4_checksum(changed)
