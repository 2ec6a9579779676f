#!/usr/bin/env python3
"""Hits of next hops, ports and prefixes, and cycles by stage: in metrics, and in `fingerpost router show` and `top`.

Every packet is sampled and every burst timed, so that all numbers are exact. The queries of the Grafana dashboard are compared
with the metrics of the router. $FINGERPOST_ROUTER is the router, $FINGERPOST the program. Exit status 77: skipped.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from wires.network import RouterNetwork, wait_for, why_not

ROOT = Path(__file__).resolve().parent.parent.parent
DASHBOARD = ROOT / "packaging/grafana/fingerpost-router.json"
PROGRAM = os.environ.get("FINGERPOST", "")
PACKETS = 300
NET4, NET6, GROUP, HOLE = "198.18.0.0/16", "2001:db8:77::/48", "198.19.0.0/16", "203.0.113.0/24"


def socket_of(network: RouterNetwork) -> str:
    assert network.process is not None
    # `ip netns exec` has become the router.
    return f"/var/run/dpdk/fingerpost-router-{network.process.pid}/dpdk_telemetry.v2"


def asked(network: RouterNetwork, *words: str) -> str:
    command = [PROGRAM, "router", *words, "--socket", socket_of(network)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def told(network: RouterNetwork, part: str) -> list[dict]:
    return list(json.loads(asked(network, "show", part, "--format", "json")).values())


def by(rows: list[dict], key: str) -> dict[str, dict]:
    return {row[key]: row for row in rows}


def set_up(network: RouterNetwork) -> None:
    for number in (1, 2):
        network.hosts[number].ip("addr", "add", "198.18.0.1/32", "dev", "lo")
        network.hosts[number].ip("addr", "add", "2001:db8:77::1/128", "dev", "lo", "nodad")
        network.hosts[number].ip("route", "add", "local", GROUP, "dev", "lo")
    network.change(
        [
            f"route add {NET4} via 10.0.1.2",
            f"route add {NET6} via 2001:db8:1::2",
            f"route add {GROUP} nexthop via 10.0.1.2 nexthop via 10.0.2.2",
            f"route add blackhole {HOLE}",
        ]
    )


def sends(network: RouterNetwork, to: list[str], family: int, receivers: tuple[int, ...]) -> None:
    """All packets must arrive, so that each was looked up; their texts distinguish them."""
    texts = {f"{to[0]} {i}" for i in range(len(to))}
    for text, address in zip(sorted(texts), to, strict=True):
        network.hosts[0].send([text], address)
    seen: set[str] = set()

    def all_came() -> bool:
        for number in receivers:
            seen.update(network.hosts[number].take(family, 0.1))
        return texts <= seen

    wait_for(f"packets to {to[0]}", all_came)


def resolves(network: RouterNetwork) -> None:
    """Sends until the neighbours are known and no packet waits."""

    def known() -> bool:
        for address in ("198.18.0.1", "2001:db8:77::1", *(f"198.19.0.{i}" for i in range(20))):
            network.hosts[0].send(["first"], address)
        neighbours = [network.neighbour(4, 1), network.neighbour(4, 2), network.neighbour(6, 1)]
        return all("lladdr" in one for one in neighbours) and network.metrics()["fingerpost_waiting_packets"] == 0

    wait_for("neighbours", known)


def counts_exactly(network: RouterNetwork) -> None:
    resolves(network)

    def packets() -> dict[str, int]:
        return {hop["via"]: hop["packets"] for hop in told(network, "next_hops")}

    def ports() -> dict[str, dict]:
        return by(told(network, "ports"), "name")

    before, ports_before = packets(), ports()
    sends(network, ["198.18.0.1"] * PACKETS, 4, (1,))
    sends(network, ["2001:db8:77::1"] * PACKETS, 6, (1,))
    group = [f"198.19.{i // 200}.{i % 200 + 1}" for i in range(PACKETS)]
    sends(network, group, 4, (1, 2))
    for _ in range(7):
        network.hosts[0].send(["lost"], "203.0.113.9")
    wait_for("the last packet", lambda: packets().get("blackhole", 0) == before.get("blackhole", 0) + 7)
    grown = {via: count - before.get(via, 0) for via, count in packets().items()}
    both = "10.0.1.2%fp1+10.0.2.2%fp2"
    assert grown["2001:db8:1::2%fp1"] == PACKETS, grown
    assert grown[both] == PACKETS, grown
    through = {1: grown["10.0.1.2%fp1"] - PACKETS, 2: grown["10.0.2.2%fp2"]}
    assert sum(through.values()) == PACKETS and min(through.values()) > 0, grown
    sent = {name: one["given"] - ports_before[name]["given"] for name, one in ports().items()}
    assert sent["fp1"] >= 2 * PACKETS + through[1] and sent["fp2"] >= through[2], (sent, grown)
    for one in ports().values():
        # af_packet counts the frames passed to it, and accepts all of them here.
        assert (one["given"], one["refused"], one["taken"]) == (one["sent_packets"], 0, one["received_packets"]), one


def knows_prefixes(network: RouterNetwork) -> None:
    rows = by(told(network, "prefixes"), "prefix")
    for prefix, via in ((NET4, "10.0.1.2%fp1"), (NET6, "2001:db8:1::2%fp1"), (HOLE, "blackhole")):
        hits = {one["via"]: one["packets"] for one in told(network, "next_hops")}
        least = 7 if via == "blackhole" else PACKETS
        found = rows[prefix]
        assert found["via"] == via and float(found["packets"]) >= least and float(found["error"]) == 0, (found, hits)
        if via == "blackhole":
            assert float(found["packets"]) == hits[via], (found, hits)
        assert float(found["per_second"]) > 0, found


def knows_stages(network: RouterNetwork) -> None:
    sums: dict[str, int] = {}

    def adds_up() -> bool:
        threads = json.loads(asked(network, "show", "threads", "--format", "json"))["complete0"]
        sums.clear()
        for row in told(network, "stages"):
            sums[row["stage"]] = sums.get(row["stage"], 0) + row["packets"]
        return sums["receive"] == sums["check"] == threads["received"] and sums["look_up"] == threads["looked_up"]

    wait_for("stages that add up", adds_up)
    for row in told(network, "stages"):
        assert row["thread"] == "complete0" and row["cycles"] > 0, row
        assert row["batch"] * row["bursts"] <= row["packets"] < 2 * row["batch"] * row["bursts"] or row["batch"] == 64, row
    assert set(sums) >= {"receive", "check", "look_up", "rewrite", "transmit"}, sums
    page = asked(network, "show", "stages")
    assert re.search(r"^complete0 +look_up +\d+\.\d ", page, re.M), page


def shows_top(network: RouterNetwork) -> None:
    # Packets sent while `top` waits for its second sample, so that the interval contains cycles.
    top = subprocess.Popen(
        [PROGRAM, "router", "top", "--limit", "1", "--interval", "1", "--socket", socket_of(network)],
        stdout=subprocess.PIPE,
        text=True,
    )
    while top.poll() is None:
        network.hosts[0].send(["top"], "198.18.0.1")
        time.sleep(0.02)
    assert top.stdout is not None and top.returncode == 0
    page = top.stdout.read()
    for wanted in (r"^complete0 +rewrite ", rf"^{re.escape(NET4)} +10\.0\.1\.2%fp1 ", r"^10\.0\.1\.2%fp1 +forward +fp1 "):
        assert re.search(wanted, page, re.M), f"no {wanted} in\n{page}"
    one = json.loads(asked(network, "top", "--limit", "1", "--format", "json"))
    assert {"stages", "next_hops", "prefixes"} <= set(one), one


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"\bfingerpost_\w+", expression))


def dashboard_asks_for_what_there_is(network: RouterNetwork) -> None:
    served = {line.split()[2] for line in network.ask("metrics").splitlines() if line.startswith("# TYPE ")}
    board = json.loads(DASHBOARD.read_text())
    queries = [target["expr"] for panel in board["panels"] for target in panel.get("targets", [])]
    queries += [one["query"] for one in board["templating"]["list"] if one["type"] == "query"]
    assert len(queries) > 10, queries
    asked_for = set().union(*(names_in(one) for one in queries))
    assert all(names_in(one) for one in queries), queries
    assert asked_for <= served, f"not served: {asked_for - served}"
    for wanted in ("timed_cycles_total", "next_hop_packets_total", "prefix_packets_per_second"):
        assert f"fingerpost_{wanted}" in asked_for, wanted
        assert re.search(rf"^fingerpost_{wanted}{{", network.ask("metrics"), re.M), wanted


def is_a_dashboard() -> None:
    python = os.environ.get("FINGERPOST_PYTHON", sys.executable)
    script = [python, str(Path(__file__).with_name("grafana_model.py")), str(DASHBOARD)]
    done = subprocess.run(script, capture_output=True, text=True) if os.access(python, os.X_OK) else None
    if done is None or done.returncode == 77:
        print("the dashboard is not loaded with Grafana's model: tools/python_env installs that", file=sys.stderr)
        return
    assert done.returncode == 0, done.stderr


def main() -> int:
    if reason := why_not(os.environ.get("FINGERPOST_ROUTER", "")):
        print(f"SKIPPED: hits_test {reason}", file=sys.stderr)
        return 77
    if not os.access(PROGRAM, os.X_OK):
        print("SKIPPED: hits_test needs $FINGERPOST", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory(prefix="fp-hi-") as folder:
        network = RouterNetwork(f"fp-hi-{os.getpid()}", 3, {}, Path(folder))
        network.telemetry_lines = "time_one_in = 1\nsample_one_in = 1\n"
        with network:
            set_up(network)
            counts_exactly(network)
            knows_prefixes(network)
            knows_stages(network)
            shows_top(network)
            dashboard_asks_for_what_there_is(network)
    is_a_dashboard()
    return 0


if __name__ == "__main__":
    sys.exit(main())
