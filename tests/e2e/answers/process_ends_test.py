#!/usr/bin/env python3
"""How the program starts and ends: with closed descriptors 0 to 2, and with signals while it writes a file.

In every case the file is complete, old or new, and no temporary file remains next to it.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
# Commands that write a file named `out`.
WRITERS = {
    "aggregate": ["aggregate", "-t", "table", "-o", "out"],
    "convert": ["convert", "-o", "out", "table"],
    "convert to CSV": ["convert", "--format", "csv", "-o", "out", "table"],
    "convert to MRT": ["convert", "--format", "mrt", "--next-hop", "192.0.2.1", "-o", "out", "table"],
    "convert to an image": ["convert", "--format", "image", "-o", "out", "table"],
    "diff": ["diff", "-o", "out", "empty", "table"],
    "generate": ["lab", "generate", "--shares", "tier1-v4", "--routes", "{routes}", "-o", "out"],
    "image save": ["image", "save", "-t", "table", "out"],
    "replay": ["replay", "-t", "table", "-o", "out", "updates"],
}
# Commands that write to standard output.
PRINTERS = [
    ["--version"],
    ["--help"],
    ["schemes"],
    ["completion", "bash"],
    ["lookup", "-t", "table", "10.0.0.1"],
    ["info", "-t", "table"],
    ["enrich", "-t", "table", "-f", "1", "--no-header", "--format", "csv", "rows"],
    ["explain", "-t", "table", "10.0.0.1"],
    *([*words[: words.index("-o")], *words[words.index("-o") + 2 :]] for words in WRITERS.values() if "image" not in words and words[0] not in {"convert", "replay"}),
]  # fmt: skip
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
runs = 0


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"process_ends_test: {words}")


def run(words: list[str], closing: str = "") -> subprocess.CompletedProcess:
    """Runs the program. `closing` closes descriptors with shell syntax."""
    global runs
    runs += 1
    command = ["sh", "-c", f'exec "$0" "$@" {closing}', PROGRAM, *words]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def hidden() -> list[str]:
    return [name for name in os.listdir(".") if name.startswith(".fingerpost-")]


def write_tables(routes: int) -> None:
    """Creates the inputs. The table's prefixes have host bits, so that the commands print notes."""
    lines = [f"{10 + i // 65536}.{i // 256 % 256}.{i % 256}.1/{24 + i % 2} 192.0.2.{i % 7}" for i in range(routes)]
    Path("table").write_text("".join(f"{line}\n" for line in lines))
    Path("empty").write_text("# no routes\n")
    Path("rows").write_text("10.0.0.1\n")
    Path("updates").write_text("A 10.1.0.0/16 192.0.2.1\n")


def filled(words: list[str], routes: int) -> list[str]:
    return [word.format(routes=routes) for word in words]


def closed_descriptors() -> None:
    write_tables(100)
    for name, words in WRITERS.items():
        words = filled(words, 100)
        done = run(words)
        want(done.returncode == 0, f"{name}: exit {done.returncode}: {done.stderr}")
        whole = Path("out").read_bytes()
        want(len(whole) > 100, f"{name} wrote {len(whole)} bytes")
        for closing in ("2>&-", "<&-", "<&- 2>&-") + (() if words[0] == "replay" else (">&-", "<&- >&- 2>&-")):
            Path("out").write_bytes(b"old")
            done = run(words, closing)
            want(done.returncode == 0, f"{name} {closing}: exit {done.returncode}: {done.stderr}")
            written = Path("out").read_bytes()
            # Images and MRT files contain the time of their creation.
            same = len(written) == len(whole) if "image" in name or "MRT" in name else written == whole
            want(same, f"{name} {closing} wrote {written[:200]!r}")
            want(not hidden(), f"{name} {closing} leaves {hidden()}")
    for words in PRINTERS:
        words = filled(words, 100)
        done = run(words, ">&-")
        said = done.stderr.splitlines()
        want(done.returncode == 1 and said[-1:] == ["fingerpost: stdout: Bad file descriptor"], f"{words}: {done}")
        done = run(words, ">&- 2>&-")
        want((done.returncode, done.stdout, done.stderr) == (1, "", ""), f"{words}: {done}")
    Path("out").write_bytes(b"old")
    for words in (["convert", "-o", "out", "-"], ["lookup", "-t", "table"], ["lookup", "-t", "-", "10.0.0.1"]):
        done = run(words, "<&-")
        want(done.returncode == 1 and "stdin: Bad file descriptor" in done.stderr, f"{words} <&-: {done}")
    want(Path("out").read_bytes() == b"old" and not hidden(), "an input that cannot be read replaces the output")


def end_while_writing(words: list[str], number: signal.Signals, ignored: bool, whole: int) -> bool:
    """Sends the signal as soon as a temporary file exists. Returns False when the command was too fast.

    `whole` is the size of the command's output. When a signal arrives between renaming and exit, the new file exists.
    """
    global runs
    runs += 1
    Path("out").write_bytes(b"old")
    before = f"trap '' {number.name.removeprefix('SIG')}; " if ignored else ""
    process = subprocess.Popen(["sh", "-c", f'{before}exec "$0" "$@"', PROGRAM, *words], stderr=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while not hidden():
        if process.poll() is not None:
            return False
        want(time.monotonic() < end, f"{words}: no temporary file")
    process.send_signal(number)
    code = process.wait(120)
    want(not hidden(), f"{words}, {number.name}: {hidden()} stays")
    if ignored:
        want(code == 0 and Path("out").stat().st_size > 1000, f"{words}: exit {code} although {number.name} is ignored")
        return True
    if code == 0:
        return False
    want(code == -number, f"{words}, {number.name}: exit {code}")
    found = Path("out").read_bytes()
    want(found == b"old" or len(found) == whole, f"{words}, {number.name}: the file has {len(found)} bytes of {whole}")
    return found == b"old"


def signals() -> None:
    routes = 200_000
    write_tables(routes)
    for index, (name, words) in enumerate(WRITERS.items()):
        done = run(filled(words, routes))
        want(done.returncode == 0, f"{name}: exit {done.returncode}: {done.stderr}")
        whole = Path("out").stat().st_size
        # One command runs with all signals. With the others this would take as long and find the same.
        numbers = SIGNALS if name == "generate" else [SIGNALS[index % len(SIGNALS)]]
        for number in numbers:
            hit = any(end_while_writing(filled(words, routes), number, False, whole) for _ in range(50))
            want(hit, f"{name} was never caught in the middle of writing")
    for number in SIGNALS:
        hit = any(end_while_writing(filled(WRITERS["generate"], routes), number, True, 0) for _ in range(50))
        want(hit, "generate was never caught in the middle of writing")
    Path("out").write_bytes(b"old")
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 64; exec "$0" "$@"', PROGRAM, *WRITERS["convert"]], capture_output=True, text=True
    )
    want(done.returncode == 1 and "out: File too large" in done.stderr, f"a limit of files: {done}")
    want(Path("out").read_bytes() == b"old" and not hidden(), f"a limit of files leaves {hidden()}")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        closed_descriptors()
        signals()
    print(f"process_ends_test: {runs} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
