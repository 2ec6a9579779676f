"""The rule for IPv4-mapped addresses, as in docs/use/library.md ("Mapped addresses"), implemented as a scan over Python's ipaddress
networks: tables with IPv4 routes and routes within ::ffff:0:0/96, and the route that answers."""

import ipaddress
import random

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

BLOCK = ipaddress.IPv6Network("::ffff:0:0/96")


def longest(networks: "list[Network]", address: Address) -> "Network | None":
    """Returns the longest network that contains this address."""
    found = [one for one in networks if one.version == address.version and address in one]
    return max(found, key=lambda one: one.prefixlen, default=None)


def answering(networks: "list[Network]", address: Address) -> "Network | None":
    """Returns the network that answers for an address in either form."""
    if isinstance(address, ipaddress.IPv4Address):
        within = [one for one in networks if isinstance(one, ipaddress.IPv6Network) and one.subnet_of(BLOCK)]
        return longest(networks, address) or longest(within, ipaddress.IPv6Address(int(BLOCK[0]) + int(address)))
    four = address.ipv4_mapped
    return (longest(networks, four) if four is not None else None) or longest(networks, address)


def mapped(network: ipaddress.IPv4Network) -> ipaddress.IPv6Network:
    return ipaddress.IPv6Network((int(BLOCK[0]) + int(network.network_address), 96 + network.prefixlen))


def random_table(dice: random.Random) -> "list[Network]":
    """Returns random routes of each kind; some kinds may be missing."""
    four = [ipaddress.IPv4Network((dice.getrandbits(32), length), strict=False) for length in dice.choices(range(1, 33), k=6)]
    near = [ipaddress.IPv4Network((int(one[0]), dice.randint(0, 32)), strict=False) for one in four]
    kinds: list[list[Network]] = [
        list(dice.sample(four, 3)),
        [mapped(one) for one in dice.sample(four + near, 5)],
        [ipaddress.IPv6Network(text) for text in dice.sample(["::/0", "::/64", "::/90", "::fffe:0:0/95", "2001:db8::/32"], 2)],
        [ipaddress.IPv4Network("0.0.0.0/0")] if dice.random() < 0.2 else [],
    ]
    chosen = [kind for kind in kinds if dice.random() < 0.75] or kinds
    networks = {one: None for kind in chosen for one in kind}
    # 0.0.0.0/0 as a mapped prefix is the whole mapped block.
    return list(networks)


def addresses_of(networks: "list[Network]", dice: random.Random) -> "list[Address]":
    """Returns the first and last addresses of all networks and their neighbours, in both forms where both exist."""
    found: dict[Address, None] = {ipaddress.IPv6Address("2001:db8::1"): None, ipaddress.IPv6Address("::1"): None}
    for one in networks:
        last = int(one.network_address) + one.num_addresses - 1
        for number in (int(one.network_address), last, last + 1, int(one.network_address) - 1, dice.randint(int(one[0]), last)):
            kind = type(one.network_address)
            address = kind(number % (1 << one.max_prefixlen))
            found[address] = None
            if isinstance(address, ipaddress.IPv4Address):
                found[ipaddress.IPv6Address(int(BLOCK[0]) + int(address))] = None
            elif address.ipv4_mapped is not None:
                found[address.ipv4_mapped] = None
    return list(found)


def same(prefix: "str | None", network: "Network | None") -> bool:
    """Compares networks and not texts, because Python versions format mapped addresses differently."""
    return (prefix is None) == (network is None) and (prefix is None or ipaddress.ip_network(prefix) == network)
