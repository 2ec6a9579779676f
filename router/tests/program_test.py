#!/usr/bin/env python3
"""fingerpost-router as a program: the contents of an installation, and the effect of closed standard streams.

$FINGERPOST_ROUTER is the router, $FINGERPOST_ROUTER_BUILD the build folder of its project.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROUTER = os.environ["FINGERPOST_ROUTER"]
BUILD = os.environ["FINGERPOST_ROUTER_BUILD"]
# The sample configurations are installed too.
INSTALLED = ["bin/fingerpost-router", "lib/systemd/system/fingerpost-router.service", "share/doc/fingerpost/LICENSE"]


def want(condition: bool, words: object) -> None:
    if not condition:
        sys.exit(f"program_test: {words}")


def installation(prefix: Path) -> None:
    done = subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], capture_output=True, text=True, check=False)
    want(done.returncode == 0, done.stderr)
    files = sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file())
    samples = [name for name in files if name.startswith("share/doc/fingerpost/router/") and name.endswith(".toml")]
    want(bool(samples) and files == sorted(INSTALLED + samples), f"installed: {files}")
    done = subprocess.run([prefix / INSTALLED[0], "--version"], capture_output=True, text=True, check=False)
    want(done.returncode == 0 and done.stdout.startswith("fingerpost-router "), done)


def closed_descriptors(folder: Path) -> None:
    for words in ("--version", "--help"):
        done = subprocess.run(["sh", "-c", f'exec "$0" {words} >&-', ROUTER], capture_output=True, text=True)
        want(done.returncode == 1, f"fingerpost-router {words} >&-: {done}")
    # Its configuration is the next file that it opens.
    settings = folder / "router.toml"
    settings.write_text("nonsense = 1\n")
    done = subprocess.run(["sh", "-c", 'exec "$0" --check "$1" <&- >&- 2>&-', ROUTER, settings], capture_output=True)
    want(done.returncode in (1, 2), f"fingerpost-router --check: {done}")
    want(settings.read_text() == "nonsense = 1\n", "messages of the router land in its configuration")


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        installation(Path(name) / "prefix")
        closed_descriptors(Path(name))
    print("program_test: an installation, three runs with closed streams")
    return 0


if __name__ == "__main__":
    sys.exit(main())
