"""Longest-prefix match for IPv4 and IPv6.

>>> import fingerpost
>>> table = fingerpost.Table({"10.0.0.0/8": "office", "10.1.0.0/16": "lab", "2001:db8::/32": "v6"})
>>> table.lookup("10.1.2.3")
'lab'
>>> table.match("2001:db8::1")
('2001:db8::/32', 'v6')
"""

from __future__ import annotations

import copyreg as _copyreg
from collections.abc import MutableMapping as _MutableMapping
from typing import Any as _Any

from fingerpost._core import ArrowColumn, Error, Report, Table, __version__
from fingerpost._enrich import EnrichReport, enrich
from fingerpost._errors import MissingPrefix
from fingerpost._reports import TableReport, TableWarning
from fingerpost._types import AnyTable

_MutableMapping.register(Table)  # pyright: ignore[reportAttributeAccessIssue]
for _class in (ArrowColumn, Report, Table):
    _class.__module__ = "fingerpost"
# Pickle bound and unbound methods by name, like methods of Python classes.
_bound: _Any = type(Table[_Any]().copy)
_copyreg.pickle(_bound, lambda bound: (getattr, (bound.__self__, bound.__name__)))
for _unbound in (Table.copy, Table.open):
    _copyreg.pickle(type(_unbound), lambda method: method.__qualname__)
open = Table.open

__all__ = [
    "AnyTable",
    "ArrowColumn",
    "EnrichReport",
    "Error",
    "MissingPrefix",
    "Report",
    "Table",
    "TableReport",
    "TableWarning",
    "__version__",
    "enrich",
    "open",
]
