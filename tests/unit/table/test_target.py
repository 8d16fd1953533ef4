"""Targets and weights as the core takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from treewright.errors import DataError
from treewright.table.target import encode_classes, encode_numbers, encode_weights, target_column


def classes_of(y: Any) -> tuple[list[Any], list[int]]:
    classes, codes = encode_classes(target_column(y, len(y), "Model"))
    assert codes.dtype == np.int32
    return classes.tolist(), codes.tolist()


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "b"],
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], dtype=object),
        pd.Series(["b", "a", "b"]),
        pd.Series(["b", "a", "b"]).astype(pd.CategoricalDtype(["c", "b", "a"])),
        pl.Series(["b", "a", "b"]),
        pl.Series(["b", "a", "b"], dtype=pl.Enum(["c", "b", "a"])),
    ],
)
def test_classes_of_text_are_sorted_and_only_those_that_occur(y: Any) -> None:
    assert classes_of(y) == (["a", "b"], [1, 0, 1])


def test_only_truth_values_that_occur_are_classes() -> None:
    assert classes_of(pd.Series([True, True], dtype="boolean")) == ([True], [0, 0])
    assert classes_of(pl.Series([True, False])) == ([False, True], [1, 0])
    assert classes_of(np.array([True, False])) == ([False, True], [1, 0])


def test_whole_floats_are_classes() -> None:
    assert classes_of(np.array([2.0, -1.0, 2.0])) == ([-1.0, 2.0], [1, 0, 1])
    assert classes_of(np.array([2.0**60, 0.0])) == ([0.0, 2.0**60], [1, 0])


def test_objects_that_are_numbers_are_numbers() -> None:
    assert classes_of(np.array([3, 1, 3], dtype=object)) == ([1, 3], [1, 0, 1])
    assert classes_of(np.array([True, False], dtype=object)) == ([False, True], [1, 0])


def test_numbers_may_come_in_any_column() -> None:
    for y in ([1, 2.5], pl.Series([1.0, 2.5]), pd.Series([1, 2.5], dtype="Float64"), np.array([1, 2.5], dtype=object)):
        assert encode_numbers(target_column(y, 2, "Model")).tolist() == [1.0, 2.5]


def test_one_column_of_a_matrix_is_taken_with_a_warning() -> None:
    for y in (np.array([[1], [2]]), pd.DataFrame({"y": [1, 2]})):
        with pytest.warns(DataConversionWarning, match="column-vector"):
            assert target_column(y, 2, "Model").tolist() == [1, 2]
    with pytest.raises(ValueError, match="1d array"):
        target_column(np.zeros((2, 2)), 2, "Model")


def test_a_target_of_another_length_is_refused() -> None:
    with pytest.raises(DataError, match="X has 3 rows and y has 2"):
        target_column([1, 2], 3, "Model")


def test_weights_are_doubles_or_nothing() -> None:
    assert encode_weights(None, 3) is None
    weights = encode_weights(pl.Series([1, 2]), 2)
    assert weights is not None
    assert weights.dtype == np.float64
    assert weights.tolist() == [1.0, 2.0]
