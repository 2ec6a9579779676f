"""The schemes of the tested module: `make test` builds all of them, and `pip install .` the default and PlanB, unless configured otherwise."""

from __future__ import annotations

import os

from fingerpost import Table


def built(*names: str) -> list[str]:
    """Returns those of the schemes that the module has. In the project's own tests it has all."""
    found = []
    for name in names:
        try:
            Table[object](scheme=name)
        except ValueError:
            assert "FINGERPOST" not in os.environ, f"{name} is not built"
        else:
            found.append(name)
    return found
