#!/usr/bin/env python3
"""What tools/fresh_machine_test mounts is a machine on which `ip` makes network namespaces and works in them.

The machine here is a folder with this system's own programs bound into it, made in a mount namespace that ends with the test.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The bound folders are not written to; `ip netns` keeps its names in /run of the machine.
MAKE_MACHINE = """
set -eu
mkdir -p "$1/proc" "$1/dev" "$1/sys" "$1/run" "$1/etc" "$1/usr"
mount --bind -o ro /usr "$1/usr"
for name in bin sbin lib lib64; do
    if [ -L "/$name" ]; then ln -s "usr/$name" "$1/$name"
    elif [ -d "/$name" ]; then mkdir "$1/$name"; mount --bind -o ro "/$name" "$1/$name"; fi
done
exec "$2" --inside "$1" /nowhere sh -euc "$3"
"""
SPACE = f"fp-fresh-{os.getpid()}"
USE_IP = f"""
ip netns add {SPACE}
trap 'ip netns del {SPACE}' EXIT
ip -n {SPACE} link add name left type veth peer name right
ip -n {SPACE} -o link show left
"""


def in_machine(command: str) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as name:
        words = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"]
        return subprocess.run(
            [*words, "sh", "-c", MAKE_MACHINE, "sh", name, str(ROOT / "tools/fresh_machine_test"), command],
            capture_output=True,
            text=True,
        )


class FreshMachine(unittest.TestCase):
    def test_ip_works_in_a_namespace_of_the_machine(self) -> None:
        done = in_machine(USE_IP)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("left", done.stdout)


def may_mount() -> bool:
    command = ["unshare", "--mount", "mount", "--bind", "/usr", "/mnt"]
    return os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0


if __name__ == "__main__":
    if not may_mount() or shutil.which("ip") is None:
        print("fresh_machine_test: SKIPPED, as it needs root that may mount, and ip (tools/setup router)", file=sys.stderr)
        sys.exit(77)
    unittest.main()
