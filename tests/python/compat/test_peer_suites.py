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

# Reasons why tests fail on purpose.
MESSAGE = "the message has other words"
OPENING = "all records are read when the file is opened, which then fails"
LIMITS = "the limits on the size of a record are others"
TYPES = "a column has one type: bytes are hexadecimal, and mixed numbers are text"
ALIASES = "an IPv6 route does not answer for IPv4; a single member named value is a record"
INSIDE = "tests the inside of the package"
# A test that fails must be in this list, and a test in this list must fail in every class that does not skip it.
DIFFERENCES: dict[str, dict[str, str]] = {
    "radix": {},
    "maxminddb": {
        "test_28_bit_records_preserve_high_nibbles": INSIDE,
        "test_broken_database": OPENING,
        "test_database_with_invalid_utf8_key": OPENING,
        "test_decoder": TYPES,
        "test_empty_search_tree_is_accepted": OPENING,
        "test_failed_initialization_closes_buffer": INSIDE,
        "test_get_with_prefix_len": ALIASES,
        "test_invalid_tree_metadata_is_rejected_on_open": MESSAGE,
        "test_ipv6_address_in_ipv4_database": MESSAGE,
        "test_metadata_payload_limit_is_enforced_on_open": LIMITS,
        "test_no_extension_exception": INSIDE,
        "test_no_ipv4_search_tree": ALIASES,
        "test_nondatabase": MESSAGE,
        "test_normal_record_still_decodes": TYPES,
        "test_payload_amplification_is_rejected": MESSAGE,
        "test_payload_amplification_string_is_rejected": MESSAGE,
        "test_payload_amplification_worst_case_is_rejected": MESSAGE,
        "test_payload_one_over_limit_is_rejected": LIMITS,
        "test_pointer_fan_out_fixture_is_rejected": MESSAGE,
        "test_pointer_fan_out_ipv6_fixture_is_rejected": MESSAGE,
        "test_search_tree_past_end_of_file": MESSAGE,
        "test_value_count_boundary": LIMITS,
    },
}
# Modes of maxminddb other than these do the same.
MODES = "Auto or FDReader or MMAPReaderWithIPObjects or Initialization or Nodes or Old"


def outcomes(peer: str, archive: str, arguments: list[str], folder: Path) -> dict[str, set[str]]:
    """Runs tests of a suite with pytest's arguments. Returns the outcomes of each function, one for each class."""
    results = folder / "outcomes.json"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "replace_peer", "-p", "no:cacheprovider"]
        + ["-c", os.devnull, "--rootdir=.", *arguments],
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
    ("peer", "archive", "arguments", "least"),
    [
        ("radix", "py_radix-1.1.0", ["tests"], 40),
        ("maxminddb", "maxminddb-3.2.0", ["tests/reader_test.py", "-k", MODES], 26),
    ],
)
def test_suite(peer: str, archive: str, arguments: list[str], least: int, tmp_path: Path) -> None:
    functions = outcomes(peer, archive, arguments, tmp_path)
    failed = {name for name, results in functions.items() if "failed" in results}
    passed = {name for name, results in functions.items() if "passed" in results}
    assert sorted(failed) == sorted(DIFFERENCES[peer])
    assert not failed & passed
    assert len(passed) >= least
