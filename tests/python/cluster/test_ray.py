"""fingerpost.ray on a local Ray with two cores, and so two worker processes."""

from __future__ import annotations

import functools
import gc
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ray.data", reason="ray is not installed: `make test-cluster` installs it")

import pyarrow
import ray
from cluster_data import ROWS, expected, make_table, start_ray, write_flows
from ray.data import Dataset

import fingerpost
import fingerpost.ray
from fingerpost import _cluster

WANTS = ["prefix", "country", "asn", "length"]

# Worker processes cannot import this file, so its functions are pickled by value.
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Starts Ray. Returns the folder in which this node stores images."""
    with tempfile.TemporaryDirectory(prefix="fp-") as temporary:
        start_ray(2, Path(temporary))
        ray.data.DataContext.get_current().enable_progress_bars = False
        yield Path(temporary) / f"fingerpost-ray-{os.getuid()}"
        ray.shutdown()


@pytest.fixture(scope="module")
def table() -> fingerpost.Table[str | dict[str, str]]:
    return make_table()


def from_texts(*texts: str | None) -> Dataset:
    return ray.data.from_arrow(pyarrow.table({"src": pyarrow.array(texts, pyarrow.utf8())}))


def rows_of(dataset: Dataset) -> pyarrow.Table:
    return pyarrow.concat_tables([ray.get(block) for block in dataset.to_arrow_refs()])


def images(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.image"))


def test_parquet_equals_one_machine(
    folder: Path, table: fingerpost.Table[str | dict[str, str]], tmp_path: Path
) -> None:
    flows = write_flows(tmp_path / "flows.parquet", ROWS, table)
    dataset = ray.data.read_parquet(str(tmp_path / "flows.parquet"), override_num_blocks=8)
    enriched = fingerpost.ray.enrich(dataset, table, "src", add=WANTS)
    got = rows_of(enriched).sort_by("row")
    want = expected(flows, table)
    assert want["src_prefix"].null_count < ROWS / 2
    assert got.schema.equals(want.schema)
    assert got.equals(want)


def worker_facts(batch: pyarrow.Table, image: str) -> pyarrow.Table:
    """Returns facts about the worker process: its id, opened images, batches that requested one, and mappings of
    the image."""
    time.sleep(0.2)  # so that one worker cannot take all blocks
    cache = _cluster.open_image.cache_info()
    maps = sum(image in line for line in Path("/proc/self/maps").read_text().splitlines())
    row = {"pid": os.getpid(), "opens": cache.misses, "asked": cache.misses + cache.hits, "maps": maps}
    return pyarrow.Table.from_pylist([row])


def test_each_process_maps_the_image_once_and_the_node_has_it_once(folder: Path) -> None:
    one_route = fingerpost.Table({"10.0.0.0/8": "once"}, values=["name"])
    already = len(images(folder))
    name = _cluster.image_of(one_route).name
    data = ray.data.from_arrow([pyarrow.table({"src": ["10.0.0.1"] * 100})] * 16)
    enriched = fingerpost.ray.enrich(data, one_route, "src", add="name")
    # Runs in the same task as the lookups, and so in the process that made them.
    task = functools.partial(worker_facts, image=name)
    facts = rows_of(enriched.map_batches(task, batch_format="pyarrow", batch_size=None))
    last: dict[int, dict[str, int]] = {}
    for row in facts.to_pylist():
        last[row["pid"]] = max(last.get(row["pid"], row), row, key=lambda one: int(one["asked"]))
    assert len(last) == 2
    before = 1 if already else 0  # if already: the table of the previous test, in the same processes
    assert all(1 <= row["opens"] <= 1 + before for row in last.values())
    assert all(row["maps"] >= 1 for row in last.values())
    assert max(row["asked"] for row in last.values()) > 1
    assert len(images(folder)) == already + 1
    print(f"\n16 blocks, one more image on the node, worker processes: {list(last.values())}")


def test_equal_tables_are_put_once(folder: Path, tmp_path: Path) -> None:
    table = fingerpost.Table({"192.0.2.0/24": "put once"}, values=["name"])
    first = fingerpost.ray.enrich(from_texts("192.0.2.1"), table, "src")
    table.save(tmp_path / "table.image")
    second = fingerpost.ray.enrich(from_texts("192.0.2.2"), tmp_path / "table.image", "src")
    name = _cluster.image_of(table).name
    assert [key for _, key in fingerpost.ray._contents].count(name) == 1
    assert [row["src_name"] for row in first.take_all() + second.take_all()] == ["put once"] * 2
    table["192.0.2.0/24"] = "changed"
    changed = fingerpost.ray.enrich(from_texts("192.0.2.1"), table, "src")
    assert changed.take_all() == [{"src": "192.0.2.1", "src_prefix": "192.0.2.0/24", "src_name": "changed"}]


def test_store_is_freed_with_the_datasets(folder: Path) -> None:
    dataset = fingerpost.ray.enrich(
        from_texts("192.0.2.1"), fingerpost.Table({"192.0.2.0/24": 7}, values=int), "src"
    )
    held = len(fingerpost.ray._contents)
    assert held >= 1
    assert dataset.take_all()[0]["src_value"] == 7
    del dataset
    gc.collect()
    assert len(fingerpost.ray._contents) < held


def test_kinds_of_addresses_and_values(folder: Path) -> None:
    table = fingerpost.Table({"10.0.0.0/8": 4, "2001:db8::/32": 6}, values=int)
    columns = {
        "text": pyarrow.array(["10.0.0.1", None, "bad"]),
        "number": pyarrow.array([0x0A000001, None, 1], pyarrow.uint32()),
        "binary": pyarrow.array([b"\x0a\0\0\1", bytes.fromhex("20010db8" + "00" * 12), None]),
        "entry": pyarrow.array(["10.0.0.1", "10.0.0.1", "11.0.0.1"]).dictionary_encode(),
    }
    dataset: Dataset = ray.data.from_arrow(pyarrow.table(columns))
    for column in columns:
        dataset = fingerpost.ray.enrich(dataset, table, column, add="value")
    got = rows_of(dataset)
    assert got["text_value"].to_pylist() == [4, None, None]
    assert got["number_value"].to_pylist() == [4, None, None]
    assert got["binary_value"].to_pylist() == [4, 6, None]
    assert got["entry_value"].to_pylist() == [4, 4, None]
    assert got["text_value"].type == pyarrow.uint32()


def test_fields_of_structs_and_typed_columns(folder: Path) -> None:
    routes = {
        "network": ["10.0.0.0/8", "11.0.0.0/8"],
        "asn": [2**62, None],
        "score": [0.5, 1.5],
        "on": [None, True],
    }
    table = fingerpost.Table.from_arrow(pyarrow.table(routes))
    addresses = ["10.0.0.1", "bad", "11.0.0.1", None]
    sources = pyarrow.array([{"peer": {"ip": address}} for address in addresses[:3]] + [None])
    dataset: Dataset = ray.data.from_arrow(pyarrow.table({"src": sources, "src.peer": addresses}))
    for column in ("src.peer.ip", "src.peer"):
        dataset = fingerpost.ray.enrich(dataset, table, column)
    got = rows_of(dataset)
    want = table.lookup_many(pyarrow.array(addresses), ["prefix", "asn", "score", "on"])
    for field, values in zip(want.type, want.flatten(), strict=True):
        for column in ("src_peer_ip", "src_peer"):
            assert got[f"{column}_{field.name}"].combine_chunks().equals(values)
    for path in ("src.port", "src.peer.ip.x", "dst.ip"):
        with pytest.raises((TypeError, ValueError), match=f"column '{path}'"):
            fingerpost.ray.enrich(ray.data.from_arrow(pyarrow.table({"src": sources})), table, path)


def test_a_worker_without_the_package_names_itself_and_the_remedy(folder: Path) -> None:
    work = _cluster.Work("none.image", "src", "value", "null")
    content = fingerpost.ray._put(_cluster.image_of(fingerpost.Table({"192.0.2.0/24": "unused"})))
    task = _cluster.portable(fingerpost.ray._add_columns, work, (), hint="Or do", attached=[content])
    elsewhere = ray.remote(runtime_env={"env_vars": {"PYTHONPATH": "/nonexistent"}})(task)
    version = re.escape(fingerpost.__version__)
    told = f"worker .*, does not have fingerpost {version} .*Install it there: .*-m pip install fingerpost=={version}. Or do"
    with pytest.raises(Exception, match=told):
        ray.get(elsewhere.remote(pyarrow.table({"src": ["10.0.0.1"]})))


def test_bad_rows_can_fail_the_run(folder: Path) -> None:
    table = fingerpost.Table({"10.0.0.0/8": "x"})
    good = fingerpost.ray.enrich(from_texts("10.0.0.1", None), table, "src", add="value", on_error="raise")
    assert [row["src_value"] for row in good.take_all()] == ["x", None]
    bad = fingerpost.ray.enrich(from_texts("10.0.0.1", "10.0.0.999"), table, "src", on_error="raise")
    with pytest.raises(Exception, match=r"column 'src': .*10\.0\.0\.999"):
        bad.take_all()


def test_wrong_calls_are_told(folder: Path) -> None:
    table = fingerpost.Table({"10.0.0.0/8": {"country": "de"}}, values=["country"])
    data = from_texts("10.0.0.1")
    with pytest.raises(ValueError, match="no column 'scr'; the columns are src"):
        fingerpost.ray.enrich(data, table, "scr").take_all()
    with pytest.raises(ValueError, match="did you mean country"):
        fingerpost.ray.enrich(data, table, "src", add="contry")
    with pytest.raises(ValueError, match="already a column 'src_country'"):
        twice = fingerpost.ray.enrich(data, table, "src", add="country").materialize()
        fingerpost.ray.enrich(twice, table, "src", add="country").take_all()
    with pytest.raises(TypeError, match="column= takes the name of a column, not int"):
        fingerpost.ray.enrich(data, table, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="image must be text or integers"):
        fingerpost.ray.enrich(data, fingerpost.Table({"10.0.0.0/8": object()}), "src")
    floats = ray.data.from_arrow(pyarrow.table({"src": [1.5]}))
    with pytest.raises(TypeError, match="column 'src': .*utf8"):  # the schema is known, so nothing has to run
        fingerpost.ray.enrich(floats, table, "src")
    unknown = floats.map_batches(lambda batch: batch, batch_format="pyarrow")
    with pytest.raises(Exception, match="column 'src': .*utf8"):
        fingerpost.ray.enrich(unknown, table, "src").take_all()


def test_folder_of_others_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = fingerpost.ray._folder_of_node()
    assert made.stat().st_mode & 0o777 == 0o700
    made.chmod(0o777)
    with pytest.raises(PermissionError, match="only user"):
        fingerpost.ray._folder_of_node()


def test_images_nobody_asks_for_are_removed(tmp_path: Path) -> None:
    for name, age in (("old.image", 2 * 24 * 3600), ("new.image", 60)):
        (tmp_path / name).write_bytes(b"x")
        now = (tmp_path / name).stat().st_mtime
        os.utime(tmp_path / name, (now - age, now - age))
    fingerpost.ray._remove_unused(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["new.image"]
