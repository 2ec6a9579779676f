"""`python -m fingerpost enrich`: adds matching prefixes and table columns to Parquet, Arrow and CSV files."""

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

from fingerpost import Error, Table, __version__
from fingerpost._enrich import enrich
from fingerpost._enrich.names import read_renamings
from fingerpost._enrich.tables import table_name
from fingerpost._enrich.types import ChoiceError, EnrichReport, unfinished, unfinished_lock

_OK, _FAILED, _USAGE, _BAD_ROWS = 0, 1, 2, 3
# Options of the program `fingerpost enrich` that this command does not support.
_OF_OTHER_ROWS = ("regex", "which", "log_style")
_OF_THE_PROGRAM = (
    *("nest", "where", "count_by", "limit", "join", "on", "input_format", "network", "type"),
    *("routing_table", "aliases", "peer", "skip_bad", "verbose"),
)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command and ends the process with its exit code."""
    options = _parser().parse_args(arguments)
    screen = _Screen(options.output)
    _end_on_signals(screen)
    try:
        _refuse_options_of_the_program(options)
        report = enrich(
            options.files or ["-"],
            options.output,
            _tables(options.table),
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
    """Reports wrong usage in one line, like the program."""

    def error(self, message: str) -> NoReturn:
        """Prints the message and exits with the exit code for wrong usage."""
        _Screen("-").print(message.removeprefix("argument "))
        sys.exit(_USAGE)


def _refuse_options_of_the_program(options: argparse.Namespace) -> None:
    """Raises ChoiceError for options and choices that only the program supports."""
    rows = "rows of columns; use the program `fingerpost enrich` for NDJSON and log lines"
    for name in _OF_OTHER_ROWS:
        if getattr(options, name) is not None:
            raise ChoiceError(f"--{name.replace('_', '-')} does not apply to {rows}")
    for name in _OF_THE_PROGRAM:
        if getattr(options, name) is not None:
            raise ChoiceError(f"--{name.replace('_', '-')}: only the program `fingerpost enrich` has it")
    if options.on_miss == "only":
        raise ChoiceError("--on-miss only: only the program `fingerpost enrich` has this choice")
    if options.on_miss == "keep":
        raise ChoiceError(
            "--on-miss keep does not apply to rows of columns, which must all have the same columns"
        )
    if options.format in ("ndjson", "lines", "log"):
        raise ChoiceError(f"--format {options.format} does not apply to {rows}")


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
    parser = _Parser(
        "python -m fingerpost", description="Longest-prefix match for files of rows", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"fingerpost {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    command = commands.add_parser(
        "enrich",
        help="add the matching prefix and its values to rows of Parquet, Arrow and CSV files",
        description="Add the matching prefix and the columns of tables to rows. Rows stay in order.",
        epilog="Exit codes: 0 success, 1 damaged data or failure, 2 wrong usage, 3 invalid rows.",
        allow_abbrev=False,
    )
    add = command.add_argument
    add("files", nargs="*", metavar="FILE", help="Parquet, Arrow IPC, CSV or TSV files (default: stdin)")
    add(
        "-t",
        "--table",
        action="append",
        required=True,
        metavar="[NAME=]FILE",
        help="an image, or a table in any format that fingerpost reads; may be repeated: columns then begin "
        "with NAME_",
    )
    add("--family", type=_choice("4", "6"), metavar="4|6", help="use only IPv4 or IPv6 routes of the table")
    add("--strict", action="store_true", help="reject prefixes with host bits set")
    add(
        "-f",
        "--field",
        action="append",
        metavar="NAME|N",
        help="column of addresses, by name or by number from 1; may be repeated",
    )
    add("--no-header", action="store_true", help="CSV and TSV: the first row is data, not column names")
    add("--no-quotes", action="store_true", help="CSV and TSV: treat quotes as ordinary characters")
    add("--add", dest="columns", type=_names, help=argparse.SUPPRESS)
    for name in (*_OF_OTHER_ROWS, *_OF_THE_PROGRAM):
        add("--" + name.replace("_", "-"), help=argparse.SUPPRESS)
    add(
        "--columns",
        type=_names,
        metavar="COLUMN,...",
        help="columns to add, in this order: prefix, address, or columns of the table (default: prefix and "
        "all columns)",
    )
    add(
        "--rename",
        action="append",
        default=[],
        type=_renamings,
        metavar="OLD=NEW,...",
        help="rename columns in the output: prefix, address, columns of the table, or columns of the rows by number. "
        "Put a backslash before a comma or = within a name",
    )
    add(
        "--format",
        type=_choice("parquet", "arrow", "csv", "tsv", "ndjson", "lines", "log"),
        metavar="parquet|arrow|csv|tsv",
        help="output format (default: by the suffix of the output, or that of the first input)",
    )
    add("-o", "--output", default="-", metavar="FILE", help="output file, written completely or not at all")
    add(
        "--on-miss",
        default="empty",
        type=_choice("empty", "drop", "keep", "error", "only"),
        metavar="empty|drop|error",
        help="rows without a match: empty columns, no row, or a report and empty columns (default: empty)",
    )
    add(
        "--on-error",
        default="null",
        type=_choice("null", "drop", "fail"),
        metavar="null|drop|fail",
        help="rows with an invalid address: add empty columns or drop the row (both reported, exit code 3), or "
        "stop (default: null)",
    )
    add(
        "--csv-types",
        default="infer",
        type=_choice("infer", "text"),
        metavar="infer|text",
        help="CSV to Parquet or Arrow: infer types from the data, or keep text (default: infer)",
    )
    add(
        "--threads",
        default=0,
        type=_threads,
        metavar="N",
        help="number of threads; 0 means one per core (default: 0)",
    )
    add(
        "--scheme",
        metavar="NAME",
        help=f"lookup scheme; all return the same results (default: {Table[object]().scheme})",
    )
    add("--stats", action="store_true", help="print a summary: rows, matches, speed")
    return parser


if __name__ == "__main__":
    main()
