"""What is known of rows by class before their numbers are added up: weights, levels, the ends of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.sums_by_class import RowsByClass
from treewright.learners.base.whole_sums import Floats, Whole, weight_sums


@dataclass(frozen=True)
class Tallies:
    """Sums of weights as whole numbers (`weight_sums`), and the smallest and largest number of each numeric column.

    `weight` is that of each class, `known` of the rows with a value (classes × numeric columns), `levels` of each level
    (classes × all levels of all levelled columns, one after the other).

    Examples
    --------
    >>> classes = np.array([0, 1])
    >>> rows = RowsByClass.of(np.array([[3.0], [np.nan]]), classes, None, 2)
    >>> tallies = Tallies.of(rows, [np.array([1, 2])], [2], classes, None, 0)
    >>> both = Tallies.together([tallies, tallies])
    >>> both.low, (both.known / 2**84).tolist(), (both.levels / 2**84).tolist()
    (array([3.]), [[2.0], [0.0]], [[2.0, 0.0], [0.0, 2.0]])
    """

    low: Floats
    high: Floats
    weight: Whole
    known: Whole
    levels: Whole

    @classmethod
    def of(
        cls,
        rows: RowsByClass,
        codes: Sequence[NDArray[Any]],
        sizes: Sequence[int],
        classes: NDArray[Any],
        weights: Floats | None,
        shift: int,
    ) -> Tallies:
        """Of rows, with the codes of each levelled column and how many levels it has."""
        n_classes, n_numeric = rows.shape
        weight = weight_sums(classes, weights, shift, n_classes)
        known = rows.known(shift) if rows.has_holes else np.tile(weight[:, None], (1, n_numeric))
        levels = [np.empty((n_classes, 0), dtype=object)]
        for own, size in zip(codes, sizes, strict=True):
            cells = weight_sums(classes.astype(np.int64) * (size + 1) + own, weights, shift, n_classes * (size + 1))
            levels.append(cells.reshape(n_classes, size + 1)[:, 1:])
        return cls(*rows.ends, weight, known, np.hstack(levels))

    @classmethod
    def together(cls, parts: Sequence[Tallies]) -> Tallies:
        """Of all rows of some parts."""
        return cls(
            np.fmin.reduce([part.low for part in parts]),
            np.fmax.reduce([part.high for part in parts]),
            sum((part.weight for part in parts[1:]), parts[0].weight),
            sum((part.known for part in parts[1:]), parts[0].known),
            sum((part.levels for part in parts[1:]), parts[0].levels),
        )
