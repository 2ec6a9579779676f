#!/usr/bin/env python3
"""`fingerpost-router --check` and a start report the same about a machine, end with the same code, and leave nothing.

$FINGERPOST_ROUTER is the router. Each start is in a separate network namespace. Needs root; exit status 77: skipped.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from xdp_test import has_xdp

ROUTER = os.environ.get("FINGERPOST_ROUTER", "")
REST = '[threads]\nidle = "sleep"\n[telemetry]\nprometheus = ""\n'
MEMORY = "[memory]\nhuge = false\nmegabytes = 128\n"
NULL = '[[port]]\nname = "left"\ndevice = "net_null0,no-rx=1"\n'
WRONG, MISSING = 2, 1


def port(device: str, name: str = "left", more: str = "") -> str:
    return f'[[port]]\nname = "{name}"\ndevice = "{device}"\n{more}'


class Calls:
    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        self.file = folder / "router.toml"

    def run(self, *words: object, around: tuple[str, ...] = ()) -> tuple[int, str]:
        """Returns the messages of a router that does not start, without those of DPDK."""
        self.count += 1
        # If no link is up, the kernel lets programs listen on any address.
        inside = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"']
        command = [*inside, *around, ROUTER, *map(str, words)]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, env=os.environ | {"RUNTIME_DIRECTORY": str(self.folder)}
        )
        assert done.stdout == "", done.stdout
        left = sorted((self.folder / "dpdk").iterdir()) if (self.folder / "dpdk").exists() else []
        assert not left, f"{words} leaves {left}"
        return done.returncode, done.stderr

    def refused(self, text: str, code: int, *said: str, around: tuple[str, ...] = ()) -> None:
        """Both print the same messages; `said` contains patterns for the lines, in order."""
        self.file.write_text(text)
        answers = [self.run(*words, self.file, around=around) for words in (("--check",), ())]
        assert answers[0] == answers[1], f"--check and a start differ:\n{answers[0]}\n{answers[1]}\n{text}"
        lines = answers[0][1].splitlines()
        good = answers[0][0] == code and len(lines) == len(said)
        for pattern, line in zip(said, lines):
            good = good and re.fullmatch(f"{re.escape(str(self.file))}:{pattern}", line) is not None
        assert good, f"exit {answers[0][0]}\n{answers[0][1]}instead of {code}\n{said}\n{text}"

    def starts(self, text: str, around: tuple[str, ...] = ()) -> None:
        """--check accepts the file, and a router starts with it."""
        self.passes(text, around)
        name = str(self.folder / "ready")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
            ready.bind(name)
            command = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"', *around, ROUTER, str(self.file)]
            environment = os.environ | {"RUNTIME_DIRECTORY": str(self.folder), "NOTIFY_SOCKET": name}
            router = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
            try:
                ready.settimeout(1)
                while not self.is_ready(ready):
                    assert router.poll() is None, f"a start fails that --check passes:\n{router.communicate()[1]}{text}"
            finally:
                router.terminate()
                said = router.communicate(timeout=60)[1]
        Path(name).unlink()
        assert router.returncode == 0, f"exit {router.returncode}\n{said}{text}"

    @staticmethod
    def is_ready(ready: socket.socket) -> bool:
        try:
            return b"READY=1" in ready.recv(4096)
        except TimeoutError:
            return False

    def passes(self, text: str, around: tuple[str, ...] = ()) -> None:
        self.file.write_text(text)
        code, said = self.run("--check", self.file, around=around)
        assert code == 0, f"exit {code}\n{said}{text}"


def wrong_files(calls: Calls) -> None:
    kernel = 'routes = "kernel"\n'
    calls.refused(kernel + NULL + "queues = 0\n" + MEMORY + REST, WRONG, "5:10: error: port.queues is 0; .*")
    two = port("net_af_packet0,iface=lo") + port("net_af_packet1,qpairs=1,iface=lo", "right")
    calls.refused(
        kernel + two + MEMORY + REST, WRONG,
        "7:10: error: port.device takes the packets of interface lo, which the port in line 4 takes already",
    )
    calls.refused(
        kernel + port("net_af_packet0,iface=left") + MEMORY + REST, WRONG,
        "4:10: error: port.device takes the packets of interface left, but the TAP has the same name; .*",
    )
    calls.refused(
        kernel + port("net_af_packet0") + MEMORY + REST, WRONG, "4:10: error: .* write net_af_packet0,iface=INTERFACE"
    )
    calls.refused(
        kernel + NULL + 'addresses = ["192.0.2.1/24@5"]\n' + MEMORY + REST, WRONG,
        "5:14: error: port.addresses has 192.0.2.1/24@5, but port.vlans lacks 5",
    )
    for words in (("--check", calls.folder / "none.toml"), (calls.folder / "none.toml",), ("--chekc",), ()):
        code, said = calls.run(*words)
        assert code == WRONG and said.count("\n") == 1, f"{words}: exit {code}, {said}"


def lacking_machines(calls: Calls) -> None:
    kernel, rest = 'routes = "kernel"\n', MEMORY + REST
    calls.refused(
        kernel + port("net_af_packet0,iface=nosuch0") + rest, MISSING,
        "4:10: error: there is no interface nosuch0 in the network namespace of the router",
    )
    calls.refused(kernel + port("net_nosuch0") + rest, MISSING, "4:10: error: DPDK has no driver for net_nosuch0")
    calls.refused(
        kernel + port("ffff:ff:1f.7") + "[memory]\nhuge = false\n" + REST, MISSING,
        "4:10: error: this machine has no PCI device ffff:ff:1f.7; .*", "6:8: warning: .*",
    )
    calls.refused(
        kernel + port("net_null0", "lo") + rest, MISSING,
        "2:1: error: the port's TAP cannot be named lo: .*",
    )
    calls.refused(
        kernel + NULL + rest + '[kernel]\nnamespace = "nosuch"\n', MISSING,
        "13:13: error: kernel.namespace is nosuch, which cannot be entered: .*No such file or directory",
    )
    calls.refused(
        kernel + NULL + rest + '[privileges]\nuser = "nosuch"\n', MISSING, "13:8: error: unknown user 'nosuch'"
    )
    calls.refused(
        kernel + NULL + rest + '[privileges]\nuser = "root"\ngroup = "nosuch"\n', MISSING,
        "14:9: error: unknown group 'nosuch'",
    )
    calls.refused(
        NULL + rest + '[fpm]\nlisten = "192.0.2.77"\n', MISSING,
        r"12:10: warning: .*", r"12:10: error: fpm.listen has 192.0.2.77, which cannot be listened on: .*",
    )
    calls.passes(NULL + 'addresses = ["192.0.2.77/24"]\n' + rest + '[fpm]\nlisten = "192.0.2.77"\n')
    if not any(int(pages.read_text()) for pages in Path("/sys/kernel/mm/hugepages").glob("*/nr_hugepages")):
        calls.refused(
            kernel + NULL + "[memory]\nhuge = true\n" + REST, MISSING, ".* error: this machine has no huge pages; .* set memory.huge = false, .*"
        )


def files_of_routes(calls: Calls) -> None:
    routes = calls.folder / "routes.txt"
    text = 'routes = "routes.txt"\n' + NULL + "vlans = [5]\n" + MEMORY + REST
    calls.refused(text, MISSING, f"1:10: error: {re.escape(str(routes))}: .*No such file or directory.*")
    routes.write_text("10.0.0.0/8 192.0.2.1\n10.0.0.0/33 192.0.2.1\n")
    calls.refused(text, MISSING, f"1:10: error: {re.escape(str(routes))}:2: .*")
    routes.write_text("10.0.0.0/8 192.0.2.1%left\n10.1.0.0/16 rihgt\n")
    calls.refused(text, MISSING, f"1:10: error: {re.escape(str(routes))}: .*rihgt.*")
    routes.write_text("10.0.0.0/8 192.0.2.1%left\n10.1.0.0/16 left.5\n10.2.0.0/16 blackhole\n")
    calls.passes(text)


def missing_privileges(calls: Calls) -> None:
    text = 'routes = "kernel"\n' + port("net_af_packet0,iface=lo") + MEMORY + REST

    def without(*names: str) -> tuple[str, ...]:
        lost = ",".join(f"-{name}" for name in names)
        return "setpriv", f"--bounding-set={lost}", f"--inh-caps={lost}"

    calls.refused(
        text, MISSING, "4:10: error: port.device takes the packets of interface lo, which needs CAP_NET_RAW; .*",
        around=without("net_raw"),
    )
    calls.refused(
        text, MISSING, " error: each port has a TAP interface, which needs CAP_NET_ADMIN; .*", around=without("net_admin")
    )
    calls.refused(
        text + '[privileges]\nuser = "nobody"\n', MISSING, "13:8: error: .* needs CAP_SETUID; .*",
        around=without("setuid"),
    )
    calls.refused(
        text + '[kernel]\nnamespace = "/proc/1/ns/net"\n', MISSING, "13:13: error: .* needs CAP_SYS_ADMIN; .*",
        around=without("sys_admin"),
    )
    hide = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev/net && exec "$0" "$@"')
    calls.refused(
        text, MISSING, " error: each port needs a TAP interface, but /dev/net/tun cannot be opened: No such file .*",
        around=hide,
    )


def limits_of_drivers(calls: Calls) -> None:
    """Refusals of DPDK, its drivers or the kernel are detected before the start."""
    kernel, rest, plain = 'routes = "kernel"\n', MEMORY + REST, "[memory]\nhuge = false\n" + REST
    lo = "net_af_packet0,iface=lo"
    for device, more, said in (
        (lo + ",blocksz=7", "", "4:10: error: net_af_packet0: blocksz is 7; it must be a multiple of 4096"),
        (lo + ",framesz=100", "", "4:10: error: net_af_packet0: framesz is 100; it must be a multiple of 16, and .*"),
        (lo + ",framesz=2048", "mtu = 3000\n", "4:10: error: .*: framesz is 2048; an MTU of 3000 needs 3128"),
        (lo + ",framecnt=3", "", "4:10: error: .*: framecnt is 3; it must be a multiple of 2, the frames of a block"),
        (lo + ",blksz=4096", "", "4:10: error: the driver of net_af_packet0 has no argument blksz"),
        (lo, "queues = 2\n", "4:10: error: port.queues is 2, but net_af_packet0 has 1; write qpairs=2"),
        ("net_tap0", "queues = 17\n", "4:10: error: port.queues is 17, but net_tap0 has 16"),
        ("net_af_xdp0,iface=lo", "mtu = 4000\n", "5:7: error: port.mtu is 4000; allowed by af_xdp: up to 3498"),
    ):
        calls.refused(kernel + port(device, more=more) + plain, WRONG, said)
    calls.refused(
        kernel + port("net_af_xdp0,iface=lo,queue_count=4") + plain, MISSING,
        r"4:10: error: net_af_xdp0 needs 4 queues on interface lo, which has 1 \(`ethtool -L lo combined 4`\)",
    )
    many = "".join(port(f"net_null{i}", f"p{i}") for i in range(17))
    calls.refused(kernel + many + plain, WRONG, " error: the ports, their TAPs and members are 34 devices; DPDK supports 32")
    two = port("net_null0", "a", "vlans = [5]\n") + port("net_null1", "a.5")
    calls.refused(kernel + two + plain, WRONG, ".*: error: port.tap a.5 is already used by the port in line .*")
    threads = '[threads]\nmode = "fused"\nreceive = 64\nlookup = 64\nidle = "sleep"\n'
    calls.refused(
        kernel + port("net_null0", more="queues = 64\n") + "[memory]\nhuge = false\n" + threads + '[telemetry]\nprometheus = ""\n',
        WRONG, "8:1: error: there are 130 threads; DPDK supports .*",
    )
    existing = ("sh", "-c", 'ip tuntap add left mode tap && exec "$0" "$@"')
    calls.refused(
        kernel + NULL + rest, MISSING,
        "2:1: error: the port's TAP cannot be named left: .*, created without multi_queue", around=existing,
    )


def limits_of_memory(calls: Calls) -> None:
    kernel = 'routes = "kernel"\n'
    calls.refused(
        kernel + NULL + "[memory]\nhuge = false\nmbufs = 600\n" + REST, WRONG,
        "7:9: error: memory.mbufs is 600; the minimum is 1024, because devices take 512 at the start",
    )
    calls.refused(
        kernel + NULL + "[kernel]\nneighbour_queue = 1024\n" + MEMORY + REST, WRONG,
        r"9:13: error: memory.megabytes is 128; packet buffers and rings need \d+",
    )
    calls.refused(
        kernel + NULL + "[memory]\nhuge = false\nmegabytes = 1048576\n" + REST, MISSING,
        r"7:13: error: 1048576 MiB of memory are needed, but this machine has \d+; lower memory.megabytes",
    )


def documented_limits_start(calls: Calls) -> None:
    """Everything that --check accepts starts, up to the limits in the table of all keys."""
    veth = ("sh", "-c", 'ip link add w0 type veth peer name w1 && ip link set w0 up && ip link set w1 up && exec "$0" "$@"')
    xdp, packet = port("net_af_xdp0,iface=w0"), port("net_af_packet0,iface=w1", "right")
    for ports in (NULL, xdp) if has_xdp() else (NULL,):
        for more in (
            "[kernel]\nneighbour_queue = 1024\n",
            "[kernel]\nhost_ring = 32768\n",
            "[memory]\nmbufs = 60000\n",
            "[kernel]\nhost_ring = 32768\nneighbour_queue = 1024\n",
        ):
            memory = "huge = false\n" if "[memory]" in more else "[memory]\nhuge = false\n"
            calls.starts('routes = "kernel"\n' + ports + more + memory + REST, around=veth)
    if has_xdp():
        calls.starts('routes = "kernel"\n' + xdp + packet + "mtu = 2100\n[memory]\nhuge = false\n" + REST, around=veth)
    # The smallest value that --check accepts.
    calls.file.write_text('routes = "kernel"\n' + NULL + "[memory]\nhuge = false\nmegabytes = 1\n" + REST)
    least = re.search(r"need (\d+)", calls.run("--check", calls.file)[1])
    assert least, "memory.megabytes = 1 passes"
    calls.starts('routes = "kernel"\n' + NULL + f"[memory]\nhuge = false\nmegabytes = {least[1]}\n" + REST)


def starts_that_fail_later(calls: Calls) -> None:
    """Errors that no check can detect. Nothing may be left after them."""
    text = 'routes = "kernel"\n' + NULL + "queues = 64\ndescriptors = 32768\n[memory]\nhuge = false\n" + REST
    calls.file.write_text(text)
    code, said = calls.run(calls.file, around=("prlimit", "--as=4000000000"))
    assert code == 1, f"exit {code}\n{said}{text}"


def main() -> int:
    if os.geteuid() != 0 or not Path(ROUTER).is_file() or not shutil.which("setpriv"):
        print("SKIPPED: start_checks_test needs root, setpriv and fingerpost-router ($FINGERPOST_ROUTER)", file=sys.stderr)
        return 77
    parts: list[Callable[[Calls], None]] = [
        wrong_files,
        lacking_machines,
        files_of_routes,
        missing_privileges,
        limits_of_drivers,
        limits_of_memory,
        documented_limits_start,
        starts_that_fail_later,
    ]
    with tempfile.TemporaryDirectory(prefix="fp-checks-") as name:
        calls = Calls(Path(name))
        for part in parts:
            try:
                part(calls)
            except AssertionError as error:
                print(f"FAILED: {part.__name__}: {error}", file=sys.stderr)
                return 1
    print(f"start_checks_test: {calls.count} calls")
    return 0


if __name__ == "__main__":
    sys.exit(main())
