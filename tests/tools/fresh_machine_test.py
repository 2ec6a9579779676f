#!/usr/bin/env python3
"""The machine that tools/fresh_machine_test mounts can create network namespaces with `ip`, and the script reports the time of each
step.

The machine is a folder into which this system's own programs are bind-mounted, in a mount namespace that ends with the test.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Nothing is written to the bound folders; `ip netns` stores its names in the machine's /run.
MAKE_MACHINE = """
set -eu
mkdir -p "$1/proc" "$1/dev" "$1/sys" "$1/run" "$1/etc" "$1/usr"
mount --bind -o ro /usr "$1/usr"
for name in bin sbin lib lib64; do
    if [ -L "/$name" ]; then ln -s "usr/$name" "$1/$name"
    elif [ -d "/$name" ]; then mkdir "$1/$name"; mount --bind -o ro "/$name" "$1/$name"; fi
done
"""
RUN_COMMAND = """exec "$2" --inside "$1" /nowhere sh -euc "$3"
"""
# The user's apt-get and make take some time. `make test` runs two processes. The command in $3 fails.
PLAY_USER = """
mkdir -p "$1/work/main/tools" "$1/var/log" "$1/programs"
cat >"$1/programs/make" <<'END'
#!/bin/bash
[[ "${0##*/} $*" != "$FAILING" ]] || exit 3
[[ $* != test ]] || for half in 1 2; do bash -c 'while ((SECONDS < 30 && ++i < 200000)); do :; done'; done
END
sed -i "s/.FAILING/$3/" "$1/programs/make"
chmod +x "$1/programs/make"
for name in programs/apt-get work/main/tools/python_env work/main/tools/setup; do cp "$1/programs/make" "$1/$name"; done
mount --bind "$1/programs" "$1/usr/local/sbin"
exec "$2" $4 --inside "$1" /nowhere
"""
STEPS = [
    "apt-get -qq update",
    "install make git ca-certificates",
    "make setup-build",
    "make demo",
    "make setup-test",
    "tools/python_env",
    "tools/python_env report",
    "make test",
]
ROUTER_STEPS = ["tools/setup router", "make router", "make test-router"]
SPACE = f"fp-fresh-{os.getpid()}"
USE_IP = f"""
ip netns add {SPACE}
trap 'ip netns del {SPACE}' EXIT
ip -n {SPACE} link add name left type veth peer name right
ip -n {SPACE} -o link show left
"""


def in_machine(script: str, *arguments: str) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as name:
        words = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"]
        return subprocess.run(
            [*words, "sh", "-c", MAKE_MACHINE + script, "sh", name, str(ROOT / "tools/fresh_machine_test"), *arguments],
            capture_output=True,
            text=True,
        )


def costs_of(done: subprocess.CompletedProcess) -> dict[str, float]:
    rows = [line.split(maxsplit=1) for line in done.stdout.partition("of each step:\n")[2].splitlines()]
    return {step: float(cost) for cost, step in rows}


class FreshMachine(unittest.TestCase):
    def test_ip_works_in_a_namespace_of_the_machine(self) -> None:
        done = in_machine(RUN_COMMAND, USE_IP)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("left", done.stdout)

    def test_processor_seconds_of_each_step(self) -> None:
        for option, steps in ("", STEPS), ("--router", STEPS + ROUTER_STEPS):
            done = in_machine(PLAY_USER, "nothing", option)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            costs = costs_of(done)
            self.assertEqual(list(costs), steps, done.stdout)
            self.assertGreater(costs["make test"], 0.2, costs)
            self.assertGreater(costs["make test"], 2 * costs["make demo"], costs)

    def test_a_step_that_fails(self) -> None:
        for failing, step in ("make demo", "make demo"), ("apt-get -qq install -y --no-install-recommends make git ca-certificates", STEPS[1]):
            done = in_machine(PLAY_USER, failing, "")
            self.assertEqual(done.returncode, 3 if step == failing else 1, done.stdout)
            self.assertRegex(done.stdout, rf"\nfresh machine: failed after \d+ s: {step}\n")
            self.assertEqual(list(costs_of(done))[-1], step)


def may_mount() -> bool:
    command = ["unshare", "--mount", "mount", "--bind", "/usr", "/mnt"]
    return os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0


if __name__ == "__main__":
    if not may_mount() or shutil.which("ip") is None:
        print("fresh_machine_test: SKIPPED, as it needs root that may mount, and ip (tools/setup router)", file=sys.stderr)
        sys.exit(77)
    unittest.main()
