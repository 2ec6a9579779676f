"""Checks the requirements of experiments, and names missing ones."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..experiments import ROOT


@dataclass
class Places:
    """The programs and folders that a run uses."""

    program: Path
    router_bench: Path
    gpu_bench: Path
    tables: Path | None
    out: Path

    def fillings(self) -> dict[str, str]:
        """Returns the values of the placeholders in the arguments of a case."""
        return {
            "program": str(self.program),
            "tables": str(self.tables) if self.tables else "{tables}",
            "made": str(self.out / "tables"),
            "out": str(self.out),
            "source": str(ROOT),
        }


def find_places(out: Path) -> Places:
    """Uses $FINGERPOST, $FINGERPOST_ROUTER_BENCH, $FINGERPOST_GPU_BENCH and $FINGERPOST_TABLES, otherwise the build and the folder next to the source."""
    program = Path(os.environ.get("FINGERPOST") or ROOT / "build/bin/fingerpost").resolve()
    router_bench = Path(os.environ.get("FINGERPOST_ROUTER_BENCH") or program.with_name("fingerpost-router-bench")).resolve()
    gpu_bench = Path(os.environ.get("FINGERPOST_GPU_BENCH") or program.with_name("fingerpost-gpu-bench")).resolve()
    named = os.environ.get("FINGERPOST_TABLES")
    tables = Path(named) if named else ROOT.parent / "shared/data/fib"
    return Places(program, router_bench, gpu_bench, tables.resolve() if tables.is_dir() else None, out.resolve())


def succeeds(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=20).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


@functools.lru_cache
def why_missing(need: str, program: Path, router_bench: Path, gpu_bench: Path) -> str | None:
    """Returns what is missing for a requirement, or None."""
    if need == "program":
        return None if is_program(program) else f"{program} is not built (make build)"
    if need == "router":
        return None if is_program(router_bench) else f"{router_bench} is not built (make bench-router)"
    if need == "gpu":
        if not is_program(gpu_bench):
            return f"{gpu_bench} is not built (make gpu)"
        return None if succeeds("nvidia-smi") else "there is no GPU with a driver (nvidia-smi fails)"
    if need == "dpdk":
        return None if succeeds("pkg-config", "--exists", "libdpdk") else "DPDK is not installed (tools/setup router)"
    if need == "root":
        return None if os.geteuid() == 0 else "root is needed"
    if need == "namespaces":
        return None if succeeds("unshare", "-n", "true") else "this user may not make a network namespace (unshare -n)"
    if need in ("cargo", "go"):
        return None if shutil.which(need) else f"{need} is not installed"
    if need == "python-packages":
        return None if succeeds("python3", "-m", "venv", "--help") else "python3 has no venv module"
    raise ValueError(need)


def missing(needs: list[str], places: Places) -> str | None:
    """Returns the first missing requirement of a case, or None."""
    for need in needs:
        why = why_missing(need, places.program, places.router_bench, places.gpu_bench)
        if why:
            return why
    return None
