#!/usr/bin/env python3
"""Ports on af_xdp: packets of both families, and packets that do not fit into their rings.

$FINGERPOST_ROUTER is the router. Exit status 77: skipped, also if the kernel has no af_xdp.
"""

import os
import signal
import socket
import sys
import tempfile
from pathlib import Path

from oracle.networks import inside
from wires.network import PORT, RouterNetwork, host_address, wait_for, why_not

XDP = "net_af_xdp{0},iface=w{0}"
PACKETS = 20_000


def has_xdp() -> bool:
    try:
        socket.socket(44, socket.SOCK_RAW).close()  # AF_XDP
    except OSError:
        return False
    return bool(list(Path("/usr/lib").glob("*/dpdk/pmds-*/librte_net_af_xdp.so*")))


def sent_by(network: RouterNetwork, host: int) -> int:
    with inside(network.hosts[host].space):
        lines = Path("/proc/thread-self/net/dev").read_text().splitlines()
    return next(int(line.split()[10]) for line in lines if line.strip().startswith("eth0:"))


def forwards(network: RouterNetwork) -> None:
    for family in (4, 6):
        for count in range(3):
            text = f"{family} {count}"

            def arrives(text: str = text, family: int = family) -> bool:
                network.hosts[0].send([text], host_address(family, 1))
                return text in network.hosts[1].take(family, 0.2)

            wait_for(f"IPv{family} packets", arrives)


def counts_losses(network: RouterNetwork) -> str:
    """The router is stopped while more packets arrive than its rings hold."""
    assert network.process is not None

    def counted() -> dict[str, int]:
        now = network.metrics()
        names = ("received_packets", "missed_packets", "no_buffer_packets")
        return {name: now[f'fingerpost_port_{name}_total{{port="fp0"}}'] for name in names}

    before, sent_before = counted(), sent_by(network, 0)
    network.process.send_signal(signal.SIGSTOP)
    try:
        with inside(network.hosts[0].space):
            out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for _ in range(PACKETS):
            out.sendto(b"x" * 18, (host_address(4, 1), PORT))
        out.close()
    finally:
        network.process.send_signal(signal.SIGCONT)
    now: dict[str, int] = {}

    def adds_up() -> bool:
        now.update(counted())
        return sum(now.values()) - sum(before.values()) == sent_by(network, 0) - sent_before

    try:
        wait_for("counts that add up", adds_up)
    except AssertionError as error:
        raise AssertionError(f"{error}: {before}, then {now}, {sent_by(network, 0) - sent_before} sent") from None
    missed = now["missed_packets"] - before["missed_packets"]
    assert missed > PACKETS // 2, f"only {missed} of {PACKETS} packets were missed by a router that stood still"
    return f"{missed} of {PACKETS} packets were missed by a router that stood still"


def main() -> int:
    if reason := why_not(os.environ.get("FINGERPOST_ROUTER", "")) or ("" if has_xdp() else "needs af_xdp"):
        print(f"SKIPPED: xdp_test {reason}", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-xd-") as folder:
        network = RouterNetwork(f"fp-xd-{os.getpid()}", 2, {}, Path(folder))
        network.device = XDP
        with network:
            forwards(network)
            told = counts_losses(network)
            forwards(network)
    print(f"xdp_test: {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
