"""Directions in which a node may be cut: ridge regression and ridge-logistic regression, with fewer and fewer columns.

Columns are standardised at the node and rounded to whole steps of 1/4096 of a standard deviation. Sums over rows are
then sums of integers, so they do not depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEP = 4096
FARTHEST = 16 * STEP  # a value farther out counts as 16 standard deviations
FIRST_STEPS, LATER_STEPS = 5, 3  # of Newton's method: from nothing, and after columns were left out
ENOUGH = 1e-3  # a step that moves no coefficient by more than this was the last
EVEN = 2.0**20  # coefficients that agree to this share of the largest are equal
POWER_STEPS = 32


def standardised(values: Floats, mean: float, deviation: float) -> Ints:
    """Whole steps from the mean; 0 where there is no value.

    >>> standardised(np.array([1.0, 3.0, np.nan]), 2.0, 1.0).tolist()
    [-4096, 4096, 0]
    """
    steps = np.clip((values - mean) * (STEP / deviation), -FARTHEST, FARTHEST)
    return np.where(np.isnan(values), 0, np.rint(steps)).astype(np.int64)


def stages(n_columns: int) -> list[int]:
    """How many columns a direction has, stage by stage: half of them are left out, near the end one by one.

    >>> stages(24), stages(5), stages(2)
    ([24, 12, 6, 3, 2], [5, 3, 2], [2])
    """
    found = [n_columns]
    while found[-1] > 2:
        found.append((found[-1] + 1) // 2 if found[-1] > 3 else 2)
    return found


def strength(coefficients: Floats) -> Ints:
    """How much each column counts, in steps that rounding errors do not reach.

    >>> strength(np.array([1.0, -2.0])).tolist()
    [524288, 1048576]
    """
    size = np.abs(coefficients)
    return np.asarray(np.rint(size / size.max() * EVEN), dtype=np.int64)


def strongest(coefficients: Floats, n_kept: int) -> Ints:
    """The places of the columns that count most, ascending; the first of equals.

    >>> strongest(np.array([1.0, -3.0, 2.0, 3.0]), 2).tolist()
    [1, 3]
    """
    return np.asarray(np.sort(np.argsort(-strength(coefficients), kind="stable")[:n_kept]))


@dataclass(frozen=True)
class Direction:
    """Some columns with a coefficient each, per standard deviation, and the regression that gave them."""

    source: str
    kept: Ints
    coefficients: Floats


@dataclass(frozen=True)
class Cloud:
    """The rows of a node as points: standardised columns and weights.

    >>> cloud = Cloud(np.array([[-STEP], [STEP]]), np.array([1, 1]))
    >>> cloud.least_squares(np.array([0, 1]) * STEP, ridge=1.0).tolist()
    [0.3333333333333333]
    """

    z: Ints
    weights: Floats

    def least_squares(self, target: Ints, ridge: float) -> Floats:
        """Coefficients of ridge regression. The target is in whole steps, too."""
        total, ones = self.weights.sum(), self.weights @ self.z
        cross = (self.z * self.weights[:, None]).T @ self.z - np.outer(ones, ones) / total
        with_target = (self.z * self.weights[:, None]).T @ target - ones * (self.weights @ target) / total
        penalty = ridge * np.eye(self.z.shape[1])
        return np.linalg.solve(cross / STEP**2 + penalty, with_target / STEP**2)

    def newton_step(self, target: Ints, ridge: float, b: Floats) -> Floats:
        """One step of ridge-logistic regression; the last coefficient is the intercept, which has no penalty."""
        z = np.column_stack([self.z, np.full(len(self.z), STEP)])
        p = 1 / (1 + np.exp(-np.clip(z @ b / STEP, -30, 30)))
        curved = np.rint(4 * (p * (1 - p))[:, None] * z).astype(np.int64)
        away = np.rint((target - p) * 16 * STEP).astype(np.int64)
        penalty = np.diag(np.append(np.full(self.z.shape[1], ridge), 0))
        slope = (z * self.weights[:, None]).T @ away / (16 * STEP**2) - penalty @ b
        curvature = (curved * self.weights[:, None]).T @ z / (4 * STEP**2) + penalty
        curvature[-1, -1] += 1e-3  # where every row is told with certainty, nothing else holds the intercept
        upper = np.triu(curvature)  # rounding made the two halves differ a little: one of them stands for both
        return np.linalg.solve(upper + np.triu(curvature, 1).T, slope)

    def logistic(self, target: Ints, ridge: float, start: Floats | None, steps: int) -> Floats:
        """Coefficients of ridge-logistic regression by a few of Newton's steps."""
        if start is None:
            share = self.weights @ target / self.weights.sum()
            start = np.append(np.zeros(self.z.shape[1]), np.log(share / (1 - share)))
        for _ in range(steps):
            step = self.newton_step(target, ridge, start)
            start = start + step
            if np.abs(step).max() < ENOUGH:
                break
        return start

    def of(self, kept: Ints) -> Cloud:
        """The same rows with some of the columns."""
        return Cloud(self.z[:, kept], self.weights)


def squares_directions(cloud: Cloud, target: Ints, ridge: float) -> Iterator[Direction]:
    """Give the directions of ridge regression, from all columns to two; the target is in whole steps.

    >>> cloud = Cloud(np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]]) * STEP, np.ones(4, np.int64))
    >>> [d.coefficients.round(3).tolist() for d in squares_directions(cloud, np.array([0, 1, 1, 2]) * STEP, 1.0)]
    [[0.4, 0.4]]
    """
    kept = np.arange(cloud.z.shape[1])
    coefficients = cloud.least_squares(target, ridge)
    for n_kept in stages(len(kept)):
        if n_kept < len(kept):
            kept = kept[strongest(coefficients, n_kept)]
            coefficients = cloud.of(kept).least_squares(target, ridge)
        if not coefficients.any():
            return
        yield Direction("least squares", kept, coefficients)


def logistic_directions(cloud: Cloud, target: Ints, ridge: float) -> Iterator[Direction]:
    """Give the directions of ridge-logistic regression, from all columns to two; the target is 0 or 1.

    >>> cloud = Cloud(np.array([[-1, 0], [-1, 1], [1, 0], [1, 1]]) * STEP, np.ones(4))
    >>> [d.coefficients.round(3).tolist() for d in logistic_directions(cloud, np.array([0, 0, 1, 1]), 1.0)]
    [[1.043, 0.0]]
    """
    kept = np.arange(cloud.z.shape[1])
    b = cloud.logistic(target, ridge, None, FIRST_STEPS)
    for n_kept in stages(len(kept)):
        if n_kept < len(kept):
            places = strongest(b[:-1], n_kept)
            kept = kept[places]
            b = cloud.of(kept).logistic(target, ridge, np.append(b[places], b[-1]), LATER_STEPS)
        if not b[:-1].any():
            return
        yield Direction("logistic", kept, b[:-1])


def class_groups(cloud: Cloud, classes: Ints, n_classes: int) -> list[set[int]]:
    """What a direction may tell apart from the rest: one class of two; of more, each with weight 3, and one group.

    The group holds the classes whose means lie on one side along the first principal axis of the class means.

    >>> cloud = Cloud(np.array([[-1], [0], [1]]) * STEP, np.full(3, 4.0))
    >>> class_groups(cloud, np.array([0, 1, 1]), 2), class_groups(cloud, np.array([0, 1, 2]), 3)
    ([{1}], [{0}, {1}, {2}])
    """
    weight: Floats = np.bincount(classes, weights=cloud.weights, minlength=n_classes).astype(float)
    present = [k for k in range(n_classes) if weight[k] > 0]
    if len(present) == 2:
        return [{present[1]}]
    groups = [{k} for k in present if weight[k] >= 3]
    sums = np.stack([(cloud.z * (cloud.weights * (classes == k))[:, None]).sum(0) for k in present]) / STEP
    side = principal_coordinates(sums / weight[present][:, None], weight[present]) > 0
    group = {k for k, positive in zip(present, side, strict=True) if positive}
    return groups if not group or side.all() or group in groups else [*groups, group]


def principal_coordinates(points: Floats, weights: Floats) -> Floats:
    """Where points lie along the first principal axis of all of them, from their middle; 0 where they are one point.

    The axis points to the farthest of them, and has length 1.

    >>> principal_coordinates(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([4.0, 1.0])).round(9).tolist()
    [-1.0, 4.0]
    """
    means = points - weights @ points / weights.sum()
    size = (means**2).sum(1)
    if not size.any():
        return np.zeros(len(points))
    scatter = (means * weights[:, None]).T @ means
    axis = means[np.argmax(strength(size))]
    for _ in range(POWER_STEPS):
        length = np.abs(axis).max()
        if length == 0:
            return np.zeros(len(points))
        axis = scatter @ (axis / length)
    return np.asarray(means @ axis / np.sqrt(axis @ axis))
