"""Tables to train other libraries on, and rows that lie exactly at the cuts of their trees and one step beside them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

Cuts = Iterable[tuple[int, float]]


def training_table(seed: int, rows: int = 220, holes: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of many sizes with ties and holes, and a score that depends on them."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.normal(size=rows).round(2),
            rng.integers(-2, 6, rows).astype(float),
            np.exp(rng.normal(scale=6, size=rows)),
            rng.choice([0.0, 0.1, 0.2, 0.3, 1e-40, -1e-40], rows),
            rng.integers(2**24 - 8, 2**24 + 8, rows).astype(float),  # whole numbers that single precision runs out of
        ]
    )
    score = X[:, 0] + 0.3 * X[:, 1] + 0.2 * np.log(X[:, 2]) + X[:, 3] + 0.1 * (X[:, 4] % 7)
    X[rng.random(X.shape) < holes] = np.nan
    return X, score + rng.normal(scale=0.5, size=rows)


def around(cut: float) -> list[float]:
    """The cut, its neighbours in double and in single precision, and what lies half way between the latter."""
    with np.errstate(over="ignore", under="ignore"):
        single = np.float32(cut)
        steps = [np.nextafter(single, np.float32(-np.inf)), single, np.nextafter(single, np.float32(np.inf))]
    middles = [float(a) / 2 + float(b) / 2 for a, b in pairwise(steps)]
    near = [float(cut), *map(float, steps), *middles]
    return [step for x in near for step in (np.nextafter(x, -np.inf), x, np.nextafter(x, np.inf))]


def rows_at_cuts(X: np.ndarray, cuts: Cuts, seed: int, most: int = 4000, missing: bool = True) -> np.ndarray:
    """Rows of the table, each with one number at or beside a cut of its column, or with an odd number or none."""
    rng = np.random.default_rng(seed)
    wanted = [(column, value) for column, cut in sorted({*cuts}) for value in around(cut)]
    odd = [0.0, -0.0, 1e-45, -1e-45, 1e-36, -1e-36, 1e30, -1e30, *([np.nan] if missing else [])]
    wanted += [(column, value) for column in range(X.shape[1]) for value in odd]
    wanted = [(column, value) for column, value in wanted if np.isnan(value) or abs(value) < 1e31]
    if len(wanted) > most:
        wanted = [wanted[i] for i in rng.choice(len(wanted), most, replace=False)]
    rows = X[rng.integers(0, len(X), len(wanted))].copy()
    for row, (column, value) in zip(rows, wanted, strict=True):
        row[column] = value
    return rows
