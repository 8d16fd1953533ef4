"""Which columns of a matrix are not sums of those before them: without a penalty only these have a coefficient."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Floats
from treewright.beside.logistic.rows import LogisticRows

_ALIKE = 1e-10  # share of a column's squares that must be left when the columns before it are taken away


def independent_columns(rows: LogisticRows) -> NDArray[np.bool_]:
    """Tell for each column whether it says something that the constant and the columns before it do not say, as in R.

    Examples
    --------
    >>> table = np.array([[1.0, 2.0, 5.0], [2.0, 4.0, 5.0], [4.0, 8.0, 5.0], [0.0, 0.0, 5.0]])
    >>> independent_columns(LogisticRows(table, np.zeros(4), None, 2))
    array([ True, False, False])
    """
    products, first = np.zeros((rows.width, rows.width)), int(rows.intercept)
    for part, block in rows.blocks():
        products += block.T @ (block if rows.weights is None else block * rows.weights[part][:, None])
    return _pivots(products)[first:]


def _pivots(products: Floats) -> NDArray[np.bool_]:
    """Eliminate column after column; one that has nothing left is passed over."""
    left, kept = products.copy(), np.zeros(len(products), dtype=bool)
    whole = np.diagonal(products).copy()
    for j in range(len(left)):
        if left[j, j] > _ALIKE * whole[j] and whole[j] > 0:
            kept[j] = True
            row = left[j] / left[j, j]
            left -= np.outer(left[:, j], row)
    return kept
