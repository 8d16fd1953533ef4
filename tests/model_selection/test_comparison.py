"""tw.compare: learners on the same folds."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from model_selection.odd_estimators import Dies, Refuses, Slow, Warns
from oracle.comparing import corrected_t, two_sided_p
from treewright.errors import DataError
from treewright.model_selection import task as open_task
from treewright.model_selection.comparison import corrected_interval
from treewright.model_selection.cross_validation import cross_validate

IRIS, SPECIES = tw.datasets.load_iris(return_X_y=True)
TITANIC, SURVIVED = tw.datasets.load_titanic(return_X_y=True)
CARS, MILES = tw.datasets.load_auto_mpg(return_X_y=True)


def scores_of(result: tw.Comparison) -> dict[str, Any]:
    return {one.name: (one.scores, one.problem, one.notes) for one in result.learners}


def test_scores_are_those_of_cross_validation_on_the_same_folds() -> None:
    result = tw.compare(
        TITANIC, SURVIVED, {"tree": tw.DecisionTreeClassifier(max_depth=4), "c45": "c45"}, random_state=3
    )
    for name, model in (("tree", tw.DecisionTreeClassifier(max_depth=4)), ("c45", tw.C45Classifier())):
        alone = cross_validate(model, TITANIC, SURVIVED, 10, seed=3)
        assert result[name].scores["accuracy"] == alone.scores["accuracy"]
    assert result["baseline"].scores["accuracy"] == alone.baseline["accuracy"]


def test_scores_are_those_of_scikit_learn_on_a_given_splitter() -> None:
    folds = KFold(5, shuffle=True, random_state=2)
    result = tw.compare(IRIS, SPECIES, [GaussianNB()], folds=folds, baseline=False)
    for ours, theirs in (("accuracy", "accuracy"), ("auc", "roc_auc_ovr"), ("f1", "f1_macro")):
        assert result["GaussianNB"].scores[ours] == pytest.approx(
            cross_val_score(GaussianNB(), IRIS, SPECIES, cv=folds, scoring=theirs)
        )
    result = tw.compare(CARS, MILES, ["cart"], folds=folds)
    tree = tw.DecisionTreeRegressor(prune="cost_complexity_cv", random_state=0)
    theirs = -cross_val_score(tree, CARS, MILES, cv=folds, scoring="neg_root_mean_squared_error")
    assert result["cart"].scores["rmse"] == pytest.approx(theirs)


def test_every_learner_sees_the_same_folds() -> None:
    class Remembers(GaussianNB):
        seen: list[list[float]] = []

        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            self.seen.append(np.asarray(X)[:, 0].tolist())
            return super().fit(X, y, sample_weight)

    rows = np.arange(40.0)[:, None]
    tw.compare(rows, np.arange(40) % 2, [("a", Remembers()), ("b", Remembers())], cv=4, n_jobs=1)
    assert len(Remembers.seen) == 8
    assert Remembers.seen[0::2] == Remembers.seen[1::2]
    assert len({tuple(rows) for rows in Remembers.seen}) == 4


@pytest.mark.thorough
def test_results_do_not_depend_on_the_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    learners = [
        "cart",
        "forest",
        "boosting",
        LogisticRegression(max_iter=50),
        HistGradientBoostingClassifier(max_iter=5),
    ]
    here = tw.compare(TITANIC, SURVIVED, learners, cv=3, n_jobs=1)
    monkeypatch.setattr(open_task, "LARGE", 0)
    there = tw.compare(TITANIC, SURVIVED, learners, cv=3, n_jobs=2)
    assert scores_of(here) == scores_of(there)
    assert here["forest"].n_bytes == there["forest"].n_bytes  # that of the model file


def test_the_p_value_is_that_of_the_corrected_test_against_the_best() -> None:
    result = tw.compare(IRIS, SPECIES, ["cart", "forest", "chaid"], cv=5, repeats=2)
    assert result.p_value(result.best) == 1.0
    for name in ("cart", "chaid", "baseline"):
        if name != result.best:
            ours, best = result[name].scores["accuracy"], result[result.best].scores["accuracy"]
            assert result.p_value(name) == pytest.approx(two_sided_p(corrected_t(ours, best, 30, 120), 9), abs=1e-6)
    means = [one.mean("accuracy") for one in result.learners]
    assert means == sorted(means, reverse=True)


def test_an_interval_stays_within_what_the_measure_can_be() -> None:
    result = tw.compare(IRIS[::3], SPECIES[::3], ["cart", "naive_bayes"], cv=3)
    names = [one.name for one in result.learners]
    plain = [corrected_interval(result[name].scores["accuracy"], result.test_to_training) for name in names]
    assert any(high > 1 for _, high in plain)  # few rows: the t distribution reaches beyond
    for name, (low, high) in zip(names, plain, strict=True):
        assert result.interval(name, "accuracy") == (max(low, 0.0), min(high, 1.0))
        assert result.interval(name, "log_loss")[0] >= 0


def test_a_small_loss_comes_first() -> None:
    result = tw.compare(CARS, MILES, ["cart", "model_tree"], cv=3)
    assert [one.name for one in result.learners] == ["model_tree", "cart", "baseline"]
    by_share = tw.compare(CARS, MILES, ["cart", "model_tree"], cv=3, scoring="r2")
    assert by_share.scoring == "r2"
    assert by_share.best == "model_tree"
    assert by_share.to_frame().columns[1] == "r2"


def test_a_learner_that_fails_does_not_stop_the_others() -> None:
    result = tw.compare(IRIS, SPECIES, [Refuses(), "cart", Refuses("Iris-setosa")], cv=3)
    assert [one.name for one in result.learners] == ["cart", "baseline", "Refuses", "Refuses 2"]
    assert result["Refuses"].problem == "This one never learns."
    assert "Refuses failed: This one never learns." in str(result)
    frame = result.to_frame().set_index("learner")
    assert np.isnan(frame.loc["Refuses", "accuracy"])
    assert np.isnan(result.p_value("Refuses"))
    assert json.loads(result.to_json())["learners"][2]["accuracy"] is None


def test_a_learner_that_fails_in_some_folds_says_in_how_many() -> None:
    y = np.array(["rare"] + ["a"] * 10 + ["b"] * 10)
    result = tw.compare(np.arange(21.0)[:, None], y, [Refuses("rare")], cv=3)
    assert result["Refuses"].problem == "This one never learns. (in 2 of 3 folds)"


@pytest.mark.thorough  # what happens to the processes is tried in test_side_by_side
def test_a_process_that_dies_is_a_failure_of_its_learner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_task, "LARGE", 0)
    result = tw.compare(IRIS, SPECIES, ["cart", ("dies", Dies(os.getpid()))], cv=2, n_jobs=2)
    assert "ended without an answer" in result["dies"].problem
    assert result["cart"].mean("accuracy") > 0.9


def test_if_all_fail_the_first_sentence_is_the_error() -> None:
    with pytest.raises(DataError, match=r"Every learner failed\. Refuses: This one never learns\."):
        tw.compare(IRIS, SPECIES, [Refuses()], baseline=False, cv=2)


def test_warnings_become_notes_once() -> None:
    result = tw.compare(IRIS, SPECIES, [Warns()], cv=4)
    assert result["Warns"].notes == ("Not quite converged. (in 4 of 4 folds)",)
    assert "Warns: Not quite converged." in str(result)


def test_estimators_of_numbers_get_coded_columns_and_a_note() -> None:
    result = tw.compare(
        TITANIC, SURVIVED, [LogisticRegression(max_iter=1000), HistGradientBoostingClassifier(max_iter=5)], cv=3
    )
    assert result["LogisticRegression"].notes[0] == "levels as columns of 0 and 1, holes filled with the mean"
    assert result["HistGradientBoostingClassifier"].notes == ("levels as columns of 0 and 1",)
    assert tw.compare(IRIS, SPECIES, [GaussianNB()], cv=3)["GaussianNB"].notes == ()
    piped = tw.compare(TITANIC, SURVIVED, [make_pipeline(GaussianNB())], cv=3)
    assert "Pipeline failed" in str(piped)


def test_what_a_learner_cannot_say_has_no_value() -> None:
    result = tw.compare(IRIS, SPECIES, [LinearSVC()], cv=3, scoring="log_loss")
    assert np.isnan(result["LinearSVC"].mean("log_loss"))
    assert result["LinearSVC"].mean("auc") > 0.9
    assert result.best == "baseline"
    assert np.isnan(result.p_value("LinearSVC"))


def test_the_task_is_told_by_estimators_then_by_the_target() -> None:
    whole = np.arange(60) % 4
    rows = np.arange(60.0)[:, None]
    assert tw.compare(rows, whole, ["cart"], cv=3).task == "classification"
    assert tw.compare(rows, whole, ["cart", Ridge()], cv=3).task == "regression"
    assert tw.compare(rows, whole, ["cart"], cv=3, task="regression").task == "regression"


def test_all_algorithms_for_the_task_run_if_none_is_named() -> None:
    X, y = tw.datasets.load_weather_nominal(return_X_y=True)
    result = tw.compare(X, y, cv=2)
    assert {one.name for one in result.learners} >= {"cart", "id3", "c45", "forest", "boosting", "baseline"}
    assert "model_tree" not in {one.name for one in result.learners}


def test_groups_and_column_kinds_reach_the_folds_and_the_learners() -> None:
    frame = pd.DataFrame({"code": np.tile(np.arange(6), 10)})
    y = np.where(np.isin(frame["code"], [1, 4]), "yes", "no")
    groups = np.repeat(np.arange(10), 6)
    tree = tw.DecisionTreeClassifier(max_depth=1)
    as_number = tw.compare(frame, y, [tree], cv=5, groups=groups)
    as_level = tw.compare(frame, y, [tree], cv=5, groups=groups, column_kinds={"code": "nominal"})
    assert as_number.folds == "5 folds of whole groups"
    assert as_level["DecisionTreeClassifier"].mean("accuracy") == 1.0
    assert as_number["DecisionTreeClassifier"].mean("accuracy") < 1.0


def test_other_frames_give_the_same() -> None:
    ours = tw.compare(TITANIC, SURVIVED, ["cart"], cv=3)
    other = tw.compare(pl.from_pandas(TITANIC), pl.from_pandas(SURVIVED), ["cart"], cv=3)
    assert ours["cart"].scores == other["cart"].scores
    assert ours["cart"].scores == tw.compare(TITANIC.to_numpy(), SURVIVED.tolist(), ["cart"], cv=3)["cart"].scores


def test_time_is_processor_time_and_size_that_of_the_model_file() -> None:
    result = tw.compare(CARS, MILES, ["cart", Slow(0.05)], cv=2)
    assert result["Slow"].fit_seconds < 0.04  # asleep, it uses no processor
    assert result["cart"].fit_seconds > 0
    folds = tw.compare(CARS, MILES, ["cart"], cv=2)
    assert folds["cart"].n_bytes == result["cart"].n_bytes > 1000


def test_the_estimators_given_stay_as_they_are() -> None:
    model = DecisionTreeClassifier()
    forest = tw.RandomForestClassifier(n_estimators=3)
    tw.compare(IRIS, SPECIES, [model, forest], cv=2)
    assert model.random_state is None
    assert forest.get_params()["n_jobs"] is None
    assert not hasattr(forest, "classes_")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"algorithms": ["forrest"]}, "There is no algorithm 'forrest'. Did you mean 'forest'?"),
        ({"algorithms": ["model_tree"]}, "The algorithm model_tree does no classification."),
        ({"algorithms": [Ridge(), "cart"], "task": "classification"}, "Ridge does no classification."),
        ({"algorithms": [DecisionTreeClassifier]}, "Got DecisionTreeClassifier itself."),
        ({"algorithms": [7]}, "An algorithm is a name or an estimator"),
        ({"algorithms": []}, "There is no algorithm to run."),
        ({"scoring": "acuracy"}, "Did you mean 'accuracy'?"),
        ({"task": "clasification"}, "Did you mean 'classification'?"),
        ({"task": "regression"}, "The target holds no numbers"),
        ({"positive": "setossa"}, "Did you mean 'Iris-setosa'?"),
        ({"cv": 1000}, "number of rows, 150"),
        ({"y": SPECIES[:-1]}, "inconsistent numbers of samples"),
        ({"y": None}, "the target y is None"),
        ({"y": SPECIES.where(SPECIES.index != 3)}, "no value in row 3"),
        ({"X": tw.DecisionTreeClassifier()}, "takes the table first"),
        ({"X": np.arange(150)}, "Reshape it"),
    ],
)
def test_wrong_requests_are_answered_with_a_sentence(change: dict[str, Any], words: str) -> None:
    request: dict[str, Any] = {"X": IRIS, "y": SPECIES, "algorithms": ["cart"]} | change
    with pytest.raises(DataError) as problem:
        tw.compare(**request)
    assert words in str(problem.value)


def test_narrow_text_leaves_out_measures_but_never_the_one_that_decides() -> None:
    result = tw.compare(IRIS, SPECIES, ["cart"], cv=2)
    wide, narrow = result.to_text(), result.to_text(width=60)
    assert "F1" in wide
    assert "F1" not in narrow
    assert "accuracy" in narrow
    assert max(len(line) for line in narrow.splitlines()[2:5]) <= 60


def test_on_eighty_columns_seconds_give_way_before_measures_do() -> None:
    two = SPECIES.astype(str).eq("Iris-virginica").map({True: "yes", False: "no"})
    result = tw.compare(IRIS, two, ["cart", "naive_bayes", "extra_trees"], cv=2, n_jobs=1)
    heading = result.to_text(width=80).splitlines()[2]
    assert all(name in heading for name in ("log loss", "AUC", "F1"))
    assert "predict s" not in heading
    assert "fit s" not in heading
    assert "predict s" in result.to_text().splitlines()[2]


def test_everything_is_in_the_json() -> None:
    result = tw.compare(CARS, MILES, ["cart"], cv=3)
    read = json.loads(result.to_json())
    assert read["best"] == "cart"
    assert read["learners"][0]["folds"]["rmse"] == list(result["cart"].scores["rmse"])
    assert "<table" in result._repr_html_()
    with pytest.raises(KeyError, match="Did you mean 'cart'"):
        result["cert"]
