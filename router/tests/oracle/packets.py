"""Builds and parses frames: Ethernet, IPv4, IPv6 and their options, with struct."""

import socket
import struct

IPV4, IPV6, ARP, VLAN, QINQ = 0x0800, 0x86DD, 0x0806, 0x8100, 0x88A8
ICMP, TCP, UDP, ICMPV6 = 1, 6, 17, 58
HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, NO_NEXT, DESTINATION = 0, 43, 44, 51, 59, 60

# Before and after a packet's number, if the payload has room.
TOKEN_HEAD, TOKEN_TAIL, TOKEN_BYTES = b"\xf1\x9e", b"\x57\xa3", 8


def ipv4(text: str) -> bytes:
    return socket.inet_pton(socket.AF_INET, text)


def ipv6(text: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6, text)


def mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def put(data: bytes, at: int, value: int) -> bytes:
    """Writes 16 bits."""
    return data[:at] + struct.pack("!H", value) + data[at + 2 :]


def ethernet(to: bytes, source: bytes, kind: int, payload: bytes) -> bytes:
    return to + source + struct.pack("!H", kind) + payload


def token(number: int) -> bytes:
    return TOKEN_HEAD + struct.pack("!I", number) + TOKEN_TAIL


def find_token(data: bytes) -> int | None:
    at = data.find(TOKEN_HEAD)
    while at >= 0 and at + TOKEN_BYTES <= len(data):
        if data[at + 6 : at + 8] == TOKEN_TAIL:
            return struct.unpack("!I", data[at + 2 : at + 6])[0]
        at = data.find(TOKEN_HEAD, at + 1)
    return None


def ipv4_packet(
    source: bytes,
    to: bytes,
    protocol: int,
    payload: bytes,
    *,
    ttl: int = 64,
    tos: int = 0,
    identification: int = 0,
    flags_and_offset: int = 0,
    options: bytes = b"",
) -> bytes:
    assert len(options) % 4 == 0
    length = 20 + len(options)
    header = struct.pack(
        "!BBHHHBBH4s4s",
        0x40 | length // 4,
        tos,
        length + len(payload),
        identification,
        flags_and_offset,
        ttl,
        protocol,
        0,
        source,
        to,
    )
    header += options
    return put(header, 10, checksum(header)) + payload


def with_ipv4_checksum(packet: bytes) -> bytes:
    """The packet with the correct header checksum, for the header length that it claims and has."""
    length = min(len(packet), 4 * (packet[0] & 15))
    if length < 12:
        return packet
    header = put(packet[:length], 10, 0)
    return put(header, 10, checksum(header)) + packet[length:]


def ipv6_packet(
    source: bytes,
    to: bytes,
    protocol: int,
    payload: bytes,
    *,
    hops: int = 64,
    traffic_class: int = 0,
    flow: int = 0,
) -> bytes:
    return (
        struct.pack("!IHBB16s16s", 6 << 28 | traffic_class << 20 | flow, len(payload), protocol, hops, source, to)
        + payload
    )


def icmp(kind: int, code: int, rest: bytes, payload: bytes) -> bytes:
    message = struct.pack("!BBH4s", kind, code, 0, rest) + payload
    return put(message, 2, checksum(message))


def pseudo_header(source: bytes, to: bytes, protocol: int, length: int) -> bytes:
    if len(source) == 4:
        return source + to + struct.pack("!BBH", 0, protocol, length)
    return source + to + struct.pack("!II", length, protocol)


def icmpv6(source: bytes, to: bytes, kind: int, code: int, rest: bytes, payload: bytes) -> bytes:
    message = icmp(kind, code, rest, payload)
    message = put(message, 2, 0)
    return put(message, 2, checksum(pseudo_header(source, to, ICMPV6, len(message)) + message))


def udp(source: bytes, to: bytes, ports: tuple[int, int], payload: bytes) -> bytes:
    segment = struct.pack("!HHHH", *ports, 8 + len(payload), 0) + payload
    sum_of_all = checksum(pseudo_header(source, to, UDP, len(segment)) + segment)
    return put(segment, 6, sum_of_all or 0xFFFF)


def tcp(
    source: bytes, to: bytes, ports: tuple[int, int], numbers: tuple[int, int], flags: int, payload: bytes
) -> bytes:
    segment = struct.pack("!HHIIBBHHH", *ports, *numbers, 0x50, flags, 8192, 0, 0) + payload
    return put(segment, 16, checksum(pseudo_header(source, to, TCP, len(segment)) + segment))


def hex_dump(data: bytes, indent: str = "        ") -> str:
    return "\n".join(f"{indent}{at:04x}  {data[at : at + 32].hex(' ', 2)}" for at in range(0, len(data), 32))
