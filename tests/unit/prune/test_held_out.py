"""What held-out rows tell about the nodes of a tree, whatever their order."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw
from treewright.prune.pruner import ValidationRows, whole_parts


@pytest.mark.parametrize("criterion", ["classes", "squared_error", "absolute_error", "poisson"])
def test_the_losses_are_sums_over_the_rows_that_pass_a_node(criterion: str) -> None:
    rng = np.random.default_rng(3)
    X, weights = rng.normal(size=(300, 3)), rng.choice([0.3, 1.0, 2.7], size=300)
    y = rng.integers(0, 4, size=300)
    if criterion == "classes":
        model = tw.DecisionTreeClassifier(max_depth=5).fit(X[:150], y[:150])
    else:
        model = tw.DecisionTreeRegressor(criterion=criterion, max_depth=5).fit(X[:150], y[:150])
    answers = model.tree_.arrays["prediction" if criterion == "classes" else "value"]
    held, truth, weights = X[150:], y[150:], weights[150:]
    told = ValidationRows(model.apply(held).astype(np.int32), truth.astype(np.int32), weights).of(
        model.tree_.core, criterion
    )
    passes = model.decision_path(held).toarray().astype(bool)
    for node in range(model.tree_.n_nodes):
        rows = passes[:, node]
        wanted = sum(w * loss(criterion, t, answers[node]) for w, t in zip(weights[rows], truth[rows], strict=True))
        assert told.as_leaf[node] == pytest.approx(wanted)
        assert told.weight[node] == pytest.approx(weights[rows].sum())
    assert told.ends.sum() == pytest.approx(told.as_leaf[model.tree_.arrays["n_children"] == 0].sum())


def loss(criterion: str, truth: float, answer: float) -> float:
    if criterion == "classes":
        return float(truth != answer)
    if criterion == "absolute_error":
        return abs(truth - answer)
    if criterion == "squared_error":
        return (truth - answer) ** 2
    return (truth * np.log(truth / max(answer, 1e-12)) if truth else 0.0) - truth + max(answer, 1e-12)


@pytest.mark.parametrize("criterion", ["classes", "squared_error"])
def test_the_order_of_the_rows_changes_nothing(criterion: str) -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 3, size=200)
    model = (tw.DecisionTreeClassifier if criterion == "classes" else tw.DecisionTreeRegressor)().fit(X[:100], y[:100])
    nodes, truth, weights = model.apply(X).astype(np.int32), y.astype(np.int32), rng.uniform(size=200)
    shuffled = rng.permutation(200)
    one = ValidationRows(nodes, truth, weights).of(model.tree_.core, criterion)
    other = ValidationRows(nodes[shuffled], truth[shuffled], weights[shuffled]).of(model.tree_.core, criterion)
    for name in ("as_leaf", "ends", "weight"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()


def test_a_class_that_the_tree_does_not_know_is_always_wrong() -> None:
    model = tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    told = ValidationRows(np.array([1], dtype=np.int32), np.array([-1], dtype=np.int32), np.ones(1)).of(
        model.tree_.core, "classes"
    )
    assert told.as_leaf.tolist() == [1, 1, 0]


def test_whole_weights_stay_as_they_are_and_others_are_hardly_changed() -> None:
    weights = np.array([1.0, 2.0, 3.0, 1e6])
    assert whole_parts(weights).tolist() == weights.tolist()
    odd = np.random.default_rng(0).uniform(size=1000)
    assert whole_parts(odd) == pytest.approx(odd, abs=1e-12)
    assert whole_parts(odd).sum() == whole_parts(odd[::-1]).sum()
    assert whole_parts(np.zeros(2)).tolist() == [0, 0]
