"""A table without rows has an answer without rows, of the shape and type that rows would have, and teaches nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import treewright as tw

ENDS = ("Classifier", "Regressor", "Regression", "Perceptron")
ESTIMATORS = [getattr(tw, name) for name in sorted(dir(tw)) if name.endswith(ENDS)]
ASKED = ("predict", "predict_proba", "predict_log_proba", "decision_function", "apply", "transform", "shap_values")
N = 60
random = np.random.default_rng(4)
FRAME = pd.DataFrame({"a": random.integers(0, 3, N) / 2, "b": random.choice(["u", "v"], N)})
FORMS = {
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "array": FRAME[["a", "a"]].to_numpy(),
    "sparse": scipy.sparse.csr_matrix(FRAME[["a", "a"]].to_numpy()),
}


def _fitted(estimator: type[Any], X: Any) -> Any:
    model = estimator()
    model.set_params(**{"n_estimators": 3} if "n_estimators" in model.get_params() else {})
    if estimator is tw.ID3Classifier and hasattr(X, "columns"):
        model.set_params(column_kinds={"a": "nominal"})  # it takes levels only
    signs = FRAME["a"].to_numpy() > 0.5
    return model.fit(X, np.where(signs, "yes", "no") if estimator._predicts_classes else signs * 3.5)


@pytest.mark.filterwarnings("ignore::UserWarning")  # what is odd about so small a table
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_no_rows_give_an_empty_answer_of_the_same_shape_and_type(estimator: type[Any], form: str) -> None:
    X = FORMS[form]
    model = _fitted(estimator, X)
    for method in ASKED:
        if hasattr(model, method):
            some, none = getattr(model, method)(X[:2]), getattr(model, method)(X[:0])
            assert none.shape == (0, *some.shape[1:]), method
            assert none.dtype == some.dtype, method


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_nothing_is_learnt_from_no_rows(estimator: type[Any], form: str) -> None:
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        estimator().fit(FORMS[form][:0], np.zeros(0))


def test_no_codes_are_decoded_to_no_rows() -> None:
    X = FORMS["array"]
    model = tw.Autoencoder().fit(X)
    assert model.inverse_transform(model.transform(X[:0])).shape == (0, 2)
