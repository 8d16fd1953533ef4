"""Boxes stand where a reader looks for them: under their parents, in order, none on another."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.tidy_tree import place
from thorough import examples
from treewright.plot.layout import Shape, tidy

widths = st.integers(1, 60).map(float)
trees = st.recursive(
    st.tuples(widths, st.just([])),
    lambda below: st.tuples(widths, st.lists(below, min_size=1, max_size=5)),
    max_leaves=25,
)


def _flat(tree: tuple[float, list[Any]]) -> tuple[Shape, list[float], list[int]]:
    """A tree as preorder arrays: shape, widths, depths."""
    sizes: list[float] = []
    depths: list[int] = []
    children: list[list[int]] = []
    waiting = [(tree, -1, 0)]
    while waiting:
        (width, below), parent, depth = waiting.pop()
        number = len(sizes)
        sizes.append(width)
        depths.append(depth)
        children.append([])
        if parent >= 0:
            children[parent].append(number)
        waiting += [(child, number, depth + 1) for child in reversed(below)]
    start = np.cumsum([0, *map(len, children)]).tolist()
    return Shape(start, [child for own in children for child in own]), sizes, depths


@given(trees, st.integers(0, 20).map(float))
@settings(max_examples=examples(300))
def test_no_two_boxes_of_a_level_come_nearer_than_the_gap(tree: Any, gap: float) -> None:
    shape, sizes, depths = _flat(tree)
    middles = tidy(shape, sizes, gap)
    for level in set(depths):
        own = [i for i, depth in enumerate(depths) if depth == level]  # preorder: from left to right
        for left, right in pairwise(own):
            assert middles[left] + sizes[left] / 2 + gap <= middles[right] - sizes[right] / 2 + 1e-6


@given(trees)
@settings(max_examples=examples(200))
def test_a_parent_stands_above_the_middle_of_its_outer_children(tree: Any) -> None:
    shape, sizes, _ = _flat(tree)
    middles = tidy(shape, sizes, 4.0)
    for node in range(shape.n_nodes):
        own = shape.of(node)
        if own:
            assert middles[node] == pytest.approx((middles[own[0]] + middles[own[-1]]) / 2)
            assert [*own] == sorted(own, key=lambda child: middles[child])
    assert min(m - w / 2 for m, w in zip(middles, sizes, strict=True)) == pytest.approx(0.0)


@given(trees, st.integers(0, 20).map(float))
@settings(max_examples=examples(300))
def test_places_are_those_of_the_definition(tree: Any, gap: float) -> None:
    shape, sizes, _ = _flat(tree)
    assert tidy(shape, sizes, gap).tolist() == pytest.approx(place(tree, gap))


@given(trees)
@settings(max_examples=examples(100))
def test_equal_subtrees_look_equal(tree: Any) -> None:
    shape, sizes, _ = _flat((10.0, [tree, (5.0, []), tree]))
    middles = tidy(shape, sizes, 3.0)
    n = (shape.n_nodes - 2) // 2
    first, second = middles[1 : n + 1], middles[n + 2 :]
    assert (first - first[0]).tolist() == pytest.approx((second - second[0]).tolist())


def test_small_subtrees_between_large_ones_are_spread_evenly() -> None:
    wide: Any = (10.0, [(50.0, []), (50.0, [])])
    shape, sizes, _ = _flat((10.0, [wide, (10.0, []), (10.0, []), wide]))
    middles = tidy(shape, sizes, 5.0)
    gaps = np.diff([middles[child] for child in shape.of(0)])
    assert gaps.tolist() == pytest.approx([gaps[0]] * 3)


def test_a_chain_of_100000_nodes_is_laid_out() -> None:
    n = 100_001
    children = [child for node in range(0, n - 2, 2) for child in (node + 1, node + 2)]
    start = np.cumsum([0, *(2 if node % 2 == 0 and node < n - 2 else 0 for node in range(n))]).tolist()
    middles = tidy(Shape(start, children), [10.0] * n, 5.0)
    assert (middles[children[1::2]] - middles[children[::2]]).tolist() == pytest.approx([15.0] * (n // 2))


def test_a_star_of_50000_leaves_is_laid_out() -> None:
    n = 50_001
    middles = tidy(Shape([0] + [n - 1] * n, list(range(1, n))), [10.0] * n, 5.0)
    assert np.diff(middles[1:]).tolist() == pytest.approx([15.0] * (n - 2))
