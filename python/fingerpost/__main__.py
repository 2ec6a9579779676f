"""`python -m fingerpost`: the commands lookup, enrich, info and convert of the program.

The module contains the program, so that options, messages and formats are the same. Only `enrich` of Parquet and Arrow
files is that of fingerpost.enrich().
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import NoReturn

from fingerpost import Error
from fingerpost._core import run_program
from fingerpost._enrich import enrich
from fingerpost._enrich.kinds import asks_for_columns
from fingerpost._enrich.names import read_renamings
from fingerpost._enrich.tables import table_name
from fingerpost._enrich.types import ChoiceError, EnrichReport, unfinished, unfinished_lock

_OK, _FAILED, _USAGE, _BAD_ROWS = 0, 1, 2, 3
_HELP = """
Parquet and Arrow, which need pyarrow:
  --format parquet|arrow|csv|tsv  Output format (default: by the output's
                                  suffix, or that of the first input)
  --csv-types infer|text          CSV to Parquet or Arrow: infer the types or
                                  keep text (default: infer)
"""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command and ends the process with its exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["enrich"] and asks_for_columns(words[1:], _reads_stdin(words[1:])):
        _enrich_columns(words[1:])
    if run_program is None:
        _Screen("-").print("fingerpost was built without its program, as fmt or nlohmann_json was missing")
        _exit(_FAILED)
    code = run_program([os.fsencode(word) for word in words])
    if words[:1] == ["enrich"] and "--help" in words and code == _OK:
        sys.stdout.write(_HELP)
    _exit(code)


def _reads_stdin(words: Sequence[str]) -> bool:
    try:
        options, _ = _parser().parse_known_args(words)
    except ChoiceError:
        # Reported when the command runs.
        return False
    return not options.files or "-" in options.files


def _enrich_columns(words: Sequence[str]) -> NoReturn:
    """Adds columns to rows of Parquet and Arrow."""
    screen = _Screen("-")
    try:
        options, unknown = _parser().parse_known_args(words)
        tables = _tables(options.table)
        if unknown:
            raise ChoiceError(f"{unknown[0].partition('=')[0]} does not apply to Parquet and Arrow")
        if not options.table:
            raise ChoiceError("enrich: no table; use -t FILE")
    except ChoiceError as error:
        screen.print(error.args[0])
        _exit(_USAGE)
    screen = _Screen(options.output)
    _end_on_signals(screen)
    try:
        report = enrich(
            options.files or ["-"],
            options.output,
            tables,
            options.field or [],
            add=options.columns,
            rename=[pair for pairs in options.rename for pair in pairs],
            format=options.format,
            on_miss=options.on_miss,
            on_error=options.on_error,
            csv_types=options.csv_types,
            no_header=options.no_header,
            no_quotes=options.no_quotes,
            family={None: None, "4": 4, "6": 6}[options.family],
            strict=options.strict,
            scheme=options.scheme,
            threads=options.threads,
            progress=screen.show,
            tell=screen.print,
        )
    except BrokenPipeError:
        # The reader closed the pipe.
        os._exit(_OK)
    except ChoiceError as error:
        screen.print(error.args[0])
        _exit(_USAGE)
    except OSError as error:
        screen.print(f"{error.filename or options.output}: {error.strerror or error}")
        _exit(_FAILED)
    except (Error, ModuleNotFoundError, MemoryError, TypeError, ValueError) as error:
        screen.print(str(error) or type(error).__name__)
        _exit(_FAILED)
    screen.wipe()
    if options.stats:
        screen.print(screen.summary(report))
    _exit(_BAD_ROWS if report.bad or report.refused else _OK)


def _exit(code: int) -> NoReturn:
    """Ends the process without waiting for a thread that reads from a pipe without a writer."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _end_on_signals(screen: _Screen) -> None:
    """Waits for Ctrl-C, SIGTERM and SIGHUP in a thread: signals cannot interrupt some calls of other threads."""
    numbers = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    numbers = {number for number in numbers if signal.getsignal(number) != signal.SIG_IGN}
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)

    def wait() -> None:
        number = signal.sigwait(numbers)
        unfinished_lock.acquire()
        for path in list(unfinished):
            with contextlib.suppress(OSError):
                os.unlink(path)
        screen.wipe()
        # The signal itself ends the process, so that a shell stops its script too.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)
        os.kill(os.getpid(), number)
        os._exit(128 + number)

    threading.Thread(target=wait, daemon=True).start()


class _Screen:
    """Messages and progress on stderr."""

    def __init__(self, output: str) -> None:
        # Rows printed on the terminal show the progress already.
        self._shows = sys.stderr.isatty() and not (output == "-" and sys.stdout.isatty())
        self._start = time.monotonic()
        self._shown_at = self._start
        self._width = 0

    def show(self, report: EnrichReport) -> None:
        """Shows the progress on a terminal, at most four times per second."""
        now = time.monotonic()
        if not self._shows or now - self._shown_at < 0.25:
            return
        self._shown_at = now
        text = f"{report.rows} rows, {self._rate(report):.0f} rows/s"
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def wipe(self) -> None:
        """Clears the progress line."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0

    def print(self, message: str) -> None:
        """Prints a message."""
        self.wipe()
        printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in message)
        sys.stderr.write(f"fingerpost: {printable}\n")

    def summary(self, report: EnrichReport) -> str:
        """Returns the summary that --stats prints."""
        return (
            f"{report.rows} rows: {report.matched} matched, {report.missed} missed, {report.no_address} "
            f"without an address, {report.bad} bad; {time.monotonic() - self._start:.2f} s, "
            f"{self._rate(report):.0f} rows/s"
        )

    def _rate(self, report: EnrichReport) -> float:
        return report.rows / max(time.monotonic() - self._start, 1e-9)


class _Parser(argparse.ArgumentParser):
    """Raises ChoiceError for wrong usage."""

    def error(self, message: str) -> NoReturn:
        """Raises ChoiceError with the message."""
        raise ChoiceError(message.removeprefix("argument "))


def _choice(*names: str) -> Callable[[str], str]:
    """Returns a parser of one of the names. Its message replaces that of argparse."""

    def read(text: str) -> str:
        if text not in names:
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(names)}")
        return text

    return read


def _tables(arguments: Sequence[str]) -> dict[str, str]:
    """Returns the files of tables by name: NAME=FILE. A single table may be named by its file, up to the first dot."""
    tables: dict[str, str] = {}
    for text in arguments:
        name, equals, path = text.partition("=")
        is_word = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
        if not (equals and path and is_word):
            if len(arguments) > 1:
                raise ChoiceError(f"--table: several tables need names; use NAME={text}")
            name, path = table_name(text), text
        if name in tables:
            raise ChoiceError(f"--table: two tables are called {name!r}; use NAME={path}")
        tables[name] = path
    return tables


def _names(text: str) -> list[str]:
    names = text.split(",")
    if not all(names):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty element")
    return names


def _renamings(text: str) -> list[tuple[str, str]]:
    try:
        return read_renamings(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _threads(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) <= 1024):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 1024")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    """Returns the options for Parquet and Arrow. The program has the help."""
    parser = _Parser(add_help=False, allow_abbrev=False)
    add = parser.add_argument
    add("files", nargs="*")
    add("-t", "--table", action="append", default=[])
    add("--family", type=_choice("4", "6"))
    add("--strict", action="store_true")
    add("-f", "--field", action="append")
    add("--no-header", action="store_true")
    add("--no-quotes", action="store_true")
    add("--columns", type=_names)
    add("--rename", action="append", default=[], type=_renamings)
    add("--format", type=_choice("parquet", "arrow", "csv", "tsv"))
    add("-o", "--output", default="-")
    add("--on-miss", default="empty", type=_choice("empty", "drop", "error"))
    add("--on-error", default="null", type=_choice("null", "drop", "fail"))
    add("--csv-types", default="infer", type=_choice("infer", "text"))
    add("--threads", default=0, type=_threads)
    add("--scheme")
    add("--stats", action="store_true")
    return parser


if __name__ == "__main__":
    main()
