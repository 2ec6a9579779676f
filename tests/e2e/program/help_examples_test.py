#!/usr/bin/env python3
"""Checks that no line of help is wider than 80 columns, and runs every example that it shows, as it stands there.

Each example runs in bash, in a temporary folder with the files that examples use. Examples of `router` need a running router and belong
to its tests; those of `replay` are in tests/pages/replay.md, and those of `report` need a run and a Python package.
"""

import gzip
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = Path(os.environ["FINGERPOST"]).resolve()
TABLE = "0.0.0.0/0 192.0.2.1\n10.0.0.0/8 192.0.2.7\n10.1.0.0/16 192.0.2.9\n2001:db8::/32 2001:db8::1\n"
FILES = {
    "table.txt": TABLE,
    "new.txt": TABLE.replace("2.9", "2.8"),
    "a.txt": TABLE,
    "b.txt": TABLE,
    "addresses.txt": "10.1.2.3\n8.8.8.8\n",
    "flows.csv": "src,dst,bytes\n10.1.2.3,10.2.2.2,7\n",
    "access.log": 'host [10.1.2.3]:443 "GET / HTTP/1.1" 200\n',
    "geo.csv": "network,country\n10.0.0.0/8,CH\n",
    "networks.csv": "network,asn,name\n10.0.0.0/8,64500,One\n",
    "rows.json": '{"client":{"ip":"10.1.2.3"}}\n',
    "serve.toml": 'table = "table.txt"\nmax-addresses = 100\n',
    "v4.csv": "network,id\n10.0.0.0/8,7\n",
    "v6.csv": "network,id\n2001:db8::/32,8\n",
    "places.csv": "place_id,country\n7,CH\n",
    "updates.txt": "1 A 10.3.0.0/16 192.0.2.3\n2 W 10.1.0.0/16\n",
}
ELSEWHERE = ("fingerpost router ", "fingerpost replay ", "fingerpost lab report ")
SHELLS = {"completion zsh": "zsh", "completion fish": "fish", "curl ": "curl"}
LEAST = 45
WIDEST = 80


def program(*words: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True, **more)


def commands(words: list[str]) -> list[list[str]]:
    """All commands, including groups: `lab bench lookup`, `lab bench` and `lab`."""
    text = program("help", *words).stdout if words else program("--help").stdout
    part = re.search(r"^(?:Commands:\n|Usage: fingerpost COMMAND ...\n\n)((?:.+\n)+)", text, re.M)
    names = re.findall(r"^(?:  |[A-Z ][a-z ]{8})([a-z]+) ", part[1], re.M) if part else []
    return [one for name in names for one in ([*words, name], *commands([*words, name]))]


def examples(words: list[str]) -> list[str]:
    text = program("help", *words, env={**os.environ, "COLUMNS": "200"}).stdout
    return re.findall(r"^  (\S.*)$", text.partition("Examples:\n")[2], re.M)


def wide_lines(words: list[str]) -> list[str]:
    """Lines of a page of help that are too wide for a terminal."""
    lines = program("help", *words, env={**os.environ, "COLUMNS": str(WIDEST)}).stdout.splitlines()
    return [line for line in lines if len(line) > WIDEST]


def shortened(line: str) -> str:
    """Shortens benchmarks to a moment."""
    if re.search(r"fingerpost lab bench (lookup|update)", line):
        line += " --rounds 1 --round-ms 0.1 --addresses 1000"
        line += " --changes 50 --readers 0" if "bench update" in line else ""
        line += " --family 4" if "--generate" not in line else ""
    return line.replace("strides table.txt", "strides table.txt --family 6")


def fill(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "bin").mkdir()
    (folder / "bin/fingerpost").symlink_to(PROGRAM)
    (folder / "table.txt.xz").write_bytes(lzma.compress(TABLE.encode()))
    (folder / "log.gz").write_bytes(gzip.compress(b'{"client":{"ip":"10.1.2.3"}}\n'))
    program("convert", "--format", "mrt", "-o", "rib.mrt", "table.txt", cwd=folder)
    program("image", "save", "-t", "table.txt", "table.image", cwd=folder)
    # A withdrawal: BGP4MP_MESSAGE_AS4 of a session with 192.0.2.1, with an UPDATE that withdraws 10.0.0.0/8.
    session = bytes([0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 1, 192, 0, 2, 1, 192, 0, 2, 2])
    message = b"\xff" * 16 + bytes([0, 25, 2, 0, 2, 8, 10, 0, 0])
    body = session + message
    (folder / "updates.gz").write_bytes(gzip.compress(bytes([0, 0, 0, 1, 0, 16, 0, 4, 0, 0, 0, len(body)]) + body))


def run(line: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    shell = next((shell for words, shell in SHELLS.items() if words in line and shell != "curl"), "bash")
    options = ["-o", "pipefail"] if shell == "bash" else []
    # zsh users call compinit in a start-up file, so the test does too.
    line = f"autoload -U compinit && compinit -D; {line}" if shell == "zsh" else line
    done = subprocess.run(
        [shell, *options, "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def serve(lines: list[str], folder: Path, environment: dict[str, str]) -> int:
    """The first line that begins with fingerpost starts a server; the others query or stop it."""
    faults = 0
    servers = [line for line in lines if line.startswith("fingerpost ")]
    for line in servers:
        # The port in the examples may be in use.
        line = line.replace("/tmp/fingerpost.sock", "fingerpost.sock")
        line = line if "--http" in line else line + " --http 127.0.0.1:0"
        server = subprocess.Popen(
            ["bash", "-c", "exec " + line], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True
        )
        assert server.stderr is not None
        told = ""
        while "http://" not in told and (read := server.stderr.readline()):
            told += read
        port = re.search(r"http://127\.0\.0\.1:(\d+)", told)
        for other in lines:
            if other in servers or not port or (other.startswith("curl") and not shutil.which("curl")):
                continue
            asked = other.replace(":8080", f":{port[1]}").replace("$(pidof fingerpost)", str(server.pid))
            code, words = run(asked, folder, environment)
            if code != 0 or server.poll() is not None:
                print(f"{asked}: exit {code}: {words}")
                faults += 1
            time.sleep(0.1)
        server.send_signal(signal.SIGTERM)
        if server.wait(30) != 0 or not port:
            print(f"{line}: exit {server.returncode}: {told}{server.stderr.read()}")
            faults += 1
    return faults


def main() -> int:
    ran = faults = 0
    pages = commands([])
    for words in [[], *pages, ["tables"], ["formats"]]:
        for line in wide_lines(words):
            print(f"help {' '.join(words)}: {len(line)} columns: {line}")
            faults += 1
    lines = {tuple(words): examples(words) for words in [*pages, ["tables"]]}
    for words, shown in lines.items():
        if not shown:
            print(f"{' '.join(words)}: no examples")
            faults += 1
        with tempfile.TemporaryDirectory() as name:
            for number, line in enumerate(shown):
                folder = Path(name) / str(number)
                folder.mkdir()
                fill(folder)
                environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
                if line.startswith(ELSEWHERE):
                    continue
                if words == ("serve",):
                    faults += serve(shown, folder, environment)
                    ran += len(shown)
                    break
                if any(word in line and not shutil.which(shell) for word, shell in SHELLS.items()):
                    continue
                code, said = run(shortened(line), folder, environment)
                ran += 1
                if code != 0:
                    print(f"{line}: exit {code}: {said[:500]}")
                    faults += 1
    print(f"{ran} examples of {len(lines)} commands, {faults} faults")
    return 1 if faults or ran < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
