"""Out of bag: what each training row is answered by the trees that did not see it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class OutOfBag:
    """The answers for every row, added up tree by tree.

    Examples
    --------
    >>> out = OutOfBag(n_rows=2, n_outputs=1)
    >>> out.add(np.array([True, False]), np.array([[3.0], [9.0]]))
    >>> out.add(np.array([True, False]), np.array([[5.0], [9.0]]))
    >>> out.means()[:, 0]
    array([ 4., nan])
    """

    def __init__(self, n_rows: int, n_outputs: int) -> None:
        self.sums = np.zeros((n_rows, n_outputs))
        self.trees = np.zeros(n_rows, dtype=np.int64)

    def add(self, is_out: NDArray[np.bool_], answers: Floats) -> None:
        """Add what one tree says of the rows that it did not see."""
        self.sums[is_out] += answers[is_out]
        self.trees += is_out

    @property
    def known(self) -> NDArray[np.bool_]:
        """The rows that some tree did not see."""
        return self.trees > 0

    def means(self) -> Floats:
        """The mean answer for each row; NaN where every tree saw it."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.sums / self.trees[:, None])

    def accuracy(self, truth: NDArray[np.int32], weights: Floats | None) -> float:
        """The share of the known rows for which the largest sum is that of the true class."""
        right = (self.sums.argmax(axis=1) == truth)[self.known]
        return float(np.average(right, weights=self._weights(weights))) if self._counts(weights) else float("nan")

    def explained(self, truth: Floats, weights: Floats | None) -> float:
        """The share of the variance of the known rows that the mean answers explain (R squared)."""
        if not self._counts(weights):
            return float("nan")
        y, of, answers = truth[self.known], self._weights(weights), self.means()[self.known, 0]
        spread = np.average((y - np.average(y, weights=of)) ** 2, weights=of)
        left = np.average((y - answers) ** 2, weights=of)
        return float(1 - left / spread) if spread > 0 else float(left == 0)

    def tell_gaps(self) -> None:
        """Warn where rows have no answer."""
        gaps = int(np.count_nonzero(~self.known))
        if gaps:
            warnings.warn(
                f"{gaps:,} of {len(self.trees):,} rows are in the bag of every tree and have no out-of-bag answer. "
                "Grow more trees, or draw fewer rows for each (max_samples).",
                UserWarning,
                stacklevel=5,
            )

    def _weights(self, weights: Floats | None) -> Floats | None:
        return None if weights is None else weights[self.known]

    def _counts(self, weights: Floats | None) -> bool:
        """Whether any row with an answer has weight."""
        return bool(self.known.any() if weights is None else (weights[self.known] > 0).any())


def check_answers(fitted: Mapping[str, Any], name: str, n_dimensions: int) -> None:
    """Refuse with a ValueError answers out of bag, read from a file, that are none.

    Examples
    --------
    >>> check_answers({"oob_prediction_": np.zeros(3)}, "oob_prediction_", 1)
    """
    answers = fitted.get(name)
    if answers is not None and (answers.dtype != np.float64 or answers.ndim != n_dimensions):
        raise ValueError("its answers out of bag are no table of numbers")
