"""The fake device that the tests run on."""

from __future__ import annotations

import os
from collections.abc import Iterator

import fake_cuda
import pytest

from fingerpost._cuda import library


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[fake_cuda.FakeCuda]:
    """The library in this test."""
    standin = os.environ.get("FINGERPOST_CUDA_STANDIN")
    if not standin:
        pytest.skip("FINGERPOST_CUDA_STANDIN is not set")
    fake = fake_cuda.FakeCuda(standin)
    monkeypatch.setattr(library, "load", lambda: fake)
    yield fake
