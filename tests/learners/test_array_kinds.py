"""Numpy arrays of every type and layout, and lists of rows, give the model that their numbers deserve."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.errors import DataError

rng = np.random.default_rng(7)
WHOLE = rng.integers(0, 100, (200, 4))
Y = (WHOLE[:, 0] > 40) ^ (WHOLE[:, 2] > 70)
NUMBERS = ["f2", "f4", "f8", "g", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f4", ">f8", ">i4", ">u8"]


def fingerprint(X: Any, y: Any = Y) -> str:
    return tw.DecisionTreeClassifier(max_depth=4).fit(X, y).fingerprint()


@pytest.mark.parametrize("dtype", NUMBERS)
def test_the_type_of_the_numbers_does_not_matter(dtype: str) -> None:
    X = WHOLE.astype(dtype)
    assert fingerprint(X) == fingerprint(WHOLE)
    model = tw.DecisionTreeClassifier(max_depth=4).fit(WHOLE, Y)
    assert (model.predict(X) == model.predict(WHOLE)).all()


def spread(X: np.ndarray) -> np.ndarray:
    """The same numbers with gaps between them in memory."""
    wide = np.zeros((X.shape[0] * 2, X.shape[1] * 3), dtype=X.dtype)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def misaligned(X: np.ndarray) -> np.ndarray:
    """The same numbers at addresses that are no multiple of their size."""
    packed = np.zeros(X.shape, dtype=np.dtype([("gap", "u1"), ("x", X.dtype)]))
    packed["x"] = X
    return packed["x"]


def read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


LAYOUTS = {
    "Fortran order": np.asfortranarray,
    "gaps": spread,
    "backwards": lambda X: X[::-1][::-1].copy()[::-1][::-1],
    "transposed twice": lambda X: np.ascontiguousarray(X.T).T,
    "misaligned": misaligned,
    "read-only": read_only,
    "negative strides": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "one row of memory": lambda X: np.lib.stride_tricks.as_strided(np.ascontiguousarray(X), X.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_the_layout_of_the_array_does_not_matter(layout: str, dtype: str) -> None:
    X = LAYOUTS[layout](WHOLE.astype(dtype))
    assert np.array_equal(X, WHOLE)
    assert fingerprint(X) == fingerprint(WHOLE)
    model = tw.DecisionTreeClassifier(max_depth=4).fit(WHOLE, Y)
    assert (model.predict(X) == model.predict(WHOLE)).all()


def test_lists_and_tuples_of_rows_are_tables() -> None:
    assert fingerprint(WHOLE.tolist()) == fingerprint(WHOLE)
    assert fingerprint(tuple(map(tuple, WHOLE.tolist())), Y.tolist()) == fingerprint(WHOLE)


def test_objects_that_are_numbers_are_numbers() -> None:
    assert fingerprint(WHOLE.astype(object)) == fingerprint(WHOLE)


def test_masked_cells_are_missing() -> None:
    masked = np.ma.MaskedArray(WHOLE.astype(float), mask=WHOLE % 10 == 3)
    holes = np.where(WHOLE % 10 == 3, np.nan, WHOLE)
    assert fingerprint(masked) == fingerprint(holes)


def test_truth_values_are_split_as_truth_values() -> None:
    X = WHOLE > 50
    model = tw.DecisionTreeClassifier().fit(X, X[:, 1] & X[:, 3])
    assert [column.kind for column in model.tree_.schema.columns] == ["nominal"] * 4
    assert "is True" in str(model) or "is true" in str(model)
    assert (model.predict(X.astype(int)) == (X[:, 1] & X[:, 3])).all()
    assert model.fingerprint() == tw.DecisionTreeClassifier().fit(X.astype(object), X[:, 1] & X[:, 3]).fingerprint()


@pytest.mark.parametrize("dtype", ["U", object, "S"])
def test_text_in_arrays_is_text(dtype: Any) -> None:
    X = np.array([["red", "1"], ["blue", "2"], ["red", "3"]]).astype(dtype)
    model = tw.DecisionTreeClassifier().fit(X, ["a", "b", "a"])
    assert model.tree_.schema.columns[0].levels == ("blue", "red")
    assert model.tree_.schema.columns[1].levels == ("1", "2", "3")
    assert model.predict(X).tolist() == ["a", "b", "a"]


def test_dates_in_arrays_are_dates() -> None:
    X = np.array([["2024-01-01"], ["2024-03-01"], ["NaT"]], dtype="M8[D]")
    model = tw.DecisionTreeClassifier().fit(X, ["a", "b", "b"])
    assert model.tree_.schema.columns[0].value_type == "date"
    assert model.predict(X).tolist() == ["a", "b", "b"]


def test_positions_name_the_columns_of_an_array() -> None:
    model = tw.DecisionTreeClassifier(column_kinds={1: "nominal", "x3": "ordinal"}).fit(WHOLE, Y)
    assert [column.kind for column in model.tree_.schema.columns] == ["numeric", "nominal", "numeric", "ordinal"]
    with pytest.raises(DataError, match="that the table does not have"):
        tw.DecisionTreeClassifier(column_kinds={9: "nominal"}).fit(WHOLE, Y)


CLASS_KINDS = ["i1", "i4", "i8", "u1", "u8", "f4", "f8", ">i4", bool, "U", object]


@pytest.mark.parametrize("dtype", CLASS_KINDS, ids=str)
def test_classes_come_back_in_the_type_they_had(dtype: Any) -> None:
    y = np.array([0, 1, 1, 0]).astype(dtype)
    model = tw.DecisionTreeClassifier().fit([[1], [2], [3], [4]], y)
    assert model.predict([[1], [2], [3], [4]]).tolist() == y.tolist()
    assert type(model.predict_one([1])) is type(y.tolist()[0])
    assert model.classes_.tolist() == sorted(set(y.tolist()))


@pytest.mark.parametrize("low", [-(2**62), -200, -1, 0, 1, 100, 2**40])
def test_integer_classes_of_any_range_are_found(low: int) -> None:
    y = np.array([0, 3, 3, 7, 1500]) + low
    model = tw.DecisionTreeClassifier().fit(np.arange(5)[:, None], y)
    assert model.classes_.tolist() == [low, low + 3, low + 7, low + 1500]
    assert model.predict(np.arange(5)[:, None]).tolist() == y.tolist()


def test_the_whole_range_of_small_integers_can_be_classes() -> None:
    y = np.arange(-128, 128).astype(np.int8)
    model = tw.DecisionTreeClassifier().fit(np.arange(256)[:, None], y)
    assert model.classes_.tolist() == list(range(-128, 128))
    assert model.predict(np.arange(256)[:, None]).tolist() == y.tolist()


@pytest.mark.parametrize("n_classes", [2, 16, 17, 40])
def test_classes_of_text_are_found_few_or_many(n_classes: int) -> None:
    y = np.array([f"class {i % n_classes:02d}" for i in range(120)])
    for labels in (y, y.astype(object), y.tolist()):
        model = tw.DecisionTreeClassifier().fit(np.arange(120)[:, None], labels)
        assert model.classes_.tolist() == sorted(set(y.tolist()))
        assert model.predict(np.arange(120)[:, None]).tolist() == y.tolist()


def test_a_matrix_of_numbers_is_never_copied_by_python() -> None:
    from treewright.table.frame import open_frame

    for X in (WHOLE.astype("f4"), WHOLE.astype("f8"), np.asfortranarray(WHOLE)):
        assert np.shares_memory(open_frame(tw.DecisionTreeClassifier()._table(X)).matrix, X)
