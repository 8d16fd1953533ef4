"""The slow definition of CHAID gives the published and the counted numbers."""

from __future__ import annotations

import math

import pytest

from treewright.reference.chaid import Recipe, bin_edges, grow
from treewright.reference.chaid_merging import MISSING, Merging, Rules, multiplier
from treewright.reference.group_tests import Classes, Numbers, OrderedClasses
from treewright.reference.table import Column, Table
from treewright.reference.tally import ClassTally, NumberTally

FIVE_LEVELS = {1: (40, 10), 2: (38, 12), 3: (20, 30), 4: (18, 32), 5: (5, 45)}
OUTLOOK = {1: (2, 3), 2: (4, 0), 3: (3, 2)}  # sunny, overcast, rain by yes and no


def tallied(*cells):
    """Counts of classes as tallies."""
    return [ClassTally(sum(cell), cell) for cell in cells]


def merging(kind, cells, rules):
    """Categories with their counts, ready to merge."""
    return Merging(kind, dict(zip(cells, tallied(*cells.values()), strict=True)), Classes(), rules)


def set_partitions(things):
    """Every division of things into parts."""
    if not things:
        yield []
        return
    first, rest = things[0], things[1:]
    for parts in set_partitions(rest):
        yield [[first], *parts]
        for k in range(len(parts)):
            yield [*parts[:k], [first, *parts[k]], *parts[k + 1 :]]


def allowed(kind, part, categories):
    """Whether a part may be a group: neighbours only, but for the missing category, which is the last one."""
    ordered = [c for c in part if not (kind == "floating" and c == categories - 1)]
    return kind == "free" or not ordered or max(ordered) - min(ordered) + 1 == len(ordered)


@pytest.mark.parametrize("kind", ["monotonic", "free", "floating"])
def test_a_multiplier_counts_the_partitions_that_the_kind_of_column_allows(kind):
    for categories in range(2, 8):
        counted = dict.fromkeys(range(2, categories + 1), 0)
        for parts in set_partitions(list(range(categories))):
            if len(parts) > 1 and all(allowed(kind, part, categories) for part in parts):
                counted[len(parts)] += 1
        assert counted == {r: multiplier(kind, categories, r, Rules()) for r in counted}


def test_the_exhaustive_multiplier_counts_the_pairs_tested():
    for categories in range(2, 9):
        pairs = sum(math.comb(groups, 2) for groups in range(2, categories + 1))
        neighbours = sum(groups - 1 for groups in range(2, categories + 1))
        assert multiplier("free", categories, 2, Rules(exhaustive=True)) == pairs
        assert multiplier("monotonic", categories, 2, Rules(exhaustive=True)) == neighbours
        assert multiplier("free", categories, 2, Rules(exhaustive=True, exhaustive_adjust="spss")) == 3 * pairs


@pytest.mark.parametrize(("kind", "adjusted"), [("monotonic", 6.4e-15), ("free", 2.7e-14)])
def test_five_ordered_levels_merge_as_in_the_worked_example(kind, adjusted):
    merged = merging(kind, FIVE_LEVELS, Rules()).run()
    assert merged.groups == ((1, 2), (3, 4), (5,))
    assert merged.test.statistic == pytest.approx(68.9346, abs=5e-5)
    assert merged.test.degrees == 2
    assert math.exp(merged.test.log_p) == pytest.approx(1.074e-15, rel=1e-3)
    assert math.exp(merged.log_p_adjusted) == pytest.approx(adjusted, rel=2e-2)


def test_the_most_alike_pair_of_the_worked_example_merges_first():
    column = merging("monotonic", FIVE_LEVELS, Rules())
    i, j, answer = column.most_alike([(k,) for k in FIVE_LEVELS])
    assert (i, j) == (2, 3)
    assert math.exp(answer.log_p) == pytest.approx(0.6803, abs=5e-5)
    i, j, answer = column.most_alike([(1,), (2,), (3, 4), (5,)])
    assert (i, j) == (0, 1)
    assert math.exp(answer.log_p) == pytest.approx(0.6292, abs=5e-5)
    assert math.exp(column.most_alike([(1, 2), (3, 4), (5,)])[2].log_p) == pytest.approx(0.0004, abs=5e-5)


def test_exhaustive_chaid_multiplies_by_ten_in_the_worked_example():
    merged = merging("monotonic", FIVE_LEVELS, Rules(exhaustive=True)).run()
    assert merged.log_p_adjusted - merged.test.log_p == pytest.approx(math.log(10))


def test_sunny_and_rain_merge_and_outlook_is_not_significant():
    merged = merging("free", OUTLOOK, Rules()).run()
    assert merged.groups == ((1, 3), (2,))
    assert merged.test.statistic == pytest.approx(3.1111, abs=5e-5)
    assert math.exp(merged.test.log_p) == pytest.approx(0.0778, abs=5e-5)
    assert math.exp(merged.log_p_adjusted) == pytest.approx(0.2333, abs=5e-5)


def test_a_row_effects_test_of_two_classes_is_the_likelihood_ratio_test():
    cells = tallied(*FIVE_LEVELS.values())
    ordered, plain = OrderedClasses((1, 2)).test(cells), Classes("likelihood").test(cells)
    assert ordered.statistic == pytest.approx(plain.statistic, rel=1e-10)
    assert ordered.degrees == plain.degrees


def test_groups_at_the_two_ends_of_the_scale_have_a_finite_row_effects_statistic():
    cells = tallied((5, 0, 0), (0, 0, 7))
    plain = Classes("likelihood").test(cells).statistic
    assert OrderedClasses((1, 2, 3)).test(cells).statistic == pytest.approx(plain, rel=1e-10)


def test_groups_without_any_spread_have_p_zero_or_one():
    low, high = NumberTally.of([(1, 3)]), NumberTally.of([(2, 2)])
    assert Numbers().test([low, high]).log_p == -math.inf
    assert Numbers().test([low, low]).log_p == 0
    assert Numbers().test([NumberTally.of([(1, 1)]), NumberTally.of([(2, 1)])]).log_p == 0  # two rows tell nothing


def test_a_column_of_two_categories_is_never_merged_to_one():
    merged = merging("free", {1: (5, 5), 2: (6, 6)}, Rules()).run()
    assert merged.groups == ((1,), (2,))
    assert merged.log_p_adjusted == 0


def test_missing_joins_the_group_most_like_it_where_that_makes_the_table_more_significant():
    cells = {**FIVE_LEVELS, MISSING: (19, 31)}
    merged = merging("floating", cells, Rules()).run()
    assert merged.groups == ((1, 2), (3, 4, MISSING), (5,))
    assert merged.log_p_adjusted - merged.test.log_p == pytest.approx(math.log(4 + 3 * 6))  # C(4,1) + 3·C(4,2)


def test_missing_stays_alone_where_it_is_like_no_group():
    cells = {1: (50, 0), 2: (50, 0), 3: (48, 2), MISSING: (0, 50)}
    assert merging("floating", cells, Rules()).run().groups[-1] == (MISSING,)


@pytest.mark.parametrize(
    ("kind", "cells", "merged", "divided"),
    [
        (
            "monotonic",
            {1: (40, 40, 5), 2: (45, 20, 35), 3: (10, 45, 35), 4: (5, 15, 20), 5: (5, 15, 40), 6: (5, 15, 15)},
            ((1,), (2,), (3, 4, 5, 6)),
            ((1,), (2,), (3,), (4, 5, 6)),
        ),
        (
            "free",
            {1: (40, 35, 20), 2: (25, 15, 20), 3: (35, 10, 10), 4: (20, 35, 25), 5: (10, 30, 40), 6: (10, 15, 5)},
            ((1, 2, 4, 6), (3,), (5,)),
            ((1, 2), (3,), (4, 6), (5,)),
        ),
    ],
)
def test_a_merged_group_is_divided_again_where_its_best_division_is_significant(kind, cells, merged, divided):
    assert merging(kind, cells, Rules()).run().groups == merged
    assert merging(kind, cells, Rules(alpha_resplit=0.049)).run().groups == divided


def test_small_segments_join_the_group_most_like_them():
    cells = {1: (40, 10), 2: (10, 40), 3: (0, 6)}
    assert merging("free", cells, Rules()).run().groups == ((1,), (2, 3))
    strict = Rules(alpha_merge=0.9, min_segment=20)
    assert merging("free", cells, strict).run().groups == ((1,), (2, 3))
    assert merging("free", cells, Rules(alpha_merge=0.9)).run().groups == ((1,), (2,), (3,))


def test_bins_are_cut_where_the_share_of_the_rows_passes_a_tenth():
    assert bin_edges([(v, 1) for v in range(20)], 10) == list(range(1, 19, 2))
    assert bin_edges([(v, 1) for v in (1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9)], 4) == [3, 6]


def numeric_table(*groups):
    """A nominal column with one level a group, and the numbers of the groups as the target."""
    values = tuple(level for level, ys in enumerate(groups, start=1) for _ in ys)
    target = tuple(y for ys in groups for y in ys)
    return Table((Column("nominal", values),), target, (1,) * len(target), 0)


def test_means_far_apart_split_and_equal_means_with_unequal_spread_do_not():
    stops = Recipe(min_samples_split=2, min_samples_leaf=1)
    apart = numeric_table([-1, 0, 1] * 10, [19, 20, 21] * 10)
    unequal = numeric_table([-1, 0, 1] * 10, [-100, 0, 100] * 10)
    assert len(grow(apart, Numbers(), stops)) == 3
    assert len(grow(unequal, Numbers(), stops)) == 1


def test_small_branches_join_their_most_similar_sibling():
    values = (1,) * 60 + (2,) * 60 + (3,) * 10
    target = (0,) * 50 + (1,) * 10 + (0,) * 5 + (1,) * 55 + (1,) * 10
    table = Table((Column("nominal", values),), target, (1,) * 130, 2)
    nodes = grow(table, Classes(), Recipe(alpha_merge=0.9, min_samples_split=2, min_samples_leaf=20))
    assert [len(node.rows) for node in nodes] == [130, 60, 70]
