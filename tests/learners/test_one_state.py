"""One rule for all learners: what the last fit made is replaced; parameters and the user's attributes stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

import treewright as tw
from treewright.learners.registry import LEARNERS

KINDS = [record.load(task) for record in LEARNERS.values() for task in record.classes]
QUICK = {"n_estimators": 3, "max_iter": 5, "n_jobs": 1, "verbose": 0}
LEVELS = np.array([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"], ["c", "x"], ["c", "y"]] * 5, dtype=object)


def quick(kind: type[Any], **more: Any) -> Any:
    known = kind().get_params(deep=False)
    return kind(**{name: value for name, value in QUICK.items() if name in known}, **more)


def target(model: Any) -> Any:
    return np.arange(30) % 3 if is_classifier(model) else np.arange(30) ** 1.5


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_a_second_fit_leaves_nothing_of_the_first_and_all_that_is_the_users(kind: type[Any]) -> None:
    model = quick(kind)
    model.note_, model._mine = "keep", 7
    model.fit(LEVELS, target(model))
    once = set(model.__dict__)
    model.left_over_ = "the user's, too"
    model.fit(LEVELS, target(model))
    assert set(model.__dict__) == once | {"left_over_"}
    assert (model.note_, model._mine) == ("keep", 7)
    assert model.fingerprint() == quick(kind).fit(LEVELS, target(model)).fingerprint()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_that_ends_halfway_leaves_the_model_as_it_was(kind: type[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    model = quick(kind).fit(LEVELS, target(kind()))
    before = dict(model.__dict__)

    def interrupt(self: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(kind, "_make_lookup", interrupt)  # the last step before the new state is seen
    with pytest.raises(KeyboardInterrupt):
        model.fit(LEVELS[:20], target(model)[:20])
    assert {name: id(value) for name, value in model.__dict__.items()} == {n: id(v) for n, v in before.items()}
    check_is_fitted(model)


def test_what_only_the_first_fit_learnt_is_gone_after_the_second() -> None:
    model = tw.RandomForestClassifier(20, oob_score=True, random_state=0).fit(LEVELS, np.arange(30) % 3)
    assert hasattr(model, "oob_score_")
    model.set_params(oob_score=False).fit(LEVELS, np.arange(30) % 3)
    assert not hasattr(model, "oob_score_")
