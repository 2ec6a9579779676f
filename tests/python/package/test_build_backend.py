"""Building the package where the system lacks something: one line names what to install."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytest.importorskip("scikit_build_core", reason="the backend that the package's own calls")

ROOT = Path(__file__).resolve().parents[3]
# Calls a hook of the backend with a stub instead of the real build.
CALL = f"""
import sys
sys.path.insert(0, {str(ROOT / "python/packaging")!r})
import build_backend
build_backend._backend.build_wheel = lambda *given: print("built", *given)
build_backend._backend.build_editable = build_backend._backend.build_wheel
getattr(build_backend, sys.argv[1])("folder", eval(sys.argv[2]))
"""
ADVICE = "apt install g++ python3-dev"


def call(
    folder: Path, compiler: str | None = None, hook: str = "build_wheel", settings: str = "None", **environment: str
) -> tuple[int, str, str]:
    """Runs with a PATH that contains only this compiler, a shell script."""
    if compiler is not None:
        (folder / "g++").write_text(f"#!/bin/sh\n{compiler}\n")
        (folder / "g++").chmod(0o755)
    plain = {name: value for name, value in os.environ.items() if name not in {"CXX", "CXXFLAGS", "CMAKE_ARGS"}}
    done = subprocess.run(
        [sys.executable, "-c", CALL, hook, settings],
        env={**plain, "PATH": str(folder), **environment},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("hook", ["build_wheel", "build_editable"])
def test_without_a_compiler_a_line_says_what_to_install(tmp_path: Path, hook: str) -> None:
    code, printed, said = call(tmp_path, hook=hook)
    assert (code, printed, said.count("\n")) == (1, "", 1)
    assert "there is no C++ compiler (c++, g++, icpx, clang++)" in said
    assert ADVICE in said and f"python{sys.version_info.major}.{sys.version_info.minor}-dev" in said


def test_a_compiler_that_is_named_and_missing(tmp_path: Path) -> None:
    assert "there is no C++ compiler (CXX=my-g++ -m64)" in call(tmp_path, "exit 0", CXX="my-g++ -m64")[2]


def test_a_compiler_without_pythons_headers(tmp_path: Path) -> None:
    code, _, said = call(
        tmp_path,
        'for last; do :; done; while read line; do case $line in *Python.h*) echo "$last:1: fatal error: Python.h: '
        'No such file or directory" >&2; exit 1;; esac; done <"$last"',
    )
    assert code == 1
    assert "Python's headers are missing (g++: 1: fatal error: Python.h: No such file or directory)" in said
    assert ADVICE in said


def test_a_compiler_of_another_age(tmp_path: Path) -> None:
    code, _, said = call(tmp_path, "echo \"g++: error: unrecognized option '-std=c++20'\" >&2; exit 1")
    assert code == 1
    assert "a C++20 compiler (g++ 12, clang 16 or later) is missing (g++: g++: error: unrecognized option" in said


@pytest.mark.parametrize(
    ("settings", "environment"),
    [
        ("None", {"CMAKE_ARGS": "-DCMAKE_CXX_COMPILER=/opt/c++"}),
        ("{'cmake.define.CMAKE_TOOLCHAIN_FILE': 'arm.cmake'}", {}),
        ("None", {"CMAKE_TOOLCHAIN_FILE": "arm.cmake"}),
    ],
)
def test_who_names_a_compiler_to_cmake_is_believed(
    tmp_path: Path, settings: str, environment: dict[str, str]
) -> None:
    code, printed, said = call(tmp_path, settings=settings, **environment)
    assert (code, printed.split()[0], said) == (0, "built", "")


def test_with_all_that_it_needs_it_builds(tmp_path: Path) -> None:
    code, printed, said = call(tmp_path, "exit 0")
    assert (code, printed, said) == (0, "built folder None None\n", "")
    if (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        code, _, said = call(tmp_path, PATH=os.environ["PATH"])
        assert (code, said) == (0, "")


@pytest.mark.parametrize(("given", "schemes"), [({}, "packed_leaves,planb"), ({"cmake.define.FINGERPOST_SCHEMES": "all"}, "all")])
def test_the_schemes_of_the_package_can_be_chosen(given: dict[str, str], schemes: str) -> None:
    from scikit_build_core.settings.skbuild_read_settings import SettingsReader

    read = SettingsReader.from_file(ROOT / "pyproject.toml", given)
    assert read.settings.cmake.define["FINGERPOST_SCHEMES"] == schemes
    read.validate_may_exit()


@pytest.mark.parametrize("has_cmake", [True, False])
def test_pip_shows_that_line(tmp_path: Path, has_cmake: bool) -> None:
    """Without build isolation, in which pip would download CMake."""
    tools = {name: shutil.which(name) for name in ("cmake", "ninja")}
    for name, place in tools.items():
        if has_cmake and place is not None:
            (tmp_path / name).symlink_to(place)
    pip = pytest.importorskip("pip").__name__
    command = [sys.executable, "-m", pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, ROOT]
    done = subprocess.run(command, env={**os.environ, "PATH": str(tmp_path), "CXX": ""}, capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode != 0 and "Traceback" not in said and "CMake Error" not in said
    if has_cmake and all(tools.values()):
        assert "there is no C++ compiler" in said and ADVICE in said
    else:
        assert "Could not find CMake" in said and "apt install cmake ninja-build" in said
