"""What a basis is: it learns a few numbers from a column, and makes columns of the matrix by them."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from treewright.beside.columns import Floats


class Basis(Protocol):
    """A way to write one column as several."""

    def learn(self, values: Floats, weights: Floats | None) -> Floats:
        """The numbers to keep: knots, centres, means."""
        ...

    def check(self, learnt: Floats) -> None:
        """Refuse with a ValueError numbers that this basis cannot have learnt."""
        ...

    def expand(self, values: Floats, learnt: Floats) -> Floats:
        """The columns: rows × functions."""
        ...

    def labels(self, column: str, learnt: Floats) -> list[str]:
        """What the columns are called."""
        ...


def span_of(values: Floats) -> tuple[float, float]:
    """The least and the greatest value.

    Examples
    --------
    >>> span_of(np.array([3.0, 1.0, 2.0]))
    (1.0, 3.0)
    """
    return float(values.min()), float(values.max())


def weighted_quantiles(values: Floats, weights: Floats | None, shares: Floats) -> Floats:
    """Quantiles as R's `quantile` gives them, a row of weight 2 being as good as two rows.

    Examples
    --------
    >>> weighted_quantiles(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 2.0]), np.array([0.0, 0.5, 1.0]))
    array([1., 3., 4.])
    """
    if weights is None:
        return np.asarray(np.quantile(values, shares))
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weights[order])
    place = np.maximum(ends[-1] - 1.0, 0.0) * shares
    low = np.floor(place)
    places = np.searchsorted(ends, np.array([low, low + 1.0]), side="right")
    below, above = values[order][np.minimum(places, len(values) - 1)]
    return np.asarray(below + (place - low) * (above - below))


def number_text(number: float) -> str:
    """A knot or centre as it stands in a name.

    Examples
    --------
    >>> number_text(35.0), number_text(0.123456)
    ('35', '0.1235')
    """
    return f"{number:.4g}"
