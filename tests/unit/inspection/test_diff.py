"""Two models side by side."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.inspection.tree_diff import compare_trees
from unit.tree.hand_made import CREDIT, cut, leaf, split_levels, tree_of


def test_a_moved_cut_a_moved_place_a_lost_and_a_new_split_are_told_apart() -> None:
    jobs = [[1, 2], [3, 4]]
    a = tree_of(cut(0, 30.0, cut(2, 1.5, leaf(1), leaf(0, 1)), split_levels(1, jobs, leaf(2), leaf(0, 2))), CREDIT)
    b = tree_of(cut(0, 35.0, split_levels(1, jobs, leaf(2), leaf(0, 2)), cut(3, 100.0, leaf(1), leaf(0, 1))), CREDIT)
    found = compare_trees(a, b)
    assert found.moved_cut == [(0, 0)]
    assert found.moved_place == [(4, 1)]
    assert (found.lost, found.new) == ([1], [4])


def test_branches_of_levels_belong_together_by_the_levels_they_share() -> None:
    a = tree_of(split_levels(1, [[1], [2, 3, 4]], leaf(3), cut(0, 1.0, leaf(1), leaf(0, 1))), CREDIT)
    b = tree_of(split_levels(1, [[2, 3], [1, 4]], cut(0, 1.0, leaf(1), leaf(0, 1)), leaf(0, 3)), CREDIT)
    found = compare_trees(a, b)
    assert (found.same, found.moved_cut) == ([(2, 1)], [(0, 0)])
    assert found.leaves == [(1, 4), (3, 2), (4, 3)]


def test_leaves_that_answer_differently_are_listed() -> None:
    X = [[1], [2], [3], [4]]
    found = tw.diff(
        tw.DecisionTreeClassifier().fit(X, list("aabb")), tw.DecisionTreeClassifier().fit(X, list("bbaa")), X
    )
    assert not found.is_same
    assert found.leaf_answers == [(1, 1), (2, 2)]
    assert "Leaves at the same place that answer differently: 2." in str(found)
    assert found.rows.changed.tolist() == [0, 1, 2, 3]


def test_level_codes_do_not_matter_only_levels_do() -> None:
    X = pd.DataFrame({"c": ["b", "b", "c", "c"]})
    more = pd.DataFrame({"c": ["a", "b", "b", "c", "c"]})
    a = tw.DecisionTreeClassifier().fit(X, list("xxyy"))
    b = tw.DecisionTreeClassifier().fit(more, list("xxxyy"), sample_weight=[0, 1, 1, 1, 1])
    assert tw.diff(a, b, X).is_same


def test_columns_that_only_one_has_are_named() -> None:
    X = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 1, 2, 2]})
    one, two = tw.DecisionTreeClassifier().fit(X[["a"]], list("xxyy")), tw.DecisionTreeClassifier().fit(X, list("xyxy"))
    text = str(tw.diff(one, two, X))
    assert text.startswith("Only b has the column b.")
    with pytest.raises(DataError, match="lacks the column 'b'"):
        tw.diff(one, two, X[["a"]])


def test_numbers_change_by_so_much() -> None:
    X = [[1.0], [2.0], [3.0], [4.0]]
    one = tw.DecisionTreeRegressor(max_depth=1).fit(X, [1, 1, 5, 5])
    found = tw.diff(one, tw.DecisionTreeRegressor(max_depth=1).fit(X, [1, 1, 7, 7]), X)
    assert found.rows.text == "2 of 4 rows change their answer (50 %): by 2 on average, 2 at most. They are rows 3, 4."


def test_many_trees_are_compared_by_their_answers() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    forest = tw.RandomForestClassifier(5, random_state=0).fit(X, y)
    tree = tw.DecisionTreeClassifier(max_depth=1).fit(X, y)
    with pytest.raises(DataError, match=r"tw\.diff\(a, b, X\)"):
        tw.diff(forest, tree)
    found = tw.diff(forest, tree, X)
    assert found.splits is None
    assert len(found.rows.changed) == (forest.predict(X) != tree.predict(X)).sum()
    json.loads(found.to_json())


def test_trees_alone_are_compared_and_other_things_refused() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert tw.diff(model.tree_, model).is_same
    with pytest.raises(DataError, match="A tree alone does not answer tables"):
        tw.diff(model.tree_, model, X)
    with pytest.raises(DataError, match=r"compares fitted models or trees\. Got 7"):
        tw.diff(model, 7)


def test_large_trees_list_the_first_splits_and_say_how_many_there_are() -> None:
    X, y = tw.datasets.load_credit_g(return_X_y=True)
    model = tw.DecisionTreeClassifier().fit(X, y)
    found = tw.diff(model, model)
    inner = model.tree_.n_nodes - model.tree_.n_leaves
    assert f"… and {inner - 60:,} splits more" in str(found)
    assert len(found.to_dict()["splits"]) == inner


def test_targets_of_one_name_are_told_apart_by_their_classes() -> None:
    X = pd.DataFrame({"a": [1, 2, 3, 4]})
    a, b = (tw.DecisionTreeClassifier().fit(X, pd.Series(list(y), name="class")) for y in ("ssvv", "bggg"))
    number = tw.DecisionTreeRegressor().fit(X, pd.Series([1.0, 1, 5, 5], name="class"))
    assert "a predicts 'class' (s, v), b predicts 'class' (b, g). Their answers" in tw.diff(a, b).to_text(200)
    assert "a predicts 'class' (s, v), b predicts 'class' (numbers)" in tw.diff(a, number).to_text(200)
    assert not tw.diff(a, a).targets_differ


def test_a_long_split_stands_on_several_lines_in_any_letters() -> None:
    X, y = tw.datasets.load_credit_g(return_X_y=True)
    a, b = (tw.DecisionTreeClassifier(max_leaf_nodes=n).fit(X, y) for n in (5, 9))
    plain, drawn = (tw.diff(a, b, names=("old.tw", "new.tw")).to_text(80, ascii=ascii) for ascii in (True, False))
    assert plain.isascii()
    table = [line for line in plain.splitlines() if line.startswith("  ")]
    ends = {len(line) for line in table if line[-1].isdigit() and line.split()[0] in ("same", "new")}
    assert len(ends) == 1  # the last column of numbers ends at one place
    for text in (plain, drawn):
        assert {"critical/other", "delayed", "previously,", "existing", "paid"} <= set(text.split())
        assert max(map(len, text.splitlines())) <= 80
