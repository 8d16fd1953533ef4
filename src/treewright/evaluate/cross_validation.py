"""Cross-validation: every row is predicted once by a model that never saw it.

Folds are dealt as for cross-validated pruning (`estimators/folds.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.estimators.folds import deal_folds


@dataclass(frozen=True)
class CrossValidation:
    """The scores of each fold, beside those of a guess that looks at no column.

    Examples
    --------
    >>> result = CrossValidation("classification", {"accuracy": (0.8, 0.9)}, {"accuracy": (0.5, 0.5)})
    >>> round(result.mean("accuracy"), 3), round(result.spread("accuracy"), 3)
    (0.85, 0.071)
    >>> result.baseline_mean("accuracy")
    0.5
    """

    task: str  # "classification" | "regression"
    scores: dict[str, tuple[float, ...]]  # measure → one score a fold
    baseline: dict[str, tuple[float, ...]]  # the same, always guessing the training rows' majority class or mean

    @property
    def n_folds(self) -> int:
        """How many folds there were."""
        return len(next(iter(self.scores.values())))

    def mean(self, measure: str) -> float:
        """Average a measure over the folds."""
        return float(np.mean(self.scores[measure]))

    def spread(self, measure: str) -> float:
        """Give the standard deviation of a measure from fold to fold."""
        return float(np.std(self.scores[measure], ddof=1))

    def baseline_mean(self, measure: str) -> float:
        """Average the guess's score over the folds."""
        return float(np.mean(self.baseline[measure]))


def fold_of_each_row(target: Any, n_folds: int = 10, *, stratify: bool, seed: int = 0) -> NDArray[np.int64]:
    """Give each row the number of its fold.

    Parameters
    ----------
    target : array of n values
        The classes, or the numbers, to be learnt.
    n_folds : int
        From 2 to the number of rows. More folds: larger training sets, more work.
    stratify : bool
        Whether every fold shall have its share of each value (classes: yes; numbers: no).
    seed : int
        The same seed deals the same folds.

    Examples
    --------
    >>> folds = fold_of_each_row(["a", "a", "a", "b", "b", "b"], 3, stratify=True)
    >>> sorted(folds[:3].tolist()), sorted(folds[3:].tolist())
    ([0, 1, 2], [0, 1, 2])
    """
    values = np.asarray(target)
    if not 2 <= n_folds <= len(values):
        raise ValueError(
            f"n_folds must lie between 2 and the number of rows, {len(values)}. Got {n_folds}. Ask for fewer folds."
        )
    codes = np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int32) if stratify else None
    return deal_folds(len(values), n_folds, seed, codes)


def cross_validate(
    model: Any,
    X: Any,
    y: Any,
    n_folds: int = 10,
    *,
    seed: int = 0,
    on_fold: Callable[[], None] | None = None,
    on_fit: Callable[[Any, float], None] | None = None,
) -> CrossValidation:
    """Fit the model's recipe on all folds but one, score it on that one, and do so for each fold.

    Parameters
    ----------
    model : a scikit-learn classifier or regressor
        It stays as it is: copies are fitted.
    X, y : table and target
        A data frame or array with n rows, and n values.
    n_folds : int
        How many parts. More parts: larger training sets, more work.
    seed : int
        Of the dealing of rows to folds.
    on_fold : function or None
        Called after each fold, to show progress.
    on_fit : function or None
        Called with each fitted copy and the seconds that its fit took, to look at more than scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> result = cross_validate(DummyClassifier(), np.zeros((10, 1)), ["no"] * 8 + ["yes"] * 2, n_folds=2)
    >>> result.mean("accuracy"), result.spread("accuracy")
    (0.8, 0.0)
    """
    from sklearn.base import is_classifier

    classify, values = is_classifier(model), np.asarray(y)
    folds = fold_of_each_row(values, n_folds, stratify=classify, seed=seed)
    rounds = []
    for fold in range(n_folds):
        rounds.append(_score_fold(model, X, values, folds == fold, on_fit))
        if on_fold is not None:
            on_fold()
    return CrossValidation(
        task="classification" if classify else "regression",
        scores={name: tuple(one[name][0] for one in rounds) for name in rounds[0]},
        baseline={name: tuple(one[name][1] for one in rounds) for name in rounds[0]},
    )


def _score_fold(
    model: Any,
    X: Any,
    values: NDArray[Any],
    held_out: NDArray[np.bool_],
    on_fit: Callable[[Any, float], None] | None,
) -> dict[str, tuple[float, float]]:
    """Fit a copy on the other rows, score it on those held out: measure → (the model's, the guess's)."""
    from sklearn.base import clone, is_classifier

    training, test = np.flatnonzero(~held_out), np.flatnonzero(held_out)
    rows, started = take_rows(X, training), perf_counter()
    fitted = clone(model).fit(rows, values[training])
    if on_fit is not None:
        on_fit(fitted, perf_counter() - started)
    predicted = np.asarray(fitted.predict(take_rows(X, test)))
    score = _classification_scores if is_classifier(model) else _regression_scores
    return score(values[training], values[test], predicted)


def take_rows(X: Any, rows: NDArray[np.int64]) -> Any:
    """Pick rows of a pandas, polars or pyarrow table or of an array."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def _classification_scores(
    training: NDArray[Any], truth: NDArray[Any], predicted: NDArray[Any]
) -> dict[str, tuple[float, float]]:
    """Score one fold: measure → (the model's, the guess's)."""
    classes, counts = np.unique(training, return_counts=True)
    majority = classes[np.argmax(counts)]
    return {"accuracy": (float(np.mean(predicted == truth)), float(np.mean(truth == majority)))}


def _regression_scores(
    training: NDArray[Any], truth: NDArray[Any], predicted: NDArray[Any]
) -> dict[str, tuple[float, float]]:
    """Score one fold: measure → (the model's, the guess's)."""
    from treewright.evaluate.scores import r_squared, root_mean_squared_error

    guess = np.full(len(truth), float(np.mean(training)))
    return {
        "rmse": (root_mean_squared_error(truth, predicted), root_mean_squared_error(truth, guess)),
        "r2": (r_squared(truth, predicted), r_squared(truth, guess)),
    }
