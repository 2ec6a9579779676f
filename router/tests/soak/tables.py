"""The table that a feed sends to the router: its expected contents, and how the router prints them.

There are two kinds of routes: those of oracle/networks.py are fixed, and those below 60.0.0.0/8 and 2001:db8:6000::/36
change all the time.
"""

import ipaddress
import random
from dataclasses import dataclass

from oracle import networks

IPV4_ROUTES, IPV6_ROUTES = 2000, 1500
# Next-hop objects that routes may refer to.
IPV4_GROUPS, IPV6_GROUPS = range(100, 108), range(200, 208)
PORTS = 3  # those with both families


@dataclass(frozen=True)
class path:
    gateway: str  # or "": the destinations are neighbours
    port: int
    weight: int = 1

    def __str__(self) -> str:
        where = f"{self.gateway}%fp{self.port}" if self.gateway else f"fp{self.port}"
        return where if self.weight == 1 else f"{where}*{self.weight}"


@dataclass(frozen=True)
class target:
    """The handling of packets: `kind` in the kernel's terms and paths for `unicast`, or those of group `group`."""

    kind: str = "unicast"
    paths: tuple[path, ...] = ()
    group: int = 0


def family(prefix: str) -> int:
    return 6 if ":" in prefix else 4


def fixed_routes() -> dict[str, target]:
    """The routes of oracle/networks.py."""
    found = {}
    for line in networks.ROUTES:
        words = line.split()
        if words[0] in ("blackhole", "unreachable", "prohibit"):
            found[words[1]] = target(words[0])
        elif words[1] == "nhid":
            gateway = {"7": "10.0.0.3", "8": "2001:db8::3"}[words[2]]
            found[words[0]] = target(paths=(path(gateway, 0),))
        elif words[1] == "dev":
            found[words[0]] = target(paths=(path("", int(words[2][2:])),))
        else:
            gateway = words[2] if words[2] != "inet6" else words[3]
            number = gateway.split(".")[2] if "." in gateway else gateway.split(":")[2] or "0"
            found[words[0]] = target(paths=(path(gateway, int(number)),))
    return found


class table:
    """The routes that the source should have announced so far, and random changes of them."""

    def __init__(self, seed: int, single_paths: bool) -> None:
        self.random = random.Random(seed)
        self.single_paths = single_paths  # for files, which have neither groups nor several paths
        self.routes: dict[str, target] = {}
        self.groups: dict[int, target] = {}
        if not single_paths:
            self.groups = {one: self.by_one_path(4) for one in IPV4_GROUPS}
            self.groups |= {one: self.by_one_path(6) for one in IPV6_GROUPS}

    def random_prefix(self) -> str:
        if self.random.random() < IPV4_ROUTES / (IPV4_ROUTES + IPV6_ROUTES):
            i = self.random.randrange(IPV4_ROUTES)
            return f"60.{i}.0.0/16" if i < 8 else f"60.{i // 256}.{i % 256}.0/24"
        i = self.random.randrange(IPV6_ROUTES)
        return f"2001:db8:6{i:x}00::/40" if i < 6 else f"2001:db8:6{i:03x}::/48"

    def gateway(self, of: int, port: int) -> str:
        host = self.random.choice(networks.HOSTS)
        return f"10.0.{port}.{host}" if of == 4 else str(ipaddress.ip_address(f"2001:db8:{port}::{host}"))

    def by_one_path(self, of: int) -> target:
        port = self.random.randrange(PORTS)
        return target(paths=(path(self.gateway(of, port), port),))

    def random_target(self, of: int) -> target:
        draw = self.random.random()
        if draw < 0.15:
            return target(self.random.choice(["blackhole", "unreachable", "prohibit"]))
        if self.single_paths or draw < 0.6:
            return self.by_one_path(of)
        if draw < 0.8:
            return target(group=self.random.choice(IPV4_GROUPS if of == 4 else IPV6_GROUPS))
        ports = self.random.sample(range(PORTS), self.random.choice([2, 3]))
        return target(paths=tuple(path(self.gateway(of, p), p, self.random.choice([1, 1, 2, 7])) for p in ports))

    def change(self, count: int) -> dict[str, target | None]:
        """Announces and withdraws at random; on average 1/3 of all possible routes is missing."""
        changes: dict[str, target | None] = {}
        for _ in range(count):
            prefix = self.random_prefix()
            changes[prefix] = None if self.random.random() < 1 / 3 else self.random_target(family(prefix))
        for prefix, to in changes.items():
            if to is None:
                self.routes.pop(prefix, None)
            else:
                self.routes[prefix] = to
        return changes

    def change_groups(self, count: int) -> dict[int, target]:
        chosen = self.random.sample(sorted(self.groups), min(count, len(self.groups)))
        changes = {one: self.by_one_path(4 if one in IPV4_GROUPS else 6) for one in chosen}
        self.groups |= changes
        return changes

    def resolved(self, to: target) -> target:
        return self.groups[to.group] if to.group else to

    def match(self, address: str) -> target | None:
        """The target of the longest prefix that contains the address."""
        asked = ipaddress.ip_address(address)
        lengths = (24, 16) if asked.version == 4 else (48, 40)
        for length in lengths:
            found = self.routes.get(str(ipaddress.ip_network((int(asked), length), strict=False)))
            if found:
                return self.resolved(found)
        return None

    def wording(self) -> dict[str, frozenset[str]]:
        """Returns the text that the router should print for it."""
        return {prefix: self.words_of(self.resolved(to)) for prefix, to in self.routes.items()}

    @staticmethod
    def words_of(to: target) -> frozenset[str]:
        return frozenset(map(str, to.paths)) if to.kind == "unicast" else frozenset([to.kind])


def told(page: str) -> dict[str, frozenset[str]]:
    """Returns the changing routes of the router, from its page of all routes."""
    rows = [line.split(" ", 1) for line in page.splitlines()]
    return {
        prefix: frozenset(words.split("+")) for prefix, words in rows if prefix.startswith(("60.", "2001:db8:6"))
    }
