"""zebra and bgpd are killed and restarted, and BGP converges slowly: no packet is lost, and withdrawn routes go soon."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from feeds.bgp import Bgp
from feeds.network import Network, wait_for
from feeds.tables import HOSTS, PORTS, address_of, mac_of

ROUTES = 600
QUIET_SECONDS = 1.0
AWAY_SECONDS = 3.0
# How long BGP sends nothing after its session has started: several times the quiet time.
CONVERGENCE_SECONDS = 6.0
SECONDS = 90


def made_routes() -> dict[str, str]:
    """Prefixes and their gateways, on all ports."""
    gateways = [address_of(4, port, host) for host in HOSTS for port in PORTS]
    return {f"20.{i // 256}.{i % 256}.0/24": gateways[i % len(gateways)] for i in range(ROUTES)}


def flow(number: int, prefix: str, gateway: str) -> dict:
    port, host = map(int, gateway.split(".")[2:])
    to = prefix.replace(".0/24", ".7")
    return {"source": "10.0.0.2", "to": to, "port": 1024 + number, "ways": [[port, mac_of(port, host)]], "prefix": prefix}


def bgp_restart(network: Network, folder: Path, traffic: Callable) -> str:
    routes = made_routes()
    source = Bgp(network, folder / "bgp", routes)
    try:
        return checked_restart(network, source, routes, traffic)
    except AssertionError:
        for log in ("output", "zebra.log", "bgpd.out"):
            if (source.folder / log).exists():
                print(f"{log}: {(source.folder / log).read_text()[-1500:]}", file=sys.stderr)
        raise
    finally:
        source.close()


def has_learned(network: Network, routes: dict[str, str]) -> bool:
    found = network.table()
    return all(found.get(prefix, "").startswith(gateway) for prefix, gateway in routes.items())


def checked_restart(network: Network, source: Bgp, routes: dict[str, str], traffic: Callable) -> str:
    source.start()
    wait_for("learning", lambda: has_learned(network, routes), SECONDS)
    wait_for("the first sweep", lambda: network.sweeps() >= 1, SECONDS)
    with traffic(network, [flow(i, *one) for i, one in enumerate(routes.items())]) as packets:
        wait_for("packets", lambda: network.counts()["fingerpost_sent_packets_total"] > ROUTES, SECONDS)
        source.kill()
        wait_for("stale routes", lambda: network.counts()["fingerpost_stale_routes"] >= ROUTES, SECONDS)
        time.sleep(AWAY_SECONDS)
        source.speaker.delay = CONVERGENCE_SECONDS
        sessions, sweeps = source.speaker.sessions, network.sweeps()
        source.start()
        wait_for("a session of BGP", lambda: source.speaker.sessions > sessions, SECONDS)
        assert network.sweeps() == sweeps, "the routes were withdrawn before BGP had said anything"
        wait_for("BGP's table", lambda: source.speaker.announced == 2, SECONDS)
        wait_for("the sweep", lambda: network.sweeps() > sweeps, SECONDS)
        assert network.counts()["fingerpost_stale_routes"] == 0
        assert has_learned(network, routes)
        report = packets.stop()
    report["drops"] = network.drops()
    assert report["lost"] == report["twice"] == 0, {key: report[key] for key in report if key != "ways"}
    assert not report["astray"], f"packets by a wrong way: {report['astray']}"
    gone = list(routes)[:50]
    source.speaker.gone = gone
    wait_for("a withdrawal", lambda: not network.table().keys() & set(gone), SECONDS)
    assert network.sweeps() == sweeps + 1, "what is withdrawn needs no sweep"
    return f"bgp: {ROUTES} routes, {report['sent']} packets sent, {report['lost']} lost"
