#!/usr/bin/env python3
"""Converts the samples of every format of tables (tests/samples) and compares the rows and the messages."""

import os
import subprocess
import sys

from samples import Sample, samples

SHOWN = 5  # messages about malformed lines that the program shows


def faults_of(sample: Sample, options: str, expected: bytes) -> list[str]:
    """Compares one reading; returns what differs."""
    lines = expected.splitlines(keepends=True)
    rows = b"".join(line for line in lines if not line.startswith((b"! ", b"# ")))
    messages = [line[2:].decode().strip() for line in lines if line.startswith(b"! ")]
    if b",network," in lines[0]:  # which CSV cannot have
        rows, messages = b"", ["a column of values is called network"]
    # An empty file is one of MRT messages.
    named = ["--input-format", sample.format] if b"\n# detected: " in b"\n" + expected or not sample.input else []
    command = [os.environ["FINGERPOST"], "convert", "--format", "csv", *named, *options.split(), "-"]
    done = subprocess.run(command, input=sample.input, capture_output=True, check=False)
    said = done.stderr.decode()
    faults = [] if done.returncode == (0 if rows else 1) else [f"exit {done.returncode}: {said}"]
    faults += [] if done.stdout == rows else [f"{done.stdout!r} instead of {rows!r}"]
    shown = messages[:SHOWN] if rows else messages[-1:]
    return faults + [f"{message!r} is not in {said!r}" for message in shown if message not in said]


def main() -> None:
    readings = [(sample, *reading) for sample in samples() for reading in sample.readings]
    faults = [f"{s.format} {s.name} {options}: {fault}" for s, options, output in readings for fault in faults_of(s, options, output)]
    if faults or len(readings) < 300:
        sys.exit("\n".join(faults) + f"\nsamples_test: {len(readings)} readings, {len(faults)} faults")


if __name__ == "__main__":
    main()
