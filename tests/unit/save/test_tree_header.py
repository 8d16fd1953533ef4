"""The meaning of a tree model's header."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ModelFileError
from treewright.save import check_tree_header, check_tree_tests
from treewright.save.model_bytes import to_bytes
from treewright.save.persist import load_bytes
from unit.tree.hand_made import CREDIT, arrays_of, credit_root, cut, leaf, split_levels

HEADER = {"schema": CREDIT.to_json(), "classes": ["good", "bad"]}


def test_columns_and_classes_are_given_back() -> None:
    assert check_tree_header(HEADER, 4, 2) == (CREDIT, ["good", "bad"])


def test_a_regression_has_no_classes() -> None:
    assert check_tree_header({"schema": CREDIT.to_json(), "classes": None}, 4, 0) == (CREDIT, None)


@pytest.mark.parametrize(
    ("change", "n_columns", "n_classes", "sentence"),
    [
        ({}, 3, 2, "describes 4 columns and its tree is made for 3"),
        ({}, 4, 3, "names 2 classes and its tree has 3"),
        ({}, 4, 0, "names 2 classes and its tree has 0"),
        ({"classes": None}, 4, 2, "not a list of texts"),
        ({"classes": [None, "a"]}, 4, 2, "not a list of texts"),
        ({"classes": ["a", "a"]}, 4, 2, "names a class twice"),
        ({"schema": None}, 4, 2, "description of the columns is wrong"),
        ({"schema": {"columns": 5}}, 4, 2, "description of the columns is wrong"),
    ],
)
def test_a_header_that_does_not_fit_its_tree_is_damage(
    change: dict[str, Any], n_columns: int, n_classes: int, sentence: str
) -> None:
    with pytest.raises(ModelFileError, match=f"m.tw is damaged: .*{sentence}"):
        check_tree_header({**HEADER, **change}, n_columns, n_classes, "m.tw")


def test_tests_that_fit_their_columns_pass() -> None:
    check_tree_tests(CREDIT, arrays_of(credit_root()))
    check_tree_tests(CREDIT, arrays_of(cut(1, np.inf, leaf(1), leaf(1), missing=1)))
    check_tree_tests(CREDIT, arrays_of(leaf(1)))


@pytest.mark.parametrize(
    ("root", "sentence"),
    [
        (split_levels(1, [[1], [5]], leaf(1), leaf(1)), "level 5 of column 'job', which has 4"),
        (split_levels(1, [[0], [1]], leaf(1), leaf(1)), "level 0 of column 'job'"),
        (split_levels(0, [[1], [2]], leaf(1), leaf(1)), "level 1 of column 'age', which has 0"),
        (cut(1, 1.5, leaf(1), leaf(1)), "node 0 cuts column 'job', whose levels have no order"),
    ],
)
def test_a_test_that_does_not_fit_its_column_is_damage(root: Any, sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        check_tree_tests(CREDIT, arrays_of(root))


def test_a_candidate_is_compared_with_the_test_that_was_taken() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    tree = tw.DecisionTreeClassifier(max_depth=2, keep_candidates=True).fit(X, y).tree_
    check_tree_tests(tree.schema, tree.arrays)
    worths = tree.arrays["candidate_improvement"].copy()
    worths[-1] = np.nan
    with pytest.raises(ModelFileError, match="a candidate is not compared with the test that was taken"):
        check_tree_tests(tree.schema, {**tree.arrays, "candidate_improvement": worths})


def test_a_candidate_of_a_file_that_is_far_worse_than_nothing_is_told_as_nothing() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    header, arrays = tw.DecisionTreeClassifier(max_depth=2, keep_candidates=True).fit(X, y)._tw_state()
    arrays["improvement"] = np.full_like(arrays["improvement"], 1e-300)
    arrays["candidate_improvement"] = np.full_like(arrays["candidate_improvement"], -1e300)
    model = load_bytes(to_bytes(header, arrays))
    assert "0 %" in str(model.why(X.iloc[[0]]))
