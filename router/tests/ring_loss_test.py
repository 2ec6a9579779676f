#!/usr/bin/env python3
"""Drops by the kernel before a port on af_packet are counted: received plus missed is the number that reached the interface.

The router is stopped while packets arrive, so that its ring must overflow. $FINGERPOST_ROUTER is the router, $FINGERPOST the
program that shows its counts. Needs root; exit status 77: skipped.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from oracle.networks import inside
from restart_test import ROUTER, Network, wait_for

PROGRAM = os.environ.get("FINGERPOST", "")
PACKETS = 20_000


def asked(network: Network, *words: str) -> str:
    assert network.unit is not None
    path = f"/var/run/dpdk/fingerpost-router-{network.unit.process.pid}/dpdk_telemetry.v2"
    command = [PROGRAM, "router", *words, "--socket", path]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def port(network: Network, name: str) -> dict:
    return {one["name"]: one for one in json.loads(asked(network, "show", "ports", "--format", "json")).values()}[name]


def came_to(network: Network, leg: str) -> int:
    """Packets that the kernel has received on the port's interface."""
    with inside(network.spaces["wires"]):
        lines = Path("/proc/thread-self/net/dev").read_text().splitlines()
    return next(int(line.split()[2]) for line in lines if line.strip().startswith(f"{leg}:"))


def send(network: Network, count: int) -> None:
    with inside(network.spaces["left"]):
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(count):
        out.sendto(b"x" * 18, ("10.0.1.2", 9))
    out.close()


def counts_all(network: Network) -> str:
    unit = network.start()
    network.forwards()
    before, came_before = port(network, "left"), came_to(network, "wire0")
    unit.process.send_signal(signal.SIGSTOP)
    try:
        send(network, PACKETS)
    finally:
        unit.process.send_signal(signal.SIGCONT)
    now: dict = {}

    def add_up() -> bool:
        now.update(port(network, "left"), came=came_to(network, "wire0"))
        told = sum(now[name] - before[name] for name in ("received_packets", "missed", "no_buffer"))
        return told == now["came"] - came_before

    try:
        wait_for("counts that add up", add_up)
    except AssertionError as error:
        raise AssertionError(f"{error}: {came_before} had come, then {now}, before {before}") from None
    missed = now["missed"] - before["missed"]
    assert missed > PACKETS // 2, f"only {missed} of {PACKETS} packets were missed by a router that stood still"
    summary = json.loads(asked(network, "show", "--format", "json"))
    assert summary["missed"] >= missed, summary
    network.forwards()
    return f"{now['came'] - came_before} packets came, {missed} were missed"


def main() -> int:
    if os.geteuid() != 0 or not Path(ROUTER).is_file() or not Path(PROGRAM).is_file():
        print("SKIPPED: ring_loss_test needs root, $FINGERPOST_ROUTER and $FINGERPOST", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-ring-") as name, Network(Path(name)) as network:
        try:
            told = counts_all(network)
        except (AssertionError, RuntimeError) as error:
            print(f"FAILED: {error}\n{(Path(name) / 'log').read_text()[-2000:]}", file=sys.stderr)
            return 1
    print(f"ring_loss_test: {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
