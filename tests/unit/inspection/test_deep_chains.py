"""A chain of 100,000 nodes is explained, listed, compared and asked; nothing recurses and nothing is quadratic."""

from __future__ import annotations

import time

import pytest

import treewright as tw
from thorough import some
from treewright.inspection.questionnaire import page_data
from treewright.inspection.rules import Rules, read_rules
from treewright.inspection.tree_diff import compare_trees
from treewright.inspection.why import why_row
from treewright.tree import Tree
from unit.tree.hand_made import CREDIT, chain_arrays
from unit.tree.stand_in import StandIn


@pytest.fixture(scope="module", params=some([5_000, 100_000], 1))
def depth(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def chain(depth: int) -> Tree:
    arrays = chain_arrays(depth)
    arrays["prediction"][-1] = 1  # the leaf at the end answers another class than all others
    return Tree(StandIn(arrays, len(CREDIT.columns), 2), CREDIT, ["good", "bad"])


def test_why_follows_the_chain_to_its_end_and_finds_the_change(chain: Tree, depth: int) -> None:
    why = why_row(chain, {"age": 1e9})
    assert why.steps[-1].node == max(step.node for step in why.steps)
    assert len(why.steps) == depth
    assert len(why.conditions) == 1
    assert len(str(why).splitlines()) < 100
    assert (why.prediction, why.change.answer) == ("bad", "good")
    assert why_row(chain, {"age": 0.0}).change.row["age"] == 2 * depth - 1


def test_every_leaf_has_a_rule_of_one_interval(chain: Tree, depth: int) -> None:
    start = time.process_time()
    rules = Rules(list(read_rules(chain)))
    assert len(rules) == depth + 1
    assert max(len(rule.conditions) for rule in rules) == 1
    assert len(rules.to_text().splitlines()) == depth + 1
    assert time.process_time() - start < 60


def test_chains_are_compared_asked_and_written(chain: Tree, depth: int) -> None:
    assert len(compare_trees(chain, chain).same) == depth
    asking = tw.questionnaire(chain)
    asking.answer(depth / 2)
    assert asking.question is None
    assert len(page_data(chain)["nodes"]) == chain.n_nodes
