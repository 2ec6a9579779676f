"""Build backend: checks the system's compiler and headers, then calls scikit-build-core.

Without a compiler or Python's headers, the build would fail with a page of CMake output. The check prints what to install.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scikit_build_core import build as _backend
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)
from scikit_build_core.errors import NotFoundError

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

# CMake's candidates on Linux, in its order.
_COMPILERS = ("c++", "g++", "icpx", "clang++")
# Sources that compile only if the language, the standard library and Python's headers are sufficient.
_PROBES = {
    "a C++20 compiler (g++ 12, clang 16 or later)": "#include <bit>\n#include <span>\ntemplate <class T> concept any = true;\n",
    "Python's headers": "#include <Python.h>\n",
}


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Builds a wheel, or reports missing tools."""
    _refuse_without_tools(config_settings)
    return _with_cmake(_backend.build_wheel, wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Builds an editable wheel, or reports missing tools."""
    _refuse_without_tools(config_settings)
    return _with_cmake(_backend.build_editable, wheel_directory, config_settings, metadata_directory)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """Describes the wheel. Needs no compiler."""
    return _with_cmake(_backend.prepare_metadata_for_build_wheel, metadata_directory, config_settings)


def prepare_metadata_for_build_editable(metadata_directory: str, config_settings: Any = None) -> str:
    """Describes an editable wheel. Needs no compiler."""
    return _with_cmake(_backend.prepare_metadata_for_build_editable, metadata_directory, config_settings)


def _with_cmake(hook: Callable[..., str], *arguments: Any) -> str:
    """Runs a hook. CMake and Ninja are missing only without build isolation (pip's --no-build-isolation)."""
    try:
        return hook(*arguments)
    except NotFoundError as error:
        raise SystemExit(
            f"fingerpost must be compiled, but {error}. Install it: `pip install cmake ninja`, or on Debian and Ubuntu "
            "`apt install cmake ninja-build`"
        ) from None


def _refuse_without_tools(config_settings: Any) -> None:
    missing = _missing() if not _chooses_its_tools(config_settings) else None
    if missing is not None:
        # Installers show a SystemExit without a traceback.
        raise SystemExit(f"fingerpost must be compiled, but {missing}. {_advice()}")


def _chooses_its_tools(config_settings: Any) -> bool:
    """Returns whether the settings of CMake choose a compiler or a target system, so that the check does not apply."""
    settings = [str(config_settings or "")] + [os.environ.get(name, "") for name in ("CMAKE_ARGS", "SKBUILD_CMAKE_ARGS")]
    names = ("CMAKE_CXX_COMPILER", "CMAKE_TOOLCHAIN_FILE", "CMAKE_SYSTEM_NAME", "Python_INCLUDE_DIR")
    return "CMAKE_TOOLCHAIN_FILE" in os.environ or any(name in text for name in names for text in settings)


def _missing() -> str | None:
    compiler = _compiler()
    if compiler is None:
        chosen = os.environ.get("CXX")
        return f"there is no C++ compiler ({f'CXX={chosen}' if chosen else ', '.join(_COMPILERS)})"
    for what, source in _PROBES.items():
        words = _refusal(compiler, source)
        if words is not None:
            return f"{what} {'are' if what.endswith('s') else 'is'} missing ({compiler[0]}: {words})"
    return None


def _compiler() -> list[str] | None:
    """Returns the compiler command: CXX if it is set, otherwise the first candidate that exists."""
    for command in [os.environ["CXX"]] if os.environ.get("CXX") else _COMPILERS:
        words = shlex.split(command)
        if words and shutil.which(words[0]):
            return words
    return None


def _refusal(compiler: list[str], source: str) -> str | None:
    """Returns the compiler's first error, or None if it accepts the source."""
    include = sysconfig.get_path("include")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "probe.cpp"
        file.write_text(source)
        flags = [*shlex.split(os.environ.get("CXXFLAGS", "")), "-std=c++20", "-fsyntax-only", f"-I{include}"]
        try:
            result = subprocess.run([*compiler, *flags, str(file)], capture_output=True, text=True, check=False)
        except OSError as error:
            return error.strerror or str(error)
    if result.returncode == 0:
        return None
    errors = [line for line in result.stderr.splitlines() if "error" in line] or result.stderr.splitlines() or ["?"]
    return errors[0].removeprefix(f"{file}:")


def _advice() -> str:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return (
        f"Install them: on Debian and Ubuntu `apt install g++ python3-dev` (or {version}-dev), on Fedora `dnf install gcc-c++ "
        "python3-devel`, on Alpine `apk add g++ python3-dev`, with conda `conda install cxx-compiler`"
    )
