"""Two copies of one small network, in namespaces: Linux forwards in one, fingerpost-router in the other.

    Linux               far: n0 n1 n2 n3 ──veth──▶ fp0 ... fp3 in "middle"
    fingerpost-router   far: n0 n1 n2 n3 ──TAP──▶ the router ──TAP──▶ fp0 ... fp3 in "middle"

Raw sockets on n0 ... n3 send and receive all frames. The namespace "middle" has the same addresses, neighbours and routes
in both, set by the same commands. The router's ports are TAPs too: with DPDK's af_packet the kernel would reassemble
fragments (PACKET_FANOUT_FLAG_DEFRAG) before the router receives them.
"""

import ctypes
import os
import select
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

from oracle.packets import ipv4, ipv6, mac

PORTS = 4
MTUS = (1500, 1500, 1300, 576)  # the last is too small for IPv6
OWN_MACS = [mac(f"02:00:00:00:01:0{i}") for i in range(PORTS)]
FAR_MACS = [mac(f"02:00:00:00:02:0{i}") for i in range(PORTS)]
OWN_IPV4 = [ipv4(f"10.0.{i}.1") for i in range(PORTS)]
OWN_IPV6 = [ipv6(f"2001:db8:{i}::1") for i in range(PORTS - 1)]
OWN_LINK_LOCAL = [ipv6(f"fe80::ff:fe00:10{i}") for i in range(PORTS - 1)]
HOSTS = range(2, 10)  # neighbours with a known MAC on each network; .2 is the gateway

ROUTES = """
20.0.0.0/8 via 10.0.0.2
21.0.0.0/8 via 10.0.1.2
22.0.0.0/8 via 10.0.2.2
26.0.0.0/8 via 10.0.3.2
blackhole 24.0.0.0/8
50.0.0.0/16 via 10.0.0.2
50.1.0.0/16 via 10.0.1.2
50.1.128.0/17 via 10.0.2.3
50.1.200.7/32 via 10.0.0.4
50.2.0.0/16 via 10.0.2.2
50.3.0.0/16 via 10.0.3.2
50.4.0.0/24 dev fp1
50.5.0.0/16 via inet6 2001:db8:1::2 dev fp1
50.6.0.0/16 nhid 7
50.9.0.0/16 via 10.0.1.99
blackhole 50.10.0.0/16
unreachable 50.11.0.0/16
prohibit 50.12.0.0/16
blackhole 50.1.64.0/24
50.10.99.0/24 via 10.0.2.2
240.0.0.0/4 via 10.0.0.2
169.254.0.0/16 via 10.0.1.2
0.0.0.0/8 via 10.0.1.2
2001:db8:2000::/36 via 2001:db8::2
2001:db8:3000::/36 via 2001:db8:1::2
2001:db8:4000::/36 via 2001:db8:2::2
blackhole 2001:db8:e000::/36
2001:db8:5000::/48 via 2001:db8::2
2001:db8:5001::/48 via 2001:db8:1::2
2001:db8:5001:8000::/49 via 2001:db8:2::3
2001:db8:5001:c8::7/128 via 2001:db8::4
2001:db8:5002::/48 via 2001:db8:2::2
2001:db8:5004::/64 dev fp1
2001:db8:5006::/48 nhid 8
2001:db8:5009::/48 via 2001:db8:1::99
blackhole 2001:db8:5010::/48
unreachable 2001:db8:5011::/48
prohibit 2001:db8:5012::/48
2001:db8:5010:99::/64 via 2001:db8:2::2
fec0::/10 via 2001:db8::2
::ffff:0:0/96 via 2001:db8:1::2
64:ff9b::/96 via 2001:db8:1::2
""".strip().splitlines()

# Features that are off by default in one of the two, and rate limits, are off in both.
SYSCTLS = {
    "net.ipv4.icmp_ratelimit": 0,
    "net.ipv4.icmp_msgs_per_sec": 1000000,
    "net.ipv4.icmp_msgs_burst": 100000,
    "net.ipv6.icmp.ratelimit": 0,
    "net.ipv6.auto_flowlabels": 0,
    "net.ipv4.ipfrag_time": 3600,
    "net.ipv6.ip6frag_time": 3600,
    "net.ipv4.conf.all.rp_filter": 0,
    "net.ipv4.conf.default.rp_filter": 0,
    "net.ipv4.conf.all.accept_redirects": 0,
    "net.ipv4.conf.default.accept_redirects": 0,
    "net.ipv6.conf.default.accept_redirects": 0,
    "net.ipv4.conf.all.send_redirects": 0,
    "net.ipv4.conf.default.send_redirects": 0,
    "net.ipv6.conf.default.accept_ra": 0,
    "net.ipv6.conf.default.accept_dad": 0,
}


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def batch(space: str, lines: list[str]) -> None:
    done = subprocess.run(
        ["ip", "-n", space, "-batch", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"ip -batch in {space}: {done.stderr.strip()}")


def set_kernel(space: str, values: dict[str, int]) -> None:
    with inside(space):
        for name, value in values.items():
            Path("/proc/sys", *name.split(".")).write_text(str(value))


class inside:
    """Runs the body in another network namespace; sockets created there stay there."""

    _libc = ctypes.CDLL(None, use_errno=True)

    def __init__(self, space: str) -> None:
        self.space = space

    def __enter__(self) -> None:
        self.home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        there = os.open(f"/run/netns/{self.space}", os.O_RDONLY)
        self._enter(there)
        os.close(there)

    def __exit__(self, *_: object) -> None:
        self._enter(self.home)
        os.close(self.home)

    def _enter(self, descriptor: int) -> None:
        clone_newnet = 0x40000000
        if self._libc.setns(descriptor, clone_newnet) != 0:
            raise OSError(ctypes.get_errno(), "setns")


class far_end:
    """A raw socket on one wire. Tags that the kernel removed from a frame are put back."""

    _PACKET_AUXDATA, _PACKET_IGNORE_OUTGOING, _SOL_PACKET, _TAG_VALID = 8, 23, 263, 0x10

    def __init__(self, interface: str) -> None:
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        # SO_SNDBUFFORCE and SO_RCVBUFFORCE: packets waiting for a neighbour count as unsent.
        for option in (32, 33):
            self.socket.setsockopt(socket.SOL_SOCKET, option, 64 << 20)
        self.socket.setsockopt(self._SOL_PACKET, self._PACKET_AUXDATA, 1)
        self.socket.setsockopt(self._SOL_PACKET, self._PACKET_IGNORE_OUTGOING, 1)
        self.socket.bind((interface, 3))  # ETH_P_ALL
        self.socket.setblocking(False)

    def send(self, frame: bytes) -> None:
        self.socket.send(frame)

    def take(self) -> list[bytes]:
        frames = []
        while True:
            try:
                frame, extra, _, _ = self.socket.recvmsg(65536, 64)
            except BlockingIOError:
                return frames
            for _, _, data in extra:
                status, _, _, _, _, tag, kind = struct.unpack("IIIHHHH", data[:20])
                if status & self._TAG_VALID:
                    frame = frame[:12] + struct.pack("!HH", kind, tag) + frame[12:]
            frames.append(frame)


class network:
    """One copy. Used as a context; afterwards everything is removed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.far, self.middle = f"{name}-far", f"{name}-middle"
        self.spaces = [self.far, self.middle]
        self.ends: list[far_end] = []

    def __enter__(self) -> "network":
        try:
            for space in self.spaces:
                run("ip", "netns", "add", space)
            self.build()
            with inside(self.far):
                self.ends = [far_end(f"n{i}") for i in range(PORTS)]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for end in self.ends:
            end.socket.close()
        for space in self.spaces:
            subprocess.run(["ip", "netns", "del", space], capture_output=True)

    def build(self) -> None:
        raise NotImplementedError

    def silence(self) -> None:
        """Keeps far ends from sending anything by themselves."""
        set_kernel(
            self.far,
            {
                "net.ipv6.conf.all.disable_ipv6": 1,
                "net.ipv6.conf.default.disable_ipv6": 1,
                "net.ipv4.conf.all.arp_ignore": 8,
            },
        )

    def wire(self) -> None:
        for i in range(PORTS):
            near = f"fp{i}"
            run(
                "ip",
                "-n",
                self.far,
                "link",
                "add",
                f"n{i}",
                "address",
                FAR_MACS[i].hex(":"),
                "arp",
                "off",
                "type",
                "veth",
                "peer",
                "name",
                near,
                "netns",
                self.middle,
                "address",
                OWN_MACS[i].hex(":"),
            )
            # Packets must contain their checksums.
            run("ip", "netns", "exec", self.middle, "ethtool", "-K", near, "tx", "off")
            run("ip", "-n", self.far, "link", "set", f"n{i}", "up")

    def configure(self, forwards: bool) -> None:
        """Addresses, neighbours and routes of the middle."""
        names = [f"fp{i}" for i in range(PORTS)]
        own = {f"net.ipv{v}.neigh.{n}.unres_qlen": 4096 for v in (4, 6) for n in names if v == 4 or n != "fp3"}
        own |= {
            f"net.ipv4.conf.{n}.{key}": 0 for n in names for key in ("send_redirects", "rp_filter", "accept_redirects")
        }
        set_kernel(self.middle, own)
        lines = [f"link set {n} mtu {mtu} up" for n, mtu in zip(names, MTUS)]
        for i, name in enumerate(names):
            lines.append(f"addr add 10.0.{i}.1/24 broadcast 10.0.{i}.255 dev {name}")
            lines += [
                f"neigh add 10.0.{i}.{h} lladdr 02:00:00:00:0{i + 3}:0{h} dev {name} nud permanent" for h in HOSTS
            ]
            if MTUS[i] >= 1280:
                lines.append(f"-6 addr add 2001:db8:{i}::1/64 dev {name} nodad")
                lines += [
                    f"neigh add 2001:db8:{i}::{h} lladdr 02:00:00:00:0{i + 3}:0{h} dev {name} nud permanent"
                    for h in HOSTS
                ]
        for h in HOSTS:
            lines.append(f"neigh add 50.4.0.{h} lladdr 02:00:00:00:0b:0{h} dev fp1 nud permanent")
            lines.append(f"neigh add 2001:db8:5004::{h} lladdr 02:00:00:00:0b:0{h} dev fp1 nud permanent")
        lines += ["nexthop add id 7 via 10.0.0.3 dev fp0", "nexthop add id 8 via 2001:db8::3 dev fp0"]
        batch(self.middle, [line.removeprefix("-6 ") for line in lines])
        batch(self.middle, ["route add " + route for route in ROUTES])
        if forwards:
            set_kernel(self.middle, {"net.ipv4.ip_forward": 1, "net.ipv6.conf.all.forwarding": 1})
            # Enabling forwarding also enables redirects.
            set_kernel(self.middle, {f"net.ipv4.conf.{n}.send_redirects": 0 for n in ["all", *names]})

    def has_link_local_addresses(self) -> bool:
        """True if all link-local addresses exist; they appear a second after the links."""
        shown = run("ip", "-n", self.middle, "-6", "-o", "addr", "show", "scope", "link", "-tentative")
        return shown.count("inet6 fe80:") == sum(mtu >= 1280 for mtu in MTUS)

    def send(self, port: int, frame: bytes) -> None:
        self.ends[port].send(frame)

    def take(self, seconds: float) -> list[tuple[int, bytes]]:
        """Returns the frames received so far; waits for the first one."""
        ready, _, _ = select.select([end.socket for end in self.ends], [], [], seconds)
        return [(port, frame) for port, end in enumerate(self.ends) if end.socket in ready for frame in end.take()]


class linux_network(network):
    def build(self) -> None:
        set_kernel(self.middle, SYSCTLS)
        run("ip", "-n", self.middle, "link", "set", "lo", "up")
        self.silence()
        self.wire()
        self.configure(forwards=True)


class router_network(network):
    def __init__(self, name: str, program: str, folder: Path, mode: str, kernel_forwards: bool) -> None:
        super().__init__(name)
        self.program, self.folder, self.mode = program, folder, mode
        self.kernel_forwards = kernel_forwards
        self.process: subprocess.Popen | None = None

    def build(self) -> None:
        set_kernel(self.middle, SYSCTLS)
        run("ip", "-n", self.middle, "link", "set", "lo", "up")
        self.silence()
        run("ip", "-n", self.far, "link", "set", "lo", "up")
        self.start()
        for i in range(PORTS):
            run("ip", "-n", self.far, "link", "set", f"n{i}", "arp", "off", "up")
        self.configure(self.kernel_forwards)

    def ports(self, descriptors: int) -> str:
        return "".join(
            f'[[port]]\nname = "fp{i}"\ndevice = "net_tap{i},iface=n{i},mac={own.hex(":")}"\n'
            # One for each sending thread, as the TAP driver requires.
            f"queues = 2\ndescriptors = {descriptors}\n"
            for i, own in enumerate(OWN_MACS)
        )

    def settings(self) -> str:
        """The router's configuration."""
        return (
            f'routes = "kernel"\n{self.ports(descriptors=1024)}[threads]\nmode = "{self.mode}"\nidle = "sleep"\n'
            f'[kernel]\nnamespace = "{self.middle}"\nicmp_rate = 1000000\nicmp_burst = 100000\nport_rate = 0\n'
            "neighbour_queue = 1024\nhost_ring = 4096\n"
            '[memory]\nhuge = false\nmegabytes = 512\nmbufs = 49152\n[telemetry]\nprometheus = "127.0.0.1:9620"\n'
        )

    def start(self) -> None:
        settings = self.folder / "router.toml"
        settings.write_text(self.settings())
        self.log = self.folder / "router.log"
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", self.far, self.program, str(settings)],
            stdout=self.log.open("w"),
            stderr=subprocess.STDOUT,
        )
        end = time.monotonic() + 30
        while not self.has_taps():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the router did not start:\n{self.log.read_text()}")
            time.sleep(0.1)

    def has_taps(self) -> bool:
        shown = run("ip", "-n", self.middle, "-o", "link")
        return all(f"fp{i}:" in shown for i in range(PORTS))

    def ask(self, page: str) -> str:
        """A page of the router's HTTP port."""
        with inside(self.far), socket.create_connection(("127.0.0.1", 9620), 10) as asked:
            asked.sendall(f"GET /{page} HTTP/1.0\r\n\r\n".encode())
            answer = b"".join(iter(lambda: asked.recv(65536), b"")).decode()
        head, _, text = answer.partition("\r\n\r\n")
        if " 200 " not in head.splitlines()[0]:
            raise RuntimeError(f"/{page}: {head.splitlines()[0]}")
        return text

    def metrics(self) -> dict[str, float]:
        """Returns the metrics by name, with their labels."""
        rows = [line.rsplit(" ", 1) for line in self.ask("metrics").splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in rows}

    def drops(self) -> dict[str, int]:
        """The router's own counts of dropped packets, by reason."""
        return {
            name.split('"')[1]: int(value)
            for name, value in self.metrics().items()
            if name.startswith("fingerpost_dropped_packets_total{")
        }

    def __exit__(self, *_: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        super().__exit__()
