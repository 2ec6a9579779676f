"""Builds the competitors' programs into build/competitors. On first use, Cargo, Go and pip fetch what the lock files list."""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BUILDS = ROOT / "build/competitors"
MOST_SECONDS = 600
PACKAGES = ("maxminddb", "pytricia", "radix")


class MissingError(Exception):
    """A tool, a package or the network is missing. The competitor is skipped with this reason."""


def tool(name: str) -> str:
    path = shutil.which(name)
    if not path:
        raise MissingError(f"{name} is not installed")
    return path


def run(command: list[str], what: str, **environment: str) -> None:
    """Runs a build. Raises MissingError with its last message."""
    print(f"competitors: {what}", file=sys.stderr, flush=True)
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=MOST_SECONDS,
            check=False,
        )
    except OSError as why:
        raise MissingError(f"{command[0]}: {why.strerror}") from None
    except subprocess.TimeoutExpired:
        raise MissingError(f"{what}: gave up after {MOST_SECONDS} s") from None
    if done.returncode != 0:
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        # Cargo prints the reason above a chain of causes, which ends with the deepest.
        error_line = next(
            (line for line in lines if line.startswith("error")), lines[-1] if lines else "no message"
        )
        deepest = f" ({lines[-1]})" if lines and lines[-1] != error_line else ""
        raise MissingError(f"{what} failed: {error_line}{deepest}")


@functools.cache
def build_c(fingerpost: Path) -> list[str]:
    """Links against the shared library of the program's build."""
    folder = fingerpost.resolve().parents[1]
    if not (folder / "libfingerpost.so").exists():
        raise MissingError(f"{folder} has no libfingerpost.so: build the target `program`")
    result = BUILDS / "c/fingerpost_lookups"
    result.parent.mkdir(parents=True, exist_ok=True)
    source, include = HERE / "c/fingerpost_lookups.c", f"-I{ROOT / 'capi'}"
    # CC may contain options.
    compiler = shlex.split(os.environ.get("CC", "")) or [tool("cc")]
    link = [f"-L{folder}", "-lfingerpost", f"-Wl,-rpath,{folder}"]
    run([*compiler, "-std=c11", "-O2", include, "-o", str(result), str(source), *link], "compiling c")
    return [str(result)]


@functools.cache
def build_go() -> list[str]:
    program = BUILDS / "go/competitor"
    # Use only the installed tool chain, and do not change the lock file.
    environment = {"GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly", "GOAMD64": go_level(), "GOWORK": "off"}
    run([tool("go"), "build", "-C", str(HERE / "go"), "-o", str(program), "."], "building go", **environment)
    return [str(program)]


def go_level() -> str:
    """Returns this machine's level of x86-64 in the notation of GOAMD64, which Go ignores on other machines."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            flags_line = re.search(r"^flags\s*:(.*)$", file.read(), re.MULTILINE)
    except OSError:
        return "v1"
    flags = set(flags_line[1].split()) if flags_line else set()
    if not {"avx2", "bmi1", "bmi2", "fma", "movbe"} <= flags:
        return "v1"
    return "v4" if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags else "v3"


@functools.cache
def build_rust() -> list[str]:
    environment = {"RUSTFLAGS": "-C target-cpu=native", "CARGO_NET_RETRY": "1", "CARGO_HTTP_TIMEOUT": "20"}
    options = ["--release", "--locked", "--quiet", "--manifest-path", str(HERE / "rust/Cargo.toml")]
    run(
        [tool("cargo"), "build", *options, "--target-dir", str(BUILDS / "rust")],
        "building rust",
        **environment,
    )
    return [str(BUILDS / "rust/release/competitor")]


@functools.cache
def find_python(interpreter: str) -> list[str]:
    """Takes this interpreter if it has the packages; an empty path selects that of tools/python_env."""
    if not interpreter:
        run([str(ROOT / "tools/python_env"), "competitors"], "installing python packages")
        interpreter = str(ROOT / "build/python-competitors/bin/python")
    imports = f"import {', '.join(PACKAGES)}"
    try:
        done = subprocess.run([interpreter, "-c", imports], capture_output=True, text=True, check=False)
    except OSError as why:
        raise MissingError(f"{interpreter}: {why.strerror}") from None
    if done.returncode != 0:
        messages = done.stderr.strip().splitlines()
        raise MissingError(f"{interpreter}: {messages[-1] if messages else 'failed'}")
    return [interpreter, str(HERE / "python/competitor.py")]
