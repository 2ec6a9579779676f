"""The fake device that the tests run on."""

from __future__ import annotations

from collections.abc import Iterator

import fake_cuda
import pytest

from fingerpost._cuda import library


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[fake_cuda.FakeCuda]:
    """The library in this test. At its end everything on the device must be free."""
    fake = fake_cuda.FakeCuda()
    monkeypatch.setattr(library, "load", lambda: fake)
    yield fake
