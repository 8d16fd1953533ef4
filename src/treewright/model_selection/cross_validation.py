"""Cross-validation: every row is predicted once by a model that never saw it; which rows train and which test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.content_order import order_of_table
from treewright.learners.base.folds import Units
from treewright.model_selection.measures import MEASURES, mean_area

# Cross-validation: every row is predicted once by a model that never saw it.


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

    def is_no_better(self) -> bool:
        """Whether the model is better than the guess by no measure, beyond a standard error of what it gains.

        >>> CrossValidation("classification", {"accuracy": (0.52, 0.48)}, {"accuracy": (0.5, 0.5)}).is_no_better()
        True
        >>> CrossValidation("regression", {"rmse": (2.0, 2.1)}, {"rmse": (3.0, 3.2)}).is_no_better()
        False
        """
        return not any(self._gains(measure) for measure in self.scores)

    def _gains(self, measure: str) -> bool:
        sign = 1 if MEASURES[measure].larger_is_better else -1
        gained = sign * (np.array(self.scores[measure]) - np.array(self.baseline[measure]))
        return bool(gained.mean() > gained.std(ddof=1) / np.sqrt(len(gained)))


def fold_of_each_row(
    target: Any, n_folds: int = 10, *, stratify: bool, seed: int = 0, table: Any = None
) -> NDArray[np.int64]:
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
    table : data frame or array, optional
        The columns. With them rows are dealt by what is in them, and not by where they stand.

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
    order = np.arange(len(values), dtype=np.uint32) if table is None else order_of_table(table, values)
    folds = np.empty(len(values), dtype=np.int64)
    folds[order] = Units.of(order, None, codes).folds(n_folds, seed)
    return folds


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
    folds = fold_of_each_row(values, n_folds, stratify=classify, seed=seed, table=X)
    rounds = []
    for fold in range(n_folds):
        rounds.append(_score_fold(model, X, values, folds == fold, on_fit))
        if on_fold is not None:
            on_fold()
    told = [name for name in rounds[0] if all(one[name][0] == one[name][0] for one in rounds)]  # no AUC of one class
    return CrossValidation(
        task="classification" if classify else "regression",
        scores={name: tuple(one[name][0] for one in rounds) for name in told},
        baseline={name: tuple(one[name][1] for one in rounds) for name in told},
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
    asked = take_rows(X, test)
    predicted = np.asarray(fitted.predict(asked))
    if not is_classifier(model):
        return _regression_scores(values[training], values[test], predicted)
    scores = _classification_scores(values[training], values[test], predicted)
    if hasattr(fitted, "predict_proba"):  # a guess puts no row before another
        scores["auc"] = mean_area(values[test], np.asarray(fitted.predict_proba(asked)), fitted.classes_), 0.5
    return scores


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
    from treewright.model_selection.measures import r_squared, root_mean_squared_error

    guess = np.full(len(truth), float(np.mean(training)))
    return {
        "rmse": (root_mean_squared_error(truth, predicted), root_mean_squared_error(truth, guess)),
        "r2": (r_squared(truth, predicted), r_squared(truth, guess)),
    }


# Which rows train and which test, fold by fold: dealt here, or as the user gives them.


Rows = NDArray[np.int64]
ALWAYS_TRAINS = -1  # a fold number of rows that are never tested, as in scikit-learn's PredefinedSplit


@dataclass(frozen=True)
class Fold:
    """The rows that a model learns from, and those that it is then scored on."""

    training: Rows
    test: Rows


@dataclass(frozen=True)
class FoldPlan:
    """All folds, in order, and how they came about in words.

    Examples
    --------
    >>> plan = plan_folds(np.array(["a", "b"] * 6), stratify=True, cv=3, repeats=2)
    >>> print(plan.text, len(plan.folds), plan.test_to_training)
    2 x 3 folds 6 0.5
    """

    folds: tuple[Fold, ...]
    text: str

    @property
    def test_to_training(self) -> float:
        """Rows tested for each row learnt from, on the average over the folds."""
        return float(np.mean([len(fold.test) / len(fold.training) for fold in self.folds]))


def plan_folds(
    target: NDArray[Any],
    *,
    stratify: bool,
    cv: int = 10,
    repeats: int = 1,
    folds: Any = None,
    groups: Any = None,
    seed: int = 0,
    table: Any = None,
) -> FoldPlan:
    """Deal rows to folds, or take the folds that are given.

    Parameters
    ----------
    target : array of n values
        What is learnt.
    stratify : bool
        Whether every fold shall have its share of each class.
    cv, repeats : int
        So many folds, dealt anew so many times. The first deal is that of `cross_validate` with the same seed.
    folds : array, splitter or list of pairs, optional
        Fold numbers of the rows (-1: always trains; a column a repeat), a splitter of scikit-learn, or pairs of row
        numbers (training, test).
    groups : array of n values, optional
        Rows of one group stay together.
    seed : int
        The same seed deals the same folds.
    table : data frame or array, optional
        The columns. With them rows are dealt by what is in them, and not by where they stand.

    Examples
    --------
    >>> plan = plan_folds(np.arange(4.0), stratify=False, folds=[0, 1, 0, -1])
    >>> [(fold.training.tolist(), fold.test.tolist()) for fold in plan.folds]
    [([1, 3], [0, 2]), ([0, 2, 3], [1])]
    """
    by_group = None if groups is None else _column(groups, len(target), "groups")
    if folds is not None:
        plan = _given(folds, target, by_group)
    elif by_group is not None:
        plan = _grouped(target, by_group, stratify, cv, repeats, seed)
    else:
        _check_count(cv, repeats, len(target), "rows")
        seeds = [_seed_of_repeat(seed, repeat) for repeat in range(repeats)]
        columns = [fold_of_each_row(target, cv, stratify=stratify, seed=each, table=table) for each in seeds]
        plan = FoldPlan(tuple(_by_number(np.column_stack(columns))), _times(repeats, f"{cv} folds"))
    _check(plan, len(target))
    return plan


def _seed_of_repeat(seed: int, repeat: int) -> int:
    """The first deal has the seed itself; later ones share no deal with those of the next seed."""
    return seed if repeat == 0 else int(np.random.SeedSequence([seed, repeat]).generate_state(1)[0])


def _times(repeats: int, text: str) -> str:
    return text if repeats == 1 else f"{repeats} x {text}"


def _check_count(cv: int, repeats: int, most: int, things: str) -> None:
    if isinstance(cv, bool) or not isinstance(cv, int | np.integer) or not 2 <= cv <= most:
        raise DataError(
            f"cv must be a number of folds from 2 to the number of {things}, {most}. Got {cv!r}. "
            "Folds of your own go to folds=."
        )
    if isinstance(repeats, bool) or not isinstance(repeats, int | np.integer) or repeats < 1:
        raise DataError(f"repeats must be a whole number from 1 on. Got {repeats!r}.")


def _column(values: Any, n_rows: int, name: str) -> NDArray[Any]:
    column = np.asarray(values)
    if column.ndim != 1 or len(column) != n_rows:
        raise DataError(f"{name} must have one value for each of the {n_rows} rows. Got the shape {column.shape}.")
    return column


def _by_number(numbers: NDArray[Any]) -> Iterable[Fold]:
    for column in numbers.T:
        for number in sorted(set(column.tolist()) - {ALWAYS_TRAINS}):
            yield Fold(np.flatnonzero(column != number), np.flatnonzero(column == number))


def _grouped(target: NDArray[Any], groups: NDArray[Any], stratify: bool, cv: int, repeats: int, seed: int) -> FoldPlan:
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    _check_count(cv, repeats, len(np.unique(groups)), "groups")
    kind = StratifiedGroupKFold if stratify else GroupKFold
    found: list[Fold] = []
    for repeat in range(repeats):
        splitter = kind(cv, shuffle=True, random_state=_seed_of_repeat(seed, repeat) % 2**32)
        found += _split(splitter, _codes(target) if stratify else target, groups)
    return FoldPlan(tuple(found), _times(repeats, f"{cv} folds of whole groups"))


def _codes(target: NDArray[Any]) -> NDArray[np.int64]:
    return np.unique(target, return_inverse=True)[1].reshape(-1)


def _split(splitter: Any, target: NDArray[Any], groups: NDArray[Any] | None) -> list[Fold]:
    pairs = splitter.split(np.zeros((len(target), 1)), target, groups)
    return [Fold(np.asarray(training, np.int64), np.asarray(test, np.int64)) for training, test in pairs]


def _given(folds: Any, target: NDArray[Any], groups: NDArray[Any] | None) -> FoldPlan:
    if hasattr(folds, "split") and not isinstance(folds, str | bytes):
        found = _split(folds, target, groups)
    elif _are_pairs(folds):
        found = [Fold(_row_numbers(training), _row_numbers(test)) for training, test in folds]
    else:
        numbers = np.asarray(folds)
        if numbers.ndim not in (1, 2) or len(numbers) != len(target):
            raise DataError(
                f"folds must give each of the {len(target)} rows the number of its fold (or be a splitter, or pairs of "
                f"row numbers). Got the shape {numbers.shape}."
            )
        found = list(_by_number(numbers.reshape(len(target), -1)))
    return FoldPlan(tuple(found), f"{len(found)} folds as given")


def _are_pairs(folds: Any) -> bool:
    """Tell lists of (training rows, test rows) from columns of fold numbers."""
    return (
        isinstance(folds, list | tuple)
        and len(folds) > 0
        and all(
            isinstance(pair, tuple) and len(pair) == 2 and all(np.ndim(part) == 1 for part in pair) for pair in folds
        )
    )


def _row_numbers(rows: Any) -> Rows:
    numbers = np.asarray(rows)
    return np.flatnonzero(numbers) if numbers.dtype == bool else numbers.astype(np.int64)


def _check(plan: FoldPlan, n_rows: int) -> None:
    if len(plan.folds) < 2:
        raise DataError(f"A comparison needs 2 folds at least, to see how much a score varies. Got {len(plan.folds)}.")
    for number, fold in enumerate(plan.folds):
        if not len(fold.training) or not len(fold.test):
            raise DataError(f"Fold {number} has {len(fold.training)} rows to learn from and {len(fold.test)} to test.")
        rows = np.concatenate([fold.training, fold.test])
        if rows.min() < 0 or rows.max() >= n_rows:
            raise DataError(f"Fold {number} names a row that is not there: rows are numbered 0 to {n_rows - 1}.")
        if len(np.intersect1d(fold.training, fold.test)):
            raise DataError(f"Fold {number} tests rows that it also learns from, so its score would tell nothing.")
