#!/usr/bin/env python3
"""Packets of 9,000 bytes through ports on af_packet: forwarded, and to and from the kernel through the TAPs.

$FINGERPOST_ROUTER is the router. Exit status 77: skipped.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from wires.network import RouterNetwork, host_address, wait_for, why_not

MTU = 9000
UDP_AND_IP = {4: 28, 6: 48}


def check(network: RouterNetwork) -> None:
    for host in network.hosts:
        host.ip("link", "set", "eth0", "mtu", str(MTU))
        assert network.shown("link", "show", f"fp{host.number}")[0]["mtu"] == MTU
    for family, headers in UDP_AND_IP.items():
        text = "x" * (MTU - headers)

        def arrives() -> bool:
            network.hosts[0].send([text], host_address(family, 1))
            return text in network.hosts[1].take(family, 0.2)

        wait_for(f"IPv{family} packets of {MTU} bytes", arrives)
        router = "10.0.0.1" if family == 4 else "2001:db8:0::1"
        ping = ["ping", "-c1", "-W1", "-M", "do", "-s", str(MTU - headers), router]
        command = ["ip", "netns", "exec", network.hosts[0].space, *ping]
        wait_for(" ".join(ping), lambda: subprocess.run(command, capture_output=True).returncode == 0)


def main() -> int:
    if reason := why_not(os.environ.get("FINGERPOST_ROUTER", "")):
        print(f"SKIPPED: jumbo_test {reason}", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-jf-") as folder:
        network = RouterNetwork(f"fp-jf-{os.getpid()}", 2, {}, Path(folder))
        network.port_lines = f"mtu = {MTU}\n"
        with network:
            check(network)
    return 0


if __name__ == "__main__":
    sys.exit(main())
