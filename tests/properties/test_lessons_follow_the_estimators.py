"""A lesson never tells another story than the model: on random tables its own reckoning chooses what was fitted."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from properties.engine import frame_of
from properties.tables import recipes, tables
from thorough import examples
from treewright.reference.cart import Recipe
from treewright.reference.table import Table

CLASS_CRITERIA = ("gini", "entropy", "error", "twoing", "hellinger")
NUMBER_CRITERIA = ("squared_error", "absolute_error", "poisson")


def teach(table: Table, algorithm: str, **parameters: Any) -> tw.Lesson:
    """A lesson about an oracle's table, every node of it."""
    return tw.lesson(
        frame_of(table),
        np.array(table.target) if table.n_classes else np.array(table.target, dtype="float64"),
        algorithm,
        task="classification" if table.n_classes else "regression",
        max_nodes=10_000,
        sample_weight=np.array(table.weights, dtype="float64"),
        column_kinds={f"x{i}": column.kind for i, column in enumerate(table.columns)},
        **parameters,
    )


def check(lesson: tw.Lesson) -> None:
    """Every node holds what the model's node holds, and asks or stops as it does."""
    assert len(lesson.nodes) == lesson.grown.tree_.n_nodes
    for told, node in zip(lesson.nodes, lesson.grown.tree_.nodes(), strict=True):
        where = f"node {node.id}: {told.why}"
        assert told.agrees, where
        assert told.tally.weight == pytest.approx(node.weight), where
        if node.counts is not None:
            assert told.tally.to_dict(lesson.method.sample.classes)["counts"] == pytest.approx(
                {str(label): weight for label, weight in node.counts.items()}
            )
        if told.winner is not None:
            assert told.candidates[told.winner].column == node.test.column_index
        else:
            assert node.is_leaf


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@settings(max_examples=examples(60))
@given(data=st.data())
def test_a_lesson_in_cart_chooses_what_the_classifier_chose(criterion: str, data: st.DataObject) -> None:
    # Twoing is defined for two branches.
    policies = ("learn", "larger") if criterion == "twoing" else ("learn", "larger", "branch")
    table, recipe = data.draw(tables(classes=4)), data.draw(recipes(criterion, policies))
    check(teach(table, "cart", **_without_leaf_limit(recipe)))


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
@settings(max_examples=examples(60))
@given(data=st.data())
def test_a_lesson_in_cart_chooses_what_the_regressor_chose(criterion: str, data: st.DataObject) -> None:
    table, recipe = data.draw(tables()), data.draw(recipes(criterion))
    if criterion == "poisson" and not any(y * w for y, w in zip(table.target, table.weights, strict=True)):
        return
    check(teach(table, "cart", **_without_leaf_limit(recipe)))


def _without_leaf_limit(recipe: Recipe) -> dict[str, Any]:
    """With max_leaf_nodes a node may stay a leaf because others are worth more, which no node can know by itself."""
    numbers_only = () if recipe.criterion in NUMBER_CRITERIA else ("min_variance_share",)
    return {name: value for name, value in asdict(recipe).items() if name not in ("max_leaf_nodes", *numbers_only)}
