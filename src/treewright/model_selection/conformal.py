"""`tw.conformal`: how wrong a model is on rows not seen, kept beside it, so that it can promise intervals and sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.calibration import calibrated
from treewright.learners.base.conformal import MOST_MEMBERS, ConformalScores, keep_scores, shares_of_classes
from treewright.learners.base.exact_sum import exact_sum
from treewright.learners.base.folds import units_per_row
from treewright.learners.base.options import SEED, option
from treewright.model_selection.calibrate import class_numbers
from treewright.model_selection.out_of_fold import (
    OUT_OF_BAG,
    Rows,
    check_cv,
    copy_carrying,
    fitted_on_all,
    fold_models,
    out_of_bag_answers,
)
from treewright.save.attached import refuse_other_columns

Floats = NDArray[np.float64]


def conformal(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: int | str = 10,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: int = 0,
) -> Any:
    """Give a copy of a model that promises: `predict_interval` for numbers, `predict_set` for classes.

    What is promised holds for any model and any distribution, as long as new rows come from where these came from
    (any order of all of them is equally likely): of new rows at least a share `coverage` has its truth in its interval
    or set with ``cv="prefit"``; with folds at least 2 · coverage - 1 less 1 / √n by proof, and close to `coverage` in
    practice; out of bag it is close to it without a proof. It holds for all rows together, not for every kind of row.

    Parameters
    ----------
    model : classifier or regressor of treewright
        Fitted or not; one that is not fitted is fitted on all rows.
    X, y : table and column
        The rows that the model was (or is to be) trained on; with ``cv="prefit"`` rows that it was not.
    cv : int, "prefit" or "out_of_bag", default 10
        So many folds: a copy of the model is fitted without each (CV+ and cross-conformal sets), and kept, so that the
        file of the model grows as much, and answers take as many times as long; `predict` itself stays as it is. More
        folds: models that are nearer to the one that is judged. Or the model itself is asked about rows that it has
        not seen (split conformal). Or, for forests, the trees that did not draw a row.
    sample_weight : column, optional
        How much each row counts. Whole numbers are counts; others are divided by their mean first.
    groups : column, optional
        Rows of one group (a patient, a day) stay in one fold, each group counts as one row does else, and the promise
        is for a row of a new group.
    random_state : int, default 0
        Of the dealing of rows to folds.

    Returns
    -------
    model
        A fitted copy; `conformal_` holds the scores.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_airquality(return_X_y=True)
    >>> model = tw.conformal(tw.RandomForestRegressor(random_state=0), X, y, cv="out_of_bag")
    >>> low, high = model.predict_interval(X[:1], coverage=0.9)[0]
    >>> bool(low < model.predict(X[:1])[0] < high)
    True
    """
    rows = Rows.of(model, X, y, sample_weight, groups, "conformal")
    if not model._predicts_classes and not hasattr(model, "predict"):
        raise DataError(f"{type(model).__name__} predicts nothing that could be promised.")
    check_cv(cv, model, "conformal")
    random_state = option("tw.conformal", "random_state", random_state, SEED)
    if not isinstance(cv, str) and cv > MOST_MEMBERS:
        raise DataError(f"cv={cv}: the model of each fold is kept, and {MOST_MEMBERS} are the most. Ask for fewer.")
    whole = fitted_on_all(model, rows, **({"oob_score": True} if cv == OUT_OF_BAG else {}))
    kept = _scores(whole, rows, cv, random_state)
    return copy_carrying(whole, keep=("calibration_",), conformal_=kept)


def _scores(whole: Any, rows: Rows, cv: int | str, seed: int) -> ConformalScores:
    if isinstance(cv, str):
        answers = _out_of_bag(whole, rows) if cv == OUT_OF_BAG else _answers(whole, rows.X, whole)
        scores = _wrongness(answers, _truth(whole, rows.y))
        known = ~np.isnan(scores)
        return keep_scores(cv, [(scores[known], counted(rows.weights, rows.groups, len(rows))[known])])
    counts = counted(rows.weights, rows.groups, len(rows))
    share = np.ones(len(rows)) if rows.weights is None else rows.weights
    folds, members = [], []
    for judged in fold_models(whole, rows, cv, seed):
        _refuse_other_kinds(whole, judged.model)
        scores = _wrongness(_answers(judged.model, judged.rows.X, whole), _truth(whole, judged.rows.y))
        held = 1.0 if judged.rows.weights is None else judged.rows.weights / share[judged.asked]
        folds.append((scores, counts[judged.asked] * held))
        members.append(judged.model)
    return keep_scores("cross", folds, members)


def _answers(model: Any, X: Any, whole: Any) -> Floats:
    if whole._predicts_classes:
        return shares_of_classes(model, X, whole.classes_)
    return np.asarray(model.predict(X), dtype=np.float64)


def _out_of_bag(whole: Any, rows: Rows) -> Floats:
    name = "oob_decision_function_" if whole._predicts_classes else "oob_prediction_"
    return calibrated(whole, out_of_bag_answers(whole, len(rows), name))


def _truth(whole: Any, y: NDArray[Any]) -> NDArray[Any]:
    if whole._predicts_classes:
        return class_numbers(y, whole.classes_)
    return np.asarray(whole._encode_numbers(y), dtype=np.float64)


def _wrongness(answers: Floats, truth: NDArray[Any]) -> Floats:
    """How wrong each answer is: what the promise is made of."""
    if answers.ndim == 1:
        return np.abs(truth - answers)
    return np.asarray(1 - answers[np.arange(len(truth)), truth])


def counted(weights: Floats | None, groups: NDArray[Any] | None, n_rows: int) -> Floats:
    """How many rows each row counts for, beside the new one that counts 1.

    Rows of a group share what one row counts (hierarchical conformal prediction: Lee, Barber, Willett 2023).

    Examples
    --------
    >>> counted(np.array([2.0, 1.0]), None, 2).tolist(), counted(np.array([0.25, 0.75]), None, 2).tolist()
    ([2.0, 1.0], [0.5, 1.5])
    >>> counted(None, np.array(["a", "b", "b"]), 3).tolist()
    [1.0, 0.5, 0.5]
    """
    weights = np.ones(n_rows) if weights is None else weights
    if groups is not None:
        group = np.unique(groups, return_inverse=True)[1]
        order = np.lexsort((weights, group))  # added up in this order, a sum does not depend on that of the rows
        return np.asarray(weights / np.bincount(group[order], weights=weights[order])[group])
    return weights if units_per_row(weights) is not None else weights / (exact_sum(weights) / n_rows)


def _refuse_other_kinds(whole: Any, member: Any) -> None:
    try:
        refuse_other_columns(whole, member)
    except ValueError:
        raise DataError(
            "The rows of one fold show a column as another kind than all rows do. Say what it is by column_kinds."
        ) from None
