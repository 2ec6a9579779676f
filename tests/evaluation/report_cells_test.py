#!/usr/bin/env python3
"""The cases in which the default scheme is not the fastest: which rows count, and which scheme leads by how much."""

import sys
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "lab"))
from evaluation.report import cells

BASE = {"case": "one", "family": 4, "table": "tier1-v4", "routes": 900, "next_hops": "unmerged", "workload": "match", "threads": 1}


def row(series: str, **more: Any) -> dict[str, Any]:
    return BASE | {"series": series, "mode": "throughput", "batch": 64, "settled": True} | more


def found(rows: list[dict[str, Any]], *more: list[dict[str, Any]]) -> list[cells.Cell]:
    parts = {f"experiment {at}": {"rows": part} for at, part in enumerate([rows, *more])}
    return cells.cells_of({"experiments": parts}, least=2)


class Cells(unittest.TestCase):
    def test_the_faster_scheme_is_named_with_its_lead(self) -> None:
        (cell,) = found([row("packed_leaves", mlps=100.0), row("sail_l", mlps=125.0), row("planb", mlps=50.0)])
        self.assertEqual((cell.fastest, cell.ahead, cell.settled), ("sail_l", 1.25, True))
        self.assertEqual(cells.not_fastest([cell]), [cell])
        self.assertEqual(cell.speeds, ("125 M/s", "100 M/s"))

    def test_ratios_of_interleaved_rounds_count_before_speeds(self) -> None:
        (cell,) = found([row("packed_leaves", mlps=100.0, ratio=2.0), row("sail_l", mlps=125.0, ratio=1.5)])
        self.assertTrue(cell.is_default_fastest)
        self.assertEqual(cells.not_fastest([cell]), [])

    def test_the_time_of_a_lookup_counts_the_other_way_round(self) -> None:
        rows = [row("packed_leaves", mode="latency", batch=1, ns=40.0), row("dxr", mode="latency", batch=1, ns=20.0)]
        (cell,) = found(rows)
        self.assertEqual((cell.fastest, cell.ahead), ("dxr", 2.0))
        self.assertEqual(cell.speeds, ("20.0 ns", "40.0 ns"))
        self.assertEqual(cell.call, "dependent lookups (latency)")

    def test_variants_wrong_answers_other_calls_and_threads_do_not_count(self) -> None:
        own = row("packed_leaves", mlps=100.0)
        for other in (
            row("planb:simd", mlps=200.0),
            row("sail_l", mlps=200.0, wrong=1),
            row("sail_l", mlps=200.0, batch=32),
            row("sail_l", mlps=200.0, threads=2),
            row("sail_l", mlps=200.0, case="another"),
            row("sail_l", mlps=200.0, input="halves"),
        ):
            with self.subTest(other=other):
                self.assertEqual(found([own, other]), [])

    def test_of_several_instruction_sets_the_fastest_counts(self) -> None:
        rows = [row("packed_leaves", mlps=50.0, isa="scalar"), row("packed_leaves", mlps=100.0, isa="avx512"), row("sail_l", mlps=80.0)]
        (cell,) = found(rows)
        self.assertTrue(cell.is_default_fastest)

    def test_the_fuller_of_two_experiments_counts(self) -> None:
        few = [row("packed_leaves", mlps=100.0), row("planb", mlps=50.0)]
        (cell,) = found(few, [row("packed_leaves", mlps=100.0), row("planb", mlps=50.0), row("sail_l", mlps=110.0)])
        self.assertEqual(cell.fastest, "sail_l")

    def test_a_few_schemes_are_no_cell(self) -> None:
        rows = [row(name, mlps=1.0) for name in ("packed_leaves", "planb", "poptrie", "sail_l", "dxr")]
        self.assertEqual(cells.cells_of({"experiments": {"one": {"rows": rows}}}), [])
        self.assertEqual(len(cells.cells_of({"experiments": {"one": {"rows": [*rows, row("lulea", mlps=1.0)]}}})), 1)

    def test_what_did_not_settle_is_told(self) -> None:
        (cell,) = found([row("packed_leaves", mlps=100.0), row("sail_l", mlps=125.0, settled=False)])
        self.assertIs(cell.settled, False)
        (cell,) = found([row("packed_leaves", mlps=100.0), row("sail_l", mlps=125.0, settled=None)])
        self.assertIsNone(cell.settled)

    def test_cells_stand_by_table_workload_and_call(self) -> None:
        rows = [row(name, mlps=1.0, batch=batch, workload=at) for at in ("zipf", "match") for batch in (256, 1) for name in ("packed_leaves", "planb")]
        rows += [row(name, mlps=1.0, family=6, table="tier1-v6") for name in ("packed_leaves", "planb")]
        order = [(cell.family, cell.workload, cell.batch) for cell in found(rows)]
        self.assertEqual(order, [(6, "match", 64), (4, "match", 1), (4, "match", 256), (4, "zipf", 1), (4, "zipf", 256)])
        self.assertEqual(list(cells.by_table(found(rows))), ["tier1-v6: IPv6, 900 routes", "tier1-v4: IPv4, 900 routes"])
        (name,) = cells.by_table(found([one | {"next_hops": "unique"} for one in rows[-2:]]))
        self.assertEqual(name, "tier1-v6: IPv6, 900 routes, next hops unique")

    def test_what_makes_the_number_of_cells_is_told(self) -> None:
        rows = [row(name, mlps=1.0, batch=batch, workload=at) for at in ("zipf", "match") for batch in (1, 8, 64) for name in ("packed_leaves", "planb")]
        rows += [row(name, mlps=1.0, table=table) for table in ("rrc00-19", "rrc00-20") for name in ("packed_leaves", "planb")]
        wanted = "The 8 cells are 6 of a table (2 workloads, 3 kinds of call) and 1 of each of 2 tables (`match`, 64 addresses a call)."
        self.assertEqual(cells.shape_of(found(rows)), f"{wanted} In all tables neighbouring routes always have different next hops.")


if __name__ == "__main__":
    unittest.main()
