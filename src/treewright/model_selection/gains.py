"""The gains table: who is reached first when rows are taken in the order of their scores, and what that earns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.options import option
from treewright.learners.base.parameters import number, whole
from treewright.model_selection.measures import alike_scores
from treewright.table.target import encode_weights

if TYPE_CHECKING:
    import pandas as pd


_AMOUNT = number(-1e300, 1e300)
Floats = NDArray[np.float64]


def gains_table(
    y_true: Any,
    scores: Any,
    *,
    positive: Any = None,
    groups: int | None = None,
    benefit: float = 1.0,
    cost: float = 0.0,
    sample_weight: Any = None,
) -> pd.DataFrame:
    """Tell what is gained by acting on the rows with the highest scores first.

    Parameters
    ----------
    y_true : column
        What is true of each row.
    scores : column
        How sure the model is of the positive class, for instance ``model.predict_proba(X)[:, 1]``.
    positive : class, optional
        The class that is looked for; by default the last one in order.
    groups : int, optional
        Divide the rows into so many groups of equal weight. By default rows with the same score are a group, which for
        a tree means a leaf. Rows of the same score that fall into two groups are shared out evenly.
    benefit, cost : float, default 1.0 and 0.0
        What a positive row earns when it is reached, and what it costs to reach any row.
    sample_weight : column, optional
        How much each row counts.

    Returns
    -------
    DataFrame
        A row for each group, the highest scores first: `score` (the lowest in the group), `rows`, `positives`, `rate`
        and `lift` (the rate divided by that of all rows) of the group; and of all groups so far the share of the rows
        (`reached`), of the positive rows (`gain`) and the `profit`. Act on the groups up to the largest profit.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y)
    >>> table = tw.gains_table(y, model.predict_proba(X)[:, 1], benefit=3, cost=1)
    >>> print(table.round(2).to_string(index=False))
     score  rows  positives  rate  lift  reached  gain  profit
      0.93 250.0      233.0  0.93  2.44     0.19  0.47   449.0
      0.58  43.0       25.0  0.58  1.52     0.22  0.52   481.0
      0.49 216.0      106.0  0.49  1.28     0.39  0.73   583.0
      0.17 800.0      136.0  0.17  0.45     1.00  1.00   191.0
    """
    import pandas as pd

    groups = option("tw.gains_table", "groups", groups, whole(1, 10**6), None)
    benefit = option("tw.gains_table", "benefit", benefit, _AMOUNT)
    cost = option("tw.gains_table", "cost", cost, _AMOUNT)
    is_positive, score, weight = _columns(y_true, scores, positive, sample_weight)
    order = np.argsort(-score, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(score[order])), len(order) - 1)
    reached = np.append(0.0, np.cumsum(weight[order])[ends])  # after each different score
    found = np.append(0.0, np.cumsum((weight * is_positive)[order])[ends])
    lowest = score[order][ends]
    cuts = reached[1:]
    if groups is not None:
        cuts = reached[-1] * np.arange(1, groups + 1) / groups
        lowest = lowest[np.minimum(np.searchsorted(reached[1:], cuts * (1 - 1e-12)), len(lowest) - 1)]
    hits = np.interp(cuts, reached, found)
    rows, positives = np.diff(cuts, prepend=0.0), np.diff(hits, prepend=0.0)
    overall = found[-1] / reached[-1]
    return pd.DataFrame(
        {
            "score": lowest,
            "rows": rows,
            "positives": positives,
            "rate": positives / rows,
            "lift": positives / rows / overall,
            "reached": cuts / reached[-1],
            "gain": hits / found[-1],
            "profit": benefit * hits - cost * cuts,
        }
    )


def _columns(y_true: Any, scores: Any, positive: Any, sample_weight: Any) -> tuple[NDArray[np.bool_], Floats, Floats]:
    truth, score = np.asarray(y_true), np.asarray(scores, dtype=np.float64)
    if truth.ndim != 1 or score.shape != truth.shape:
        raise DataError(
            f"A gains table needs one score for each row: y_true has the shape {truth.shape}, scores {score.shape}. "
            "Pass the column of predict_proba that belongs to the positive class."
        )
    if not np.isfinite(score).all():
        raise DataError("The scores of a gains table must be finite numbers.")
    given = encode_weights(sample_weight, len(truth))
    weight = np.ones(len(truth)) if given is None else given
    kept = weight > 0
    asked = sorted(set(truth.tolist()))[-1] if positive is None and len(truth) else positive
    is_positive = np.array([each == asked for each in truth.tolist()], dtype=bool)
    if not is_positive[kept].any():
        raise DataError(f"No row is of the class {positive!r}. A gains table needs some that are.")
    return is_positive[kept], alike_scores(score[kept]), weight[kept]
