#!/usr/bin/env python3
"""VRFs of fingerpost-router compared with network namespaces of Linux, one for each VRF.

Two VRFs have the same addresses, the same neighbours' addresses and the same prefixes, with different next hops. Packets
are sent into both; the output of the router's ports must equal that of Linux. Then one VRF loses half of its
routes, and one gets a route that leaks into the other. This is done with the kernel's tables as source, with FPM, and,
if BIRD is installed, with routes that BIRD has put into a table of the kernel.

$FINGERPOST_ROUTER is the router, $FINGERPOST the program. Exit status 77: skipped.
"""

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from oracle import networks
from oracle.networks import FAR_MACS, OWN_MACS, SYSCTLS, batch, inside, run, set_kernel
from oracle.packets import IPV4, IPV6, UDP, ethernet, find_token, ipv4, ipv4_packet, ipv6, ipv6_packet, token, udp
from soak import netlink
from soak.tables import family, path, target
from wires.network import wait_for, why_not

VRFS = {"red": (0, 1), "blue": (2, 3)}  # with their ports
TABLES = {"red": 100, "blue": 200_000}  # only the first fits into the byte of the message's header
HOSTS = range(2, 6)
ROUTES, PACKETS = 120, 600
FIRST_MARK = 0xE00000
ICMP_ERRORS = {IPV4: (20, {3, 11}), IPV6: (40, {1, 3})}  # offset of the type, and the types


def vrf_of(port: int) -> str:
    return next(name for name, ports in VRFS.items() if port in ports)


def host_mac(port: int, host: int) -> bytes:
    return bytes([2, 0, 0, 0, 3 + port, host])


def lines_of_port(port: int) -> list[str]:
    """Addresses and neighbours: equal for ports 0 and 2, and for ports 1 and 3, except for the MAC addresses."""
    side, name = port % 2, f"fp{port}"
    lines = [f"link set {name} up", f"addr add 10.0.{side}.1/24 dev {name}"]
    lines.append(f"addr add 2001:db8:{side}::1/64 dev {name} nodad")
    for host in HOSTS:
        for address in (f"10.0.{side}.{host}", f"2001:db8:{side}::{host}"):
            lines.append(f"neigh add {address} lladdr {host_mac(port, host).hex(':')} dev {name} nud permanent")
    return lines


def homes(vrf: str) -> dict[str, target]:
    """The networks of senders, reached through each port."""
    even, odd = VRFS[vrf]
    return {
        "61.0.0.0/8": target(paths=(path("10.0.0.2", even),)),
        "62.0.0.0/8": target(paths=(path("10.0.1.2", odd),)),
        "2001:db8:6100::/40": target(paths=(path("2001:db8:0::2", even),)),
        "2001:db8:6200::/40": target(paths=(path("2001:db8:1::2", odd),)),
    }


def random_target(draw: random.Random, vrf: str, of: int) -> target:
    kind = draw.choice(["unicast"] * 6 + ["blackhole", "unreachable", "prohibit"])
    if kind != "unicast":
        return target(kind)
    side, host = draw.randrange(2), draw.choice(HOSTS)
    gateway = f"10.0.{side}.{host}" if of == 4 else f"2001:db8:{side}::{host}"
    return target(paths=(path(gateway, VRFS[vrf][side]),))


def all_routes(seed: int) -> dict[str, dict[str, target]]:
    """Routes for each VRF; most prefixes are in both, some in only one of them."""
    draw = random.Random(seed)
    routes = {vrf: homes(vrf) for vrf in VRFS}
    for i in range(ROUTES):
        of = 4 if i % 2 else 6
        length = draw.choice([12, 16, 20, 24, 32]) if of == 4 else draw.choice([48, 52, 64, 80, 128])
        if of == 4:
            base = (50 << 24 | draw.getrandbits(20) << 4) >> (32 - length) << (32 - length)
            prefix = f"{socket.inet_ntoa(base.to_bytes(4))}/{length}"
        else:
            value = (0x20010DB8500 << 84 | draw.getrandbits(84)) >> (128 - length) << (128 - length)
            prefix = f"{socket.inet_ntop(socket.AF_INET6, value.to_bytes(16))}/{length}"
        for vrf in draw.choice([("red", "blue")] * 4 + [("red",), ("blue",)]):
            routes[vrf][prefix] = random_target(draw, vrf, of)
    return routes


def ip_words(prefix: str, to: target, table: int | None) -> str:
    if to.kind != "unicast":
        words = f"{to.kind} {prefix}"
    else:
        words = f"{prefix} via {to.paths[0].gateway} dev fp{to.paths[0].port}"
    return words + (f" table {table}" if table is not None else "")


class LinuxVrfs(networks.network):
    """A namespace for each VRF, in which Linux forwards."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.middles = {vrf: f"{name}-{vrf}" for vrf in VRFS}
        self.spaces = [self.far, *self.middles.values()]

    def build(self) -> None:
        self.silence()
        for vrf, space in self.middles.items():
            set_kernel(space, SYSCTLS)
            run("ip", "-n", space, "link", "set", "lo", "up")
            for port in VRFS[vrf]:
                cable = f"link add n{port} address {FAR_MACS[port].hex(':')} arp off type veth peer name fp{port}"
                batch(self.far, [f"{cable} netns {space} address {OWN_MACS[port].hex(':')}", f"link set n{port} up"])
                run("ip", "netns", "exec", space, "ethtool", "-K", f"fp{port}", "tx", "off")
                batch(space, lines_of_port(port))
            set_kernel(space, {"net.ipv4.ip_forward": 1, "net.ipv6.conf.all.forwarding": 1})
            set_kernel(space, {f"net.ipv4.conf.{n}.send_redirects": 0 for n in ["all", *(f"fp{p}" for p in VRFS[vrf])]})

    def change(self, verb: str, vrf: str, routes: dict[str, target]) -> None:
        batch(self.middles[vrf], [f"route {verb} {ip_words(*one, None)}" for one in routes.items()])


class RouterVrfs(networks.router_network):
    """fingerpost-router with both VRFs; all TAPs are in one namespace, where some addresses exist twice."""

    def __init__(self, name: str, folder: Path, source: str, mode: str) -> None:
        super().__init__(name, os.environ["FINGERPOST_ROUTER"], folder, mode, kernel_forwards=False)
        self.source = source

    def settings(self) -> str:
        text = super().settings().replace('routes = "kernel"', f'routes = "{self.source}"')
        for vrf, ports in VRFS.items():
            names = ", ".join(f'"fp{port}"' for port in ports)
            text += f'[[vrf]]\nname = "{vrf}"\ntable = {TABLES[vrf]}\nports = [{names}]\n'
        return text

    def configure(self, forwards: bool) -> None:
        for port in range(networks.PORTS):
            batch(self.middle, lines_of_port(port))
        # A route of the main table belongs to the default VRF, which has no port here.
        batch(self.middle, ["route add 50.0.0.0/8 via 10.0.0.5 dev fp0"])

    def table(self, vrf: str) -> set[str]:
        return {line.split()[0] for line in self.ask(f"routes?vrf={vrf}").splitlines()}

    def count(self, name: str) -> int:
        return int(self.metrics()[name])


class KernelFeed:
    def __init__(self, on: RouterVrfs) -> None:
        self.network = on

    def change(self, verb: str, vrf: str, routes: dict[str, target]) -> None:
        batch(self.network.middle, [f"route {verb} {ip_words(*one, TABLES[vrf])}" for one in routes.items()])


class FpmFeed:
    def __init__(self, on: RouterVrfs) -> None:
        self.network = on
        with inside(on.middle):
            self.socket = socket.create_connection(("127.0.0.1", 2620), 60)
            self.interfaces = [socket.if_nametoindex(f"fp{port}") for port in range(networks.PORTS)]

    def send(self, messages: Iterable[bytes]) -> None:
        self.socket.sendall(b"".join(map(netlink.in_frame, messages)))

    def change(self, verb: str, vrf: str, routes: dict[str, target]) -> None:
        self.send(
            netlink.route(prefix, to if verb == "add" else None, self.interfaces, TABLES[vrf])
            for prefix, to in routes.items()
        )


class Traffic:
    """Sends the same packets into both networks, and compares the output."""

    def __init__(self, linux: LinuxVrfs, router: RouterVrfs, seed: int) -> None:
        self.networks = {"Linux": linux, "the router": router}
        self.draw, self.number, self.mark = random.Random(seed), 0, FIRST_MARK
        self.compared = self.forwarded = self.errors = 0

    def packet(self, kind: int, to: bytes, number: int, side: int, hops: int = 64) -> bytes:
        """From a separate sender on a port of this side, because the router limits errors for each sender."""
        if kind == IPV4:
            source = bytes([61 + side]) + number.to_bytes(3)
            return ipv4_packet(source, to, UDP, udp(source, to, (1000, 9), token(number)), ttl=hops)
        source = ipv6(f"2001:db8:6{1 + side}00::")[:12] + number.to_bytes(4)
        return ipv6_packet(source, to, UDP, udp(source, to, (1000, 9), token(number)), hops=hops)

    def send(self, port: int, kind: int, packet: bytes) -> None:
        for one in self.networks.values():
            one.send(port, ethernet(OWN_MACS[port], FAR_MACS[port], kind, packet))

    def marks(self) -> set[int]:
        """For each port, one packet that is forwarded and one that is answered, sent after all others."""
        made = set()
        for port in range(networks.PORTS):
            for hops in (64, 1):
                self.mark += 1
                self.send(port, IPV4, self.packet(IPV4, ipv4("61.0.0.1"), self.mark, port % 2, hops))
                made.add(self.mark)
        return made

    def gather(self, one: networks.network, marks: set[int]) -> dict[int, list[tuple[int, bytes]]]:
        found: dict[int, list[tuple[int, bytes]]] = {}
        left, end = set(marks), time.monotonic() + 60
        while left or time.monotonic() < end:
            frames = one.take(1.0 if left else 0.05)
            for port, frame in frames:
                number = find_token(frame)
                left.discard(number)
                if number is not None and number < FIRST_MARK:
                    found.setdefault(number, []).append((port, essence(frame)))
            if not left and not frames:
                return found
            assert time.monotonic() < end, f"{one.name}: {len(left)} packets at the end of a window did not come out"
        return found

    def compare(self, targets: dict[str, list[bytes]], what: str) -> None:
        """PACKETS packets to addresses of each VRF."""
        sent = {}
        for i in range(PACKETS):
            vrf = ("red", "blue")[i % 2]
            to = self.draw.choice(targets[vrf])
            self.number += 1
            side = self.draw.randrange(2)
            hops = 1 if i % 20 == 0 else 64
            kind = IPV4 if len(to) == 4 else IPV6
            self.send(VRFS[vrf][side], kind, self.packet(kind, to, self.number, side, hops))
            sent[self.number] = (vrf, to)
            if i % 100 == 99:
                self.check(sent, what)
                sent = {}
        self.check(sent, what)

    def check(self, sent: dict[int, tuple[str, bytes]], what: str) -> None:
        marks = self.marks()
        linux, router = (self.gather(one, marks) for one in self.networks.values())
        for number, (vrf, to) in sent.items():
            assert linux.get(number) == router.get(number), (
                f"{what}: a packet in {vrf} to {to.hex()}\nLinux: {linux.get(number)}\nthe router: {router.get(number)}"
            )
            self.compared += 1
            for _, frame in linux.get(number, []):
                is_error = frame[0] == b"error"
                self.errors += is_error
                self.forwarded += not is_error
        for number, outputs in linux.items():
            for port, _ in outputs:
                assert vrf_of(port) == sent[number][0], (number, port)


def essence(frame: bytes) -> tuple:
    """The whole frame; for ICMP errors the addresses, the type and the quoted packet, because senders choose the rest."""
    kind = int.from_bytes(frame[12:14])
    packet = frame[14:]
    if kind in ICMP_ERRORS:
        at, types = ICMP_ERRORS[kind]
        protocol = packet[9] if kind == IPV4 else packet[6]
        if protocol in (1, 58) and packet[at] in types:
            addresses = packet[12:20] if kind == IPV4 else packet[8:40]
            return b"error", frame[:14], addresses, packet[at : at + 2], packet[at + 8 :]
    return b"packet", frame


def addresses_in(routes: dict[str, dict[str, target]], draw: random.Random) -> dict[str, list[bytes]]:
    """For both VRFs, addresses in the prefixes of either, and some that match none."""
    found = [ipv4("99.1.2.3"), ipv6("2001:db8:9999::1")]
    for prefix in sorted({prefix for of in routes.values() for prefix in of}):
        base, length = prefix.split("/")
        bits = 32 if family(prefix) == 4 else 128
        value = int.from_bytes(netlink.packed(base)) | draw.getrandbits(bits) >> int(length)
        found.append(value.to_bytes(bits // 8))
    return {vrf: found for vrf in VRFS}


def half_of(routes: dict[str, target], keep: dict[str, target]) -> dict[str, target]:
    return {prefix: to for i, (prefix, to) in enumerate(routes.items()) if i % 2 and prefix not in keep}


def wait_for_table(router: RouterVrfs, vrf: str, wanted: Iterable[str], gone: Iterable[str] = ()) -> None:
    def normal(prefix: str) -> str:
        base, length = prefix.split("/")
        of = socket.AF_INET6 if ":" in base else socket.AF_INET
        return f"{socket.inet_ntop(of, socket.inet_pton(of, base))}/{length}"

    there, away = {normal(one) for one in wanted}, {normal(one) for one in gone}
    wait_for(f"the routes of {vrf}", lambda: there <= (now := router.table(vrf)) and not away & now)


def leak(linux: LinuxVrfs, router: RouterVrfs, feed: KernelFeed | FpmFeed, traffic: Traffic) -> None:
    """A route in red leaves by a port of blue, like packets that blue itself forwards there."""
    route = {"70.0.0.0/8": target(paths=(path("10.0.1.3", 3),))}
    feed.change("add", "red", route)
    linux.change("add", "blue", route)
    wait_for_table(router, "red", route)
    for _ in range(20):
        traffic.number += 1
        packet = traffic.packet(IPV4, ipv4("70.1.2.3"), traffic.number, 0)
        router.send(0, ethernet(OWN_MACS[0], FAR_MACS[0], IPV4, packet))
        linux.send(2, ethernet(OWN_MACS[2], FAR_MACS[2], IPV4, packet))
        marks = traffic.marks()
        there, here = (traffic.gather(one, marks).get(traffic.number) for one in (linux, router))
        assert there == here and there and there[0][0] == 3, f"Linux: {there}\nthe router: {here}"
    assert "70.0.0.0/8" not in router.table("blue"), "a leak goes one way"


def shows(router: RouterVrfs, routes: dict[str, dict[str, target]]) -> None:
    """The output of `fingerpost router` for VRFs."""
    program = os.environ.get("FINGERPOST")
    if not program:
        return

    def ask(*words: str) -> dict:
        done = subprocess.run([program, "router", *words, "--format", "json"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    told = {one["name"]: one for one in ask("show", "vrf").values()}
    assert list(told) == ["default", *VRFS], told
    for vrf, ports in VRFS.items():
        assert told[vrf]["table"] == TABLES[vrf], told[vrf]
        assert [told[vrf][f"interface{i}"] for i in range(2)] == [f"fp{port}" for port in ports], told[vrf]
        # In addition to the source's routes, each port has its network, its address, and the network's first and last
        # address.
        of_source = sum(family(prefix) == 4 for prefix in routes[vrf])
        assert told[vrf]["ipv4_routes"] == of_source + 4 * len(ports), told[vrf]
        assert ask("show", "tables", "--vrf", vrf)["IPv4"]["routes"] == told[vrf]["ipv4_routes"]
    for vrf, port in (("red", "fp0"), ("blue", "fp2")):
        way = ask("lookup", "61.1.2.3", "--vrf", vrf)["61.1.2.3"]
        assert (way["port"], way["action"]) == (port, "forward"), way
    assert ask("lookup", "61.1.2.3")["61.1.2.3"]["action"] == "no route", "the default VRF has no such route"
    text = subprocess.run([program, "router", "show", "vrf"], capture_output=True, text=True, check=True).stdout
    assert "200000" in text and "fp2 fp3" in text, text
    wrong = subprocess.run([program, "router", "show", "tables", "--vrf", "green"], capture_output=True, text=True)
    assert (wrong.returncode, "there is no VRF green" in wrong.stderr) == (1, True), wrong


def changes_scheme(router: RouterVrfs, scheme: str) -> bool:
    """All tables of all VRFs get another scheme. Returns False if the command is not built."""
    program = os.environ.get("FINGERPOST")
    if not program:
        return False
    command = [program, "router", "set", f"scheme={scheme}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for vrf in ("default", *VRFS):
        command = [program, "router", "show", "tables", "--vrf", vrf, "--format", "json"]
        tables = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        assert [tables[family]["scheme"] for family in ("IPv4", "IPv6")] == [scheme, scheme], (vrf, tables)
    return True


def with_source(name: str, folder: Path, source: str, mode: str) -> None:
    routes = all_routes(seed=7)
    start = time.monotonic()
    with LinuxVrfs(f"{name}-l") as linux, RouterVrfs(f"{name}-r", folder, source, mode) as router:
        feed = KernelFeed(router) if source == "kernel" else FpmFeed(router)
        for vrf in VRFS:
            linux.change("add", vrf, routes[vrf])
            feed.change("add", vrf, routes[vrf])
        if isinstance(feed, FpmFeed):
            feed.send([netlink.route("50.0.0.0/8", target("blackhole"), feed.interfaces, 300 + i) for i in range(3)])
        for vrf in VRFS:
            wait_for_table(router, vrf, routes[vrf])
        traffic = Traffic(linux, router, seed=8)
        targets = addresses_in(routes, random.Random(9))
        traffic.compare(targets, "two VRFs")
        shows(router, routes)
        gone = half_of(routes["red"], homes("red"))
        feed.change("del", "red", gone)
        linux.change("del", "red", gone)
        wait_for_table(router, "red", set(routes["red"]) - set(gone), gone)
        assert len(set(gone) & router.table("blue")) > 10, "the routes of the other VRF stay"
        traffic.compare(targets, "after red has lost routes")
        if changes_scheme(router, "poptrie"):
            traffic.compare(targets, "by another scheme")
        leak(linux, router, feed, traffic)
        if isinstance(feed, FpmFeed):
            assert router.count('fingerpost_other_table_routes_total{source="fpm"}') == 3
        assert traffic.forwarded > 300 and traffic.errors > 30, (traffic.forwarded, traffic.errors)
    print(
        f"{source}, {mode}: {traffic.compared} packets are as Linux', {traffic.forwarded} forwarded, "
        f"{traffic.errors} answered, in {time.monotonic() - start:.1f} s",
        flush=True,
    )


BIRD = """router id 10.0.0.1;
protocol device {{ }}
ipv4 table red4;
protocol static {{ ipv4 {{ table red4; }}; route 80.0.0.0/8 via 10.0.1.4%'fp1'; }}
protocol kernel {{ ipv4 {{ table red4; export all; }}; kernel table {red}; }}
ipv4 table blue4;
protocol static {{ ipv4 {{ table blue4; }}; route 80.0.0.0/8 via 10.0.1.5%'fp3'; }}
protocol kernel {{ ipv4 {{ table blue4; export all; }}; kernel table {blue}; }}
"""


def with_bird(name: str, folder: Path) -> None:
    """Routes that BIRD puts into tables of the kernel, and removes from one of them."""
    if shutil.which("bird") is None:
        print("no BIRD, so its part is left out")
        return
    with RouterVrfs(f"{name}-b", folder, "kernel", "complete") as router:
        settings, control = folder / "bird.conf", folder / "bird.ctl"
        settings.write_text(BIRD.format(**TABLES))
        words = ["ip", "netns", "exec", router.middle, "bird", "-f", "-c", settings, "-s", control]
        bird = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=(folder / "bird.log").open("w"))
        try:
            for vrf, way in (("red", "10.0.1.4%fp1"), ("blue", "10.0.1.5%fp3")):
                line = f"80.0.0.0/8 {way}"
                wait_for(f"BIRD's route in {vrf}", lambda: line in router.ask(f"routes?vrf={vrf}"))
            settings.write_text(BIRD.format(**TABLES).replace("route 80.0.0.0/8 via 10.0.1.4%'fp1';", ""))
            subprocess.run(["birdc", "-s", control, "configure"], check=True, stdout=subprocess.DEVNULL)
            wait_for_table(router, "red", [], ["80.0.0.0/8"])
            wait_for_table(router, "blue", ["80.0.0.0/8"])
        finally:
            bird.terminate()
            bird.wait(30)
    print("BIRD's routes are in the VRFs of its tables")


def main() -> int:
    if reason := why_not(os.environ.get("FINGERPOST_ROUTER", "")):
        print(f"SKIPPED: vrf_test {reason}", file=sys.stderr)
        return 77
    name = f"fp-vrf-{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="fp-vrf-") as folder:
        os.environ["RUNTIME_DIRECTORY"] = folder
        with_source(name, Path(folder), "kernel", "complete")
        with_source(name, Path(folder), "fpm", "pipeline")
        with_bird(name, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
