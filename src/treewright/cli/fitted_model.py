"""What the verbs ask of a loaded model, whether it is one tree, many, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.screen import count

if TYPE_CHECKING:
    from treewright.inspection.rules import Rules
    from treewright.table.schema import Schema
    from treewright.tree.tree import Tree


@dataclass(frozen=True)
class Size:
    """How large a model is; leaves and nodes of all its trees, and the depth of the deepest."""

    trees: int
    nodes: int
    leaves: int
    depth: int


def is_ensemble(model: Any) -> bool:
    """Tell whether a model has many trees."""
    return hasattr(model, "trees_")


def has_trees(model: Any) -> bool:
    """Tell whether a model has any tree; the learners beside the trees have none."""
    return is_ensemble(model) or hasattr(model, "tree_")


def refuse_treeless(model: Any, verb: str) -> None:
    """Say what to do where a verb needs a tree and the model has none."""
    if not has_trees(model):
        raise click.UsageError(f"{verb} needs a tree, and {type(model).__name__} has none. Try treewright show.")


def schema_of(model: Any) -> Schema:
    """Give the columns that a model was trained on."""
    if not has_trees(model):
        beside: Schema = model.schema_
        return beside
    tree = model.trees_[0] if is_ensemble(model) else model.tree_
    schema: Schema = tree.schema
    return schema


def size_of(model: Any) -> Size:
    """Measure a model."""
    from treewright.learners.ensemble.text import tree_sizes

    if not is_ensemble(model):
        tree = model.tree_
        return Size(1, int(tree.n_nodes), int(tree.n_leaves), int(tree.depth))
    leaves, depths, nodes = tree_sizes(model.trees_)
    return Size(len(model.trees_), nodes, int(leaves.sum()), int(depths.max()))


def summary(model: Any) -> dict[str, Any]:
    """Give the size of a model as JSON values, and the tree where there is only one; without trees, its summary."""
    if not has_trees(model):
        return {"model": type(model).__name__, "summary": str(model).splitlines()}
    size = size_of(model)
    if is_ensemble(model):
        return {"trees": size.trees, "nodes": size.nodes, "leaves": size.leaves, "depth": size.depth}
    return {"leaves": size.leaves, "depth": size.depth, "tree": model.tree_.to_dict()}


def pick_tree(model: Any, number: int | None) -> Tree:
    """Give the tree of a model, or the one that was asked for of many."""
    refuse_treeless(model, "This")
    if not is_ensemble(model):
        if number is not None:
            raise click.UsageError("--tree is for models of many trees; this one is a single tree. Leave it out.")
        single: Tree = model.tree_
        return single
    n_trees = len(model.trees_)
    if number is None:
        raise click.UsageError(f"This model has {count(n_trees, 'tree')}. Say which one: --tree 0 to {n_trees - 1}.")
    if number >= n_trees:
        raise click.UsageError(f"--tree {number}: this model has the trees 0 to {n_trees - 1}.")
    tree: Tree = model.trees_[number]
    return tree


def rules_of(model: Any, tree: Tree) -> Rules:
    """Give the rules of a model's tree; those of one tree among many know no costs."""
    from treewright.inspection.rules import Rules, read_rules

    found: Rules = Rules(list(read_rules(tree))) if is_ensemble(model) else model.rules()
    return found
