"""Runs the tests in the source distributions of py-radix and maxminddb with the modules of fingerpost.compat.

pytricia, pysubnettree and pyasn publish no tests that run without files that they do not publish; test_same_answers.py
compares with these packages themselves.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sdists import unpacked

import fingerpost

HERE = Path(__file__).parent
PACKAGES = Path(fingerpost.__file__).parents[1]

# Tests that fail on purpose, for these reasons, in every class that has them. A test that fails must be listed, and a
# listed test must fail.
MESSAGE = "the message has other words"
LIMIT = "records with more values, or of other sizes, are refused or accepted; files are checked when they are opened"
TYPES = "columns have one type each: bytes are hexadecimal, mixed numbers are text"
ALIASES = "::1.2.3.4 is not an alias of 1.2.3.4, nor does an IPv6 route answer for IPv4"
INSIDE = "tests the inside of the package"
DIFFERENCES: dict[str, dict[str, str]] = {
    "radix": {},
    "maxminddb": {},
}


def outcomes(peer: str, archive: str, files: list[str], folder: Path) -> dict[str, set[str]]:
    """Runs files of the suite, and returns the outcomes of each function, of which each class has one."""
    results = folder / "outcomes.json"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "replace_peer", "-p", "no:cacheprovider"]
        + ["-c", os.devnull, "--rootdir=.", *files],
        cwd=unpacked(archive, folder),
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(folder) for folder in (HERE, PACKAGES)),
            "FINGERPOST_PEER": peer,
            "FINGERPOST_OUTCOMES": str(results),
        },
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr
    by_function: dict[str, set[str]] = {}
    for test, outcome in json.loads(results.read_text()).items():
        by_function.setdefault(test.rpartition("::")[2], set()).add(outcome)
    return by_function


@pytest.mark.parametrize(
    ("peer", "archive", "files", "least"),
    [
        ("radix", "py_radix-1.1.0", ["tests"], 40),
        ("maxminddb", "maxminddb-3.2.0", ["tests/reader_test.py"], 25),
    ],
)
def test_suite(peer: str, archive: str, files: list[str], least: int, tmp_path: Path) -> None:
    functions = outcomes(peer, archive, files, tmp_path)
    failed = {name for name, results in functions.items() if "failed" in results}
    assert failed == set(DIFFERENCES[peer])
    passed = {name for name, results in functions.items() if "passed" in results} - failed
    assert len(passed) >= least
