"""ID3 as users meet it: the tables of the lectures, empty branches, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from golden.weka_tree import load
from treewright.errors import DataError


def test_exactly_one_of_two_is_learnt_unless_a_gain_is_asked_for() -> None:
    X, y = [["n", "n"], ["n", "y"], ["y", "n"], ["y", "y"]], ["same", "other", "other", "same"]
    assert list(tw.ID3Classifier().fit(X, y).predict(X)) == y
    assert tw.ID3Classifier(min_gain=1e-9).fit(X, y).get_n_leaves() == 1


def test_the_gains_of_tennis_are_those_of_the_books() -> None:
    X, y = tw.datasets.load_tennis(return_X_y=True)
    tree = tw.ID3Classifier().fit(X, y).tree_
    asked = {
        (X.columns[c], round(g, 4)) for c, g in zip(tree.arrays["column"], tree.arrays["gain"], strict=True) if c >= 0
    }
    assert asked == {("Outlook", 0.2467), ("Wind", 0.971), ("Humidity", 0.971)}


def test_credit_risk_asks_income_first() -> None:
    X, y = tw.datasets.load_credit_risk(return_X_y=True)
    tree = tw.ID3Classifier().fit(X, y).tree_
    assert "ncome" in X.columns[tree.arrays["column"][0]]
    assert tree.arrays["gain"][0] == pytest.approx(0.9663, abs=5e-5)


def test_an_empty_branch_of_a_tied_node_answers_by_the_nearest_majority_above() -> None:
    X, y = tw.datasets.load_restaurant(return_X_y=True)
    model = tw.ID3Classifier().fit(X, y)
    full = X[(X["Pat"] == "Full") & (X["Hun"] == "T")].head(1).assign(Type="French")
    assert list(model.predict(full)) == ["F"]
    assert model.predict_proba(full)[0] == pytest.approx([0.5, 0.5])
    assert model.tree_.arrays["weight"].min() == 0


def test_a_level_never_seen_answers_as_the_node_that_asks_for_it() -> None:
    X, y = tw.datasets.load_tennis(return_X_y=True)
    model = tw.ID3Classifier().fit(X, y)
    assert list(model.predict(X.head(1).assign(Outlook="Fog"))) == ["Yes"]


@pytest.mark.parametrize("name", ["weather_nominal", "car"])
def test_rows_get_the_answer_of_weka_where_weka_gives_one(name: str) -> None:
    table = load(name)
    X, y, folds = table.frame[table.names], table.frame[table.target], table.folds
    told = table.content["id3"]["out_of_fold"]
    answers = np.full(len(y), "", dtype=object)
    for fold in range(10):
        # A split that gains nothing is not made there.
        model = tw.ID3Classifier(min_gain=1e-9, column_kinds=dict.fromkeys(X.columns, "nominal"))
        answers[folds == fold] = model.fit(X[folds != fold], y[folds != fold]).predict(X[folds == fold])
    given = [place != "?" for place in told]
    assert [answers[i] for i, g in enumerate(given) if g] == [table.classes[int(p)] for p in told if p != "?"]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ([20.5, 21.0, 19.0, 20.0], r"Column 'x' holds numbers \(20.5 in row 1\), but ID3 takes levels only"),
        ([70, 71, 72, 73], r"Column 'x' holds 4 different numbers, but ID3 takes levels only"),
        (pd.to_datetime(["2024-01-01", "2024-01-02"] * 2), "Column 'x' holds a date in each row, but ID3"),
    ],
)
def test_a_column_of_measurements_is_refused_with_a_cure(column: Any, said: str) -> None:
    with pytest.raises(DataError, match=said + ".*C45Classifier"):
        tw.ID3Classifier().fit(pd.DataFrame({"x": column}), list("abab"))


def test_numbers_are_levels_when_the_user_says_so_or_where_they_are_few() -> None:
    y = list("abab")
    asked = tw.ID3Classifier(column_kinds={"x": "nominal"}).fit(pd.DataFrame({"x": [70, 71, 72, 73]}), y)
    assert asked.get_n_leaves() == 4
    assert tw.ID3Classifier().fit(pd.DataFrame({"x": [1, 2, 1, 2]}), y).get_n_leaves() == 2
    with pytest.raises(DataError, match="asked to be numeric, but ID3 takes levels only"):
        tw.ID3Classifier(column_kinds={"x": "numeric"}).fit(pd.DataFrame({"x": [1, 2, 1, 2]}), y)


def test_missing_values_are_refused_or_a_branch_of_their_own() -> None:
    X, y = pd.DataFrame({"x": ["u", None, "v", "v"]}), list("abcc")
    with pytest.raises(DataError, match=r"Column 'x' has no value \(NaN or None\) in row 2"):
        tw.ID3Classifier().fit(X, y)
    model = tw.ID3Classifier(missing="branch").fit(X, y)
    assert list(model.predict(X)) == y
    with pytest.raises(DataError, match="in row 1"):
        tw.ID3Classifier().fit(X.iloc[2:].assign(x=["u", "v"]), list("ab")).predict(X.iloc[1:2])
