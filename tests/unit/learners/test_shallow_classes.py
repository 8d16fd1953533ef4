"""Whoever reads an estimator need not climb: it has at most three classes of ours in a chain, itself among them."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.base import BaseEstimator

import treewright as tw
from treewright.learners.base.learner import Learner

ESTIMATORS = [
    kind
    for name in tw.__all__
    if isinstance(kind := getattr(tw, name), type) and issubclass(kind, BaseEstimator)
]  # fmt: skip


def longest_chain(kind: type) -> list[str]:
    """The classes of ours from this one upward, by the longest way."""
    if not kind.__module__.startswith("treewright."):
        return []
    return [kind.__name__, *max((longest_chain(base) for base in kind.__bases__), key=len)]


def test_a_chain_is_counted_by_its_longest_way() -> None:
    class Short(Learner):
        pass

    class Long(tw.DecisionTreeClassifier):
        pass

    Short.__module__ = Long.__module__ = "treewright.made_up"
    assert longest_chain(Short) == ["Short", "Learner"]
    assert longest_chain(Long)[:2] == ["Long", "DecisionTreeClassifier"]
    assert len(longest_chain(Long)) == 1 + len(longest_chain(tw.DecisionTreeClassifier))


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_an_estimator_has_at_most_three_classes_of_ours_in_a_chain(kind: Any) -> None:
    assert len(longest_chain(kind)) <= 3
    assert issubclass(kind, Learner)
