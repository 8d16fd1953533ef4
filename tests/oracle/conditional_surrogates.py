"""Surrogates of conditional trees, as partykit finds them.

Which way the rows with a value in the node's own column go is a target of two classes. Every other column is tested
against it, and the most significant ones are cut, whatever the size of the sides. A surrogate is turned round where
more of its left rows go right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treewright.reference.table import Table

if TYPE_CHECKING:
    from oracle.conditional import Cut, Evidence, Node, Recipe


def most_significant(tests: Sequence[Evidence]) -> list[Evidence]:
    """Smallest p first. Where p is zero to the last bit of 1 - p, partykit means to go by the statistic.

    It adds `order` of the statistics where their rank is meant. With two such columns that is the same; with three and
    more it need not be. We do as it does.
    """
    tests = [t for t in tests if in_steps(t.log_p) < 0]  # with p = 1 nothing is told
    if not tests:
        return []
    chances = [math.log1p(-math.exp(t.log_p)) for t in tests]
    best = min(range(len(tests)), key=lambda i: (in_steps(tests[i].log_p), i))
    tied = [
        i
        for i, t in enumerate(tests)
        if abs(chances[i] - chances[best]) < np.finfo(float).eps or in_steps(t.log_p) == in_steps(tests[best].log_p)
    ]
    by_statistic = sorted(range(len(tied)), key=lambda i: in_steps(math.log(tests[tied[i]].statistic)))  # stable
    bonus = {place: by_statistic[i] + 1 for i, place in enumerate(tied)} if len(tied) > 1 else {}
    order = sorted(range(len(tests)), key=lambda i: (-bonus.get(i, 0), in_steps(tests[i].log_p), i))
    return [tests[i] for i in order]


def in_steps(logarithm: float) -> int:
    """A logarithm in steps that rounding does not reach."""
    return math.floor(logarithm * 2**26 + 0.5)


def surrogates(table: Table, node: Node, cut: Cut, recipe: Recipe) -> list[Cut]:
    """The surrogates of a node in the order in which they are asked."""
    from oracle.conditional import best_cut, branch_of, evidence

    known = tuple(table.columns[cut.column].known(node.rows))
    own = branch_of(table.columns[cut.column], cut)
    target = tuple(own(row) if row in set(known) else 0 for row in range(len(table.target)))
    asked = Table(table.columns, target, table.weights, 2)
    plain = replace(recipe, ordinal_target=False, min_samples_leaf=0, min_branch_share=0.0, test="univariate")
    tests = [
        test
        for j in range(len(table.columns))
        if j != cut.column and (test := evidence(asked, j, known, plain)) is not None
    ]
    found = []
    for test in most_significant(tests)[: recipe.max_surrogates]:
        mine = best_cut(asked, test.column, replace(node, rows=known), plain)
        if mine is None:
            continue
        ways = branch_of(table.columns[test.column], mine)
        weight = {(a, b): 0 for a in (0, 1) for b in (0, 1)}  # of the rows on each side, by where they go
        for row in table.columns[test.column].known(known):
            weight[ways(row), target[row]] += table.weights[row]
        if mine.levels:  # which side is left depends on the order of the levels, so both count
            turned = weight[0, 0] + weight[1, 1] < weight[0, 1] + weight[1, 0]
        else:  # as partykit, which counts rows whatever they weigh
            turned = weight[0, 0] < weight[0, 1]
        found.append(replace(mine, turned=turned))
    return found
