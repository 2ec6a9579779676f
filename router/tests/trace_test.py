#!/usr/bin/env python3
"""`fingerpost router trace` and `capture` between hosts in namespaces.

10,000 random packets are traced: each report contains the prefix of the longest match among the test's routes, and the prefix
and next hop that `fingerpost router lookup` prints. Packets dropped for several reasons are captured, and tshark reads
them with their reasons.

$FINGERPOST is the program, $FINGERPOST_ROUTER the router. Exit status 77: skipped.
"""

import ipaddress
import json
import os
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from oracle.networks import inside
from oracle.packets import ethernet, ipv4_packet, ipv6_packet, mac, udp
from wires.network import HOST_MACS, ROUTER_MACS, RouterNetwork, host_address, wait_for, why_not

PROGRAM = os.environ.get("FINGERPOST", "")
WANTED = {4: 6000, 6: 4000}
ROUTES = {4: 1500, 6: 1000}
BATCH = 200
UDP = 17
TYPES = {4: 0x0800, 6: 0x86DD}
SOURCES = {family: ipaddress.ip_address(host_address(family, 0)).packed for family in (4, 6)}


def program(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, "router", *words], capture_output=True, text=True, timeout=120)


class Routes:
    """Random routes of one family, and their longest match."""

    def __init__(self, family: int, seed: int) -> None:
        dice = random.Random(seed)
        self.bits = 32 if family == 4 else 128
        self.family, self.all = family, {}
        # 100.64.0.0/10 and 2001:db8:8000::/33 contain nothing else of the network.
        base, least = (0x64400000, 10) if family == 4 else (0x20010DB8 << 96 | 1 << 95, 33)
        self.inside = (base, least)
        while len(self.all) < ROUTES[family]:
            length = dice.randint(least + 2, 32 if family == 4 else 64)
            value = self.random_address(dice) >> (self.bits - length) << (self.bits - length)
            hop = dice.choice(("host", "host", "host", "group", "blackhole"))
            self.all[value, length] = hop

    def random_address(self, dice: random.Random) -> int:
        base, length = self.inside
        return base | dice.getrandbits(self.bits - length)

    def lines(self) -> list[str]:
        here, there = host_address(self.family, 1), host_address(self.family, 2)
        hops = {
            "host": f"via {here}",
            "group": f"nexthop via {here} nexthop via {there}",
            "blackhole": "dev lo",
        }
        lines = []
        for (value, length), hop in self.all.items():
            kind = "blackhole " if hop == "blackhole" else ""
            lines.append(f"route add {kind}{self.text(value)}/{length}" + ("" if kind else f" {hops[hop]}"))
        return lines

    def text(self, value: int) -> str:
        return str(ipaddress.IPv4Address(value) if self.family == 4 else ipaddress.IPv6Address(value))

    def match(self, address: str) -> str:
        value = int(ipaddress.ip_address(address))
        for length in range(self.bits, -1, -1):
            base = value >> (self.bits - length) << (self.bits - length)
            if (base, length) in self.all:
                return f"{self.text(base)}/{length}"
        return ""


class Sender:
    """Raw frames from host 0 to the router's first port."""

    def __init__(self, space: str) -> None:
        with inside(space):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
            self.socket.bind(("eth0", 0))
        self.dice = random.Random(5)

    def send(self, family: int, packet: bytes) -> None:
        self.socket.send(ethernet(mac(ROUTER_MACS[0]), mac(HOST_MACS[0]), TYPES[family], packet))

    def send_to(self, family: int, to: str, ttl: int = 64) -> None:
        there = ipaddress.ip_address(to).packed
        payload = udp(SOURCES[family], there, (self.dice.randrange(1024, 65536), 9), b"traced")
        if family == 4:
            self.send(4, ipv4_packet(SOURCES[4], there, UDP, payload, ttl=ttl))
        else:
            self.send(6, ipv6_packet(SOURCES[6], there, UDP, payload, hops=ttl))


def traced(sender: Sender, routes: Routes, folder: Path) -> list[dict]:
    """Sends random packets until enough of them have been traced."""
    told = folder / f"trace{routes.family}"
    everything = "0.0.0.0/0" if routes.family == 4 else "::/0"
    command = [PROGRAM, "router", "trace", "--from", "fp0", "--to", everything, "--format", "json"]
    command += ["--limit", str(WANTED[routes.family] + 300), "--seconds", "240"]
    with told.open("w") as out:
        trace = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True)
        while trace.poll() is None:
            for _ in range(BATCH):
                sender.send_to(routes.family, routes.text(routes.random_address(sender.dice)))
            time.sleep(0.02)
        _, said = trace.communicate()
    assert trace.returncode == 0, said
    packets = [json.loads(line) for line in told.read_text().splitlines()]
    return [one for one in packets if any(event["what"] == "looked up" for event in one["events"])]


def tells_the_routes(sender: Sender, routes: Routes, folder: Path) -> None:
    packets = traced(sender, routes, folder)
    assert len(packets) >= WANTED[routes.family], len(packets)
    lookups = {}
    addresses = sorted({one["destination"] for one in packets})
    for first in range(0, len(addresses), 500):
        done = program("lookup", "--format", "json", *addresses[first : first + 500])
        assert done.returncode == 0, done.stderr
        lookups |= json.loads(done.stdout)
    kinds = set()
    for one in packets:
        event = next(event for event in one["events"] if event["what"] == "looked up")
        assert event["changed"] == 0, one
        asked = lookups[one["destination"]]
        assert (event.get("prefix", ""), event.get("via", "")) == (asked["prefix"], asked["via"]), (one, asked)
        inside_routes = routes.match(one["destination"])
        if inside_routes:
            assert event["prefix"] == inside_routes, (one, inside_routes)
        last = one["steps"][-1]
        if "via" in event:
            assert last["result"] != "answered" or f"next hop {event['via']}" in last["sentence"], one
        if "member" in event:
            assert event["member"] in event["via"].split("+"), event
        kinds.add((event["action"], "member" in event, one["events"][-1]["what"]))
    assert {("forward", False, "sent"), ("forward", True, "sent"), ("blackhole", False, "dropped")} <= kinds, kinds


def tells_people(sender: Sender, routes: Routes) -> None:
    to = next(routes.text(value) for (value, length), hop in routes.all.items() if hop == "host" and length > 26)
    prefix = routes.match(to)
    command = [PROGRAM, "router", "trace", "--to", prefix, "--limit", "1"]
    trace = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while trace.poll() is None:
        sender.send_to(4, to)
        time.sleep(0.05)
    text, said = trace.communicate()
    assert (trace.returncode, said) == (0, ""), said
    for words in ("10.0.0.2 port ", f" to {to} port 9, UDP, TTL 64", "came in    ", "checked    ", prefix):
        assert words in text, (words, text)
    for words in ("1. Read ", "Answer: next hop 10.0.1.2%fp1.", "sent         by fp1", "TTL 64 -> 63"):
        assert words in text, (words, text)


def refuses(words: str, code: int, *call: str) -> None:
    done = program(*call)
    assert (done.returncode, words in done.stderr) == (code, True), (call, done.returncode, done.stderr)


def refuses_wrong_calls(sender: Sender) -> None:
    refuses("there is no port 'eth7'; ports: fp0, fp1, fp2", 1, "trace", "--from", "eth7")
    refuses("--to", 2, "trace", "--to", "10.0.0.0/40")
    refuses("--limit", 2, "trace", "--limit", "0")
    refuses("--drops", 2, "capture")
    refuses("/nowhere", 1, "capture", "--drops", "/nowhere/drops.pcapng")
    command = [PROGRAM, "router", "trace", "--limit", "1000000", "--format", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None

        def has_begun() -> bool:
            sender.send_to(4, host_address(4, 1))
            return bool(select.select([first.stdout], [], [], 0)[0])

        wait_for("the first trace", has_begun)
        refuses("another trace is running, for at most", 1, "trace")
        first.send_signal(signal.SIGINT)
        told, _ = first.communicate(timeout=60)
        assert first.returncode == 0 and json.loads(told.splitlines()[-1])["events"], told[-300:]


def replaces_a_dead_reader(sender: Sender, folder: Path) -> None:
    """A killed reader cannot end its session. The next one waits for its 15 seconds, not for a minute."""
    for word, first, next_one in (
        ("trace", ["trace"], ["trace"]),
        ("capture", ["capture", "--drops", "-"], ["capture", "--drops", str(folder / "rest.pcapng")]),
    ):
        with subprocess.Popen([PROGRAM, "router", *first, "--limit", "1000000"], stdout=subprocess.PIPE) as reader:

            def has_begun(of: subprocess.Popen = reader) -> bool:
                sender.send_to(4, host_address(4, 1))
                return bool(select.select([of.stdout], [], [], 0)[0])

            wait_for(f"the first {word}", has_begun)
            reader.kill()
        refusals = []

        def starts(call: list[str] = next_one) -> bool:
            sender.send_to(4, host_address(4, 1))
            done = program(*call, "--limit", "1", "--seconds", "0.1")
            refusals.append(done.stderr)
            return done.returncode == 0

        wait_for(f"a {word} after a dead reader", starts)
        told = [re.search(r"is not being read \(for (\d+) s\); it will be given up in (\d+) s", one) for one in refusals]
        sums = {int(one[1]) + int(one[2]) for one in told if one}
        assert sums and sums <= {15, 16}, refusals


def captures_drops(sender: Sender, network: RouterNetwork, folder: Path) -> None:
    here = SOURCES[4]
    faulty = bytearray(ipv4_packet(here, socket.inet_aton("100.64.0.1"), UDP, b"checksum"))
    faulty[10] ^= 0xFF
    wanted = {
        "bad_ip_checksum": (4, bytes(faulty)),
        "martian_source": (4, ipv4_packet(socket.inet_aton("127.0.0.1"), socket.inet_aton("100.64.0.2"), UDP, b"m")),
        "no_route": (4, ipv4_packet(here, socket.inet_aton("9.9.9.9"), UDP, b"n")),
        "ttl_expired": (4, ipv4_packet(here, socket.inet_aton(host_address(4, 1)), UDP, b"t", ttl=1)),
        "blackhole": (6, ipv6_packet(SOURCES[6], ipaddress.ip_address("2001:db8:7fff::1").packed, UDP, b"b")),
    }
    network.change(["route add blackhole 2001:db8:7fff::/48"])
    file = folder / "drops.pcapng"
    command = [PROGRAM, "router", "capture", "--drops", str(file), "--limit", "200", "--seconds", "120"]
    capture = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while capture.poll() is None:
        for family, packet in wanted.values():
            sender.send(family, packet)
        time.sleep(0.02)
    _, said = capture.communicate(timeout=60)
    assert capture.returncode == 0 and "dropped packets in " in said, said
    fields = ["frame.comment", "frame.interface_name", "frame.packet_flags_direction", "ip.dst", "ipv6.dst", "frame.len"]
    command = ["tshark", "-r", str(file), "-T", "fields"] + [word for one in fields for word in ("-e", one)]
    read = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = {tuple(line.split("\t")) for line in read.splitlines()}
    reasons = {row[0].partition(":")[0]: row for row in rows if row[0].partition(":")[0] in wanted}
    assert set(reasons) == set(wanted), (set(wanted) - set(reasons), rows)
    for reason, (family, packet) in wanted.items():
        there = socket.inet_ntoa(packet[16:20]) if family == 4 else "2001:db8:7fff::1"
        row = [one for one in rows if one[0].startswith(reason + ":") and there in one[3:5]]
        assert row and row[0][1:3] == ("fp0", "0x00000001"), (reason, rows)
        assert int(row[0][5]) == 14 + len(packet), (reason, row)


def test(folder: Path) -> None:
    os.environ["RUNTIME_DIRECTORY"] = str(folder)
    os.environ.pop("COLUMNS", None)
    network = RouterNetwork(f"fp-tr-{os.getpid()}", 3, {}, folder)
    with network:
        tables = [Routes(family, family) for family in (4, 6)]
        for table in tables:
            network.change(table.lines())
        wanted = sum(len(table.all) for table in tables)

        def learned() -> bool:
            told = json.loads(program("show", "--format", "json").stdout or "{}")
            return told.get("ipv4_routes", 0) + told.get("ipv6_routes", 0) >= wanted

        wait_for("the routes", learned)
        sender = Sender(network.hosts[0].space)
        for table in tables:
            tells_the_routes(sender, table, folder)
        tells_people(sender, tables[0])
        refuses_wrong_calls(sender)
        replaces_a_dead_reader(sender, folder)
        captures_drops(sender, network, folder)
        assert network.process is not None and network.process.poll() is None, network.log.read_text()


def main() -> int:
    reason = why_not(os.environ.get("FINGERPOST_ROUTER", ""))
    if not os.access(PROGRAM, os.X_OK):
        reason = reason or "$FINGERPOST is no program: build the target program"
    if shutil.which("tshark") is None:
        reason = reason or "needs tshark (tools/setup router)"
    if reason:
        print(f"SKIPPED: trace_test {reason}", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-tr-") as folder:
        test(Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
