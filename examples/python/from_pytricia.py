"""From pytricia, py-radix or SubnetTree: their calls, and those of a Table that return the same.

    from_pytricia.py

Prints:

    t["10.1.2.3"], lpm: lab
    t.get_key("10.1.2.3"): 10.1.0.0/16
    t.has_key("10.1.0.0/16"), exact: True
    t.has_key("10.1.2.0/24"), exact: False
    t.parent("10.1.0.0/16"): 10.0.0.0/8
    t.children("10.0.0.0/8"): ['10.1.0.0/16', '10.2.0.0/16']
    a miss: None
    all addresses at a time: ['lab', 'office', None, 'v6']
"""

from __future__ import annotations

import fingerpost

ROUTES = {"10.0.0.0/8": "office", "10.1.0.0/16": "lab", "10.2.0.0/16": "guests", "2001:db8::/32": "v6"}


def parent(table: fingerpost.Table[str], prefix: str) -> str | None:
    """Returns the longest shorter prefix that contains this one, which the table has."""
    containing = [other for other, _ in table.covering(prefix) if other != prefix]
    return containing[-1] if containing else None


def main() -> None:
    # Both families are in one table, and no family or number of bits is chosen when it is made.
    table = fingerpost.Table(ROUTES)
    print('t["10.1.2.3"], lpm:', table.lookup("10.1.2.3"))
    match = table.match("10.1.2.3")
    print('t.get_key("10.1.2.3"):', match and match[0])
    # In a Table, `in` and [] always mean the exact prefix.
    print('t.has_key("10.1.0.0/16"), exact:', "10.1.0.0/16" in table)
    print('t.has_key("10.1.2.0/24"), exact:', "10.1.2.0/24" in table)
    print('t.parent("10.1.0.0/16"):', parent(table, "10.1.0.0/16"))
    print('t.children("10.0.0.0/8"):', [prefix for prefix, _ in table.covered("10.0.0.0/8")][1:])
    # pytricia raises KeyError here.
    print("a miss:", table.lookup("192.0.2.1"))
    addresses = ["10.1.2.3", "10.9.9.9", "192.0.2.1", "2001:db8::1"]
    print("all addresses at a time:", table.lookup_many(addresses))


if __name__ == "__main__":
    main()
