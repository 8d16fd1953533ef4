"""The fast door for one row answers as predict does, whatever form the row has."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import treewright as tw
from treewright.errors import DataError

rng = np.random.default_rng(2)
N = 300
FRAME = pd.DataFrame(
    {
        "age": rng.normal(40, 10, N).round(1),
        "job": np.array(["cook", "smith", "clerk"])[rng.integers(0, 3, N)],
        "grade": rng.integers(1, 6, N),
        "member": rng.integers(0, 2, N).astype(bool),
    }
).mask(rng.random((N, 4)) < 0.1)
Y = np.where((FRAME["age"] > 40) ^ (FRAME["job"] == "cook") ^ (FRAME["grade"] > 3), "yes", "no")


@pytest.fixture(scope="module", params=["learn", "larger", "branch"])
def model(request: pytest.FixtureRequest) -> tw.DecisionTreeClassifier:
    return tw.DecisionTreeClassifier(missing=request.param, column_kinds={"grade": "ordinal"}).fit(FRAME, Y)


def test_every_form_of_a_row_has_the_answer_of_predict(model: tw.DecisionTreeClassifier) -> None:
    expected = model.predict(FRAME).tolist()
    rows = [[None if pd.isna(value) else value for value in row] for row in FRAME.astype(object).to_numpy().tolist()]
    dicts = [dict(zip(FRAME.columns, row, strict=True)) for row in rows]
    forms: dict[str, list[Any]] = {
        "list": rows,
        "tuple": [tuple(row) for row in rows],
        "dict": dicts,
        "dict without its holes": [{k: v for k, v in row.items() if v is not None} for row in dicts],
        "read-only dict": [MappingProxyType(row) for row in dicts],
        "object array": list(np.array(rows, dtype=object)),
        "NaN for a hole": [[float("nan") if value is None else value for value in row] for row in rows],
        "NA for a hole": [[pd.NA if value is None else value for value in row] for row in rows],
        "numpy scalars": [[np.array([value])[0] if value is not None else None for value in row] for row in rows],
        "pandas row": [FRAME.astype(object).iloc[i] for i in range(N)],
    }
    for form, given in forms.items():
        assert [model.predict_one(row) for row in given] == expected, form


def test_rows_of_numbers_may_be_arrays() -> None:
    X = rng.normal(size=(100, 5))
    model = tw.DecisionTreeRegressor().fit(X, X[:, 0] * X[:, 3])
    for dtype in (np.float64, np.float32, object):
        assert [model.predict_one(row) for row in X.astype(dtype)] == model.predict(X.astype(dtype)).tolist()


def test_the_answer_is_a_plain_python_value(model: tw.DecisionTreeClassifier) -> None:
    assert type(model.predict_one([1.0, "cook", 1, True])) is str
    assert type(tw.DecisionTreeRegressor().fit([[1], [2]], [1, 2]).predict_one([1])) is float
    assert type(tw.DecisionTreeClassifier().fit([[1], [2]], [1, 2]).predict_one([1])) is int
    assert type(tw.DecisionTreeClassifier().fit([[1], [2]], [True, False]).predict_one([1])) is bool


def test_a_level_never_seen_is_missing(model: tw.DecisionTreeClassifier) -> None:
    for row in ([39.0, None, 4, True], [51.0, None, 2, None]):
        assert model.predict_one([row[0], "astronaut", *row[2:]]) == model.predict_one(row)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([1.0, "cook"], "The row has 2 values, but the model has 4 columns"),
        ([], "The row has 0 values"),
        ("cook", "One row is a list or a tuple of values, or a dict by column name. Got 'cook' instead"),
        (7, "Got 7 instead"),
        (None, "Got None instead"),
        (["old", "cook", 1, True], "Column 'age' is numeric, but row 1 holds 'old'"),
        ({"age": "old", "job": "cook", "grade": 1, "member": True}, "Column 'age' is numeric"),
        ([40.0, ["cook"], 1, True], "Column 'job' holds values such as"),
    ],
)
def test_a_row_that_cannot_be_read_is_refused(row: Any, words: str) -> None:
    asks_all = tw.DecisionTreeClassifier(column_kinds={"grade": "ordinal"}).fit(
        FRAME.dropna(), Y[FRAME.notna().all(axis=1)]
    )
    with pytest.raises(DataError, match=words):
        asks_all.predict_one(row)


@pytest.mark.parametrize("hole", [None, float("nan"), pd.NA, np.float64("nan")], ids=repr)
@pytest.mark.parametrize("place", range(4))
def test_a_model_that_refuses_holes_refuses_them_here_too(hole: Any, place: int) -> None:
    whole = FRAME.dropna()
    model = tw.DecisionTreeClassifier(missing="refuse").fit(whole, Y[whole.index])
    row = whole.iloc[0].tolist()
    assert model.predict_one(row) == model.predict(whole.iloc[:1])[0]
    assert model.predict_one(dict(zip(whole.columns, row, strict=True))) == model.predict_one(row)
    row[place] = hole
    with pytest.raises(DataError, match=f"no known value in column '{whole.columns[place]}'"):
        model.predict_one(row)
    by_name = {name: value for name, value in zip(whole.columns, row, strict=True) if value is not hole}
    with pytest.raises(DataError, match=f"no known value in column '{whole.columns[place]}'"):
        model.predict_one(by_name)


def test_a_model_that_refuses_holes_refuses_new_levels_and_short_rows() -> None:
    whole = FRAME.dropna()
    model = tw.DecisionTreeClassifier(missing="refuse").fit(whole, Y[whole.index])
    with pytest.raises(DataError, match="no known value in column 'job'"):
        model.predict_one([40.0, "astronaut", 3, True])
    with pytest.raises(DataError, match="The row has 2 values"):
        model.predict_one([40.0, "cook"])


def test_a_model_without_a_tree_says_so() -> None:
    with pytest.raises(NotFittedError):
        tw.DecisionTreeClassifier().predict_one([1])
