"""Cells of one width: a database finds the cell of a number by a product, and it is the one that the ends tell."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from treewright.sources.duckdb_source import DUCKDB
from treewright.sources.even_cells import EvenCells, even_cells, even_cells_of
from treewright.sources.questions import Plan
from treewright.sources.sql_text import Statements
from treewright.table.schema import Column, Schema

CELLS = [
    EvenCells(shift=3, first=-20, count=40),
    EvenCells(shift=-4, first=-3, count=7),  # wide ones, zero among their ends: products of tiny numbers are rounded
    EvenCells(shift=-60, first=-1, count=3),
    EvenCells(shift=60, first=-2, count=5),
    EvenCells(shift=-30, first=1_600_000, count=70),  # microseconds of a year
    EvenCells(shift=0, first=2**52, count=4),
]


def odd_numbers(ends: np.ndarray) -> np.ndarray:
    """The ends, their neighbours, and what is far, tiny or infinite."""
    near = [ends, np.nextafter(ends, np.inf), np.nextafter(ends, -np.inf), ends * (1 + 2.0**-52)]
    tiny = [0.0, -0.0, 5e-324, -5e-324, 1e-320, 2.0**-1015, 2.0**-1022, -(2.0**-1022)]
    return np.concatenate([*near, tiny, [1e308, -1e308, np.inf, -np.inf], np.linspace(-9, 9, 50)])


@pytest.mark.parametrize("cells", CELLS)
def test_the_product_tells_the_cell_that_the_ends_tell(cells: EvenCells) -> None:
    ends = cells.ends()
    assert even_cells_of(ends) == cells
    schema = Schema((Column("x", "numeric"),), "y")
    text = Statements(DUCKDB, "t", Plan(schema, "y", None, None, None, {}, (ends,))).cell(0)
    assert "ceil(" in text
    numbers = odd_numbers(ends[:-1])
    given = pa.table({"x0": pa.array([*numbers.tolist(), None], pa.float64())})
    with duckdb.connect() as connection:
        connection.register("given", given)
        found = connection.execute(f"SELECT {text} AS c FROM given").fetchnumpy()["c"]
    assert found[:-1].tolist() == (np.searchsorted(ends, numbers) + 1).tolist()
    assert found[-1] == 0


@pytest.mark.parametrize(
    "sample",
    [
        np.exp(np.arange(4000) / 100),  # most of them beside each other
        np.append(np.zeros(900), np.arange(1, 300.0)),  # one of them very often
        np.append(np.full(50, np.inf), np.arange(100.0)),
        np.array([-1e308, 0.0, 1e308] * 50),
        np.linspace(1e300, 2e300, 400),
        np.linspace(1.0, 1.0 + 1e-14, 400),  # fewer numbers between than cells
    ],
)
def test_numbers_that_crowd_or_lie_too_far_have_no_even_cells(sample: np.ndarray) -> None:
    assert even_cells(np.sort(sample), 64) is None


@pytest.mark.parametrize("few", [3, 8, 64])
def test_even_cells_hold_about_equal_parts(few: int) -> None:
    sample = np.sort(np.random.default_rng(few).normal(5.0, 3.0, 4000))
    cells = even_cells(sample, few)
    assert cells is not None
    assert few <= cells.count <= 2 * few + 2
    assert np.bincount(np.searchsorted(cells.ends(), sample)).max() <= 3 * len(sample) / few
