"""The loadable extension in DuckDB, against single lookups in the tables that its images were saved from.

`make test-duckdb` runs these tests with DuckDB 1 and 2. They need no other packages. FINGERPOST_DUCKDB_EXTENSION is the
path of the extension, by default that of the build.
"""

from __future__ import annotations

import ipaddress
import os
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest

import fingerpost

REPOSITORY = Path(__file__).parents[3]
sys.path.insert(0, str(REPOSITORY / "tests/python/frames"))
from frame_rows import expected, int_table, prefixes, texts  # noqa: E402

EXTENSION = Path(
    os.environ.get("FINGERPOST_DUCKDB_EXTENSION", REPOSITORY / "build/fingerpost.duckdb_extension")
)
if not EXTENSION.exists():
    pytest.skip(f"{EXTENSION} is not built (make duckdb-extension)", allow_module_level=True)

ROWS = texts(5000)
CITIES = ("Bonn", "Llanfairpwllgwyngyll", "", "São Paulo")
TYPES: dict[str, type] = {"city": str, "asn": int, "score": float, "anycast": bool}


def typed_table(count: int = 300) -> fingerpost.Table[Any]:
    """Every column has missing cells."""
    cells = (
        (CITIES[row % 4] if row % 5 else None, row - 9 if row % 7 else None, row / 4, row % 3 == 0)
        for row in range(count)
    )
    return fingerpost.Table(zip(prefixes(count), cells), values=TYPES)


@pytest.fixture
def con(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[duckdb.DuckDBPyConnection]:
    monkeypatch.chdir(tmp_path)
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{EXTENSION}'")
    connection.execute("CREATE TABLE hits (row INTEGER, ip VARCHAR)")
    connection.executemany("INSERT INTO hits VALUES (?, ?)", list(enumerate(ROWS[:500])))
    yield connection
    connection.close()


def saved(table: fingerpost.Table[Any], tmp_path: Path) -> str:
    path = str(tmp_path / "table.image")
    table.save(path)
    return path


def create_macros(con: duckdb.DuckDBPyConnection, path: str, name: str) -> list[str]:
    statements = con.execute("FROM fingerpost_macros(?, ?)", [path, name]).fetchall()
    for (statement,) in statements:
        con.execute(statement)
    return [str(statement).split('"')[1] for (statement,) in statements]


def column(con: duckdb.DuckDBPyConnection, expression: str) -> list[object]:
    return [row[0] for row in con.execute(f"SELECT {expression} FROM hits ORDER BY row").fetchall()]


def one(con: duckdb.DuckDBPyConnection, query: str, *arguments: object) -> object:
    ((value,),) = con.execute(query, *arguments).fetchall()
    return value


def test_macros_answer_as_single_lookups(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    table, rows = typed_table(), ROWS[:500]
    names = create_macros(con, saved(table, tmp_path), "lpm")
    assert names == ["lpm", "lpm_prefix", "lpm_length", *(f"lpm_{name}" for name in TYPES)]
    for want in ("value", "prefix", "length", *TYPES):
        right = expected(table, rows, want)
        assert len(set(map(str, right))) > 2 and None in right
        assert column(con, "lpm(ip)" if want == "value" else f"lpm_{want}(ip)") == right
        if want in TYPES:
            assert column(con, f"lpm(ip).{want}") == right
    sql_types = "typeof(lpm_city('')), typeof(lpm_asn('')), typeof(lpm_score('')), typeof(lpm_anycast(''))"
    assert con.execute(f"SELECT {sql_types}, typeof(lpm_prefix('')), typeof(lpm_length(''))").fetchone() == (
        *("VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"),
        *("VARCHAR", "UTINYINT"),
    )


def test_next_hops(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    table = int_table()
    assert create_macros(con, saved(table, tmp_path), "hop") == ["hop", "hop_prefix", "hop_length"]
    assert column(con, "hop(ip)") == expected(table, ROWS[:500], "value")
    assert one(con, "SELECT typeof(hop(''))") == "UINTEGER"


def test_types_of_addresses(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    table = typed_table()
    create_macros(con, saved(table, tmp_path), "lpm")
    rng = random.Random(3)
    addresses = [ipaddress.IPv4Address(10 << 24 | rng.getrandbits(24)) for _ in range(3000)]
    con.execute("CREATE TABLE forms (row INTEGER, number UINTEGER, bytes BLOB)")
    con.executemany(
        "INSERT INTO forms VALUES (?, ?, ?)",
        [(row, int(a), a.packed) for row, a in enumerate(addresses)] + [(len(addresses), None, None)],
    )
    right = [*expected(table, [str(a) for a in addresses], "asn"), None]
    for form in ("number", "bytes"):
        found = con.execute(f"SELECT lpm_asn({form}) FROM forms ORDER BY row").fetchall()
        assert [value for (value,) in found] == right
    six = ipaddress.ip_address("2001:db8::1")
    assert one(con, "SELECT lpm_prefix(?::BLOB)", [six.packed]) == expected(table, [str(six)], "prefix")[0]
    assert one(con, "SELECT lpm_asn('abc'::BLOB)") is None
    assert one(con, "SELECT lpm_asn(NULL)") is None
    assert one(con, "SELECT lpm_asn(?)", [None]) is None
    assert one(con, f"SELECT lpm_asn('{addresses[0]}'::ENUM ('{addresses[0]}', 'x'))") == right[0]
    # Entries of 13 to 15 bytes are long for DuckDB, but not for std::string.
    entries = [str(a) for a in addresses[:300]] + ["10.100.100.100", "10.100.100.1", "x" * 40]
    con.execute("CREATE TYPE name AS ENUM (" + ", ".join(f"'{entry}'" for entry in dict.fromkeys(entries)) + ")")
    found = con.execute("SELECT lpm_asn(ip::name) FROM (SELECT unnest(?) AS ip)", [[*entries, None]]).fetchall()
    assert [value for (value,) in found] == expected(table, [*entries, None], "asn")
    for wrong, type_name in (("5", "INTEGER"), ("5::BIGINT", "BIGINT"), ("1.5", ""), ("[1]", "")):
        with pytest.raises(duckdb.InvalidInputException, match=f"VARCHAR .*UINTEGER.*BLOB.*, not .*{type_name}"):
            con.execute(f"SELECT lpm_asn({wrong})")


def test_socket_forms_and_mapped_addresses(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    table = fingerpost.Table(
        {"10.0.0.0/8": 1, "2001:db8::/32": 2, "::ffff:192.0.2.0/120": 3, "::/0": 4}, values=int
    )
    path = saved(table, tmp_path)
    rows = ["10.1.2.3:80", "[2001:db8::1]:443", "::ffff:10.1.2.3", "192.0.2.7", "8.8.8.8", "fe80::1%eth0"]
    for row in rows:
        for function, want in (("index", "value"), ("prefix", "prefix"), ("length", "length")):
            right = expected(table, [row], want)[0]
            assert one(con, f"SELECT fingerpost_{function}(?, ?)", [path, row]) == right


def test_more_than_a_chunk_on_threads(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    table = typed_table()
    create_macros(con, saved(table, tmp_path), "lpm")
    con.execute("SET threads = 4")
    con.execute("CREATE TABLE many AS SELECT ip FROM hits, range(100)")
    right: dict[object, int] = {}
    for city in expected(table, ROWS[:500], "city"):
        right[city] = right.get(city, 0) + 100

    def run(_: int) -> dict[object, int]:
        with con.cursor() as cursor:
            return dict(cursor.execute("SELECT lpm_city(ip), count(*) FROM many GROUP BY ALL").fetchall())

    with ThreadPoolExecutor(4) as pool:
        assert all(found == right for found in pool.map(run, range(8)))
    assert one(con, "SELECT count(lpm_prefix(ip)) FROM many") == 100 * sum(
        prefix is not None for prefix in expected(table, ROWS[:500], "prefix")
    )


def test_tables_and_columns_may_differ_by_row(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    typed_table().save(tmp_path / "typed.image")
    fingerpost.Table({"10.0.0.0/8": ("x" * 20,)}, values={"note": str}).save(tmp_path / "note.image")
    cells = zip(ROWS, expected(typed_table(), ROWS, "city"), expected(typed_table(), ROWS, "asn"))
    row, asn = next((row, asn) for row, city, asn in cells if city == CITIES[1] and asn is not None)
    con.execute("CREATE TABLE asked (place INTEGER, path VARCHAR, name VARCHAR, ip VARCHAR, how VARCHAR)")
    con.executemany(
        "INSERT INTO asked VALUES (?, ?, ?, ?, ?)",
        [
            (0, "typed.image", "city", row, "null"),
            (1, "typed.image", "asn", row, "raise"),
            (2, "note.image", "note", "10.0.0.1", "raise"),
            (3, None, "note", "10.0.0.1", "null"),
            (4, "note.image", None, "10.0.0.1", "null"),
            (5, "note.image", "note", None, "raise"),
            (6, "note.image", "note", "bad", "null"),
            (7, "note.image", "note", "bad", None),
        ],
    )
    found = con.execute("SELECT fingerpost_text(path, name, ip, how) FROM asked ORDER BY place").fetchall()
    assert [value for (value,) in found] == [CITIES[1], str(asn), "x" * 20, *[None] * 5]


def test_routes_of_an_image(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    table = typed_table(3000)
    path = saved(table, tmp_path)
    rows = con.execute("FROM read_fingerpost(?)", [path]).fetchall()
    assert rows == [(prefix, *value.values()) for prefix, value in table.items()]
    described = con.execute(f"DESCRIBE FROM read_fingerpost('{path}')").fetchall()
    assert [row[:2] for row in described] == [
        *(("prefix", "VARCHAR"), ("city", "VARCHAR"), ("asn", "BIGINT")),
        *(("score", "DOUBLE"), ("anycast", "BOOLEAN")),
    ]
    assert one(con, f"SELECT count(*) FROM read_fingerpost('{path}') WHERE asn > 100") == sum(
        value["asn"] is not None and value["asn"] > 100 for value in table.values()
    )
    hops = int_table()
    hops.save(tmp_path / "hops.image")
    assert con.execute("FROM read_fingerpost('hops.image')").fetchall() == list(hops.items())


def test_text_that_is_not_utf8(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    table = fingerpost.Table({"10.0.0.0/8": (b"caf\xe9 with a long name".decode(errors="surrogateescape"),)},
                             values={"note": str})
    path = saved(table, tmp_path)
    assert one(con, "SELECT fingerpost_text(?, 'note', '10.0.0.1')", [path]) == "caf\ufffd with a long name"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("fingerpost_text('typed.image', 'cty', '10.0.0.1')", "typed.image has no column 'cty'; did you mean city"),
        ("fingerpost_integer('typed.image', 'city', '10.0.0.1')", "'city' of typed.image has the type text: use"),
        ("fingerpost_text('typed.image', 'city', '10.0.0.1', 'stop')", "on_error='stop': must be 'null' or 'raise'"),
        ("fingerpost_text('typed.image', 'city', 'bad', 'raise')", "'bad' is not an address: "),
        ("fingerpost_index('missing.image', '10.0.0.1')", "missing.image: .*No such file"),
        ("fingerpost_index('other.image', '10.0.0.1')", "other.image: "),
    ],
)
def test_errors_say_what_is_wrong(
    con: duckdb.DuckDBPyConnection, tmp_path: Path, call: str, message: str
) -> None:
    typed_table().save(tmp_path / "typed.image")
    (tmp_path / "other.image").write_bytes(b"text")
    with pytest.raises(duckdb.InvalidInputException, match=message):
        con.execute(f"SELECT {call}")
    with pytest.raises(duckdb.Error, match="missing.image: .*No such file"):
        con.execute("FROM read_fingerpost('missing.image')")
    # The database goes on.
    assert one(con, "SELECT fingerpost_index('typed.image', '192.0.2.1')") is None
