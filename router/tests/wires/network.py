"""Hosts with cables to a router, which is Linux or fingerpost-router, all in namespaces.

    Linux               h0, h1, ...: eth0 ──veth──▶ fp0, fp1, ... in "middle", which forwards
    fingerpost-router   h0, h1, ...: eth0 ──veth──▶ w0, w1, ... in "wires" ──af_packet──▶ the router ──TAP──▶ fp0, fp1, ... in "middle"

Host i is 10.0.i.2 and 2001:db8:i::2, connected to the router's 10.0.i.1 and 2001:db8:i::1. Hosts send nothing by themselves: they
know the router's MAC address and answer requests for their own.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from oracle.networks import batch, inside, run, set_kernel

SECONDS = 60  # to wait for anything: the machine may be busy
PORT = 9
PAUSE = 0.02

ROUTER_MACS = [f"02:00:00:00:01:0{i}" for i in range(4)]
HOST_MACS = [f"02:00:00:00:02:0{i}" for i in range(4)]

SETTINGS = """routes = "kernel"
{ports}
[threads]
mode = "complete"
idle = "sleep"
[kernel]
namespace = "{middle}"
neighbour_queue = 1024
[memory]
huge = false
megabytes = 256
mbufs = 8192
[telemetry]
prometheus = "127.0.0.1:9620"
"""
AF_PACKET = "net_af_packet{0},iface=w{0}"


def wait_for(what: str, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {SECONDS} s")
        time.sleep(PAUSE)


def host_address(family: int, host: int) -> str:
    return f"10.0.{host}.2" if family == 4 else f"2001:db8:{host}::2"


def why_not(program: str) -> str:
    if os.geteuid() != 0:
        return "needs root, for network namespaces"
    if not os.access(program, os.X_OK):
        return "$FINGERPOST_ROUTER is no program: build the target fingerpost-router (needs libdpdk-dev)"
    return "" if os.path.exists("/dev/net/tun") else "needs /dev/net/tun"


class Host:
    """Sockets of one host. Texts are sent by UDP, each from a new port, so that each is a flow."""

    def __init__(self, space: str, number: int) -> None:
        self.space, self.number = space, number
        self.listening: dict[int, socket.socket] = {}

    def ip(self, *words: str) -> None:
        run("ip", "-n", self.space, *words)

    def listen(self) -> None:
        with inside(self.space):
            for family, kind in ((4, socket.AF_INET), (6, socket.AF_INET6)):
                one = socket.socket(kind, socket.SOCK_DGRAM)
                one.setsockopt(socket.SOL_SOCKET, 33, 16 << 20)  # SO_RCVBUFFORCE
                if family == 6:
                    one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                one.bind(("::" if family == 6 else "0.0.0.0", PORT))
                one.setblocking(False)
                self.listening[family] = one

    def send(self, texts: Iterable[str], to: str) -> None:
        kind = socket.AF_INET6 if ":" in to else socket.AF_INET
        with inside(self.space):
            for text in texts:
                with socket.socket(kind, socket.SOCK_DGRAM) as one:
                    # A cut cable is not an error of the test.
                    with contextlib.suppress(OSError):
                        one.sendto(text.encode(), (to, PORT))

    def take(self, family: int, seconds: float = 0) -> set[str]:
        """Returns the texts received since the last call; waits for the first one."""
        one, found = self.listening[family], set()
        select.select([one], [], [], seconds)
        with contextlib.suppress(BlockingIOError):
            while True:
                found.add(one.recv(65536).decode())
        return found

    def close(self) -> None:
        for one in self.listening.values():
            one.close()


class Network:
    """Linux as the router. Used as a context; afterwards everything is removed."""

    def __init__(self, name: str, hosts: int, neighbour_settings: dict[str, int]) -> None:
        self.name, self.middle, self.wires = name, f"{name}-m", f"{name}-w"
        self.hosts = [Host(f"{name}-h{i}", i) for i in range(hosts)]
        self.neighbour_settings = neighbour_settings  # of the router, for each port

    def spaces(self) -> list[str]:
        return [self.middle, self.wires, *(host.space for host in self.hosts)]

    def __enter__(self) -> "Network":
        try:
            for space in self.spaces():
                run("ip", "netns", "add", space)
                run("ip", "-n", space, "link", "set", "lo", "up")
            quiet = {"net.ipv6.conf.default.accept_ra": 0, "net.ipv6.conf.default.accept_dad": 0}
            set_kernel(self.middle, quiet)
            self.build()
            self.configure()
            for host in self.hosts:
                host.listen()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for host in self.hosts:
            host.close()
        for space in self.spaces():
            subprocess.run(["ip", "netns", "del", space], capture_output=True)

    def lay_cables(self, space: str, near: str) -> None:
        for host in self.hosts:
            i = host.number
            own = {"net.ipv6.conf.default.accept_dad": 0, "net.ipv6.conf.default.router_solicitations": 0}
            set_kernel(host.space, own | {"net.ipv6.conf.default.accept_ra": 0})
            cable = f"link add eth0 address {HOST_MACS[i]} type veth peer name {near}{i} netns {space} address"
            batch(host.space, [f"{cable} {ROUTER_MACS[i]}"])
            set_kernel(host.space, {"net.ipv6.conf.eth0.keep_addr_on_down": 1})
            batch(
                host.space,
                [
                    "link set eth0 up",
                    f"addr add 10.0.{i}.2/24 dev eth0",
                    f"addr add 2001:db8:{i}::2/64 dev eth0 nodad",
                    f"neigh add 10.0.{i}.1 lladdr {ROUTER_MACS[i]} dev eth0 nud permanent",
                    f"neigh add 2001:db8:{i}::1 lladdr {ROUTER_MACS[i]} dev eth0 nud permanent",
                    f"route add default via 10.0.{i}.1",
                    f"route add default via 2001:db8:{i}::1",
                ],
            )
            # Packets must contain their checksums.
            run("ip", "netns", "exec", host.space, "ethtool", "-K", "eth0", "tx", "off")

    def build(self) -> None:
        self.lay_cables(self.middle, "fp")
        set_kernel(self.middle, {"net.ipv4.ip_forward": 1, "net.ipv6.conf.all.forwarding": 1})

    def set_neighbours(self, values: dict[str, int]) -> None:
        ports = [f"fp{host.number}" for host in self.hosts]
        names = [f"net.ipv{family}.neigh.{port}." for port in ports for family in (4, 6)]
        set_kernel(self.middle, {name + key: value for name in names for key, value in values.items()})

    def configure(self) -> None:
        self.set_neighbours(self.neighbour_settings)
        lines = []
        for host in self.hosts:
            i = host.number
            lines += [f"link set fp{i} up", f"addr add 10.0.{i}.1/24 dev fp{i}"]
            lines.append(f"addr add 2001:db8:{i}::1/64 dev fp{i} nodad")
        self.change(lines)

    def change(self, lines: list[str]) -> None:
        batch(self.middle, lines)

    def shown(self, *words: str) -> list[dict]:
        """Returns the output of `ip -json` in the middle."""
        command = ["ip", "-n", self.middle, "-json", *words]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return json.loads(text) if text.strip() else []

    def has_carrier(self, port: int) -> bool:
        return "LOWER_UP" in self.shown("link", "show", f"fp{port}")[0]["flags"]

    def neighbour(self, family: int, host: int) -> dict:
        return next(iter(self.shown("neigh", "show", host_address(family, host), "dev", f"fp{host}")), {})


class RouterNetwork(Network):
    """fingerpost-router as the router. `devices` are those of further ports, numbered after the hosts."""

    device = AF_PACKET  # of a host's port, with the host's number

    def __init__(
        self, name: str, hosts: int, neighbour_settings: dict[str, int], folder: Path, devices: list[str] | None = None
    ) -> None:
        super().__init__(name, hosts, neighbour_settings)
        self.folder, self.more_devices = folder, devices or []
        self.port_lines = ""  # of the configuration, for each port
        self.more_ports = ""  # of the configuration
        self.telemetry_lines = ""  # of the configuration's section telemetry
        self.process: subprocess.Popen | None = None

    def build(self) -> None:
        quiet = {"net.ipv6.conf.all.disable_ipv6": 1, "net.ipv6.conf.default.disable_ipv6": 1}
        set_kernel(self.wires, quiet | {"net.ipv4.conf.all.arp_ignore": 8})
        self.lay_cables(self.wires, "w")
        for host in self.hosts:
            run("ip", "-n", self.wires, "link", "set", f"w{host.number}", "up")
        self.before_start()
        self.start()

    def before_start(self) -> None:
        pass

    def settings(self) -> str:
        devices = [self.device.format(host.number) for host in self.hosts] + self.more_devices
        ports = "".join(
            f'[[port]]\nname = "fp{i}"\ndevice = "{device}"\n{self.port_lines}' for i, device in enumerate(devices)
        )
        ports += self.more_ports
        return SETTINGS.format(ports=ports, middle=self.middle) + self.telemetry_lines

    def start(self) -> None:
        settings = self.folder / "router.toml"
        settings.write_text(self.settings())
        self.log = self.folder / "router.log"
        command = ["ip", "netns", "exec", self.wires, os.environ["FINGERPOST_ROUTER"], str(settings)]
        self.process = subprocess.Popen(command, stdout=self.log.open("w"), stderr=subprocess.STDOUT)

        def started() -> bool:
            assert self.process is not None and self.process.poll() is None, f"no router:\n{self.log.read_text()}"
            with contextlib.suppress(OSError):
                return "fingerpost_port_up" in self.ask("metrics")
            return False

        wait_for("the router's start", started)

    def ask(self, page: str) -> str:
        with inside(self.wires), socket.create_connection(("127.0.0.1", 9620), 10) as asked:
            asked.sendall(f"GET /{page} HTTP/1.0\r\n\r\n".encode())
            answer = b"".join(iter(lambda: asked.recv(65536), b"")).decode()
        return answer.partition("\r\n\r\n")[2]

    def metrics(self) -> dict[str, int]:
        rows = [line.rsplit(" ", 1) for line in self.ask("metrics").splitlines() if not line.startswith("#")]
        return {name: int(float(value)) for name, value in rows}

    def __exit__(self, *_: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        super().__exit__()
