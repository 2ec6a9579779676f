"""A router in namespaces, with samples of its memory, descriptors, threads, buffers and counters."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from oracle import networks

MODES = {"fpm": "pipeline", "kernel": "complete", "file": "fused"}
PATIENCE = 60  # in seconds: the machine may be busy
CLOSING_SECONDS = 6  # longer than the router keeps an idle connection open

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class sample:
    at: float
    kib: int
    descriptors: int
    threads: int
    buffers: int  # outside the pool, except those of packets that wait for a neighbour
    packets: int

    def __str__(self) -> str:
        return (
            f"{self.at:7.1f} s  {self.kib:7} KiB  {self.descriptors} descriptors  {self.threads} threads  "
            f"{self.buffers} buffers  {self.packets} packets"
        )


def wait_for(what: str, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {PATIENCE} s")
        time.sleep(0.05)


class watched_router(networks.router_network):
    def __init__(self, name: str, program: str, folder: Path, source: str) -> None:
        super().__init__(name, program, folder, MODES[source], kernel_forwards=False)
        self.source = source
        self.start_of_watch = time.monotonic()

    def settings(self) -> str:
        routes = {"file": str(self.folder / "routes.txt")}.get(self.source, self.source)
        fpm = '[fpm]\nquiet_time = "300ms"\nconverged_percent = 0\nsweep_limit = "30s"\n' if self.source == "fpm" else ""
        return (
            f'routes = "{routes}"\n{self.ports(descriptors=256)}[threads]\nmode = "{self.mode}"\nidle = "sleep"\n{fpm}'
            f'[kernel]\nnamespace = "{self.middle}"\nicmp_rate = 1000000\nicmp_burst = 100000\nport_rate = 0\n'
            # So few buffers that all have been used when the memory is first measured.
            "[memory]\nhuge = false\nmegabytes = 160\nmbufs = 12288\n"
            '[telemetry]\nprometheus = "127.0.0.1:9620"\n'
        )

    @property
    def proc(self) -> Path:
        assert self.process is not None
        return Path("/proc") / str(self.process.pid)

    @property
    def runtime_folder(self) -> Path:
        assert self.process is not None
        return Path("/var/run/dpdk") / f"fingerpost-router-{self.process.pid}"

    def telemetry(self, command: str) -> dict:
        return self.patiently(lambda: self.telemetry_now(command), command)

    def telemetry_now(self, command: str) -> dict | None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asked:
            asked.connect(str(self.runtime_folder / "dpdk_telemetry.v2"))
            asked.recv(1024)
            asked.send(command.encode())
            return json.loads(asked.recv(65536))[command.split(",")[0]]

    def ask(self, page: str) -> str:
        return self.patiently(lambda: self.page(page), page)

    def page(self, name: str) -> str | None:
        try:
            return super().ask(name)
        except (RuntimeError, TimeoutError):
            return None

    def patiently(self, ask: Callable[[], Answer | None], what: str) -> Answer:
        """The control thread does not answer while it has thousands of changes to process."""
        end = time.monotonic() + PATIENCE
        while (answer := ask()) is None:
            if time.monotonic() > end:
                raise AssertionError(f"{what}: no answer within {PATIENCE} s")
        return answer

    def settled(self) -> dict[str, float]:
        """Returns the counters once they add up: every packet is counted by its origin and by its destination."""
        told: dict[str, float] = {}

        def add_up() -> bool:
            told.clear()
            told.update(self.metrics())
            return self.excess(told) == 0 and all(self.as_devices_count(way, told) for way in ("received", "sent"))

        try:
            wait_for("counters that add up", add_up)
        except AssertionError as error:
            shown = {name: value for name, value in told.items() if value and "packets" in name}
            raise AssertionError(f"{error}: {self.excess(told):+.0f} of {shown}") from None
        return told

    @staticmethod
    def as_devices_count(way: str, told: dict[str, float]) -> bool:
        by_devices = sum(v for name, v in told.items() if name.startswith(f"fingerpost_port_{way}_packets"))
        return by_devices == told[f"fingerpost_{way}_packets_total"]

    @staticmethod
    def excess(told: dict[str, float]) -> float:
        def total(what: str) -> float:
            return told[f"fingerpost_{what}_packets_total"]

        dropped = sum(v for name, v in told.items() if name.startswith("fingerpost_dropped_packets_total"))
        waiting = told["fingerpost_waiting_packets"]
        return (
            total("received") + total("from_kernel") + total("made") - total("sent") - total("to_kernel") - dropped
        ) - waiting

    def sample(self, descriptors: int | None) -> sample:
        """Samples while no packets are sent. Connections for queries take a moment to close: `descriptors` is the number
        expected to be left; if it is unknown, the minimum over a while is used."""
        told = self.settled()
        if descriptors is None:
            self.wait_for_closed_connections()
        else:
            wait_for(f"{descriptors} descriptors, {self.descriptors()} now", lambda: self.descriptors() == descriptors)
        status = dict(line.split(":", 1) for line in (self.proc / "status").read_text().splitlines())
        return sample(
            time.monotonic() - self.start_of_watch,
            int(status["VmRSS"].split()[0]),
            self.descriptors(),
            int(status["Threads"]),
            int(told["fingerpost_buffers_in_use"] - told["fingerpost_waiting_packets"]),
            int(told["fingerpost_received_packets_total"]),
        )

    def wait_for_closed_connections(self) -> None:
        counts = []
        for _ in range(CLOSING_SECONDS * 10):
            counts.append(self.descriptors())
            time.sleep(0.1)
        wait_for("no descriptor more than before", lambda: self.descriptors() == min(counts))

    def descriptors(self) -> int:
        return len(os.listdir(self.proc / "fd"))

    def has_left_nothing(self) -> None:
        """After SIGTERM: the correct exit code, and nothing left but the TAPs, which the next start takes over."""
        assert self.process is not None
        self.process.terminate()
        if (code := self.process.wait(PATIENCE)) != 0:
            raise AssertionError(f"the router ended with {code}:\n{self.log.read_text()[-2000:]}")
        for space in self.spaces:
            shown = subprocess.run(["ip", "-n", space, "-d", "-j", "link", "show"], check=True, capture_output=True, text=True)
            links = {link["ifname"]: link.get("linkinfo", {}).get("info_kind") for link in json.loads(shown.stdout)}
            left = {name: kind for name, kind in links.items() if name != "lo" and (kind, space) != ("tun", self.middle)}
            if left:
                raise AssertionError(f"left in {space}: {left}")
        if self.runtime_folder.exists():
            raise AssertionError(f"{self.runtime_folder} is left")

