#!/usr/bin/env python3
"""A router that is killed and restarted, as systemd would do it according to the unit, forwards again by itself.

    left ──veth── wires: the router's legs, where it runs ──veth── right          its TAPs are in "taps"

The TAPs get their addresses only from the configuration. There is no systemd here: the test reads the unit's settings and
follows them. $FINGERPOST_ROUTER is the router. Needs root; exit status 77: skipped.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from oracle.networks import inside, run, set_kernel

ROOT = Path(__file__).resolve().parent.parent.parent
ROUTER = os.environ.get("FINGERPOST_ROUTER", "")
SECONDS = 60
# For each side: the router's leg, and the addresses of the router and of the host.
SIDES = {
    "left": ("wire0", ("10.0.0.1/24", "fd00:0:0:a::1/64"), ("10.0.0.2/24", "fd00:0:0:a::2/64")),
    "right": ("wire1", ("10.0.1.1/24", "fd00:0:0:b::1/64"), ("10.0.1.2/24", "fd00:0:0:b::2/64")),
}
SETTINGS = """routes = "kernel"
[threads]
idle = "sleep"
[kernel]
namespace = "{space}"
[memory]
huge = false
megabytes = 160
[telemetry]
prometheus = ""
"""
PORT = """[[port]]
name = "{name}"
device = "net_af_packet{number},iface={leg}"
addresses = {addresses}
vlans = {vlans}
"""


def wait_for(what: str, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {SECONDS} s")
        time.sleep(0.1)


class Unit:
    """Acts like systemd with this unit: starts its command, and restarts it after an end that requires it."""

    def __init__(self, space: str, configuration: Path, log: Path) -> None:
        text = (ROOT / "router/systemd/fingerpost-router.service").read_text()
        self.settings = dict(re.findall(r"^(\w+)=(.*)$", text, re.M))
        program, *words = shlex.split(self.settings["ExecStart"])
        assert (program, words) == ("fingerpost-router", ["/etc/fingerpost/router.toml"]), words
        self.command = ["ip", "netns", "exec", space, ROUTER, str(configuration)]
        self.log = log.open("w")
        self.starts = 0
        self.start()

    def start(self) -> None:
        self.starts += 1
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=self.log)

    def follow(self) -> bool:
        """Waits for the end of the process, and restarts it if the unit requires it."""
        code = self.process.wait(SECONDS)
        assert self.settings["Restart"] == "on-failure"
        prevented = map(int, self.settings["RestartPreventExitStatus"].split())
        if code == 0 or code in prevented:
            return False
        time.sleep(float(self.settings["RestartSec"].removesuffix("s")))
        self.start()
        return True

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)


class Network:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.spaces = {name: f"fp-restart-{os.getpid()}-{name}" for name in ("wires", "taps", *SIDES)}
        self.unit: Unit | None = None
        self.vlans: list[int] = []

    def __enter__(self) -> "Network":
        try:
            for space in self.spaces.values():
                run("ip", "netns", "add", space)
                run("ip", "-n", space, "link", "set", "lo", "up")
            self.vlans = self.possible_vlans()
            wires = {"net.ipv6.conf.all.disable_ipv6": 1, "net.ipv6.conf.default.disable_ipv6": 1}
            set_kernel(self.spaces["wires"], wires | {"net.ipv4.conf.all.arp_ignore": 8})
            for name, (leg, router, host) in SIDES.items():
                self.make_side(self.spaces[name], leg, router, host)
        except BaseException:
            self.__exit__()
            raise
        return self

    def possible_vlans(self) -> list[int]:
        command = ["ip", "-n", self.spaces["taps"], "link", "add", "link", "lo", "name", "probe", "type", "vlan", "id", "5"]
        if subprocess.run(command, capture_output=True).returncode != 0:
            print("restart_test: this kernel has no VLANs, so their addresses are not tested", file=sys.stderr)
            return []
        run("ip", "-n", self.spaces["taps"], "link", "del", "probe")
        return [5]

    def of_router(self, number: int, name: str) -> list[str]:
        return [*SIDES[name][1], *(f"198.51.10{number}.1/24@{vlan}" for vlan in self.vlans)]

    def wanted(self) -> set[str]:
        plain = {f"{name} {one}" for name, (_, router, _) in SIDES.items() for one in router}
        return plain | {f"{name}.{v} 198.51.10{i}.1/24" for i, name in enumerate(SIDES) for v in self.vlans}

    def make_side(self, space: str, leg: str, router: tuple[str, ...], host: tuple[str, ...]) -> None:
        wires = self.spaces["wires"]
        run("ip", "-n", space, "link", "add", "host0", "type", "veth", "peer", "name", leg, "netns", wires)
        run("ip", "-n", wires, "link", "set", leg, "up")
        run("ip", "-n", space, "link", "set", "host0", "up")
        for address, gateway in zip(host, router):
            run("ip", "-n", space, "addr", "add", address, "dev", "host0", *(["nodad"] if ":" in address else []))
            run("ip", "-n", space, "route", "add", "default", "via", gateway.partition("/")[0])

    def __exit__(self, *_: object) -> None:
        if self.unit is not None:
            self.unit.kill()
            self.unit.process.wait()
        for space in self.spaces.values():
            subprocess.run(["ip", "netns", "del", space], capture_output=True)

    def configuration(self, more: str = "") -> str:
        ports = "".join(
            PORT.format(
                name=name, number=i, leg=leg, vlans=self.vlans, addresses=str(self.of_router(i, name)).replace("'", '"')
            )
            for i, (name, (leg, _, _)) in enumerate(SIDES.items())
        )
        return SETTINGS.format(space=self.spaces["taps"]) + ports + more

    def start(self) -> Unit:
        file = self.folder / "router.toml"
        file.write_text(self.configuration())
        self.unit = Unit(self.spaces["wires"], file, self.folder / "log")
        return self.unit

    def arrives(self, to: str, count: int = 1) -> bool:
        """True if all echo requests of the left host to an address of the right one are answered."""
        command = ["ip", "netns", "exec", self.spaces["left"], "ping", "-n", "-q", "-i", "0.01", "-W", "2"]
        return subprocess.run([*command, "-c", str(count), to], capture_output=True).returncode == 0

    def forwards(self) -> None:
        hosts = [address.partition("/")[0] for address in SIDES["right"][2]]
        for to in hosts:
            wait_for(f"an answer of {to}", lambda to=to: self.arrives(to))
        for to in hosts:
            assert self.arrives(to, 100), f"packets to {to} are lost"

    def addresses(self) -> set[str]:
        command = ["ip", "-n", self.spaces["taps"], "-o", "addr", "show", "scope", "global", "-tentative"]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        return {f"{line.split()[1]} {line.split()[3]}" for line in lines}


def survives(network: Network) -> None:
    unit = network.start()
    network.forwards()
    assert network.addresses() == network.wanted(), network.addresses()
    for restarts in (1, 2):
        unit.kill()
        assert unit.follow(), "the unit does not start a router again that was killed"
        network.forwards()
        assert network.addresses() == network.wanted(), network.addresses()
        assert unit.starts == restarts + 1
    unit.process.send_signal(signal.SIGTERM)
    assert not unit.follow(), "a router that was told to end is started again"
    with inside(network.spaces["taps"]):
        left = Path("/proc/thread-self/net/dev").read_text()
    assert all(f"{name}:" in left for name in SIDES), "the TAPs went with the router"
    assert network.addresses() == network.wanted(), network.addresses()


def wrong_configurations_stay_wrong(network: Network) -> None:
    file = network.folder / "router.toml"
    for text, again in (
        (network.configuration("qeues = 3\n"), False),
        (network.configuration() + "[[port", False),
        # Devices that the machine lacks may appear later.
        (network.configuration().replace("iface=wire1", "iface=later0"), True),
    ):
        file.write_text(text)
        unit = network.unit = Unit(network.spaces["wires"], file, network.folder / "log")
        assert unit.follow() == again, f"started again: {not again}\n{(network.folder / 'log').read_text()}"
    # The device appears, and the next start finds it.
    run("ip", "-n", network.spaces["wires"], "link", "set", "wire1", "down")
    run("ip", "-n", network.spaces["wires"], "link", "set", "wire1", "name", "later0")
    run("ip", "-n", network.spaces["wires"], "link", "set", "later0", "up")
    while unit.process.poll() is not None or not network.arrives("10.0.1.2"):
        if unit.process.poll() is not None:
            assert unit.follow() and unit.starts < 20, (network.folder / "log").read_text()


def main() -> int:
    if os.geteuid() != 0 or not Path(ROUTER).is_file() or not os.path.exists("/dev/net/tun"):
        print("SKIPPED: restart_test needs root, /dev/net/tun and fingerpost-router ($FINGERPOST_ROUTER)", file=sys.stderr)
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="fp-restart-") as name, Network(Path(name)) as network:
        try:
            survives(network)
            wrong_configurations_stay_wrong(network)
        except (AssertionError, RuntimeError) as error:
            print(f"FAILED: {error}\n{(Path(name) / 'log').read_text()[-2000:]}", file=sys.stderr)
            return 1
    print("restart_test: two kills, three configurations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
