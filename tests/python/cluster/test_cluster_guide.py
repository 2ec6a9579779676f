"""Runs the examples in the guide to clusters, each section with the packages that it covers."""

from __future__ import annotations

import doctest
import importlib.util
import sys
import tempfile
from pathlib import Path

import pytest

if not any(importlib.util.find_spec(name) for name in ("pyspark", "ray")):
    pytest.skip(
        "neither pyspark nor ray is installed: `make test-cluster` installs them", allow_module_level=True
    )

GUIDE = Path(__file__).parents[3] / "docs" / "use" / "python_clusters.md"


def run_section(name: str) -> int:
    """Runs the examples below a heading. Returns their number."""
    _, found, rest = GUIDE.read_text(encoding="utf-8").partition(f"\n## {name}\n")
    assert found, f"the guide has no section {name}"
    examples = doctest.DocTestParser().get_doctest(
        rest.partition("\n## ")[0], {}, f"section {name}", str(GUIDE), 0
    )
    result = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(examples)
    assert result.failed == 0
    return result.attempted


def test_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed: `make test-cluster` installs it")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    assert run_section("Spark") > 15


def test_ray() -> None:
    pytest.importorskip("ray.data", reason="ray is not installed: `make test-cluster` installs it")
    import ray
    from cluster_data import start_ray

    # Socket paths must be short, which tmp_path is not.
    with tempfile.TemporaryDirectory(prefix="fp-") as folder:
        start_ray(2, Path(folder))
        ray.data.DataContext.get_current().enable_progress_bars = False
        assert run_section("Ray") > 5
        ray.shutdown()
