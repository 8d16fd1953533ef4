"""One model on one table: how often right, how far off.

Rows of a class that the model never saw count as wrong. Log loss takes a probability of zero as 1e-15,
so that one such row makes it large and not infinite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.evaluate.intervals import wilson_interval

SMALLEST_PROBABILITY = 1e-15


@dataclass(frozen=True)
class ClassificationScores:
    """What a classifier got right on a table.

    Examples
    --------
    >>> scores = score_classes(["a", "a", "b"], ["a", "b", "b"])
    >>> round(scores.accuracy, 3), scores.balanced_accuracy, scores.log_loss
    (0.667, 0.75, None)
    """

    n_rows: int
    accuracy: float
    accuracy_interval: tuple[float, float]  # Wilson, 95 %
    balanced_accuracy: float  # mean share of right answers over the classes that occur
    log_loss: float | None  # None without probabilities
    classes: tuple[Any, ...]
    confusion: tuple[tuple[int, ...], ...]  # a row for each true class, a column for each predicted one

    def measures(self) -> dict[str, float]:
        """Give the numbers a quality gate can be set on."""
        named = {"accuracy": self.accuracy, "balanced_accuracy": self.balanced_accuracy}
        return named if self.log_loss is None else {**named, "log_loss": self.log_loss}


@dataclass(frozen=True)
class RegressionScores:
    """How far off a regressor was on a table.

    Examples
    --------
    >>> score_numbers([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]).measures()["mae"]
    0.3333333333333333
    """

    n_rows: int
    rmse: float
    mae: float
    r2: float

    def measures(self) -> dict[str, float]:
        """Give the numbers a quality gate can be set on."""
        return {"rmse": self.rmse, "mae": self.mae, "r2": self.r2}


def score_classes(
    truth: Any, predicted: Any, probabilities: Any = None, model_classes: Any = None
) -> ClassificationScores:
    """Compare true and predicted classes, and the probabilities given to the true ones.

    Parameters
    ----------
    truth, predicted : arrays of n classes
        At least one row.
    probabilities : array (n, number of classes) or None
        Columns in the order of `model_classes`.
    model_classes : array or None
        The classes the model knows; a class of `truth` may be missing from them.

    Examples
    --------
    >>> scores = score_classes(["a", "b"], ["a", "a"], [[0.5, 0.5], [0.5, 0.5]], ["a", "b"])
    >>> round(scores.log_loss, 4), scores.confusion
    (0.6931, ((1, 0), (1, 0)))
    """
    true_class, answer = np.asarray(truth, dtype=object), np.asarray(predicted, dtype=object)
    _refuse_no_rows(true_class)
    known = [] if model_classes is None else list(np.asarray(model_classes, dtype=object))
    classes = sorted({*known, *true_class, *answer}, key=lambda value: (str(type(value)), value))
    number = {value: index for index, value in enumerate(classes)}
    confusion = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(confusion, ([number[v] for v in true_class], [number[v] for v in answer]), 1)
    right, occurring = np.diag(confusion), confusion.sum(axis=1) > 0
    recalls = right[occurring] / confusion.sum(axis=1)[occurring]
    return ClassificationScores(
        n_rows=len(true_class),
        accuracy=float(right.sum() / len(true_class)),
        accuracy_interval=wilson_interval(int(right.sum()), len(true_class)),
        balanced_accuracy=float(recalls.mean()),
        log_loss=None if probabilities is None else log_loss(true_class, probabilities, known),
        classes=tuple(classes),
        confusion=tuple(tuple(int(n) for n in row) for row in confusion),
    )


def score_numbers(truth: Any, predicted: Any) -> RegressionScores:
    """Compare true and predicted numbers.

    Examples
    --------
    >>> score_numbers([0.0, 10.0], [1.0, 9.0]).rmse
    1.0
    """
    target, answer = np.asarray(truth, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    _refuse_no_rows(target)
    return RegressionScores(
        n_rows=len(target),
        rmse=root_mean_squared_error(target, answer),
        mae=float(np.mean(np.abs(target - answer))),
        r2=r_squared(target, answer),
    )


def log_loss(truth: Any, probabilities: Any, model_classes: Any) -> float:
    """Average −log of the probability that was given to what came true.

    Examples
    --------
    >>> round(log_loss(["yes", "no"], [[0.5, 0.5], [0.8, 0.2]], ["no", "yes"]), 4)
    0.4581
    """
    column = {value: index for index, value in enumerate(model_classes)}
    columns = np.array([column.get(value, -1) for value in truth])
    given = np.asarray(probabilities, dtype=np.float64)[np.arange(len(columns)), columns]
    given = np.where(columns < 0, 0.0, given)
    return float(-np.mean(np.log(np.maximum(given, SMALLEST_PROBABILITY))))


def root_mean_squared_error(truth: Any, predicted: Any) -> float:
    """Give the size of a typical error, large errors counting more, in the target's own unit.

    Examples
    --------
    >>> root_mean_squared_error([0.0, 0.0], [3.0, -3.0])
    3.0
    """
    return float(np.sqrt(np.mean((np.asarray(truth, dtype=float) - np.asarray(predicted, dtype=float)) ** 2)))


def r_squared(truth: Any, predicted: Any) -> float:
    """Give the share of the target's variance that the predictions explain; below 0 is worse than the mean.

    On a constant target there is nothing to explain: 1 if every prediction is exact, else 0.

    Examples
    --------
    >>> r_squared([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), r_squared([1.0, 2.0, 3.0], [2.0, 2.0, 2.0])
    (1.0, 0.0)
    """
    target = np.asarray(truth, dtype=np.float64)
    error = float(np.sum((target - np.asarray(predicted, dtype=np.float64)) ** 2))
    variation = float(np.sum((target - target.mean()) ** 2))
    if variation == 0:
        return 1.0 if error == 0 else 0.0
    return 1 - error / variation


def _refuse_no_rows(truth: NDArray[Any]) -> None:
    if len(truth) == 0:
        raise ValueError("There are no rows to score. Pass a table with at least one row whose target is known.")
