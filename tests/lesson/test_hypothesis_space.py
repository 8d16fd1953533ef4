"""The counts of hypotheses, as the lectures have them."""

from __future__ import annotations

import pytest

from treewright.lesson.hypothesis_space import HypothesisSpace, functions_by_depth, power_text, space_lines


@pytest.mark.parametrize(("n", "count"), [(1, 4), (2, 16), (3, 256), (4, 65_536), (5, 4_294_967_296)])
def test_boolean_functions_of_n_attributes(n: int, count: int) -> None:
    assert HypothesisSpace((2,) * n).functions == count


def test_six_attributes_have_eighteen_quintillion_functions() -> None:
    assert HypothesisSpace((2,) * 6).functions == 18_446_744_073_709_551_616
    assert "2^(2^6) = 2^64 = 18,446,744,073,709,551,616" in space_lines(HypothesisSpace((2,) * 6))[1]


def test_conjunctions_are_three_to_the_n_and_the_one_never_true() -> None:
    assert [HypothesisSpace((2,) * n).conjunctions for n in (1, 2, 3)] == [4, 10, 28]
    assert HypothesisSpace((3, 2)).conjunctions == 4 * 3 + 1


def test_trees_of_ten_attributes() -> None:
    space = HypothesisSpace((2,) * 10)
    assert [space.labellings(depth) for depth in (1, 2, 3, 4)] == [10, 10**3, 10**7, 10**15]
    assert [space.trees(depth) for depth in (2, 3)] == [810, 3_317_760]


def test_shallow_trees_of_three_attributes_are_few_functions() -> None:
    assert functions_by_depth(3) == [2, 8, 62, 256]
    assert functions_by_depth(2) == [2, 6, 16]


def test_rows_that_a_consistent_learner_needs() -> None:
    assert HypothesisSpace((2,) * 4).rows_needed(0.1, 0.05) == pytest.approx(140.9, abs=0.05)


def test_counts_beyond_all_numbers_are_still_written() -> None:
    wide = HypothesisSpace((2,) * 100)
    assert "2^(1,267,650,600,228,229,401,496,703,205,376)" not in space_lines(wide)[1]
    assert "2^(10^30)" in space_lines(wide)[1]
    huge = HypothesisSpace((50,) * 400, 3)
    assert huge.to_dict()["functions"] is None
    assert space_lines(huge)[1].startswith("functions from rows to 3 classes: 3^(10^")
    assert power_text(2, 10) == "2^10 = 1,024"
