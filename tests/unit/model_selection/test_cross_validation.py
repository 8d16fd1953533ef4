import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyRegressor
from sklearn.neighbors import KNeighborsClassifier

from treewright.model_selection.cross_validation import cross_validate, fold_of_each_row


@given(st.lists(st.sampled_from("abcd"), min_size=5, max_size=60), st.integers(2, 5), st.integers(0, 100))
def test_folds_and_the_classes_in_them_differ_by_at_most_one_row(target: list[str], n_folds: int, seed: int) -> None:
    folds = fold_of_each_row(target, n_folds, stratify=True, seed=seed)
    sizes = np.bincount(folds, minlength=n_folds)
    assert sizes.sum() == len(target)
    assert sizes.max() - sizes.min() <= 1
    for value in set(target):
        counts = np.bincount(folds[np.array(target) == value], minlength=n_folds)
        assert counts.max() - counts.min() <= 1


def test_the_same_seed_deals_the_same_folds_and_another_seed_others() -> None:
    target = ["a", "b"] * 50
    first = fold_of_each_row(target, 10, stratify=True, seed=1)
    assert np.array_equal(first, fold_of_each_row(target, 10, stratify=True, seed=1))
    assert not np.array_equal(first, fold_of_each_row(target, 10, stratify=True, seed=2))


@pytest.mark.parametrize("n_folds", [0, 1, 4])
def test_more_folds_than_rows_or_fewer_than_two_are_refused(n_folds: int) -> None:
    with pytest.raises(ValueError, match="between 2 and the number of rows, 3"):
        fold_of_each_row([1, 2, 3], n_folds, stratify=False)


def test_every_row_is_predicted_by_a_model_that_never_saw_it() -> None:
    # One nearest neighbour, every row a class of its own: right only if the row itself was seen.
    frame = pd.DataFrame({"x": np.arange(20.0)})
    alone = np.array([f"row {i}" for i in range(20)])
    assert cross_validate(KNeighborsClassifier(1), frame, alone, 5).mean("accuracy") == 0.0
    assert KNeighborsClassifier(1).fit(frame, alone).score(frame, alone) == 1.0


def test_the_baseline_of_a_regression_is_the_mean_of_the_training_rows() -> None:
    target = np.random.RandomState(3).normal(size=50)
    result = cross_validate(DummyRegressor(), np.zeros((50, 1)), target, 5)
    assert result.task == "regression"
    assert result.scores == result.baseline
    assert result.mean("rmse") > 0
    assert result.mean("r2") < 0


def test_the_model_stays_unfitted_and_progress_is_told_once_a_fold() -> None:
    model, told = DummyRegressor(), []
    cross_validate(model, np.zeros((6, 1)), np.arange(6.0), 3, on_fold=lambda: told.append("fold"))
    assert not hasattr(model, "constant_")
    assert len(told) == 3
