"""Linear models on tables at the edge: the answer is a number, or there is a sentence that says why not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 3)), RNG.normal(size=30)

TABLES: dict[str, tuple[Any, Any]] = {
    "one level": (pd.DataFrame({"a": ["x"] * 5}), np.arange(5.0)),
    "nothing known": (pd.DataFrame({"a": [None] * 5, "b": np.arange(5.0)}), np.arange(5.0)),
    "a small target": (X, Y * 1e-100),
    "small numbers": (X * 1e-170, Y),
    "far from 0": (X + 1e12, Y),
    "two rows": (X[:2], Y[:2]),
    "all rows alike but for the target": (np.ones((6, 3)), Y[:6]),
    "columns twice": (np.column_stack([X, X]), Y),
    "truth values": (pd.DataFrame({"a": [True, False] * 15}), Y),
    "dates": (pd.DataFrame({"d": pd.date_range("2020-01-01", periods=30, freq="h")}), Y),
    "a level a row": (pd.DataFrame({"a": [f"l{i}" for i in range(30)], "b": X[:, 0]}), Y),
}

MODELS = [
    tw.LinearRegression(),
    tw.LinearRegression(fit_intercept=False),
    tw.LinearRegression(missing="flag"),
    *(tw.LinearRegression(basis=name) for name in ("spline:3", "bspline:4", "polynomial:4", "radial:3", "fourier:2")),
    tw.RegularizedRegression(cv=3, alphas=8),
    tw.RegularizedRegression(cv=3, alphas=8, standardize=False),
    tw.RegularizedRegression(alpha=0),
    tw.RegularizedRegression(q=2, cv=3, alphas=8),
    *(tw.RegularizedRegression(q=q, alpha=0.1) for q in (0.5, 1, 1.01, 1.5, 2, 3)),
    tw.RegularizedRegression(alpha=1.0, l1_ratio=0),
    tw.RegularizedRegression(cv=2, alphas=5, fit_intercept=False),
]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: repr(model).replace("\n", " "))
def test_every_answer_is_a_number(name: str, model: Any, capfd: pytest.CaptureFixture[str]) -> None:
    table, target = TABLES[name]
    fitted = clone(model).fit(table, target)
    assert np.isfinite(fitted.predict(table)).all()
    assert np.isfinite(fitted.coef_).all()
    assert "nan" not in str(fitted)
    assert capfd.readouterr().out == ""  # LAPACK prints where it was called wrongly


@pytest.mark.parametrize("model", MODELS[:1] + MODELS[8:], ids=lambda model: repr(model).replace("\n", " "))
@pytest.mark.parametrize("weight", [1e-300, 1e290])
def test_only_the_ratio_of_weights_counts(model: Any, weight: float) -> None:
    ours, other = clone(model).fit(X, Y), clone(model).fit(X, Y, np.full(30, weight))
    np.testing.assert_allclose(other.coef_, ours.coef_, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: repr(model).replace("\n", " "))
def test_numbers_beyond_all_squares_are_refused(model: Any) -> None:
    with pytest.raises(ValueError, match="beyond the largest number"):
        clone(model).fit(X, Y * 1e200)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: repr(model).replace("\n", " "))
def test_targets_whose_squares_are_0_are_refused(model: Any) -> None:
    with pytest.raises(ValueError, match="Multiply the target by a constant, such as 1e200, and train again"):
        clone(model).fit(X, Y * 1e-200)


def test_lambdas_beyond_all_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="Multiply the target"):
        tw.RegularizedRegression(q=8, cv=3).fit(X, Y * 1e-100)
