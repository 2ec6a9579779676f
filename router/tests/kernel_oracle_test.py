#!/usr/bin/env python3
"""The kernel is the oracle: Linux and fingerpost-router must forward the same packets in the same way.

Two copies of one network exist in network namespaces (oracle/networks.py). Packets are generated from a seed
(oracle/generator.py) and sent into both; the output of each port is matched by packet numbers and compared
byte by byte (oracle/comparison.py). Allowed differences, with their reasons, are listed in oracle/rules.py.

Not compared: the path that a flow takes on a multipath route, because the hashes differ; and VLAN interfaces, which some
kernels lack, so tagged frames are only checked to be dropped by both, except those with VLAN id 0.

Environment:
    FINGERPOST_ROUTER          the program
    FINGERPOST_ORACLE_PACKETS  number of packets, 5,000 by default. From 100,000 on, all rules must have been used
    FINGERPOST_ORACLE_SEED     1 by default
    FINGERPOST_ORACLE_MODE     complete (default), fused or pipeline
    FINGERPOST_ORACLE_KERNEL   whether the kernel on the other side of the TAPs forwards packets: off (default) or on

Exit status 77: skipped.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

from oracle import networks, rules
from oracle.comparison import Output, compare, is_own_talk
from oracle.generator import generator
from oracle.packets import ICMP, IPV4, UDP, hex_dump, icmp, ipv4, ipv4_packet, token, udp
from oracle.samples import number_of, sample

WINDOW = 256
# Packets for neighbours that never answer are sent separately: the error takes three seconds.
UNANSWERED_EACH, UNANSWERED_COUNT, PATIENCE = 20_000, 120, 4.5
QUIET = 0.01
LONG_FORM = 100_000
SHOWN = 10
FIRST_MARK = 0xE00000
# The router drops packets for these reasons when it is too slow, so these differences have no meaning.
OVERLOAD = {
    "lookup_ring_full",
    "send_ring_full",
    "host_ring_full",
    "host_refused",
    "transmit_full",
    "no_memory",
    "neighbour_queue_full",
    "port_down",
}


class session:
    """Sends windows of packets and collects the output."""

    def __init__(self, made: generator, both: list[networks.network]) -> None:
        self.generator, self.networks = made, both
        self.mark = FIRST_MARK

    def marks(self) -> dict[int, tuple[int, bytes]]:
        """Sends packets that come out last: for each port one forwarded, one answered by the router, one by Linux."""
        made = {}
        for port in range(networks.PORTS - 1):
            for to, ttl in (("50.0.0.1", 64), ("50.0.0.1", 1), (f"10.0.{port}.1", 64)):
                self.mark += 1
                source = self.generator.ipv4_home(self.mark, 20)
                if ttl == 64 and to != "50.0.0.1":
                    payload, protocol = icmp(8, 0, bytes(4), token(self.mark)), ICMP
                else:
                    payload, protocol = udp(source, ipv4(to), (7, 7), token(self.mark)), UDP
                packet = ipv4_packet(source, ipv4(to), protocol, payload, ttl=ttl)
                made[self.mark] = (port, self.generator.frame(port, IPV4, packet))
        return made

    def run(self, samples: list[sample], patience: float = 0) -> list[dict[int | None, Output]]:
        marks = self.marks()
        inputs = [(one.port, one.frame) for one in samples] + list(marks.values())
        for port, frame in inputs:
            for one in self.networks:
                one.send(port, frame)
        return [self.gather(one, set(marks), patience) for one in self.networks]

    def wait_until_both_forward(self) -> None:
        end = time.monotonic() + 40
        while True:
            try:
                self.run([])
                if all(one.has_link_local_addresses() for one in self.networks):
                    return
            except TimeoutError:
                pass
            if time.monotonic() > end:
                raise TimeoutError("not both networks forward")
            time.sleep(0.1)

    def gather(self, one: networks.network, marks: set[int], patience: float) -> dict[int | None, Output]:
        found: dict[int | None, Output] = {}
        end = time.monotonic() + 5
        quiet = time.monotonic() + patience
        while True:
            frames = one.take(QUIET if not marks else 1.0)
            for port, frame in frames:
                number = number_of(frame)
                if number in marks:
                    marks.discard(number)
                elif number is not None and number >= FIRST_MARK or number is None and is_own_talk(frame):
                    continue
                else:
                    found.setdefault(number, []).append((port, frame))
            if not frames and not marks and time.monotonic() > quiet:
                return found
            if marks and time.monotonic() > end:
                raise TimeoutError(f"{one.name}: {len(marks)} packets that mark the end of a window did not come out")


class tally:
    def __init__(self) -> None:
        self.packets = self.outputs = self.unexplained = 0
        self.traits: dict[str, int] = {}

    def add(self, samples: list[sample], linux: dict[int | None, Output], router: dict[int | None, Output]) -> None:
        for one in samples:
            self.packets += 1
            self.outputs += bool(linux.get(one.number))
            for trait in one.traits:
                self.traits[trait] = self.traits.get(trait, 0) + 1
            found = compare(one, linux.pop(one.number, []), router.pop(one.number, []))
            if found and not rules.explain(found):
                self.report(str(found))
        for name, rest in (("Linux", linux), ("router", router)):
            for number, frames in rest.items():
                for port, frame in frames:
                    self.report(
                        f"{name}, port {port}: a frame of no packet of this window ({number})\n{hex_dump(frame)}"
                    )

    def report(self, text: str) -> None:
        self.unexplained += 1
        if self.unexplained <= SHOWN:
            print(f"UNEXPLAINED {self.unexplained}: {text}", flush=True)


def test(program: str, folder: Path) -> bool:
    count = int(os.environ.get("FINGERPOST_ORACLE_PACKETS", "5000"))
    seed = int(os.environ.get("FINGERPOST_ORACLE_SEED", "1"))
    mode = os.environ.get("FINGERPOST_ORACLE_MODE", "complete")
    kernel_forwards = os.environ.get("FINGERPOST_ORACLE_KERNEL") == "on"
    if not kernel_forwards:
        rules.RULES += rules.RULES_WITHOUT_KERNEL
    kernel = "forwards" if kernel_forwards else "does not forward"
    print(f"{count} packets, seed {seed}, mode {mode}, the kernel behind the TAPs {kernel}", flush=True)
    name = f"fp-ko-{os.getpid()}"
    start = time.monotonic()
    with (
        networks.linux_network(f"{name}-l") as linux,
        networks.router_network(f"{name}-r", program, folder, mode, kernel_forwards) as router,
    ):
        run, seen = session(generator(seed), [linux, router]), tally()
        run.wait_until_both_forward()
        number = 0
        while number < count:
            samples = [run.generator.sample(number + i) for i in range(min(WINDOW, count - number))]
            number += len(samples)
            seen.add(samples, *run.run(samples))
            if (number - len(samples)) // UNANSWERED_EACH != number // UNANSWERED_EACH or number == count:
                samples = [run.generator.unanswered(number + i) for i in range(UNANSWERED_COUNT)]
                number, count = number + UNANSWERED_COUNT, count + UNANSWERED_COUNT * (number < count)
                seen.add(samples, *run.run(samples, PATIENCE))
        overload = {why: n for why, n in router.drops().items() if why in OVERLOAD and n}
    print(
        f"{seen.packets} packets, {seen.outputs} of which Linux forwarded or answered, "
        f"in {time.monotonic() - start:.1f} s"
    )
    for one in rules.RULES:
        print(f"{one.used:8}  {one.name}: {one.reason}")
    unused = [one.name for one in rules.RULES if one.used == 0] if count >= LONG_FORM else []
    if unused:
        print(f"FAILED: rules that no packet needed: {', '.join(unused)}")
    if overload:
        print(f"FAILED: the router was too slow: {overload}")
    print(f"{seen.unexplained} unexplained differences")
    return seen.unexplained == 0 and not unused and not overload


def why_not() -> str:
    if os.geteuid() != 0:
        return "needs root, for network namespaces and raw sockets"
    if not os.access(os.environ.get("FINGERPOST_ROUTER", ""), os.X_OK):
        return "$FINGERPOST_ROUTER is no program: build the target fingerpost-router (needs libdpdk-dev)"
    for tool in ("ip", "ethtool"):
        if not any(os.access(f"{folder}/{tool}", os.X_OK) for folder in os.environ["PATH"].split(":")):
            return f"needs the command {tool}: tools/setup router installs it"
    probe = f"fp-ko-{os.getpid()}"
    try:
        networks.run("ip", "netns", "add", probe)
        networks.run("ip", "-n", probe, "link", "add", "fpko0", "type", "veth", "peer", "name", "fpko1")
    except RuntimeError as error:
        return f"needs network namespaces and veth: {error}"
    finally:
        networks.subprocess.run(["ip", "netns", "del", probe], capture_output=True)
    return "" if os.path.exists("/dev/net/tun") else "needs /dev/net/tun"


def main() -> int:
    if reason := why_not():
        print(f"SKIPPED: kernel_oracle_test {reason}", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-ko-") as name:
        return 0 if test(os.environ["FINGERPOST_ROUTER"], Path(name)) else 1


if __name__ == "__main__":
    sys.exit(main())
