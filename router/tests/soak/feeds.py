"""The three sources of routes, each with its ways of disappearing, coming back and sending errors."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from oracle import networks
from soak import netlink
from soak.tables import family, fixed_routes, table, target
from soak.watched_router import PATIENCE, wait_for, watched_router

Pump = Callable[[], None]  # a window of traffic, whose packets must all take the right path


class feed:
    """Maintains `routes`, the routes that the router should finally have."""

    single_paths = False

    def __init__(self, on: watched_router, seed: int) -> None:
        self.network = on
        self.routes = table(seed, self.single_paths)
        self.random = self.routes.random
        self.restarts = self.faults = 0

    def begin(self) -> None:
        raise NotImplementedError

    def change(self, count: int) -> int:
        """Announces and withdraws; returns the number of changes. The router may still be processing them."""
        raise NotImplementedError

    def restart(self, pump: Pump) -> None:
        """Disappears, and comes back with another table."""
        raise NotImplementedError

    def disturb(self, pump: Pump) -> None:
        """Sends something that the router must refuse or repair."""
        raise NotImplementedError

    def withdraw_all(self) -> None:
        raise NotImplementedError

    def end(self) -> None:
        pass


class fpm_feed(feed):
    def begin(self) -> None:
        self.interfaces = [self.interface(f"fp{i}") for i in range(networks.PORTS)]
        self.connect()

    def interface(self, name: str) -> int:
        with networks.inside(self.network.middle):
            return socket.if_nametoindex(name)

    def connect(self, pump: Pump = lambda: None) -> None:
        with networks.inside(self.network.middle):
            self.socket = socket.create_connection(("127.0.0.1", 2620), PATIENCE)
        groups = [netlink.next_hop(one, to, self.interfaces) for one, to in self.routes.groups.items()]
        all_routes = fixed_routes() | self.routes.routes
        self.send(groups + [netlink.route(*one, self.interfaces) for one in all_routes.items()], pump)

    def send(self, messages: list[bytes], pump: Pump = lambda: None) -> None:
        for i in range(0, len(messages), 1000):
            self.socket.sendall(b"".join(map(netlink.in_frame, messages[i : i + 1000])))
            pump()

    def change(self, count: int) -> int:
        groups = self.routes.change_groups(self.random.choice([0, 0, 0, 2]))
        changes = self.routes.change(count)
        self.send(
            [netlink.next_hop(*one, self.interfaces) for one in groups.items()]
            + [netlink.route(*one, self.interfaces) for one in changes.items()]
        )
        return len(changes) + len(groups)

    def restart(self, pump: Pump) -> None:
        if self.random.random() < 0.5:
            self.socket.close()
        for _ in range(3):
            pump()
        self.routes.change(1500)
        self.routes.change_groups(4)
        # Its end and the next connection may reach the router together.
        self.socket.close()
        self.connect(pump)
        self.restarts += 1

    def disturb(self, pump: Pump) -> None:
        """A damaged frame: none of it is applied, and the connection is closed."""
        right = netlink.in_frame(netlink.route("60.9.9.0/24", target("blackhole"), self.interfaces))
        wrong = self.random.choice(
            [
                b"\x02" + right[1:],
                right[:2] + b"\x00\x02" + right[4:],
                # A message that is longer than its frame, after a valid one.
                bytes([1, 1, *(len(right) + 16).to_bytes(2)]) + right[4:] + (99).to_bytes(4, "little") + bytes(12),
            ]
        )
        self.socket.sendall(wrong)
        self.socket.settimeout(PATIENCE)
        if self.socket.recv(1) != b"":
            raise AssertionError("the router answered a damaged frame")
        self.faults += 1
        pump()
        self.socket.close()
        self.connect(pump)
        self.restarts += 1

    def withdraw_all(self) -> None:
        gone = [netlink.route(prefix, None, self.interfaces) for prefix in self.routes.routes]
        gone += [netlink.next_hop(one, None, self.interfaces) for one in self.routes.groups]
        self.routes.routes, self.routes.groups = {}, {}
        self.send(gone)

    def end(self) -> None:
        self.socket.close()


class kernel_feed(feed):
    """Acts like a daemon that writes to the kernel's table; its routes have BIRD's protocol number."""

    PROTOCOL = 12
    FLOOD = 200_000  # more than the router's socket holds

    def begin(self) -> None:
        self.batch(self.lines({}, self.routes.groups))

    def words(self, prefix: str, to: target) -> str:
        if to.group:
            return f"{prefix} nhid {to.group} proto {self.PROTOCOL}"
        if to.kind != "unicast":
            return f"{to.kind} {prefix} proto {self.PROTOCOL}"
        if len(to.paths) == 1:
            return f"{prefix} proto {self.PROTOCOL} via {to.paths[0].gateway} dev fp{to.paths[0].port}"
        paths = " ".join(f"nexthop via {p.gateway} dev fp{p.port} weight {p.weight}" for p in to.paths)
        return f"{prefix} proto {self.PROTOCOL} {paths}"

    def lines(self, changes: dict[str, target | None], groups: dict[int, target]) -> list[str]:
        made = [
            f"nexthop replace id {one} via {to.paths[0].gateway} dev fp{to.paths[0].port}"
            for one, to in groups.items()
        ]
        for prefix, to in changes.items():
            is_there = prefix in self.in_kernel
            # For IPv6, Linux replaces a route only by one of the same shape.
            if is_there and (to is None or family(prefix) == 6):
                made.append(f"route del {prefix} proto {self.PROTOCOL}")
            if to is None:
                self.in_kernel.discard(prefix)
            else:
                made.append(f"route {'replace' if family(prefix) == 4 else 'add'} {self.words(prefix, to)}")
                self.in_kernel.add(prefix)
        return made

    def __init__(self, on: watched_router, seed: int) -> None:
        super().__init__(on, seed)
        self.in_kernel: set[str] = set()

    def batch(self, lines: list[str]) -> None:
        networks.batch(self.network.middle, lines)

    def change(self, count: int) -> int:
        groups = self.routes.change_groups(self.random.choice([0, 0, 0, 2]))
        changes = self.routes.change(count)
        self.batch(self.lines(changes, groups))
        return len(changes) + len(groups)

    def flush(self) -> None:
        self.batch(self.lines(dict.fromkeys(sorted(self.in_kernel)), {}))

    def restart(self, pump: Pump) -> None:
        self.flush()
        pump()
        self.routes.change(1500)
        lines = self.lines(dict(self.routes.routes), self.routes.change_groups(4))
        for i in range(0, len(lines), 500):
            self.batch(lines[i : i + 500])
            pump()
        self.restarts += 1

    def disturb(self, pump: Pump) -> None:
        """Makes enough changes while the router sleeps that the kernel drops some of its messages."""
        assert self.network.process is not None
        before = self.overruns()
        os.kill(self.network.process.pid, signal.SIGSTOP)
        try:
            self.flood()
            self.change(1000)
        finally:
            os.kill(self.network.process.pid, signal.SIGCONT)
        wait_for(f"an overrun by {self.FLOOD} changes", lambda: self.overruns() > before)
        self.faults += 1
        pump()

    def flood(self) -> None:
        kinds = target("blackhole"), target("prohibit")
        block = b"".join(netlink.route("60.9.9.0/24", kind, []) for kind in kinds) * 200
        with networks.inside(self.network.middle), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
            for _ in range(self.FLOOD // 400):
                kernel.send(block)
            kernel.send(netlink.route("60.9.9.0/24", None, []))

    def overruns(self) -> int:
        return self.network.telemetry("/fingerpost/summary")["source_sweeps"]

    def withdraw_all(self) -> None:
        self.flush()
        self.batch([f"nexthop del id {one}" for one in self.routes.groups])
        self.routes.routes, self.routes.groups = {}, {}


class file_feed(feed):
    single_paths = True

    def __init__(self, on: watched_router, seed: int) -> None:
        super().__init__(on, seed)
        self.file = Path(on.folder) / "routes.txt"
        self.write()  # the router does not start without it

    def begin(self) -> None:
        pass

    def write(self, more: str = "") -> None:
        routes = fixed_routes() | self.routes.routes
        lines = [f"{prefix} {next(iter(table.words_of(to)))}" for prefix, to in routes.items()]
        next_one = self.file.with_suffix(".new")
        next_one.write_text("\n".join(lines) + "\n" + more)
        next_one.replace(self.file)

    def load(self) -> None:
        assert self.network.process is not None
        self.network.process.send_signal(signal.SIGHUP)

    def change(self, count: int) -> int:
        changes = self.routes.change(count)
        self.write()
        self.load()
        return len(changes)

    def restart(self, pump: Pump) -> None:
        """Writes another table, and sends signals faster than it can be read."""
        self.routes.change(1500)
        self.write()
        for _ in range(3):
            self.load()
            pump()
        self.restarts += 1

    def disturb(self, pump: Pump) -> None:
        """A file with an error changes nothing."""
        wrong = self.random.choice(["60.1.2.3.4/24 blackhole\n", "60.9.9.0/24 nowhere\n", "60.9.9.0/33 10.0.0.2\n"])
        self.write("60.9.9.0/24 blackhole\n" + wrong)
        self.load()
        pump()
        time.sleep(0.3)
        if "60.9.9.0/24 " in self.network.ask("routes"):
            raise AssertionError("a file with a fault was applied")
        self.write()
        self.load()
        self.faults += 1
        pump()

    def withdraw_all(self) -> None:
        self.routes.routes = {}
        self.write()
        self.load()


FEEDS: dict[str, type[feed]] = {"fpm": fpm_feed, "kernel": kernel_feed, "file": file_feed}
