"""A BGP speaker that sends its whole table on request, and FRR's zebra and bgpd, which learn from it."""

import ipaddress
import select
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path

from feeds.network import Network, wait_for
from feeds.sources import FRR, Zebra
from oracle.networks import inside, run

AS = 65000
NEAR, FAR = "172.31.0.1", "172.31.0.2"
OPEN, UPDATE, KEEPALIVE = 1, 2, 4
HOLD = 90


def message(kind: int, body: bytes = b"") -> bytes:
    return b"\xff" * 16 + struct.pack("!HB", 19 + len(body), kind) + body


def nlri(prefix: str) -> bytes:
    network = ipaddress.ip_network(prefix)
    return bytes([network.prefixlen]) + network.network_address.packed[: (network.prefixlen + 7) // 8]


def announcement(gateway: str, prefixes: list[str]) -> bytes:
    """An announcement of an internal neighbour: an empty path, and an unchanged next hop."""
    attributes = b"\x40\x01\x01\x00" + b"\x40\x02\x00" + b"\x40\x03\x04" + ipaddress.ip_address(gateway).packed
    attributes += b"\x40\x05\x04" + struct.pack("!I", 100)
    return message(UPDATE, struct.pack("!HH", 0, len(attributes)) + attributes + b"".join(map(nlri, prefixes)))


def withdrawal(prefixes: list[str]) -> bytes:
    gone = b"".join(map(nlri, prefixes))
    return message(UPDATE, struct.pack("!H", len(gone)) + gone + b"\x00\x00")


class Speaker(threading.Thread):
    """Serves one neighbour after another. `delay` is the time before it announces anything."""

    def __init__(self, space: str, routes: dict[str, str]) -> None:
        super().__init__(daemon=True)
        self.routes, self.delay = routes, 0.0
        self.sessions = self.announced = 0
        self.gone: list[str] = []
        with inside(space):
            self.listener = socket.create_server((FAR, 179))
        self.start()

    def run(self) -> None:
        while True:
            try:
                session, _ = self.listener.accept()
            except OSError:
                return
            try:
                self.serve(session)
            except OSError:
                pass
            session.close()

    def serve(self, session: socket.socket) -> None:
        capabilities = b"\x02\x06\x01\x04\x00\x01\x00\x01"  # IPv4, unicast
        own = struct.pack("!BHH4sB", 4, AS, HOLD, ipaddress.ip_address(FAR).packed, len(capabilities)) + capabilities
        session.sendall(message(OPEN, own) + message(KEEPALIVE))
        self.sessions += 1
        due, alive = time.monotonic() + self.delay, time.monotonic()
        told = False
        while True:
            if select.select([session], [], [], 0.05)[0] and not session.recv(65536):
                return
            now = time.monotonic()
            if not told and now >= due:
                told = True
                for gateway in sorted(set(self.routes.values())):
                    session.sendall(announcement(gateway, [p for p, g in self.routes.items() if g == gateway]))
                self.announced += 1
            if self.gone:
                session.sendall(withdrawal(self.gone))
                self.gone = []
            if now - alive > HOLD / 6:
                alive = now
                session.sendall(message(KEEPALIVE))

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Bgp(Zebra):
    """zebra and bgpd; their neighbour is a speaker in another namespace."""

    def __init__(self, network: Network, folder: Path, routes: dict[str, str]) -> None:
        super().__init__(network, folder, "dplane_fpm_nl")
        self.peer = f"{network.middle}-peer"
        self.bgpd: subprocess.Popen | None = None
        run("ip", "netns", "add", self.peer)
        run("ip", "-n", network.middle, "link", "add", "bgp0", "type", "veth", "peer", "name", "bgp1", "netns", self.peer)
        for space, link, own in ((network.middle, "bgp0", NEAR), (self.peer, "bgp1", FAR)):
            run("ip", "-n", space, "addr", "add", f"{own}/30", "dev", link)
            run("ip", "-n", space, "link", "set", link, "up")
        self.speaker = Speaker(self.peer, routes)
        (folder / "bgpd.conf").write_text(
            f"router bgp {AS}\n bgp router-id {NEAR}\n neighbor {FAR} remote-as {AS}\n neighbor {FAR} timers connect 1\n"
        )

    def start(self) -> None:
        super().start()
        for left in ("bgpd.vty", "bgpd.pid"):
            (self.folder / left).unlink(missing_ok=True)
        paths = ["-i", self.folder / "bgpd.pid", "-z", self.folder / "zserv.api", "--vty_socket", self.folder]
        identity = ["-u", "frr", "-g", "frr", "-P", "0", "-p", "0", "-f", self.folder / "bgpd.conf"]
        with (self.folder / "bgpd.out").open("a") as output:
            self.bgpd = subprocess.Popen(
                ["ip", "netns", "exec", self.network.middle, *map(str, [FRR / "bgpd", *paths, *identity])],
                stdout=output,
                stderr=output,
            )
        wait_for("the start of bgpd", (self.folder / "bgpd.vty").exists, 120)

    def kill(self) -> None:
        """Kills both together, like a crash of the machine's userland."""
        if self.bgpd is not None:
            self.bgpd.kill()
        super().kill()
        if self.bgpd is not None:
            self.bgpd.wait()
            self.bgpd = None

    def close(self) -> None:
        self.kill()
        self.speaker.close()
        subprocess.run(["ip", "netns", "del", self.peer], capture_output=True)
