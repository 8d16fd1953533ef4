"""Naive Bayes gives the probabilities of the definition, at once or in parts, and those of scikit-learn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import CategoricalNB, GaussianNB

import treewright as tw
from oracle.naive_bayes import log_joint
from properties.engine import frame_of
from properties.tables import tables
from thorough import examples
from treewright.reference.table import Table


def fitted(table: Table, **more: Any) -> Any:
    kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    model = tw.NaiveBayesClassifier(column_kinds=kinds, **more)
    return model.fit(frame_of(table), np.array(table.target), np.array(table.weights, dtype=float))


@pytest.mark.parametrize("numeric", ["gaussian", "kernel"])
@settings(max_examples=examples(120))
@given(table=tables(classes=3), alpha=st.sampled_from([1.0, 0.5]))
def test_probabilities_are_those_of_the_definition(numeric: str, table: Table, alpha: float) -> None:
    found = fitted(table, numeric=numeric, alpha=alpha).predict_proba(frame_of(table))
    for number, row in enumerate(zip(*(column.values for column in table.columns), strict=True)):
        logs = [log_joint(table, row, k, numeric, alpha) for k in range(table.n_classes)]
        highest = max(logs)
        total = sum(math.exp(log - highest) for log in logs)
        expected = [math.exp(log - highest) / total for log in logs]
        assert found[number].tolist() == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("numeric", ["gaussian", "kernel"])
@settings(max_examples=examples(60))
@given(table=tables(classes=3), cut=st.integers(1, 23))
def test_rows_in_parts_give_the_same_model_as_all_at_once(numeric: str, table: Table, cut: int) -> None:
    frame, target = frame_of(table), np.array(table.target)
    weights = np.array(table.weights, dtype=float)
    kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    # as text, so that a part knows its own levels only
    frame = frame.apply(
        lambda column: column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column
    )
    kinds = {name: "nominal" if kind == "ordinal" else kind for name, kind in kinds.items()}
    # "range": how finely a column is spread is not known before its end
    whole, parts = (tw.NaiveBayesClassifier(column_kinds=kinds, numeric=numeric, min_sd="range") for _ in range(2))
    whole.fit(frame, target, weights)
    for part in (slice(0, cut), slice(cut, None)):
        if weights[part].any():
            parts.partial_fit(frame[part], target[part], np.unique(target), weights[part])
    assert parts.class_count_.tolist() == whole.class_count_.tolist()
    assert parts.theta_ == pytest.approx(whole.theta_, abs=1e-12)
    if numeric == "gaussian":
        assert parts.predict_proba(frame) == pytest.approx(whole.predict_proba(frame), abs=1e-6)


def test_gaussian_columns_give_the_numbers_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 6)) * rng.uniform(0.1, 50, 6) + 100 * rng.normal(size=6)
    y, w = rng.integers(0, 4, 500), rng.integers(1, 4, 500).astype(float)
    for weights in (None, w):
        ours = tw.NaiveBayesClassifier(variance="population").fit(X, y, weights)
        theirs = GaussianNB().fit(X, y, weights)
        assert ours.theta_ == pytest.approx(theirs.theta_, rel=1e-9)
        assert ours.var_ == pytest.approx(theirs.var_, rel=1e-6)
        assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), rel=1e-6, abs=1e-12)
        assert ours.predict(X).tolist() == theirs.predict(X).tolist()


def test_levels_give_the_numbers_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    codes, y = rng.integers(0, 4, (300, 5)), rng.integers(0, 3, 300)
    ours = tw.NaiveBayesClassifier().fit(pd.DataFrame(codes).astype(str).rename(columns=str), y)
    shares = ours.predict_proba(pd.DataFrame(codes).astype(str).rename(columns=str))
    assert shares == pytest.approx(CategoricalNB(alpha=1.0).fit(codes, y).predict_proba(codes), rel=1e-9)


def test_a_class_that_is_narrow_beside_the_others_keeps_its_digits() -> None:
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=(50, 1)) * 1e-9 + 5, rng.normal(size=(50, 1))])
    y = np.repeat([0, 1], 50)
    ours = tw.NaiveBayesClassifier(variance="population", var_smoothing=0.0).fit(X, y)
    theirs = GaussianNB(var_smoothing=0.0).fit(X, y)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), rel=1e-6, abs=1e-12)


def test_a_long_column_of_kernels_is_close_to_the_sum_over_all_its_values() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(3000, 1)), np.zeros(3000, dtype=int)
    y[1500:] = 1
    X[1500:] += 1
    model = tw.NaiveBayesClassifier(numeric="kernel").fit(X, y)
    asked = np.linspace(-2, 3, 20)
    logs = []
    for values in (X[:1500, 0], X[1500:, 0]):
        width = (values.max() - values.min()) / np.sqrt(1500)
        bells = np.exp(-(((asked[:, None] - values) / width) ** 2) / 2) / width
        logs.append(bells.mean(axis=1))
    expected = logs[1] / (logs[0] + logs[1])
    assert model.predict_proba(asked[:, None])[:, 1] == pytest.approx(expected, rel=0.01, abs=0.001)
