"""`python -m fingerpost enrich`: adds prefixes and columns of tables to Parquet, Arrow and CSV files."""

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
# Options of the program `fingerpost enrich` that are not options here.
_OF_OTHER_ROWS = ("regex", "which", "log_style")
_OF_THE_PROGRAM = (
    *("nest", "where", "count_by", "limit", "join", "on", "input_format", "network", "type"),
    *("routing_table", "aliases", "peer", "skip_bad", "verbose"),
)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command and ends the process with its exit code."""
    options = _parser().parse_args(arguments)
    screen = _Screen(options.output)
    _end_by_signals(screen)
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
            tell=screen.tell,
        )
    except BrokenPipeError:
        # The reader of the output has gone.
        os._exit(_OK)
    except ChoiceError as error:
        screen.tell(error.args[0])
        _exit(_USAGE)
    except OSError as error:
        screen.tell(f"{error.filename or options.output}: {error.strerror or error}")
        _exit(_FAILED)
    except (Error, ModuleNotFoundError, MemoryError, TypeError, ValueError) as error:
        screen.tell(str(error) or type(error).__name__)
        _exit(_FAILED)
    screen.wipe()
    if options.stats:
        screen.tell(screen.sum_of(report))
    _exit(_BAD_ROWS if report.bad or report.refused else _OK)


def _exit(code: int) -> NoReturn:
    """Ends the process without waiting for a thread that reads from a pipe without a writer."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _end_by_signals(screen: _Screen) -> None:
    """Lets a thread wait for Ctrl-C, SIGTERM and SIGHUP: the others may be in calls that no signal ends."""
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
        # Ended by the signal itself, so that a shell ends its script too.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)
        os.kill(os.getpid(), number)
        os._exit(128 + number)

    threading.Thread(target=wait, daemon=True).start()


class _Screen:
    """Messages and progress on stderr."""

    def __init__(self, output: str) -> None:
        # Where rows go to the terminal they are what shows progress.
        self._shows = sys.stderr.isatty() and not (output == "-" and sys.stdout.isatty())
        self._begun = time.monotonic()
        self._shown_at = self._begun
        self._width = 0

    def show(self, report: EnrichReport) -> None:
        """Shows how far the run is, some times a second, on a terminal."""
        now = time.monotonic()
        if not self._shows or now - self._shown_at < 0.25:
            return
        self._shown_at = now
        words = f"{report.rows} rows, {self._rate(report):.0f} rows/s"
        sys.stderr.write("\r" + words.ljust(self._width))
        sys.stderr.flush()
        self._width = len(words)

    def wipe(self) -> None:
        """Takes the progress off the terminal."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0

    def tell(self, message: str) -> None:
        """Writes a message."""
        self.wipe()
        printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in message)
        sys.stderr.write(f"fingerpost: {printable}\n")

    def sum_of(self, report: EnrichReport) -> str:
        """Returns the words of --stats."""
        return (
            f"{report.rows} rows: {report.matched} matched, {report.missed} missed, {report.no_address} "
            f"without an address, {report.bad} bad; {time.monotonic() - self._begun:.2f} s, "
            f"{self._rate(report):.0f} rows/s"
        )

    def _rate(self, report: EnrichReport) -> float:
        return report.rows / max(time.monotonic() - self._begun, 1e-9)


class _Parser(argparse.ArgumentParser):
    """Tells wrong usage as the program does, in one line."""

    def error(self, message: str) -> NoReturn:
        """Ends the process with the exit code of wrong usage."""
        _Screen("-").tell(message.removeprefix("argument "))
        sys.exit(_USAGE)


def _refuse_options_of_the_program(options: argparse.Namespace) -> None:
    """Options for rows without columns: the program has them, and here they would do nothing."""
    rows = "rows of columns; the program `fingerpost enrich` reads NDJSON and log lines"
    for name in _OF_OTHER_ROWS:
        if getattr(options, name) is not None:
            raise ChoiceError(f"--{name.replace('_', '-')} does not apply to {rows}")
    for name in _OF_THE_PROGRAM:
        if getattr(options, name) is not None:
            raise ChoiceError(f"--{name.replace('_', '-')}: is an option of the program `fingerpost enrich`")
    if options.on_miss == "only":
        raise ChoiceError("--on-miss only: is a choice of the program `fingerpost enrich`")
    if options.on_miss == "keep":
        raise ChoiceError("--on-miss keep does not apply to rows of columns, which all have the same columns")
    if options.format in ("ndjson", "lines", "log"):
        raise ChoiceError(f"--format {options.format} does not apply to {rows}")


def _choice(*names: str) -> Callable[[str], str]:
    """Returns what reads one of some words; `argparse` has other words for others."""

    def read(text: str) -> str:
        if text not in names:
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(names)}")
        return text

    return read


def _tables(given: Sequence[str]) -> dict[str, str]:
    """Returns files of tables by name: NAME=FILE, or of one alone the name of the file up to the first dot."""
    tables: dict[str, str] = {}
    for text in given:
        name, equals, path = text.partition("=")
        is_word = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
        if not (equals and path and is_word):
            if len(given) > 1:
                raise ChoiceError(f"--table: several tables need names; name it: NAME={text}")
            name, path = table_name(text), text
        if name in tables:
            raise ChoiceError(f"--table: two tables are called {name!r}; name them: NAME={path}")
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
        "python -m fingerpost", description="Longest-prefix match for files of rows.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"fingerpost {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    command = commands.add_parser(
        "enrich",
        help="add the matching prefix and its columns to rows of Parquet, Arrow and CSV files",
        description="Adds the matching prefix and the columns of tables to rows, which stay in order.",
        epilog="Exit codes: 0 done, 1 damaged data or a failure, 2 wrong usage, 3 some rows were bad.",
        allow_abbrev=False,
    )
    add = command.add_argument
    add("files", nargs="*", metavar="FILE", help="Parquet, Arrow IPC, CSV or TSV; - or none: stdin")
    add(
        "-t",
        "--table",
        action="append",
        required=True,
        metavar="[NAME=]FILE",
        help="an image or a table of any format that fingerpost reads; several may be given, whose columns "
        "then begin with NAME_",
    )
    add("--family", type=_choice("4", "6"), metavar="4|6", help="read only routes of this family")
    add("--strict", action="store_true", help="refuse prefixes with bits set past their length")
    add(
        "-f",
        "--field",
        action="append",
        metavar="NAME|N",
        help="the column with the address, by its name or its number from 1; may be given several times",
    )
    add("--no-header", action="store_true", help="of CSV and TSV: the first row is one like all others")
    add("--no-quotes", action="store_true", help="of CSV and TSV: a quote is a character like any other")
    add("--add", dest="columns", type=_names, help=argparse.SUPPRESS)
    for name in (*_OF_OTHER_ROWS, *_OF_THE_PROGRAM):
        add("--" + name.replace("_", "-"), help=argparse.SUPPRESS)
    add(
        "--columns",
        type=_names,
        metavar="COLUMN,...",
        help="what is added, in this order: prefix, address, columns of the table; without it the prefix "
        "and all of them",
    )
    add(
        "--rename",
        action="append",
        default=[],
        type=_renamings,
        metavar="OLD=NEW,...",
        help="other names in what is written: for prefix, address or a column of the table, or for a column of the rows "
        "by its number; of two equal ones the command's own is meant; a backslash stands before a comma or = within a name",
    )
    add(
        "--format",
        type=_choice("parquet", "arrow", "csv", "tsv", "ndjson", "lines", "log"),
        metavar="parquet|arrow|csv|tsv",
        help="of the rows written; else the suffix of the output tells, or without one the first input",
    )
    add("-o", "--output", default="-", metavar="FILE", help="written whole or not at all; - or none: stdout")
    add(
        "--on-miss",
        default="empty",
        type=_choice("empty", "drop", "keep", "error", "only"),
        metavar="empty|drop|error",
        help="rows without a match: empty columns, no row, or as empty and told as bad (default: empty)",
    )
    add(
        "--on-error",
        default="null",
        type=_choice("null", "drop", "fail"),
        metavar="null|drop|fail",
        help="rows with a field that is no address: empty columns, no row (both told, exit code 3), or the "
        "end (default: null)",
    )
    add(
        "--csv-types",
        default="infer",
        type=_choice("infer", "text"),
        metavar="infer|text",
        help="of CSV that becomes Parquet or Arrow: types by what columns hold, or all text (default: infer)",
    )
    add(
        "--threads",
        default=0,
        type=_threads,
        metavar="N",
        help="that look up; 0 is one for each core (default: 0)",
    )
    add(
        "--scheme",
        metavar="NAME",
        help=f"what looks up; all schemes give the same answers (default: {Table[object]().scheme})",
    )
    add("--stats", action="store_true", help="tell at the end how many rows matched, and how fast it was")
    return parser


if __name__ == "__main__":
    main()
