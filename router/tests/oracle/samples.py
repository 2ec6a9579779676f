"""A packet to send, and the number by which its output is recognized.

The number is in the source address, or in the payload if the source is a special address.
"""

from dataclasses import dataclass, field

from oracle.packets import find_token

# The first byte of IPv4 sources, and the bits of IPv6 sources, that precede a packet's number.
HOMES = {20: 2, 21: 3, 22: 4, 26: 0, 23: 0xD, 24: 0xE}
ROUTED = [20, 21, 22]
SIZES = [28, 29, 46, 60, 100, 548, 575, 576, 577, 584, 1259, 1260, 1261, 1279, 1280, 1281]
SIZES += [1126, 1127, 1128, 1299, 1300, 1301, 1302, 1307, 1308, 1309, 1499, 1500]


@dataclass
class sample:
    number: int
    port: int
    frame: bytes = b""
    family: int = 4
    traits: set[str] = field(default_factory=set)


def number_in(address: bytes) -> int | None:
    """Returns the packet's number in an address, if there is one."""
    if len(address) == 4:
        return int.from_bytes(address[1:]) if address[0] in HOMES else None
    if address[:4] == b"\x20\x01\x0d\xb8" and address[4] >> 4 in HOMES.values() and address[4] & 15 == 7:
        return int.from_bytes(address[8:])
    return None


def number_of(frame: bytes) -> int | None:
    """Returns the packet that an output frame belongs to."""
    at = 14
    while frame[at - 2 : at] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    if frame[at - 2 : at] == b"\x08\x00" and len(frame) >= at + 20:
        addresses = frame[at + 12 : at + 16], frame[at + 16 : at + 20]
    elif frame[at - 2 : at] == b"\x86\xdd" and len(frame) >= at + 40:
        addresses = frame[at + 8 : at + 24], frame[at + 24 : at + 40]
    else:
        return find_token(frame)
    for address in addresses:
        if (number := number_in(address)) is not None:
            return number
    return find_token(frame)
