"""Polars and a web server's log: requests and failed requests of each organisation.

    polars_logs.py [LOG TABLE...]

Prints:

    organisation            requests  failed
    Example Hosting                3       2
    Example Networks, Inc.         1       0
    Example University             1       0
    unknown                        1       0
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

import fingerpost
from fingerpost.polars import lookup

FILES = Path(__file__).resolve().parents[2] / "docs" / "use" / "tasks"


def read_log(path: Path) -> pl.LazyFrame:
    """Returns the address and the status of each line. The file may be larger than memory."""
    lines = pl.scan_csv(path, has_header=False, new_columns=["line"], separator="\x1f", quote_char=None)
    fields = pl.col("line").str.extract_groups(r'^(?<ip>\S+) .*" (?<status>\d{3}) ')
    return lines.select(fields.struct.field("ip"), fields.struct.field("status").cast(pl.UInt16))


def main() -> None:
    paths = [Path(word) for word in sys.argv[1:]]
    log, *tables = paths or [FILES / "access.log", *sorted(FILES.glob("GeoLite2-ASN-Blocks-*.csv"))]
    networks = pl.concat(pl.read_csv(path) for path in tables)
    table = fingerpost.Table(networks, values=["autonomous_system_organization"])
    organisation = lookup("ip", table, default="unknown").fill_null("unknown").alias("organisation")
    requests = (
        read_log(log)
        .group_by(organisation)
        .agg(pl.len().alias("requests"), (pl.col("status") >= 400).sum().alias("failed"))
        .sort("organisation")
        .collect(engine="streaming")
    )
    print(f"{'organisation':<22}  requests  failed")
    for name, count, failed in requests.iter_rows():
        print(f"{name:<22}  {count:>8}  {failed:>6}")


if __name__ == "__main__":
    main()
