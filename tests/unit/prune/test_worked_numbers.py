"""The numbers that books and lectures give for small cases, from the definitions and from the pruners themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import treewright as tw
from oracle import pruning_menu as oracle
from oracle.pruning_menu import tree
from treewright import _core
from treewright.prune.description_length import exception_bits, rissanen_bits
from treewright.prune.minimum_error import MinimumError
from treewright.prune.pessimistic_error import extra_errors
from treewright.prune.pruner import Grown, ValidationRows
from treewright.prune.significance import split_p_values
from treewright.reference.error_based import Pessimism
from unit.tree.hand_made import CREDIT, Made, arrays_of, leaf, split_levels

# (rows, errors): extra errors of J48, of C4.5 release 8; confidence 0.25
EXTRA_ERRORS = {
    (6, 0): (1.2378, 1.2378),
    (9, 0): (1.2848, 1.2848),
    (1, 0): (0.7500, 0.7500),
    (16, 1): (1.4757, 1.5069),
    (14, 5): (1.7611, 1.7950),
    (5, 2): (1.2220, 1.2396),
    (100, 10): (2.7496, 2.8147),
    (2.4, 2): (0.4000, 0.2680),
}


@pytest.mark.parametrize("case", EXTRA_ERRORS, ids=str)
def test_leaves_are_feared_to_make_as_many_errors_as_j48_and_c45_say(case: tuple[float, float]) -> None:
    for variant, wanted in zip(("j48", "c45"), EXTRA_ERRORS[case], strict=True):
        assert Pessimism(0.25, variant).extra_errors(*case) == pytest.approx(wanted, abs=5e-5)
        found = extra_errors(np.array([case[0]]), np.array([float(case[1])]), 0.25, variant)
        assert found[0] == pytest.approx(wanted, abs=5e-5)


@pytest.mark.parametrize("confidence", [0.01, 0.1, 0.25, 0.4, 0.5, 0.7])
@pytest.mark.parametrize("variant", ["j48", "c45"])
def test_the_feared_errors_are_those_of_the_definition(confidence: float, variant: str) -> None:
    cases = [(n, e) for n in (0.5, 1, 2.4, 7, 100) for e in (0, 1e-7, 0.3, 0.99995, 1, 1.5, 6, 99.7, 100) if e <= n]
    wanted = [Pessimism(confidence, variant).extra_errors(n, e) for n, e in cases]
    found = extra_errors(np.array([n for n, _ in cases]), np.array([e for _, e in cases]), confidence, variant)
    assert found == pytest.approx(wanted)


def test_quinlans_three_small_leaves_become_one() -> None:
    # Quinlan (1993), chapter 4: leaves of 6, 9 and 1 rows without an error, against one leaf with one error.
    for variant, leaves, whole in (("j48", 3.273, 2.476), ("c45", 3.273, 2.507)):
        small = extra_errors(np.array([6.0, 9.0, 1.0]), np.zeros(3), 0.25, variant)
        assert small.sum() == pytest.approx(leaves, abs=5e-4)
        assert 1 + extra_errors(np.array([16.0]), np.ones(1), 0.25, variant)[0] == pytest.approx(whole, abs=5e-4)
    root = split_levels(1, [[1], [2], [3]], leaf(6), leaf(9), leaf(0, 1))
    assert leaves_after(root, tw.PessimisticError(raise_subtrees=False)) == 1


def test_the_older_pessimistic_rule_keeps_what_is_clearly_better() -> None:
    # 100 rows, 12 errors as a leaf; four leaves with 6 errors: 12.5 > 8 + 2.713.
    root = split_levels(1, [[1], [2], [3], [4]], leaf(46, 2), leaf(42, 2), leaf(1, 4), leaf(1, 2))
    counts = arrays_of(root)["count_weight"]
    assert counts[:2].tolist() == [90, 10]
    assert leaves_after(root, tw.PessimisticError(variant="1987")) == 1  # 10.5 ≤ 8 + 2.713
    dearer = split_levels(1, [[1], [2], [3], [4]], leaf(45, 2), leaf(41, 2), leaf(1, 5), leaf(1, 3))
    assert arrays_of(dearer)["count_weight"][:2].tolist() == [88, 12]
    assert leaves_after(dearer, tw.PessimisticError(variant="1987")) == 4
    assert math.sqrt(8 * 92 / 100) == pytest.approx(2.713, abs=5e-4)


def stored(root: Made, n_classes: int = 2) -> _core.Tree:
    return _core.Tree(arrays_of(root), len(CREDIT.columns), n_classes)


def leaves_after(root: Made, pruner: Any) -> int:
    core = stored(root)
    return int((pruner.cut(Grown(core, CREDIT, "gini")).arrays()["n_children"] == 0).sum())


def test_the_degrees_of_freedom_of_a_split_are_branches_less_one_times_classes_less_one() -> None:
    # A lecture writes the number of rows less one (11), with which no split would ever be significant.
    patrons = split_levels(1, [[1], [2], [3]], leaf(0, 2), leaf(4, 0), leaf(2, 4))
    outlook = split_levels(1, [[1], [2], [3]], leaf(2, 3), leaf(4, 0), leaf(3, 2))
    assert oracle.pearson([(0, 2), (4, 0), (2, 4)]) == (pytest.approx(6.6667, abs=5e-5), 2)
    assert oracle.pearson([(2, 3), (4, 0), (3, 2)]) == (pytest.approx(3.5467, abs=5e-5), 2)
    assert split_p_values(stored(patrons), "pearson")[0] == pytest.approx(0.0357, abs=5e-5)
    assert split_p_values(stored(outlook), "pearson")[0] == pytest.approx(0.1698, abs=5e-5)
    assert leaves_after(patrons, tw.ChiSquare()) == 3
    assert leaves_after(outlook, tw.ChiSquare()) == 1


def test_the_expected_error_of_a_leaf_has_m_rows_of_the_root_added() -> None:
    # Tennis, outlook = sunny: (2 yes, 3 no), divided by humidity into (2, 0) and (0, 3); root 9 yes, 5 no.
    prior = (9 / 14, 5 / 14)
    for m, whole, divided in ((2, 0.4694, 0.2257), (8, 0.4505, 0.3948)):
        assert oracle.m_error(tree((2, 3)), prior, m) == pytest.approx(whole, abs=5e-5)
        pruned, error = oracle.minimum_error(tree((2, 3), tree((2, 0)), tree((0, 3))), prior, m)
        assert error == pytest.approx(divided, abs=5e-5)
        assert len(pruned.children) == 2
    _, error = oracle.minimum_error(tree((2, 3), tree((2, 0)), tree((0, 3))), (0.5, 0.5), 2)
    assert oracle.m_error(tree((2, 3)), (0.5, 0.5), 2) == pytest.approx(0.4286, abs=5e-5)
    assert error == pytest.approx(0.2200, abs=5e-5)
    sunny = split_levels(1, [[1], [2]], leaf(2, 0), leaf(0, 3))
    root = split_levels(1, [[1], [2]], sunny, leaf(7, 2))
    for pruner in (MinimumError(2), MinimumError(8), MinimumError(2, prior="uniform")):
        assert leaves_after(root, pruner) == 3


def test_the_bits_of_a_leaf_are_those_of_the_papers() -> None:
    core = stored(split_levels(1, [[1], [2]], leaf(9, 5), leaf(3, 2)))
    assert rissanen_bits(core)[1] == pytest.approx(16.2192, abs=5e-5)
    assert exception_bits(core)[1:] == pytest.approx([13.9672, 5.3219], abs=5e-5)
    assert exception_bits(stored(split_levels(1, [[1], [2]], leaf(5, 0), leaf(1, 1))))[1] == pytest.approx(2.0)


def test_greedy_reduced_error_may_keep_more_and_may_lose_more() -> None:
    # Mitchell's wording against Quinlan's: a cut that neither helps nor harms is made only from the leaves up ...
    a = tree((6, 2), tree((3, 2), answer=1, held=(3, 2)), tree((3, 0), held=(3, 0)))
    b = tree((3, 5), tree((3, 0), held=(3, 0)), tree((0, 5), held=(0, 5)))
    c = tree((4, 4), tree((2, 2), held=(2, 2)), tree((2, 2), answer=1, held=(2, 2)))
    root = tree((13, 11), a, b, c)
    start = oracle.loss_of_tree(root, oracle.wrong_class)
    up, greedy = oracle.reduced_error(root), oracle.reduced_error_greedy(root)
    assert [oracle.loss_of_tree(each, oracle.wrong_class) for each in (up, greedy)] == [6, 6]
    assert start == 7
    assert oracle.shape(up) == ((), ((), ()), ())
    assert oracle.shape(greedy) == ((), ((), ()), ((), ()))


def test_one_greedy_cut_may_swallow_a_useful_part() -> None:
    # ... and two subtrees that are worth +3 each take a third with them that is worth -1.
    bad = tree((8, 0), tree((3, 0), answer=1, held=(3, 0)), tree((5, 0), held=(5, 0)))
    good = tree((3, 1), tree((3, 0), held=(3, 0)), tree((0, 1), held=(0, 1)))
    root = tree((19, 1), bad, bad, good)
    assert oracle.loss_of_tree(root, oracle.wrong_class) == 6
    assert oracle.loss_of_tree(oracle.reduced_error(root), oracle.wrong_class) == 0
    assert oracle.shape(oracle.reduced_error_greedy(root)) == ()
    assert oracle.loss_of_tree(oracle.reduced_error_greedy(root), oracle.wrong_class) == 1


def test_the_greedy_pruner_makes_the_same_cuts() -> None:
    wrong = split_levels(1, [[1], [2]], leaf(0, 3), leaf(9))
    right = split_levels(1, [[1], [2]], leaf(4), leaf(0, 2))
    core = stored(split_levels(1, [[1], [2], [3]], wrong, wrong, right))
    nodes, truth = [2, 3, 5, 6, 8, 9], [0, 0, 0, 0, 0, 1]
    judges = ValidationRows(
        np.array(nodes, dtype=np.int32), np.array(truth, dtype=np.int32), np.array([3.0, 5, 3, 5, 3, 1])
    )
    grown = Grown(core, CREDIT, "gini", judges.of(core, "classes"))
    assert tw.ReducedError(greedy=True).cut(grown).n_nodes == 1
    assert tw.ReducedError().cut(grown).n_nodes == 6
