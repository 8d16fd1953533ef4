"""What a tree tells of its answers, by itself: why a row gets its answer, and the rules.

Nothing of scikit-learn is imported here: a model that is only asked starts without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import DataError

if TYPE_CHECKING:
    from treewright.inspection.rules import Rules
    from treewright.inspection.why import Why


def why(
    model: Any,
    row: Any,
    *,
    not_class: Any = None,
    below: float | None = None,
    above: float | None = None,
    fixed: Iterable[str] = (),
    scale: Mapping[str, float] | None = None,
    X: Any = None,
    y: Any = None,
) -> Why:
    """Explain the answer to one row.

    Parameters
    ----------
    row : list, tuple, dict, Series or table of one row
        The row: values in column order or by column name. None, NaN and what a dict does not have are missing.
    not_class : class, optional
        "Why not this class?" The smallest change then leads to this class; without it, to any other.
    below, above : float, optional
        For models that predict numbers: the smallest change that brings the answer below or above this.
    fixed : list of column names, optional
        Columns that may not change.
    scale : dict of column name to number, optional
        What counts as a change of 1 in a column. Without it: the span of the tree's cuts and the row's own value.
    X, y : table and column, optional
        Held-out rows: those that end in the same node are counted.

    Returns
    -------
    Why
        Print it, or use `sentence`, `change`, `to_dict()`, `to_html()`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_restaurant(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> print(model.why(X.iloc[0]))
    T, because Pat is Some; 4 of 4 training rows like it were T.
    <BLANKLINE>
      on the way         this row  rows  what they are
      all training rows              12  F 50 %, T 50 %
      Pat is Some        Some         4  T 100 %
    <BLANKLINE>
    It would be F if Pat goes from Some to Full (Pat is Full or None); 2 of 4 training rows like it were
    F.
    """
    from treewright.inspection.decision_path import read_row
    from treewright.inspection.why import Asked, end_of, explain

    try:
        encoder = model._lookup.encoder
    except AttributeError:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)
        raise
    values = read_row(encoder, row)
    if model._lookup.refuse_missing and any(number != number for number in values.numbers):
        model._lookup.answer_by_frame(list(values.given))  # says what is missing
    held_out = None
    if X is not None or y is not None:
        need_both(X, y)
        held_out = np.asarray(y)[model.apply(X) == end_of(model.tree_, values)].tolist()
    return explain(model.tree_, values, Asked(not_class, below, above, fixed, scale), held_out)


def rules(model: Any, *, stops: bool = False) -> Rules:
    """Give the rules of the tree: IF … THEN … for each leaf, with support, confidence, lift and cost.

    Conditions on the same column are merged. Sort and filter with `.sorted("lift")` and
    `.select(min_support=0.05)`; write with `str`, `.to_frame()`, `.to_markdown()`, `.to_html()`, `.to_excel(path)`.

    Parameters
    ----------
    stops : bool, default False
        Also give the rules of nodes at which rows without a value stop, for models where they do.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_restaurant(return_X_y=True)
    >>> for rule in tw.DecisionTreeClassifier(max_depth=2).fit(X, y).rules():
    ...     print(rule.text())
    IF Pat is Full or None AND Hun is F THEN F
    IF Pat is Full or None AND Hun is T THEN F
    IF Pat is Some THEN T
    """
    from treewright.inspection.rules import Rules, read_rules

    if not hasattr(model, "tree_"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)
    losses = model._losses() if getattr(model, "costs", None) is not None else None
    return Rules(list(read_rules(model.tree_, losses, stops)))


def need_both(X: Any, y: Any) -> None:
    """Refuse rows without their truth, or the truth without its rows."""
    if X is None or y is None:
        raise DataError("The rows need both X and y. Pass the other one too.")
