"""tw.tune: settings tried by cross-validation, the best fitted, an honest score."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import treewright as tw
from model_selection.odd_estimators import Refuses, Slow
from oracle import comparing
from thorough import examples
from treewright.errors import DataError
from treewright.learners.registry import LEARNERS
from treewright.model_selection import task as open_task
from treewright.model_selection.tune import honest_score
from treewright.model_selection.tuning import grid_for

IRIS, SPECIES = tw.datasets.load_iris(return_X_y=True)
CARS, MILES = tw.datasets.load_auto_mpg(return_X_y=True)
FOLDS = np.arange(150) % 4
SCORES = st.integers(0, 4).map(lambda quarters: quarters / 4)


def test_scores_are_those_of_cross_validation_and_the_best_is_fitted_on_all_rows() -> None:
    found = tw.tune(IRIS, SPECIES, KNeighborsClassifier(), grid={"n_neighbors": [1, 3, 40]}, folds=FOLDS, seconds=None)
    assert len(found.trials) == 4
    for trial in found.trials:
        k = trial.candidate.estimator.get_params()["n_neighbors"]
        theirs = cross_val_score(KNeighborsClassifier(k), IRIS, SPECIES, cv=PredefinedSplit(FOLDS))
        assert trial.scores == pytest.approx(theirs)
    assert found.score == max(trial.mean for trial in found.trials)
    assert found.model.n_neighbors == found.best_params.get("n_neighbors", 5)
    assert found.model.n_samples_fit_ == 150


@settings(max_examples=examples(80), deadline=None)
@given(st.integers(2, 5).flatmap(lambda n: st.lists(st.lists(SCORES, min_size=n, max_size=n), min_size=1, max_size=6)))
def test_the_honest_score_is_that_of_the_definition(scores: list[list[float]]) -> None:
    assert honest_score(scores, larger_is_better=True) == pytest.approx(comparing.honest_score(scores))
    losses = [[-score for score in row] for row in scores]
    assert honest_score(losses, larger_is_better=False) == pytest.approx(-comparing.honest_score(scores))


def test_on_noise_the_best_looks_good_and_the_honest_score_does_not() -> None:
    random = np.random.default_rng(0)
    luck, honest = [], []
    for seed in range(6):
        rows, coins = random.normal(size=(80, 4)), np.arange(80) % 2
        found = tw.tune(rows, coins, "cart", seconds=None, candidates=25, random_state=seed, n_jobs=1)
        luck.append(found.score)
        honest.append(found.honest_score)
    assert np.mean(luck) > 0.54
    assert np.mean(honest) < np.mean(luck) - 0.03


def test_an_outer_score_is_of_rows_that_the_search_never_saw() -> None:
    found = tw.tune(IRIS, SPECIES, "cart", seconds=None, candidates=3, outer=3)
    assert len(found.outer_scores) == 3
    assert 0.85 < np.mean(found.outer_scores) <= 1
    assert "3 outer folds give" in str(found)


def test_the_same_seed_finds_the_same_whatever_the_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    request: dict[str, Any] = {"algorithms": ["cart", "c45"], "seconds": None, "candidates": 6, "cv": 3}
    here = tw.tune(IRIS, SPECIES, **request, n_jobs=1)
    monkeypatch.setattr(open_task, "LARGE", 0)
    there = tw.tune(IRIS, SPECIES, **request, n_jobs=2)
    assert [(one.candidate.text, one.scores) for one in here.trials] == [
        (one.candidate.text, one.scores) for one in there.trials
    ]
    assert here.model.fingerprint() == there.model.fingerprint()
    other = tw.tune(IRIS, SPECIES, **request, n_jobs=1, random_state=1)
    assert [one.candidate.text for one in other.trials] != [one.candidate.text for one in here.trials]


def test_learners_take_turns_each_as_it_is_first() -> None:
    found = tw.tune(IRIS, SPECIES, ["cart", "c45", "forest"], candidates=5, seconds=None, cv=2)
    tried = sorted(one.candidate.learner for one in found.trials)
    assert tried == ["c45", "c45", "cart", "cart", "forest"]
    as_it_is = [one.candidate.learner for one in found.trials if not one.candidate.settings]
    assert sorted(as_it_is) == ["c45", "cart", "forest"]


def test_no_candidate_begins_when_the_time_is_up_but_each_learner_is_tried_as_it_is() -> None:
    start = time.monotonic()
    grid = {"seconds": [0.1 + i / 1000 for i in range(100)]}
    found = tw.tune(CARS, MILES, Slow(0.1), grid=grid, seconds=1.5, cv=2, n_jobs=1)
    assert time.monotonic() - start < 10
    assert 1 < len(found.trials) < 60
    assert "100 planned: the time was up" in str(found)
    alone = tw.tune(CARS, MILES, Slow(0.1), grid=grid, seconds=0.001, cv=2, n_jobs=1)
    assert [one.candidate.text for one in alone.trials] == ["as it is"]


def test_a_candidate_that_fails_comes_last_with_its_sentence() -> None:
    found = tw.tune(IRIS, SPECIES, "cart", grid={"max_depth": [-1, 2]}, search="grid", seconds=None)
    assert found.trials[-1].candidate.settings == {"max_depth": -1}
    assert "max_depth" in found.trials[-1].problem
    assert found.to_frame()["problem"].iloc[-1] != ""
    with pytest.raises(DataError, match="Every candidate failed"):
        tw.tune(IRIS, SPECIES, Refuses(), seconds=None)


def test_small_losses_are_better_and_all_is_in_the_json() -> None:
    found = tw.tune(CARS, MILES, "cart", candidates=4, seconds=None, cv=3)
    means = [one.mean for one in found.trials]
    assert found.scoring == "rmse"
    assert means == sorted(means)
    read = json.loads(found.to_json())
    assert read["best"]["score"] == found.score
    assert len(read["candidates"]) == 4


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_every_algorithm_has_a_grid_that_its_classes_take(name: str) -> None:
    for task, kind in LEARNERS[name].classes.items():
        estimator = LEARNERS[name].load(task)()
        grid = grid_for(estimator)
        assert grid, f"no parameter of the grid of {name} is one of {kind}"
        for parameter, values in grid.items():
            for value in values:
                estimator.set_params(**{parameter: value})._validate_params()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"grid": {"max_dept": [1]}}, "Did you mean 'max_depth'?"),
        ({"grid": {"max_depth": 3}}, "Give a list of values"),
        ({"grid": {"max_depth": []}}, "Give a list of values"),
        ({"grid": {}}, "grid must be a dict of lists"),
        ({"grid": {"forest": {"max_depth": [1]}}}, "which takes no part"),
        ({"seconds": 0}, "seconds must be a positive number"),
        ({"candidates": 0}, "candidates must be a whole number"),
        ({"search": "gird"}, "Did you mean 'grid'?"),
        ({"outer": 1}, "outer must be 0"),
        ({"algorithms": "crat"}, "Did you mean 'cart'?"),
    ],
)
def test_wrong_requests_are_answered_with_a_sentence(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError) as problem:
        tw.tune(IRIS, SPECIES, **({"algorithms": "cart"} | wrong))
    assert words in str(problem.value)
