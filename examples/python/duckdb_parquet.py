"""DuckDB and Parquet files: bytes between autonomous systems, in SQL.

    duckdb_parquet.py [PARQUET TABLE...]

The Parquet files have the columns src, dst and bytes. Prints:

    from   to     bytes
    64496  64498  1200
    64499  64498  88
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import duckdb
import polars as pl

import fingerpost
import fingerpost.duckdb

FILES = Path(__file__).resolve().parents[2] / "docs" / "use" / "tasks"
QUERY = """
    SELECT asn(src) AS source, asn(dst) AS destination, sum(bytes)::BIGINT AS bytes
    FROM read_parquet(?) GROUP BY ALL ORDER BY bytes DESC
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        flows = f"{folder}/flows.parquet"
        tables = sorted(FILES.glob("GeoLite2-ASN-Blocks-*.csv"))
        if len(sys.argv) > 2:
            flows, tables = sys.argv[1], [Path(word) for word in sys.argv[2:]]
        else:
            pl.read_csv(FILES / "flows.csv").write_parquet(flows)
        networks = pl.concat(pl.read_csv(path) for path in tables)
        table = fingerpost.Table(networks, values={"autonomous_system_number": int})
        con = duckdb.connect()
        fingerpost.duckdb.register(con, table, name="asn")
        print(f"{'from':<5}  {'to':<5}  bytes")
        for source, destination, total in con.execute(QUERY, [flows]).fetchall():
            print(f"{source or '-':<5}  {destination or '-':<5}  {total}")


if __name__ == "__main__":
    main()
