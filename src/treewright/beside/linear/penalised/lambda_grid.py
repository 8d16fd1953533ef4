"""The λ that are tried: as given, or evenly spread in powers from the greatest one downwards."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.beside.columns import Floats
from treewright.beside.linear.penalised.penalty import Penalty
from treewright.beside.linear.penalised.quadratic import Quadratic
from treewright.errors import DataError

_RIDGE_DECADES = 1e-7  # where no λ makes all coefficients 0, the grid reaches further on both sides


def lambda_grid(lambdas: Any, ratio: float | None, penalty: Penalty, quadratic: Quadratic) -> Floats:
    """Give the λ from large to small.

    Examples
    --------
    >>> from treewright.beside.linear.penalised.quadratic import ProductQuadratic
    >>> quadratic = ProductQuadratic(np.eye(2), np.array([2.0, 0.5]), 5.0)
    >>> lambda_grid(4, 1e-3, Penalty(1.0), quadratic).round(3)
    array([2.   , 0.2  , 0.02 , 0.002])
    >>> lambda_grid([0.1, 3.0], None, Penalty(1.0), quadratic)
    array([3. , 0.1])
    """
    if isinstance(lambdas, int | np.integer):
        top = penalty.greatest(quadratic)
        if not 0 < top < np.inf:
            raise DataError(
                f"For q={penalty.q:g} and a target of this size the lambdas to try are beyond the range of numbers. "
                "Multiply the target so that its spread is near 1, or give lambdas."
            )
        reach = ratio or (1e-3 if penalty.q <= 1 and penalty.l1_ratio > 0 else _RIDGE_DECADES)
        return np.geomspace(top, top * reach, int(lambdas)) if lambdas > 1 else np.array([top * reach])
    return read_lambdas(lambdas)


def read_lambdas(lambdas: Any) -> Floats:
    """Read λ that were given, and put them in order.

    Examples
    --------
    >>> read_lambdas([1.0, -1.0])
    Traceback (most recent call last):
    treewright.errors.DataError: lambdas holds -1.0. Every lambda is a finite number of 0 or more.
    """
    try:
        found = np.array(lambdas, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise DataError("lambdas is a number of lambdas to try, or a list of them.") from None
    if not len(found):
        raise DataError("lambdas is empty. Give some lambdas to try, or their number.")
    wrong = ~(found >= 0) | np.isinf(found)
    if wrong.any():
        raise DataError(f"lambdas holds {found[wrong][0]}. Every lambda is a finite number of 0 or more.")
    return np.asarray(np.unique(found)[::-1])
