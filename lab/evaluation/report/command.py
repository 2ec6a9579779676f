"""`report`: renders one to three results as one HTML file."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from .. import experiments, results
from . import model, page
from .drawing import MissingPackage, converter

DEFAULT_NAME = "report.html"
MOST_RESULTS = 3


def write(path: Path, text: str) -> None:
    """Replaces a file completely, or leaves the old one unchanged."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}.", encoding="utf-8", delete=False) as file:
        other = Path(file.name)
        try:
            file.write(text)
            file.close()
            other.chmod(0o666 & ~umask())
            os.replace(other, path)
        except BaseException:
            other.unlink(missing_ok=True)
            raise


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="fingerpost lab report", description="Renders results of the evaluation as one HTML file.")
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS", help="results folder or results.json; up to three are compared side by side")
    parser.add_argument("-o", "--output", type=Path, help=f"the file (default: {DEFAULT_NAME} in the folder of the first results)")
    parser.add_argument("--experiments", type=Path, default=experiments.DECLARED, help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if len(arguments.results) > MOST_RESULTS:
        parser.error(f"at most {MOST_RESULTS} results can be compared side by side: {len(arguments.results)} given")
    first = arguments.results[0]
    output = arguments.output or (first if first.is_dir() else first.parent) / DEFAULT_NAME
    try:
        converter()
        text = page.render(model.read(arguments.results, arguments.experiments))
    except MissingPackage as error:
        print(f"fingerpost lab report: {error}", file=sys.stderr)
        return 2
    except (results.ResultsError, experiments.ExperimentError) as error:
        print(f"fingerpost lab report: {error}", file=sys.stderr)
        return 1
    try:
        write(output, text)
    except OSError as error:
        print(f"fingerpost lab report: {output}: {error.strerror}", file=sys.stderr)
        return 1
    print(output)
    return 0
