"""FRR's zebra, with one of its two FPM modules, and BIRD: they are started, killed, given routes and asked for their tables."""

import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from feeds.network import Network, wait_for
from feeds.tables import Table, Target, is_ipv6

FRR = Path("/usr/lib/frr")
# zebra's names for routes that drop packets.
UNREACHABLE = {"(blackhole)": "blackhole", "(ICMP unreachable)": "unreachable", "(ICMP admin-prohibited)": "prohibit"}
Change = tuple[str, Target | None]


def kernel_words(prefix: str, target: Target) -> str:
    """A route in the syntax of `ip`."""
    if not target.paths:
        return f"{target.what} {prefix}"
    if len(target.paths) == 1:
        return f"{prefix} via {target.paths[0].gateway} dev {target.paths[0].port}"
    hops = " ".join(f"nexthop via {p.gateway} dev {p.port} weight {p.weight}" for p in target.paths)
    return f"{prefix} {hops}"


def shown_path(words: list[str]) -> tuple[str, int]:
    """A path as both daemons print it: `... via GATEWAY, PORT, weight N`, or with `on` and without commas."""
    at = words.index("via")
    port = at + 3 if words[at + 2] == "on" else at + 2
    weight = int(words[words.index("weight") + 1].rstrip(",")) if "weight" in words else 1
    return f"{words[at + 1].rstrip(',')}%{words[port].rstrip(',')}", weight


def shown_target(paths: list[tuple[str, int]]) -> str:
    if len(paths) == 1:
        return paths[0][0]
    return "+".join(sorted(way if weight == 1 else f"{way}*{weight}" for way, weight in paths))


def bird_words(target: Target) -> str:
    return " ".join(f"via {p.gateway} weight {p.weight}" for p in target.paths) or target.what


class Source:
    """The common part of all: a process in the namespace of the router's kernel."""

    def __init__(self, network: Network, folder: Path) -> None:
        self.network, self.folder = network, folder
        self.process: subprocess.Popen | None = None
        folder.mkdir()

    def as_sent(self, target: Target) -> Target:
        """Changes a target in the way that the source is known to do."""
        return target

    def run_in(self, *command: object) -> None:
        with (self.folder / "output").open("a") as output:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", self.network.middle, *map(str, command)], stdout=output, stderr=output
            )

    def wait_until_started(self, answers: Callable[[], bool]) -> None:
        def started() -> bool:
            assert self.process is not None and self.process.poll() is None, (self.folder / "output").read_text()
            return answers()

        wait_for(f"the start of {type(self).__name__}", started, 120)

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


class Zebra(Source):
    """Puts routes into the kernel, where zebra reads them: its staticd would need hours for this many."""

    routes = "fpm"
    distinct_flaps = False

    def __init__(self, network: Network, folder: Path, module: str) -> None:
        super().__init__(network, folder)
        self.module = module
        shutil.chown(folder, "frr", "frr")

    def start(self) -> None:
        (self.folder / "zebra.conf").write_text(
            "fpm address 127.0.0.1 port 2620\n" if self.module == "dplane_fpm_nl" else ""
        )
        for left in ("zebra.vty", "zebra.pid"):
            (self.folder / left).unlink(missing_ok=True)
        paths = ["-i", self.folder / "zebra.pid", "-z", self.folder / "zserv.api", "--vty_socket", self.folder]
        identity = ["-u", "frr", "-g", "frr", "-P", "0", "--log", f"file:{self.folder}/zebra.log"]
        file = ["-f", self.folder / "zebra.conf"]
        self.run_in(FRR / "zebra", *paths, *identity, *file, "-M", self.module, "-s", "90000000")
        self.wait_until_started((self.folder / "zebra.vty").exists)

    def put(self, table: Table) -> None:
        self.network.change_kernel([f"route add {kernel_words(*route)}" for route in table.items()])

    def change(self, before: Table, after: Table, changes: Iterable[Change]) -> None:
        lines = []
        known = set(before)
        for prefix, target in changes:
            if target is None:
                lines.append(f"route del {prefix}")
                known.discard(prefix)
            elif prefix in known:
                lines.append(f"route replace {kernel_words(prefix, target)}")
            else:
                lines.append(f"route add {kernel_words(prefix, target)}")
                known.add(prefix)
        self.network.change_kernel(lines)

    def show(self, command: str) -> str:
        shown = subprocess.run(
            ["vtysh", "--vty_socket", str(self.folder), "-c", command], capture_output=True, text=True, check=True
        )
        return shown.stdout

    def table(self) -> dict[str, str]:
        """The routes that zebra uses, as the router prints them. As text, because JSON of a million routes takes gigabytes."""
        found: dict[str, str] = {}
        for family in ("ip", "ipv6"):
            prefix, paths = "", []
            for line in self.show(f"show {family} route").splitlines():
                words = line.split()
                if line.startswith("K>*"):
                    prefix, paths = words[1], []
                    words = words[2:]
                elif not prefix or not line.startswith("  *"):
                    prefix = ""
                    continue
                if words[1] == "via":
                    paths.append(shown_path(words))
                    found[prefix] = shown_target(paths)
                else:
                    found[prefix] = UNREACHABLE[line.partition("unreachable ")[2].rpartition(",")[0]]
        return found

    def as_sent(self, target: Target) -> Target:
        """The older module sends weights one too high if there are several paths."""
        return target if self.module == "dplane_fpm_nl" else target.one_higher


class Bird(Source):
    """Routes are those of a static protocol, in files that BIRD rereads for each change.

    Routes in the kernel when BIRD starts stay until BIRD has scanned them; some IPv6 routes only with the second scan.
    """

    routes = "kernel"
    distinct_flaps = True  # between two scans a route can change only once
    HEAD = """router id 10.0.0.1;
protocol device {{ }}
protocol kernel {{ ipv4 {{ export all; }}; persist; scan time {1}; }}
protocol kernel {{ ipv6 {{ export all; }}; persist; scan time {1}; }}
protocol static four {{ ipv4;
include "{0}/four";
}}
protocol static six {{ ipv6;
include "{0}/six";
}}
"""

    def __init__(self, network: Network, folder: Path, scan_time: int) -> None:
        super().__init__(network, folder)
        self.socket = folder / "bird.ctl"
        (folder / "bird.conf").write_text(self.HEAD.format(folder, scan_time))

    def start(self) -> None:
        self.socket.unlink(missing_ok=True)
        self.run_in("bird", "-f", "-c", self.folder / "bird.conf", "-s", self.socket)
        self.wait_until_started(lambda: "Daemon is up and running" in self.ask("show", "status"))

    def ask(self, *words: str) -> str:
        return subprocess.run(["birdc", "-s", str(self.socket), *words], capture_output=True, text=True).stdout

    def put(self, table: Table) -> None:
        lines: dict[bool, list[str]] = {True: [], False: []}
        for prefix, target in table.items():
            lines[is_ipv6(prefix)].append(f"route {prefix} {bird_words(target)};\n")
        (self.folder / "four").write_text("".join(lines[False]))
        (self.folder / "six").write_text("".join(lines[True]))

    def change(self, _: Table, after: Table, changes: Iterable[Change]) -> None:
        self.put(after)
        if self.process is not None:
            told = self.ask("configure")
            assert "Reconfigur" in told, told

    def table(self) -> dict[str, str]:
        found: dict[str, str] = {}
        prefix, paths = "", []
        for line in self.ask("show", "route").splitlines():
            words = line.split()
            if line.startswith("\tvia "):
                paths.append(shown_path(words))
                found[prefix] = shown_target(paths)
            elif "/" in line and not line.startswith(" "):
                prefix, paths = words[0], []
                found[prefix] = words[1].replace("prohibited", "prohibit")
        return found
