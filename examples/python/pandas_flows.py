"""pandas and flows with two addresses in a row: joins that keep the types of the other frame.

    pandas_flows.py

Prints:

          start          src               dst  bytes  src_as  src_eu  dst_as  dst_eu
    0  10:00:01   192.0.2.17    198.51.100.200   1200   64496   False   64498    True
    1  10:00:02  203.0.113.9  2001:db8:5000::7     88   64499    <NA>    <NA>    <NA>
    {'src_as': 'Int64', 'src_eu': 'boolean', 'dst_as': 'Int64', 'dst_eu': 'boolean'}
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import fingerpost
import fingerpost.pandas

FILES = Path(__file__).resolve().parents[2] / "docs" / "use" / "tasks"


def main() -> None:
    flows = pd.read_csv(FILES / "flows.csv")
    networks = pd.DataFrame(
        {
            "cidr": ["192.0.2.0/24", "198.51.100.0/24", "198.51.100.128/25", "203.0.113.0/24"],
            "as": pd.array([64496, 64497, 64498, 64499]),
            "eu": pd.array([False, True, True, None], dtype="boolean"),
        }
    )
    table = fingerpost.Table(networks)
    for side in ("src", "dst"):
        columns = {"as": f"{side}_as", "eu": f"{side}_eu"}
        flows = fingerpost.pandas.join_lpm(flows, table, on=side, columns=columns, prefix=None)
    print(flows.to_string())
    print({name: str(dtype) for name, dtype in flows.dtypes.iloc[4:].items()})


if __name__ == "__main__":
    main()
