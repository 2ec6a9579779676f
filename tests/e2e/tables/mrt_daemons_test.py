#!/usr/bin/env python3
"""Loads a table written as MRT into GoBGP, and reads the dumps that BIRD and FRR write after learning it from there.

    fingerpost convert --format mrt-whole   ->   gobgp mrt inject   ->   gobgpd   ->   BGP   ->   BIRD, FRR's bgpd
    fingerpost replay --table               <-   MRT dumps of these two

All three tables must equal the written one. The daemons peer over loopback in one AS, so that next hops stay unchanged.
FINGERPOST_MRT_ROUTES sets the approximate number of routes per family. The prefixes come from $FINGERPOST_DATA/fib; next hops and
origins are generated.
"""

import ipaddress
import json
import lzma
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from mrt_test import record, skip

BGPD = Path("/usr/lib/frr/bgpd")
AS = 64500
SECONDS = 120  # timeout for a daemon to learn a table
Table = dict[str, tuple[str, str]]  # next hop and origin AS


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"mrt_daemons_test: {words}")


def wait_for(what: str, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        want(time.monotonic() < end, f"no {what} after {SECONDS} s")
        time.sleep(0.3)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


# The table.


def make_table(data: Path, routes: int) -> Table:
    table = {}
    for name, base in (("tier1-v4", "198.51.100.0"), ("tier1-v6", "2001:db8::")):
        prefixes = [line.split()[0] for line in lzma.open(data / "fib" / f"{name}.txt.xz", "rt")]
        step = max(len(prefixes) // routes, 1)
        for number, prefix in enumerate(prefixes[::step]):
            hop = ipaddress.ip_address(base) + 1 + number * 7 % 250
            table[str(ipaddress.ip_network(prefix))] = str(hop), str(65_000 + number % 1000 * 97)
    return table


def as_mrt(table: Table) -> bytes:
    """Writes TABLE_DUMP_V2, the input of `convert`."""
    peer = b"\2" + bytes([192, 0, 2, 9]) * 2 + struct.pack(">I", 64_999)
    out = [record(1, 13, 1, bytes([192, 0, 2, 1]) + struct.pack(">HH", 0, 1) + peer)]
    for number, (prefix, (hop, origin)) in enumerate(table.items()):
        network, at = ipaddress.ip_network(prefix), ipaddress.ip_address(hop).packed
        base = bytes([network.prefixlen]) + network.network_address.packed[: (network.prefixlen + 7) // 8]
        attributes = b"\x40\1\1\0" + b"\x40\2\x0a\2\2" + struct.pack(">II", 64_999, int(origin))
        attributes += b"\x40\3\4" + at if network.version == 4 else b"\x80\x0e\x11\x10" + at
        entry = struct.pack(">HHIH", 1, 0, 1, len(attributes)) + attributes
        out.append(record(1, 13, 2 if network.version == 4 else 4, struct.pack(">I", number) + base + entry))
    return b"".join(out)


def read_dump(*files: Path) -> Table:
    """Returns the routes that `fingerpost replay` reads from a dump, or none while a daemon is still writing it."""
    found: list[dict[str, str]] = []
    for value in ("next_hop", "origin_as"):
        found.append({})
        for file in files:
            command = [os.environ["FINGERPOST"], "replay", "-t", file, "/dev/null", "--columns", value, "-o", "-"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return {}
            found[-1].update(line.split() for line in done.stdout.splitlines())
    return {prefix: (hop, found[1].get(prefix, "")) for prefix, hop in found[0].items()}


def expect(name: str, shown: Table, table: Table) -> None:
    # bgpdump writes a single group of zeros as `::`, against RFC 5952.
    got = {str(ipaddress.ip_network(prefix)): values for prefix, values in shown.items()}
    different = [p for p in table if got.get(p) != table[p]]
    more = [p for p in got if p not in table]
    words = ", ".join(f"{p}: {got.get(p)} instead of {table.get(p)}" for p in (different + more)[:5])
    want(not different and not more, f"{name}: {len(different)} routes missing or other, {len(more)} more: {words}")
    print(f"mrt_daemons_test: {name}: {len(table)} routes", flush=True)


# The daemons.


class Daemons:
    def __init__(self, folder: Path) -> None:
        self.folder, self.running = folder, []
        self.api, self.port = free_port(), free_port()

    def start(self, name: str, *command: object) -> None:
        log = (self.folder / f"{name}.log").open("w")
        self.running.append(subprocess.Popen([str(c) for c in command], stdout=log, stderr=log))

    def stop(self) -> None:
        for one in self.running:
            one.terminate()
        for one in self.running:
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()

    def gobgp(self, *words: object) -> str:
        command = ["gobgp", "-p", str(self.api), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def birdc(self, words: str) -> str:
        command = ["birdc", "-s", self.folder / "bird.ctl", words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def start_gobgpd(self) -> None:
        families = "".join(
            f'[[neighbors.afi-safis]]\n[neighbors.afi-safis.config]\nafi-safi-name = "{family}-unicast"\n'
            for family in ("ipv4", "ipv6")
        )
        text = f'[global.config]\nas = {AS}\nrouter-id = "192.0.2.200"\nport = {self.port}\n'
        text += 'local-address-list = ["127.0.0.1"]\n'
        for address in ("127.0.0.2", "127.0.0.3"):
            text += f'[[neighbors]]\n[neighbors.config]\nneighbor-address = "{address}"\npeer-as = {AS}\n'
            text += f"[neighbors.transport.config]\npassive-mode = true\n{families}"
        (self.folder / "gobgpd.toml").write_text(text)
        self.start("gobgpd", "gobgpd", "-f", self.folder / "gobgpd.toml", "--api-hosts", f"127.0.0.1:{self.api}")
        wait_for("gobgpd", lambda: str(AS) in self.gobgp("global"))

    def start_bird(self) -> None:
        (self.folder / "bird.conf").write_text(
            f"router id 192.0.2.201;\nprotocol device {{ }}\n"
            f"protocol bgp up {{ local 127.0.0.2 as {AS}; neighbor 127.0.0.1 port {self.port} as {AS};\n"
            "source address 127.0.0.2; connect delay time 1; connect retry time 1; error wait time 1,1;\n"
            "ipv4 { import all; export none; }; ipv6 { import all; export none; }; }\n"
        )
        self.start("bird", "bird", "-f", "-c", self.folder / "bird.conf", "-s", self.folder / "bird.ctl")
        wait_for("session of BIRD", lambda: "Established" in self.birdc("show protocols"))

    def start_bgpd(self) -> None:
        frr = self.folder / "frr"
        frr.mkdir()
        shutil.chown(frr, "frr", "frr")
        families = "".join(
            f" address-family {family} unicast\n  neighbor 127.0.0.1 activate\n exit-address-family\n"
            for family in ("ipv4", "ipv6")
        )
        (frr / "bgpd.conf").write_text(
            f"router bgp {AS}\n bgp router-id 192.0.2.202\n no bgp default ipv4-unicast\n"
            f" neighbor 127.0.0.1 remote-as {AS}\n neighbor 127.0.0.1 port {self.port}\n"
            f" neighbor 127.0.0.1 update-source 127.0.0.3\n neighbor 127.0.0.1 timers connect 1\n{families}exit\n"
            f"dump bgp routes-mrt {frr}/dump 2\n"
        )
        place = ["-i", frr / "bgpd.pid", "--vty_socket", frr, "-u", "frr", "-g", "frr", "-P", 0]
        self.start("bgpd", BGPD, "-f", frr / "bgpd.conf", "-Z", "-p", 0, "-l", "127.0.0.3", *place)
        wait_for("session of FRR", lambda: "127.0.0.3" in self.established())

    def established(self) -> list[str]:
        lines = [line.split() for line in self.gobgp("neighbor").splitlines()]
        return [words[0] for words in lines if "Establ" in words]


def gobgp_table(daemons: Daemons) -> Table:
    table = {}
    for family in ("ipv4", "ipv6"):
        for prefix, paths in json.loads(daemons.gobgp("-j", "global", "rib", "-a", family) or "{}").items():
            attributes = {one["type"]: one for one in paths[0]["attrs"]}
            hop = attributes[3]["nexthop"] if 3 in attributes else attributes[14]["nexthop"]
            table[prefix] = hop, str(attributes[2]["as_paths"][-1]["asns"][-1])
    return table


def inject(daemons: Daemons, file: Path, routes: int) -> None:
    """gobgp 3.10 exits before gobgpd has accepted the last routes of a file, so the routes are injected repeatedly."""
    stream = file.read_bytes()
    more = file.with_suffix(".more")
    more.write_bytes(stream * (2 + 20_000 // routes))
    daemons.gobgp("mrt", "inject", "global", more)


def check(daemons: Daemons, table: Table, folder: Path) -> None:
    handmade, written = folder / "handmade.mrt", folder / "written.mrt"
    handmade.write_bytes(as_mrt(table))
    subprocess.run(
        [os.environ["FINGERPOST"], "convert", "--format", "mrt-whole", "--columns", "next_hop,origin_as", handmade, "-o", written],
        check=True,
    )
    expect("what was written, read again", read_dump(written), table)
    shown = subprocess.run(["bgpdump", "-m", written], capture_output=True, text=True, check=True)
    lines = [line.split("|") for line in shown.stdout.splitlines()]
    expect("the same by bgpdump", {part[5]: (part[8], part[6].split()[-1]) for part in lines}, table)
    want(not [line for line in shown.stderr.splitlines() if "[info]" not in line], f"bgpdump complains: {shown.stderr}")

    inject(daemons, written, len(table))
    wait_for("whole table of gobgpd", lambda: len(gobgp_table(daemons)) >= len(table))
    expect("GoBGP", gobgp_table(daemons), table)

    total = f"Total: {len(table)} of {len(table)} routes"
    wait_for("whole table of BIRD", lambda: total in daemons.birdc("show route count"))
    dumps = [folder / "master4.mrt", folder / "master6.mrt"]
    for dump in dumps:
        daemons.birdc(f'mrt dump table "{dump.stem}" to "{dump}"')
    wait_for("dump of BIRD", lambda: all(d.exists() for d in dumps) and len(read_dump(*dumps)) >= len(table))
    expect("BIRD", read_dump(*dumps), table)

    # FRR starts a new dump every two seconds.
    last: Table = {}

    def is_dumped() -> bool:
        nonlocal last
        last = read_dump(folder / "frr/dump")
        return len(last) >= len(table)

    wait_for("dump of FRR", is_dumped)
    expect("FRR", last, table)


def main() -> int:
    want("FINGERPOST" in os.environ, "set FINGERPOST to the program to test")
    data = Path(os.environ.get("FINGERPOST_DATA") or "../shared/data")
    if not (data / "fib").is_dir():
        skip(f"there are no tables in {data}/fib", "FINGERPOST_REQUIRE_DATA")
    for program in ("gobgp", "gobgpd", "bird", "birdc", "bgpdump"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed (tools/setup test)")
    if not BGPD.exists():
        skip("FRR is not installed (tools/setup test)")
    if os.geteuid() != 0:
        skip("FRR's bgpd has to be started by root")
    table = make_table(data, int(os.environ.get("FINGERPOST_MRT_ROUTES", "2000")))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        daemons = Daemons(folder)
        try:
            daemons.start_gobgpd()
            daemons.start_bird()
            daemons.start_bgpd()
            check(daemons, table, folder)
        finally:
            daemons.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
