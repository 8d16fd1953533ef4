"""`tw.calibrate`: probabilities that are as often right as they say, for any classifier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest
from treewright.learners.base.calibration import METHODS, with_no_calibration
from treewright.learners.base.conformal import shares_of_classes
from treewright.learners.base.options import SEED, option
from treewright.model_selection.calibration_effect import effect_of
from treewright.model_selection.calibration_fit import JudgedRows, learn_calibration
from treewright.model_selection.out_of_fold import (
    OUT_OF_BAG,
    PREFIT,
    Rows,
    check_cv,
    copy_carrying,
    fitted_on_all,
    fold_models,
    out_of_bag_answers,
)

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def calibrate(
    model: Any,
    X: Any,
    y: Any,
    *,
    method: str = "sigmoid",
    cv: int | str = 5,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: int = 0,
) -> Any:
    """Give a copy of a classifier whose probabilities are corrected by how often it is right on rows not seen.

    Only `predict_proba` changes. The answers of `predict`, the tree, its rules and pictures stay those of the model;
    the copy is saved, loaded and explained as the model is. A model of the folds is never asked about rows that it
    was trained on, so the rows of the training may be used.

    Parameters
    ----------
    model : classifier of treewright
        Fitted or not; one that is not fitted is fitted on all rows.
    X, y : table and column
        The rows that the model was (or is to be) trained on; with ``cv="prefit"`` rows that it was not.
    method : {"sigmoid", "temperature", "isotonic"}, default "sigmoid"
        One number for how sure the model may be, and a bias for each class (Platt's sigmoid of the log-odds, for any
        number of classes); without the biases; or any function that does not fall, which wants a thousand rows or more.
    cv : int, "prefit" or "out_of_bag", default 5
        So many folds: copies of the model are fitted without each. Or the model itself is asked about rows that it has
        not seen; or, for forests, the trees that did not draw a row.
    sample_weight : column, optional
        How much each row counts.
    groups : column, optional
        Rows of one group stay in one fold.
    random_state : int, default 0
        Of the dealing of rows to folds.

    Returns
    -------
    model
        A fitted copy; `calibration_` is the map, with what it was worth on rows not seen.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> model = tw.calibrate(tw.DecisionTreeClassifier(random_state=0), X, y)
    >>> print(model.calibration_)
    sigmoid: temperature 0.666, biases -0.113, 0.113, mix 0.5
    log loss           2.7581 -> 0.5125
    Brier score        0.1785 -> 0.1651
    calibration error  0.1003 -> 0.0595
    """
    if not isinstance(method, str) or method not in METHODS:
        raise DataError(f"There is no method {method!r} to calibrate by. {nearest(str(method), METHODS)}")
    random_state = option("tw.calibrate", "random_state", random_state, SEED)
    rows = Rows.of(model, X, y, sample_weight, groups, "calibrate")
    if not model._predicts_classes:
        raise DataError(f"{type(model).__name__} predicts numbers. tw.calibrate is for the probabilities of classes.")
    check_cv(cv, model, "calibrate")
    whole = fitted_on_all(model, rows, **({"oob_score": True} if cv == OUT_OF_BAG else {}))
    if len(whole.classes_) < 2:
        raise DataError("All rows are of one class, so there is no probability to correct. Pass rows of others too.")
    shares, codes, weights = _judged(whole, rows, cv, random_state)
    learnt = learn_calibration(JudgedRows.counted(shares, codes, weights), method)
    effect = effect_of(method, shares, codes, weights)
    return copy_carrying(whole, calibration_=replace(learnt, effect=effect))


def _judged(whole: Any, rows: Rows, cv: int | str, seed: int) -> tuple[Floats, Codes, Floats]:
    """Probabilities of rows not seen, before any calibration, with their classes and weights."""
    codes = class_numbers(rows.y, whole.classes_)
    weights = np.ones(len(codes)) if rows.weights is None else rows.weights
    if cv == OUT_OF_BAG:
        shares = out_of_bag_answers(whole, len(rows), "oob_decision_function_")
        known = ~np.isnan(shares).any(axis=1)
        return shares[known], codes[known], weights[known]
    if cv == PREFIT:
        return shares_of_classes(with_no_calibration(whole), rows.X, whole.classes_), codes, weights
    parts = []
    for judged in fold_models(whole, rows, int(cv), seed):
        shares = shares_of_classes(with_no_calibration(judged.model), judged.rows.X, whole.classes_)
        held = np.ones(len(judged.asked)) if judged.rows.weights is None else judged.rows.weights
        parts.append((shares, codes[judged.asked], held))
    shares, codes, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    return shares, codes, weights


def class_numbers(y: NDArray[Any], classes: NDArray[Any]) -> Codes:
    """The number of each row's class among those that a model knows; another one is refused."""
    number = {label: place for place, label in enumerate(classes.tolist())}
    codes = np.array([number.get(label, -1) for label in y.tolist()], dtype=np.int64)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        label = y.tolist()[row]
        raise DataError(f"Row {row + 1} is of class {label!r}, which the model does not know. Leave such rows out.")
    return codes
