"""Tables for estimators that take numbers only: levels as columns of 0 and 1, holes filled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from treewright.encode.input_frame import open_frame, to_table
from treewright.encode.schema import Schema
from treewright.encode.table import RowEncoder, encode_table

MOST_LEVELS = 100

Floats = NDArray[np.float64]


class CodedColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table with levels, dates and holes into a matrix of numbers, by what the training rows say.

    A nominal column becomes a column of 0 and 1 for each level (the 100 most frequent); a row without a value, or with
    another level, has 0 in all. An ordinal column becomes the numbers of its levels; dates are numbers too. Holes in
    numbers are filled with the median of the training rows, unless `keep_missing`.

    Parameters
    ----------
    column_kinds : dict, optional
        Kinds that override the guess, as for the estimators.
    keep_missing : bool, default False
        Leave holes as NaN, for estimators that know what to do with them.

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
        """Learn levels and medians."""
        frame = open_frame(_table(X))
        self.schema_: Schema = encode_table(frame, self.column_kinds).schema
        columns = self._columns(X)
        self.kept_levels_ = [_frequent(values) if kind else None for kind, values in columns]
        self.medians_ = [0.0 if kind else _median(values) for kind, values in columns]
        return self

    def transform(self, X: Any) -> Floats:
        """Give the matrix of numbers of a table with the same columns."""
        parts: list[Floats] = []
        for (kind, values), levels, median in zip(self._columns(X), self.kept_levels_, self.medians_, strict=True):
            if kind:
                parts.append((values[:, None] == levels).astype(np.float64))
            elif self.keep_missing:
                parts.append(values[:, None])
            else:
                parts.append(np.where(np.isnan(values), median, values)[:, None])
        return np.hstack(parts)

    def _columns(self, X: Any) -> list[tuple[bool, Any]]:
        """For each column whether it becomes levels, and its codes or its numbers."""
        rows = RowEncoder(self.schema_).encode(open_frame(_table(X)))
        if rows.matrix is not None:
            return [(False, column.astype(np.float64)) for column in rows.matrix.T]
        found: list[tuple[bool, Any]] = []
        for column, (_, values, mask) in zip(self.schema_.columns, rows.parts, strict=True):
            if column.kind == "nominal":
                found.append((True, values))
                continue
            numbers = values.astype(np.float64)
            holes = values == 0 if column.kind == "ordinal" else (mask if mask is None else mask != 0)
            found.append((False, numbers if holes is None else np.where(holes, np.nan, numbers)))
        return found

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
    'levels as columns of 0 and 1, holes filled with the median'
    """
    from sklearn.pipeline import Pipeline, make_pipeline
    from sklearn.utils import get_tags

    if type(estimator).__module__.startswith("treewright.") or isinstance(estimator, Pipeline):
        return estimator, ""
    if _is_baseline(estimator):
        return estimator, ""
    keeps = bool(get_tags(estimator).input_tags.allow_nan)
    coded = CodedColumns(column_kinds=column_kinds, keep_missing=keeps)
    columns = coded.fit(X)._columns(X)
    done = ["levels as columns of 0 and 1"] if _has_levels(coded, X) else []
    if not keeps and any(not kind and bool(np.isnan(values).any()) for kind, values in columns):
        done.append("holes filled with the median")
    return (make_pipeline(coded, estimator), ", ".join(done)) if done else (estimator, "")


def _is_baseline(estimator: Any) -> bool:
    return type(estimator).__module__ == "sklearn.dummy"


def _has_levels(coded: CodedColumns, X: Any) -> bool:
    """Whether any column is no plain number; dates are turned into numbers too."""
    return any(column.kind != "numeric" or column.face != "number" for column in coded.schema_.columns)


def _table(X: Any) -> Any:
    table = to_table(X)
    return table if hasattr(table, "shape") else np.asarray(table)


def _frequent(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    counts = np.bincount(codes[codes > 0])
    order = np.argsort(-counts, kind="stable")
    return np.sort(order[counts[order] > 0][:MOST_LEVELS])


def _median(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else 0.0
