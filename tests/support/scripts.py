"""Helpers for the script tests: the amount of work, and a way to run Python tools at the cost of a fork."""

import functools
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

ROOT = Path(__file__).resolve().parents[2]
# FINGERPOST_TESTS=all runs large samples and full products; otherwise each kind of case runs once.
ALL = os.environ.get("FINGERPOST_TESTS") == "all"
T = TypeVar("T")


def skip(reason: str, required_by: str = "CI") -> NoReturn:
    """Ends the test: skipped, or failed when this environment variable is set."""
    required = bool(os.environ.get(required_by))
    print(f"{Path(sys.argv[0]).stem}: {'FAILED' if required else 'SKIPPED'}: {reason}", file=sys.stderr)
    sys.exit(1 if required else 77)


def want(holds: object, words: object) -> None:
    """Ends the test unless this holds."""
    if not holds:
        sys.exit(f"{Path(sys.argv[0]).stem}: {words}")


def run(
    *command: "str | Path", status: "int | None" = 0, folder: Path = ROOT, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Runs a command, which must end with this status; None is any."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False)
    want(status in (None, done.returncode), f"{words}: exit {done.returncode} instead of {status}\n{done.stdout}{done.stderr}")
    return done


def real_table(family: int) -> Path:
    """Real routes: those of tests/data/real, or the full table with FINGERPOST_TESTS=all."""
    whole = Path(os.environ.get("FINGERPOST_DATA") or ROOT.parent / "shared/data") / f"fib/tier1-v{family}.txt.xz"
    if ALL and not whole.is_file() and os.environ.get("FINGERPOST_REQUIRE_DATA"):
        sys.exit(f"{whole} is missing")
    return whole if ALL and whole.is_file() else ROOT / f"tests/data/real/ipv{family}.txt.xz"


def every(step: int, cases: Sequence[T], first: int = 0) -> Sequence[T]:
    """Returns every `step`-th case, starting at `first`; all cases with FINGERPOST_TESTS=all."""
    return cases if ALL else cases[first % step :: step]


@functools.cache
def loaded(path: str) -> types.CodeType:
    """Returns the compiled code of a tool after importing its modules into this process."""
    sys.path.insert(0, str(Path(path).parent))
    runpy.run_path(path, run_name="loaded")
    return compile(Path(path).read_text(encoding="utf-8"), path, "exec")


def run_tool(
    tool: "str | Path", *words: "str | Path", cwd: "str | Path | None" = None, env: "Mapping[str, str] | None" = None
) -> "subprocess.CompletedProcess[str]":
    """Runs a Python tool as a command in a fork of this process. A new interpreter takes 20 times as long to start."""
    path = str(ROOT / (tool if "/" in str(tool) else f"tools/{tool}"))
    code = loaded(path)
    command = [path, *map(str, words)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                if cwd is not None:
                    os.chdir(cwd)
                if env is not None:
                    os.environ.clear()
                    os.environ.update(env)
                sys.argv = command
                main = sys.modules["__main__"] = types.ModuleType("__main__")
                main.__file__ = path
                exec(code, main.__dict__)
                status = 0
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
                if isinstance(end.code, str):
                    print(end.code, file=sys.stderr)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(command, status, *texts)
