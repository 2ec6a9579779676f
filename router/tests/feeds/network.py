"""A router between namespaces, for sources of routes: its ports are TAPs in "far", the kernel that it serves is "middle".

    far: n0 n1 n2 n3 ──TAP──▶ the router ──TAP──▶ fp0 ... fp3 in middle, where the daemons run
"""

import http.client
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from feeds.tables import HOSTS, PORTS, address_of, mac_of
from oracle.networks import batch, inside, run, set_kernel

ALL_PORTS = (0, *PORTS)
# The router's own routes: each port's networks and addresses, the addresses of all hosts or all routers on a network,
# and those of the loopback device.
OWN = len(ALL_PORTS) * (4 + 3) + 5
SETTINGS = """routes = "{routes}"
{ports}
[threads]
mode = "complete"
idle = "sleep"
[kernel]
namespace = "{middle}"
[memory]
huge = false
megabytes = 256
[telemetry]
prometheus = "127.0.0.1:9620"
"""
FPM = """[fpm]
quiet_time = "{quiet_time}"
converged_percent = {converged_percent}
sweep_limit = "10m"
"""
PORT = """[[port]]
name = "fp{0}"
device = "net_tap{0},iface=n{0},mac={1}"
# As many as threads send, which the driver of TAPs asks for.
queues = 2
descriptors = 1024
"""


def wait_for(what: str, holds: Callable[[], bool], seconds: float, pause: float = 0.1) -> None:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(pause)


def before_others() -> None:
    """Raises the router's priority, because losses on a busy machine are not the subject of the test."""
    os.nice(-10)


class Network:
    """Used as a context; afterwards everything is removed."""

    # Most tests use half of the routes, because they change much of the table while the daemon is away.
    def __init__(self, program: str, folder: Path, routes: str, quiet_time: str, converged_percent: int = 50) -> None:
        self.program, self.folder, self.routes, self.quiet_time = program, folder, routes, quiet_time
        self.converged_percent = converged_percent
        name = f"fp-feeds-{os.getpid()}"
        self.far, self.middle = f"{name}-far", f"{name}-middle"
        self.process: subprocess.Popen | None = None
        self.log = folder / "router.log"

    def __enter__(self) -> "Network":
        try:
            for space in (self.far, self.middle):
                run("ip", "netns", "add", space)
                run("ip", "-n", space, "link", "set", "lo", "up")
            quiet = {"net.ipv6.conf.all.disable_ipv6": 1, "net.ipv6.conf.default.disable_ipv6": 1}
            set_kernel(self.far, quiet | {"net.ipv4.conf.all.arp_ignore": 8})
            set_kernel(self.middle, {"net.ipv6.conf.default.accept_ra": 0, "net.ipv6.conf.default.accept_dad": 0})
            self.start()
            self.configure()
            wait_for("the router's own routes", lambda: self.counts()["fingerpost_routes"] == OWN, 20)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for space in (self.far, self.middle):
            subprocess.run(["ip", "netns", "del", space], capture_output=True)

    def start(self) -> None:
        ports = "".join(PORT.format(i, mac_of(i, 1)) for i in ALL_PORTS)
        settings = self.folder / "router.toml"
        text = SETTINGS.format(routes=self.routes, ports=ports, middle=self.middle)
        settings.write_text(text + (self.fpm() if self.quiet_time else ""))
        command = ["ip", "netns", "exec", self.far, self.program, str(settings)]
        self.process = subprocess.Popen(
            command, stdout=self.log.open("w"), stderr=subprocess.STDOUT, preexec_fn=before_others
        )

        def started() -> bool:
            assert self.process is not None and self.process.poll() is None, f"no router:\n{self.log.read_text()}"
            try:
                return bool(self.counts())
            except OSError:
                return False

        wait_for("the router's start", started, 30)

    def fpm(self) -> str:
        return FPM.format(quiet_time=self.quiet_time, converged_percent=self.converged_percent)

    def configure(self) -> None:
        """Sets addresses, and gateways with known MAC addresses."""
        # A queue for several seconds, for a machine with other work.
        batch(self.far, [f"link set n{i} txqueuelen 10000 arp off up" for i in ALL_PORTS])
        lines = []
        for i in ALL_PORTS:
            lines += [f"link set fp{i} up", f"addr add {address_of(4, i, 1)}/24 dev fp{i}"]
            lines.append(f"addr add {address_of(6, i, 1)}/64 dev fp{i} nodad")
            for family in (4, 6):
                lines += [
                    f"neigh add {address_of(family, i, host)} lladdr {mac_of(i, host)} dev fp{i} nud permanent"
                    for host in HOSTS
                ]
        batch(self.middle, lines)

    def get(self, page: str) -> str:
        with inside(self.far):
            connection = http.client.HTTPConnection("127.0.0.1", 9620, timeout=120)
            connection.connect()
        try:
            connection.request("GET", page)
            answer = connection.getresponse()
            text = answer.read().decode()
            assert answer.status == 200, text
            return text
        finally:
            connection.close()

    def counts(self) -> dict[str, int]:
        """Returns the metrics; values for several families or reasons are summed."""
        sums: dict[str, int] = {}
        for line in self.get("/metrics").splitlines():
            name, _, value = line.rpartition(" ")
            if not line.startswith("#"):
                for key in {name, name.partition("{")[0]}:
                    sums[key] = sums.get(key, 0) + int(float(value))
        return sums

    def table(self) -> dict[str, str]:
        """Returns all routes as the router prints them, the paths of each in order."""
        found = {}
        for line in self.get("/routes").splitlines():
            where, _, target = line.partition(" ")
            found[where] = "+".join(sorted(target.split("+"))) if "+" in target else target
        return found

    def drops(self) -> dict[str, int]:
        """Returns where packets were dropped: by the router, or by the interface before it."""
        told = {key: count for key, count in self.counts().items() if "dropped" in key or "missed" in key}
        with inside(self.far):
            lines = Path("/proc/thread-self/net/dev").read_text().splitlines()
        for name, _, counts in (line.strip().partition(":") for line in lines):
            if name.startswith("n"):
                told |= {f"{name} in": int(counts.split()[3]), f"{name} out": int(counts.split()[11])}
        return {key: count for key, count in told.items() if count != 0}

    def sweeps(self) -> int:
        return self.log.read_text().count("is complete")

    def memory(self) -> int:
        """Returns the resident memory of the router in bytes."""
        assert self.process is not None
        # `ip netns exec` becomes the program.
        words = Path(f"/proc/{self.process.pid}/status").read_text().split()
        return int(words[words.index("VmRSS:") + 1]) * 1024

    def change_kernel(self, lines: list[str]) -> None:
        batch(self.middle, lines)
