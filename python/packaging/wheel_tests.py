"""Tests an installed wheel: from an empty folder, with the tests of a checkout, and with only this Python on the PATH."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# By the packages that they need. Some of these have no wheels for a new Python, or for musl.
TESTS = {
    "numpy": (
        "table/test_table.py",
        "table/test_table_files.py",  # images, table formats and pickles
        "table/test_table_model.py",
        "table/test_table_threads.py",
        "vectors/test_vectors_numpy.py",
    ),
    "pyarrow": ("vectors/test_vectors_arrow.py", "vectors/test_vectors_threads.py"),
    "polars": ("frames/test_polars.py",),
}
PAGES = ("README.md", "docs/use/python.md", "docs/use/python_columns.md", "docs/use/python_switching.md")


def main() -> int:
    """Returns the exit status of the first tests that fail."""
    present = [package for package in TESTS if importlib.util.find_spec(package)]
    tests = [f"{ROOT}/tests/python/{name}" for package in present for name in TESTS[package]]
    runs = [["pytest", "-q", "-c", f"{ROOT}/pyproject.toml", "--rootdir", str(ROOT), *tests]]
    if "pyarrow" in present:
        runs.append(["doctest", *(f"{ROOT}/{page}" for page in PAGES)])
    status = 0
    with tempfile.TemporaryDirectory() as empty:
        environment = {"PATH": str(Path(sys.executable).parent), "HOME": empty, "LANG": "C.UTF-8"}
        for run in runs:
            status = status or subprocess.call([sys.executable, "-m", *run], cwd=empty, env=environment)
    print("tested with", ", ".join(present))
    return status


if __name__ == "__main__":
    sys.exit(main())
