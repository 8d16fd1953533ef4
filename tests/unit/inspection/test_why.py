"""What `model.why` takes, what it refuses, and what its parts say."""

from __future__ import annotations

import datetime as dt
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.inspection.why import Asked, why_row
from unit.tree.hand_made import CREDIT, cut, leaf, tree_of


@pytest.fixture(scope="module")
def cart() -> Any:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    return tw.DecisionTreeClassifier(max_depth=3).fit(X, y)


ROW = {"sex": "male", "age": 5.0, "passengerClass": "3rd"}


@pytest.mark.parametrize(
    "row",
    [
        ROW,
        ["male", 5.0, "3rd"],
        ("male", 5, "3rd"),
        pd.Series(ROW),
        pd.DataFrame([ROW]),
        np.array(["male", 5.0, "3rd"], object),
        np.array([["male", 5.0, "3rd"]], object),
        pl.DataFrame([ROW]),
        pl.DataFrame([ROW]).to_arrow(),
    ],
)
def test_a_row_comes_in_every_form(cart: Any, row: Any) -> None:
    assert cart.why(row).sentence == cart.why(ROW).sentence


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("male", "One row is a list or a tuple of values, or a dict by column name. Got 'male' instead."),
        ([1, 2], "The row has 2 values, but the model has 3 columns."),
        (pd.DataFrame([ROW, ROW]), "Give one row to explain, not a table of 2 rows"),
        ({**ROW, "age": "old"}, "Column 'age' is numeric, but row 1 holds 'old'"),
    ],
)
def test_what_is_no_row_is_refused_with_a_sentence(cart: Any, row: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        cart.why(row)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"not_class": "maybe"}, "'not_class' is 'maybe', which is no class of the model. The names are: 'no', 'yes'."),
        ({"not_class": "no"}, "The answer is no already. Name another class."),
        ({"below": 3}, "This model predicts classes, so there is no 'below'. Use 'not_class'."),
        ({"not_class": "yes", "above": 3}, "'not_class' and 'above' do not go together."),
        ({"fixed": ["agee"]}, "'fixed' names a column 'agee' that the model does not have. Did you mean 'age'?"),
        ({"scale": {"age": 0}}, "The scale of column 'age' must be a number above 0. Got 0 instead."),
        ({"X": [[1]]}, "The rows need both X and y."),
    ],
)
def test_a_wrong_question_is_refused_with_a_sentence(cart: Any, question: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said.replace(".", r"\.").replace("?", r"\?")):
        cart.why({**ROW, "passengerClass": "3rd"}, **question)


def test_a_bound_that_is_met_already_is_refused() -> None:
    model = tw.DecisionTreeRegressor().fit([[1.0], [2.0]], [10.0, 20.0])
    with pytest.raises(DataError, match=r"The answer is 10, which is below 15 already\. Name another bound\."):
        model.why([1.0], below=15)
    with pytest.raises(DataError, match="This model predicts numbers, so there is no 'not_class'"):
        model.why([1.0], not_class="a")
    assert model.why([1.0], above=15).change.row == {"x0": 2.0}


def test_a_model_that_refuses_holes_refuses_to_explain_them() -> None:
    model = tw.DecisionTreeClassifier(missing="refuse").fit([[1.0, 2.0], [2.0, 2.0]], ["a", "b"])
    with pytest.raises(DataError, match="has no known value in column 'x1'"):
        model.why([1.0, None])


def test_an_unfitted_model_says_that_it_is_not_fitted() -> None:
    with pytest.raises(Exception, match="not fitted"):
        tw.DecisionTreeClassifier().why([1])


def test_fixed_columns_do_not_change_and_a_leafless_wish_finds_nothing(cart: Any) -> None:
    assert cart.why(ROW, fixed=["sex", "age"]).change.columns == {"passengerClass": ("3rd", "1st")}
    nothing = cart.why(ROW, fixed=["sex", "age", "passengerClass"])
    assert nothing.change is None
    assert nothing.change_text == "No change of the columns that may change gives another answer than no."


def test_the_scale_decides_between_two_columns() -> None:
    rows = [[a, b] for a in (0.0, 10.0) for b in (0.0, 10.0)] * 3
    model = tw.DecisionTreeClassifier().fit(rows, ["x" if a + b == 0 else "y" for a, b in rows])
    assert set(model.why([0, 0], scale={"x0": 1, "x1": 100}).change.columns) == {"x1"}
    assert set(model.why([0, 0], scale={"x0": 100, "x1": 1}).change.columns) == {"x0"}


def test_a_whole_number_does_not_hide_a_nearer_border() -> None:
    tree = tree_of(cut(0, 30.0, leaf(5), cut(0, 30.5, leaf(0, 2), leaf(0, 3))), CREDIT)
    change = why_row(tree, {"age": 30.0}).change
    assert change is not None
    assert (change.size, change.node) == (0.0, 3)
    assert 30 < change.row["age"] <= 30.5


def test_held_out_rows_of_the_same_leaf_are_counted(cart: Any) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    why = cart.why(ROW, X=X, y=y)
    here = cart.apply(X) == why.node
    assert why.held_out.n == here.sum() == cart.tree_.node(why.node).n
    assert why.held_out.hits == (y[here] == "no").sum()
    assert f"{why.held_out.hits} of {why.held_out.n} held-out rows like it were no" in str(why)


def test_weights_are_named_as_weights() -> None:
    model = tw.DecisionTreeClassifier().fit([[1], [1], [2]], ["a", "b", "b"], sample_weight=[2.5, 1.0, 1.0])
    assert "training rows like it (2 rows) have a weight of 2.5 of 3.5 for a" in model.why([1]).sentence


def test_a_tree_that_is_a_leaf_answers_whatever_the_row_holds() -> None:
    why = tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "a"]).why([7])
    assert why.sentence == "a, whatever the row holds; 2 of 2 training rows like it were a."
    assert why.change is None
    assert str(why).endswith("No change of the columns gives another answer than a.")


def test_surrogates_that_stand_in_are_named() -> None:
    X = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6], "b": [10.0, 20, 30, 40, 50, 60]})
    model = tw.DecisionTreeClassifier(missing="surrogates").fit(X, list("xxxyyy"))
    why = model.why({"b": 50.0})
    assert why.prediction == "y"
    assert why.missing == ["a is missing: at node 0 'b > 35' (agrees in 100 %) stands in and sends it to 'a > 3.5'"]
    assert why.sentence.startswith("y, because a is missing;")


def test_rows_that_stop_get_the_answer_of_the_node() -> None:
    X = pd.DataFrame({"a": [1.0, 2, 3, 4, 5]})
    why = tw.DecisionTreeClassifier(missing="stop").fit(X, list("xxxyy")).why({"a": None})
    assert (why.prediction, why.node) == ("x", 0)
    assert why.missing == ["a is missing: the row stops at node 0 and gets its answer"]
    assert why.change.columns == {"a": (None, 4.0)}


def test_dates_are_changed_to_dates() -> None:
    days = pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-01-05", "2024-02-01", "2024-02-09"]).date})
    model = tw.DecisionTreeClassifier().fit(days, list("aabb"))
    change = model.why({"day": dt.date(2024, 1, 2)}).change
    assert change.answer == "b" == model.predict_one(change.row)
    assert change.row["day"] == dt.date(2024, 1, 19)
    moments = pd.DataFrame({"at": pd.to_datetime(["2024-01-01 10:00", "2024-01-01 12:00"])})
    late = tw.DecisionTreeClassifier().fit(moments, list("ab")).why({"at": pd.Timestamp("2024-01-01 10:00")}).change
    assert late.row["at"] == dt.datetime(2024, 1, 1, 11, 0, 0, 1)
    assert late.words == "at goes from 2024-01-01 10:00:00 to 2024-01-01 11:00:00.000001 (at > 2024-01-01 11:00:00)"


def test_everything_is_json(cart: Any) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    plain = json.loads(cart.why({"sex": "cat"}, X=X, y=y).to_json())
    assert plain["path"][1]["by"] == "missing"
    assert plain["missing"][0].startswith("sex is cat (a level never seen in training)")
    assert set(plain) == {
        "prediction", "sentence", "node", "conditions", "path", "missing", "held_out", "change"
    }  # fmt: skip


def test_names_with_markup_are_harmless_in_the_page() -> None:
    X = pd.DataFrame({"</script><b>": [1.0, 2.0], "😀": ["<i>", "b"]})
    html = tw.DecisionTreeClassifier().fit(X, ["<u>", "b"]).why(X.iloc[0]).to_html()
    assert not any(mark in html for mark in ("<b>", "<i>", "<u>", "</script>"))


def test_a_stored_tree_is_explained_without_its_model(cart: Any) -> None:
    assert why_row(cart.tree_, ROW, Asked(fixed=["age"])).change.columns == {"passengerClass": ("3rd", "1st")}


def test_of_many_levels_the_one_that_the_row_has_is_named() -> None:
    X = pd.DataFrame({"town": [f"town {i}" for i in range(30)] * 2})
    model = tw.DecisionTreeClassifier().fit(X, [i % 30 < 15 for i in range(60)])
    assert model.why({"town": "town 7"}).sentence.startswith("True, because town is town 7 (one of 15 levels);")


def test_an_equation_is_told_and_its_numbers_can_cross_a_bound() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(0, 10, 80), "b": rng.uniform(0, 10, 80)})
    model = tw.ModelTreeRegressor().fit(X, np.where(X["a"] > 5, 3 * X["b"], -2 * X["b"] + 1))
    why = model.why({"a": 7.0, "b": 2.0}, above=20)
    assert " by the equation " in why.sentence
    assert model.predict(pd.DataFrame([why.change.row]))[0] > 20
    assert set(why.change.columns) == {"b"}


def test_loading_a_model_changes_no_explanation(cart: Any, tmp_path: Path) -> None:
    tw.save(cart, tmp_path / "m.tw")
    assert str(tw.load(tmp_path / "m.tw").why(ROW)) == str(cart.why(ROW))


def test_infinite_numbers_are_explained() -> None:
    model = tw.DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], list("aab"))
    for x, other in ((math.inf, "a"), (-math.inf, "b")):
        change = model.why([x]).change
        assert change.answer == other
        assert math.isfinite(change.row["x0"])
