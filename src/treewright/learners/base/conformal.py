"""Intervals and sets that hold the truth as often as promised: the scores that `tw.conformal` keeps beside a model.

A score says how wrong a model was about a row that it had not seen: |y - ŷ| for numbers, 1 - p of the true class. New
rows are taken to be as hard as those were. Vovk, Gammerman, Shafer (2005), Algorithmic Learning in a Random World; with
folds CV+ of Barber, Candès, Ramdas, Tibshirani (2021), Predictive inference with the jackknife+, and cross-conformal
sets (Vovk 2015).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.calibration import with_no_calibration
from treewright.learners.base.learnt import Arrays, check_learnt, reals, wholes

Floats = NDArray[np.float64]
METHODS = ("prefit", "cross", "out_of_bag")
MOST_MEMBERS = 30
_CELLS = 2**21  # of a table of rows × scores that is looked at at once
_LAST_BITS = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class ConformalScores:
    """How wrong a model was about rows not seen, fold after fold, ascending within each.

    Parameters
    ----------
    method : {"prefit", "cross", "out_of_bag"}
        Where the rows came from.
    scores, weights : arrays
        The scores, and how much each of them counts; a new row counts 1.
    fold_start : array
        Where each fold begins in them, and where the last one ends.
    members : tuple of models
        With "cross": the model of each fold, which did not see its rows. Else the model itself was judged.

    Examples
    --------
    >>> kept = ConformalScores(
    ...     method="prefit", scores=np.arange(1.0, 10.0), weights=np.ones(9), fold_start=np.array([0, 9])
    ... )
    >>> kept.intervals(np.array([[20.0]]), coverage=0.8).tolist()
    [[12.0, 28.0]]
    >>> kept.intervals(np.array([[20.0]]), coverage=0.95).tolist()
    [[-inf, inf]]
    """

    method: str
    scores: Floats
    weights: Floats
    fold_start: NDArray[np.int64]
    members: tuple[Any, ...] = ()

    arrays: ClassVar[Arrays] = {
        "scores": reals("scores", lowest=0.0),
        "weights": reals("scores", lowest=0.0),
        "fold_start": wholes("folds and one", lowest=0),
    }

    def asked(self, model: Any) -> Sequence[Any]:
        """The models whose answers are judged by the scores, one a fold."""
        return self.members or (model,)

    def _needed(self, coverage: float) -> float:
        """How much has to count below a bound: the new row is one more that may be the worst of all."""
        return coverage * (float(self.weights.sum()) + 1) * (1 - _LAST_BITS)

    def intervals(self, answers: Floats, coverage: float) -> Floats:
        """Lower and upper bounds for rows, given what each fold's model says of them: rows × folds."""
        needed = self._needed(coverage)
        if answers.shape[1] == 1:
            bound = _bounds(self.scores[None, :], self.weights, needed)
            return np.column_stack([answers[:, 0] - bound, answers[:, 0] + bound])
        fold = np.repeat(np.arange(answers.shape[1]), np.diff(self.fold_start))
        found = np.empty((len(answers), 2))
        step = max(1, _CELLS // max(1, len(self.scores)))
        for start in range(0, len(answers), step):
            said = answers[start : start + step][:, fold]
            found[start : start + step, 0] = -_bounds(self.scores - said, self.weights, needed)
            found[start : start + step, 1] = _bounds(self.scores + said, self.weights, needed)
        return found

    def sets(self, shares: Sequence[Floats], coverage: float) -> NDArray[np.bool_]:
        """Which classes conform in each row, given the probabilities that each fold's model gives: rows × classes."""
        below = np.zeros(shares[0].shape)
        for fold, given in enumerate(shares):
            part = slice(self.fold_start[fold], self.fold_start[fold + 1])
            counted = np.concatenate([[0.0], np.cumsum(self.weights[part])])
            below += counted[np.searchsorted(self.scores[part], 1 - given, side="left")]
        return np.asarray(below < self._needed(coverage))


def _bounds(values: Floats, weights: Floats, needed: float) -> Floats:
    """The smallest value of each row at which enough counts; infinity where all of them are not enough."""
    place = int(np.ceil(needed)) - 1
    if (weights == 1).all():
        if place >= values.shape[1]:
            return np.full(len(values), np.inf)
        return np.asarray(np.partition(values, place, axis=1)[:, place])
    order = np.argsort(values, axis=1, kind="stable")
    enough = np.cumsum(weights[order], axis=1) >= needed
    at = np.take_along_axis(order, enough.argmax(axis=1)[:, None], axis=1)
    return np.where(enough.any(axis=1), np.take_along_axis(values, at, axis=1)[:, 0], np.inf)


def keep_scores(method: str, folds: Sequence[tuple[Floats, Floats]], members: Sequence[Any] = ()) -> ConformalScores:
    """Put the scores and weights of each fold in order, whatever the order of the rows that they come from.

    Examples
    --------
    >>> kept = keep_scores("prefit", [(np.array([3.0, 1.0, 3.0]), np.array([2.0, 1.0, 1.0]))])
    >>> kept.scores.tolist(), kept.weights.tolist()
    ([1.0, 3.0, 3.0], [1.0, 1.0, 2.0])
    """
    ordered = [np.lexsort((weights, scores)) for scores, weights in folds]
    return ConformalScores(
        method=method,
        scores=np.concatenate([scores[order] for order, (scores, _) in zip(ordered, folds, strict=True)]),
        weights=np.concatenate([weights[order] for order, (_, weights) in zip(ordered, folds, strict=True)]),
        fold_start=np.cumsum([0, *map(len, ordered)]).astype(np.int64),
        members=tuple(members),
    )


def shares_of_classes(model: Any, X: Any, classes: NDArray[Any]) -> Floats:
    """The probabilities of a model under the numbers that classes have elsewhere; 0 for one that it does not know.

    A model that has none without a calibration (a perceptron) is asked with one that changes nothing.
    """
    asked = model if hasattr(model, "predict_proba") else with_no_calibration(model)
    shares = np.asarray(asked.predict_proba(X), dtype=np.float64)
    number = {label: place for place, label in enumerate(classes.tolist())}
    found = np.zeros((len(shares), len(classes)))
    found[:, [number[label] for label in model.classes_.tolist()]] = shares
    return found


def check_coverage(coverage: Any) -> float:
    """Refuse what is no share between 0 and 1.

    Examples
    --------
    >>> check_coverage(90)
    Traceback (most recent call last):
    treewright.errors.DataError: coverage is a share between 0 and 1, such as 0.9. Got 90 instead.
    """
    is_number = isinstance(coverage, Real) and not isinstance(coverage, bool)
    if not (is_number and 0 < coverage < 1):
        raise DataError(f"coverage is a share between 0 and 1, such as 0.9. Got {coverage!r} instead.")
    return float(coverage)


def read_scores(words: Mapping[str, Any], arrays: dict[str, NDArray[Any]], members: Sequence[Any]) -> ConformalScores:
    """The scores out of a model file; ValueError where they are none.

    Examples
    --------
    >>> read_scores({"method": "guess"}, {}, ())
    Traceback (most recent call last):
    ValueError: its conformal scores are of no method that this version knows
    """
    method = words.get("method")
    if method not in METHODS:
        raise ValueError("its conformal scores are of no method that this version knows")
    if not set(arrays) <= set(ConformalScores.arrays):
        raise ValueError("its conformal scores have an array that none have")
    found = check_learnt({}, ConformalScores.arrays, {}, arrays, {})
    starts, scores = found["fold_start"], found["scores"]
    n_folds = len(starts) - 1
    if n_folds < 1 or starts[0] != 0 or starts[-1] != len(scores) or (np.diff(starts) < 0).any():
        raise ValueError("its conformal scores are not dealt to folds")
    if len(members) != (n_folds if method == "cross" else 0) or (method != "cross" and n_folds != 1):
        raise ValueError("its conformal scores have not one model a fold")
    if any((np.diff(part) < 0).any() for part in np.split(scores, starts[1:-1])):
        raise ValueError("its conformal scores are not in order")
    if not np.isfinite(found["weights"].sum()):
        raise ValueError("its conformal scores count more than any number")
    return ConformalScores(method=method, members=tuple(members), **found)
