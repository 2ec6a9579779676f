"""Nothing is printed on stderr about objects that still hold a table when the interpreter ends."""

from __future__ import annotations

import subprocess
import sys

import pytest

HELD = {
    "a global of the program": "",
    "a daemon thread": """
import threading, time
ready = threading.Event()
def hold(table):
    ready.set()
    while True:
        time.sleep(3600)
threading.Thread(target=hold, args=(table,), daemon=True).start()
ready.wait()
""",
    "a function of C": """
import ctypes
ctypes.pythonapi.Py_IncRef(ctypes.py_object(table))
""",
    "an expression of Polars": """
import polars as pl, fingerpost.polars
query = pl.LazyFrame({"ip": ["10.1.2.3"]}).select(fingerpost.polars.lookup("ip", table))
assert query.collect().item() == "a"
""",
    "a function of DuckDB": """
import duckdb, fingerpost.duckdb
con = duckdb.connect()
fingerpost.duckdb.register(con, table)
assert con.sql("SELECT lpm('10.1.2.3')").fetchall() == [("a",)]
""",
    "a statement of DuckDB": """
import duckdb, fingerpost.duckdb
con = duckdb.connect()
fingerpost.duckdb.register(con, table)
rows = con.execute("SELECT lpm('10.1.2.3'), unnest(range(100000))")
assert rows.fetchone() == ("a", 0)
""",
}


@pytest.mark.parametrize("holder", HELD)
def test_nothing_is_said_at_the_end(holder: str) -> None:
    for library in ("DuckDB", "Polars"):
        if library in holder:
            pytest.importorskip(library.lower())
    code = (
        'import fingerpost\ntable = fingerpost.Table({"10.0.0.0/8": "a"})\niterator = iter(table.items())\n'
        + HELD[holder]
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
