"""The kernel's routing table of this network namespace: fills it, and measures its time, nodes, depth and memory.

The last 32 bits (IPv6) or 24 bits (IPv4) of a route's gateway are the number of its next hop.
"""

from __future__ import annotations

import functools
import json
import re
import resource
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from own_namespaces import Refused
from tables_and_traces import Table

DEVICE = "d0"
GATEWAYS = {4: 1 << 24, 6: (1 << 32) - 1}  # number of gateways
# Memory is not reported for smaller tables, because other processes change the counters by as much.
LEAST_ROUTES_WEIGHED = 10_000
KIB = 1024


@dataclass
class Filled:
    """Time of the insertion, and memory of the routes."""

    insert_seconds: float  # system time of `ip -batch`
    insert_wall_seconds: float
    nodes: int | None
    depth: int | None
    bytes: int | None


def ip(*words: str) -> str:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(f"`ip {' '.join(words)}` fails: {done.stderr.strip()}")
    return done.stdout


def set_variable(name: str, value: str) -> None:
    Path("/proc/sys/net", name).write_text(value, encoding="ascii")


def make_device() -> int:
    """Creates a device that forwards, and returns its number."""
    if shutil.which("ip") is None:
        raise Refused("the program `ip` is missing (Debian: iproute2)")
    if not Path("/proc/sys/net/ipv6").is_dir():
        raise Refused("this kernel has no IPv6")
    # Without addresses, a device adds no routes.
    set_variable("ipv6/conf/default/addr_gen_mode", "1")
    set_variable("ipv6/conf/all/forwarding", "1")
    set_variable("ipv4/ip_forward", "1")
    ip("link", "set", "lo", "up")
    ip("link", "add", DEVICE, "type", "veth", "peer", "name", "d1")
    for name in (DEVICE, "d1"):
        ip("link", "set", name, "up")
    return int(json.loads(ip("-json", "link", "show", DEVICE))[0]["ifindex"])


def remove_device() -> None:
    """Removes the device and its routes immediately; otherwise the kernel would do it later, during the next measurement."""
    ip("link", "delete", DEVICE)


def gateway(family: int, number: int) -> str:
    if family == 4:
        return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
    return f"fd00::{number >> 16:x}:{number & 0xFFFF:x}"


def kernel_bytes() -> int | None:
    """Returns the memory of the kernel's objects, of its per-CPU objects, and of large tables.

    Objects are counted instead of their pages (SUnreclaim): pages remain when a table is removed, and the next table fills them again,
    so it would appear to need 1/3 less.
    """
    slabs = Path("/proc/slabinfo")
    if not slabs.is_file():
        return None
    rows = [line.split() for line in slabs.read_text(encoding="ascii").splitlines()[2:]]
    objects = sum(int(active) * int(size) for name, active, _, size, *_ in rows if not is_reclaimable(name))
    pages = re.findall(r"^(?:VmallocUsed|Percpu): +(\d+) kB$", Path("/proc/meminfo").read_text(encoding="ascii"), re.MULTILINE)
    return objects + sum(int(count) for count in pages) * KIB


@functools.cache
def is_reclaimable(cache: str) -> bool:
    """Returns whether a cache holds leftovers of reading files, such as inodes."""
    try:
        return Path("/sys/kernel/slab", cache, "reclaim_account").read_text(encoding="ascii").strip() == "1"
    except OSError:
        return False


def settled_kernel_bytes(most_seconds: float = 10) -> int | None:
    """Waits until the kernel has freed deferred objects, and returns kernel_bytes()."""
    before = kernel_bytes()
    until = time.monotonic() + most_seconds
    while before is not None and time.monotonic() < until:
        time.sleep(0.2)
        now = kernel_bytes()
        if now is None or abs(now - before) < 256 * KIB:
            return now
        before = now
    return before


def shape(family: int) -> tuple[int | None, int | None]:
    """Returns the nodes, and for IPv4 the depth. The kernel does not report the depth of its IPv6 tree."""
    if family == 6:
        path = Path("/proc/net/rt6_stats")
        return (int(path.read_text(encoding="ascii").split()[0], 16), None) if path.is_file() else (None, None)
    path = Path("/proc/net/fib_triestat")
    if not path.is_file():
        return None, None
    main = path.read_text(encoding="ascii").split("Main:", 1)[-1]
    counts = {
        name: int(value) for name, value in re.findall(r"^\t(Max depth|Leaves|Internal nodes): +(\d+)$", main, re.MULTILINE)[:3]
    }
    return counts["Leaves"] + counts["Internal nodes"], counts["Max depth"]


def route_line(table: Table, prefix: str, number: int) -> str:
    """Returns the line of `ip -batch` that adds a route."""
    # Linux keeps the next hops of IPv4 in a hash table whose key has the metric, but not the gateway: with one metric for all,
    # 100,000 routes with gateways of their own took seven minutes.
    metric = f" metric {number}" if table.family == 4 and table.next_hops == "unique" else ""
    return f"route add {prefix} via {gateway(table.family, number)} dev {DEVICE} onlink{metric}\n"


def growth(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


def fill(table: Table, folder: Path) -> Filled:
    """Inserts the routes into the main table."""
    batch = folder / "routes.batch"
    with batch.open("w", encoding="ascii") as out:
        out.writelines(route_line(table, prefix.text, number) for prefix, number in zip(table.prefixes, table.numbers, strict=True))
    nodes_before, _ = shape(table.family)
    bytes_before = settled_kernel_bytes()
    used_before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_stime
    begun = time.monotonic()
    done = subprocess.run(["ip", f"-{table.family}", "-batch", batch], capture_output=True, text=True, check=False)
    wall = time.monotonic() - begun
    system = resource.getrusage(resource.RUSAGE_CHILDREN).ru_stime - used_before
    if done.returncode != 0:
        raise RuntimeError(f"the routes are not inserted: {done.stderr.strip()[:500]}")
    nodes, depth = shape(table.family)
    bytes_after = settled_kernel_bytes()
    if len(table.prefixes) < LEAST_ROUTES_WEIGHED:
        bytes_after = None
    return Filled(
        insert_seconds=system,
        insert_wall_seconds=wall,
        nodes=growth(nodes_before, nodes),
        depth=depth,
        bytes=growth(bytes_before, bytes_after),
    )
