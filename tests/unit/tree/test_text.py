"""A tree as text."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from thorough import some
from treewright.table.schema import Column, Schema
from treewright.tree import Tree
from unit.tree.hand_made import CREDIT, chain_arrays, credit_root, cut, leaf, regression_of, split_levels, tree_of
from unit.tree.stand_in import StandIn


def lines(text: str) -> list[str]:
    return text.splitlines()


def test_a_classification_tree_reads_from_conditions_to_classes() -> None:
    assert lines(str(tree_of(credit_root()))) == [
        "risk: good 74 %, bad 26 %  (87 rows)",
        "├─ job is cook or pilot          good   83 %  (50 of 60)",
        "│  ├─ grade <= low             → good   75 %  (30 of 40)",
        "│  └─ grade > low              → good  100 %  (20 of 20)",
        "└─ job is clerk or manager       good   52 %  (14 of 27)",
        "   ├─ age <= 41.5              → bad    75 %  (9 of 12)",
        "   ├─ age > 41.5                 good   82 %  (9 of 11)",
        "   │  ├─ signed <= 2022-01-08  → good  100 %  (8 of 8)",
        "   │  └─ signed > 2022-01-08   → bad    67 %  (2 of 3)",
        "   └─ age is missing           → good   50 %  (2 of 4)",
    ]


def test_a_regression_tree_shows_value_spread_and_rows() -> None:
    tree = regression_of(cut(0, 41.5, leaf(value=20.123456, n=10), leaf(value=3, n=1)))
    assert lines(str(tree)) == [
        "risk: mean 18.57, sd 0.7071  (11 rows)",
        "├─ age <= 41.5  → 20.12  (sd 0.5477, 10 rows)",
        "└─ age > 41.5   → 3  (sd 0.3162, 1 row)",
    ]


def test_the_spread_is_named_after_the_criterion_and_left_out_where_impurity_is_none() -> None:
    root = cut(0, 41.5, leaf(value=2, n=10), leaf(value=3, n=10))
    assert "median 2.5, mean deviation 0.5" in str(regression_of(root, "absolute_error"))
    assert "rate 2.5  (20 rows)" in str(regression_of(root, "poisson"))


def test_a_tree_of_one_leaf_is_one_line() -> None:
    assert str(tree_of(leaf(3, 1))) == "risk: → good   75 %  (3 of 4)"


def test_a_leaf_that_no_row_reached_says_so() -> None:
    text = str(tree_of(cut(0, 1.0, leaf(3, 1), leaf())))
    assert lines(text)[2] == "└─ age > 1   → good         (no rows)"


def test_missing_values_are_shown_when_asked_for() -> None:
    text = tree_of(credit_root()).to_text(missing=True)
    assert "├─ job is cook or pilot or missing " in text
    assert "signed <= 2022-01-08 or missing" in text
    assert "age is missing or missing" not in text
    stops = tree_of(cut(0, 41.5, leaf(3), leaf(0, 2))).to_text(missing=True)
    assert lines(stops)[0].endswith("(missing age stops here)")


def test_a_depth_limit_says_how_much_it_leaves_out() -> None:
    tree = tree_of(credit_root())
    assert lines(tree.to_text(max_depth=0)) == ["risk: good 74 %, bad 26 %  (87 rows)  … 9 nodes below"]
    assert [line.rpartition("  ")[2] for line in lines(tree.to_text(max_depth=1))[1:]] == [
        "… 2 nodes below",
        "… 5 nodes below",
    ]
    assert tree.to_text(max_depth=3) == tree.to_text()


def test_ascii_text_is_ascii() -> None:
    levels = tuple(f"L{i}" for i in range(20))
    column = Column("a" * 200, "nominal", "text", levels)
    root = split_levels(0, [list(range(1, 8)), list(range(8, 21))], leaf(3, 1), leaf(1, 3))
    tree = tree_of(root, Schema((column,), "risk"), ["x" * 80, "y" * 80])
    assert tree.to_text(ascii=True).isascii()
    assert tree.to_text(max_depth=0, ascii=True).isascii()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_long_condition_is_shortened_to_the_width_and_keeps_its_number(width: int) -> None:
    schema = Schema((Column("a_name_" * 1500, "numeric"),), "risk")
    shown = lines(tree_of(cut(0, 41.5, leaf(30, 1), leaf(1, 30)), schema).to_text(width=width))
    assert all(len(line) <= width for line in shown)
    assert "…" in shown[1]
    assert "<= 41.5" in shown[1]


def test_without_a_width_nothing_is_shortened() -> None:
    schema = Schema((Column("a_name_" * 1500, "numeric"),), "risk")
    assert "a_name_" * 1500 + " <= 41.5" in tree_of(cut(0, 41.5, leaf(1), leaf(1)), schema).to_text(width=None)


def test_wide_characters_do_not_push_the_columns_out_of_line() -> None:
    schema = Schema((Column("都市", "nominal", "text", ("東京", "Oslo")),), "risk")
    shown = lines(str(tree_of(split_levels(0, [[1], [2]], leaf(3), leaf(0, 3)), schema)))
    assert shown[1] == "├─ 都市 is 東京  → good  100 %  (3 of 3)"
    assert shown[2] == "└─ 都市 is Oslo  → bad   100 %  (3 of 3)"


def test_digits_choose_how_exact_thresholds_are() -> None:
    tree = tree_of(cut(0, 1 / 3, leaf(3), leaf(0, 2)))
    assert "age <= 0.333333 " in tree.to_text()
    assert "age <= 0.33 " in tree.to_text(digits=2)
    assert "age <= 0.3333333333333333 " in tree.to_text(digits=17)


def test_weights_are_shown_where_they_differ_from_rows() -> None:
    tree = tree_of(cut(0, 1.0, leaf(3.5, 1, n=7), leaf(0, 2.25, n=2)))
    assert lines(str(tree)) == [
        "risk: good 52 %, bad 48 %  (9 rows, weight 6.75)",
        "├─ age <= 1  → good   78 %  (weight 3.5 of 4.5, 7 rows)",
        "└─ age > 1   → bad   100 %  (weight 2.25 of 2.25, 2 rows)",
    ]


def test_many_classes_show_the_most_frequent_ones() -> None:
    tree = tree_of(cut(0, 1.0, leaf(5, 4, 3, 2, 1), leaf(0, 0, 0, 0, 0, 1)), classes=list("abcdef"))
    assert lines(str(tree))[0] == "risk: a 31 %, b 25 %, c 19 %, d 12 % and 2 more  (16 rows)"


@pytest.mark.parametrize(("name", "value"), [("max_depth", -1), ("digits", 0), ("width", 3)])
def test_impossible_settings_are_refused(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=rf"'{name}' must be at least \d+\. Got {value} instead\."):
        tree_of(leaf(1)).to_text(**{name: value})


def deep_tree(depth: int) -> Tree:
    return Tree(StandIn(chain_arrays(depth), len(CREDIT.columns), 2), CREDIT, ["good", "bad"])


def on_a_small_stack(work: object) -> list[object]:
    """Run the work in a thread with 256 kB of stack, where recursion over depth could not live."""
    results: list[object] = []
    old = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: results.append(work()))  # type: ignore[operator]
        thread.start()
    finally:
        threading.stack_size(old)
    thread.join()
    return results


@pytest.mark.parametrize("depth", some([5_000, 100_000], 1))
def test_a_long_chain_prints_in_lines_that_do_not_grow(depth: int) -> None:
    (text,) = on_a_small_stack(deep_tree(depth).to_text)
    shown = lines(str(text))
    assert len(shown) == 2 * depth + 1
    assert max(map(len, shown)) < 220
    assert shown[-1].lstrip().startswith(f"└─ [{depth}] age > ")


def test_one_row_is_not_said_as_rows() -> None:
    model = tw.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"], sample_weight=[2.5, 1, 1])
    assert lines(str(model))[1].endswith("(weight 2.5 of 2.5, 1 row)")
    assert repr(model.tree_.root.children[0]).endswith("→ a, 1 row>")


def test_printing_a_large_tree_shows_its_top() -> None:
    shown = lines(str(deep_tree(5_000)))
    assert 300 < len(shown) <= 400
    assert "nodes below" in shown[-1]


def test_a_node_with_more_branches_than_a_print_has_lines_is_still_printed() -> None:
    levels = tuple(f"L{i}" for i in range(1000))
    root = split_levels(0, [[code] for code in range(1, 1001)], *(leaf(1) for _ in range(1000)))
    tree = tree_of(root, Schema((Column("zip", "nominal", "text", levels),), "risk"))
    assert len(lines(str(tree))) == 1001
    assert np.count_nonzero(tree.node_depth == 1) == 1000


def test_where_missing_goes_is_told_of_columns_that_had_holes_and_only_where_such_rows_come() -> None:
    x = np.array([np.nan, np.nan, *range(20)])
    y = ["b", "b", *["a"] * 5, *["b"] * 5, *["a"] * 10]
    frame = pd.DataFrame({"x": x, "whole": np.arange(22) * 7 % 11})
    tree = tw.DecisionTreeClassifier().fit(frame, y).tree_
    cuts = [line.split("→")[0].strip(" │├└─") for line in str(tree).splitlines()[1:]]
    assert [cut.split("  ")[0] for cut in cuts] == ["x <= 9.5 or missing", "x <= 4.5", "x > 4.5 or missing", "x > 9.5"]
    assert "missing" not in tree.to_text(missing=False)
    assert "missing" not in str(tw.DecisionTreeClassifier().fit(frame.dropna(), y[2:]).tree_)


def test_a_saved_model_remembers_which_columns_had_holes(tmp_path: Path) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y)
    tw.save(model, tmp_path / "m.tw")
    assert [column.holes for column in model.tree_.schema.columns] == [False, True, False]
    assert "age > 9.5 or missing" in str(tw.load(tmp_path / "m.tw")) == str(model)
