"""Runs `python -m fingerpost` in children of one process, which has already imported everything that takes long.

Its only argument is the number of a socket. Each message contains the arguments and the three standard streams of
a command; each answer is the exit code.
"""

from __future__ import annotations

import gc
import os
import pickle
import socket
import sys
from typing import NoReturn

import pyarrow
import pyarrow.csv
import pyarrow.parquet

import fingerpost._enrich.run  # noqa: F401
from fingerpost.__main__ import main


def run(arguments: list[str], streams: list[int]) -> NoReturn:
    """Runs in the child process."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    code = 1
    try:
        main(arguments)
    except SystemExit as ended:
        code = int(ended.code or 0)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001
        sys.excepthook(*sys.exc_info())
    os._exit(code)


def serve(questions: socket.socket) -> None:
    """Serves commands until the other end is closed."""
    while True:
        words, streams, _, _ = socket.recv_fds(questions, 1 << 16, 3)
        if not words:
            return
        child = os.fork()
        if child == 0:
            questions.close()
            run(pickle.loads(words), streams)
        for stream in streams:
            os.close(stream)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        questions.send(pickle.dumps(code))


if __name__ == "__main__":
    # pyarrow imports pandas for its first array.
    pyarrow.array(["10.0.0.1"])
    # Memory that the garbage collector does not touch stays shared with the children.
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
