"""Results as cuDF Series."""

from __future__ import annotations

from typing import Any

from fingerpost._cuda.values import Cells


def series_of_numbers(like: Any, next_hops: Any) -> Any:
    """Returns next hops as a Series with the index and the name of the addresses."""
    import cudf

    return cudf.Series(next_hops, index=like.index, name=like.name)


def series_of_cells(like: Any, cells: Cells, next_hops: Any) -> Any:
    """Returns the cells for next hops of IPv4 as a Series with the index of the addresses; text is categorical.

    Addresses without a route and missing cells are null.
    """
    import cudf
    import cupy
    import numpy
    import pyarrow

    # The last row, a null, belongs to addresses without a route.
    items = numpy.concatenate([cells.items, cells.missing])
    column = pyarrow.array(items, mask=~numpy.append(cells.valid, False))
    if cells.categories is not None:
        texts = pyarrow.array(cells.categories, pyarrow.string())
        column = pyarrow.DictionaryArray.from_arrays(column, texts)
    series = cudf.Series.from_arrow(column).take(cupy.minimum(next_hops, len(cells.items)))
    series.index = like.index
    return series.rename(like.name)
