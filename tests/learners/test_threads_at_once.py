"""Many Python threads fit and ask models at once; each gets what it would get alone. Free-threaded Pythons need it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.learners.registry import LEARNERS

N_THREADS = 6
FEW = {"n_estimators": 5, "n_jobs": 2, "random_state": 0, "max_iter": 40}
CLASSIFIERS = [name for name, record in LEARNERS.items() if "classification" in record.classes]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 6)).round(2)
Y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)


def _estimator(name: str) -> Any:
    made = LEARNERS[name].load("classification")()
    return made.set_params(**{key: value for key, value in FEW.items() if key in made.get_params()})


def _at_once(work: Any) -> list[Any]:
    """What this function gives in several threads that begin together."""
    barrier = Barrier(N_THREADS)

    def begin(_: int) -> Any:
        barrier.wait()
        return work()

    with ThreadPoolExecutor(N_THREADS) as pool:
        return list(pool.map(begin, range(N_THREADS)))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_models_that_are_fitted_at_once_are_the_same(name: str) -> None:
    alone = _estimator(name).fit(X, Y).fingerprint()
    assert set(_at_once(lambda: _estimator(name).fit(X, Y).fingerprint())) == {alone}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_first_answers_of_a_model_are_those_of_any_other_time(name: str) -> None:
    asked, shared = (_estimator(name).fit(X, Y) for _ in range(2))  # what answers need is made at the first one
    usual = asked.predict(X)
    for answers in _at_once(lambda: shared.predict(X)):
        assert np.array_equal(answers, usual)


def test_rows_one_at_a_time_are_answered_at_once() -> None:
    tree = tw.DecisionTreeClassifier().fit(X, Y)
    usual = tree.predict(X).tolist()
    for answers in _at_once(lambda: [tree.predict_one(row) for row in X.tolist()]):
        assert answers == usual
