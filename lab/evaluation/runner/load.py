"""Measures how busy the rest of the machine is while a case runs, as a number of CPUs.

The kernel counts the time of all CPUs in /proc/stat. The time that a case and this program used is subtracted.
"""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

STAT = Path("/proc/stat")


def busy_seconds(stat: Path = STAT) -> float | None:
    """Returns the seconds that all CPUs have worked since boot, or None where the kernel does not report it."""
    try:
        fields = stat.read_text(encoding="ascii").split("\n", 1)[0].split()
    except OSError:
        return None
    # user, nice, system, idle, iowait, irq, softirq, steal; guests are part of user.
    ticks = [int(field) for field in fields[1:9]]
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK")


def own_seconds() -> float:
    """Returns the CPU seconds of this process and of all children that have ended."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


class Beside:
    """Measures from its creation until `load` is called."""

    def __init__(self) -> None:
        self.wall = time.monotonic()
        self.busy = busy_seconds()
        self.own = own_seconds()

    def seconds(self) -> float:
        return time.monotonic() - self.wall

    def load(self) -> float | None:
        """Returns the mean number of CPUs that others kept busy."""
        now = busy_seconds()
        if self.busy is None or now is None or self.seconds() <= 0:
            return None
        others = (now - self.busy) - (own_seconds() - self.own)
        return max(0.0, others / self.seconds())


def load_for(seconds: float) -> float | None:
    """Measures the load of the machine for some seconds while this program is idle."""
    beside = Beside()
    time.sleep(seconds)
    return beside.load()
