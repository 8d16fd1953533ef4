"""Logistic regression chooses its penalty by the log loss of rows held out."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold

import treewright as tw
from treewright.errors import DataError
from treewright.learners.base.matrix_folds import content_folds


def noisy(seed: int, n_classes: int, n: int = 90) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).round(2)
    y = np.digitize(X[:, 0] + X[:, 1] + rng.normal(size=n), np.linspace(-1, 1, n_classes + 1)[1:-1])
    return X, y


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("penalty", ["l2", "l1"])
def test_losses_are_those_of_models_fitted_to_each_fold_alone(n_classes: int, penalty: str) -> None:
    X, y = noisy(3, n_classes)
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    splits = list(KFold(4, shuffle=True, random_state=2).split(X))
    Cs = [0.01, 0.1, 1.0, 10.0]
    chosen = tw.LogisticRegression(penalty, C="cv", Cs=Cs, cv=splits).fit(X, y, weights)
    for C, found in zip(chosen.Cs_, chosen.cv_losses_, strict=True):
        answers = np.zeros((len(y), n_classes))
        for kept, held in splits:
            answers[held] = (
                tw.LogisticRegression(penalty, C=C).fit(X[kept], y[kept], weights[kept]).predict_proba(X[held])
            )
        assert found == pytest.approx(log_loss(y, answers, sample_weight=weights), rel=1e-5)
    assert chosen.Cs_[np.argmin(chosen.cv_losses_)] == chosen.C_
    alone = tw.LogisticRegression(penalty, C=chosen.C_).fit(X, y, weights)
    assert np.array_equal(chosen.coef_, alone.coef_)


@pytest.mark.parametrize("seed", range(6))
def test_scikit_learn_chooses_the_same_penalty_on_the_same_folds(seed: int) -> None:
    X, y = noisy(seed, 2 + seed % 3, n=100)
    cv = StratifiedKFold(5, shuffle=True, random_state=seed)
    splits = [(kept, held) for kept, held in cv.split(X, y)]
    ours = tw.LogisticRegression(C="cv", cv=splits).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = LogisticRegressionCV(Cs=10, cv=splits, scoring="neg_log_loss", max_iter=5000, tol=1e-8).fit(X, y)
    assert pytest.approx(np.ravel(theirs.C_)[0]) == ours.C_


def test_no_larger_penalty_is_tried_once_it_gets_worse() -> None:
    X, y = noisy(1, 2)
    model = tw.LogisticRegression(C="cv").fit(X, y)
    best = int(np.argmin(model.cv_losses_))
    assert len(model.Cs_) == min(best + 3, 10)


def test_folds_are_dealt_class_by_class_and_equal_rows_share_one() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (200, 2)).astype(float)
    y = (rng.random(200) < 0.1).astype(np.int32)
    folds = content_folds(X, y, 5, seed=0)
    rows = pd.DataFrame(X).assign(y=y, fold=folds)
    assert (rows.groupby([0, 1, "y"]).fold.nunique() == 1).all()
    different = rows.drop_duplicates([0, 1, "y"])
    counts = different.groupby("y").fold.value_counts().unstack()
    assert (counts.max(axis=1) - counts.min(axis=1) <= 1).all()


def test_a_class_of_one_row_is_no_hindrance() -> None:
    X, y = noisy(5, 2)
    y[0] = 2
    model = tw.LogisticRegression(C="cv").fit(X, y)
    assert np.isfinite(model.cv_losses_).all()
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"penalty": None, "C": "cv"}, "C='cv' chooses a penalty, and penalty=None has none"),
        ({"C": "cv", "Cs": [1.0, -1.0]}, "Cs holds -1.0"),
        ({"C": "cv", "Cs": []}, "Cs is empty"),
        ({"C": "cv", "Cs": ["many"]}, "Cs is a number of C's to try, or a list of them"),
        ({"C": "cv", "cv": [1, 2]}, "is no way to make folds"),
    ],
)
def test_what_cannot_be_chosen_is_said(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        tw.LogisticRegression(**settings).fit(*noisy(0, 2))


def test_rows_that_are_all_alike_leave_nothing_to_hold_out() -> None:
    with pytest.raises(DataError, match="nothing can be held out"):
        tw.LogisticRegression(C="cv").fit(np.ones((4, 1)), [0, 0, 0, 0])


def test_the_text_tells_what_was_chosen() -> None:
    model = tw.LogisticRegression(C="cv", Cs=[0.5]).fit(*noisy(0, 2))
    assert "penalty l2, C 0.5, by 5 folds" in str(model)
    plain = tw.LogisticRegression().fit(*noisy(0, 2)).set_params(C="cv")
    assert "penalty l2, C cv" in str(plain)
