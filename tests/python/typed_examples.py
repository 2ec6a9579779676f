"""Uses of a Table that mypy --strict accepts; an `ignore` that is not needed is an error, and marks a wrong use."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import fingerpost


def objects() -> list[str]:
    table = fingerpost.Table({"10.0.0.0/8": "office"})
    table[ip_network("2001:db8::/32")] = "v6"
    table["192.0.2.0", 24] = "tuple"
    table[0x0A000000, 16, 4] = "number"
    table.update([("11.0.0.0/8", "pairs"), (b"\x0a\0\0\1", "bytes")])
    table["::/0"] = 5  # type: ignore[assignment]
    found: str | None = table.lookup("10.0.0.1")
    certain: str = table.lookup(ip_address("::1"), "none")
    number: str = table.lookup(1, "none", family=6)
    pair: tuple[str, str] | None = table.match("10.0.0.1")
    names: list[str] = list(table) + [value for _, value in table.items()]
    table.lookup(1.5)  # type: ignore[call-overload]
    return [found or "", certain, number, *(pair or ()), *names]


def integers() -> int:
    table = fingerpost.Table([("10.0.0.0/8", 1)], values=int)
    table["11.0.0.0/8"] = "x"  # type: ignore[assignment]
    return table["10.0.0.0/8"] + table.pop("11.0.0.0/8", 0)


def rows() -> list[str | dict[str, str]]:
    table = fingerpost.Table(values=["asn", "country"])
    table["10.0.0.0/8"] = {"asn": "64500", "country": "CH"}
    table.save("table.image")
    return list(table.values())


def from_files() -> str:
    mrt = fingerpost.Table.from_mrt("rib.gz", peer="AS64500")
    text: fingerpost.Table[str] = fingerpost.Table.from_text("table.txt", skip_bad=5)
    return mrt["10.0.0.0/8"]["next_hop"] + text["10.0.0.0/8"]


def anything() -> fingerpost.Table[object]:
    table: fingerpost.Table[object] = fingerpost.Table()
    table["10.0.0.0/8"] = object()
    return table.copy()
