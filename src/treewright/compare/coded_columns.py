"""Tables for estimators that take numbers only: levels as columns of 0 and 1, holes filled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from treewright.beside.columns import Columns, Floats, columns_of
from treewright.beside.design import Design, learn_design
from treewright.encode.input_frame import InputFrame, open_frame, to_table
from treewright.encode.table import RowEncoder, lay_out
from treewright.errors import DataError


class CodedColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table with levels, dates and holes into a matrix of numbers, by what the training rows say.

    A nominal column becomes a column of 0 and 1 for each level, an ordinal one the numbers of its levels; dates are
    numbers too. A hole, and a level never seen, take the mean of the training rows.

    Parameters
    ----------
    column_kinds : dict, optional
        Kinds that override the guess, as for the estimators.
    keep_missing : bool, default False
        Leave holes among numbers as NaN, for estimators that know what to do with them.

    Examples
    --------
    >>> CodedColumns().fit_transform([[1.0, "red"], [2.0, "blue"], [None, "red"]])
    array([[1. , 0. , 1. ],
           [2. , 1. , 0. ],
           [1.5, 0. , 1. ]])
    """

    def __init__(self, *, column_kinds: Mapping[str, str] | None = None, keep_missing: bool = False) -> None:
        self.column_kinds = column_kinds
        self.keep_missing = keep_missing

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn levels and means."""
        self.design_: Design = learn_design(_laid_out(_open(X), self.column_kinds), None, contrasts="full")
        return self

    def transform(self, X: Any) -> Floats:
        """Give the matrix of numbers of a table with the same columns."""
        schema = self.design_.schema
        columns = columns_of(RowEncoder(schema).encode(_open(X)), schema)
        matrix = self.design_.matrix(columns)
        if self.keep_missing and np.isnan(columns.numbers).any():
            starts = np.concatenate([[0], np.cumsum(self.design_.widths)])
            matrix[:, starts[list(columns.numeric)]] = columns.numbers
        return matrix

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def for_numbers_only(estimator: Any, X: Any, column_kinds: Mapping[str, str] | None = None) -> tuple[Any, str]:
    """Put the coding of columns before an estimator that would refuse the table; say so, or "" where nothing was done.

    Learners of treewright take tables as they are, and a pipeline has its own way of preparing them: both stay as they
    are.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = [[1.0, "red"], [None, "blue"]]
    >>> for_numbers_only(LogisticRegression(), X)[1]
    'levels as columns of 0 and 1, holes filled with the mean'
    """
    coding, note = coding_for(estimator, X, column_kinds)
    return with_coding(estimator, coding), note


def with_coding(estimator: Any, coding: CodedColumns | None) -> Any:
    """Put a coding, if there is one, before an estimator."""
    from sklearn.base import clone
    from sklearn.pipeline import make_pipeline

    return estimator if coding is None else make_pipeline(clone(coding), estimator)


def coding_for(
    estimator: Any, X: Any, column_kinds: Mapping[str, str] | None = None
) -> tuple[CodedColumns | None, str]:
    """Tell what has to be done to a table before an estimator takes it, if anything, and say so."""
    from sklearn.pipeline import Pipeline
    from sklearn.utils import get_tags

    home = type(estimator).__module__
    if home.startswith("treewright.") or home == "sklearn.dummy" or isinstance(estimator, Pipeline):
        return None, ""
    try:
        columns = _laid_out(_open(X), column_kinds)
    except DataError:  # whatever is wrong with the table, the learner will be told in its own words
        return None, ""
    keeps = bool(get_tags(estimator).input_tags.allow_nan)
    plain = all(column.kind == "numeric" and column.face == "number" for column in columns.schema.columns)
    done = [] if plain else ["levels as columns of 0 and 1"]
    if not keeps and np.isnan(columns.numbers).any():
        done.append("holes filled with the mean")
    coding = CodedColumns(column_kinds=column_kinds, keep_missing=keeps)
    return (coding, ", ".join(done)) if done else (None, "")


def _open(X: Any) -> InputFrame:
    table = to_table(X)
    return open_frame(table if hasattr(table, "shape") else np.asarray(table))


def _laid_out(frame: InputFrame, column_kinds: Mapping[str, str] | None) -> Columns:
    table = lay_out(frame, column_kinds)
    return columns_of(table.rows, table.schema)
