"""Numbers that are equal but for their last bits are put in one order, whichever of them the processor makes larger."""

from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.inspection.importance import Importance
from treewright.learners.base.coefficient_text import weight_lines
from treewright.learners.ensemble.text import ensemble_text
from treewright.model_selection.measures import mean_area
from treewright.model_selection.tune import honest_score

NEARLY = [0.6835, np.nextafter(0.6835, 0), np.nextafter(0.6835, 1)]
ORDERS = list(permutations(NEARLY))


@pytest.mark.parametrize("sizes", ORDERS)
def test_the_weights_of_a_linear_model(sizes: tuple[float, ...]) -> None:
    model = SimpleNamespace(
        coef_=np.array([[*sizes, 2.0]]) * [1, -1, 1, 1],
        coef_names_=tuple("cabd"),
        spread_=np.ones(4),
        classes_=np.arange(2),
    )
    assert [line.split()[0] for line in weight_lines(model, "weights", "coef_")[1:]] == ["d", "c", "a", "b"]


@pytest.mark.parametrize("nothing", [0.0, 1e-17, -1e-17])
def test_a_weight_of_0_but_for_rounding_is_not_listed(nothing: float) -> None:
    model = SimpleNamespace(
        coef_=np.array([[2.0, nothing]]), coef_names_=("a", "b"), spread_=np.ones(2), classes_=np.arange(2)
    )
    assert weight_lines(model, "weights", "coef_")[1:] == ["  a           2"]


@pytest.mark.parametrize("sizes", ORDERS)
def test_the_importances_of_columns(sizes: tuple[float, ...]) -> None:
    found = Importance("shap", tuple("cabd"), np.array([*sizes, 2.0]), None, None, "size")
    assert found.to_frame()["column"].tolist() == ["d", "c", "a", "b"]


@pytest.mark.parametrize("sizes", ORDERS)
def test_a_fold_is_scored_by_the_first_of_equal_candidates(sizes: tuple[float, ...]) -> None:
    table = [[size, score] for size, score in zip(sizes, (0.1, 0.2, 0.3), strict=True)]
    assert honest_score(table, larger_is_better=True) == pytest.approx((sizes[2] + 0.1) / 2)


def test_classes_that_are_equally_probable_are_so_to_the_last_bit() -> None:
    # Both classes have the same shares, each in an order of its own: the sums of their logarithms differ by rounding.
    counts, names = np.array([1, 2, 3, 5, 7, 11, 13]), [f"q{j}" for j in range(7)]
    asked = pd.DataFrame([["y"] * 7], columns=names)
    for seed in range(30):
        order = np.random.default_rng(seed).permutation(counts)
        answers = [np.where(np.arange(20)[:, None] < shares, "y", "n") for shares in (order, counts)]
        X = pd.DataFrame(np.concatenate(answers), columns=names)
        model = tw.NaiveBayesClassifier().fit(X, ["a"] * 20 + ["b"] * 20)
        assert model.predict_proba(asked).tolist() == [[0.5, 0.5]]
        assert model.predict(asked).tolist() == ["a"]


def test_the_columns_of_an_ensemble_are_named_in_one_order() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    trees = tw.RandomForestClassifier(2, random_state=0).fit(X, y).trees_
    texts = {
        ensemble_text(SimpleNamespace(trees_=trees, feature_importances_=np.array([*sizes, 2.0]) / 4))
        for sizes in ORDERS
    }
    assert len(texts) == 1


@pytest.mark.parametrize("sizes", ORDERS)
def test_rows_with_alike_scores_are_tied(sizes: tuple[float, ...]) -> None:
    truth, scores = np.array([1, 0, 1, 0]), np.array([*sizes, 0.1])
    assert mean_area(truth, np.column_stack([1 - scores, scores]), np.array([0, 1])) == 0.75
    assert tw.gains_table(truth, scores)["rows"].tolist() == [3.0, 1.0]
