"""Queries prefixes and lengths a few rows at a time, like DuckDB: by matching first, then by numbered routes."""

from __future__ import annotations

from frame_rows import expected, int_table, texts


def test_batches_answer_as_single_lookups() -> None:
    table = int_table(3000)
    rows = texts(1500)
    # 3,000 routes are numbered after 187 rows without a change. Each change starts the count again.
    for start in range(0, len(rows), 50):
        batch = rows[start : start + 50]
        answer = table.lookup_many(batch, ["prefix", "length"])
        assert answer == {want: expected(table, batch, want) for want in ("prefix", "length")}
        if start % 500 == 450:
            found = table.match(next(row for row in batch if row is not None and row.startswith("10.")))
            assert found is not None
            del table[found[0]]
