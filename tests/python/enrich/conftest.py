"""Fixtures that several test files share."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest


@pytest.fixture
def table_file(tmp_path: Path) -> Path:
    """Returns a text table as a file."""
    # Not at the top: it imports pyarrow, which tests of wheels do not have.
    from enrich_rows import ROUTES

    path = tmp_path / "table.csv"
    with path.open("w", newline="") as to:
        csv.writer(to).writerows([("network", "next_hop"), *ROUTES.items()])
    return path
