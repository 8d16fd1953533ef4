"""What forests and boosting say about one row."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError

MODELS = [
    tw.RandomForestClassifier(20, random_state=0),
    tw.ExtraTreesClassifier(20, random_state=0),
    tw.GradientBoostingClassifier(n_estimators=20),
    tw.AdaBoostClassifier(n_estimators=20),
    tw.BaggingTreesClassifier(n_estimators=10, random_state=0),
]
ROW = {"sex": "male", "age": 30.0, "passengerClass": "1st"}


@pytest.fixture(scope="module", params=MODELS, ids=lambda model: type(model).__name__)
def fitted(request: pytest.FixtureRequest) -> Any:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    return request.param.fit(X, y)


def test_the_answer_is_that_of_the_model_and_the_change_really_changes_it(fitted: Any) -> None:
    why = fitted.why(ROW, fixed=["passengerClass"])
    assert why.prediction == fitted.predict(pd.DataFrame([ROW]))[0]
    if why.change is not None:
        assert fitted.predict(pd.DataFrame([why.change.row]))[0] == why.change.answer != why.prediction
        assert why.change.row["passengerClass"] == "1st"


def test_no_other_value_of_the_column_is_nearer(fitted: Any) -> None:
    change = fitted.why(ROW, fixed=["sex", "passengerClass"]).change
    assert change is not None
    ages = np.linspace(0, 80, 1601)
    answers = fitted.predict(pd.DataFrame([{**ROW, "age": age} for age in ages]))
    nearest = min(abs(age - 30) for age, answer in zip(ages, answers, strict=True) if answer == change.answer)
    assert abs(change.row["age"] - 30) <= nearest + 1


def test_each_tree_counts_once_for_a_condition(fitted: Any) -> None:
    why = fitted.why(ROW)
    counts = {(shared.column, shared.kind): 0 for shared in why.shared}
    for tree in fitted.trees_:
        for column in set(tree.arrays["column"][[step.node for step in _steps(tree, why)]].tolist()):
            for key in counts:
                counts[key] += key[0] == column
    assert all(shared.n_trees <= counts[shared.column, shared.kind] for shared in why.shared)
    assert max(shared.n_trees for shared in why.shared) <= len(fitted.trees_)


def _steps(tree: Any, why: Any) -> Any:
    from treewright.inspection.decision_path import walk

    return walk(tree, why.row.numbers)[0]


def test_contributions_are_the_shap_values_of_the_answered_class(fitted: Any) -> None:
    why = fitted.why(ROW)
    values = fitted.shap_values(pd.DataFrame([ROW]))[0]
    if values.ndim == 2:
        values = values[:, fitted.classes_.tolist().index(why.prediction)]
    assert why.contributions == {
        name: values[j] for j, name in sorted(enumerate(ROW), key=lambda x: -abs(values[x[0]]))
    }


def test_everything_is_text_json_and_a_page(fitted: Any) -> None:
    why = fitted.why({"age": 30.0, "sex": "<b>"})
    assert json.loads(why.to_json())["trees"] == len(fitted.trees_)
    assert "<b>" not in why.to_html()
    assert "sex is <b>" in str(why) or all(shared.column != 0 for shared in why.shared)


def test_numbers_of_a_forest_have_a_middle_half_and_those_of_boosting_add_up() -> None:
    X, y = tw.datasets.load_boston(return_X_y=True)
    forest = tw.RandomForestRegressor(20, random_state=0).fit(X, y)
    assert "20 trees, the middle half of them between" in forest.why(X.iloc[0]).sentence
    boosted = tw.GradientBoostingRegressor(n_estimators=10).fit(X, y)
    why = boosted.why(X.iloc[0], above=float(boosted.predict(X)[0]) + 1)
    assert "10 trees add up to it" in why.sentence
    assert boosted.predict(pd.DataFrame([why.change.row]))[0] == why.change.answer > why.prediction + 1


def test_a_model_of_an_array_explains_a_list() -> None:
    model = tw.RandomForestClassifier(5, random_state=0).fit([[1.0, 2.0], [2.0, 2.0], [3.0, 1.0]] * 4, list("abb") * 4)
    assert model.why([1.0, 2.0]).prediction == "a"


def test_a_wrong_class_is_refused() -> None:
    model = tw.RandomForestClassifier(2).fit([[1], [2]], ["a", "b"])
    with pytest.raises(DataError, match="no class of the model"):
        model.why([1], not_class="c")
