"""Tables as numbers, for estimators that take nothing else."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

import treewright as tw
from thorough import examples
from treewright.model_selection.task import CodedColumns, for_numbers_only


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.integers(-3, 3)), min_size=1, max_size=12))
def test_levels_and_numbers_are_coded_as_scikit_learn_codes_them(rows: list[tuple[str, int]]) -> None:
    frame = pd.DataFrame(rows, columns=["level", "number"])
    theirs = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["level"]), remainder="passthrough"
    ).fit_transform(frame)
    assert np.array_equal(CodedColumns().fit_transform(frame), theirs)


def test_what_training_did_not_know_takes_its_mean() -> None:
    coding = CodedColumns().fit(pd.DataFrame({"a": [1.0, 3.0, 5.0, 7.0], "b": ["x", "x", "x", "y"]}))
    new = pd.DataFrame({"a": [None, 2.0], "b": ["z", None]})
    assert coding.transform(new).tolist() == [[4.0, 0.75, 0.25], [2.0, 0.75, 0.25]]


def test_holes_are_kept_for_those_who_know_what_to_do_with_them() -> None:
    frame = pd.DataFrame({"a": [1.0, np.nan], "b": ["x", "y"]})
    coded = CodedColumns(keep_missing=True).fit_transform(frame)
    assert np.isnan(coded[1, 0])
    assert coded[:, 1:].tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_dates_and_ordered_levels_are_numbers() -> None:
    days = pd.DataFrame({"day": [datetime.date(1970, 1, 2), datetime.date(1970, 1, 5)]})
    assert CodedColumns().fit_transform(days).tolist() == [[1.0], [4.0]]
    sizes = pd.DataFrame({"size": pd.Categorical(["l", "s"], categories=["s", "m", "l"], ordered=True)})
    assert CodedColumns().fit_transform(sizes).tolist() == [[3.0], [1.0]]
    codes = CodedColumns(column_kinds={"zip": "nominal"}).fit_transform(pd.DataFrame({"zip": [7, 9]}))
    assert codes.tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("estimator", "columns", "note"),
    [
        (LogisticRegression(), {"a": [1.0, 2.0]}, ""),
        (LogisticRegression(), {"a": [1.0, np.nan]}, "holes filled with the mean"),
        (LogisticRegression(), {"a": ["x", "y"]}, "levels as columns of 0 and 1"),
        (HistGradientBoostingClassifier(), {"a": [1.0, np.nan]}, ""),
        (tw.DecisionTreeClassifier(), {"a": ["x", None]}, ""),
        (make_pipeline(LogisticRegression()), {"a": ["x", "y"]}, ""),
    ],
)
def test_only_what_would_be_refused_is_coded(estimator: object, columns: dict[str, list[object]], note: str) -> None:
    ready, said = for_numbers_only(estimator, pd.DataFrame(columns))
    assert said == note
    assert (ready is estimator) == (note == "")
    assert note == "" or isinstance(ready, Pipeline)
