#!/usr/bin/env python3
"""A second router on the interfaces or TAPs of a running one names the process that has them, and does not disturb it.

Covers interfaces whose packets another program takes by XDP. $FINGERPOST_ROUTER is the router. Exit status 77: skipped.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from oracle.networks import run
from wires.network import RouterNetwork, why_not
from xdp_test import XDP, forwards, has_xdp

PROGRAM = os.environ.get("FINGERPOST_ROUTER", "")


def refused(network: RouterNetwork, settings: str, words: str) -> None:
    file = network.folder / "second.toml"
    file.write_text(re.sub('prometheus = ".*"', 'prometheus = ""', settings))
    around = ["ip", "netns", "exec", network.wires, PROGRAM]
    checked = subprocess.run([*around, "--check", file], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stderr
    done = subprocess.run([*around, file], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and re.search(words, done.stderr), (done.returncode, words, done.stderr)


def refuses_a_second_router(network: RouterNetwork) -> None:
    assert network.process is not None
    own = network.settings()
    refused(network, own, f"port 'fp0': another router \\(process {network.process.pid}\\) uses the interface w0")
    # Other interfaces, but the TAPs of the first router.
    for name in ("spare0", "spare1"):
        run("ip", "-n", network.wires, "link", "add", name, "type", "veth", "peer", "name", f"{name}-far")
    refused(network, own.replace("iface=w", "iface=spare"), "port 'fp0': another program uses its TAP 'fp0'")
    forwards(network)


def names_another_program(network: RouterNetwork) -> None:
    """The other program is the first router, whose claim is not found because its interface was renamed."""
    other = network.settings().replace(f'namespace = "{network.middle}"', f'namespace = "{network.hosts[0].space}"')
    # The claim of the first router is found by the interface's name, so the interface is renamed.
    run("ip", "-n", network.wires, "link", "set", "w1", "down")
    run("ip", "-n", network.wires, "link", "set", "w1", "name", "w9")
    run("ip", "-n", network.wires, "link", "set", "w9", "up")
    one = other[: other.index("[[port]]")] + f'[[port]]\nname = "x9"\ndevice = "{XDP.format(9)}"\n' + other[other.index("[threads]") :]
    refused(network, one, "port 'x9' .*: a receive queue cannot be created, because another program takes the packets of w9 by XDP")


def main() -> int:
    if reason := why_not(PROGRAM):
        print(f"SKIPPED: second_router_test {reason}", file=sys.stderr)
        return 77
    for device in (RouterNetwork.device, XDP) if has_xdp() else (RouterNetwork.device,):
        with tempfile.TemporaryDirectory(prefix="fp-sr-") as folder:
            network = RouterNetwork(f"fp-sr-{os.getpid()}", 2, {}, Path(folder))
            network.device = device
            with network:
                forwards(network)
                refuses_a_second_router(network)
                if device == XDP:
                    names_another_program(network)
    return 0


if __name__ == "__main__":
    sys.exit(main())
