"""Runs the programs in examples/python and compares what they print with their docstrings."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples" / "python"
# The libraries that each program needs. Those of clusters are installed by `make test-cluster`.
NEEDS = {
    "duckdb_parquet": ("duckdb", "polars", "pyarrow"),
    "from_pytricia": (),
    "pandas_flows": ("pandas",),
    "polars_logs": ("polars",),
    "ray_flows": ("ray",),
    "spark_flows": ("pyspark",),
    "typed_rows": ("polars",),
}


def documented(program: Path) -> str:
    docstring = ast.get_docstring(ast.parse(program.read_text(encoding="utf-8")))
    assert docstring is not None
    return textwrap.dedent(docstring.partition("Prints:\n\n")[2]) + "\n"


@pytest.mark.parametrize("name", NEEDS)
def test_an_example_prints_what_its_docstring_shows(name: str) -> None:
    missing = [library for library in NEEDS[name] if importlib.util.find_spec(library) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed")
    program = EXAMPLES / f"{name}.py"
    result = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout == documented(program)


def test_all_examples_run() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(NEEDS)
