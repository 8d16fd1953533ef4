"""`model.predict_interval` and `model.predict_set`: answers with a promise, by the scores that `tw.conformal` keeps."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright.errors import DataError
from treewright.learners.base.conformal import ConformalScores, check_coverage, shares_of_classes


def predicts_classes(model: Any) -> bool:
    """Whether a model answers with classes."""
    return bool(model._predicts_classes)


def predicts_numbers(model: Any) -> bool:
    """Whether a model answers with numbers; one that only recodes a table answers with nothing."""
    return not model._predicts_classes and hasattr(model, "predict")


def predict_interval(self: Any, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
    """Give, for each row, an interval that holds the truth as often as `coverage` promises.

    The model is to be prepared by `tw.conformal` first, which says what is promised, and of which rows.

    Parameters
    ----------
    X : table
        Rows with the columns of the training.
    coverage : float, default 0.9
        The share of new rows whose truth shall lie in their interval. Larger: wider intervals.

    Returns
    -------
    array of shape (n_rows, 2)
        Lower and upper bound. They are infinite where too few rows are known for the promise: 0.9 needs nine.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_airquality(return_X_y=True)
    >>> model = tw.conformal(tw.DecisionTreeRegressor(max_depth=3), X, y)
    >>> model.predict_interval(X[:2], coverage=0.8).round().tolist()
    [[-2.0, 39.0], [-2.0, 39.0]]
    """
    share, kept = check_coverage(coverage), _kept_scores(self, "predict_interval")
    answers = np.column_stack([np.asarray(one.predict(X), dtype=np.float64) for one in kept.asked(self)])
    return kept.intervals(answers, share)


def predict_set(self: Any, X: Any, coverage: float = 0.9) -> NDArray[np.bool_]:
    """Give, for each row, a set of classes that holds the true one as often as `coverage` promises.

    The model is to be prepared by `tw.conformal` first, which says what is promised, and of which rows.

    Parameters
    ----------
    X : table
        Rows with the columns of the training.
    coverage : float, default 0.9
        The share of new rows whose class shall be in their set. Larger: larger sets.

    Returns
    -------
    array of truth values of shape (n_rows, n_classes)
        Whether each class is in the set; columns in the order of `classes_`. No set is empty: the class with the
        largest probability is always in it.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> model = tw.conformal(tw.NaiveBayesClassifier(), X, y)
    >>> in_set = model.predict_set(X, coverage=0.98)
    >>> [model.classes_[row].tolist() for row in in_set[[0, 70]]]
    [['Iris-setosa'], ['Iris-versicolor', 'Iris-virginica']]
    """
    share, kept = check_coverage(coverage), _kept_scores(self, "predict_set")
    shares = [shares_of_classes(one, X, self.classes_) for one in kept.asked(self)]
    found = kept.sets(shares, share)
    likely = (shares_of_classes(self, X, self.classes_) if kept.members else shares[0]).argmax(axis=1)
    found[np.arange(len(found)), likely] = True
    return found


def _kept_scores(model: Any, asked: str) -> ConformalScores:
    check_is_fitted(model)
    if (kept := model.__dict__.get("conformal_")) is None:
        raise DataError(
            f"{asked} needs to know how wrong this model is on rows that it has not seen. Prepare it once: "
            "model = tw.conformal(model, X, y) with the rows that it was trained on; with new rows say cv='prefit'."
        )
    return cast(ConformalScores, kept)
