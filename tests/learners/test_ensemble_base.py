"""What every ensemble of small trees promises, on the smallest ensembles there can be."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw
from learners.small_ensembles import SmallForestClassifier, SmallForestRegressor, SmallSum
from treewright.errors import DataError, ModelFileError
from treewright.save.model_bytes import from_bytes, to_bytes
from treewright.save.persist import load_bytes

ESTIMATORS = [SmallForestClassifier(), SmallForestRegressor(), SmallSum()]


@parametrize_with_checks(ESTIMATORS[:2])  # the sum of whole trees is no good regressor
def test_scikit_learn_finds_nothing_wrong(
    estimator: Any, check: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one check would not run
    check(estimator)


@pytest.fixture(scope="module")
def credit() -> tuple[pd.DataFrame, pd.Series]:
    X, y = tw.datasets.load_credit_g(return_X_y=True)
    X = X.copy()
    X.loc[::7, "duration"] = np.nan
    X.loc[::11, "purpose"] = None
    return X, y


def single_trees(X: pd.DataFrame, y: Any, n: int, kind: Any) -> list[Any]:
    return [kind(max_depth=i + 1).fit(X, y) for i in range(n)]


def test_probabilities_are_the_mean_of_the_trees(credit: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = credit
    model = SmallForestClassifier(5).fit(X, y)
    singles = single_trees(X, y, 5, tw.DecisionTreeClassifier)
    expected = sum(tree.predict_proba(X) for tree in singles) / 5
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    np.testing.assert_array_equal(model.predict(X), model.classes_[expected.argmax(axis=1)])
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(X), np.log(expected))


def test_numbers_are_the_mean_of_the_trees_and_boosting_adds_them_to_its_start() -> None:
    X, y = tw.datasets.load_boston(return_X_y=True)
    singles = single_trees(X, y, 4, tw.DecisionTreeRegressor)
    total = sum(tree.predict(X) for tree in singles)
    np.testing.assert_allclose(SmallForestRegressor(4).fit(X, y).predict(X), total / 4, rtol=1e-15)
    np.testing.assert_allclose(SmallSum(4).fit(X, y).predict(X), 100 + total, rtol=1e-15)


def test_the_nodes_and_the_paths_are_those_of_the_trees(credit: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = credit
    model = SmallForestClassifier(3).fit(X, y)
    nodes, (paths, ends) = model.apply(X), model.decision_path(X)
    for i, tree in enumerate(single_trees(X, y, 3, tw.DecisionTreeClassifier)):
        np.testing.assert_array_equal(nodes[:, i], tree.apply(X))
        part = paths[:, ends[i] : ends[i + 1]].toarray()
        np.testing.assert_array_equal(part, tree.decision_path(X).toarray())


def test_a_tree_of_an_ensemble_is_a_tree_like_any_other(credit: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = credit
    model = SmallForestClassifier(3).fit(X, y)
    single = tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    assert str(model.trees_[2]) == str(single.tree_)
    assert [tree.depth for tree in model.trees_] == [1, 2, 3]
    assert [tree.depth for tree in model.trees_[1:]] == [2, 3]
    assert model.trees_[-1].to_text() == model.trees_[2].to_text()
    assert len(model.trees_) == 3
    with pytest.raises(IndexError):
        model.trees_[3]


def test_a_tree_of_an_ensemble_answers_and_prunes_as_a_model_of_its_own(
    credit: tuple[pd.DataFrame, pd.Series],
) -> None:
    X, y = credit
    single = tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    member = SmallForestClassifier(3).fit(X, y).estimators_[2]
    np.testing.assert_array_equal(member.predict_proba(X), single.predict_proba(X))
    pruner = tw.CostComplexity(alpha=0.01)
    assert str(member.pruned(pruner)) == str(single.pruned(pruner))
    numbers = SmallSum(2).fit(X[["duration", "age"]], X["credit_amount"])
    assert [type(tree) for tree in numbers.estimators_] == [tw.DecisionTreeRegressor] * 2
    assert len(numbers.estimators_[:1]) == 1


def test_one_row_gets_the_answer_that_a_table_gets(credit: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = credit
    model = SmallForestClassifier(4).fit(X, y)
    some = X.iloc[:60]
    rows = [[None if pd.isna(value) else value for value in row] for row in some.itertuples(index=False)]
    assert [model.predict_one(row) for row in rows] == model.predict(some).tolist()
    by_name = [{name: value for name, value in zip(X.columns, row, strict=True) if value is not None} for row in rows]
    assert [model.predict_one(row) for row in by_name] == model.predict(some).tolist()
    unseen = {**by_name[0], "purpose": "a voyage to the moon"}
    assert model.predict_one(unseen) == model.predict_one({**by_name[0], "purpose": None})


def test_one_row_with_too_few_values_is_refused() -> None:
    model = SmallSum(2).fit([[1.0, 2.0], [2.0, 1.0]], [1.0, 3.0])
    assert model.predict_one([1.0, 2.0]) == model.predict([[1.0, 2.0]])[0]
    with pytest.raises(DataError, match="The row has 1 values, but the model has 2 columns"):
        model.predict_one([1.0])
    with pytest.raises(DataError, match="One row is a list or a tuple"):
        model.predict_one("ab")


def test_stages_are_the_answers_of_the_first_trees(credit: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = credit
    model = SmallForestClassifier(4).fit(X, y)
    for n, (stage, shares) in enumerate(
        zip(model.staged_predict(X), model.staged_predict_proba(X), strict=True), start=1
    ):
        fewer = SmallForestClassifier(n).fit(X, y)
        np.testing.assert_array_equal(stage, fewer.predict(X))
        np.testing.assert_array_equal(shares, fewer.predict_proba(X))


def test_a_warm_start_gives_the_trees_of_a_cold_one(credit: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = credit
    warm = SmallForestClassifier(2, warm_start=True).fit(X, y).set_params(n_estimators=4).fit(X, y)
    cold = SmallForestClassifier(4, warm_start=True).fit(X, y)
    assert warm.fingerprint() == cold.fingerprint()
    with pytest.raises(DataError, match="goes on with the table of the first fit"):
        warm.fit(X.drop(columns="purpose"), y)
    assert warm.fingerprint() == cold.fingerprint()


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_any_number_of_threads_makes_the_same_model_and_the_same_answers(
    threads: int, credit: tuple[pd.DataFrame, pd.Series]
) -> None:
    X, y = credit
    many = pd.concat([X] * 60, ignore_index=True)
    one = SmallForestClassifier(4, n_jobs=1).fit(X, y)
    other = SmallForestClassifier(4, n_jobs=threads).fit(X, y)
    assert one.fingerprint() == other.fingerprint()
    np.testing.assert_array_equal(one.predict_proba(many), other.predict_proba(many))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_files_pickles_and_joblib_give_the_model_back(estimator: Any, tmp_path: Path) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    y = y if estimator._predicts_classes else X.pop("petalwidth")
    model = clone(estimator).fit(X, y)
    tw.save(model, tmp_path / "m.tw")
    joblib.dump(model, tmp_path / "m.joblib")
    for other in (tw.load(tmp_path / "m.tw"), pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "m.joblib")):
        assert other.fingerprint() == model.fingerprint()
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert str(other) == str(model)
        assert other.trees_[1].to_text() == model.trees_[1].to_text()


def test_a_model_file_of_many_trees_takes_at_most_30_bytes_a_node(tmp_path: Path) -> None:
    X, y = np.random.default_rng(0).normal(size=(3000, 5)), np.arange(3000) % 3
    model = SmallForestClassifier(12).fit(X, y)
    tw.save(model, tmp_path / "m.tw")
    assert (tmp_path / "m.tw").stat().st_size < 30 * model.trees_.core.n_nodes
    data = (tmp_path / "m.tw").read_bytes()
    assert data[8:16] == (3).to_bytes(4, "little") * 2  # readers that know one tree only refuse it


def damaged(model: Any, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    header, arrays = from_bytes(model._tw_bytes())
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(header, arrays)
    load_bytes(to_bytes(header, arrays), "m.tw")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h, a: a.__setitem__("column", a["column"] + 99), "array 'column' of tree 0 is wrong at entry 0"),
        (lambda h, a: a.__setitem__("tree_nodes", a["tree_nodes"][:0]), "array 'test' is too long"),
        (lambda h, a: a.__setitem__("extra", a["gain"]), "arrays that an ensemble does not have"),
        (lambda h, a: a.pop("gain"), "array 'gain' is absent"),
        (lambda h, a: h.__setitem__("n_columns", 2), "array 'column' of tree 0 is wrong at entry 0"),
        (lambda h, a: h.__setitem__("classes", ["a"]), "it names 1 classes and its tree has 3"),
        (lambda h, a: h.__setitem__("learnt", {"oob_score_": "good"}), "is no number"),
        (lambda h, a: h.__setitem__("learnt", {"secret": 1}), "is not known"),
        (lambda h, a: h.__setitem__("params", {"x": 1}), "its parameters are not those of"),
    ],
)
def test_a_damaged_file_is_refused_with_a_sentence(change: Any, message: str) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = SmallForestClassifier(3).fit(X, y)
    with pytest.raises(ModelFileError, match=message):
        damaged(model, change)


def test_a_test_that_does_not_fit_its_column_is_refused(credit: tuple[pd.DataFrame, pd.Series]) -> None:
    model = SmallForestClassifier(3).fit(*credit)

    def other_level(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        ends = np.cumsum(arrays["n_levels"])
        arrays["level"][ends[0] - 1] = 5000

    with pytest.raises(ModelFileError, match="asks for level 5000 of column"):
        damaged(model, other_level)


def test_a_start_of_the_wrong_length_is_refused() -> None:
    model = SmallSum(2).fit([[1.0], [2.0]], [1.0, 3.0])
    with pytest.raises(ModelFileError, match="its baseline_ has the shape"):
        damaged(model, lambda h, a: a.__setitem__("learnt_baseline_", np.zeros(2)))


def test_missing_values_are_refused_where_that_was_asked_for() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})
    model = SmallForestClassifier(2, missing="refuse").fit(X, [0, 1, 1])
    with pytest.raises(DataError, match="Row 2 has no known value in column 'a'"):
        model.predict(pd.DataFrame({"a": [1.0, None], "b": ["x", "y"]}))
    with pytest.raises(DataError, match="has no known value in column 'b'"):
        model.predict_one([1.0, "z"])
    with pytest.raises(DataError, match="Column 'a' has missing values and missing='refuse'"):
        clone(model).fit(pd.DataFrame({"a": [1.0, None], "b": ["x", "y"]}), [0, 1])


def test_a_refused_fit_leaves_the_model_as_it_was(credit: tuple[pd.DataFrame, pd.Series]) -> None:
    model = SmallForestClassifier(2).fit(*credit)
    before = dict(model.__dict__)
    with pytest.raises(ValueError, match="row 2 has no target value"):
        model.fit([[1], [2]], ["a", None])
    assert model.__dict__ == before


def test_the_summary_tells_size_score_and_columns(credit: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = credit
    text = str(SmallForestClassifier(3).fit(X, y))
    assert text.splitlines()[:4] == [
        "SmallForestClassifier of 3 trees for 'class'",
        "  leaves   4.7 (from 2 to 8) a tree",
        "  depth    2.0 (from 1 to 3)",
        "  score    0.5000 out of bag",
    ]
    assert text.splitlines()[4].startswith("  columns  checking_status ")
    assert str(SmallForestClassifier(3)) == "SmallForestClassifier()"


def test_importances_are_the_mean_of_the_trees(credit: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = credit
    singles = single_trees(X, y, 3, tw.DecisionTreeClassifier)
    mean = np.mean([tree.feature_importances_ for tree in singles], axis=0)
    np.testing.assert_allclose(SmallForestClassifier(3).fit(X, y).feature_importances_, mean, rtol=1e-12)


def test_verbose_draws_a_bar_on_stderr_and_nothing_is_drawn_without_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    SmallForestClassifier(3).fit(X, y)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr", err := io.StringIO())
    SmallForestClassifier(3, verbose=1).fit(X, y)
    assert "SmallForestClassifier" in err.getvalue()
    assert "3/3" in err.getvalue()
