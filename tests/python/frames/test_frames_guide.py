"""Runs the examples in the guide to frames and SQL."""

from __future__ import annotations

import doctest
from pathlib import Path


def test_the_examples_of_the_guide() -> None:
    guide = Path(__file__).parents[3] / "docs" / "use" / "python_frames.md"
    result = doctest.testfile(str(guide), module_relative=False, encoding="utf-8")
    assert result.failed == 0
    assert result.attempted > 30
