"""The minimum versions in pyproject.toml are the tested ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
# Its tests need gigabytes, so only `make test-cluster` runs them, with the version in requirements-cluster.txt.
ELSEWHERE = {"ray"}


def declared() -> dict[str, set[str]]:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 has no tomllib")
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    found: dict[str, set[str]] = {}
    optional = (one for extra in project["optional-dependencies"].values() for one in extra)
    for one in [*project["dependencies"], *optional]:
        name, lowest = re.fullmatch(r"([a-z]+)(?:\[\w+\])? >=([\d.]+)", one).groups()  # type: ignore[union-attr]
        found.setdefault(name, set()).add(lowest)
    return found


def pinned(path: str) -> dict[str, str]:
    lines = (REPOSITORY / "tests/python" / path).read_text()
    return dict(re.findall(r"^([a-z]+)==([\d.]+)", lines, re.MULTILINE))


def test_the_lowest_versions_are_those_that_are_declared() -> None:
    of_file, locked = pinned("requirements-lowest.in"), pinned("requirements-lowest.txt")
    names = {name for name in declared() if name not in ELSEWHERE}
    assert names == set(of_file)
    for name in names:
        (lowest,) = declared()[name]
        assert re.fullmatch(rf"{re.escape(lowest)}(\.0)*", of_file[name]), name
        assert locked[name] == of_file[name]
