#!/usr/bin/env python3
"""Loads tables that the program writes into ipset, nftables, nginx and HAProxy, and queries addresses there.

Each must answer like `fingerpost lookup`. The program then reads the listings of ipset and nftables, and must give the same answers.
ipset and nftables need root, for a network namespace; missing programs are skipped with a message. tests/pages/convert.md covers refused
tables.
"""

import http.client
import ipaddress
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
NAMESPACE = f"fpsets{os.getpid()}"
VALUES = ("CH", "DE", "US")
skipped: list[str] = []


def want(holds: bool, words: object) -> None:
    if not holds:
        raise AssertionError(str(words)[:2000])


def run(*words: object, stdin: str = "", status: int = 0) -> str:
    command = [str(word) for word in words]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    want(done.returncode == status, f"{command}: exit {done.returncode} instead of {status}: {done.stderr}")
    return done.stdout if status == 0 else done.stderr


def inside(*words: object, stdin: str = "", status: int = 0) -> str:
    return run("ip", "netns", "exec", NAMESPACE, *words, stdin=stdin, status=status)


def has_all(*programs: str) -> bool:
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        skipped.append(f"{missing[0]} is not installed")
    return not missing


def make_table(dice: random.Random) -> tuple[str, list[str]]:
    """Returns nested routes as text, and addresses at their ends and next to these."""
    lines, probes = [], set()
    for kind, width, base in ((ipaddress.IPv4Network, 32, 10 << 24), (ipaddress.IPv6Network, 128, 0x20010DB8 << 96)):
        for _ in range(40):
            length = dice.randrange(width // 4, width + 1)
            number = base | dice.getrandbits(width - width // 4)
            network = kind((number >> (width - length) << (width - length), length))
            lines.append(f"{network} {dice.choice(VALUES)}")
            first, last = int(network.network_address), int(network.broadcast_address)
            address = type(network.network_address)
            probes |= {str(address(at)) for at in (first - 1, first, last, last + 1) if 0 <= at < 1 << width}
    return "\n".join(lines) + "\n", sorted(probes)


def lookups(table: str, probes: list[str], *options: str) -> dict[str, str]:
    """Returns the values for the probes, empty without a route. Probes may be of both families."""
    found: dict[str, str] = {}
    for family in ("4", "6"):
        asked = [probe for probe in probes if (":" in probe) == (family == "6")]
        out = subprocess.run([PROGRAM, "lookup", "-t", "-", "--family", family, *options, *asked], input=table, capture_output=True, text=True, check=False)
        for line in out.stdout.splitlines():
            part = line.split()
            found[part[0]] = part[2] if len(part) > 2 and part[1] != "-" else ""
    want(len(found) == len(probes), f"{len(found)} answers to {len(probes)} probes")
    return found


def without_six(answers: dict[str, str]) -> dict[str, str]:
    return {probe: value.removesuffix("6") if ":" in probe else value for probe, value in answers.items()}


def check_ipset(table: str, probes: list[str], expected: dict[str, str], dice: random.Random) -> None:
    written = run(PROGRAM, "convert", "--format", "ipset", "-", stdin=table)
    inside("ipset", "restore", stdin=written)
    for probe in dice.sample(probes, 40):
        for value in VALUES:
            name = value + ("6" if ":" in probe else "")
            command = ["ip", "netns", "exec", NAMESPACE, "ipset", "test", name, probe]
            is_in = subprocess.run(command, capture_output=True, check=False).returncode == 0
            want(is_in == (expected[probe] == value), f"ipset: {probe} in {name}: {is_in}, not {expected[probe]}")
    want(without_six(lookups(inside("ipset", "save"), probes)) == expected, "what ipset saves gives other answers")
    inside("ipset", "destroy")
    # A single set, which covers everything.
    written = run(PROGRAM, "convert", "--format", "ipset", "--set", "all", "-", stdin="0.0.0.0/0\n2001:db8::/32\n")
    inside("ipset", "restore", stdin=written)
    for probe in ("0.0.0.1", "255.255.255.255"):
        inside("ipset", "test", "all", probe)
    inside("ipset", "test", "all6", "2001:db8::1")
    inside("ipset", "destroy")


def check_exceptions(dice: random.Random) -> None:
    """Sets with exceptions, in the format of `ipset save`, give the answers of `ipset test`."""
    lines, probes = ["create a hash:net"], set()
    for _ in range(30):
        network = ipaddress.ip_network((10 << 24 | dice.getrandbits(16) << 8 | dice.getrandbits(8), dice.randrange(9, 33)), strict=False)
        lines.append(f"add a {network} -exist{dice.choice((' nomatch', ''))}")
        probes |= {str(network.network_address), str(network.broadcast_address), str(network.broadcast_address + 1)}
    inside("ipset", "restore", stdin="\n".join(lines) + "\n")
    answers = lookups(inside("ipset", "save"), sorted(probes))
    for probe in probes:
        command = ["ip", "netns", "exec", NAMESPACE, "ipset", "test", "a", probe]
        is_in = subprocess.run(command, capture_output=True, check=False).returncode == 0
        want(is_in == (answers[probe] == "a"), f"ipset with exceptions: {probe}: {is_in}, not {answers[probe]!r}")
    inside("ipset", "destroy")


def check_nft(table: str, probes: list[str], expected: dict[str, str], dice: random.Random) -> None:
    # The second table replaces the first one.
    for text in (make_table(dice)[0], table):
        inside("nft", "-f", "-", stdin=run(PROGRAM, "convert", "--format", "nft", "-", stdin=text))
    shown = inside("nft", "list", "ruleset")
    want("table inet fingerpost {" in shown, shown)
    want(without_six(lookups(shown, probes)) == expected, "what nft lists gives other answers")
    for probe in dice.sample(probes, 20):
        for value in VALUES:
            name = value + ("6" if ":" in probe else "")
            command = ["ip", "netns", "exec", NAMESPACE, "nft", "get", "element", "inet", "fingerpost", name, f"{{ {probe} }}"]
            is_in = subprocess.run(command, capture_output=True, check=False).returncode == 0
            want(is_in == (expected[probe] == value), f"nft: {probe} in {name}: {is_in}, not {expected[probe]}")
    options = ("--set", "all", "--nft-table", "ip6 mine")
    inside("nft", "-f", "-", stdin=run(PROGRAM, "convert", "--format", "nft", *options, "-", stdin="::/0 x\n"))
    want("elements = { ::" in inside("nft", "list", "set", "ip6", "mine", "all6"), "no set all6 in ip6 mine")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def check_server(name: str, command: list[object], port: int, probes: list[str], expected: dict[str, str]) -> None:
    server = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        for _ in range(200):
            try:
                connection.connect()
                break
            except OSError:
                if server.poll() is not None:
                    want(False, f"{name} has ended: {server.communicate()[1]!r}")
                time.sleep(0.05)
        for probe in probes:
            connection.request("GET", f"/?a={probe}")
            got = connection.getresponse().read().decode().strip()
            want(got == expected[probe], f"{name}: {probe} is {got!r}, not {expected[probe]!r}")
        connection.close()
    finally:
        server.terminate()
        server.wait(10)


AWKWARD = {"CH": 'a "b" \\c $d {e}; #f', "DE": "peer 7, x", "US": "Zürich"}


def check_nginx(folder: Path, table: str, probes: list[str], expected: dict[str, str]) -> None:
    block = run(PROGRAM, "convert", "--format", "nginx-geo", "--set", "where", "-", stdin=table)
    want(block.startswith("geo $where {\n"), block[:100])
    # The address comes from the request instead of the connection.
    block = block.replace("geo $where {", "geo $arg_a $where {", 1)
    port = free_port()
    (folder / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\nerror_log stderr crit;\nevents {{}}\nhttp {{\naccess_log off;\n"
        + "".join(f"{kind}_temp_path {folder};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        + f'{block}server {{ listen 127.0.0.1:{port}; location / {{ return 200 "$where"; }} }}\n}}\n'
    )
    check_server("nginx", ["nginx", "-p", folder, "-c", folder / "nginx.conf"], port, probes, expected)


def check_haproxy(folder: Path, table: str, probes: list[str], expected: dict[str, str]) -> None:
    (folder / "map").write_text(run(PROGRAM, "convert", "--format", "haproxy-map", "-", stdin=table))
    port = free_port()
    (folder / "haproxy.cfg").write_text(
        "defaults\n mode http\n timeout client 10s\n timeout server 10s\n timeout connect 10s\n"
        f"frontend f\n bind 127.0.0.1:{port}\n"
        f' http-request return status 200 content-type text/plain lf-string "%[url_param(a),map_ip({folder}/map)]"\n'
    )
    check_server("haproxy", ["haproxy", "-db", "-f", folder / "haproxy.cfg"], port, probes, expected)


def check_namespace(table: str, probes: list[str], expected: dict[str, str], dice: random.Random) -> None:
    if os.geteuid() != 0:
        skipped.append("ipset and nftables need root")
        return
    made = subprocess.run(["ip", "netns", "add", NAMESPACE], capture_output=True, check=False)
    if made.returncode != 0:
        skipped.append("there are no network namespaces here")
        return
    try:
        if has_all("ipset"):
            check_ipset(table, probes, expected, dice)
            check_exceptions(dice)
        if has_all("nft"):
            check_nft(table, probes, expected, dice)
    finally:
        run("ip", "netns", "del", NAMESPACE)


def main() -> None:
    seed = int(os.environ.get("FINGERPOST_SEED", "7"))
    dice = random.Random(seed)
    table, probes = make_table(dice)
    expected = lookups(table, probes)
    want(set(expected.values()) == {*VALUES, ""}, f"too few values: {set(expected.values())}")
    if shutil.which("ip") is not None:
        check_namespace(table, probes, expected, dice)
    else:
        skipped.append("ip is not installed")
    awkward = "".join(f'{line.split()[0]} "{AWKWARD[line.split()[1]].replace(chr(34), chr(34) * 2)}"\n' for line in table.splitlines())
    values = {probe: AWKWARD.get(value, "") for probe, value in expected.items()}
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        if has_all("nginx"):
            check_nginx(Path(name), awkward, probes, values)
        if has_all("haproxy"):
            check_haproxy(Path(name), awkward, probes, values)
    for word in skipped:
        print(f"firewall_tables_test: SKIPPED: {word}", file=sys.stderr)
    print(f"firewall_tables_test: {len(probes)} addresses, {len(skipped)} parts skipped")


if __name__ == "__main__":
    main()
