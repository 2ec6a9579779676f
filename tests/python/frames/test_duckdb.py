"""fingerpost.duckdb compared with single lookups: types, NULL, invalid texts, threads, new tables, and refused
calls."""

from __future__ import annotations

import doctest
import gc
import ipaddress
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from frame_rows import COLUMNS, expected, int_table, row_table, texts

import fingerpost
import fingerpost.duckdb
from fingerpost.duckdb import register, unregister

ROWS = texts(5000)


# From DuckDB 2 on, functions are native in memory, and in Python in a file.
@pytest.fixture(params=["memory", "file"])
def con(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect(":memory:" if request.param == "memory" else str(tmp_path / "file.db"))
    connection.register(
        "rows_in_python", pa.table({"row": range(len(ROWS)), "ip": pa.array(ROWS, pa.string())})
    )
    connection.execute("CREATE TABLE hits AS SELECT * FROM rows_in_python")
    yield connection
    connection.close()


def column(con: duckdb.DuckDBPyConnection, expression: str) -> list[object]:
    return [row[0] for row in con.execute(f"SELECT {expression} FROM hits ORDER BY row").fetchall()]


def one(con: duckdb.DuckDBPyConnection, query: str) -> object:
    ((value,),) = con.execute(query).fetchall()
    return value


def max_of_structs(con: duckdb.DuckDBPyConnection) -> object:
    return one(con, "SELECT max(lpm(ip)) FROM hits")


def is_in_memory(con: duckdb.DuckDBPyConnection) -> bool:
    return one(con, "SELECT path FROM duckdb_databases() WHERE database_name = current_database()") is None


def test_functions_are_native_from_duckdb_2_on(con: duckdb.DuckDBPyConnection) -> None:
    is_native = is_in_memory(con) and not duckdb.__version__.startswith(("0.", "1."))
    tables = [int_table(), row_table(), fingerpost.Table({"10.0.0.0/8": ("a", 1)}, values={"x": str, "y": int})]
    for number, table in enumerate(tables):
        names = register(con, table, f"t{number}")
        register(con, table, f"v{number}", volatile=True)
        rows = con.execute("SELECT function_name, function_type FROM duckdb_functions()").fetchall()
        kinds = {name: kind for name, kind in rows if name in names}
        # A STRUCT comes from Python.
        assert kinds == {
            name: "macro" if is_native and (number == 0 or name != f"t{number}") else "scalar" for name in names
        }
        for name in names:
            volatile = "v" + name[1:]
            assert column(con, f"{name}(ip)") == column(con, f"{volatile}(ip)")
            assert one(con, f"SELECT typeof({name}(''))") == one(con, f"SELECT typeof({volatile}(''))")


def test_opened_images(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    for table in (int_table(), row_table()):
        table.save(tmp_path / "table.image")
        for name in register(con, fingerpost.open(tmp_path / "table.image")):
            want = name[len("lpm_") :] or "value"
            assert column(con, f"{name}(ip)") == expected(table, ROWS, want)


def test_rows_are_added_while_threads_look_up(con: duckdb.DuckDBPyConnection) -> None:
    table = fingerpost.Table({"10.0.0.0/8": ("first",)}, values=["note"])
    register(con, table)
    con.execute("SET threads = 4")
    con.execute("CREATE TABLE many AS SELECT '10.0.0.' || (row % 250) AS ip FROM hits, range(40)")
    stop = threading.Event()

    def change() -> None:
        number = 0
        # Without a pause, this thread holds the GIL most of the time, and the table grows all the while.
        while not stop.wait(0.0002):
            number += 1
            table["10.0.0.0/8"] = (f"a note with the number {number}",)

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(5):
            notes = con.execute("SELECT DISTINCT lpm_note(ip), lpm_prefix(ip) FROM many").fetchall()
            assert all(prefix == "10.0.0.0/8" and ("note" in note or note == "first") for note, prefix in notes)
    finally:
        stop.set()
        changer.join()


def test_the_example_of_the_module() -> None:
    result = doctest.testmod(fingerpost.duckdb)
    assert result.failed == 0
    assert result.attempted > 4


def test_functions_answer_as_single_lookups(con: duckdb.DuckDBPyConnection) -> None:
    table = int_table()
    assert register(con, table) == ("lpm", "lpm_prefix", "lpm_length")
    for function, want in (("lpm", "value"), ("lpm_prefix", "prefix"), ("lpm_length", "length")):
        right = expected(table, ROWS, want)
        assert None in right and len(set(right)) > 3
        assert column(con, f"{function}(ip)") == right
    types = con.execute("SELECT typeof(lpm('')), typeof(lpm_prefix('')), typeof(lpm_length(''))").fetchone()
    assert types == ("UINTEGER", "VARCHAR", "UTINYINT")


def test_rows_have_a_function_for_each_column_and_a_struct(con: duckdb.DuckDBPyConnection) -> None:
    table = row_table()
    assert register(con, table, "geo") == ("geo", "geo_prefix", "geo_length", "geo_country", "geo_asn")
    assert column(con, "geo(ip)") == expected(table, ROWS, "value")
    for name in COLUMNS:
        right = expected(table, ROWS, name)
        assert column(con, f"geo_{name}(ip)") == right
        assert column(con, f"geo(ip).{name}") == right
    unnested = con.execute("SELECT unnest(geo(ip)) FROM hits ORDER BY row")
    assert [field[0] for field in unnested.description or ()] == list(COLUMNS)
    assert [row[1] for row in unnested.fetchall()] == expected(table, ROWS, "asn")
    assert register(con, table, "part", columns=["asn"]) == ("part", "part_prefix", "part_length", "part_asn")


def test_a_column_named_as_an_answer_is_in_the_struct(con: duckdb.DuckDBPyConnection) -> None:
    table = fingerpost.Table({"10.0.0.0/8": ("a", "b")}, values=["prefix", "note"])
    assert register(con, table) == ("lpm", "lpm_prefix", "lpm_length", "lpm_note")
    assert con.execute("SELECT lpm_prefix('10.0.0.1'), lpm('10.0.0.1').prefix").fetchone() == (
        "10.0.0.0/8",
        "a",
    )


def test_values_that_are_objects(con: duckdb.DuckDBPyConnection) -> None:
    for values, name in ((["a", "b"], "VARCHAR"), ([1, -2], "BIGINT"), ([1.5, 2], "DOUBLE")):
        table = fingerpost.Table(zip(["10.0.0.0/8", "10.1.0.0/16"], values))
        register(con, table)
        found = con.execute("SELECT lpm('10.0.0.1'), lpm('10.1.0.1'), typeof(lpm(''))").fetchall()
        assert found == [(*values, name)]
    with pytest.raises(TypeError, match="are objects, and {} has type dict"):
        register(con, fingerpost.Table({"10.0.0.0/8": {}}))
    assert one(con, "SELECT lpm('10.0.0.1')") == 1.5


def test_types_of_addresses(con: duckdb.DuckDBPyConnection) -> None:
    table = int_table()
    register(con, table)
    address = ipaddress.ip_address("10.1.2.3")
    right = table.lookup(address)
    assert right is None or isinstance(right, int)
    table["10.1.2.3"] = 77
    assert one(con, f"SELECT lpm({int(address)}::UINTEGER)") == 77
    assert con.execute("SELECT lpm(?::BLOB)", [address.packed]).fetchone() == (77,)
    assert one(con, "SELECT lpm(ip) FROM (SELECT '10.1.2.3'::ENUM ('10.1.2.3', 'x') AS ip)") == 77
    # The first versions cannot pass an untyped NULL.
    if not duckdb.__version__.startswith(("1.0.", "1.1.")):
        assert one(con, "SELECT lpm(NULL)") is None
    assert one(con, "SELECT lpm(NULL::BLOB)") is None
    for wrong in (str(int(address)), "1.5", "[1]", "1::HUGEINT"):
        with pytest.raises(duckdb.InvalidInputException, match=r"an address is VARCHAR .*UINTEGER.*\), not "):
            con.execute(f"SELECT lpm({wrong})")
    with pytest.raises(duckdb.Error, match=r"lpm takes one argument|Macro lpm\(\) does not support"):
        con.execute("SELECT lpm('10.0.0.1', 'asn')")


def test_in_where_group_by_join_and_window(con: duckdb.DuckDBPyConnection) -> None:
    table = row_table()
    register(con, table)
    countries = expected(table, ROWS, "country")
    grouped = con.execute("SELECT lpm_country(ip) AS country, count(*) FROM hits GROUP BY country").fetchall()
    assert dict(grouped) == {country: countries.count(country) for country in set(countries)}
    assert one(con, "SELECT count(*) FROM hits WHERE lpm_country(ip) = 'C3'") == countries.count("C3")
    joined = "SELECT count(*) FROM hits JOIN (SELECT 'C3' AS country) ON lpm_country(ip) = country"
    assert one(con, joined) == countries.count("C3")
    window = "max(lpm_length(ip)) OVER (PARTITION BY row % 5)"
    lengths = [
        length or 0 for length in expected(table, ROWS, "length") if length is None or isinstance(length, int)
    ]
    assert column(con, window) == [max(lengths[row % 5 :: 5]) for row in range(len(ROWS))]
    assert con.execute("SELECT lpm(ip), lpm_prefix(ip) FROM hits WHERE false").fetchall() == []


def test_threads_and_cursors(con: duckdb.DuckDBPyConnection) -> None:
    table = int_table()
    register(con, table)
    right = sum(value for value in expected(table, ROWS, "value") if isinstance(value, int))
    con.execute("SET threads = 4")
    con.execute("CREATE TABLE many AS SELECT ip FROM hits, range(60)")
    assert one(con, "SELECT sum(lpm(ip)) FROM many") == right * 60

    def run(_: int) -> object:
        with con.cursor() as cursor:
            return one(cursor, "SELECT sum(lpm(ip)) FROM many")

    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            table["192.0.2.0/24"] = 0
            table.pop("192.0.2.0/24")

    changer = threading.Thread(target=change)
    changer.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(run, range(8))) == {right * 60}
    finally:
        stop.set()
        changer.join()


def test_changes_of_the_table_are_seen(con: duckdb.DuckDBPyConnection) -> None:
    table = fingerpost.Table({"10.0.0.0/8": 1}, values=int)
    register(con, table)
    register(con, table, "live", volatile=True)
    con.execute(
        "PREPARE of_rows AS SELECT lpm(ip) FROM (SELECT '10.0.0.' || row AS ip FROM hits WHERE row = 1)"
    )
    con.execute("PREPARE of_constants AS SELECT live('10.0.0.1')")
    assert one(con, "EXECUTE of_rows") == one(con, "EXECUTE of_constants") == 1
    table["10.0.0.0/8"] = 2
    assert one(con, "SELECT lpm('10.0.0.1')") == 2
    assert one(con, "EXECUTE of_constants") == 2


def test_a_new_table_takes_the_place_of_the_old_one(con: duckdb.DuckDBPyConnection) -> None:
    old = int_table()
    register(con, old)
    cursor = con.cursor()
    cursor.execute("PREPARE number AS SELECT max(lpm(ip)) FROM hits")
    assert one(cursor, "EXECUTE number") == max(
        value for value in expected(old, ROWS, "value") if isinstance(value, int)
    )
    register(con, fingerpost.Table({"10.0.0.0/8": 7}, values=int))
    assert one(cursor, "EXECUTE number") == 7
    assert register(con, row_table(), "LPM")[-1] == "LPM_asn"
    assert one(con, "SELECT count(lpm_asn(ip)) FROM hits") == len(ROWS) - expected(old, ROWS, "value").count(
        None
    )
    # DuckDB either plans the statement again with the current functions, or runs it with the removed ones.
    try:
        assert one(cursor, "EXECUTE number") == max_of_structs(con)
    except duckdb.InvalidInputException as why:
        assert "the table of lpm was unregistered" in str(why)


def test_unregister_lets_go_of_the_table(con: duckdb.DuckDBPyConnection) -> None:
    class Watched(fingerpost.Table):  # type: ignore[type-arg]
        pass

    table = Watched({"10.0.0.0/8": 1}, values=int)
    gone = weakref.ref(table)
    register(con, table)
    cursor = con.cursor()
    cursor.execute("PREPARE number AS SELECT max(lpm(ip)) FROM hits")
    unregister(con)
    del table
    gc.collect()
    assert gone() is None
    with pytest.raises(duckdb.CatalogException, match="lpm does not exist"):
        con.execute("SELECT lpm('10.0.0.1')")
    with pytest.raises(duckdb.Error, match="unregistered|does not exist"):
        cursor.execute("EXECUTE number")
    with pytest.raises(
        ValueError, match="no functions 'lpm' are registered on this connection; registered: none"
    ):
        unregister(con)


def test_bad_rows_can_raise(con: duckdb.DuckDBPyConnection) -> None:
    register(con, int_table(), on_error="raise")
    with pytest.raises(duckdb.InvalidInputException, match="'bad' is not an address"):
        con.execute("SELECT lpm('bad')")
    register(con, int_table())
    assert one(con, "SELECT lpm('bad')") is None


def test_errors_name_what_is_wrong_and_change_nothing(con: duckdb.DuckDBPyConnection) -> None:
    table = int_table()
    register(con, table)
    with pytest.raises(TypeError, match=r"con= takes a DuckDB connection .*, not str"):
        register("con", table)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"table= takes a fingerpost\.Table, not dict"):
        register(con, {})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a name of letters, digits"):
        register(con, table, "l p m")
    with pytest.raises(ValueError, match="the database already has a function 'lower'"):
        register(con, table, "lower")
    with pytest.raises(ValueError, match="the database already has a function 'lpm.*another connection"):
        register(con.cursor(), table)
    with pytest.raises(
        ValueError, match="columns= has 'asm', but the columns of the table are: country, asn"
    ):
        register(con, row_table(), columns=["asm"])
    with pytest.raises(ValueError, match="'asn' and 'ASN' of the table have the same name in SQL"):
        register(con, fingerpost.Table(values=["asn", "ASN"]))
    with pytest.raises(ValueError, match="on_error='stop'"):
        register(con, table, on_error="stop")  # type: ignore[arg-type]
    con.create_function("lpm_asn", lambda x: x, ["VARCHAR"], "VARCHAR")
    with pytest.raises(ValueError, match="the database already has a function 'lpm_asn'"):
        register(con, row_table())
    assert column(con, "lpm(ip)") == expected(table, ROWS, "value")
