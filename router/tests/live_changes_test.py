#!/usr/bin/env python3
"""The configuration changes while 100,000 packets per second are forwarded: none is lost, none goes to a wrong next hop.

    h0: stamped_packets ──▶ the router ──▶ h1: stamped_packets      each next hop has a MAC address of its own, which
                                                                    the receiver compares

`fingerpost router set`, `fingerpost router reload` and SIGHUP change the scheme, the source of routes, threads, MTUs and
addresses.
$FINGERPOST_ROUTER is the router, $FINGERPOST the program, $FINGERPOST_STAMPED the program that sends and receives. Needs root;
exit status 77: skipped.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from oracle.networks import set_kernel
from wires.network import ROUTER_MACS, RouterNetwork, wait_for, why_not

PROGRAM = os.environ.get("FINGERPOST", "")
STAMPED = os.environ.get("FINGERPOST_STAMPED", "")
RATE = 125_000
HOPS = 16
# Some schemes that are patched, some that are rebuilt for each change, and one for IPv6 only.
SCHEMES = ["poptrie", "trie_24_8", "hash_by_length", "planb", "sail_l", ""]
ROUTES = [f"20.{i}.0.0/{length}" for i in range(64) for length in (16, 24)]
ROUTES6 = [f"2001:db8:{1000 + i}::/{length}" for i in range(64) for length in (48, 64)]
# The longer of two routes leads to hop i; the shorter one leads to another hop.
TARGETS = [f"20.{i}.0.9" if i % 2 == 0 else f"2001:db8:{1000 + i}::9" for i in range(HOPS)]
# Packets then wait instead of being lost while other processes use the cores.
DEEP = ",framecnt=65536"


def hop_of(route: str) -> int:
    number = int(route.split(":")[2]) - 1000 if ":" in route else int(route.split(".")[1])
    is_long = route.endswith(("/24", "/64"))
    return number % HOPS if is_long else (number + 1) % HOPS


def gateway(family: int, hop: int) -> str:
    return f"10.0.1.{10 + hop}" if family == 4 else f"2001:db8:1::{10 + hop:x}"


class ChangingNetwork(RouterNetwork):
    def settings(self) -> str:
        text = super().settings()
        for host in self.hosts:
            text = text.replace(f'iface=w{host.number}"', f'iface=w{host.number}{DEEP}"')
        return text

    def configure(self) -> None:
        super().configure()
        lines = []
        for hop in range(HOPS):
            for family in (4, 6):
                lines.append(f"neigh add {gateway(family, hop)} lladdr 02:00:00:00:03:{hop:02x} dev fp1 nud permanent")
        lines += [f"route add {one} via {gateway(4, hop_of(one))}" for one in ROUTES]
        lines += [f"route add {one} via {gateway(6, hop_of(one))}" for one in ROUTES6]
        self.change(lines)

    @property
    def socket(self) -> str:
        assert self.process is not None
        return f"/var/run/dpdk/fingerpost-router-{self.process.pid}/dpdk_telemetry.v2"

    def program(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([PROGRAM, "router", *words, "--socket", self.socket], capture_output=True, text=True)

    def told(self, *words: str) -> dict:
        return json.loads(self.program(*words, "--format", "json").stdout)

    def good(self, *words: str) -> list[str]:
        done = self.program(*words)
        assert done.returncode == 0, f"{words}: {done.stderr}\n{self.log.read_text()[-2000:]}"
        return done.stdout.splitlines()

    def refused(self, *words: str) -> str:
        done = self.program(*words)
        assert done.returncode == 1 and done.stdout == "", f"{words} is not refused: {done.stdout}{done.stderr}"
        assert done.stderr.endswith("nothing was changed\n"), done.stderr
        return done.stderr

    def schemes(self) -> list[str]:
        return [one["scheme"] for one in self.told("show", "tables").values()]

    def write(self, text: str) -> None:
        (self.folder / "router.toml").write_text(text)

    def hang_up(self, awaited: str) -> None:
        assert self.process is not None
        before = self.log.read_text().count(awaited)
        self.process.send_signal(signal.SIGHUP)
        wait_for(f"'{awaited}' in the log", lambda: self.log.read_text().count(awaited) > before)


class Traffic:
    """Stamped packets from the first host to the second, while the body of the context runs."""

    def __init__(self, network: ChangingNetwork) -> None:
        ends = [network.hosts[0].space, "eth0", ROUTER_MACS[0], network.hosts[1].space, "eth0"]
        command = [STAMPED, *ends, str(RATE), *TARGETS]
        self.network = network
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def sent(self) -> int:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("?")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def go_on(self, packets: int) -> None:
        """Waits until `packets` more packets have been sent."""
        end = self.sent() + packets
        wait_for(f"{packets} packets", lambda: self.sent() >= end)

    def __enter__(self) -> "Traffic":
        self.go_on(1000)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        text, _ = self.process.communicate(timeout=60)
        if kind is not None:
            return
        told = json.loads(text.splitlines()[-1])
        print(f"live_changes_test: {told}")
        ports = self.network.told("show", "ports")
        drops = {name: count for name, count in self.network.told("show", "drops").items() if count}
        faults = [told[name] for name in ("lost", "wrong", "twice", "reordered")]
        assert faults == [0, 0, 0, 0] and told["sent"] > 10_000, f"{told}\n{drops}\n{ports}"


def changes_schemes(network: ChangingNetwork, traffic: Traffic) -> None:
    now = ""
    for number, scheme in enumerate(SCHEMES):
        # Routes change in the meantime, from a next hop to itself, and next to the traffic.
        churn = [f"route replace {one} via {gateway(4, hop_of(one))}" for one in ROUTES]
        churn += [f"route replace 30.{number}.{i}.0/24 via {gateway(4, i % HOPS)}" for i in range(200)]
        changing = subprocess.Popen(["ip", "-n", network.middle, "-batch", "-"], stdin=subprocess.PIPE, text=True)
        assert changing.stdin is not None
        changing.stdin.write("\n".join(churn) + "\n")
        changing.stdin.close()
        lines = network.good("set", f"scheme={scheme}")
        assert lines == [f'changed: scheme: "{now}", now "{scheme}"'], lines
        assert changing.wait() == 0
        assert scheme in (*network.schemes(), ""), (scheme, network.schemes())
        traffic.go_on(20_000)
        now = scheme
    assert network.good("set", "scheme=") == ["nothing differs"]


def refuses_as_a_whole(network: ChangingNetwork) -> None:
    before = network.told("show", "tables")["IPv4"]["scheme"]
    said = network.refused("set", "scheme=poptrie", "port.fp0.mtu=99999")
    assert "port.mtu is 99999; allowed: a whole number from 576 to 9600" in said, said
    said = network.refused("set", "scheme=poptrie", "memory.megabytes=600")
    assert "memory.megabytes: 256, now 600: this change needs a restart" in said, said
    said = network.refused("set", "scheme=poptrie", "routes=./no-such-file.txt")
    assert "no-such-file.txt" in said, said
    said = network.refused("set", "scheme=poptrie", "port.fp0.mtu=9000")
    assert "port.fp0.mtu: 1500, now 9000: this change needs a restart" in said, said
    assert network.told("show", "tables")["IPv4"]["scheme"] == before
    assert network.shown("link", "show", "fp0")[0]["mtu"] == 1500


def addresses(network: ChangingNetwork, port: str) -> set[str]:
    found = network.shown("addr", "show", port, "scope", "global")[0]["addr_info"]
    return {f"{one['local']}/{one['prefixlen']}" for one in found if one}


def changes_ports(network: ChangingNetwork) -> None:
    before = addresses(network, "fp1")
    network.good("set", "port.fp0.mtu=1400", "port.fp1.addresses+=198.51.100.1/24,2001:db8:77::1/64")
    assert network.shown("link", "show", "fp0")[0]["mtu"] == 1400
    assert addresses(network, "fp1") == before | {"198.51.100.1/24", "2001:db8:77::1/64"}, addresses(network, "fp1")
    wait_for("the network", lambda: "connected" in network.good("lookup", "198.51.100.7")[1])
    # Another first address of the same network.
    network.good(
        "set", "port.fp0.mtu=1500", "port.fp1.addresses-=198.51.100.1/24", "port.fp1.addresses+=198.51.100.2/24"
    )
    assert addresses(network, "fp1") == before | {"198.51.100.2/24", "2001:db8:77::1/64"}, addresses(network, "fp1")
    network.good("set", "port.fp1.addresses=")
    assert addresses(network, "fp1") == before


def takes_back(network: ChangingNetwork) -> None:
    """The kernel refuses the last of several changes, so the earlier ones are undone."""
    set_kernel(network.middle, {"net.ipv6.conf.fp2.disable_ipv6": 1})
    before = network.schemes(), addresses(network, "fp1")
    said = network.refused(
        "set", "port.fp0.mtu=1300", "port.fp1.addresses+=10.0.77.1/24", "port.fp2.addresses+=2001:db8:78::1/64"
    )
    assert "port 'fp2': address 2001:db8:78::1/64" in said, said
    assert network.shown("link", "show", "fp0")[0]["mtu"] == 1500
    assert (network.schemes(), addresses(network, "fp1")) == before
    assert network.good("set", "scheme=") == ["nothing differs"]


def changes_threads(network: ChangingNetwork, traffic: Traffic) -> None:
    """New threads replace the running ones; packets wait in the rings of the ports in the meantime."""
    before = network.told("show")["received"]
    for settings, threads in (
        # Rings that can hold more packets than there are buffers lose none, however late a thread gets its core.
        (["threads.burst=64", "threads.ring=32768", "kernel.icmp_rate=0"], {"complete0", "host"}),
        (["threads.mode=pipeline"], {"receive0", "lookup0", "send0", "host"}),
        (["threads.lookup=3"], {"receive0", "lookup0", "lookup1", "lookup2", "send0", "host"}),
        (["threads.mode=fused", "scheme=poptrie"], {"receive0", "fused0", "fused1", "fused2", "host"}),
        (["threads.lookup=1"], {"receive0", "fused0", "host"}),
        (["threads.mode=complete", "threads.receive=2", "scheme="], {"complete0", "complete1", "host"}),
        (
            ["threads.receive=1", "threads.burst=32", "threads.ring=1024", "kernel.icmp_rate=1000"],
            {"complete0", "host"},
        ),
    ):
        lines = network.good("set", *settings)
        assert len(lines) == len(settings), lines
        assert set(network.told("show", "threads")) == threads, network.told("show", "threads")
        traffic.go_on(20_000)
        now = network.told("show")["received"]
        assert now > before, "counts of former threads are lost"
        before = now
    said = network.refused("set", "scheme=poptrie", "threads.mode=pipeline", "threads.receive=9")
    assert "threads.receive is 9, but all ports together have 3 queues" in said, said


def reloads(network: ChangingNetwork, traffic: Traffic) -> None:
    original = network.settings()
    assert network.good("reload") == ["nothing differs"]
    network.write('scheme = "poptrie"\n' + original.replace("megabytes = 256", "megabytes = 600"))
    lines = network.good("reload")
    assert lines == ['changed: scheme: "", now "poptrie"', "needs a restart: memory.megabytes: 256, now 600"], lines
    network.write('scheme = "planb"\nshceme = "planb"\n' + original)
    said = network.refused("reload")
    assert "router.toml:2:1: error: shceme is not known" in said, said
    network.hang_up("the configuration was refused, and nothing has changed")
    assert "poptrie" in network.schemes(), network.schemes()
    network.write(original)
    network.hang_up('changed: scheme: "poptrie", now ""')
    traffic.go_on(20_000)


def changes_sources(network: ChangingNetwork, traffic: Traffic) -> None:
    """Each new source has its routes before those of the former one are removed; one without routes leaves them stale."""
    file = network.folder / "routes.txt"
    lines = [f"{one} {gateway(4, hop_of(one))}" for one in ROUTES] + [
        f"{one} {gateway(6, hop_of(one))}" for one in ROUTES6
    ]
    file.write_text("\n".join(lines) + "\n")
    kernel = network.told("show")["ipv4_routes"]
    for source in (str(file), "kernel", "fpm", "kernel", "fpm", str(file), "kernel"):
        changed = network.good("set", f"routes={source}")
        assert len(changed) == 1 and changed[0].endswith(f'now "{source}"'), changed
        wait_for(source, lambda kind=source: network.told("show")["source"] == ("file" if "/" in kind else kind))
        traffic.go_on(20_000)
    wait_for("the kernel's routes", lambda: network.told("show")["ipv4_routes"] == kernel)
    # Other FPM times take effect immediately; those of an unused source wait until it is used.
    network.good("set", "routes=fpm", "fpm.hold_time=1h")
    network.good("set", "fpm.hold_time=2h")
    network.good("set", "routes=kernel")
    assert network.program("set", "routes=./missing.txt").returncode == 1
    traffic.go_on(20_000)


def check(network: ChangingNetwork) -> None:
    wait_for("the routes", lambda: network.told("show")["ipv4_routes"] >= len(ROUTES))
    wait_for("the routes", lambda: network.told("show")["ipv6_routes"] >= len(ROUTES6))
    steps: list[Callable[[], None]] = []
    with Traffic(network) as traffic:
        steps += [
            lambda: changes_schemes(network, traffic),
            lambda: refuses_as_a_whole(network),
            lambda: changes_ports(network),
            lambda: takes_back(network),
            lambda: changes_threads(network, traffic),
            lambda: reloads(network, traffic),
            lambda: changes_sources(network, traffic),
        ]
        for step in steps:
            step()


def main() -> int:
    reason = why_not(os.environ.get("FINGERPOST_ROUTER", ""))
    if not reason and not (os.access(PROGRAM, os.X_OK) and os.access(STAMPED, os.X_OK)):
        reason = "needs $FINGERPOST and $FINGERPOST_STAMPED"
    if reason:
        print(f"SKIPPED: live_changes_test {reason}", file=sys.stderr)
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fp-lc-") as folder:
        network = ChangingNetwork(f"fp-lc-{os.getpid()}", 3, {}, Path(folder))
        with network:
            check(network)
    print(f"live_changes_test: {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
