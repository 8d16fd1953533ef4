"""What a fitted model of many trees can tell about itself: why a row gets its answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright.table.frame import frame_of_values

if TYPE_CHECKING:
    from treewright.inspection.why_ensemble import WhyTogether


def why(
    model: Any,
    row: Any,
    *,
    not_class: Any = None,
    below: float | None = None,
    above: float | None = None,
    fixed: Iterable[str] = (),
) -> WhyTogether:
    """Explain the answer to one row: how the trees agree, and the conditions that most of them share.

    Parameters
    ----------
    row : list, tuple, dict, Series or table of one row
        The row: values in column order or by column name. None, NaN and what a dict does not have are missing.
    not_class : class, optional
        "Why not this class?" The smallest change of one column then leads to this class; without it, to any other.
    below, above : float, optional
        For models that predict numbers: the smallest change that brings the answer below or above this.
    fixed : list of column names, optional
        Columns that may not change.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> why = tw.RandomForestClassifier(50, random_state=0).fit(X, y).why(X.iloc[0], not_class="Iris-virginica")
    >>> why.prediction, why.shared[0].text, why.shared[0].n_trees
    ('Iris-setosa', 'petallength <= 2.45', 27)
    """
    from treewright.inspection.change import column_index
    from treewright.inspection.counterfactual import read_wanted
    from treewright.inspection.decision_path import read_row
    from treewright.inspection.why_ensemble import WhyTogether

    check_is_fitted(model)
    model._refuse_beside_trees("Why a row gets its answer is read from trees alone")
    values = read_row(model._lookup.encoder, row)
    prediction = answers_to_rows(model, [list(values.given)])[0]
    classes = getattr(model, "classes_", None)
    labels = None if classes is None else tuple(classes.tolist())
    wanted = read_wanted(labels, prediction, not_class, below, above)
    places = frozenset(column_index(values.schema.names, name, "fixed") for name in fixed)
    return WhyTogether(model, values, prediction, wanted, places)


def answers_to_rows(model: Any, rows: list[list[Any]]) -> list[Any]:
    """What rows are answered with that are given as lists."""
    found: list[Any] = np.asarray(model.predict(_table_of(model, rows))).tolist()
    return found


def one_row_table(model: Any, given: Sequence[Any]) -> Any:
    """One row as a table that the model takes."""
    return _table_of(model, [list(given)])


def _table_of(model: Any, rows: list[list[Any]]) -> Any:
    frame = frame_of_values(model._lookup.schema.names, rows)
    # A model that was trained on an array takes arrays.
    return frame if "feature_names_in_" in model.__dict__ else frame.to_numpy(dtype=object)
