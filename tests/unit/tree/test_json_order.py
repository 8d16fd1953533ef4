"""A tree from its JSON has the same JSON, to the last letter."""

from __future__ import annotations

import pytest

from fuzz.models import ENSEMBLES, TREES, model_bytes
from treewright.save.persist import load_bytes
from treewright.tree.tree import Tree


@pytest.mark.parametrize("name", sorted([*TREES, *ENSEMBLES]))
def test_a_tree_from_its_json_has_the_same_json(name: str) -> None:
    model = load_bytes(model_bytes(name))
    model = getattr(model, "targets_", [model])[-1]  # of several targets: the model of the last
    tree = model.tree_ if hasattr(model, "tree_") else model.trees_[-1]
    text = tree.to_json()
    assert Tree.from_json(text).to_json() == text
