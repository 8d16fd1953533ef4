"""The test of a node in words."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.table.schema import Column, Schema
from treewright.tree import NodeTest
from unit.tree.hand_made import Made, credit_root, cut, leaf, split_levels, tree_of


def asked(root: Made, *columns: Column) -> NodeTest:
    tree = tree_of(root, Schema(columns, "risk")) if columns else tree_of(root)
    test = tree.root.test
    assert test is not None
    return test


def labels_of(root: Made, *columns: Column) -> list[str]:
    return [branch.label for branch in asked(root, *columns).branches]


def levels(n: int) -> tuple[str, ...]:
    return tuple(f"L{i}" for i in range(1, n + 1))


def test_a_threshold_names_both_sides() -> None:
    test = asked(cut(0, 41.5, leaf(1), leaf(1)))
    assert [b.label for b in test.branches] == ["age <= 41.5", "age > 41.5"]
    assert (test.column, test.column_index, test.kind, test.threshold, test.text) == (
        "age", 0, "threshold", 41.5, "age <= 41.5",
    )  # fmt: skip


def test_an_ordinal_column_is_cut_between_its_levels() -> None:
    assert labels_of(cut(2, 1.5, leaf(1), leaf(1))) == ["grade <= low", "grade > low"]
    assert labels_of(cut(2, 2.0, leaf(1), leaf(1))) == ["grade <= middle", "grade > middle"]


def test_a_date_is_cut_at_a_date() -> None:
    assert labels_of(cut(3, 19000.5, leaf(1), leaf(1)))[0].startswith("signed <= 2022-01-08")


@pytest.mark.parametrize("threshold", [1e300, -1e300, -np.inf])
@pytest.mark.parametrize("column", [2, 3])
def test_a_cut_outside_the_calendar_or_the_levels_still_has_words(threshold: float, column: int) -> None:
    first, second = labels_of(cut(column, threshold, leaf(1), leaf(1)))
    assert " <= " in first
    assert " > " in second


def test_an_infinite_threshold_asks_whether_there_is_a_value() -> None:
    test = asked(cut(0, np.inf, leaf(1), leaf(1), missing=1))
    assert [b.label for b in test.branches] == ["age is known", "age is missing"]
    assert (test.kind, test.threshold) == ("known", None)


def test_a_branch_of_its_own_for_missing_values_is_named_so() -> None:
    assert labels_of(cut(0, 41.5, leaf(1), leaf(1), leaf(1), missing=2))[2] == "age is missing"
    assert labels_of(split_levels(1, [[1, 2], [3, 4], []], leaf(1), leaf(1), leaf(1), missing=2)) == [
        "job is clerk or cook",
        "job is manager or pilot",
        "job is missing",
    ]


def test_a_branch_that_nothing_takes_says_so() -> None:
    assert labels_of(cut(0, np.inf, leaf(1), leaf(1), missing=0)) == ["age is known", "age is never here"]
    assert labels_of(split_levels(1, [[1], []], leaf(1), leaf(1), missing=0))[1] == "job is never here"


def test_branches_know_their_levels_and_which_takes_missing_values() -> None:
    test = tree_of(credit_root()).root.test
    assert test is not None
    assert [b.levels for b in test.branches] == [("cook", "pilot"), ("clerk", "manager")]
    assert [b.takes_missing for b in test.branches] == [True, False]
    assert test.missing_branch == 0


def test_rows_that_stop_at_the_node_have_no_missing_branch() -> None:
    assert asked(cut(0, 41.5, leaf(1), leaf(1))).missing_branch is None


def test_a_multiway_test_lists_every_branch() -> None:
    root = split_levels(1, [[1], [2], [3], [4]], leaf(1), leaf(1), leaf(1), leaf(1))
    assert asked(root).text == "job: clerk | cook | manager | pilot"


def test_the_longest_of_the_long_lists_is_called_any_other() -> None:
    column = Column("zip", "nominal", "text", levels(30))
    few_and_many = split_levels(0, [[2, 3], [c for c in range(1, 31) if c not in (2, 3)]], leaf(1), leaf(1))
    assert labels_of(few_and_many, column) == ["zip is L2 or L3", "zip is any other (28 levels)"]
    many_and_more = split_levels(0, [list(range(1, 11)), list(range(11, 31))], leaf(1), leaf(1))
    assert labels_of(many_and_more, column) == ["zip is L1, L2, L3 … and 7 more", "zip is any other (20 levels)"]


def test_any_other_counts_the_levels_that_the_node_never_saw_where_they_go_there_too() -> None:
    column = Column("zip", "nominal", "text", levels(11))
    branches = [[2, 3], [1, 4, 5, 6, 7, 8, 9, 10]]  # level 11 is not here
    unseen_too = split_levels(0, branches, leaf(1), leaf(1), missing=1)
    assert labels_of(unseen_too, column) == ["zip is L2 or L3", "zip is any other (9 levels)"]
    unseen_elsewhere = split_levels(0, branches, leaf(1), leaf(1), missing=0)
    assert labels_of(unseen_elsewhere, column)[1] == "zip is L1, L4, L5 … and 5 more"


def test_any_other_has_no_number_where_an_earlier_test_has_sent_levels_another_way() -> None:
    column = Column("zip", "nominal", "text", levels(30))
    below = split_levels(0, [[11, 12], list(range(13, 31))], leaf(1), leaf(1), missing=1)  # 1 to 10 never come here
    tree = tree_of(
        split_levels(0, [list(range(1, 11)), list(range(11, 31))], leaf(1), below), Schema((column,), "risk")
    )
    assert tree.root.branch_labels[1] == "zip is any other (20 levels)"
    assert tree.root.children[1].branch_labels == ("zip is L11 or L12", "zip is any other level")


def test_a_test_that_sends_only_what_is_missing_another_way_says_that_the_value_is_known() -> None:
    column = Column("zip", "nominal", "text", levels(30))
    root = split_levels(0, [list(range(1, 31)), []], leaf(1), leaf(1), missing=1)
    assert labels_of(root, column) == ["zip is known", "zip is missing"]


def test_lists_of_up_to_six_levels_are_written_out() -> None:
    column = Column("zip", "nominal", "text", levels(12))
    root = split_levels(0, [list(range(1, 7)), list(range(7, 13))], leaf(1), leaf(1))
    assert labels_of(root, column) == ["zip is L1, L2, L3, L4, L5 or L6", "zip is L7, L8, L9, L10, L11 or L12"]


@pytest.mark.parametrize(
    ("name", "label"),
    [("two\nlines", r"two\nlines <= 1"), ("", "'' <= 1"), (" x", "' x' <= 1"), ("東京", "東京 <= 1")],
)
def test_a_name_always_fits_on_a_line(name: str, label: str) -> None:
    made = tree_of(cut(0, 1.0, leaf(1), leaf(1)), Schema((Column("x", "numeric"),), "y"))
    object.__setattr__(made.schema.columns[0], "name", name)  # whatever the schema may refuse today
    test = made.root.test
    assert test is not None
    assert test.branches[0].label == label
