"""Returns the machine and the build of a run, as the program reports them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

FROM_PROGRAM = ("cpu", "cpu_id", "cores", "caches", "kernel", "compiler", "flags", "isas", "huge_pages", "governor", "tsc_hz")


def memory_gb() -> float:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1)


def virtual(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Returns `no`, the name of the hypervisor, or `yes` if only the CPU reports one; empty if nothing is known."""
    try:
        done = subprocess.run(["systemd-detect-virt", "--vm"], capture_output=True, text=True, check=False)
        if done.stdout.strip():
            return "no" if done.stdout.strip() == "none" else f"yes, {done.stdout.strip()}"
    except OSError:
        pass
    try:
        flags = re.search(r"^flags\s*:(.*)$", cpuinfo.read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return ""
    return "" if flags is None else "yes" if "hypervisor" in flags[1].split() else "no"


def describe(program: Path) -> dict[str, Any]:
    """Returns `commit`, `version` and `machine`, taken from the result of a tiny measurement.

    Raises OSError or ValueError when the program does not run or does not print a result.
    """
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [str(program), "lab", "bench", "lookup", "--generate", "rrc00-25:1000", "--scheme", "planb", "--workloads", "match"]
        command += ["--batch", "1", "--mode", "throughput", "--rounds", "1", "--round-ms", "1", "--addresses", "65536"]
        command += ["--format", "json", "--output", str(result)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not result.exists():
            raise ValueError(f"{program} lab bench lookup ends with {done.returncode}: {done.stderr.strip()[-300:]}")
        environment = json.loads(result.read_text(encoding="utf-8"))["environment"]
    machine = {key: environment[key] for key in FROM_PROGRAM if key in environment}
    return {"commit": environment.get("commit", ""), "version": environment.get("version", ""), "machine": machine | {"virtual": virtual(), "memory_gb": memory_gb()}}
