"""tw.learning_curve: the score by the number of training rows."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import treewright as tw
from model_selection.odd_estimators import Refuses
from treewright.errors import DataError
from treewright.learners.base.content_order import order_of_table
from treewright.model_selection import task as open_task

GUESTS = tw.datasets.make_restaurant(60, random_state=1)
X, Y = GUESTS.drop(columns="WillWait"), GUESTS["WillWait"]
CARS, MILES = tw.datasets.load_auto_mpg(return_X_y=True)


def by_definition(size: int, trial: int, seed: int = 0) -> float:
    """Permute the rows, which stand by content, by (seed, size, trial), learn from the first, count what is right."""
    order = np.random.default_rng([seed, size, trial]).permutation(order_of_table(X, Y.to_numpy()))
    first, rest = order[:size], order[size:]
    if len(set(Y.iloc[first])) == 1:
        return float(np.mean(Y.iloc[rest] == Y.iloc[first[0]]))
    model = tw.ID3Classifier().fit(X.iloc[first], Y.iloc[first])
    return float(np.mean(model.predict(X.iloc[rest]) == Y.iloc[rest]))


def test_every_score_is_that_of_the_definition() -> None:
    curve = tw.learning_curve(X, Y, "id3", sizes=[1, 2, 9, 40], trials=4, random_state=0)
    expected = [[by_definition(size, trial) for trial in range(4)] for size in (1, 2, 9, 40)]
    assert curve["id3"].scores.tolist() == expected
    assert curve["id3"].means() == pytest.approx(np.mean(expected, axis=1))
    assert curve["id3"].errors() == pytest.approx(np.std(expected, axis=1, ddof=1) / 2)
    assert curve.tested == (59, 58, 51, 20)


def test_a_score_depends_on_nothing_but_seed_size_and_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    many = tw.learning_curve(X, Y, ["cart", "id3"], sizes=[10, 20, 30], trials=5, n_jobs=1)
    one = tw.learning_curve(X, Y, ["id3"], sizes=[20], trials=2, n_jobs=1)
    assert one["id3"].scores[0].tolist() == many["id3"].scores[1, :2].tolist()
    monkeypatch.setattr(open_task, "LARGE", 0)
    there = tw.learning_curve(X, Y, ["cart", "id3"], sizes=[10, 20, 30], trials=5, n_jobs=2)
    assert there["cart"].scores.tolist() == many["cart"].scores.tolist()
    other = tw.learning_curve(X, Y, ["id3"], sizes=[20], trials=2, n_jobs=1, random_state=1)
    assert other["id3"].scores.tolist() != one["id3"].scores.tolist()


def test_sizes_are_all_on_small_tables_and_ten_that_grow_on_larger_ones() -> None:
    assert tw.learning_curve(X[:12], Y[:12], "cart", trials=1).sizes == tuple(range(1, 12))
    assert tw.learning_curve(X[:12], Y[:12], "cart", trials=1, test="fixed").sizes == tuple(range(1, 9))
    large = tw.learning_curve(CARS, MILES, "cart", trials=1)
    assert len(large.sizes) == 10
    assert (large.sizes[0], large.sizes[-1]) == (10, 358)
    assert tw.learning_curve(CARS, MILES, "cart", trials=1, sizes=[0.5, 10, 10]).sizes == (10, 199)


def test_fixed_rows_are_never_learnt_from() -> None:
    class Remembers(LogisticRegression):
        rows: set[float] = set()

        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            self.rows.update(np.asarray(X)[:, 0].tolist())
            return super().fit(X, y, sample_weight)

    numbers = np.arange(50.0)[:, None] / 50
    curve = tw.learning_curve(numbers, np.arange(50) % 2, Remembers(), sizes=[20, 35], trials=8, test="fixed", n_jobs=1)
    assert curve.tested == (15, 15)
    assert len(Remembers.rows) == 35
    assert "tested on 15 rows held out" in str(curve)


def test_a_learner_that_needs_more_rows_begins_later() -> None:
    iris, species = tw.datasets.load_iris(return_X_y=True)
    curve = tw.learning_curve(iris, species, [KNeighborsClassifier(10)], sizes=[5, 50], trials=3)
    assert np.isnan(curve["KNeighborsClassifier"].means()).tolist() == [True, False]
    assert "in 3 of 6 fits" in curve["KNeighborsClassifier"].problem
    assert json.loads(curve.to_json())["learners"][0]["means"][0] is None
    assert curve.to_frame()["trials"].tolist() == [0, 3]
    with pytest.raises(DataError, match="Every learner failed"):
        tw.learning_curve(iris, species, Refuses(), sizes=[50], trials=2)


def test_other_measures_and_numbers_can_be_learnt() -> None:
    curve = tw.learning_curve(CARS, MILES, ["cart", "model_tree"], sizes=[40, 200], trials=3)
    assert curve.scoring == "rmse"
    assert curve["model_tree"].means()[1] < curve["model_tree"].means()[0]
    loss = tw.learning_curve(X, Y, ["forest"], sizes=[30], trials=2, scoring="log_loss")
    assert np.isfinite(loss["forest"].scores).all()


def test_long_curves_are_cut_in_print_only() -> None:
    curve = tw.learning_curve(X[:40], Y[:40], "cart", trials=1)
    assert "… 20 of 39 sizes; to_frame() has all." in str(curve)
    assert len(curve.to_frame()) == 39
    assert curve.cells()[0] == ["rows", "cart", "+-"]
    assert curve.cells(width=12)[0] == ["rows", "cart"]
    with pytest.raises(KeyError, match="Did you mean 'cart'"):
        curve["card"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"sizes": [0]}, "sizes must lie between 1 and 59"),
        ({"sizes": [60]}, "sizes must lie between 1 and 59"),
        ({"sizes": []}, "sizes is empty"),
        ({"trials": 0}, "trials must be a whole number from 1 on"),
        ({"test": "fix"}, "Did you mean 'fixed'?"),
        ({"test": "fixed", "test_share": 1.5}, "test_share must lie between 0 and 1"),
        ({"test": "fixed", "test_share": 0.001}, "is no row at all"),
        ({"algorithms": "id4"}, "Did you mean 'id3'?"),
        ({"X": X[:1], "y": Y[:1]}, "A learning curve needs 2 rows"),
    ],
)
def test_wrong_requests_are_answered_with_a_sentence(wrong: dict[str, Any], words: str) -> None:
    request: dict[str, Any] = {"X": X, "y": Y, "algorithms": "cart", "trials": 1, "sizes": [5]} | wrong
    with pytest.raises(DataError) as problem:
        tw.learning_curve(**request)
    assert words in str(problem.value)
