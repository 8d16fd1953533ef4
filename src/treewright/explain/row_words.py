"""What happened to one row on its way, in words: the branch it took, or where it was sent without a value."""

from __future__ import annotations

from treewright.explain.conditions import Condition, merge_path
from treewright.explain.row_values import RowValues
from treewright.explain.split_candidates import entries, one_test
from treewright.explain.value_sets import LISTED, LevelSet
from treewright.explain.walk import Step
from treewright.tree.stored import HYPERPLANE, SPREADS, STOPS
from treewright.tree.test import read_test
from treewright.tree.tree import Tree
from treewright.tree.wording import name_text, share_text

_PLACES = 4  # nodes that are named


def facts_of(tree: Tree, row: RowValues, steps: list[Step]) -> list[str]:
    """Give what holds for the row, merged: conditions of tests, and columns without a value.

    >>> from treewright.encode.table import RowEncoder
    >>> from treewright.explain.row_values import read_row
    >>> from treewright.explain.walk import walk
    >>> from treewright.tree import example_tree
    >>> tree = example_tree()
    >>> row = read_row(RowEncoder(tree.schema), {"outlook": "rain"})
    >>> facts_of(tree, row, walk(tree, row.numbers)[0])
    ['outlook is sunny or rain', 'humidity is missing']
    """
    merged = merge_path(tree, [(step.node, step.branch) for step in steps if step.by == "test"])
    lacking = dict.fromkeys(int(tree.arrays["column"][step.node]) for step in steps if step.by != "test")
    return [*(_fact(row, c) for c in merged.values()), *(lack_of(row, column) for column in lacking)]


def _fact(row: RowValues, condition: Condition) -> str:
    """Write a condition; of a long list of levels the one that the row has."""
    said = condition.text()
    if isinstance(condition.allowed, LevelSet) and len(condition.allowed.codes) > LISTED and "…" in said:
        name = name_text(row.schema.columns[condition.column].name)
        return f"{name} is {row.shown(condition.column)} (one of {len(condition.allowed.codes):,} levels)"
    return said


def lack_of(row: RowValues, column: int) -> str:
    """Say that the row has no value in a column, or one that tells nothing."""
    name = name_text(row.schema.columns[column].name)
    if row.is_missing(column):
        return f"{name} is missing"
    what = "a level never seen in training" if row.is_new(column) else "a level that no training row had here"
    return f"{name} is {row.shown(column)} ({what})"


def sent_texts(tree: Tree, row: RowValues, steps: list[Step]) -> list[str]:
    """Say of each column without a value where that sent the row, and by what; one text a column.

    >>> from treewright.encode.table import RowEncoder
    >>> from treewright.explain.row_values import read_row
    >>> from treewright.explain.walk import walk
    >>> from treewright.tree import example_tree
    >>> tree = example_tree()
    >>> row = read_row(RowEncoder(tree.schema), {"outlook": "rain"})
    >>> sent_texts(tree, row, walk(tree, row.numbers)[0])
    ["humidity is missing: node 2 sends it to 'humidity > 82.5'"]
    """
    by_lack: dict[str, list[str]] = {}
    for step in steps:
        if step.by != "test":
            lack = lack_of(row, int(tree.arrays["column"][step.node]))
            if tree.arrays["kind"][step.node] == HYPERPLANE:
                lack = "most of what a weighted sum needs is missing"
            by_lack.setdefault(lack, []).append(_where(tree, step))
    return [f"{lack}: {_few(places)}" for lack, places in by_lack.items()]


def _few(places: list[str]) -> str:
    more = len(places) - _PLACES
    return ", ".join(places[:_PLACES]) + (f" … and {more:,} nodes more" if more > 0 else "")


def _where(tree: Tree, step: Step) -> str:
    if step.branch == STOPS:
        return f"the row stops at node {step.node} and gets its answer"
    if step.branch == SPREADS:
        return f"at node {step.node} the row goes down every branch, in pieces as large as the branches"
    label = read_test(tree.arrays, step.node, tree.schema.columns).branches[step.branch].label
    if step.by == "surrogate":
        return f"at node {step.node} {surrogate_text(tree, step)} stands in and sends it to '{label}'"
    if label.endswith(" is missing"):
        return f"node {step.node} has a branch for it"
    return f"node {step.node} sends it to '{label}'"


def surrogate_text(tree: Tree, step: Step) -> str:
    """Say which test stood in, and how often it agrees with the one it stands for."""
    test = one_test(tree.arrays, "surrogate", step.node, step.surrogate)
    flip = bool(test["flip"][0])
    label = read_test(test, 0, tree.schema.columns).branches[step.branch ^ flip].label
    return f"'{label}' (agrees in {share_text(float(tree.arrays['surrogate_agreement'][step.surrogate]))})"


def runner_up(tree: Tree, node: int) -> tuple[str, float] | None:
    """Give the best test of another column at a node and how good it is beside the one taken, if it was kept."""
    kept = entries(tree.arrays, "candidate", node)
    if not len(kept):
        return None
    test = read_test(one_test(tree.arrays, "candidate", node, kept.start), 0, tree.schema.columns)
    taken = float(tree.arrays["improvement"][node])
    worth = float(tree.arrays["candidate_improvement"][kept.start])
    return test.text, worth / taken if taken > 0 else 0.0
