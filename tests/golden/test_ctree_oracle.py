"""The plain definition of conditional trees gives partykit's trees: same tests, same statistics, same p-values.

Nothing is let pass: all trees are compared node by node, on every table. Only the p-values of the maximum statistic
are compared loosely, because partykit integrates by random points there.
"""

from __future__ import annotations

from typing import Any

import pytest

from golden.ctree_tree import TABLES, load, oracle_nodes, oracle_recipe, oracle_table
from treewright.reference.conditional import grow

pytestmark = pytest.mark.thorough

CASES = [(name, i, tree["name"]) for name in TABLES for i, tree in enumerate(load(name).content["trees"])]


@pytest.mark.parametrize(("name", "place"), [c[:2] for c in CASES], ids=[f"{c[0]}-{c[2]}" for c in CASES])
def test_the_definition_grows_the_tree_of_ctree(name: str, place: int) -> None:
    reference = load(name)
    tree: dict[str, Any] = reference.content["trees"][place]
    ours = oracle_nodes(reference, grow(oracle_table(reference, tree), oracle_recipe(tree)))
    theirs = reference.nodes(tree)
    close = 0.008 if tree["parameters"].get("statistic") == "maximum" else 1e-6
    assert len(ours) == len(theirs)
    for mine, peer in zip(ours, theirs, strict=True):
        assert (mine.column, mine.threshold, mine.left) == (peer.column, peer.threshold, peer.left)
        assert peer.n is None or mine.n == peer.n
        assert mine.tests.keys() == peer.tests.keys()
        for name, (statistic, p) in peer.tests.items():
            assert mine.tests[name][0] == pytest.approx(statistic, rel=1e-6, abs=1e-9)
            assert mine.tests[name][1] == pytest.approx(p, abs=close)
