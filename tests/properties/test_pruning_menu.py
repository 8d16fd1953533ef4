"""Every pruner cuts exactly what its definition cuts, on random stored trees with any number of branches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from oracle import pruning_menu as oracle
from oracle.pruning_menu import Node
from properties.stored_trees import SCHEMA, Stored, shape_of, stored_trees
from treewright.prune import Grown, Pruner

FEWER = settings(max_examples=settings().max_examples // 2)  # small trees, and many methods


def pruned_shape(stored: Stored, pruner: Pruner, criterion: str = "squared_error") -> tuple[object, ...]:
    """The shape that the pruner leaves of a stored tree."""
    loss = "classes" if stored.tree.n_classes else criterion
    return shape_of(pruner.cut(Grown(stored.tree, SCHEMA, criterion, stored.judges.of(stored.tree, loss))))


def root_shares(root: Node) -> list[float]:
    return [count / root.weight for count in root.counts]


def uniform(root: Node) -> list[Fraction]:
    return [Fraction(1, len(root.counts))] * len(root.counts)


BY_CLASSES: dict[str, tuple[Pruner, Callable[[Node], Node]]] = {
    "reduced error": (tw.ReducedError(), oracle.reduced_error),
    "reduced error, greedy": (tw.ReducedError(greedy=True), oracle.reduced_error_greedy),
    "validation gain": (tw.ValidationGain(), oracle.validation_gain),
    "validation gain, epsilon": (tw.ValidationGain(epsilon=0.25), lambda n: oracle.validation_gain(n, epsilon=0.25)),
    "validation gain, lookahead": (tw.ValidationGain(lookahead=2), lambda n: oracle.validation_gain(n, lookahead=2)),
    "pessimistic, j48": (tw.PessimisticError(raise_subtrees=False), oracle.error_based),
    "pessimistic, c45": (
        tw.PessimisticError(0.1, raise_subtrees=False, variant="c45"),
        lambda n: oracle.error_based(n, 0.1, "c45"),
    ),
    "pessimistic, high confidence": (
        tw.PessimisticError(0.6, raise_subtrees=False),
        lambda n: oracle.error_based(n, 0.6),
    ),
    "pessimistic, 1987": (tw.PessimisticError(variant="1987"), oracle.pessimistic_1987),
    "chi-square": (tw.ChiSquare(0.3), lambda n: oracle.chi_square(n, 0.3)),
    "chi-square, likelihood": (
        tw.ChiSquare(0.3, statistic="likelihood"),
        lambda n: oracle.chi_square(n, 0.3, oracle.likelihood_ratio),
    ),
    "minimum error": (tw.MinimumError(), lambda n: oracle.minimum_error(n, root_shares(n))[0]),
    "minimum error, m = 9": (tw.MinimumError(9), lambda n: oracle.minimum_error(n, root_shares(n), 9)[0]),
    "minimum error, uniform": (
        tw.MinimumError(3, prior="uniform"),
        lambda n: oracle.minimum_error(n, uniform(n), 3)[0],
    ),
    "description, rissanen": (
        tw.MinimumDescription(),
        lambda n: oracle.minimum_description(n, lambda node: oracle.rissanen_bits(node.counts))[0],
    ),
    "description, exceptions": (
        tw.MinimumDescription("exceptions"),
        lambda n: oracle.minimum_description(n, lambda node: oracle.exception_bits(node.counts, int(node.answer)))[0],
    ),
    "critical value": (tw.CriticalValue(0.25), lambda n: oracle.critical_value(n, 0.25)),
    "equal leaves": (tw.MergeEqualLeaves(), oracle.merge_equal_leaves),
}


@pytest.mark.parametrize("method", BY_CLASSES)
@FEWER
@given(data=st.data())
def test_a_classification_tree_is_pruned_as_defined(method: str, data: st.DataObject) -> None:
    stored = data.draw(stored_trees(classes=data.draw(st.integers(2, 3))))
    pruner, definition = BY_CLASSES[method]
    root = exact(stored.root) if isinstance(pruner, tw.MinimumError) else stored.root
    assert pruned_shape(stored, pruner) == oracle.shape(definition(root))


def unit_of(root: Node) -> Fraction | float:
    rows = sum(weight for _, weight in oracle.held_below(root))
    return oracle.loss_as_leaf(root, oracle.squared) / rows if rows else 1


BY_NUMBERS: dict[str, tuple[Pruner, Callable[[Node], Node]]] = {
    "reduced error": (tw.ReducedError(), lambda n: oracle.reduced_error(n, oracle.squared)),
    "reduced error, greedy": (tw.ReducedError(greedy=True), lambda n: oracle.reduced_error_greedy(n, oracle.squared)),
    "validation gain": (
        tw.ValidationGain(epsilon=0.11, lookahead=2),
        lambda n: oracle.validation_gain(n, oracle.squared, 0.11, 2, unit_of(n)),
    ),
    "minimum error": (tw.MinimumError(2), lambda n: oracle.minimum_error_of_numbers(n, n, 2)[0]),
    "critical value": (tw.CriticalValue(0.25), lambda n: oracle.critical_value(n, 0.25)),
    "equal leaves": (tw.MergeEqualLeaves(), oracle.merge_equal_leaves),
}


@pytest.mark.parametrize("method", BY_NUMBERS)
@FEWER
@given(data=st.data())
def test_a_regression_tree_is_pruned_as_defined(method: str, data: st.DataObject) -> None:
    stored = data.draw(stored_trees(classes=0))
    pruner, definition = BY_NUMBERS[method]
    assert pruned_shape(stored, pruner) == oracle.shape(definition(exact(stored.root)))


def exact(node: Node) -> Node:
    """The same tree in fractions, so that what is equal on paper is equal."""
    counts = tuple(Fraction(count) for count in node.counts)
    answer = int(node.answer) if counts else Fraction(node.answer).limit_denominator(10_000)
    return replace(node, counts=counts, answer=answer, children=tuple(exact(child) for child in node.children))


@given(data=st.data())
def test_absolute_errors_are_pruned_as_defined(data: st.DataObject) -> None:
    stored = data.draw(stored_trees(classes=0))
    definition = oracle.reduced_error(exact(stored.root), lambda truth, answer: abs(truth - answer))
    assert pruned_shape(stored, tw.ReducedError(), "absolute_error") == oracle.shape(definition)


@given(data=st.data())
def test_no_pruning_makes_fewer_held_out_errors_than_reduced_error(data: st.DataObject) -> None:
    # Bottom-up, it finds the fewest errors that any pruning makes, and the fewest leaves with so few errors.
    stored = data.draw(stored_trees(classes=2))
    found = oracle.reduced_error(stored.root)
    leaf_count = sum(1 for _ in oracle.leaves(found))
    assert (oracle.loss_of_tree(found, oracle.wrong_class), leaf_count) == min(errors_and_leaves(stored.root))


def errors_and_leaves(node: Node) -> set[tuple[float, int]]:
    """What all the prunings of a tree make of held-out errors, with how many leaves."""
    ways = {(sum(weight * oracle.wrong_class(truth, node.answer) for truth, weight in node.held), 0)}
    for child in node.children:
        ways = {(errors + e, leaves + n) for errors, leaves in ways for e, n in errors_and_leaves(child)}
    as_leaf = (float(oracle.loss_as_leaf(node, oracle.wrong_class)), 1)
    return {as_leaf, *ways} if node.children else {as_leaf}
