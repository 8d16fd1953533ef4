"""`shap_values` of every kind of tree is the Shapley value of its columns, as every coalition tells it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from properties.engine import frame_of
from properties.oblique_tables import oblique_tables
from properties.shap_rows import by_definition, coded_rows
from properties.tables import tables

CLOSE = 1e-9

CLASSIFIERS = {
    "CART, learnt side": lambda: tw.DecisionTreeClassifier(),
    "CART, surrogates": lambda: tw.DecisionTreeClassifier(missing="surrogates"),
    "CART, a branch of its own": lambda: tw.DecisionTreeClassifier(missing="branch"),
    "CART, in pieces": lambda: tw.DecisionTreeClassifier(missing="fractional"),
    "C4.5": lambda: tw.C45Classifier(min_samples_leaf=1, prune=False),
    "C4.5 with Laplace's rule": lambda: tw.C45Classifier(laplace=True, confidence=0.4),
    "CHAID": lambda: tw.CHAIDClassifier(alpha_split=0.5, alpha_merge=0.3, min_samples_split=2, min_samples_leaf=1),
    "conditional": lambda: tw.ConditionalTreeClassifier(alpha=0.7, min_samples_split=2, min_samples_leaf=1),
}
REGRESSORS = {
    "CART": lambda: tw.DecisionTreeRegressor(),
    "CART, surrogates": lambda: tw.DecisionTreeRegressor(missing="surrogates"),
    "CHAID": lambda: tw.CHAIDRegressor(alpha_split=0.5, alpha_merge=0.3, min_samples_split=2, min_samples_leaf=1),
    "model tree": lambda: tw.ModelTreeRegressor(min_samples_leaf=2, prune=False),
    "model tree without a range": lambda: tw.ModelTreeRegressor(min_samples_leaf=2, prune=False, clip=False),
}


def fitted(model: Any, table: Any) -> tuple[Any, Any]:
    model.column_kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    frame = frame_of(table)
    return model.fit(frame, np.array(table.target), sample_weight=np.array(table.weights, dtype=float)), frame


def check(model: Any, frame: Any, answers: Any) -> None:
    values = model.shap_values(frame)
    core = model.tree_.core
    expected_values, expected = by_definition([(core, model._node_numbers(core))], coded_rows(model, frame))
    shape = values.shape if values.ndim == 3 else (*values.shape, 1)
    np.testing.assert_allclose(values.reshape(shape), expected_values, atol=CLOSE)
    np.testing.assert_allclose(np.ravel(model.expected_value), expected, atol=CLOSE)
    np.testing.assert_allclose(values.sum(axis=1) + model.expected_value, answers(frame), atol=CLOSE)


@pytest.mark.parametrize("name", CLASSIFIERS)
@given(data=st.data())
@settings(max_examples=25)
def test_the_values_of_a_classifier_are_those_of_all_coalitions(name: str, data: st.DataObject) -> None:
    model, frame = fitted(CLASSIFIERS[name](), data.draw(tables(classes=3)))
    check(model, frame, model.predict_proba)


@pytest.mark.parametrize("name", REGRESSORS)
@given(data=st.data())
@settings(max_examples=25)
def test_the_values_of_a_regressor_are_those_of_all_coalitions(name: str, data: st.DataObject) -> None:
    model, frame = fitted(REGRESSORS[name](), data.draw(tables()))
    check(model, frame, model.predict)
