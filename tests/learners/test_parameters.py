"""Parameters: checked with a sentence, and carried through clone, grids, pipelines, pickles and displays.

`prune` needs the most care: it is a parameter, and on the same object the name of a method.
"""

from __future__ import annotations

import copy
import io
import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

import treewright as tw
from treewright.errors import DataError

X, Y = tw.datasets.load_iris(return_X_y=True)
PRUNER = tw.CostComplexity(cp=0.02)


def pruned() -> tw.DecisionTreeClassifier:
    return tw.DecisionTreeClassifier(max_depth=4, prune=PRUNER, column_kinds={"petalwidth": "numeric"})


def test_prune_is_a_parameter_and_a_method() -> None:
    model = pruned()
    assert model.get_params()["prune"] is PRUNER
    assert callable(model.prune)
    model.set_params(prune="cost_complexity_cv")
    assert model.get_params()["prune"] == "cost_complexity_cv"
    model.prune = None
    assert model.get_params()["prune"] is None
    assert callable(model.fit(X, Y).prune)


def test_a_clone_has_the_same_parameters_and_nothing_learnt() -> None:
    model = pruned().fit(X, Y)
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "tree_")
    assert fresh.fit(X, Y).fingerprint() == model.fingerprint()


def by_joblib(model: Any) -> Any:
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


COPIES = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "joblib": by_joblib,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_is_the_same_model(way: str) -> None:
    model = tw.DecisionTreeClassifier(prune="cost_complexity_cv", n_jobs=2, random_state=5).fit(X, Y)
    twin = COPIES[way](model)
    assert twin.get_params() == model.get_params()
    assert twin.fingerprint() == model.fingerprint()
    assert twin.predict(X).tolist() == model.predict(X).tolist()
    assert twin.predict_one(X.iloc[0].tolist()) == model.predict_one(X.iloc[0].tolist())
    assert twin.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    assert str(twin.cp_table_) == str(model.cp_table_)
    assert repr(twin) == repr(model)


@pytest.mark.parametrize("way", COPIES)
def test_a_model_that_has_learnt_nothing_can_be_copied(way: str) -> None:
    assert COPIES[way](pruned()).get_params() == pruned().get_params()


def test_saving_and_loading_gives_the_same_model(tmp_path: Path) -> None:
    for model in (pruned().fit(X, Y), tw.DecisionTreeRegressor(max_depth=3).fit(X, np.arange(len(X)))):
        tw.save(model, tmp_path / "model.tw")
        loaded = tw.load(tmp_path / "model.tw")
        assert type(loaded) is type(model)
        assert loaded.get_params() == model.get_params()
        assert loaded.fingerprint() == model.fingerprint()
        assert loaded.predict(X).tolist() == model.predict(X).tolist()
        assert str(loaded) == str(model)


def test_the_table_of_prices_is_saved_with_the_model(tmp_path: Path) -> None:
    model = tw.DecisionTreeClassifier(prune="cost_complexity_cv").fit(X, Y)
    tw.save(model, tmp_path / "model.tw")
    assert tw.load(tmp_path / "model.tw").cp_table_.to_frame().equals(model.cp_table_.to_frame())


def test_the_number_of_threads_is_no_part_of_the_model() -> None:
    models = [tw.DecisionTreeClassifier(n_jobs=k).fit(X, Y) for k in (None, 1, 2, 8, -1)]
    assert len({model.fingerprint() for model in models}) == 1


def test_other_parameters_or_data_give_another_fingerprint() -> None:
    models = [
        tw.DecisionTreeClassifier(max_depth=2),
        tw.DecisionTreeClassifier(max_depth=3),
        tw.DecisionTreeClassifier(max_depth=2, criterion="entropy"),
    ]
    prints = [model.fit(X, Y).fingerprint() for model in models] + [models[0].fit(X, Y == "Iris-setosa").fingerprint()]
    assert len(set(prints)) == 4


def test_the_model_shows_its_parameters_and_then_its_tree() -> None:
    model = pruned()
    assert repr(model).startswith("DecisionTreeClassifier(")
    assert "prune=CostComplexity(cp=0.02)" in repr(model)
    assert str(model) == repr(model)
    assert str(model.fit(X, Y)) == str(model.tree_)
    assert "CostComplexity" in estimator_html_repr(model)
    assert "CostComplexity" in model._repr_html_()


def test_pipelines_grids_and_ensembles_of_scikit_learn_take_the_estimators() -> None:
    pipeline = make_pipeline(make_column_transformer((StandardScaler(), list(X.columns))), tw.DecisionTreeClassifier())
    assert cross_val_score(pipeline, X, Y).mean() > 0.9
    assert cross_val_score(tw.DecisionTreeRegressor(), X[["petalwidth"]], X["petallength"]).mean() > -5
    grid = GridSearchCV(tw.DecisionTreeClassifier(), {"max_depth": [1, 3], "prune": [None, PRUNER]}, cv=3).fit(X, Y)
    assert grid.best_params_["max_depth"] == 3
    assert BaggingClassifier(tw.DecisionTreeClassifier(), n_estimators=3, random_state=0).fit(X, Y).score(X, Y) > 0.9


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"max_depth": 0}, "The 'max_depth' parameter .* Got 0 instead"),
    ({"max_depth": "deep"}, "The 'max_depth' parameter .* Got 'deep' instead"),
    ({"min_samples_split": 1}, "The 'min_samples_split' parameter"),
    ({"min_samples_leaf": 0}, "The 'min_samples_leaf' parameter"),
    ({"min_samples_leaf": 1.0}, "The 'min_samples_leaf' parameter"),
    ({"min_weight_fraction_leaf": 0.6}, "The 'min_weight_fraction_leaf' parameter"),
    ({"max_leaf_nodes": 1}, "The 'max_leaf_nodes' parameter"),
    ({"min_impurity_decrease": -1.0}, "The 'min_impurity_decrease' parameter"),
    ({"ccp_alpha": -0.5}, "The 'ccp_alpha' parameter"),
    ({"missing": "somewhere"}, "The 'missing' parameter .*'learn'.*Got 'somewhere' instead"),
    ({"criterion": "squares"}, "The 'criterion' parameter"),
    ({"prune": "reduced"}, "The 'prune' parameter .*'cost_complexity_cv'"),
    ({"n_jobs": 0}, "The 'n_jobs' parameter"),
    ({"column_kinds": "nominal"}, "The 'column_kinds' parameter"),
]


@pytest.mark.parametrize(("parameters", "words"), WRONG, ids=lambda value: str(value)[:40])
def test_a_wrong_parameter_is_refused_at_fit_with_what_it_may_be(parameters: dict[str, Any], words: str) -> None:
    for estimator in (tw.DecisionTreeClassifier, tw.DecisionTreeRegressor):
        with pytest.raises(ValueError, match=words):
            estimator(**parameters).fit(X, np.arange(len(X)))


def test_column_kinds_that_do_not_fit_the_table_are_refused() -> None:
    with pytest.raises(DataError, match=r"'petal_width' that the table does not have\. Did you mean 'petalwidth'"):
        tw.DecisionTreeClassifier(column_kinds={"petal_width": "nominal"}).fit(X, Y)
    with pytest.raises(DataError, match="asks for 'category' of column 'petalwidth'"):
        tw.DecisionTreeClassifier(column_kinds={"petalwidth": "category"}).fit(X, Y)
    with pytest.raises(DataError, match="row 1 holds 'a'"):
        tw.DecisionTreeClassifier(column_kinds={"t": "numeric"}).fit(pd.DataFrame({"t": ["a", "b"]}), [0, 1])


def test_shares_of_rows_are_read_as_shares() -> None:
    share = tw.DecisionTreeClassifier(min_samples_leaf=0.1, min_samples_split=0.5).fit(X, Y)
    count = tw.DecisionTreeClassifier(min_samples_leaf=15, min_samples_split=75).fit(X, Y)
    assert share.tree_.to_dict() == count.tree_.to_dict()
    weight = tw.DecisionTreeClassifier(min_weight_fraction_leaf=0.1).fit(X, Y)
    assert weight.tree_.to_dict() == tw.DecisionTreeClassifier(min_samples_leaf=15).fit(X, Y).tree_.to_dict()


def test_class_weights_count_as_row_weights() -> None:
    by_class = tw.DecisionTreeClassifier(max_depth=3, class_weight={"Iris-setosa": 2.0, "Iris-virginica": 0.5}).fit(
        X, Y
    )
    rows = Y.map({"Iris-setosa": 2.0, "Iris-virginica": 0.5, "Iris-versicolor": 1.0}).to_numpy()
    by_row = tw.DecisionTreeClassifier(max_depth=3).fit(X, Y, sample_weight=rows)
    assert by_class.tree_.to_dict() == by_row.tree_.to_dict()
    few = np.r_[0:50, 50:60, 100:105]
    balanced = tw.DecisionTreeClassifier(max_depth=1, class_weight="balanced").fit(X.iloc[few], Y.iloc[few])
    counts = balanced.tree_.arrays["count_weight"][:3]
    assert counts == pytest.approx([65 / 3] * 3)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({"rosa": 1.0}, "names a class 'rosa' that y does not have"),
        ({"Iris-setosa": -1.0}, "The class_weight of 'Iris-setosa' is -1.0"),
        ({"Iris-setosa": 0.0, "Iris-versicolor": 0.0, "Iris-virginica": 0.0}, "is zero"),
        ("even", "The 'class_weight' parameter"),
    ],
)
def test_wrong_class_weights_are_refused(weights: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tw.DecisionTreeClassifier(class_weight=weights).fit(X, Y)


def test_a_second_fit_forgets_the_first() -> None:
    model = tw.DecisionTreeClassifier(prune="cost_complexity_cv").fit(X, Y)
    model.set_params(prune=None).fit(X.to_numpy()[:, :2], np.arange(len(X)) % 2)
    assert not hasattr(model, "cp_table_")
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 2
    assert model.classes_.tolist() == [0, 1]
    assert model.predict_one([1.0, 2.0]) in (0, 1)


def test_the_names_of_parameters_are_those_of_each_class_and_nobody_can_change_them() -> None:
    class OfMyOwn(tw.DecisionTreeClassifier):
        def __init__(self, depth: int = 2) -> None:
            super().__init__(max_depth=depth)
            self.depth = depth

    before = tw.DecisionTreeClassifier().get_params()
    tw.DecisionTreeClassifier._get_param_names().clear()
    assert OfMyOwn._get_param_names() == ["depth"]
    assert tw.DecisionTreeClassifier().get_params() == before
    assert "max_depth" in before
