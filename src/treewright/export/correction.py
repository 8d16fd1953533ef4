"""Probabilities that were corrected after training (`tw.calibrate`): the last step of an export of such a model.

The correction changes probabilities and nothing else: the class stays that of the model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.calibration import SMALLEST, Calibration, IsotonicCalibration, SoftmaxCalibration

Floats = NDArray[np.float64]
_UNIT = 2.0**-52
_UNITS = 2  # by which exp or log of two libraries differ at most


@dataclass(frozen=True)
class Correction:
    """What becomes of probabilities p.

    Attributes
    ----------
    kind : str
        "softmax": of slope · log(at least SMALLEST, kept · p + added) + bias. "isotonic": a line from point to point
        for each class, then shares of their sum; of two classes for the second alone.
    start, given, answer : tuple
        Of lines: the points of function k are those from ``start[k]`` to ``start[k + 1]``.
    """

    kind: str
    slope: float = 1.0
    kept: float = 1.0
    added: tuple[float, ...] = ()
    bias: tuple[float, ...] = ()
    start: tuple[int, ...] = ()
    given: tuple[float, ...] = ()
    answer: tuple[float, ...] = ()


def correction_of(calibration: Calibration) -> Correction:
    """Give the numbers of a calibration.

    Examples
    --------
    >>> from treewright.learners.base.calibration import no_calibration
    >>> correction_of(no_calibration(2))
    Correction(kind='softmax', slope=1.0, kept=1.0, added=(0.0, 0.0), bias=(0.0, 0.0), start=(), given=(), answer=())
    """
    if isinstance(calibration, SoftmaxCalibration):
        added = (calibration.mix * calibration.prior).tolist()
        slope, kept = float(calibration.slope), float(1 - calibration.mix)
        return Correction("softmax", slope, kept, tuple(added), tuple(calibration.bias.tolist()))
    points = (tuple(part.tolist()) for part in (calibration.start, calibration.given, calibration.answer))
    return Correction("isotonic", 1.0, 1.0, (), (), *points)


def correction_slack(
    calibration: Calibration, shares: Floats, is_exact: bool, before: Floats | None = None
) -> Floats | None:
    """Give by how much two runtimes may differ in each corrected probability; None where they may not at all.

    `is_exact` tells whether they agree on the probabilities before to the last bit; `before` by how much each of those
    may be off where it is more than exp leaves open.
    """
    off = _off_before(shares, is_exact) if before is None else before
    if isinstance(calibration, IsotonicCalibration):
        return None if is_exact else _slack_of_lines(calibration, shares, off)
    mixed = (1 - calibration.mix) * shares + calibration.mix * calibration.prior
    bounded = np.maximum(mixed, SMALLEST)
    logs = np.abs(np.log(bounded))
    scores = calibration.slope * (_UNITS * _UNIT * np.maximum(logs, _UNIT) + off / bounded + _UNIT)
    scores += 2 * _UNIT * (calibration.slope * logs + np.abs(calibration.bias))
    scores += shares.shape[1] * _UNIT  # shares may be added up in another order
    return np.asarray(2 * scores.max(axis=1, keepdims=True) * calibration.apply(shares))


def _off_before(shares: Floats, is_exact: bool) -> Floats:
    """By how much the probabilities before may be off; the first of two is what the second leaves of 1."""
    if is_exact:
        return np.zeros_like(shares)
    off = _UNITS * _UNIT * shares
    return np.asarray(np.maximum(off, off.max(axis=1, keepdims=True)) if shares.shape[1] == 2 else off)


def _slack_of_lines(calibration: IsotonicCalibration, shares: Floats, off: Floats) -> Floats:
    """Lines never fall: what is between two probabilities before is between their corrections."""
    high, low = (calibration.apply(np.clip(shares + way * off, 0.0, 1.0)) for way in (1, -1))
    far = np.abs(high - low)
    return np.asarray(far + far.sum(axis=1, keepdims=True) + _UNITS * _UNIT)


def correct(correction: Correction, shares: list[float]) -> list[float]:
    """The slow definition: one row in plain Python.

    Examples
    --------
    >>> half = Correction("isotonic", start=(0, 2), given=(0.0, 1.0), answer=(0.25, 0.75))
    >>> correct(half, [0.5, 0.5]), correct(half, [1.0, 0.0])
    ([0.5, 0.5], [0.75, 0.25])
    """
    if correction.kind == "isotonic":
        return _by_lines(correction, shares)
    mixed = [correction.kept * p + more for p, more in zip(shares, correction.added, strict=True)]
    scores = [
        correction.slope * math.log(max(p, SMALLEST)) + bias for p, bias in zip(mixed, correction.bias, strict=True)
    ]
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def _by_lines(correction: Correction, shares: list[float]) -> list[float]:
    if len(correction.start) == 2:
        second = _line(correction, 0, shares[1])
        return [1.0 - second, second]
    each = [_line(correction, k, share) for k, share in enumerate(shares)]
    whole: Any = sum(each)
    return [share / whole for share in each] if whole > 0 else shares


def _line(correction: Correction, k: int, x: float) -> float:
    """As `numpy.interp`: the point itself, or the line to the next one."""
    first, last = correction.start[k], correction.start[k + 1] - 1
    at = max((place for place in range(first, last + 1) if correction.given[place] <= x), default=-1)
    if at < 0 or at == last or correction.given[at] == x:
        return correction.answer[first if at < 0 else at]
    rise = correction.answer[at + 1] - correction.answer[at]
    slope = rise / (correction.given[at + 1] - correction.given[at])
    return slope * (x - correction.given[at]) + correction.answer[at]
