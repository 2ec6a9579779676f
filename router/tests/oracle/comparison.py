"""Brings the packets that come out of the two networks into one form, and finds the differences."""

from dataclasses import dataclass

from oracle import networks
from oracle.samples import sample
from oracle.packets import FRAGMENT, ICMP, ICMPV6, checksum, hex_dump, pseudo_header, put

OWN = {*networks.OWN_IPV4, *networks.OWN_IPV6, *networks.OWN_LINK_LOCAL}
TIMESTAMP_REPLY = 14
# Messages that the middle sends by itself: neighbour discovery and multicast listener reports.
OWN_TALK = {133, 134, 135, 136, 143}

Output = list[tuple[int, bytes]]  # ports and frames


@dataclass
class view:
    """A frame that came out, taken apart."""

    port: int
    link: bytes
    kind: int
    packet: bytes

    @classmethod
    def of(cls, port: int, frame: bytes) -> "view":
        return cls(port, frame[:12], int.from_bytes(frame[12:14]), frame[14:])

    @property
    def protocol(self) -> int:
        return self.packet[9] if self.kind == 0x0800 else self.packet[6]

    @property
    def source(self) -> bytes:
        return self.packet[12:16] if self.kind == 0x0800 else self.packet[8:24]

    @property
    def body(self) -> bytes:
        return self.packet[4 * (self.packet[0] & 15) :] if self.kind == 0x0800 else self.packet[40:]

    @property
    def is_icmp_error(self) -> bool:
        if self.source not in OWN or len(self.body) < 8:
            return False
        if self.kind == 0x0800:
            return self.protocol == ICMP and self.body[0] in (3, 4, 5, 11, 12)
        return self.protocol == ICMPV6 and self.body[0] < 128

    def is_error(self, kind: int, code: int) -> bool:
        return self.is_icmp_error and self.body[:2] == bytes([kind, code])


def is_own_talk(frame: bytes) -> bool:
    """Messages that a kernel sends by itself, which have no number."""
    kind = frame[12:14]
    if kind == b"\x08\x06":
        return True
    if kind != b"\x86\xdd" or len(frame) < 55:
        return False
    if frame[20] == 0:  # behind a router alert
        return frame[54] == ICMPV6 and len(frame) > 62 and frame[62] in OWN_TALK
    return frame[20] == ICMPV6 and frame[54] in OWN_TALK


def plain(port: int, frame: bytes) -> tuple[int, bytes]:
    """Removes the random parts of a packet that the middle made itself; a wrong checksum stays wrong."""
    seen = view.of(port, frame)
    packet = seen.packet
    if seen.kind == 0x0800 and len(packet) >= 20:
        packet = packet[: int.from_bytes(packet[2:4])]
        if packet[12:16] in OWN:
            length = 4 * (packet[0] & 15)
            if checksum(packet[:length]) == 0:
                packet = put(put(packet, 10, 0), 4, 0)
            if (
                seen.protocol == ICMP
                and packet[length : length + 1] == bytes([TIMESTAMP_REPLY])
                and len(packet) >= length + 20
            ):
                if checksum(packet[length:]) == 0:
                    packet = put(packet, length + 2, 0)
                packet = packet[: length + 12] + bytes(8) + packet[length + 20 :]
    elif seen.kind == 0x86DD and len(packet) >= 40:
        packet = packet[: 40 + int.from_bytes(packet[4:6])]
        if packet[8:24] in OWN and packet[6] == FRAGMENT:
            packet = packet[:44] + bytes(4) + packet[48:]
    return port, frame[:14] + packet


def faults_of(frame: bytes) -> str:
    """Finds faults that no frame may have when it comes out, whatever the other network sent."""
    seen = view.of(0, frame)
    if seen.kind == 0x0800 and len(seen.packet) >= 20 and checksum(seen.packet[: 4 * (seen.packet[0] & 15)]) != 0:
        return "IPv4 header checksum"
    if seen.is_icmp_error and seen.kind == 0x0800 and checksum(seen.body) != 0:
        return "ICMP checksum"
    if seen.is_icmp_error and seen.kind == 0x86DD:
        head = pseudo_header(seen.source, seen.packet[24:40], ICMPV6, len(seen.body))
        if checksum(head + seen.body) != 0:
            return "ICMPv6 checksum"
    return ""


@dataclass
class difference:
    input: sample
    linux: Output
    router: Output
    linux_frames: list[view]
    router_frames: list[view]

    def __str__(self) -> str:
        text = [
            f"packet {self.input.number}, into port {self.input.port}: "
            + (", ".join(sorted(self.input.traits)) or "ordinary"),
        ]
        text += [f"    input, {len(self.input.frame)} bytes", hex_dump(self.input.frame[:192])]
        for name, frames in (("Linux", self.linux), ("router", self.router)):
            text += [f"    {name}: nothing"] if not frames else []
            for port, frame in frames:
                wrong = faults_of(frame)
                text += [
                    f"    {name}, port {port}, {len(frame)} bytes {wrong and 'WRONG ' + wrong}",
                    hex_dump(frame[:192]),
                ]
        return "\n".join(text)


def compare(one: sample, linux: Output, router: Output) -> difference | None:
    if sorted(linux) == sorted(router) and not any(faults_of(frame) for _, frame in router):
        return None
    ours, theirs = sorted(plain(*at) for at in router), sorted(plain(*at) for at in linux)
    if ours == theirs and not any(faults_of(frame) for _, frame in router):
        return None
    views = [view.of(*at) for at in theirs], [view.of(*at) for at in ours]
    return difference(one, linux, router, *views)
