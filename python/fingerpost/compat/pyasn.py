"""The interface of pyasn: `import fingerpost.compat.pyasn as pyasn`."""

from __future__ import annotations

import gzip
import io
import json
import warnings
from ipaddress import IPv4Network, IPv6Network, collapse_addresses
from typing import Any

from fingerpost._core import Table
from fingerpost._reports import TableWarning

__all__ = ["pyasn"]


class pyasn:
    """Finds AS numbers by address in a database of prefixes and AS numbers.

    The database is a file, which may be compressed and may have any format with a column of AS numbers, or the text of
    one. `as_names_file` is a JSON object with a name for each AS number.
    """

    def __init__(
        self, ipasn_file: str | None, as_names_file: str | None = None, ipasn_string: str | None = None
    ) -> None:
        if not ipasn_file and not ipasn_string:
            raise ValueError("pass ipasn_file or ipasn_string")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TableWarning)
            self._table: Table[Any] = Table.from_file(ipasn_file or io.StringIO(ipasn_string))
        if list(self._table.types.values()) != [int]:
            raise ValueError(
                f"{ipasn_file or 'ipasn_string'}: expected a prefix and an AS number in each line"
            )
        self._file = ipasn_file
        self._names_file = as_names_file
        self._names = _read_names(as_names_file) if as_names_file else None
        self._prefixes: dict[int, set[str]] = {}

    def __repr__(self) -> str:
        return f"pyasn(ipasndb:{self._file!r}; asnames:{self._names_file!r}) - {len(self._table)} prefixes"

    def lookup(self, ip_address: str) -> tuple[int, str] | tuple[None, None]:
        """Returns the AS number and the longest prefix of an address, or (None, None)."""
        match = self._table.match(ip_address)
        return (None, None) if match is None else (match[1], match[0])

    def get_as_prefixes(self, asn: int | str) -> set[str] | None:
        """Returns the prefixes with this AS number, or None."""
        if not self._prefixes:
            for prefix, number in self._table.items():
                self._prefixes.setdefault(number, set()).add(prefix)
        return self._prefixes.get(int(asn))

    def get_as_prefixes_effective(self, asn: int | str) -> list[str] | None:
        """Returns the fewest prefixes with the same addresses, or None."""
        prefixes = self.get_as_prefixes(asn)
        if prefixes is None:
            return None
        first = collapse_addresses(IPv4Network(prefix) for prefix in prefixes if ":" not in prefix)
        second = collapse_addresses(IPv6Network(prefix) for prefix in prefixes if ":" in prefix)
        return [*map(str, first), *map(str, second)]

    def get_as_size(self, asn: int | str) -> int:
        """Returns the number of IPv4 addresses with this AS number."""
        prefixes = self.get_as_prefixes_effective(asn) or []
        return sum(IPv4Network(prefix).num_addresses for prefix in prefixes if ":" not in prefix)

    def get_as_name(self, asn: int) -> str | None:
        """Returns the name of an AS, or None."""
        if self._names is None:
            raise RuntimeError("pass as_names_file to use names")
        return self._names.get(asn)

    @staticmethod
    def convert_32bit_to_asdot_asn_format(asn: int) -> str:
        """Writes an AS number as `AS5` or, from 65536, as `AS1.5`."""
        high, low = divmod(asn, 1 << 16)
        return f"AS{high}.{low}" if high else f"AS{low}"

    @staticmethod
    def convert_asdot_to_32bit_asn(asdot: str) -> int:
        """Reads `AS5` or `AS1.5`. Raises ValueError."""
        high, dot, low = asdot.removeprefix("AS").partition(".")
        if not asdot.startswith("AS"):
            raise ValueError(f"{asdot!r} is not AS<number> or AS<number>.<number>")
        return (int(high) << 16) + int(low) if dot else int(high)


def _read_names(path: str) -> dict[int, str]:
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return {int(number): name for number, name in json.load(file).items()}
