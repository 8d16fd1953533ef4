"""Boosted trees are those of the definition: same tests, same rows, same answers, for every loss and every rule."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from oracle.boosting_tree import BoostedNode, Rules
from oracle.gradient_boosting import boost
from properties.engine import frame_of
from properties.tables import tables
from thorough import examples
from treewright.reference.table import Table

CLOSE = 1e-7  # the scores of a round are the sums of the rounds before


def fit_boosted(table: Table, rules: Rules, **more: Any) -> Any:
    """Fit the estimator with the same numbers as the oracle."""
    numbers = asdict(rules)
    numbers["random_state"] = numbers.pop("seed")
    if table.n_classes:
        del numbers["alpha"]
    kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    kind = tw.GradientBoostingClassifier if table.n_classes else tw.GradientBoostingRegressor
    model = kind(**numbers, column_kinds=kinds, n_jobs=1, **more)
    return model.fit(frame_of(table), np.array(table.target), sample_weight=np.array(table.weights, dtype="float64"))


def asked_by_engine(tree: Any) -> list[dict[str, Any]]:
    """What each node of a stored tree asks, in preorder."""
    a = tree.arrays
    return [
        {
            "column": int(a["column"][i]),
            "threshold": None if np.isnan(a["threshold"][i]) else float(a["threshold"][i]),
            "levels": {int(a["level"][j]): int(a["level_branch"][j]) for j in range(*a["level_start"][i : i + 2])},
            "missing_branch": int(a["missing_branch"][i]) if a["n_children"][i] else None,
            "n_rows": int(a["n_rows"][i]),
        }
        for i in range(len(a["n_children"]))
    ]


def asked_by_oracle(nodes: list[BoostedNode]) -> list[dict[str, Any]]:
    """The same of the oracle's tree."""
    found = []
    for node in nodes:
        offer = node.offer if node.children else None
        found.append(
            {
                "column": offer.column if offer else -1,
                "threshold": offer.threshold if offer else None,
                "levels": {level: int(level not in offer.left_levels) for level in offer.levels} if offer else {},
                "missing_branch": offer.missing_branch if offer else None,
                "n_rows": len(node.rows),
            }
        )
    return found


def assert_same_model(model: Any, table: Table, rules: Rules) -> None:
    """Same start, same trees, same answers."""
    wanted = boost(table, rules)
    assert model.baseline_.tolist() == pytest.approx(wanted.start, rel=CLOSE, abs=CLOSE)
    assert len(model.trees_) == len(wanted.trees)
    for tree, nodes in zip(model.trees_, wanted.trees, strict=True):
        assert asked_by_engine(tree) == asked_by_oracle(nodes)
        leaves = [i for i, node in enumerate(nodes) if not node.children]
        values = [nodes[i].value for i in leaves]
        assert tree.arrays["value"][leaves].tolist() == pytest.approx(values, rel=CLOSE, abs=CLOSE)


@st.composite
def rule_sets(draw: st.DrawFn, table: Table, loss: str) -> Rules:
    """Rules that stop trees at different places; half of them stop at nothing."""
    rules = Rules(loss=loss, alpha=draw(st.sampled_from([0.25, 0.5, 0.8])), seed=draw(st.integers(0, 2**31)))
    rules = replace(
        rules, level_charge=draw(st.sampled_from([0.0, 1.0])), growth=draw(st.sampled_from(["leaf", "level"]))
    )
    if draw(st.booleans()):
        return rules
    n_columns = len(table.columns)
    return replace(
        rules,
        learning_rate=draw(st.sampled_from([0.1, 1.0])),
        max_leaf_nodes=draw(st.sampled_from([None, 2, 3, 5])),
        max_depth=draw(st.sampled_from([None, 1, 2])),
        min_samples_leaf=draw(st.sampled_from([1, 2, 4])),
        min_hessian=draw(st.sampled_from([0.0, 1e-3, 1.0])),
        l2_regularization=draw(st.sampled_from([0.0, 1.0, 0.3])),
        min_gain=draw(st.sampled_from([0.0, 0.05])),
        subsample=draw(st.sampled_from([1.0, 0.6])),
        max_features=draw(st.sampled_from([None, 1, 2])),
        max_features_per_tree=draw(st.sampled_from([None, 1, 2])),
        interaction_cst=draw(st.sampled_from([None, ((0,),), ((0, n_columns - 1), (n_columns - 1,))])),
        level_smoothing=draw(st.sampled_from([0.0, 1.0, 10.0])),
    )


NUMBER_LOSSES = ["squared_error", "absolute_error", "huber", "quantile", "poisson"]


@settings(max_examples=examples(30))
@given(data=st.data())
@pytest.mark.parametrize("loss", NUMBER_LOSSES)
def test_trees_for_numbers_are_those_of_the_definition(loss: str, data: st.DataObject) -> None:
    table = data.draw(tables().filter(lambda t: any(t.target[row] for row in t.rows())))
    rules = data.draw(rule_sets(table, loss))
    assert_same_model(fit_boosted(table, rules), table, rules)


@settings(max_examples=examples(30))
@given(data=st.data())
def test_trees_for_positive_amounts_are_those_of_the_definition(data: st.DataObject) -> None:
    table = data.draw(tables())
    table = replace(table, target=tuple(y + 1 for y in table.target))
    rules = data.draw(rule_sets(table, "gamma"))
    assert_same_model(fit_boosted(table, rules), table, rules)


@settings(max_examples=examples(30))
@given(data=st.data())
@pytest.mark.parametrize("classes", [2, 4])
def test_trees_for_classes_are_those_of_the_definition(classes: int, data: st.DataObject) -> None:
    table = data.draw(tables(classes=classes).filter(lambda t: t.n_classes > 1))
    rules = data.draw(rule_sets(table, "log_loss"))
    assert_same_model(fit_boosted(table, rules), table, rules)


@settings(max_examples=examples(30))
@given(data=st.data(), ways=st.tuples(*[st.sampled_from([-1, 0, 1])] * 4))
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson", "log_loss"])
def test_trees_with_monotone_columns_are_those_of_the_definition(
    loss: str, data: st.DataObject, ways: tuple[int, ...]
) -> None:
    classes = 2 if loss == "log_loss" else 0
    table = data.draw(tables(classes=classes, kinds=("numeric", "ordinal")))
    table = replace(table, target=tuple(y + 1 for y in table.target)) if not classes else table
    rules = data.draw(rule_sets(table, loss))
    rules = replace(rules, monotonic_cst=ways[: len(table.columns)])
    if table.n_classes != 1:
        assert_same_model(fit_boosted(table, rules), table, rules)


@settings(max_examples=examples(30))
@given(data=st.data())
def test_exact_cuts_are_the_cuts_of_the_bins_where_every_value_has_a_bin(data: st.DataObject) -> None:
    table = data.draw(tables())
    rules = data.draw(rule_sets(table, "squared_error"))
    assert_same_model(fit_boosted(table, rules, max_bins=None), table, rules)
