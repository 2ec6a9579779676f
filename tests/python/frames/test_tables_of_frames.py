"""Tables from frames: the same table from pyarrow, Polars and pandas, with types, nulls, ranges and bad rows."""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frame_rows import prefixes

import fingerpost
import fingerpost.pandas
import fingerpost.polars

NETWORKS = prefixes(300)
TYPES = {"asn": int, "lat": float, "eu": bool, "city": str, "kind": str, "none": str}
ROWS: dict[str, list[Any]] = {
    "asn": [None if row % 5 == 0 else row * 1_000_000_007 for row in range(300)],
    "lat": [None if row % 7 == 0 else row / 8 - 3 for row in range(300)],
    "eu": [None if row % 11 == 0 else row % 2 == 0 for row in range(300)],
    "city": [None if row % 3 == 0 else "" if row % 13 == 0 else f"Zürich {row}" for row in range(300)],
    "kind": [("isp", "hosting", None)[row % 3] for row in range(300)],
    "none": [None] * 300,
}
ARROW = pa.table(
    {
        "asn": pa.array(ROWS["asn"], pa.int64()),
        "Prefix": NETWORKS,
        "lat": pa.array(ROWS["lat"], pa.float64()),
        "eu": pa.array(ROWS["eu"], pa.bool_()),
        "city": pa.array(ROWS["city"], pa.string()),
        "kind": pa.array(ROWS["kind"], pa.string()).dictionary_encode(),
        "none": pa.nulls(300),
    }
)
CHUNKS = pa.concat_tables([ARROW[:7], ARROW[7:7], ARROW[7:123], ARROW[123:]])


def polars_frame(table: pa.Table) -> pl.DataFrame:
    # The oldest versions export buffers of texts with the size of the first chunk.
    is_old = tuple(int(part) for part in pl.__version__.split(".")[:2]) < (1, 31)
    frame = pl.from_arrow(table.combine_chunks() if is_old else table, rechunk=False)
    assert isinstance(frame, pl.DataFrame)
    return frame


FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda table: table,
    "record batch": lambda table: table.combine_chunks().to_batches()[0],
    "polars": polars_frame,
    "pandas": lambda table: table.to_pandas(),
    "pandas nullable": lambda table: table.to_pandas().convert_dtypes(),
    "pandas arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
}


def expected() -> fingerpost.Table[Any]:
    routes = zip(NETWORKS, zip(*(ROWS[name] for name in TYPES), strict=True), strict=True)
    return fingerpost.Table(routes, values=TYPES)


@pytest.mark.parametrize("library", FRAMES)
def test_all_columns_with_their_types(library: str) -> None:
    # Doubles of numpy hold fewer integers; pandas has no other type for integers with missing values.
    exact = library != "pandas"
    for whole in (ARROW, CHUNKS):
        table = fingerpost.Table(FRAMES[library](whole if exact else whole.drop_columns("asn")))
        names = [name for name in TYPES if exact or name != "asn"]
        assert table.types == {name: TYPES[name] for name in names}
        for network, row in expected().items():
            assert table[network] == {name: row[name] for name in names}
        assert len(table) == 300
        assert fingerpost.Table.from_arrow(FRAMES[library](whole), network="Prefix").columns == tuple(TYPES)


@pytest.mark.parametrize("library", [name for name in FRAMES if name != "pandas"])
def test_lookups_keep_the_types(library: str) -> None:
    table = fingerpost.Table(FRAMES[library](CHUNKS))
    rows = [str(ipaddress.ip_network(network)[0]) for network in NETWORKS] + [None, "bad", "192.0.2.1"]
    right = [None if row in (None, "bad") else table.lookup(row) for row in rows]
    wants = list(TYPES)
    cells = {name: [None if row is None else row[name] for row in right] for name in wants}
    arrow = table.lookup_many(pa.array(rows), wants)
    kinds = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    assert arrow.type == pa.struct({name: kinds[kind] for name, kind in TYPES.items()})
    series = table.lookup_many(pl.Series(rows), wants).struct.unnest()
    assert series.dtypes == [pl.Int64, pl.Float64, pl.Boolean, pl.String, pl.String, pl.String]
    frame = pd.Series(rows).lpm.lookup(table, wants)
    assert [str(kind) for kind in frame.dtypes][:3] == ["Int64", "Float64", "boolean"]
    for name in wants:
        assert arrow.field(name).to_pylist() == cells[name]
        assert series[name].to_list() == cells[name]
        assert [None if pd.isna(one) else one for one in frame[name]] == cells[name]


def test_values_choose_columns_and_types() -> None:
    table = fingerpost.Table(ARROW, values=["city", "asn"])
    assert table.types == {"city": str, "asn": int}
    frame = pl.DataFrame(
        {"net": ["10.0.0.0/8", "::/0"], "asn": ["64500", None], "lat": [47, 8], "day": [1, 2]}
    )
    table = fingerpost.Table(frame, values={"lat": float, "asn": int})
    assert (table.types, table["10.0.0.0/8"]) == ({"lat": float, "asn": int}, {"lat": 47.0, "asn": 64500})
    assert table["::/0"] == {"lat": 8.0, "asn": None}
    numbers = fingerpost.Table(frame.select("net", "lat"), values=int)
    assert (numbers.value_kind, dict(numbers.items())) == ("int", {"10.0.0.0/8": 47, "::/0": 8})
    with pytest.raises(ValueError, match="asn"):
        fingerpost.Table(frame.with_columns(asn=pl.lit("AS1")), values={"asn": int})
    with pytest.raises(ValueError, match="no column 'country'; columns: net, asn, lat, day"):
        fingerpost.Table(frame, values=["country"])
    with pytest.raises(ValueError, match="values=int: the value of 10.0.0.0/8 is null"):
        fingerpost.Table(frame.select("net", lat=pl.lit(None, pl.Int64)), values=int)
    with pytest.raises(OverflowError, match="values=int: '-1' is not an int from 0 to"):
        fingerpost.Table(frame.select("net", lat=pl.lit(-1)), values=int)
    with pytest.raises(ValueError, match="values=int takes a frame with one column besides the networks"):
        fingerpost.Table(frame, values=int)
    with pytest.raises(TypeError, match="values must be object, int"):
        fingerpost.Table(frame, values="asn")  # type: ignore[call-overload]


def test_ranges_become_prefixes() -> None:
    rng = random.Random(4)
    starts = sorted(rng.sample(range(1 << 24, 1 << 31), 400))
    ends = [rng.randrange(start, after) for start, after in zip(starts, [*starts[1:], 1 << 32], strict=True)]
    names = [f"range {row}" for row in range(400)]
    texts = [[str(ipaddress.IPv4Address(number)) for number in column] for column in (starts, ends)]
    right = {
        str(network): name
        for start, end, name in zip(starts, ends, names, strict=True)
        for network in ipaddress.summarize_address_range(
            ipaddress.IPv4Address(start), ipaddress.IPv4Address(end)
        )
    }
    for frame in (
        pl.DataFrame({"start": texts[0], "end": texts[1], "name": names}),
        pd.DataFrame({"ip_from": starts, "name": names, "ip_to": ends}),
        pa.table(
            {"first_ip": pa.array(starts, pa.uint32()), "last_ip": pa.array(ends, pa.uint32()), "name": names}
        ),
    ):
        assert dict(fingerpost.Table(frame).items()) == right
    odd = pl.DataFrame({"a": texts[0], "b": texts[1], "name": names})
    assert dict(fingerpost.Table(odd, network=["a", "b"]).items()) == right
    bounds = pl.DataFrame({"start": ["10.0.0.0", "10.0.1.0"], "end": ["10.0.0.255", None]})
    with pytest.raises(ValueError, match="row 1: the last address of the range is null"):
        fingerpost.Table(bounds)
    with pytest.raises(ValueError, match="row 0: '10.0.0.9-10.0.0.1'"):
        fingerpost.Table(pl.DataFrame({"start": ["10.0.0.9"], "end": ["10.0.0.1"]}))


def test_an_index_of_networks_and_lengths_beside_them() -> None:
    frame = pd.DataFrame({"asn": [1, 2]}, index=pd.Index(["10.0.0.0/8", "::/0"], name="network"))
    assert dict(fingerpost.Table(frame).items()) == {"10.0.0.0/8": 1, "::/0": 2}
    masks = pa.table({"network": ["10.0.0.0", "10.1.0.0"], "mask": ["255.0.0.0", "255.255.0.0"], "n": [1, 2]})
    assert dict(fingerpost.Table(masks).items()) == {"10.0.0.0/8": 1, "10.1.0.0/16": 2}


def test_what_is_wrong_is_named() -> None:
    good = pa.table({"network": ["10.0.0.0/8", "::/0"], "asn": [1, 2]})
    chunks = pa.concat_tables([good, pa.table({"network": ["11.0.0.0/33"], "asn": [3]})])
    with pytest.raises(ValueError, match="^row 2: '11.0.0.0/33': "):
        fingerpost.Table(chunks)
    with pytest.raises(ValueError, match="^row 1: the network is null"):
        fingerpost.Table(pl.DataFrame({"network": ["10.0.0.0/8", None], "asn": [1, 2]}))
    days = good.append_column("day", pa.array([1, 2], pa.date32()))
    with pytest.raises(TypeError, match="column 'day' has Arrow type date32; a table stores text, integers"):
        fingerpost.Table(days)
    assert fingerpost.Table(days, values=["asn"])["::/0"] == 2
    with pytest.raises(ValueError, match="none of the columns 'a', 'b' has a name such as network"):
        fingerpost.Table(pa.table({"a": ["10.0.0.0/8"], "b": [1]}))
    assert fingerpost.Table(pa.table({"a": ["10.0.0.0/8"], "b": [1]}), network="a")["10.0.0.0/8"] == 1
    with pytest.raises(ValueError, match="no column 'cidr'"):
        fingerpost.Table(good, network="cidr")
    with pytest.raises(ValueError, match="network= names a column of a frame, but routes is dict"):
        fingerpost.Table({}, network="cidr")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="infinite floats"):
        fingerpost.Table(pa.table({"network": ["10.0.0.0/8"], "x": [float("inf")]}))
    assert fingerpost.Table(good[:0]).types == {"asn": int}
    only = fingerpost.Table(good.select(["network"]))
    assert (only.columns, dict(only.items())) == (("next_hop",), {"10.0.0.0/8": None, "::/0": None})


def test_other_mappings_are_routes_as_before() -> None:
    series = pd.Series({"10.0.0.0/8": 1, "::/0": 2})
    assert dict(fingerpost.Table(series).items()) == {"10.0.0.0/8": 1, "::/0": 2}  # type: ignore[call-overload]
    table = expected()
    assert fingerpost.Table(table, values=TYPES) == table


@pytest.mark.parametrize("kind", ["table", "frame"])
def test_anti_joins_keep_the_rows_without_a_match(kind: str) -> None:
    routes = {"10.0.0.0/8": ("office",), "2001:db8::/32": ("lab",)}
    rows = ["10.1.2.3", "192.0.2.1", None, "bad", "2001:db8::1", "::1"]
    kept = [1, 2, 3, 5]
    frame = pl.DataFrame({"ip": rows, "prefix": range(6)})
    data = {"network": list(routes), "name": [row[0] for row in routes.values()], "n": [1, 2]}
    table = fingerpost.Table(routes, values=["name"])
    networks = table if kind == "table" else pl.DataFrame(data)
    found = fingerpost.polars.join_lpm(frame, networks, how="anti")
    assert found.equals(frame[kept])
    lazy = fingerpost.polars.join_lpm(frame.lazy(), networks, how="anti")
    assert lazy.collect().equals(found) and lazy.collect_schema() == frame.schema
    pandas_frame = pd.DataFrame({"ip": rows, "prefix": range(6)}, index=list("abcdef"))
    right = table if kind == "table" else pd.DataFrame(data)
    assert pandas_frame.lpm.join(right, how="anti").equals(pandas_frame.iloc[kept])
    with pytest.raises(ValueError, match="how='anti' adds no columns"):
        fingerpost.polars.join_lpm(frame, networks, how="anti", columns="name")
    with pytest.raises(ValueError, match="how='anti' adds no columns"):
        pandas_frame.lpm.join(right, how="anti", columns="name")


def test_frames_of_networks_keep_integers_and_bool_in_pandas() -> None:
    networks = pd.DataFrame(
        {
            "network": ["10.0.0.0/8"],
            "n": [2**53 + 1],
            "small": pd.array([7], "uint8"),
            "eu": [True],
            "x": [0.5],
        }
    )
    frame = pd.DataFrame({"ip": ["10.0.0.1", "192.0.2.1"]})
    joined = frame.lpm.join(networks, prefix=None)
    assert [str(kind) for kind in joined.dtypes][1:] == ["Int64", "UInt8", "boolean", "float64"]
    assert joined.iloc[0].tolist()[1:] == [2**53 + 1, 7, True, 0.5]
    assert joined.iloc[1, 1:].isna().all()
    assert frame.lpm.join(networks, prefix=None, how="inner").dtypes.equals(joined.dtypes)


@pytest.mark.skipif(pd.__version__ < "3", reason="older versions ask whether a mapping is one first")
def test_map_of_pandas_names_the_lookup() -> None:
    table = fingerpost.Table({"10.0.0.0/8": "office"})
    with pytest.raises(TypeError, match=r"series\.lpm\.lookup\(table\)"):
        pd.Series(["10.0.0.1"]).map(table)


def test_html_of_a_table() -> None:
    table = fingerpost.Table(
        {f"10.{row}.0.0/16": (row, "<b>" if row else None) for row in range(30)}, values={"n": int, "t": str}
    )
    html = table._repr_html_()
    assert "30 IPv4 and 0 IPv6 routes" in html
    assert "<th>prefix</th><th>n</th><th>t</th>" in html
    assert "<td>10.0.0.0/16</td><td>0</td><td></td>" in html
    assert "&lt;b&gt;" in html and "<b>" not in html
    assert html.count("<tr>") == 11 and "and 20 more routes" in html
    one = fingerpost.Table({"::/0": {"a": 1}})._repr_html_()
    assert "<td>{&#x27;a&#x27;: 1}</td>" in one and "more" not in one


def test_numbers_are_read_once_and_follow_the_table(tmp_path: Path) -> None:
    """Few results, many results, new rows afterwards, an image with rows for each family, and a number that is too large."""
    frame = pa.table({"network": NETWORKS, "asn": ROWS["asn"], "lat": ROWS["lat"]})
    table = fingerpost.Table(frame)
    table.save(tmp_path / "t.image")
    rows = [str(ipaddress.ip_network(network)[0]) for network in NETWORKS]

    def check(of: fingerpost.Table[Any], few: int) -> None:
        for count in (few, len(rows), len(rows), few):
            right = [of.lookup(row) for row in rows[:count]]
            chunks = pa.chunked_array([rows[: count // 2], rows[count // 2 : count]])
            for name in ("asn", "lat"):
                assert of.lookup_many(chunks, name).to_pylist() == [
                    None if one is None else one[name] for one in right
                ]
            asn = of.lookup_many(pl.Series(rows[:count]), "asn", default=7).to_list()
            assert asn == [7 if one is None else one["asn"] for one in right]

    check(table, 3)
    check(fingerpost.open(tmp_path / "t.image"), 3)
    for number, network in enumerate(NETWORKS[:200:3]):
        table[network] = {"asn": number, "lat": number / 3}
    check(table, 5)
    table["192.0.2.0/24"] = {"asn": 2**64 - 1, "lat": 0.0}
    check(table, 5)
    with pytest.raises(OverflowError, match="does not fit the Arrow type of its column"):
        table.lookup_many(pa.array(["192.0.2.1"] * 500), "asn")


def test_pandas_looks_up_numbers_with_and_without_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    table = fingerpost.Table(
        {"10.0.0.0/8": (1, "é", 0.5, True), "11.0.0.0/8": (None,) * 4},
        values={"n": int, "t": str, "x": float, "b": bool},
    )
    rows = pd.Series([0x0A000001, 0x0B000001, 0x0C000001], dtype="uint32", index=list("abc"), name="ip")
    wants = ["n", "t", "x", "b", "prefix", "length", "index", "value"]
    found = rows.lpm.lookup(table, wants)
    monkeypatch.setattr(fingerpost.pandas, "_has_arrow", lambda: False)
    plain = rows.lpm.lookup(table, wants)
    pd.testing.assert_frame_equal(found.drop(columns="value"), plain.drop(columns="value"))
    assert list(found["value"])[::2] == list(plain["value"])[::2]
    series = rows.lpm.lookup(table, "t", default="none")
    assert (series.name, series.tolist()[0], series.tolist()[2]) == ("ip", "é", "none")
