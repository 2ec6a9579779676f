"""Flows and tables for the cluster tests. The rows are reproducible, and tests choose how many they use."""

from __future__ import annotations

import functools
import ipaddress
import os
import random
import secrets
import tempfile
from pathlib import Path

import numpy
import pyarrow
import pyarrow.parquet

import fingerpost

# `make test-cluster` uses millions.
ROWS = int(os.environ.get("FINGERPOST_CLUSTER_ROWS", "40000"))


def make_table(routes: int = 20_000) -> fingerpost.Table[str | dict[str, str]]:
    """Returns a table of IPv4 and IPv6 routes with two columns."""
    choose = random.Random(1)
    rows = {}
    for number in range(routes):
        if number % 2:
            prefix = f"{ipaddress.IPv6Address(0x2001 << 112 | choose.getrandbits(32) << 80)}/{choose.randint(20, 48)}"
        else:
            prefix = f"{ipaddress.IPv4Address(choose.getrandbits(32))}/{choose.randint(8, 28)}"
        rows[prefix] = {
            "country": choose.choice(["de", "jp", "za", ""]),
            "asn": str(choose.randint(1, 70_000)),
        }
    return fingerpost.Table(rows, values=["country", "asn"])


def addresses(rows: int, table: fingerpost.Table[str | dict[str, str]]) -> pyarrow.Array:
    """Returns texts of addresses: most within routes of the table, some null, some that are not addresses."""
    choose = numpy.random.default_rng(2)
    networks = [ipaddress.ip_network(prefix) for prefix in table]
    pool: list[str | None] = []
    for place, noise in zip(
        choose.integers(0, len(networks), 50_000), choose.integers(0, 1 << 30, 50_000), strict=True
    ):
        network = networks[place]
        pool.append(str(network[int(noise) % network.num_addresses]))
    pool += [str(ipaddress.IPv4Address(int(number))) for number in choose.integers(0, 1 << 32, 10_000)]
    pool += [None] * 3_000 + ["10.0.0.256", "", "2001:db8::/32", "example.org"] * 200
    return pyarrow.array(pool, pyarrow.utf8()).take(pyarrow.array(choose.integers(0, len(pool), rows)))


def write_flows(path: Path, rows: int, table: fingerpost.Table[str | dict[str, str]]) -> pyarrow.Table:
    """Writes a Parquet file with the addresses and a number for each row. Returns its contents."""
    flows = pyarrow.table({"row": pyarrow.array(range(rows), pyarrow.int64()), "src": addresses(rows, table)})
    pyarrow.parquet.write_table(flows, path, row_group_size=max(1, rows // 16))
    return flows


def expected(flows: pyarrow.Table, table: fingerpost.Table[str | dict[str, str]]) -> pyarrow.Table:
    """Returns the flows as a single call of lookup_many on this machine enriches them."""
    wants = ["prefix", "country", "asn", "length"]
    answer = table.lookup_many(flows["src"], wants)
    for want, column in zip(wants, answer.flatten(), strict=True):
        flows = flows.append_column(f"src_{want}", column)
    return flows


def start_ray(cores: int, folder: Path) -> None:
    """Starts a local Ray, with the worker processes' temporary files in a folder."""
    import ray

    os.environ["RAY_AUTH_TOKEN_PATH"] = f"{_token_folder().name}/token"
    environment = {"env_vars": {"TMPDIR": str(folder)}}
    ray.init(num_cpus=cores, include_dashboard=False, log_to_driver=False, runtime_env=environment)


@functools.cache
def _token_folder() -> tempfile.TemporaryDirectory[str]:
    """Returns a folder with the token that protects even a local Ray. Without it, Ray would write one to the home
    folder.

    A process keeps the first token that it reads.
    """
    folder = tempfile.TemporaryDirectory(prefix="fp-")
    token = Path(folder.name) / "token"
    token.touch(mode=0o600)
    token.write_text(secrets.token_hex(32))
    return folder
