"""The known differences between the router and Linux, each with its reason.

A rule explains a difference only if everything else is equal, so the rules define exactly what may differ.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from oracle.comparison import OWN, difference, view
from oracle.packets import HOP_BY_HOP, put

RECORD_ROUTE, TIMESTAMP, ROUTER_ALERT_IPV6 = 7, 68, 5
SOURCE_ROUTES = (131, 137)
# Bytes that a quotation always contains, whatever options its message has: 576 bytes less the longest headers.
CERTAIN_QUOTE = 576 - 60 - 8


@dataclass
class rule:
    name: str
    reason: str
    explains: Callable[[difference], bool]
    used: int = 0


def packet_of(found: difference) -> bytes:
    """The IP packet of the input."""
    frame, at = found.input.frame, 14
    while frame[at - 2 : at] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    return frame[at:]


def ipv4_options(found: difference) -> list[int]:
    """The types of the input's options, as far as they can be parsed."""
    packet = packet_of(found)
    if found.input.family != 4 or len(packet) < 20:
        return []
    rest, types = packet[20 : 4 * (packet[0] & 15)], []
    while rest and rest[0] != 0:
        types.append(rest[0])
        if rest[0] == 1:
            rest = rest[1:]
        elif len(rest) < 2 or rest[1] < 2:
            break
        else:
            rest = rest[rest[1] :]
    return types + [0] * (rest[:1] == b"\0")


def hop_by_hop_options(found: difference) -> Iterator[int]:
    packet = packet_of(found)
    if found.input.family != 6 or len(packet) < 48 or packet[6] != HOP_BY_HOP:
        return
    rest = packet[42 : 40 + 8 * (packet[41] + 1)]
    while rest:
        yield rest[0]
        rest = rest[1:] if rest[0] == 0 else rest[2 + rest[1] :] if len(rest) > 1 else b""


def source_is(*wanted: str) -> Callable[[difference], bool]:
    return lambda found: any(f"from {one}" in found.input.traits for one in wanted)


def destination_is(*wanted: str) -> Callable[[difference], bool]:
    return lambda found: any(f"to {one}" in found.input.traits for one in wanted)


def has_options(found: difference) -> bool:
    packet = packet_of(found)
    return found.input.family == 4 and len(packet) > 20 and packet[0] & 15 > 5


def only_linux(found: difference) -> bool:
    return bool(found.linux) and not found.router


def only_linux_answers(found: difference) -> bool:
    return only_linux(found) and all(one.is_icmp_error for one in found.linux_frames)


def without_options(packet: bytes) -> bytes:
    """An IPv4 packet, or its beginning, with options and everything that depends on them set to zero."""
    length = 4 * (packet[0] & 15)
    return put(put(b"\x40" + packet[1:20], 10, 0), 2, 0) + packet[length:]


def plain_forwarded(one: view) -> object:
    return one.port, one.link, one.kind, 4 * (one.packet[0] & 15), without_options(one.packet)


def plain_error(one: view) -> object:
    """An error without its own options, and with the contents of options in its quotation removed."""
    header, body = without_options(one.packet)[:20], one.body
    return one.port, one.link, header, body[:2], body[4:8], without_options(body[8:])[: CERTAIN_QUOTE - 60]


def same_but_options(found: difference) -> bool:
    def plain(frames: list[view]) -> list[object]:
        return [plain_error(one) if one.is_icmp_error else plain_forwarded(one) for one in frames]

    return plain(found.linux_frames) == plain(found.router_frames)


@dataclass
class datagram:
    """The common part of fragments: the offset of the first, the flags of the last, a header without options."""

    port: int
    link: bytes
    place: int
    flags: int
    head: bytes
    data: bytes


def joined(frames: list[view]) -> datagram | None:
    """Returns one packet, or None unless these are all of its fragments, or the packet itself."""
    parts = sorted(frames, key=lambda one: int.from_bytes(one.packet[6:8]) & 0x1FFF)
    if not parts or any(one.kind != 0x0800 or one.is_icmp_error for one in parts):
        return None
    first, data = 8 * (int.from_bytes(parts[0].packet[6:8]) & 0x1FFF), b""
    for one in parts:
        place = int.from_bytes(one.packet[6:8])
        if 8 * (place & 0x1FFF) != first + len(data) or one is not parts[-1] and not place & 0x2000:
            return None
        data += one.body
    flags = int.from_bytes(parts[-1].packet[6:8]) & 0x6000
    head = put(without_options(parts[0].packet)[:20], 6, 0)
    return datagram(parts[0].port, parts[0].link, first, flags, head, data)


def same_when_joined(found: difference) -> bool:
    ours = joined(found.router_frames)
    return ours is not None and ours == joined(found.linux_frames)


def is_reserved_flag(found: difference) -> bool:
    """Equal after removing the flag from the router's fragments."""

    def cleared(one: view) -> tuple[int, bytes, bytes]:
        return one.port, one.link, put(put(one.packet, 6, int.from_bytes(one.packet[6:8]) & 0x7FFF), 10, 0)

    ours, theirs = [cleared(one) for one in found.router_frames], [cleared(one) for one in found.linux_frames]
    return "reserved flag" in found.input.traits and len(ours) > 1 and sorted(ours) == sorted(theirs)


def is_as_it_came(found: difference) -> bool:
    """The router forwards the input with only its TTL and checksum changed, fragmented or not."""
    forwarded = [one for one in found.router_frames if not one.is_icmp_error]
    if not forwarded:
        return True
    packet, whole = packet_of(found), joined(forwarded)
    if whole is None:
        return False
    head, data = whole.head, packet[4 * (packet[0] & 15) : int.from_bytes(packet[2:4])]
    same_head = (head[1], head[4:6], head[9], head[12:20]) == (packet[1], packet[4:6], packet[9], packet[12:20])
    return same_head and whole.data == data


def is_refused_option(found: difference) -> bool:
    """Linux answers with a parameter problem if it may; the router forwards as if there were no options."""
    if not {RECORD_ROUTE, TIMESTAMP, *SOURCE_ROUTES} & set(ipv4_options(found)):
        return False
    return all(one.is_error(12, 0) for one in found.linux_frames) and is_as_it_came(found)


def is_refused_source_route(found: difference) -> bool:
    return bool(set(SOURCE_ROUTES) & set(ipv4_options(found))) and only_linux_answers(found)


def is_beyond_the_end(found: difference) -> bool:
    """A fragment that ends after 65,535 bytes and is fragmented again."""
    packet = packet_of(found)
    if found.input.family != 4 or len(packet) < 20:
        return False
    end = 8 * (int.from_bytes(packet[6:8]) & 0x1FFF) + int.from_bytes(packet[2:4])
    return end > 65535 and len(found.linux) > 1 and not found.router


def is_jumbo_without_option(found: difference) -> bool:
    packet = packet_of(found)
    return found.input.family == 6 and packet[4:7] == bytes([0, 0, HOP_BY_HOP]) and only_linux(found)


def is_redirected(found: difference) -> bool:
    """Linux forwards like the router, and also reports a shorter path."""
    redirect = 137
    told = [one for one in found.linux_frames if one.source in OWN and one.body[:1] == bytes([redirect])]
    rest = [one for one in found.linux_frames if one not in told]
    return found.input.family == 6 and len(told) == 1 and rest == found.router_frames


def is_rate(found: difference) -> bool:
    """One of the two sent an ICMP error to an address that many packets come from."""
    repeated = any(one.startswith("from ") for one in found.input.traits)
    is_one_silent = not found.linux or not found.router
    return repeated and is_one_silent and all(one.is_icmp_error for one in found.linux_frames + found.router_frames)


RULES = [
    rule(
        "source in 0/8",
        "RFC 1812 5.3.7: not to be forwarded; Linux does",
        lambda found: source_is("0.1.2.3")(found) and only_linux(found),
    ),
    rule(
        "destination in 0/8",
        "RFC 1812 5.3.7: not to be forwarded; Linux does",
        lambda found: destination_is("0.5.6.7")(found) and only_linux(found),
    ),
    rule(
        "destination ::",
        "RFC 4291 2.5.2: not to be used as a destination; Linux looks for a route and answers",
        lambda found: destination_is("::")(found) and only_linux(found),
    ),
    rule(
        "source ::",
        "RFC 4291 2.5.2: not to be forwarded; Linux does",
        lambda found: source_is("::")(found) and only_linux(found),
    ),
    rule(
        "source of class E",
        "RFC 1812 4.3.2.7: no ICMP errors to addresses that are not one host's; Linux sends them",
        lambda found: source_is("240.1.2.3", "255.0.0.1")(found) and only_linux_answers(found),
    ),
    rule(
        "ICMPv6 redirect",
        "RFC 4443 2.4 (e.2): no ICMPv6 errors about redirects; Linux sends them",
        lambda found: "icmpv6 137" in found.input.traits and only_linux_answers(found),
    ),
    rule(
        "source is the router's own",
        "Linux looks up the source of each IPv4 packet; the router does not, as with rp_filter off",
        lambda found: source_is("10.0.0.1", "10.0.2.1")(found) and not found.linux,
    ),
    rule(
        "source route with another error",
        "the router drops all source routes in silence; Linux first answers an option that is wrong",
        is_refused_source_route,
    ),
    rule(
        "wrong option",
        "Linux refuses wrong pointers and lengths of options that it fills in; the router fills in none",
        is_refused_option,
    ),
    rule(
        "contents of options",
        "Linux records route and time, clears what follows the end of the list, and echoes options in errors",
        lambda found: has_options(found) and same_but_options(found),
    ),
    rule(
        "options in fragments",
        "Linux fills the place of options that are not copied; DPDK closes up the header",
        lambda found: has_options(found) and same_when_joined(found),
    ),
    rule(
        "length of the last fragment",
        "RFC 791 3.2: the last may have a length that is no multiple of eight; DPDK cuts that one, too",
        lambda found: len(found.router) == len(found.linux) + 1 and same_when_joined(found),
    ),
    rule(
        "reserved flag in fragments",
        "DPDK keeps the reserved flag in fragments; Linux clears it",
        is_reserved_flag,
    ),
    rule(
        "fragment beyond 65,535 bytes",
        "RFC 791 3.2: no datagram is so long; Linux lets the offset of its fragments start anew, the router drops it",
        is_beyond_the_end,
    ),
    rule(
        "redirect",
        "Linux tells an IPv6 neighbour of a shorter way, which cannot be turned off; the router sends no redirects",
        is_redirected,
    ),
    rule(
        "rate of errors",
        "Linux limits some errors by their receiver (route.error_cost), the router all but too big",
        is_rate,
    ),
]


# If the kernel on the other side of the TAPs does not forward, as the guide recommends, packets that the router passes
# to it go no further.
RULES_WITHOUT_KERNEL = [
    rule(
        "router alert of IPv6",
        "given to the kernel, as RFC 2711 asks; Linux forwards it when nobody listens",
        lambda found: ROUTER_ALERT_IPV6 in hop_by_hop_options(found) and only_linux(found),
    ),
    rule(
        "jumbo payload without its option",
        "RFC 2675 3: an error; given to the kernel; Linux forwards it",
        is_jumbo_without_option,
    ),
    rule(
        "subnet-router anycast",
        "RFC 4291 2.6.1: routers answer for 2001:db8:1::, and so does a kernel that forwards",
        lambda found: destination_is("2001:db8:1::", "2001:db8:0:0::")(found)
        and all(one.is_icmp_error for one in found.router_frames),
    ),
    rule(
        "all routers",
        "RFC 4291 2.7.1: routers are in the group of all routers, and so is a kernel that forwards",
        lambda found: destination_is("ff02::2", "ff05::2")(found) and only_linux(found),
    ),
    rule(
        "network address",
        "RFC 1812 4.2.3.1: 10.0.2.0 is an old broadcast, for the router itself; a neighbour like others for Linux",
        lambda found: destination_is("10.0.2.0")(found) and only_linux_answers(found),
    ),
    rule(
        "from a link-local address",
        "RFC 4291 2.5.6: not to be forwarded; Linux does on the link it came from, and answers for others",
        lambda found: source_is("fe80::1234", "fe80::ff:fe00:100")(found) and only_linux(found),
    ),
    rule(
        "to a link-local address",
        "RFC 4291 2.5.6: not to be forwarded; Linux asks for the neighbour and answers",
        lambda found: destination_is("fe80::9")(found) and only_linux_answers(found),
    ),
]


def explain(found: difference) -> bool:
    for one in RULES:
        if one.explains(found):
            one.used += 1
            return True
    return False
