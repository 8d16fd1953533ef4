"""Which rows train and which test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold, LeaveOneGroupOut, ShuffleSplit

from thorough import examples
from treewright.errors import DataError
from treewright.model_selection.cross_validation import FoldPlan, fold_of_each_row, plan_folds


def rows_tested(plan: FoldPlan) -> list[list[int]]:
    return [fold.test.tolist() for fold in plan.folds]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.sampled_from("abc"), min_size=4, max_size=30), st.integers(2, 4), st.integers(1, 3), st.integers(0, 9)
)
def test_every_row_is_tested_once_a_repeat_and_classes_are_shared_out(
    labels: list[str], cv: int, repeats: int, seed: int
) -> None:
    target = np.array(labels)
    plan = plan_folds(target, stratify=True, cv=cv, repeats=repeats, seed=seed)
    assert len(plan.folds) == cv * repeats
    for start in range(0, len(plan.folds), cv):
        deal = plan.folds[start : start + cv]
        assert sorted(np.concatenate([fold.test for fold in deal]).tolist()) == list(range(len(labels)))
        for label in set(labels):
            shares = [int((target[fold.test] == label).sum()) for fold in deal]
            assert max(shares) - min(shares) <= 1
        sizes = [len(fold.test) for fold in deal]
        assert max(sizes) - min(sizes) <= 1
    for fold in plan.folds:
        assert sorted([*fold.training.tolist(), *fold.test.tolist()]) == list(range(len(labels)))


def test_the_first_deal_is_that_of_cross_validation_and_repeats_differ() -> None:
    target = np.array(["a", "b"] * 20)
    plan = plan_folds(target, stratify=True, cv=4, repeats=2, seed=5)
    folds = fold_of_each_row(target, 4, stratify=True, seed=5)
    assert rows_tested(plan)[:4] == [np.flatnonzero(folds == number).tolist() for number in range(4)]
    assert rows_tested(plan)[:4] != rows_tested(plan)[4:]
    assert rows_tested(plan)[4:] != rows_tested(plan_folds(target, stratify=True, cv=4, seed=6))
    assert plan.test_to_training == pytest.approx(1 / 3)


@pytest.mark.parametrize("stratify", [True, False])
def test_groups_stay_together(stratify: bool) -> None:
    groups = np.repeat(np.arange(8), 3)
    plan = plan_folds(np.arange(24) % 2, stratify=stratify, cv=4, repeats=2, groups=groups, seed=1)
    assert plan.text == "2 x 4 folds of whole groups"
    for fold in plan.folds:
        assert not set(groups[fold.training]) & set(groups[fold.test])


def test_folds_are_taken_as_numbers_columns_of_numbers_splitters_and_pairs() -> None:
    y = np.arange(6.0)
    assert rows_tested(plan_folds(y, stratify=False, folds=["p", "q", "p", "q", "r", "r"])) == [[0, 2], [1, 3], [4, 5]]
    numbers = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [-1, 0], [-1, 1]])
    assert rows_tested(plan_folds(y, stratify=False, folds=numbers)) == [[0, 1], [2, 3], [0, 2, 4], [1, 3, 5]]
    assert plan_folds(y, stratify=False, folds=numbers).folds[0].training.tolist() == [2, 3, 4, 5]
    assert rows_tested(plan_folds(y, stratify=False, folds=KFold(3))) == [[0, 1], [2, 3], [4, 5]]
    by_group = plan_folds(y, stratify=False, folds=LeaveOneGroupOut(), groups=[1, 1, 2, 2, 3, 3])
    assert rows_tested(by_group) == [[0, 1], [2, 3], [4, 5]]
    assert len(plan_folds(y, stratify=False, folds=ShuffleSplit(7, random_state=0)).folds) == 7
    pairs = [([0, 1, 2], [3]), (np.array([True, False, True, False, False, False]), [4, 5])]
    plan = plan_folds(y, stratify=False, folds=pairs)
    assert [fold.training.tolist() for fold in plan.folds] == [[0, 1, 2], [0, 2]]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"cv": 1}, "cv must be a number of folds from 2"),
        ({"cv": 7}, "number of rows, 6"),
        ({"cv": True}, "cv must be"),
        ({"cv": KFold(3)}, "Folds of your own go to folds="),
        ({"repeats": 0}, "repeats must be a whole number"),
        ({"folds": [0, 1]}, "each of the 6 rows"),
        ({"folds": [([], [0]), ([1], [2])]}, "Fold 0 has 0 rows to learn from"),
        ({"folds": [0, 0, 0, -1, -1, -1]}, "2 folds at least"),
        ({"folds": [([0, 1], [2]), ([0, 1], [1])]}, "tests rows that it also learns from"),
        ({"folds": [([0, 1], [2]), ([0, 1], [9])]}, "a row that is not there"),
        ({"groups": [1, 2]}, "groups must have one value for each of the 6 rows"),
        ({"groups": [1, 1, 1, 2, 2, 2], "cv": 3}, "number of groups, 2"),
    ],
)
def test_wrong_folds_are_refused_with_a_sentence(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(DataError) as problem:
        plan_folds(np.arange(6.0), **({"stratify": False, "cv": 2} | wrong))
    assert words in str(problem.value)
