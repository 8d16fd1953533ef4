"""Directions in which a node may be cut: ridge regression and ridge-logistic regression on standardised columns.

Columns are left out step by step, so that every direction comes with all columns, with half of them, and so on to two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_STEP = 4096.0  # a standard deviation, in the steps that values are rounded to
_FARTHEST = 16 * _STEP
_FIRST_STEPS, _LATER_STEPS = 5, 3  # of Newton's method: from nothing, and after columns were left out
_ENOUGH = 1e-3
_EVEN = 2.0**20  # coefficients that agree to this share of the largest are equal
_POWER_STEPS = 32
_SMALLEST_CLASS = 3


@dataclass(frozen=True)
class Direction:
    """Some columns with a coefficient each, per standard deviation, and the regression that gave them."""

    source: str
    kept: Places
    coefficients: Floats


@dataclass(frozen=True)
class Cloud:
    """The rows of a node as points: standardised columns, missing values in the middle, and weights.

    Examples
    --------
    >>> cloud = Cloud.of(np.array([[1.0, 5.0], [3.0, np.nan], [5.0, 9.0]]), np.ones(3))
    >>> cloud.means.tolist(), cloud.z[:, 1].tolist()
    ([3.0, 7.0], [-1.0, 0.0, 1.0])
    """

    z: Floats
    means: Floats
    deviations: Floats
    weights: Floats

    @classmethod
    def of(cls, values: Floats, weights: Floats) -> Cloud:
        """Standardise columns of numbers; NaN is missing."""
        known = ~np.isnan(values)
        heft = known * weights[:, None]
        means = np.nansum(values * heft, axis=0) / heft.sum(axis=0)
        deviations = np.sqrt(np.nansum((values - means) ** 2 * heft, axis=0) / heft.sum(axis=0))
        steps = np.clip((values - means) * (_STEP / deviations), -_FARTHEST, _FARTHEST)
        return cls(np.where(known, np.rint(steps), 0.0) / _STEP, means, deviations, weights)

    def least_squares(self, target: Floats, ridge: float, kept: Places) -> Floats:
        """Coefficients of ridge regression on some columns."""
        z, total = self.z[:, kept], self.weights.sum()
        centred = z - self.weights @ z / total
        away = target - self.weights @ target / total
        weighted = centred * self.weights[:, None]
        cross = weighted.T @ centred + ridge * np.eye(len(kept))
        return np.asarray(np.linalg.solve(cross, weighted.T @ away), dtype=np.float64)

    def newton_step(self, target: Floats, ridge: float, kept: Places, b: Floats) -> Floats:
        """One step of ridge-logistic regression; the last coefficient is the intercept, which is not held back."""
        z = np.column_stack([self.z[:, kept], np.ones(len(self.z))])
        p = 1 / (1 + np.exp(-np.clip(z @ b, -30, 30)))
        penalty = np.diag(np.append(np.full(len(kept), ridge), 0.0))
        slope = z.T @ (self.weights * (target - p)) - penalty @ b
        curvature = (z * (self.weights * p * (1 - p))[:, None]).T @ z + penalty
        curvature[-1, -1] += 1e-3  # holds the intercept where every row is told with certainty
        return np.asarray(np.linalg.solve(curvature, slope), dtype=np.float64)


def squares_directions(cloud: Cloud, target: Floats, ridge: float) -> Iterator[Direction]:
    """Give the directions of ridge regression.

    >>> cloud = Cloud.of(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.ones(4))
    >>> [d.coefficients.round(3).tolist() for d in squares_directions(cloud, np.array([0.0, 1.0, 1.0, 2.0]), 1.0)]
    [[0.4, 0.4]]
    """
    return _shorter("least squares", cloud, lambda kept, _: cloud.least_squares(target, ridge, kept))


def logistic_directions(cloud: Cloud, target: Floats, ridge: float) -> Iterator[Direction]:
    """Give the directions of ridge-logistic regression; the target is 0 or 1."""
    intercept = 0.0

    def fit(kept: Places, before: Floats | None) -> Floats:
        nonlocal intercept
        share = float(cloud.weights @ target / cloud.weights.sum())
        start = np.append(np.zeros(len(kept)), np.log(share / (1 - share)))
        b = start if before is None else np.append(before, intercept)
        for _ in range(_FIRST_STEPS if before is None else _LATER_STEPS):
            step = cloud.newton_step(target, ridge, kept, b)
            b = b + step
            if np.abs(step).max() < _ENOUGH:
                break
        intercept = float(b[-1])
        return b[:-1]

    return _shorter("logistic", cloud, fit)


def _shorter(source: str, cloud: Cloud, fit: Callable[[Places, Floats | None], Floats]) -> Iterator[Direction]:
    """Fit all columns, then leave out half of them again and again, near the end one by one, until two are left."""
    kept = np.arange(cloud.z.shape[1])
    coefficients = fit(kept, None)
    while coefficients.any():
        yield Direction(source, kept, coefficients)
        if len(kept) <= 2:
            return
        size = (len(kept) + 1) // 2 if len(kept) > 3 else 2
        places = np.sort(np.argsort(-strength(coefficients), kind="stable")[:size])
        kept = kept[places]
        coefficients = fit(kept, coefficients[places])


def strength(coefficients: Floats) -> Floats:
    """How much each column counts, in steps that rounding errors do not reach.

    >>> strength(np.array([1.0, -2.0])).tolist()
    [524288.0, 1048576.0]
    """
    return np.asarray(np.rint(np.abs(coefficients) / np.abs(coefficients).max() * _EVEN))


def class_groups(cloud: Cloud, classes: Places, n_classes: int) -> list[set[int]]:
    """What a direction may tell apart from the rest: one class of two; of more, each with weight 3, and one group.

    The group holds the classes whose means lie on one side along the first principal axis of the class means.

    >>> cloud = Cloud.of(np.array([[0.0], [1.0], [2.0]]), np.full(3, 4.0))
    >>> class_groups(cloud, np.array([0, 1, 1]), 2), class_groups(cloud, np.array([0, 1, 2]), 3)
    ([{1}], [{0}, {1}, {2}])
    """
    weight = np.bincount(classes, weights=cloud.weights, minlength=n_classes)
    present = np.flatnonzero(weight)
    if len(present) == 2:
        return [{int(present[1])}]
    groups = [{int(k)} for k in present if weight[k] >= _SMALLEST_CLASS]
    sums = np.stack([(cloud.z * (cloud.weights * (classes == k))[:, None]).sum(0) for k in present])
    means = sums / weight[present][:, None] - sums.sum(0) / weight.sum()
    if not means.any():
        return groups
    scatter = (means * weight[present][:, None]).T @ means
    axis = means[np.argmax(strength((means**2).sum(1)))]
    for _ in range(_POWER_STEPS):
        axis = scatter @ (axis / np.abs(axis).max())
        if not axis.any():
            return groups
    side = means @ axis > 0
    group = {int(k) for k, positive in zip(present, side, strict=True) if positive}
    return groups if not group or side.all() or group in groups else [*groups, group]
