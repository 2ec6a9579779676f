"""Typed rows: GeoLite2's blocks and locations as a table with columns of integers, texts and bool, in an image.

    typed_rows.py

Prints:

    {'country': <class 'str'>, 'geoname_id': <class 'int'>, 'in_eu': <class 'bool'>}
    6 routes in the image
    2001:db8:5000::7: {'country': 'Netherlands', 'geoname_id': 2750405, 'in_eu': True}
    203.0.113.9: {'country': 'France', 'geoname_id': 3017382, 'in_eu': True}
    192.0.2.17 in the EU: False
    in the EU, of 3 addresses with a country: 2
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import polars as pl

import fingerpost

FILES = Path(__file__).resolve().parents[2] / "docs" / "use" / "tasks"


def read_countries() -> pl.DataFrame:
    blocks = pl.concat(pl.read_csv(path) for path in sorted(FILES.glob("GeoLite2-Country-Blocks-*.csv")))
    locations = pl.read_csv(FILES / "GeoLite2-Country-Locations-en.csv")
    return blocks.join(locations, on="geoname_id", how="left").select(
        "network",
        pl.col("country_name").alias("country"),
        "geoname_id",
        pl.col("is_in_european_union").cast(pl.Boolean).alias("in_eu"),
    )


def main() -> None:
    table: fingerpost.Table[dict[str, Any]] = fingerpost.Table(read_countries())
    print(table.types)
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "countries.image"
        table.save(image)
        # All processes that open an image share its memory.
        opened = fingerpost.open(image)
        print(len(opened), "routes in the image")
        for address in ("2001:db8:5000::7", "203.0.113.9"):
            print(f"{address}:", opened.lookup(address))
        row = opened.lookup("192.0.2.17")
        print("192.0.2.17 in the EU:", row and row["in_eu"])
        addresses = pl.Series(["192.0.2.17", "203.0.113.9", "10.0.0.1", "198.51.100.200", None])
        members = pl.Series(opened.lookup_many(addresses, "in_eu"))
        print(f"in the EU, of {members.count()} addresses with a country:", members.sum())


if __name__ == "__main__":
    main()
