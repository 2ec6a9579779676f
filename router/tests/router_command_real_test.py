#!/usr/bin/env python3
"""`fingerpost router` with a real router, in a separate network namespace and with its socket in a separate folder.

$FINGERPOST is the program, $FINGERPOST_ROUTER the router. Needs root, for TAP interfaces. Exit status 77: skipped.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tests/e2e/router"))
from fake_telemetry import PAGES, PROGRAM, calls, is_equal, run  # noqa: E402

ROUTER = os.environ.get("FINGERPOST_ROUTER", "")
NEIGHBOURS = 250


class RealRouter:
    """router/samples/test.toml in a separate network namespace, with its socket in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = (folder / "log").open("w")
        self.process = subprocess.Popen(
            ["unshare", "--net", ROUTER, ROOT / "router/samples/test.toml"],
            stdout=self.log,
            stderr=self.log,
            env=os.environ | {"RUNTIME_DIRECTORY": str(folder)},
        )

    def __enter__(self) -> "RealRouter":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def wait(self) -> None:
        end = time.monotonic() + 60
        # Until its first answer the router may still be starting.
        while self.ask("show").returncode != 0:
            assert self.process.poll() is None, "the router ended:\n" + (self.folder / "log").read_text()
            assert time.monotonic() < end, self.ask("show").stderr
            time.sleep(0.3)

    def ask(self, *words: str) -> subprocess.CompletedProcess:
        return run(*words, RUNTIME_DIRECTORY=str(self.folder))

    def told(self, *words: str) -> dict:
        done = self.ask(*words, "--format", "json")
        is_equal((done.returncode, done.stderr), (0, ""), " ".join(words))
        return json.loads(done.stdout)

    def configure(self, *words: str) -> None:
        subprocess.run(["nsenter", "--target", str(self.process.pid), "--net", "ip", *words], check=True)

    def stop(self) -> None:
        self.process.terminate()
        is_equal(self.process.wait(30), 0, "exit code of the router")


def leave_behind(folder: Path) -> None:
    """A killed router cannot remove its socket; the next one does."""
    with RealRouter(folder) as router:
        router.wait()
    done = router.ask("show")
    is_equal((done.returncode, "the router of this socket has ended" in done.stderr), (1, True), done.stderr)


def follows_the_router(router: RealRouter) -> None:
    router.wait()
    summary = router.told("show")
    is_equal((summary["source"], summary["ipv4_routes"]), ("kernel", 0), "summary")
    ports = router.told("show", "ports")
    devices = {port["name"]: port["device"] for port in ports.values()}
    is_equal(devices, {"left": "net_null0,no-rx=1", "right": "net_null1,no-rx=1"}, "ports")
    is_equal(set(router.told("show", "threads")), {"complete0", "host"}, "threads")
    is_equal("no_route" in router.told("show", "drops"), True, "drops")
    is_equal(set(router.told("show", "tables")), {"IPv4", "IPv6"}, "tables")
    # Every page of text is rendered from the answers of this router.
    for part in PAGES:
        done = router.ask("show", part)
        is_equal((done.returncode, done.stderr), (0, ""), part)

    router.configure("link", "set", "left", "up")
    router.configure("address", "add", "10.0.0.1/24", "dev", "left")
    router.configure("route", "add", "10.1.0.0/16", "via", "10.0.0.2")
    router.configure("route", "add", "blackhole", "10.2.0.0/16")
    router.configure("neighbour", "add", "10.0.0.2", "lladdr", "02:00:00:00:00:01", "dev", "left")
    end = time.monotonic() + 20
    while (ways := router.told("lookup", "10.1.2.3"))["10.1.2.3"]["action"] != "forward":
        assert time.monotonic() < end, ways
        time.sleep(0.2)
    way = ways["10.1.2.3"]
    is_equal((way["prefix"], way["port"], way["mac"]), ("10.1.0.0/16", "left", "02:00:00:00:00:01"), "10.1.2.3")
    ways = router.told("lookup", "10.0.0.1", "10.2.0.1", "2001:db8::1")
    is_equal([way["action"] for way in ways.values()], ["local", "blackhole", "no route"], "actions")
    router.configure("link", "set", "right", "up")
    router.configure("address", "add", "10.9.0.1/24", "dev", "right")
    router.configure("neighbour", "add", "10.9.0.2", "lladdr", "02:00:00:00:00:09", "dev", "right")
    hops = ["nexthop", "via", "10.0.0.2", "weight", "3", "nexthop", "via", "10.9.0.2"]
    router.configure("route", "add", "10.3.0.0/16", *hops)
    end = time.monotonic() + 20
    while (group := router.told("lookup", "10.3.1.1")["10.3.1.1"]).get("paths") != 2:
        assert time.monotonic() < end, group
        time.sleep(0.2)
    paths = sorted((group["path0"], group["path1"]), key=lambda path: path["via"])
    told = [(one["via"], one["weight"], one["action"], one["port"], one["mac"]) for one in paths]
    wanted = [
        ("10.0.0.2%left", 3, "forward", "left", "02:00:00:00:00:01"),
        ("10.9.0.2%right", 1, "forward", "right", "02:00:00:00:00:09"),
    ]
    is_equal((group["action"], told), ("group", wanted), "a group")
    shares = [float(one["share"]) for one in paths]
    is_equal((abs(shares[0] - 0.75) < 0.1, abs(sum(shares) - 1) < 0.01), (True, True), f"shares {shares}")
    # More neighbours than fit into one answer of DPDK.
    for i in range(NEIGHBOURS):
        router.configure("neighbour", "add", f"10.0.0.{3 + i}", "lladdr", "02:00:00:00:00:02", "dev", "left")
    end = time.monotonic() + 20
    while len(known := router.told("show", "neighbours")) < NEIGHBOURS + 1:
        assert time.monotonic() < end, f"{len(known)} neighbours"
        time.sleep(0.2)
    wanted = {"address": "10.0.0.2", "interface": "left", "mac": "02:00:00:00:00:01", "state": "resolved"}
    is_equal(wanted in known.values(), True, f"neighbours {known}")
    page = router.ask("top", "--interval", "0.3")
    is_equal(page.returncode, 0, page.stderr)
    is_equal(bool(re.search(r"^complete0 .* %", page.stdout, re.M)), True, page.stdout)

    # The router ends while `top` is running.
    top = subprocess.Popen(
        [PROGRAM, "router", "top", "--limit", "1000", "--interval", "0.1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"RUNTIME_DIRECTORY": str(router.folder)},
    )
    time.sleep(0.5)
    router.stop()
    said = top.communicate(timeout=30)[1]
    is_equal((top.returncode, said.count("\n")), (1, 1), said)
    left = sorted(one.name for one in (router.folder / "dpdk").iterdir())
    is_equal(left, [], "what the router leaves behind")


def main() -> int:
    if not Path(PROGRAM).is_file():
        print("FINGERPOST names no program", file=sys.stderr)
        return 1
    if os.geteuid() != 0 or not Path(ROUTER).is_file() or not shutil.which("nsenter"):
        print("SKIPPED: no real router is asked: that needs root, nsenter and fingerpost-router", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-cli-") as name:
        try:
            leave_behind(Path(name))
            with RealRouter(Path(name)) as router:
                follows_the_router(router)
        except AssertionError as error:
            print(f"FAILED: {error}", file=sys.stderr)
            return 1
    print(f"router_command_real_test: {len(calls)} calls")
    return 0


if __name__ == "__main__":
    sys.exit(main())
