"""The tables of the grid: the same hidden rule in four forms, with a share of the answers redrawn.

The rule has steps, products and a pair of columns that count only together, on columns of several distributions;
nothing that an engine was made on has it. Numbers come out of sums and products alone, so their bits are the same on
every processor.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.data import Data, Table
from benchmarks.grid.cells import Cell

COLUMNS = 20
TEST_ROWS = 5_000
MIXED_LEVELS = (2, 3, 5, 12, 40)
MISSING_SHARE = 0.05


def make(cell: Cell) -> Data:
    """Draw the table of a cell.

    >>> data = make(Cell("tree", 7, 0.1, 500, "mixed"))
    >>> data.X.shape, data.X_test.shape, int(data.y.max())
    ((500, 20), (5000, 20), 6)
    """
    rng = np.random.default_rng([cell.rows, cell.target, round(cell.noise * 100)])
    everything = _columns(rng, cell.rows + TEST_ROWS)
    y = _answers(rng, everything, cell)
    X = _in_form(rng, everything, cell.form)
    learnt, tested = slice(0, cell.rows), slice(cell.rows, None)
    if isinstance(X, pd.DataFrame):
        rest = X.iloc[tested].reset_index(drop=True)
        return Data(X.iloc[learnt].reset_index(drop=True), y[learnt], rest, y[tested])
    return Data(np.ascontiguousarray(X[learnt]), y[learnt], np.ascontiguousarray(X[tested]), y[tested])


def _columns(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Give columns that are even, heavy at one end, in clumps, or depend on their neighbour."""
    even = rng.random((rows, COLUMNS))
    columns = even.copy()
    columns[:, 5:10] = 1 / (1.02 - even[:, 5:10])  # a long tail
    columns[:, 10:15] = np.floor(even[:, 10:15] * 8) + rng.random((rows, 5)) ** 2  # clumps
    columns[:, 15:] = columns[:, :5] * 0.7 + even[:, 15:] * 0.3
    return columns


def _answers(rng: np.random.Generator, columns: np.ndarray, cell: Cell) -> np.ndarray:
    rows = len(columns)
    low, tail, clump = columns[:, :5], columns[:, 5:10], np.floor(columns[:, 10:15])
    slope = 3 * low[:, 0] * low[:, 1] + 2 * (low[:, 2] > 0.35) + np.minimum(tail[:, 0], 5) * 0.4
    together = np.where((clump[:, 0] + clump[:, 1]) % 2 == 0, 1.5, 0.0) + 0.3 * clump[:, 2]
    other = (tail[:, 1] > 2) * (low[:, 3] - 0.5) * 4 + 2 * (low[:, 4] - 0.5) * (low[:, 0] > 0.5)
    value = slope + together + other
    if cell.target == 0:
        drawn = rng.standard_normal(rows) * cell.noise * 2 * value.std()
        return np.asarray((value + drawn).round(6))
    y = _classes(_shares(value), _shares(together + 2 * low[:, 3] + 0.2 * low[:, 1]), cell.target)
    drawn_anew = rng.random(rows) < cell.noise
    y[drawn_anew] = rng.integers(0, cell.target, drawn_anew.sum())
    return y.astype(np.int32)


def _shares(values: np.ndarray) -> np.ndarray:
    """Give the share of rows that are below each."""
    return np.asarray(np.argsort(np.argsort(values, kind="stable"), kind="stable") / len(values))


def _classes(first: np.ndarray, second: np.ndarray, n_classes: int) -> np.ndarray:
    """Cut the first value into strips of equal size; where there are many classes, each strip in two by the second."""
    halves = 2 if n_classes > 10 else 1
    strips = (first * (n_classes // halves)).astype(int)
    return strips * halves + (second * halves).astype(int)


def _in_form(rng: np.random.Generator, columns: np.ndarray, form: str) -> Table:
    if form == "float32":
        return columns.astype(np.float32)
    if form == "float64":
        return columns
    if form == "integers":
        return np.minimum(np.floor(columns * 12), 100).astype(np.int32)
    return _mixed(rng, columns)


def _mixed(rng: np.random.Generator, columns: np.ndarray) -> pd.DataFrame:
    """Give half of the columns as numbers with holes, a quarter as whole numbers, a quarter as levels."""
    frame: dict[str, object] = {}
    for index in range(COLUMNS):
        values = columns[:, index]
        if index % 4 < 2:
            holes = rng.random(len(values)) < MISSING_SHARE
            frame[f"number{index}"] = np.where(holes, np.nan, values)
        elif index % 4 == 2:
            frame[f"count{index}"] = np.minimum(np.floor(values * 12), 100).astype(np.int32)
        else:
            levels = MIXED_LEVELS[index // 4]
            ranks = (np.argsort(np.argsort(values)) * levels // len(values)).astype(np.int32)
            names = [f"level{level:02d}" for level in rng.permutation(levels)]
            frame[f"level{index}"] = pd.Categorical.from_codes(ranks, names)
    return pd.DataFrame(frame)
