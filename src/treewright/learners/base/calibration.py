"""Probabilities corrected after training: the map that `tw.calibrate` learns, kept beside the model that it belongs to.

The map changes what `predict_proba` gives and nothing else: the answers, the tree, its rules and pictures stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.learners.base.learnt import Arrays, Numbers, check_learnt, real, reals, wholes
from treewright.learners.base.links import softmax

Floats = NDArray[np.float64]
METHODS = ("temperature", "sigmoid", "isotonic")
SMALLEST = 1e-12  # of probabilities whose logarithm is taken
_LARGEST = 1e3  # of slopes and biases
# Before and after, on rows that neither the model nor the map had seen.
EFFECT_MEASURES = ("log loss", "Brier score", "calibration error")
_EFFECT = reals(2, len(EFFECT_MEASURES), lowest=0.0, needed=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class SoftmaxCalibration:
    """softmax(slope · log((1 - mix) · p + mix · prior) + bias): temperature scaling, and Platt's sigmoid with a bias.

    A temperature is 1 / slope. With two classes and a bias this is Platt's sigmoid of the log-odds. The mix gives
    classes that no tree thinks of a probability at all: without it a single 0 that comes true costs without end.

    Examples
    --------
    >>> timid = SoftmaxCalibration(
    ...     method="temperature", slope=2.0, mix=0.0, prior=np.array([0.5, 0.5]), bias=np.zeros(2)
    ... )
    >>> timid.apply(np.array([[0.4, 0.6], [0.5, 0.5]])).round(3)
    array([[0.308, 0.692],
           [0.5  , 0.5  ]])
    """

    method: str
    slope: float
    mix: float
    prior: Floats
    bias: Floats
    effect: Floats | None = None

    numbers: ClassVar[Numbers] = {"slope": real(0.0), "mix": real(0.0)}
    arrays: ClassVar[Arrays] = {
        "prior": reals("classes", lowest=0.0, highest=1.0),
        "bias": reals("classes", lowest=-_LARGEST, highest=_LARGEST),
        "effect": _EFFECT,
    }

    def apply(self, shares: Floats) -> Floats:
        """Give the corrected probabilities of rows."""
        scores = self.slope * mixed_logs(shares, self.mix, self.prior) + self.bias
        return softmax(scores)

    def refuse_misfits(self, n_classes: int) -> None:
        """Refuse numbers of a file that no calibration has."""
        if not (self.slope <= _LARGEST and self.mix <= 1.0):
            raise ValueError("its calibration has a slope or a mix that none can have")

    def __str__(self) -> str:
        bias = "" if self.method == "temperature" else f", biases {', '.join(f'{number:.3g}' for number in self.bias)}"
        return f"{self.method}: temperature {1 / max(self.slope, 1e-9):.3g}{bias}, mix {self.mix:g}" + effect_text(self)


def mixed_logs(shares: Floats, mix: float, prior: Floats) -> Floats:
    """The logarithms of probabilities that are mixed with the shares of the classes.

    Examples
    --------
    >>> np.exp(mixed_logs(np.array([[0.0, 1.0]]), 0.1, np.array([0.5, 0.5]))).round(3)
    array([[0.05, 0.95]])
    """
    return np.log(np.maximum((1 - mix) * shares + mix * prior, SMALLEST))


@dataclass(frozen=True, eq=False, kw_only=True)
class IsotonicCalibration:
    """A function for each class that never falls, then shares of their sum; of two classes for the second alone.

    `start` tells where the points of each function begin in `given` (probabilities before) and `answer` (after).

    Examples
    --------
    >>> given, answer = np.array([0.0, 0.5, 0.6, 1.0]), np.array([0.1, 0.1, 0.8, 0.8])
    >>> steps = IsotonicCalibration(start=np.array([0, 4]), given=given, answer=answer)
    >>> steps.apply(np.array([[0.7, 0.3], [0.2, 0.8]]))
    array([[0.9, 0.1],
           [0.2, 0.8]])
    """

    start: NDArray[np.int64]
    given: Floats
    answer: Floats
    effect: Floats | None = None

    method: ClassVar[str] = "isotonic"
    numbers: ClassVar[Numbers] = {}
    arrays: ClassVar[Arrays] = {
        "start": wholes("functions and one", lowest=0),
        "given": reals("points", lowest=0.0, highest=1.0),
        "answer": reals("points", lowest=0.0, highest=1.0),
        "effect": _EFFECT,
    }

    def apply(self, shares: Floats) -> Floats:
        """Give the corrected probabilities of rows."""
        if len(self.start) == 2:
            second = self._function(0, shares[:, 1])
            return np.column_stack([1 - second, second])
        each = np.column_stack([self._function(k, shares[:, k]) for k in range(shares.shape[1])])
        whole = each.sum(axis=1, keepdims=True)
        return np.asarray(np.where(whole > 0, each / np.where(whole > 0, whole, 1.0), shares))

    def _function(self, number: int, shares: Floats) -> Floats:
        part = slice(self.start[number], self.start[number + 1])
        return np.asarray(np.interp(np.ascontiguousarray(shares), self.given[part], self.answer[part]))

    def refuse_misfits(self, n_classes: int) -> None:
        """Refuse points of a file that make no rising functions, one for each class."""
        ends = self.start
        if len(ends) != (2 if n_classes == 2 else n_classes + 1) or ends[0] != 0 or ends[-1] != len(self.given):
            raise ValueError("its calibration has no function for each class")
        if (np.diff(ends) < 1).any():
            raise ValueError("its calibration has a function without a point")
        inside = np.ones(len(self.given) - 1, dtype=bool)
        inside[ends[1:-1] - 1] = False
        if (np.diff(self.given)[inside] < 0).any() or (np.diff(self.answer)[inside] < 0).any():
            raise ValueError("its calibration has a function that falls")

    def __str__(self) -> str:
        return f"isotonic: {len(self.given):,} points" + effect_text(self)


Calibration = SoftmaxCalibration | IsotonicCalibration


def calibrated(model: Any, shares: Floats) -> Floats:
    """The probabilities of a model as `tw.calibrate` has corrected them, where it has."""
    calibration: Calibration | None = model.__dict__.get("calibration_")
    return shares if calibration is None else calibration.apply(shares)


def effect_text(calibration: Calibration) -> str:
    """What it was worth on rows not seen, a line a measure."""
    if calibration.effect is None:
        return ""
    pairs = zip(EFFECT_MEASURES, *calibration.effect.tolist(), strict=True)
    return "".join(f"\n{name:<18} {before:.4f} -> {after:.4f}" for name, before, after in pairs)


def no_calibration(n_classes: int) -> Calibration:
    """The calibration that leaves every probability as it is, but for its last digits.

    Examples
    --------
    >>> no_calibration(2).apply(np.array([[0.25, 0.75]])).round(9)
    array([[0.25, 0.75]])
    """
    prior = np.full(n_classes, 1 / n_classes)
    return SoftmaxCalibration(method="temperature", slope=1.0, mix=0.0, prior=prior, bias=np.zeros(n_classes))


def with_no_calibration(model: Any) -> Any:
    """A copy of a fitted classifier as it is before any calibration, which has probabilities all the same."""
    bare = object.__new__(type(model))
    bare.__dict__ = {**model.__dict__, "calibration_": no_calibration(len(model.classes_))}
    return bare


def calibration_state(calibration: Calibration) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A calibration as the words and arrays of a model file.

    Examples
    --------
    >>> calibration_state(no_calibration(2))[0]
    {'method': 'temperature', 'slope': 1.0, 'mix': 0.0}
    """
    words = {"method": calibration.method, **{name: getattr(calibration, name) for name in calibration.numbers}}
    arrays = {name: getattr(calibration, name) for name in calibration.arrays}
    return words, {name: array for name, array in arrays.items() if array is not None}


def read_calibration(words: Mapping[str, Any], arrays: dict[str, NDArray[Any]], n_classes: int) -> Calibration:
    """The calibration out of a model file; ValueError where it is none of so many classes.

    Examples
    --------
    >>> read_calibration(*calibration_state(no_calibration(2)), n_classes=2).slope
    1.0
    >>> read_calibration({"method": "guess"}, {}, n_classes=2)
    Traceback (most recent call last):
    ValueError: its calibration is by no method that this version knows
    """
    method = words.get("method")
    if method not in METHODS:
        raise ValueError("its calibration is by no method that this version knows")
    kind: Any = IsotonicCalibration if method == "isotonic" else SoftmaxCalibration
    if not set(arrays) <= set(kind.arrays):
        raise ValueError("its calibration has an array that none has")
    numbers = {name: value for name, value in words.items() if name != "method"}
    found = check_learnt(kind.numbers, kind.arrays, numbers, arrays, {"classes": n_classes})
    calibration: Calibration = kind(**found) if kind is IsotonicCalibration else kind(method=method, **found)
    calibration.refuse_misfits(n_classes)
    return calibration
