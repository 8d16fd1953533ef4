"""What users of a library without text columns do to the table first; the time counts as fit time of that library."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.data import Table


class Levels:
    """The levels of each text or categorical column, learnt from the training rows and used for every later table.

    >>> levels = Levels()
    >>> codes(levels.learn(pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]})))
    array([[0., 1.],
           [1., 2.]], dtype=float32)
    >>> codes(levels.categories(pd.DataFrame({"a": ["y", "unseen"], "b": [3.0, 4.0]})))
    array([[ 1.,  3.],
           [nan,  4.]], dtype=float32)
    """

    def __init__(self) -> None:
        self._of_text: dict[str, pd.Index] = {}

    def learn(self, X: Table) -> Table:
        """Give the training table with its nominal columns as pandas categories, and remember the levels of text."""
        if not isinstance(X, pd.DataFrame):
            return X
        # Columns that are categories already stay untouched, so that nobody pays for a copy they do not need.
        text = X.select_dtypes(exclude=["number", "category"]).columns
        frame = X.astype(dict.fromkeys(text, "category"))
        self._of_text = {name: frame[name].cat.categories for name in text}
        return frame

    def categories(self, X: Table) -> Table:
        """Give a later table with the same categories; a level that was not learnt becomes missing."""
        if not isinstance(X, pd.DataFrame):
            return X
        coded = {name: (levels.get_indexer(X[name]), levels) for name, levels in self._of_text.items()}
        return X.assign(**{name: pd.Categorical.from_codes(*parts) for name, parts in coded.items()})


def codes(X: Table) -> np.ndarray:
    """Give a float32 matrix with level numbers in place of categories and NaN where a value is missing."""
    if isinstance(X, np.ndarray):
        return X
    matrix = np.empty(X.shape, np.float32)
    for index, name in enumerate(X.columns):
        if isinstance(X[name].dtype, pd.CategoricalDtype):
            matrix[:, index] = X[name].cat.codes
            matrix[matrix[:, index] < 0, index] = np.nan
        else:
            matrix[:, index] = X[name]
    return matrix


def columns_of_text(X: Table) -> dict[str, np.ndarray]:
    """Give one array a column, nominal columns as text with "" for missing, as YDF takes them."""
    if not isinstance(X, pd.DataFrame):
        return {f"f{index}": X[:, index] for index in range(X.shape[1])}
    columns = {}
    for name in X.columns:
        column = X[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            # Code -1, missing, picks the last entry.
            columns[name] = np.array([*map(str, column.cat.categories), ""], dtype=object)[column.cat.codes.to_numpy()]
        elif pd.api.types.is_numeric_dtype(column):
            columns[name] = column.to_numpy()
        else:
            columns[name] = column.astype(object).fillna("").to_numpy()
    return columns
