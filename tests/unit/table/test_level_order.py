"""An ordinal column has an order that somebody gave or that its levels tell; it is never alphabetical in silence."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import DataError
from treewright.table.column_kinds import guess_kinds
from treewright.table.level_order import ordered_levels

SCALES = [
    ["low", "medium", "high"],
    ["Very Low", "Low", "Moderate", "High", "Very High"],
    ["never", "rarely", "sometimes", "often", "always"],
    ["XS", "S", "M", "L", "XL"],
    ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"],
    ["Jan", "Feb", "Mar", "Apr", "Sept", "December"],
    ["Monday", "Tuesday", "Friday", "Sunday"],
    ["<18", "18-25", "26-40", "41+"],
    ["< 1 year", "1 year", "2 years", "10+ years"],
    ["1 low", "2 middle", "10 high"],
    ["$1,000", "$20,000"],
    ["-5", "3", "20"],
    ["Q1", "Q2", "Q10"],
    ["A", "B", "C"],
]


@pytest.mark.parametrize("scale", SCALES)
@given(data=st.data())
def test_a_scale_that_everybody_knows_needs_no_order(scale: list[str], data: st.DataObject) -> None:
    levels = data.draw(st.lists(st.sampled_from(scale), min_size=1, unique=True))
    assert ordered_levels("x", sorted(levels)) == [level for level in scale if level in levels]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_levels_that_tell_no_order_are_asked_for(make: type) -> None:
    frame = make({"rank": ["Prof", "AsstProf", "AssocProf"] * 5})
    with pytest.raises(
        DataError, match=r"nothing tells the order of its levels .* such as column_kinds={'rank': \['Ass"
    ):
        tw.DecisionTreeClassifier(column_kinds={"rank": "ordinal"}).fit(frame, [1, 0, 1] * 5)
    order = ["AsstProf", "AssocProf", "Prof"]
    model = tw.DecisionTreeClassifier(column_kinds={"rank": order}).fit(frame, [1, 0, 1] * 5)
    assert model.tree_.schema.columns[0].levels == tuple(order)
    assert model.predict(frame).tolist() == [1, 0, 1] * 5


def test_numbers_and_declared_categories_keep_their_order() -> None:
    column = pd.Series(pd.Categorical(["b", "c", "a"] * 5, categories=["c", "b", "a"]))
    frame = pd.DataFrame({"declared": column, "number": [10, 9, 100] * 5})
    kinds = {"declared": "ordinal", "number": "ordinal"}
    schema = tw.DecisionTreeClassifier(column_kinds=kinds).fit(frame, [1, 0, 1] * 5).tree_.schema
    assert [column.levels for column in schema.columns] == [("c", "b", "a"), (9, 10, 100)]


def test_a_given_order_may_be_the_text_of_numbers_and_have_levels_without_rows() -> None:
    frame = pd.DataFrame({"n": [3, 1, 2] * 5})
    model = tw.DecisionTreeClassifier(column_kinds={"n": ["3", "2", "1", "0"]}).fit(frame, [1, 0, 1] * 5)
    assert model.tree_.schema.columns[0].levels == (3, 2, 1, "0")


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["low", "high"], "leaves out the level 'middle'"),
        (["low", "low", "middle", "high"], "has the level 'low' twice"),
        (["low"], "the kinds are"),
    ],
)
def test_an_order_that_is_no_order_is_refused(order: list[str], message: str) -> None:
    frame = pd.DataFrame({"x": ["low", "middle", "high"] * 3})
    with pytest.raises(DataError, match=message):
        tw.DecisionTreeClassifier(column_kinds={"x": order}).fit(frame, np.arange(9) % 2)


def test_a_model_with_an_order_is_saved_and_loaded(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": ["u", "v", "ww"] * 5})
    model = tw.DecisionTreeClassifier(column_kinds={"x": ["ww", "u", "v"]}).fit(frame, [1, 0, 1] * 5)
    tw.save(model, tmp_path / "m.tw")
    assert tw.load(tmp_path / "m.tw").fingerprint() == model.fingerprint()
    for learner in (tw.RandomForestClassifier(n_estimators=3), tw.KNeighborsClassifier(), tw.C45Classifier()):
        learner.set_params(column_kinds={"x": ["ww", "u", "v"]}).fit(frame, [1, 0, 1] * 5)


def test_the_order_that_is_taken_is_told() -> None:
    frame = pd.DataFrame({"x": ["low", "medium", "high"] * 3})
    remark = guess_kinds(frame, {"x": "ordinal"})[0].remarks[0]
    assert remark.startswith("taken in the order low < medium < high; to change it: column_kinds={'x': [")
    assert guess_kinds(frame, {"x": ["high", "medium", "low"]})[0].remarks == ()


def test_dependence_goes_through_levels_in_their_order() -> None:
    frame = pd.DataFrame({"rank": ["Prof", "AsstProf", "AssocProf"] * 5})
    kinds = {"rank": ["AsstProf", "Prof", "AssocProf"]}
    model = tw.DecisionTreeClassifier(column_kinds=kinds).fit(frame, [1, 0, 1] * 5)
    shown = tw.partial_dependence(model, frame, "rank").to_frame()
    assert list(dict.fromkeys(shown.iloc[:, 0].astype(str))) == kinds["rank"]
