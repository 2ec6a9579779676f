"""Ray: flows with the autonomous system of their source, on all nodes of a cluster.

    ray_flows.py

Prints:

    64496 1200
    64499 88
"""

from __future__ import annotations

from pathlib import Path

import pyarrow.csv
import ray

import fingerpost
import fingerpost.ray

FILES = Path(__file__).resolve().parents[2] / "docs" / "use" / "tasks"


def main() -> None:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    table = fingerpost.Table.from_csv(FILES / "GeoLite2-ASN-Blocks-IPv4.csv")
    flows = ray.data.from_arrow(pyarrow.csv.read_csv(FILES / "flows.csv"))
    enriched = fingerpost.ray.enrich(flows, table, "src", add="autonomous_system_number")
    for row in sorted(enriched.take_all(), key=lambda row: row["start"]):
        print(row["src_autonomous_system_number"], row["bytes"])
    ray.shutdown()


if __name__ == "__main__":
    main()
