#!/usr/bin/env python3
"""`lookup` with several threads: the output, messages and exit code of one thread, answers as soon as lines arrive, and
an end as soon as no answer is needed any more."""

import ipaddress
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from scripts import ALL

PROGRAM = os.environ["FINGERPOST"]
THREADS = (1, 2, 7)
SECONDS = 20
EACH_REPORTED = 5
checks = 0


def want(holds: bool, words: str) -> None:
    global checks
    checks += 1
    if not holds:
        sys.exit(f"lookup_threads_test: {words}")


def write_tables(rng: random.Random) -> None:
    four = [f"{rng.randrange(1, 224)}.{rng.randrange(256)}.0.0/{rng.randrange(4, 17)}" for _ in range(3000)]
    six = [f"2001:{rng.randrange(1, 1 << 16):x}::/{rng.randrange(8, 33)}" for _ in range(1000)]
    nets = list({ipaddress.ip_network(net, strict=False): 0 for net in [*four, *six, "2001:db8:1:2:3:4:5:0/112"]})
    names = ["a" * rng.randrange(1, 40) + '"' * (i % 50 == 0) for i in range(len(nets))]
    quoted = [name.replace('"', '""') for name in names]
    Path("table").write_text("".join(f'{net},"{name}"\n' for net, name in zip(nets, quoted)))
    rows = [f'{net},"{name}",{i}\n' for i, (net, name) in enumerate(zip(nets, quoted))]
    Path("columns").write_text("network,name,asn\n" + "".join(rows))


def line(rng: random.Random) -> str:
    address = ".".join(str(rng.randrange(256)) for _ in range(4))
    six = f"2001:{rng.randrange(1 << 16):x}::{rng.randrange(1 << 16):x}"
    kinds = [address] * 20 + [six] * 10 + [f"{address}:80", f"  {address}\t# note", "# note", "", f"{address}/16", f"{six}/64"]
    kinds += ["10.0.0", "10.0.0.256", "x" * rng.randrange(1, 50), "1.2.3.4 5.6.7.8", "2001:db8:1:2:3:4:5:6", "1::2::3"]
    return rng.choice(kinds) + rng.choice(["\n"] * 9 + ["\r\n"])


def corpus(rng: random.Random, lines: int) -> bytes:
    """Lines with few bad ones at first, and with lines that are too long, one of them for a block."""
    text = [f"{rng.randrange(256)}.0.0.1\n" for _ in range(lines // 2)] + [line(rng) for _ in range(lines // 2)]
    for size in (65_537, 2_000_000):
        text.insert(rng.randrange(len(text)), "y" * size + "\n")
    return b"\xef\xbb\xbf" + "".join(text).encode() + b"10.0.0.1"


def run(words: list[str], data: bytes, threads: int) -> tuple[int, bytes, bytes]:
    """From a file, because the columns of text depend on what arrives together in a pipe."""
    Path("input").write_bytes(data)
    with open("input", "rb") as file:
        done = subprocess.run([PROGRAM, "lookup", "--threads", str(threads), *words], stdin=file, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def same_with_threads(rng: random.Random) -> None:
    data = corpus(rng, 400_000 if ALL else 150_000)
    few = b"".join(data.splitlines(keepends=True)[-3000:])
    forms = [["--format", form, *keep] for form in ("text", "csv", "ndjson") for keep in ([], ["--keep-invalid"])]
    calls = [["-t", table, *form] for table in ("table", "columns") for form in forms]
    calls += [["-t", "table", "--match", match, "--format", "csv"] for match in ("exact", "covering")]
    calls += [["-t", "columns", "--match", "covering", "10.0.0.1", "-", "wrong", "10.0.0.2"]]
    for words in calls:
        right = run(words, data, 1)
        want(right[0] == 3 and len(right[1]) > len(data) / 3, f"{words}: {right[0]}, {len(right[1])} bytes")
        for threads in THREADS[1:]:
            want(run(words, data, threads) == right, f"{words} with {threads} threads is not as with one")
    # Rows of one query may be more than a block.
    right = run(["-t", "table", "--match", "covered"], few, 1)
    want(run(["-t", "table", "--match", "covered"], few, 4) == right, "covered")
    for empty in (b"", b"\n", b"# note"):
        for threads in THREADS:
            want(run(["-t", "table"], empty, threads) == (1, b"", b""), f"{empty} with {threads} threads")


def messages() -> None:
    """Names the lines of the first bad rows of each kind, wherever blocks end."""
    rng = random.Random(3)
    lines = ["10.0.0.1"] * 300_000
    right = []
    for text, reason in (("10.0.0", "the text ends too early"), ("q", "unexpected 'q' at column 1")):
        for number in sorted(rng.sample(range(len(lines)), 9)):
            lines[number] = text
            right.append((number, f"fingerpost: stdin:{number + 1}: '{text}': {reason}"))
    right = [message for _, message in sorted(right[:EACH_REPORTED] + right[9 : 9 + EACH_REPORTED])]
    for threads in THREADS:
        told = run(["-t", "table", "--format", "csv"], "\n".join(lines).encode(), threads)[2].decode().splitlines()
        want([m for m in told if ": stdin:" in m and "further" not in m and "not shown" not in m] == right, f"{threads}: {told}")
        want(told[-1].startswith("fingerpost: 18 invalid addresses (8 not shown"), told[-1])


def start(words: list[str], threads: int) -> subprocess.Popen:
    command = [PROGRAM, *words, "--threads", str(threads)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def slow_pipe() -> None:
    """Each line is answered before the next one is written, also when it arrives in two parts."""
    for words in (["lookup", "-t", "table"], ["lookup", "-t", "table", "--match", "exact"], ["grep", "0.0.0.0/0"]):
        for threads in THREADS:
            process = start(words, threads)
            for i in range(5):
                for part in (f"10.0.{i}".encode(), b".1\n"):
                    process.stdin.write(part)
                    process.stdin.flush()
                    time.sleep(0.02)
                begun = time.monotonic()
                answer = process.stdout.readline()
                want(f"10.0.{i}.1".encode() in answer, f"{words}: {answer!r}")
                want(time.monotonic() - begun < SECONDS, f"{words} answers late")
            process.stdin.close()
            want(process.wait(SECONDS) in (0, 1), f"{words}: exit {process.returncode}")
            process.stdout.close()


def ends_early() -> None:
    """The program ends though its input stays open: at a match with -q, and when its output is closed."""
    for threads in THREADS:
        process = start(["lookup", "-t", "table", "-q"], threads)
        process.stdin.write(b"wrong\n" * 3)
        process.stdin.flush()
        time.sleep(0.1)
        process.stdin.write(b"2001:db8:1:2:3:4:5:6\n")
        process.stdin.flush()
        want(process.wait(SECONDS) == 0, f"-q: exit {process.returncode}")
        process.stdin.close()
        process = start(["lookup", "-t", "table"], threads)
        process.stdin.write(b"10.0.0.1\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(b"10.0.0.1\n" * 1000)
        process.stdin.flush()
        want(process.wait(SECONDS) == 0, f"closed output: exit {process.returncode}")
        process.stdin.close()
        with open("/dev/full", "wb") as full:
            process = subprocess.Popen([PROGRAM, "lookup", "-t", "table"], stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE)
            process.stdin.write(b"10.0.0.1\n")
            process.stdin.flush()
            want(process.wait(SECONDS) == 1, f"full device: exit {process.returncode}")
            want(process.stderr.read() == b"fingerpost: stdout: No space left on device\n", "full device")
            process.stdin.close()


def main() -> int:
    rng = random.Random(11)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_tables(rng)
        same_with_threads(rng)
        messages()
        slow_pipe()
        ends_early()
        os.chdir("/")
    print(f"{checks} checks")
    return 0 if checks > 90 else 1


if __name__ == "__main__":
    sys.exit(main())
