"""Runs a function without lasting effects, in its own network, process and mount namespaces.

The kernel removes all three when their first process ends. That process is killed when its starter dies for any reason, so the clean-up
cannot be missed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType

CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x4000, 0x40000
PR_SET_PDEATHSIG = 1
FILES = Path("/dev/shm")  # the folder in which the function finds an empty file system
STOPPED_BY = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

libc = ctypes.CDLL(None, use_errno=True)


class Refused(Exception):
    """The system lacks or forbids something that is needed. The message names it."""


def mount(source: str, target: Path, kind: str | None, flags: int) -> None:
    done = libc.mount(source.encode(), str(target).encode(), kind.encode() if kind else None, ctypes.c_ulong(flags), None)
    if done != 0:
        raise Refused(f"mount is refused: {os.strerror(ctypes.get_errno())}")


def enter() -> None:
    """Completes the namespaces from inside: a /proc of the new processes, and files that no other process sees."""
    mount("none", Path("/"), None, MS_REC | MS_PRIVATE)
    mount("proc", Path("/proc"), "proc", MS_NOSUID | MS_NODEV)
    mount("tmpfs", FILES, "tmpfs", MS_NOSUID | MS_NODEV)
    os.environ["TMPDIR"] = str(FILES)


def first_process(function: Callable[[], None], started: int) -> int:
    """Runs as the first process. Returns the exit code of the function."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # If the starter died before that call, this pipe is closed and empty.
    if os.read(started, 1) != b"1":
        return 1
    for number in STOPPED_BY:
        signal.signal(number, signal.SIG_IGN)
    try:
        enter()
        function()
        sys.stdout.flush()
        return 0
    except SystemExit as asked:
        if isinstance(asked.code, str):
            print(asked.code, file=sys.stderr)
        return asked.code if isinstance(asked.code, int) else 1
    except Exception:  # noqa: BLE001, as no other process would print it
        traceback.print_exc()
        return 1


def run(function: Callable[[], None]) -> int:
    """Returns the exit code of the function. Raises Refused where such namespaces cannot be created."""
    reader, writer = os.pipe()
    if libc.unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET) != 0:
        raise Refused(f"unshare is refused: {os.strerror(ctypes.get_errno())}")
    sys.stdout.flush()
    process = 0

    def stop(number: int, _frame: FrameType | None) -> None:
        if process:
            # It may have just ended.
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
        os._exit(128 + number)

    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPED_BY)
    for number in STOPPED_BY:
        signal.signal(number, stop)
    process = os.fork()
    if process == 0:
        os.close(writer)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPED_BY)
        # Skips the interpreter's shutdown, which belongs to the starter.
        os._exit(first_process(function, reader))
    os.close(reader)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPED_BY)
    os.write(writer, b"1")
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
