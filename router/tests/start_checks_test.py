#!/usr/bin/env python3
"""`fingerpost-router --check` and a start say the same about what a machine lacks, end with the same code, and leave nothing.

$FINGERPOST_ROUTER is the router. Each start is in a network namespace of its own. Needs root; exit 77: skipped.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

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
        # Without a link that is up, the kernel lets programs listen anywhere.
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
        """Both print the same messages; `said` are patterns for the lines, in order."""
        self.file.write_text(text)
        answers = [self.run(*words, self.file, around=around) for words in (("--check",), ())]
        assert answers[0] == answers[1], f"--check and a start differ:\n{answers[0]}\n{answers[1]}\n{text}"
        lines = answers[0][1].splitlines()
        good = answers[0][0] == code and len(lines) == len(said)
        for pattern, line in zip(said, lines):
            good = good and re.fullmatch(f"{re.escape(str(self.file))}:{pattern}", line) is not None
        assert good, f"exit {answers[0][0]}\n{answers[0][1]}instead of {code}\n{said}\n{text}"

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
        "7:10: error: port.device takes the packets of interface lo, as the port in line 4 does",
    )
    calls.refused(
        kernel + port("net_af_packet0,iface=left") + MEMORY + REST, WRONG,
        "4:10: error: port.device takes the packets of interface left, and the TAP is called so too; .*",
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
        "2:1: error: the TAP of the port is to be called lo, and .*",
    )
    calls.refused(
        kernel + NULL + rest + '[kernel]\nnamespace = "nosuch"\n', MISSING,
        "13:13: error: kernel.namespace is nosuch, which cannot be entered: .*No such file or directory",
    )
    calls.refused(
        kernel + NULL + rest + '[privileges]\nuser = "nosuch"\n', MISSING, "13:8: error: there is no user 'nosuch'"
    )
    calls.refused(
        kernel + NULL + rest + '[privileges]\nuser = "root"\ngroup = "nosuch"\n', MISSING,
        "14:9: error: there is no group 'nosuch'",
    )
    calls.refused(
        NULL + rest + '[fpm]\nlisten = "192.0.2.77"\n', MISSING,
        r"12:10: warning: .*", r"12:10: error: fpm.listen has 192.0.2.77, where nothing can listen: .*",
    )
    calls.passes(NULL + 'addresses = ["192.0.2.77/24"]\n' + rest + '[fpm]\nlisten = "192.0.2.77"\n')
    if not any(int(pages.read_text()) for pages in Path("/sys/kernel/mm/hugepages").glob("*/nr_hugepages")):
        calls.refused(
            kernel + NULL + "[memory]\nhuge = true\n" + REST, MISSING, ".* error: this machine has no huge pages; .* write memory.huge = false, .*"
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
        text, MISSING, "4:10: error: port.device takes the packets of interface lo, which takes CAP_NET_RAW; .*",
        around=without("net_raw"),
    )
    calls.refused(
        text, MISSING, " error: each port has a TAP interface, which takes CAP_NET_ADMIN; .*", around=without("net_admin")
    )
    calls.refused(
        text + '[privileges]\nuser = "nobody"\n', MISSING, "13:8: error: .* takes CAP_SETUID; .*",
        around=without("setuid"),
    )
    calls.refused(
        text + '[kernel]\nnamespace = "/proc/1/ns/net"\n', MISSING, "13:13: error: .* takes CAP_SYS_ADMIN; .*",
        around=without("sys_admin"),
    )
    hide = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev/net && exec "$0" "$@"')
    calls.refused(
        text, MISSING, " error: each port has a TAP interface, and /dev/net/tun cannot be opened: No such file .*",
        around=hide,
    )


def starts_that_fail_later(calls: Calls) -> None:
    """Faults that no check can find: DPDK refuses them. Nothing is left then either."""
    for text in (
        'routes = "kernel"\n' + port("net_af_packet0,iface=lo,blocksz=7") + MEMORY + REST,
        'routes = "kernel"\n' + NULL + "[memory]\nhuge = false\nmegabytes = 1048576\n" + REST,
        'routes = "kernel"\n' + NULL + "queues = 64\ndescriptors = 32768\n" + MEMORY + REST,
    ):
        calls.file.write_text(text)
        code, said = calls.run(calls.file, around=("prlimit", "--as=8000000000"))
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
