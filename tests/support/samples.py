"""The samples of tests/samples: inputs of every format of tables, and what is read of each."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "samples"


class Sample(NamedTuple):
    format: str
    name: str
    input: bytes
    readings: list[tuple[str, bytes]]  # options, and the output with them


def unescaped(text: bytes) -> bytes:
    return re.sub(rb"\\x(..)", lambda match: bytes([int(match[1], 16)]), text.replace(b"\\\n", b""))


def cases_of(page: Path) -> Iterator[Sample]:
    """Cuts a page: `>>> NAME`, an input, and for each reading `<<< OPTIONS` and its output."""
    for case in re.split(rb"^>>>", page.read_bytes(), flags=re.M)[1:]:
        head, body = case.split(b"\n", 1)
        text, *readings = re.split(rb"^<<<", body, flags=re.M)
        parts = [reading.split(b"\n", 1) for reading in readings]
        outputs = [(options.decode().strip(), output) for options, output in parts]
        yield Sample(page.parent.name, head.decode(), unescaped(text) if head.startswith(b"\\") else text, outputs)


def samples() -> Iterator[Sample]:
    for path in sorted(FOLDER.glob("*/*.in")):
        yield Sample(path.parent.name, path.name, path.read_bytes(), [("", path.with_suffix(".out").read_bytes())])
    for path in sorted(FOLDER.glob("*/*.cases")):
        yield from cases_of(path)


def write_seeds(folder: str) -> None:
    """Writes the inputs as fuzz/table_formats.cpp takes them: the number of the format, a byte of options, the input."""
    names = re.findall(r"DO\((\w+)\)", (FOLDER / "../../io/format/list.hpp").read_text())
    Path(folder).mkdir(parents=True, exist_ok=True)
    for number, sample in enumerate(samples()):
        options = 0x78 if any("--skip-bad" in words for words, _ in sample.readings) else 0x70
        start = bytes([names.index(sample.format.replace("-", "_")) - names.index("text"), options])
        (Path(folder) / f"{sample.format}-{number}").write_bytes(start + sample.input)
