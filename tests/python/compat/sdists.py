"""Fetches the source distributions in sdists.txt from PyPI, once, into build/sdists."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("sdists.txt")
FOLDER = Path(__file__).parents[3] / "build" / "sdists"


def _pip(*arguments: str) -> None:
    """Runs pip. Skips the test if pip fails, which usually means that there is no network."""
    run = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=500,
    )
    if run.returncode:
        reason = f"cannot fetch {LIST.name} from PyPI: {run.stderr.strip()[-300:]}"
        if os.environ.get("FINGERPOST_REQUIRE_SDISTS"):
            pytest.fail(reason)
        pytest.skip(reason)


@functools.cache
def _archives(needed: str) -> Path:
    if not list(FOLDER.glob(needed)):
        FOLDER.mkdir(parents=True, exist_ok=True)
        _pip("download", "--no-deps", "--require-hashes", "--dest", str(FOLDER), "-r", str(LIST))
    return next(FOLDER.glob(needed))


def unpacked(archive: str, folder: Path) -> Path:
    """Unpacks `archive.tar.gz` into the folder and returns its top folder."""
    with tarfile.open(_archives(f"{archive}.tar.gz")) as file:
        if hasattr(tarfile, "data_filter"):
            file.extractall(folder, filter="data")
        else:
            file.extractall(folder)
    return folder / archive


def installed(archive: str) -> Path:
    """Builds `archive.tar.gz` if necessary and returns the folder with its modules."""
    source = _archives(f"{archive}.tar.gz")
    target = FOLDER / f"{archive}-{sys.implementation.cache_tag}"
    if not target.is_dir():
        _pip("install", "--no-deps", "--target", str(target), str(source))
    return target
