"""Tables of routes with next hops of every kind, and changes to them, for the tests in which real daemons feed the router."""

import ipaddress
import lzma
import random
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

PORTS = range(1, 4)  # exits; packets arrive at port 0
HOSTS = range(2, 18)  # gateways on each port
REAL = {4: "tier1-v4.txt.xz", 6: "tier1-v6.txt.xz"}
# This many of 256 routes have several gateways, or drop packets.
MULTIPATH, DROPPING = 16, 8


@dataclass(frozen=True)
class Way:
    gateway: str
    port: str
    weight: int = 1


@dataclass(frozen=True)
class Target:
    """The destination of a route; without paths its packets are dropped in the way given by `what`."""

    what: str = "forward"
    paths: tuple[Way, ...] = ()

    # Computed once, because a million routes share a few hundred targets.
    @cached_property
    def text(self) -> str:
        """The text that the router prints, with paths in order."""
        if not self.paths:
            return self.what
        one = len(self.paths) == 1
        words = [f"{p.gateway}%{p.port}" + ("" if one or p.weight == 1 else f"*{p.weight}") for p in self.paths]
        return "+".join(sorted(words))

    @cached_property
    def one_higher(self) -> "Target":
        """This target with weights one higher if there are several paths."""
        if len(self.paths) < 2:
            return self
        return Target(self.what, tuple(replace(path, weight=path.weight + 1) for path in self.paths))


# A table: its routes by the text of their prefixes.
Table = dict[str, Target]


def address_of(family: int, port: int, host: int) -> str:
    return f"10.0.{port}.{host}" if family == 4 else f"2001:db8:{port}::{host:x}"


def mac_of(port: int, host: int) -> str:
    return f"02:00:00:00:{port:02x}:{host:02x}"


def is_ipv6(prefix: str) -> bool:
    return ":" in prefix


class Targets:
    """The targets of the routes of one family, chosen at random."""

    def __init__(self, family: int, chance: random.Random) -> None:
        self.chance = chance
        ways = [(address_of(family, port, host), f"fp{port}") for port in PORTS for host in HOSTS]
        self.single = [Target(paths=(Way(*way),)) for way in ways]
        self.multiple = []
        for _ in range(48):
            members = chance.sample(ways, chance.randint(2, 4))
            self.multiple.append(Target(paths=tuple(Way(*way, chance.choice((1, 1, 2, 3, 7))) for way in members)))
        self.dropping = [Target(what) for what in ("blackhole", "unreachable", "prohibit")]

    def draw(self) -> Target:
        number = self.chance.randrange(256)
        if number < DROPPING:
            return self.chance.choice(self.dropping)
        return self.chance.choice(self.multiple if number < DROPPING + MULTIPATH else self.single)

    def another(self, than: Target) -> Target:
        while (drawn := self.draw()) == than:
            pass
        return drawn


def made_prefixes(family: int, count: int, chance: random.Random) -> list[str]:
    """Prefixes of common lengths, many inside others."""
    found: set[str] = set()
    bits, lengths = (32, range(14, 25)) if family == 4 else (128, range(28, 49))
    while len(found) < count:
        if family == 4:
            base = chance.randrange(11, 64) << 24 | chance.getrandbits(24)
        else:
            base = 0x2400 << 112 | chance.getrandbits(20) << 92 | chance.getrandbits(12) << 80
        length = chance.choice(lengths)
        found.add(str(ipaddress.ip_network((base >> bits - length << bits - length, length))))
    return sorted(found)


def real_prefixes(folder: Path, family: int) -> list[str]:
    """The prefixes of a full Internet table, except the default route, which has no destination here."""
    with lzma.open(folder / REAL[family], "rt") as lines:
        words = {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}
    return sorted(words - {"0.0.0.0/0", "::/0"})


def leaves(prefixes: list[str]) -> list[str]:
    """The prefixes of one family that contain no other, so that no change of another prefix affects their packets."""
    spans = []
    for prefix in prefixes:
        address, _, length = prefix.partition("/")
        base = socket.inet_pton(socket.AF_INET6 if is_ipv6(prefix) else socket.AF_INET, address)
        first = int.from_bytes(base)
        spans.append((first, first + (1 << 8 * len(base) - int(length)), prefix))
    # A prefix is followed by the prefixes inside it; among equal addresses the longest prefix is the last.
    spans.sort(key=lambda span: (span[0], -span[1]))
    return [span[2] for span, after in zip(spans, [*spans[1:], (1 << 128, 0, "")]) if span[1] <= after[0]]


class Model:
    """The input: the routes that the source should have now, and a hot subset that changes most."""

    def __init__(self, prefixes: list[str], seed: int) -> None:
        self.chance = random.Random(seed)
        self.targets = {family: Targets(family, self.chance) for family in (4, 6)}
        self.table: Table = {prefix: self.targets_of(prefix).draw() for prefix in prefixes}
        self.stable: set[str] = set()
        self.all = prefixes
        self.hot = self.chance.sample(prefixes, max(1, min(5000, len(prefixes) // 4)))

    def targets_of(self, prefix: str) -> Targets:
        return self.targets[6 if is_ipv6(prefix) else 4]

    def keep_stable(self, prefixes: list[str], target_of: dict[str, Target]) -> None:
        """These routes have a given target and never change, so that packets that follow them can be counted."""
        self.table.update({prefix: target_of[prefix] for prefix in prefixes})
        self.stable.update(prefixes)

    def flaps(self, count: int, distinct: bool) -> Iterator[tuple[str, Target | None]]:
        """Changes in sequence: a new target, a withdrawal, or an announcement of a withdrawn route."""
        seen: set[str] = set()
        while count > 0:
            prefix = self.chance.choice(self.hot if self.chance.random() < 0.7 else self.all)
            if prefix in self.stable or prefix in seen:
                continue
            if distinct:
                seen.add(prefix)
            now = self.table.pop(prefix, None)
            if now is None:
                self.table[prefix] = self.targets_of(prefix).draw()
            elif self.chance.random() < 0.5:
                self.table[prefix] = self.targets_of(prefix).another(now)
            count -= 1
            yield prefix, self.table.get(prefix)
