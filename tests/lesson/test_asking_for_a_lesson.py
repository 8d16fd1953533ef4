"""What can be asked of `tw.lesson`, and what it says where something is wrong."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError

ROWS = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "c": list("abab")})


def test_a_target_with_fractions_is_a_regression() -> None:
    assert tw.lesson(ROWS, [1.5, 2.0, 2.5, 4.0], "cart").method.sample.classes is None
    assert tw.lesson(ROWS, [1, 2, 1, 2], "cart").method.sample.classes == (1, 2)
    assert tw.lesson(ROWS, [1, 2, 1, 2], "cart", task="regression").method.sample.classes is None


def test_an_estimator_brings_its_parameters() -> None:
    found = tw.lesson(ROWS, list("yynn"), tw.DecisionTreeClassifier(criterion="entropy", max_depth=1))
    assert found.model.get_params()["criterion"] == "entropy"
    assert found.n_nodes == 3


def test_the_growth_is_explained_before_pruning() -> None:
    X, y = tw.datasets.load_tennis(return_X_y=True)
    found = tw.lesson(X, y, "cart", prune=tw.CostComplexity(cp=0.2))
    assert found.n_nodes == 13
    assert found.model.tree_.n_nodes < 13
    assert "The tree after pruning" in found.text
    assert found.to_dict()["pruning"]["sequence"][-1]["leaves"] == 1


def test_weights_count() -> None:
    found = tw.lesson(ROWS, list("yynn"), "cart", sample_weight=[1, 1, 2, 0])
    assert found.nodes[0].tally.counts == (2.0, 2.0)
    assert found.nodes[0].tally.rows == 3


def test_class_weights_count() -> None:
    found = tw.lesson(ROWS, list("yynn"), "cart", class_weight={"y": 3, "n": 1})
    assert found.nodes[0].tally.counts == (2.0, 6.0)


@pytest.mark.parametrize("X", [ROWS[["x"]].to_numpy(), [[1], [2], [3], [4]]], ids=["array", "list"])
def test_arrays_and_lists_are_taken(X: object) -> None:
    assert tw.lesson(X, list("yynn"), "cart").nodes[0].candidates[0].test == "x0 <= 2.5"


def test_polars_frames_are_taken() -> None:
    import polars as pl

    assert tw.lesson(pl.from_pandas(ROWS), pl.Series(list("yynn")), "cart").nodes[0].candidates[0].test == "x <= 2.5"


def test_dates_and_ordered_levels_are_written_as_they_look() -> None:
    frame = pd.DataFrame(
        {
            "born": pd.to_datetime(["2001-01-01", "2002-01-01", "2003-01-01", "2004-01-01"]),
            "size": pd.Categorical(["s", "m", "l", "l"], categories=["s", "m", "l"], ordered=True),
        }
    )
    tests = [c.test for c in tw.lesson(frame, list("yynn"), "cart").nodes[0].candidates]
    assert tests == ["born <= 2002-07-02", "size <= m"]


def test_a_lesson_of_one_leaf_is_a_lesson() -> None:
    found = tw.lesson(ROWS, ["y"] * 4, "cart")
    assert "Leaf, answer y: all rows are of one class." in found.text
    assert found.pruning is None


def test_a_large_table_is_refused_with_what_to_do() -> None:
    with pytest.raises(DataError, match=r"20,001 rows\. A lesson is for people to follow"):
        tw.lesson(np.zeros((20_001, 1)), np.zeros(20_001, dtype=int), "cart")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"algorithm": "ctre"}, "There is no lesson in 'ctre'. Did you mean 'ctree'"),
        ({"algorithm": "cart", "max_dept": 3}, "no parameter 'max_dept'. Did you mean 'max_depth'"),
        ({"algorithm": "cart", "max_nodes": 0}, "max_nodes is 0. It must be a whole number of at least 1"),
        ({"algorithm": "cart", "task": "guessing"}, "There is no task 'guessing'"),
        ({"algorithm": "model_tree"}, "'model_tree' learns numbers only. For classes choose one of: cart, id3"),
        ({"algorithm": "id3", "task": "regression"}, "'id3' learns classes only. For numbers choose one of"),
    ],
)
def test_a_wrong_wish_is_answered_with_a_sentence(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        tw.lesson(ROWS, list("yynn"), **arguments)


def test_an_estimator_without_a_lesson_is_named() -> None:
    from sklearn.dummy import DummyClassifier

    with pytest.raises(DataError, match=r"no lesson for DummyClassifier\. There are lessons in: cart, id3"):
        tw.lesson(ROWS, list("yynn"), DummyClassifier())
