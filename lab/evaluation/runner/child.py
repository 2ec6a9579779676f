"""Runs a command and ensures that all its processes end with it."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..experiments import PACKAGE, ROOT


@dataclass
class Ended:
    """How a command ended, and what it printed."""

    code: int
    stdout: str
    stderr: str


def run(command: list[str], program: Path, most_seconds: float) -> Ended:
    """Runs a command in a new session, in the project's folder. When interrupted, it first ends all processes of the command.

    Raises OSError when the command is missing and TimeoutExpired when it exceeded the limit and was ended.
    """
    environment = os.environ | {"FINGERPOST": str(program)}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")]))
    child = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        stdout, stderr = child.communicate(timeout=most_seconds)
    except BaseException:
        _end(child)
        raise
    return Ended(child.returncode, stdout, stderr)


def _end(child: subprocess.Popen[str]) -> None:
    """Asks all processes of a command to end, and kills them after two seconds."""
    for number in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            break
        try:
            child.wait(timeout=2)
        except subprocess.TimeoutExpired:
            continue
        if number == signal.SIGINT and not _lives(child.pid):
            break
    child.wait()
    for stream in (child.stdout, child.stderr):
        if stream:
            stream.close()


def _lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
