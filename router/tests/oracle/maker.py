"""The common part of random packets of both families; ipv4_maker and ipv6_maker contain the rest."""

from typing import TYPE_CHECKING

from oracle import networks
from oracle.packets import TCP, UDP, find_token, tcp, token, udp
from oracle.samples import number_in, sample

if TYPE_CHECKING:
    from oracle.generator import generator


class maker:
    KIND: int  # the Ethernet type
    SPOILT: float  # the share of packets with a fault in the IP header
    SPECIAL_SOURCES: list[str]  # addresses that routers treat specially
    ICMP: int  # the protocol's number, and its name in traits
    ICMP_NAME: str
    ICMP_TYPES: list[int]  # to choose from
    WRONG_ECHO: bytes  # an echo request with a wrong checksum
    QUOTED: int  # minimum number of bytes that an ICMP error quotes
    OTHER_PROTOCOLS: list[int]

    def __init__(self, owner: "generator", made: sample) -> None:
        self.owner, self.made, self.random = owner, made, owner.random
        self.traits = made.traits

    # The parts that differ between the families.
    def address(self, text: str) -> bytes:
        raise NotImplementedError

    def home(self) -> bytes:
        """Returns a source that contains the packet's number."""
        raise NotImplementedError

    def forwarded(self, low: int) -> list[str]:
        """Destinations; `low` is a random part of them."""
        raise NotImplementedError

    def own(self, low: int) -> str:
        """An address of the router."""
        raise NotImplementedError

    def refused(self, low: int) -> list[str]:
        """Destinations without a route."""
        raise NotImplementedError

    def special_destinations(self) -> list[str]:
        raise NotImplementedError

    def packet(self, source: bytes, to: bytes) -> bytes:
        raise NotImplementedError

    def spoil(self, packet: bytes) -> bytes:
        raise NotImplementedError

    def echo(self, source: bytes, to: bytes, tail: bytes) -> bytes:
        raise NotImplementedError

    def message(self, source: bytes, to: bytes, kind: int, tail: bytes) -> bytes:
        """Returns an ICMP message."""
        raise NotImplementedError

    def is_error(self, kind: int) -> bool:
        raise NotImplementedError

    def around(self, source: bytes, to: bytes, segment: bytes) -> bytes:
        """A UDP packet."""
        raise NotImplementedError

    # The parts common to both families.
    def make(self) -> None:
        source, to = self.source(), self.destination()
        self.is_special = number_in(source) is None
        packet = self.packet(source, to)
        if self.owner.chance(self.SPOILT) and not self.is_special:
            packet = self.spoil(packet)
        elif self.owner.chance(0.1):
            packet += self.owner.bytes(self.random.randrange(1, 47))[: max(0, 1500 - len(packet))]
            self.traits.add("trailer")
        self.made.frame = self.owner.ethernet_faults(self.made, packet[: networks.MTUS[self.made.port]], self.KIND)

    def source(self) -> bytes:
        if self.owner.chance(0.06):
            special = self.random.choice(self.SPECIAL_SOURCES)
            self.traits.add(f"from {special}")
            return self.address(special)
        return self.home()

    def destination(self) -> bytes:
        low = self.random.randrange(1, 255)
        draw = self.random.random()
        if draw < 0.58:
            return self.address(self.random.choice(self.forwarded(low)))
        if draw < 0.70:
            self.traits.add("to router")
            return self.address(self.own(low))
        if draw < 0.90:
            return self.address(self.random.choice(self.refused(low)))
        special = self.random.choice(self.special_destinations())
        self.traits.add(f"to {special}")
        return self.address(special)

    def payload(self, source: bytes, to: bytes, room: int) -> tuple[int, bytes]:
        ports = self.random.randrange(1, 65536), self.random.randrange(1, 65536)
        tail = token(self.made.number) + self.owner.bytes(room)
        if self.is_special:
            return self.short_payload(source, to, ports, tail[:200])
        tail = tail[: max(0, room - 8)]
        protocol = self.random.choice([UDP] * 7 + [TCP] * 4 + [self.ICMP] * 6 + self.OTHER_PROTOCOLS)
        if protocol == UDP:
            return protocol, udp(source, to, ports, tail)
        if protocol == TCP:
            flags = self.random.choice([2, 16, 18, 4, 1, 0, 63])
            return protocol, tcp(source, to, ports, (self.random.randrange(1 << 32), 0), flags, tail)
        if protocol != self.ICMP:
            return protocol, self.owner.bytes(self.random.randrange(8)) + tail
        kind = self.random.choice(self.ICMP_TYPES)
        self.traits.add(f"{self.ICMP_NAME} {kind}")
        if self.is_error(kind):
            tail = self.around(to, source, udp(to, source, ports, tail))[: max(self.QUOTED, room - 8)]
        message = self.message(source, to, kind, tail)
        if self.owner.chance(0.05):
            message = message[: self.random.randrange(8)] if find_token(tail) is None else self.WRONG_ECHO + message[4:]
        return protocol, message

    def short_payload(self, source: bytes, to: bytes, ports: tuple[int, int], tail: bytes) -> tuple[int, bytes]:
        """Splits a packet into fragments, with the number in the first one."""
        if self.owner.chance(0.5):
            return UDP, udp(source, to, ports, tail)
        return self.ICMP, self.echo(source, to, tail)
