"""Packets of all kinds, among them some with a fixed, known path: all of these must arrive."""

import ipaddress
import time

from oracle import networks
from oracle.comparison import OWN, view
from oracle.generator import generator
from oracle.packets import IPV4, IPV6, UDP, ipv4, ipv4_packet, ipv6, ipv6_packet, token, udp
from oracle.samples import number_of
from soak.tables import PORTS, table
from soak.watched_router import PATIENCE

MIXED, UNANSWERED = 4000, 60
MIXED_AT_ONCE, STEADY_AT_ONCE = 200, 24
FIRST_NUMBER, LAST_NUMBER = 0xE00000, 0xFFFFFF
STEADY = [f"50.{port}.9.1" for port in range(PORTS)] + [f"2001:db8:500{port}::1" for port in range(PORTS)]


def mac_of_host(port: int, host: int) -> bytes:
    return bytes([2, 0, 0, 0, port + 3, host])


class traffic:
    def __init__(self, on: networks.network, seed: int) -> None:
        self.network, self.generator = on, generator(seed)
        self.random = self.generator.random
        made = [self.generator.sample(i) for i in range(MIXED)]
        made += [self.generator.unanswered(MIXED + i) for i in range(UNANSWERED)]
        self.mixed = [(one.port, one.frame) for one in made]
        self.number = FIRST_NUMBER
        self.sent = self.came_out = self.steady = 0

    def next_number(self) -> int:
        self.number = self.number + 1 if self.number < LAST_NUMBER else FIRST_NUMBER
        return self.number

    def packet(self, to: str, hops: int, number: int) -> tuple[int, bytes]:
        """Returns a packet: its Ethernet type and its bytes."""
        if ":" in to:
            source, target = self.generator.ipv6_home(number, 20), ipv6(to)
            return IPV6, ipv6_packet(source, target, UDP, udp(source, target, (7, 7), token(number)), hops=hops)
        source, target = self.generator.ipv4_home(number, 20), ipv4(to)
        return IPV4, ipv4_packet(source, target, UDP, udp(source, target, (7, 7), token(number)), ttl=hops)

    def forwarded(self, to: str, number: int, out: int, mac: bytes) -> bytes:
        kind, packet = self.packet(to, 63, number)
        return mac + networks.OWN_MACS[out] + kind.to_bytes(2) + packet

    def send(self, port: int, frame: bytes) -> None:
        self.network.send(port, frame)
        self.sent += 1

    def send_to(self, to: str) -> int:
        number, port = self.next_number(), self.random.randrange(PORTS)
        kind, packet = self.packet(to, 64, number)
        self.send(port, self.generator.frame(port, kind, packet))
        return number

    def window(self) -> None:
        """Sends packets of all kinds, and waits until those with a known path have arrived."""
        wanted = {}
        for port, frame in self.random.choices(self.mixed, k=MIXED_AT_ONCE):
            self.send(port, frame)
        for _ in range(STEADY_AT_ONCE):
            to = self.random.choice(STEADY)
            number = self.send_to(to)
            port = int(to[3]) if "." in to else int(to[12])
            wanted[number] = (port, self.forwarded(to, number, port, mac_of_host(port, 2)))
        self.steady += len(wanted)
        self.expect(wanted)

    def expect(self, wanted: dict[int, tuple[int, bytes]]) -> None:
        end = time.monotonic() + PATIENCE
        while wanted:
            for port, frame in self.network.take(1.0):
                self.came_out += 1
                number = number_of(frame)
                if number not in wanted:
                    continue
                if (port, frame) != wanted.pop(number):
                    raise AssertionError(f"packet {number:x} left by port {port} as {frame.hex()}")
            if wanted and time.monotonic() > end:
                port, frame = next(iter(wanted.values()))
                raise AssertionError(f"{len(wanted)} packets did not come out, one by port {port}: {frame.hex()}")

    def probe(self, routes: table, count: int) -> int:
        """Packets to addresses of the changing routes follow the table; returns how many were forwarded."""
        ways: dict[int, list[tuple[int, bytes]]] = {}
        for _ in range(count):
            to = self.address_below(routes.random_prefix())
            found = routes.match(to)
            number = self.send_to(to)
            paths = found.paths if found else ()
            ways[number] = [
                (p.port, self.forwarded(to, number, p.port, mac_of_host(p.port, self.host_of(p.gateway))))
                for p in paths
            ]
        open_ones = {number for number, options in ways.items() if options}
        forwarded = len(open_ones)
        end = time.monotonic() + PATIENCE
        quiet = 0
        while quiet < 2:
            frames = self.network.take(0.2)
            quiet = 0 if frames or open_ones else quiet + 1
            for port, frame in frames:
                self.came_out += 1
                number = number_of(frame)
                if number not in ways:
                    continue
                if ways[number] and (port, frame) not in ways[number]:
                    raise AssertionError(f"probe {number:x} left by port {port} as {frame.hex()}")
                if not ways[number] and view.of(port, frame).source not in OWN:
                    raise AssertionError(f"a probe without a way left by port {port} as {frame.hex()}")
                open_ones.discard(number)
            if time.monotonic() > end:
                options = ways[next(iter(open_ones))] if open_ones else []
                raise AssertionError(f"{len(open_ones)} probes did not come out; one may leave as {options}")
        return forwarded

    def take_the_rest(self) -> None:
        """Waits until no more packets come out."""
        while frames := self.network.take(0.1):
            self.came_out += len(frames)

    def address_below(self, prefix: str) -> str:
        net = ipaddress.ip_network(prefix)
        return str(net[self.random.randrange(1, 200)])

    @staticmethod
    def host_of(gateway: str) -> int:
        return int(gateway.replace(":", ".").split(".")[-1])
