"""C4.5 as users meet it: parameters, answers, files, pruning afterwards, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError


@pytest.fixture(scope="module")
def vote() -> tuple[pd.DataFrame, pd.Series]:
    X, y = tw.datasets.load_vote(return_X_y=True)
    return X, y


@pytest.fixture(scope="module")
def credit() -> tuple[pd.DataFrame, pd.Series]:
    X, y = tw.datasets.load_credit_g(return_X_y=True)
    return X, y


def noisy_table(n: int) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """A table of several thousand rows with numbers, levels and holes."""
    random = np.random.default_rng(5)
    X = pd.DataFrame({f"n{i}": random.normal(size=n).round(3) for i in range(4)})
    for i in range(4):
        X[f"c{i}"] = random.choice(list("abcdefg"), n)
    y = np.where(X["n0"] + (X["c0"] < "c") + random.normal(size=n) > 0.4, "yes", "no")
    return X.mask(random.random(X.shape) < 0.05), y


def test_pruning_makes_the_tree_smaller_and_a_lower_confidence_more_so(credit: Any) -> None:
    X, y = credit
    sizes = [tw.C45Classifier(confidence=c).fit(X, y).tree_.n_nodes for c in (0.01, 0.1, 0.25)]
    assert sizes == sorted(sizes)
    assert sizes[-1] < tw.C45Classifier(prune=False).fit(X, y).tree_.n_nodes


def test_collapsing_changes_no_answer_to_the_training_rows(credit: Any) -> None:
    X, y = credit
    grown = tw.C45Classifier(prune=False, collapse=False).fit(X, y)
    collapsed = tw.C45Classifier(prune=False).fit(X, y)
    assert collapsed.tree_.n_nodes < grown.tree_.n_nodes
    assert collapsed.score(X, y) == grown.score(X, y)


def test_eight_threads_make_the_same_bytes() -> None:
    X, y = noisy_table(6000)
    for prune in (True, False):
        models = [tw.C45Classifier(n_jobs=jobs, prune=prune, collapse=prune).fit(X, y) for jobs in (1, 8)]
        assert models[0].tree_.n_nodes > (10 if prune else 500)
        assert models[0].fingerprint() == models[1].fingerprint()


def test_the_order_of_rows_does_not_matter() -> None:
    X, y = noisy_table(3000)
    shuffled = np.random.default_rng(1).permutation(len(X))
    again = tw.C45Classifier().fit(X.iloc[shuffled], y[shuffled])
    assert tw.C45Classifier().fit(X, y).fingerprint() == again.fingerprint()


def test_a_weight_of_two_is_the_row_twice(vote: Any) -> None:
    X, y = vote
    twice = tw.C45Classifier().fit(pd.concat([X, X]), pd.concat([y, y]))
    assert tw.C45Classifier().fit(X, y, sample_weight=np.full(len(X), 2.0)).predict_proba(X) == pytest.approx(
        twice.predict_proba(X)
    )


def test_a_saved_model_gives_the_same_answers(vote: Any, tmp_path: Path) -> None:
    X, y = vote
    model = tw.C45Classifier(laplace=True, binary=True).fit(X, y)
    tw.save(model, tmp_path / "vote.tw")
    loaded = tw.load(tmp_path / "vote.tw")
    assert loaded.fingerprint() == model.fingerprint()
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()


def test_pessimistic_pruning_afterwards_is_the_pruning_of_c45(credit: Any) -> None:
    X, y = credit
    afterwards = tw.C45Classifier(prune=False).fit(X, y).pruned(tw.PessimisticError(), X, y)
    at_once = tw.C45Classifier().fit(X, y)
    for name in ("column", "threshold", "weight", "n_children"):
        assert np.array_equal(afterwards.tree_.arrays[name], at_once.tree_.arrays[name], equal_nan=True)


def test_pessimistic_pruning_raises_subtrees_of_binary_trees_too() -> None:
    X, y = noisy_table(1500)
    grown = tw.DecisionTreeClassifier().fit(X, y)
    raised = grown.pruned(tw.PessimisticError(), X, y)
    plain = grown.pruned(tw.PessimisticError(raise_subtrees=False))
    assert raised.get_n_leaves() <= plain.get_n_leaves() < grown.get_n_leaves()
    assert raised.tree_.arrays["weight"][0] == len(X)


def test_groups_of_levels_leave_fewer_branches(credit: Any) -> None:
    X, y = credit
    grouped = tw.C45Classifier(subsets=True, variant="c45").fit(X, y)
    plain = tw.C45Classifier(variant="c45").fit(X, y)
    assert grouped.tree_.arrays["n_children"].max() < plain.tree_.arrays["n_children"].max()


def test_values_closer_than_the_gap_are_not_cut_between() -> None:
    X, y = [[1e-7 * i] for i in range(20)], ["a"] * 10 + ["b"] * 10
    assert tw.C45Classifier().fit(X, y).get_n_leaves() == 1
    assert tw.C45Classifier(value_gap=0.0).fit(X, y).get_n_leaves() == 2


def test_thresholds_are_observed_or_between() -> None:
    X, y = [[v] for v in (1, 2, 3, 7, 8, 9)], list("aaabbb")
    observed = tw.C45Classifier(confidence=0.5).fit(X, y)
    between = tw.C45Classifier(confidence=0.5, threshold="midpoint").fit(X, y)
    assert (observed.tree_.arrays["threshold"][0], between.tree_.arrays["threshold"][0]) == (3, 5)


def test_a_level_never_seen_is_shared_out_like_a_missing_value(vote: Any) -> None:
    X, y = vote
    model = tw.C45Classifier().fit(X, y)
    assert (
        model.predict_proba(X.head(1).assign(physician_fee_freeze="perhaps"))
        == model.predict_proba(X.head(1).assign(physician_fee_freeze=None))
    ).all()


def test_missing_values_are_refused_when_asked(vote: Any) -> None:
    X, y = vote
    with pytest.raises(DataError, match="has missing values and missing='refuse' was asked for"):
        tw.C45Classifier(missing="refuse").fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [("confidence", 0.0), ("confidence", 1.0), ("min_samples_leaf", 0), ("variant", "c50"), ("prune", "yes")],
)
def test_a_parameter_out_of_range_is_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"The '{name}' parameter of C45Classifier must be"):
        tw.C45Classifier(**{name: value}).fit([[1], [2]], ["a", "b"])
