"""Where the C library is found, and what happens without it."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fingerpost._cuda import library


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test loads the library again."""
    monkeypatch.setattr(library, "load", library.load.__wrapped__)
    monkeypatch.delenv(library.VARIABLE, raising=False)


@pytest.mark.skipif("FINGERPOST_CUDA_STANDIN" not in os.environ, reason="FINGERPOST_CUDA_STANDIN is not set")
def test_the_order_of_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    open_standin = ctypes.CDLL

    def open_library(path: str) -> Any:
        opened.append(path)
        return open_standin(os.environ["FINGERPOST_CUDA_STANDIN"])

    monkeypatch.setattr(ctypes, "CDLL", open_library)
    monkeypatch.setattr(library, "__file__", str(tmp_path / "fingerpost" / "_cuda" / "library.py"))
    assert library.load().number("devices") == 1
    beside = tmp_path / "fingerpost" / library.NAME
    beside.parent.mkdir()
    beside.touch()
    library.load()
    monkeypatch.setenv(library.VARIABLE, "/elsewhere/library.so")
    library.load()
    monkeypatch.setenv(library.VARIABLE, "")
    library.load()
    assert opened == [library.NAME, str(beside), "/elsewhere/library.so", str(beside)]


def test_a_missing_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(library, "NAME", "libnosuch_cuda.so")
    with pytest.raises(
        ImportError, match=r"need libnosuch_cuda\.so, .*docs/use/gpu\.md.*FINGERPOST_CUDA_LIBRARY"
    ):
        library.load()
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / "nosuch.so"))
    with pytest.raises(ImportError, match=r"FINGERPOST_CUDA_LIBRARY=.*nosuch\.so: .*cannot open"):
        library.load()


def test_a_library_of_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any library without the functions."""
    import _ctypes

    monkeypatch.setenv(library.VARIABLE, _ctypes.__file__)
    with pytest.raises(ImportError, match="is from another version of fingerpost: .*fingerpost_cuda_devices"):
        library.load()


def test_importing_the_module_loads_no_library_and_no_other_package() -> None:
    program = "import sys, fingerpost.cuda; assert not set(sys.argv[1:]) & set(sys.modules)"
    others = ["cupy", "torch", "cudf", "pyarrow", "typing_extensions"]
    environment = {**os.environ, library.VARIABLE: "/nosuch/library.so"}
    subprocess.run([sys.executable, "-c", program, *others], check=True, env=environment)
