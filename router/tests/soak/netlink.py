"""Netlink messages about routes and next-hop objects, and the frames in which zebra's dplane_fpm_nl sends them."""

import socket
import struct

from soak.tables import family, path, target

NEW_ROUTE, REMOVE_ROUTE, NEW_NEXT_HOP, REMOVE_NEXT_HOP = 24, 25, 104, 105
REQUEST, REPLACE, CREATE = 0x1, 0x100, 0x400
KINDS = {"unicast": 1, "blackhole": 6, "unreachable": 7, "prohibit": 8}
MAIN_TABLE, STATIC, ZEBRA = 254, 4, 11
TO, INTERFACE, GATEWAY, MULTIPATH, TABLE, VIA, GROUP = 1, 4, 5, 9, 15, 18, 30
OBJECT_ID, OBJECT_INTERFACE, OBJECT_GATEWAY = 1, 5, 6


def attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def word(kind: int, value: int) -> bytes:
    return attribute(kind, struct.pack("=I", value))


def packed(address: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)


def family_number(of: int) -> int:
    return socket.AF_INET if of == 4 else socket.AF_INET6


def message(kind: int, flags: int, body: bytes) -> bytes:
    return struct.pack("=IHHII", 16 + len(body), kind, REQUEST | flags, 0, 0) + body


def in_frame(one: bytes) -> bytes:
    """The FPM header and a message."""
    return struct.pack("!BBH", 1, 1, 4 + len(one)) + one


def gateway(of: int, one: path) -> bytes:
    if not one.gateway:
        return b""
    if family(one.gateway) != of:  # an IPv4 route through an IPv6 gateway
        return attribute(VIA, struct.pack("=H", family_number(family(one.gateway))) + packed(one.gateway))
    return attribute(GATEWAY, packed(one.gateway))


def route(prefix: str, to: target | None, interfaces: list[int], table: int = MAIN_TABLE) -> bytes:
    """A route; None withdraws it."""
    of = family(prefix)
    base, length = prefix.split("/")
    kind = KINDS[to.kind] if to else 0
    short = table if table < 256 else 0  # the header has one byte
    body = struct.pack("=BBBBBBBBI", family_number(of), int(length), 0, 0, short, STATIC, 0, kind, 0)
    body += attribute(TO, packed(base)) + word(TABLE, table)
    if to is None:
        return message(REMOVE_ROUTE, 0, body)
    if to.group:
        body += word(GROUP, to.group)
    elif len(to.paths) == 1:
        body += gateway(of, to.paths[0]) + word(INTERFACE, interfaces[to.paths[0].port])
    elif to.paths:
        hops = b""
        for one in to.paths:
            inside = gateway(of, one)
            hops += struct.pack("=HBBI", 8 + len(inside), 0, one.weight - 1, interfaces[one.port]) + inside
        body += attribute(MULTIPATH, hops)
    return message(NEW_ROUTE, CREATE | REPLACE, body)


def next_hop(number: int, to: target | None, interfaces: list[int]) -> bytes:
    """An object with one path; None removes it."""
    of = family(to.paths[0].gateway) if to else 0
    body = struct.pack("=BBBBI", family_number(of) if to else 0, 0, ZEBRA, 0, 0) + word(OBJECT_ID, number)
    if to is None:
        return message(REMOVE_NEXT_HOP, 0, body)
    one = to.paths[0]
    body += word(OBJECT_INTERFACE, interfaces[one.port]) + attribute(OBJECT_GATEWAY, packed(one.gateway))
    return message(NEW_NEXT_HOP, CREATE | REPLACE, body)
