"""Tables with levels, holes and weights are learnt as the matrix that they stand for, written out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from thorough import examples


@st.composite
def mixed_tables(draw: Any) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """A few rows of a number, a level and a grade, any of which may be missing; down to one row and one class."""
    n = draw(st.integers(1, 15))

    def column(values: Any) -> list[Any]:
        return draw(st.lists(st.none() | values, min_size=n, max_size=n))

    frame = pd.DataFrame({
        "size": pd.array(column(st.integers(-3, 3)), dtype="Float64"),
        "job": pd.Categorical(column(st.sampled_from(["cook", "king", "smith"])), ["cook", "king", "smith"]),
        "grade": pd.Categorical(column(st.sampled_from(["low", "high"])), ["low", "high"], ordered=True),
    })  # fmt: skip
    y = np.array(draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n)))
    weights = np.array(draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=n, max_size=n)))
    return frame, y, weights + (weights.sum() == 0)


def mean_of_known(values: list[float | None], weights: list[float]) -> float:
    known = [(v, w) for v, w in zip(values, weights, strict=True) if v is not None]
    whole = sum(w for _, w in known)
    return sum(v * w for v, w in known) / whole if whole else 0.0


def coded(frame: pd.DataFrame, weights: np.ndarray, first_level: int) -> np.ndarray:
    """The matrix: a number, a column a level, a score; holes as means of the rows that count."""
    columns = [[None if pd.isna(v) else float(v) for v in frame["size"]]]
    jobs = [level for level in ("cook", "king", "smith") if level in set(frame["job"])]  # those that occur
    for level in jobs[first_level:]:
        columns.append([None if pd.isna(v) else float(v == level) for v in frame["job"]])
    columns.append([None if pd.isna(v) else {"low": 1.0, "high": 2.0}[v] for v in frame["grade"]])
    filled = []
    for values in columns:
        mean = mean_of_known(values, weights.tolist())
        filled.append([mean if v is None else v for v in values])
    return np.array(filled).T.reshape(len(frame), len(columns))


@pytest.mark.parametrize(("contrasts", "first_level"), [("treatment", 1), ("full", 0)])
@settings(max_examples=examples(40))
@given(table=mixed_tables())
def test_logistic_regression_of_a_table_is_that_of_its_matrix(
    contrasts: str, first_level: int, table: tuple[pd.DataFrame, np.ndarray, np.ndarray]
) -> None:
    frame, y, weights = table
    matrix = coded(frame, weights, first_level)
    model = tw.LogisticRegression(contrasts=contrasts).fit(frame, y, weights)
    plain = tw.LogisticRegression().fit(matrix, y, weights)
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(matrix), atol=1e-6)
    assert (model.predict_proba(frame).sum(axis=1) - 1 < 1e-12).all()


@settings(max_examples=examples(40))
@given(table=mixed_tables())
def test_a_perceptron_of_a_table_is_that_of_its_matrix(table: tuple[pd.DataFrame, np.ndarray, np.ndarray]) -> None:
    frame, y, weights = table
    settings_ = {"standardize": False, "shuffle": False, "max_iter": 10}
    model = tw.Perceptron(**settings_).fit(frame, y, weights)
    plain = tw.Perceptron(**settings_).fit(coded(frame, weights, 1), y, weights)
    kept = weights > 0
    assert model.mistakes_ == plain.mistakes_ or frame[kept].isna().to_numpy().any()  # means differ by rounding
    if not frame[kept].isna().to_numpy().any():
        np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-9)
