"""Learning the maps of `tw.calibrate` out of probabilities given to rows that the model had not seen.

Rows are put in the order of what is in them and equal ones are counted, so that neither their order nor the way in
which weights are written changes what is learnt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.calibration import (
    Calibration,
    IsotonicCalibration,
    SoftmaxCalibration,
    mixed_logs,
)
from treewright.learners.base.threads import one_blas_thread

Floats = NDArray[np.float64]
_MIXES = (0.0, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5)
_MOST_STEPS, _STEEPEST = 100, 900.0
_RIDGE = 1.0  # of the biases: as much as one row says


@dataclass(frozen=True)
class JudgedRows:
    """Probabilities given to rows not seen, the classes that came true, and how much each row counts."""

    shares: Floats
    codes: NDArray[np.int64]
    weights: Floats

    @classmethod
    def counted(cls, shares: Floats, codes: NDArray[Any], weights: Floats | None) -> JudgedRows:
        """Put rows in the order of their content, equal ones as one that counts for all of them.

        Examples
        --------
        >>> rows = JudgedRows.counted(np.array([[0.5, 0.5], [0.1, 0.9], [0.5, 0.5]]), np.array([1, 1, 1]), None)
        >>> rows.shares.tolist(), rows.weights.tolist()
        ([[0.1, 0.9], [0.5, 0.5]], [1.0, 2.0])
        """
        weights = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
        order = np.lexsort((weights, codes, *shares.T[::-1]))
        shares, codes, weights = shares[order], np.asarray(codes)[order], weights[order]
        is_new = np.append(True, (np.diff(shares, axis=0) != 0).any(axis=1) | (np.diff(codes) != 0))
        starts = np.flatnonzero(is_new)
        return cls(shares[starts], codes[starts].astype(np.int64), np.add.reduceat(weights, starts))

    @property
    def n_classes(self) -> int:
        """How many classes have a probability."""
        return int(self.shares.shape[1])

    @property
    def prior(self) -> Floats:
        """The share of each class; every class counts one row more, so that none is impossible."""
        counts = np.bincount(self.codes, weights=self.weights, minlength=self.n_classes) + 1
        return np.asarray(counts / counts.sum())


def learn_calibration(rows: JudgedRows, method: str) -> Calibration:
    """Learn the map of a method.

    Examples
    --------
    >>> shares = np.array([[0.4, 0.6]] * 10 + [[0.6, 0.4]] * 10)
    >>> codes = np.array([1] * 9 + [0] + [0] * 9 + [1])
    >>> learnt = learn_calibration(JudgedRows.counted(shares, codes, None), "temperature")
    >>> learnt.apply(shares[:1]).round(2)
    array([[0.12, 0.88]])
    """
    if method == "isotonic":
        return _isotonic(rows)
    with one_blas_thread():
        return _softmax(rows, has_bias=method == "sigmoid")


# Temperature and sigmoid: the smallest log loss. It is convex in slope and biases; the mix is tried.


def _softmax(rows: JudgedRows, has_bias: bool) -> SoftmaxCalibration:
    targets = _soft_targets(rows)
    best, least = None, np.inf
    for mix in _MIXES:
        logs = mixed_logs(rows.shares, mix, rows.prior)
        slope, bias, loss = _newton(logs, targets, rows.weights, has_bias)
        if best is None or loss < least - 1e-9 * abs(least):
            best, least = (mix, slope, bias), loss
    assert best is not None
    mix, slope, bias = best
    return SoftmaxCalibration(
        method="sigmoid" if has_bias else "temperature",
        slope=_nine_digits(slope),
        mix=mix,
        prior=rows.prior,
        bias=np.array([_nine_digits(number) for number in bias]),
    )


def _soft_targets(rows: JudgedRows) -> Floats:
    """What came true, a little of it kept back for the other classes: no finite table makes anything certain.

    Platt (1999), section 2.2, does the same for two classes.
    """
    kept = 1 / (rows.weights.sum() + 2)
    came_true = np.eye(rows.n_classes)[rows.codes]
    return np.asarray((1 - kept) * came_true + kept * rows.prior)


def _newton(logs: Floats, targets: Floats, weights: Floats, has_bias: bool) -> tuple[float, Floats, float]:
    """Slope, biases and loss where the loss is least; steps are halved until they help."""
    n_classes = logs.shape[1]
    numbers = np.zeros(1 + n_classes)
    numbers[0] = 1.0
    free = np.arange(1 + n_classes if has_bias else 1)
    loss, gradient, curvature = _loss_and_slopes(numbers, logs, targets, weights)
    for _ in range(_MOST_STEPS):
        step = np.zeros_like(numbers)
        step[free] = np.linalg.lstsq(curvature[np.ix_(free, free)], -gradient[free], rcond=None)[0]
        length = 1.0
        while length > 1e-6:
            tried = numbers + length * step
            tried[0] = min(max(tried[0], 1e-3), _STEEPEST)
            found = _loss_and_slopes(tried, logs, targets, weights)
            if found[0] <= loss:
                break
            length /= 2
        else:
            break
        fall = loss - found[0]
        numbers, (loss, gradient, curvature) = tried, found
        if fall <= 1e-10 * abs(loss):
            break
    return float(numbers[0]), numbers[1:], loss


def _loss_and_slopes(numbers: Floats, logs: Floats, targets: Floats, weights: Floats) -> tuple[float, Floats, Floats]:
    """The log loss with its first and second derivatives by slope and biases."""
    slope, bias = numbers[0], numbers[1:]
    scores = slope * logs + bias
    scores -= scores.max(axis=1, keepdims=True)
    raised = np.exp(scores)
    whole = raised.sum(axis=1, keepdims=True)
    shares = raised / whole
    loss = float((weights * (np.log(whole[:, 0]) - (targets * scores).sum(axis=1))).sum()) + _RIDGE / 2 * bias @ bias
    apart = weights[:, None] * (shares - targets)
    gradient = np.concatenate([[(apart * logs).sum()], apart.sum(axis=0) + _RIDGE * bias])
    weighted, mean = weights[:, None] * shares, (shares * logs).sum(axis=1, keepdims=True)
    curvature = np.empty((len(numbers), len(numbers)))
    curvature[0, 0] = (weighted * (logs - mean) ** 2).sum()
    curvature[0, 1:] = curvature[1:, 0] = (weighted * (logs - mean)).sum(axis=0)
    curvature[1:, 1:] = np.diag(weighted.sum(axis=0) + _RIDGE) - weighted.T @ shares
    return float(loss), gradient, curvature


def _nine_digits(number: float) -> float:
    """A number without its last digits, which are other ones on other processors."""
    return float(f"{number:.9g}")


# Isotonic: pooled adjacent violators, each class against the rest.


def _isotonic(rows: JudgedRows) -> IsotonicCalibration:
    wanted = [1] if rows.n_classes == 2 else list(range(rows.n_classes))
    curves = [_rising_curve(rows, label) for label in wanted]
    ends = np.cumsum([0, *(len(given) for given, _ in curves)])
    return IsotonicCalibration(
        start=ends.astype(np.int64),
        given=np.concatenate([given for given, _ in curves]),
        answer=np.concatenate([answer for _, answer in curves]),
    )


def _rising_curve(rows: JudgedRows, label: int) -> tuple[Floats, Floats]:
    """The ends of the pools of rows with neighbouring probabilities, and the share of the class in each.

    Every pool gets one row more that is of the class as often as all rows are: a pool of three rows that are all of it
    is no proof that every such row is.
    """
    shares = np.ascontiguousarray(rows.shares[:, label])
    given, place = np.unique(shares, return_inverse=True)
    weights = np.bincount(place, weights=rows.weights).astype(np.float64)
    hits = np.bincount(place, weights=rows.weights * (rows.codes == label))
    starts = _pooled(hits / weights, weights)
    pool_weights: Floats = np.add.reduceat(weights, starts)
    pool_hits: Floats = np.add.reduceat(hits, starts)
    smooth = (pool_hits + rows.prior[label]) / (pool_weights + 1)
    again = _pooled(smooth, pool_weights + 1.0)  # a pool of few rows may now stand above the next
    starts = starts[again]
    sizes = np.add.reduceat(pool_weights + 1, again)
    answer = np.add.reduceat(smooth * (pool_weights + 1), again) / sizes
    ends = np.append(starts[1:], len(given)) - 1
    points = np.column_stack([given[starts], given[ends]]).ravel()
    return points, np.maximum.accumulate(np.repeat(answer, 2))


def _pooled(values: Floats, weights: Floats) -> NDArray[np.int64]:
    """Where the pools begin when neighbours that fall are put together until all rise."""
    from sklearn.isotonic import isotonic_regression

    risen = isotonic_regression(values, sample_weight=weights)
    return np.flatnonzero(np.append(True, np.diff(risen) > 0))
